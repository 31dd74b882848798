/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/log.h"

#include <ctype.h>
#include <syslog.h>

#include "test.h"

TEST(each_row_is_whole_and_its_id_is_its_own) {
        const LogRow *row;

        for (size_t i = 0; (row = log_row_at(i)); i++) {
                assert_non_null(row->name);
                assert_int_equal(strlen(row->id), 32);
                for (const char *c = row->id; *c; c++)
                        assert_true(isdigit((unsigned char)*c) || (*c >= 'a' && *c <= 'f'));
                assert_in_range(row->level, LOG_ERR, LOG_DEBUG);
                assert_true(row->text[0] && row->text[strlen(row->text) - 1] != '.');
                for (size_t j = 0; j < i; j++)
                        assert_string_not_equal(log_row_at(j)->id, row->id);
        }
}

TEST(an_entry_has_whom_it_is_about_in_fields) {
        const LogRow row = { "NAME", "0123456789abcdef0123456789abcdef", LOG_NOTICE, "Something was" };
        LogEntry entry;

        assert_int_equal(log_entry_init(&row, NULL, NULL, &entry), 0);
        assert_int_equal(entry.n_fields, 3);
        assert_string_equal(entry.fields[0], "MESSAGE=Something was.");
        assert_string_equal(entry.fields[1], "MESSAGE_ID=0123456789abcdef0123456789abcdef");
        assert_string_equal(entry.fields[2], "PRIORITY=5");
        log_entry_clear(&entry);

        assert_int_equal(log_entry_init(&row, &(LogSubject){ .job = "abc", .uid = 0 }, "so", &entry), 0);
        assert_int_equal(entry.n_fields, 5);
        assert_string_equal(entry.fields[0], "MESSAGE=Something was: so");
        assert_string_equal(entry.fields[3], "BENCHD_JOB=abc");
        assert_string_equal(entry.fields[4], "BENCHD_UID=0");
        log_entry_clear(&entry);

        assert_int_equal(log_entry_init(&row, LOG_OF_UID((uid_t)-1), NULL, &entry), 0);
        assert_int_equal(entry.n_fields, 3);
        log_entry_clear(&entry);
}

/* A newline in a field would begin another one in the journal, and another line elsewhere. */
TEST(a_strangers_text_adds_no_field_and_no_line) {
        const LogRow row = { "NAME", "0123456789abcdef0123456789abcdef", LOG_NOTICE, "It said" };
        LogEntry entry;

        assert_int_equal(log_entry_init(&row, NULL, "a\nBENCHD_UID=0\n\033[2J\377\302\233", &entry), 0);
        assert_int_equal(entry.n_fields, 3);
        for (const char *c = entry.fields[0]; *c; c++)
                assert_true((unsigned char)*c >= ' ' && *c != 127);
        assert_null(strstr(entry.fields[0], "\302\233")); /* CSI, a control character of two bytes */
        log_entry_clear(&entry);
}

static bool is_stream(const char *variable, dev_t device, ino_t inode) {
        setenv("JOURNAL_STREAM", variable, true);
        return log_is_stream(device, inode);
}

TEST(stderr_is_the_journal_only_where_it_is_that_very_file) {
        assert_true(is_stream("8:12345", 8, 12345));
        assert_false(is_stream("8:12345", 8, 1234));
        assert_false(is_stream("8:12345", 88, 12345));
        assert_false(is_stream("8:12345 ", 8, 12345));
        assert_false(is_stream("", 0, 0));
        unsetenv("JOURNAL_STREAM");
        assert_false(log_is_stream(0, 0));
}

/* The text that @say writes to stderr. */
static void catch_stderr(void (*say)(void), char text[static 512]) {
        int saved = dup(STDERR_FILENO), fd = memfd_create("stderr", MFD_CLOEXEC);
        ssize_t n;

        assert_true(saved >= 0 && fd >= 0);
        assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
        say();
        dup2(saved, STDERR_FILENO);
        n = pread(fd, text, 511, 0);
        text[n < 0 ? 0 : n] = 0;
        close(fd);
        close(saved);
}

static void say_all_levels(void) {
        log_say(LOG_JOB_ACCEPTED, &(LogSubject){ .job = "f00", .uid = 1000 }, "%s", "of\n7 benchmarks");
        log_say(LOG_HISTORY_UNWRITTEN, NULL, NULL);
}

TEST(elsewhere_it_is_a_line_a_message_down_to_the_level) {
        char text[512];

        unsetenv("JOURNAL_STREAM");
        log_set_level(LOG_INFO);
        catch_stderr(say_all_levels, text);
        assert_string_equal(text, "benchd: A job was accepted: of 7 benchmarks [job f00] [uid 1000]\n"
                                  "benchd: The history cannot be written.\n");
        log_set_level(LOG_ERR);
        catch_stderr(say_all_levels, text);
        assert_string_equal(text, "benchd: The history cannot be written.\n");
}
