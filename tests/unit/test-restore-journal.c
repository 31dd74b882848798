/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The journal keeps what it was told, or what it was told up to the last whole record; and nothing from a damaged one on.
 */

#include "machine/restore-journal.h"

#include <sys/resource.h>

#include "machine.h"

static RestoreJournal *journal_open(const Machine *machine) {
        RestoreJournal *journal;

        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        return journal;
}

static RestoreJournal *journal_reopen(const Machine *machine, RestoreJournal *journal) {
        restore_journal_close(journal);
        return journal_open(machine);
}

static void note(RestoreJournal *journal, const char *key, const char *was, const char *is) {
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, key, was, is), 0);
}

static size_t file_size(const Machine *machine, const char *name) {
        struct stat status;

        assert_int_equal(fstatat(root_dir_fd(machine->root), name, &status, 0), 0);
        return status.st_size;
}

static int file_open(const Machine *machine, const char *name, int flags) {
        int fd = openat(root_dir_fd(machine->root), name, flags | O_CLOEXEC, 0600);

        assert_true(fd >= 0);
        return fd;
}

TEST(what_was_noted_is_there_after_reopening) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = journal_open(machine);
        const RestoreEntry *entry;

        assert_int_equal(restore_journal_count(journal), 0);
        note(journal, "sys/a", "1", "0");
        note(journal, "sys/b", "slow", "fast");
        assert_int_equal(restore_journal_confirm(journal, RESTORE_FILE, "sys/b", "faster"), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_UNIT_PROPERTY, "sys/a", "0-3", "0"), 0);
        journal = journal_reopen(machine, take_pointer(journal));
        assert_int_equal(restore_journal_count(journal), 3);
        entry = restore_journal_entry(journal, 1);
        assert_string_equal(entry->key, "sys/b");
        assert_string_equal(entry->was, "slow");
        assert_int_equal(entry->n_ours, 2);
        assert_string_equal(entry->ours[1], "faster");
        assert_false(entry->unconfirmed);
        assert_true(restore_journal_find(journal, RESTORE_FILE, "sys/a")->unconfirmed);
        assert_string_equal(restore_journal_find(journal, RESTORE_UNIT_PROPERTY, "sys/a")->was, "0-3");
        assert_null(restore_journal_find(journal, RESTORE_FILE, "sys/c"));
}

TEST(the_first_note_says_what_it_was) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = journal_open(machine);

        note(journal, "sys/a", "first", "second");
        note(journal, "sys/a", "second", "third");
        journal = journal_reopen(machine, take_pointer(journal));
        assert_string_equal(restore_journal_entry(journal, 0)->was, "first");
        assert_int_equal(restore_journal_entry(journal, 0)->n_ours, 2);
}

TEST(a_journal_of_which_all_is_done_is_as_new) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = journal_open(machine);
        size_t empty = file_size(machine, "journal");

        note(journal, "sys/a", "1", "0");
        note(journal, "sys/b", "1", "0");
        assert_int_equal(restore_journal_done(journal, RESTORE_FILE, "sys/a"), 0);
        assert_true(file_size(machine, "journal") > empty);
        assert_int_equal(restore_journal_done(journal, RESTORE_FILE, "sys/b"), 0);
        assert_int_equal(file_size(machine, "journal"), empty);
        note(journal, "sys/c", "1", "0");
        journal = journal_reopen(machine, take_pointer(journal));
        assert_int_equal(restore_journal_count(journal), 1);
}

TEST(what_would_not_be_one_record_is_refused) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = journal_open(machine);
        static const char *const foreign[] = { "/etc/passwd", "etc/passwd", "tmp/file", "sys", "system/file",
                "sys/../etc/passwd", "proc/1/oom_score_adj", "sys/fs/cgroup/12-1" };
        static const char *const groups[] = { "tmp/12-1", "sys/fs/cgroup/user.slice", "sys/fs/cgroup/12-",
                "sys/fs/cgroup/-1", "sys/fs/cgroup/12-1/mine", "sys/fs/cgroup/../12-1" };
        char lengthy[FILE_VALUE_MAX + 1] = {};

        memset(lengthy, 'x', FILE_VALUE_MAX);
        for (size_t i = 0; i < N_ELEMENTS(foreign); i++)
                assert_int_equal(restore_journal_note(journal, RESTORE_FILE, foreign[i], "", "x"), -EINVAL);
        for (size_t i = 0; i < N_ELEMENTS(groups); i++)
                assert_int_equal(restore_journal_note(journal, RESTORE_CGROUP, groups[i], "absent", "present"),
                                -EINVAL);
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, "sys/a", "a\nb", "x"), -EINVAL);
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, "sys/a", "a", lengthy), -EINVAL);
        assert_int_equal(restore_journal_count(journal), 0);
}

TEST(a_second_process_is_kept_out) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) __attribute__((unused)) RestoreJournal *journal = journal_open(machine);
        int status;
        pid_t pid;

        pid = fork();
        if (pid == 0) {
                RestoreJournal *second;

                _exit(restore_journal_open(machine->root, "journal", &second));
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), RESTORE_JOURNAL_E_HELD);
}

/* A zygote lives on when its launcher was killed. */
TEST(a_child_that_outlives_the_holder_does_not_hold_it) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        int go[2], status;
        pid_t pid;
        char byte;

        assert_int_equal(pipe2(go, 0), 0);
        pid = fork();
        if (pid == 0) {
                journal_open(machine);
                close(go[1]);
                if (fork() == 0)
                        while (read(go[0], &byte, 1) > 0)
                                ;
                _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        restore_journal_close(journal_open(machine));
        close(go[0]);
        close(go[1]);
}

TEST(a_last_record_that_was_torn_is_as_if_it_were_not) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = journal_open(machine);
        size_t one, two;

        note(journal, "sys/a", "1", "0");
        one = file_size(machine, "journal");
        note(journal, "sys/b", "1", "0");
        two = file_size(machine, "journal");
        for (size_t size = two - 1; size >= one; size--) {
                _cleanup_(fd_closep) int fd = -1;

                journal = restore_journal_close(journal);
                fd = file_open(machine, "journal", O_WRONLY);
                assert_int_equal(ftruncate(fd, size), 0);
                fd = fd_close(fd);
                journal = journal_open(machine);
                assert_int_equal(restore_journal_count(journal), 1);
                assert_int_equal(file_size(machine, "journal"), one);
                note(journal, "sys/b", "1", "0");
                assert_int_equal(file_size(machine, "journal"), two);
        }
}

TEST(a_first_line_that_was_torn_is_an_empty_journal) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        size_t whole;

        restore_journal_close(journal_open(machine));
        whole = file_size(machine, "journal");
        for (size_t size = 0; size < whole; size++) {
                _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
                _cleanup_(fd_closep) int fd = file_open(machine, "journal", O_WRONLY);

                assert_int_equal(ftruncate(fd, size), 0);
                journal = journal_open(machine);
                assert_int_equal(restore_journal_count(journal), 0);
                assert_int_equal(file_size(machine, "journal"), whole);
        }
}

static void assert_set_aside(const Machine *machine) {
        RestoreJournal *journal = NULL;
        size_t size = file_size(machine, "journal");

        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), RESTORE_JOURNAL_E_CORRUPT);
        assert_null(journal);
        assert_int_equal(file_size(machine, "journal.corrupt"), size);
        journal = journal_open(machine);
        assert_int_equal(restore_journal_count(journal), 0);
        restore_journal_close(journal);
}

/* The copy is of the whole, and the next reading finds no damage. */
static void assert_cut_at(const Machine *machine, size_t n_text, size_t first_line, size_t n_lines, size_t n_entries) {
        _cleanup_(restore_journal_closep) RestoreJournal *journal = journal_open(machine);

        assert_int_equal(restore_journal_count(journal), n_entries);
        assert_int_equal(restore_journal_damage(journal).first_line, first_line);
        assert_int_equal(restore_journal_damage(journal).n_lines, n_lines);
        assert_int_equal(file_size(machine, "journal.corrupt"), n_text);
        note(journal, "sys/c", "1", "0");
        journal = journal_reopen(machine, take_pointer(journal));
        assert_int_equal(restore_journal_count(journal), n_entries + 1);
        assert_int_equal(restore_journal_damage(journal).first_line, 0);
}

TEST(of_a_journal_with_any_byte_changed_what_stands_before_that_line_is_kept) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        RestoreJournal *journal = journal_open(machine);
        char text[1024], changed[1024];
        size_t n, line = 1;
        int fd;

        note(journal, "sys/a", "1", "0");
        note(journal, "sys/b", "1", "0");
        restore_journal_close(journal);
        fd = file_open(machine, "journal", O_RDONLY);
        assert_int_equal(fd_read_start(fd, text, sizeof text, &n), 0);
        fd_close(fd);
        for (size_t at = 0; at < n; at++) {
                /* A newline ends the line that it would damage; without its own the last record was torn. */
                if (text[at] == '\n') {
                        line++;
                        continue;
                }
                memcpy(changed, text, n);
                changed[at] ^= 1 + at % 255;
                if (changed[at] == '\n')
                        changed[at] = 'x';
                fd = file_open(machine, "journal", O_WRONLY | O_CREAT | O_TRUNC);
                assert_int_equal(write(fd, changed, n), n);
                fd_close(fd);
                if (line == 1)
                        assert_set_aside(machine);
                else
                        assert_cut_at(machine, n, line, 4 - line, line - 2);
        }
}

TEST(a_journal_that_others_could_have_written_is_set_aside) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        RestoreJournal *journal = journal_open(machine);

        note(journal, "sys/a", "1", "0");
        restore_journal_close(journal);
        assert_int_equal(fchmodat(root_dir_fd(machine->root), "journal", 0620, 0), 0);
        assert_set_aside(machine);
        if (geteuid() == 0) {
                assert_int_equal(fchownat(root_dir_fd(machine->root), "journal", 65534, 65534, 0), 0);
                assert_set_aside(machine);
        }
}

TEST(a_link_is_not_followed) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        RestoreJournal *journal = NULL;

        assert_int_equal(symlinkat("elsewhere", root_dir_fd(machine->root), "journal"), 0);
        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), -ELOOP);
        assert_int_equal(faccessat(root_dir_fd(machine->root), "elsewhere", F_OK, 0), -1);
}

/* A file that may not grow stands for a disk that is full. */
TEST(a_note_that_does_not_fit_leaves_the_journal_as_it_was) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = journal_open(machine);
        struct rlimit before, limit;
        size_t size;

        note(journal, "sys/a", "1", "0");
        size = file_size(machine, "journal");
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        limit = (struct rlimit){ .rlim_cur = size + 10, .rlim_max = before.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(restore_journal_note(journal, RESTORE_FILE, "sys/b", "1", "0"), -ENOSPC);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(file_size(machine, "journal"), size);
        assert_int_equal(restore_journal_count(journal), 1);
        note(journal, "sys/b", "1", "0");
        journal = journal_reopen(machine, take_pointer(journal));
        assert_int_equal(restore_journal_count(journal), 2);
}

TEST(a_journal_that_has_one_entry_for_long_does_not_grow_without_bound) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = journal_open(machine);

        note(journal, "sys/sticky", "1", "2");
        assert_int_equal(restore_journal_confirm(journal, RESTORE_FILE, "sys/sticky", "3"), 0);
        note(journal, "sys/sticky", "3", "2");
        for (unsigned round = 0; round < 5000; round++) {
                note(journal, "sys/lease", "1", "0");
                assert_int_equal(restore_journal_done(journal, RESTORE_FILE, "sys/lease"), 0);
                assert_true(file_size(machine, "journal") < 160 << 10);
        }
        journal = journal_reopen(machine, take_pointer(journal));
        assert_int_equal(restore_journal_count(journal), 1);
        assert_string_equal(restore_journal_entry(journal, 0)->was, "1");
        assert_int_equal(restore_journal_entry(journal, 0)->n_ours, 2);
        assert_true(restore_journal_entry(journal, 0)->unconfirmed);
}
