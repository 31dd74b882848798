/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "machine/restore-record.h"

#include "test.h"

static const RestoreRecord sample = {
        .kind = RESTORE_FILE,
        .phase = RESTORE_NOTED,
        .key = "sys/governor",
        .was = "powersave",
        .is = "performance",
};

TEST(a_record_is_a_line_that_a_person_can_read) {
        char line[RESTORE_LINE_MAX];
        size_t n;

        assert_int_equal(restore_record_format(&sample, line, &n), 0);
        assert_int_equal(n, strlen(line));
        assert_string_equal(line + 8, "\tfile\tnoted\tsys/governor\tpowersave\tperformance\n");
}

/* The sum of the same text by Python's zlib.crc32(). */
TEST(the_checksum_is_crc_32) {
        char line[RESTORE_LINE_MAX];
        size_t n;

        assert_int_equal(restore_record_format(&sample, line, &n), 0);
        line[8] = 0;
        assert_string_equal(line, "c0b04627");
}

TEST(any_record_comes_back_from_its_line) {
        srandom(20240617);
        for (unsigned round = 0; round < 500; round++) {
                RestoreRecord record = { .kind = random() % _RESTORE_KIND_N, .phase = random() % _RESTORE_PHASE_N },
                              back;
                char line[RESTORE_LINE_MAX];
                size_t n, n_key = 1 + random() % (sizeof record.key - 1), n_was = random() % sizeof record.was;

                memset(record.key, 'a' + random() % 26, n_key);
                if (record.kind == RESTORE_FILE)
                        memcpy(record.key, "sys/", 4);
                else if (record.kind == RESTORE_CGROUP)
                        strncpy(record.key, "sys/fs/cgroup/mother/12-1", sizeof record.key);
                memset(record.was, ' ' + random() % 94, n_was);
                memset(record.is, ' ' + random() % 94, sizeof record.is - 1);
                assert_int_equal(restore_record_format(&record, line, &n), 0);
                line[n - 1] = 0;
                assert_int_equal(restore_record_parse(line, &back), 0);
                assert_memory_equal(&back, &record, sizeof record);
        }
}

TEST(a_line_with_any_bit_flipped_is_malformed) {
        char line[RESTORE_LINE_MAX];
        RestoreRecord record;
        size_t n;

        assert_int_equal(restore_record_format(&sample, line, &n), 0);
        line[--n] = 0;
        for (size_t bit = 0; bit < 8 * n; bit++) {
                line[bit / 8] ^= 1 << bit % 8;
                assert_int_equal(restore_record_parse(line, &record), RESTORE_RECORD_E_MALFORMED);
                line[bit / 8] ^= 1 << bit % 8;
        }
        assert_int_equal(restore_record_parse(line, &record), 0);
}

TEST(a_line_that_is_cut_is_malformed) {
        char line[RESTORE_LINE_MAX];
        RestoreRecord record;
        size_t n;

        assert_int_equal(restore_record_format(&sample, line, &n), 0);
        line[--n] = 0;
        assert_int_equal(restore_record_parse(line, &record), 0);
        while (n > 0) {
                line[--n] = 0;
                assert_int_equal(restore_record_parse(line, &record), RESTORE_RECORD_E_MALFORMED);
        }
}

TEST(a_key_stays_below_the_root_and_a_field_on_its_line) {
        static const struct {
                const char *key, *was;
        } wrong[] = { { "", "x" }, { "/etc/passwd", "x" }, { "sys/../etc/passwd", "x" }, { "sys/a\tb", "x" },
                { "sys/a", "x\ny" }, { "sys/a", "x\ty" } };
        char line[RESTORE_LINE_MAX];
        size_t n;

        for (size_t i = 0; i < N_ELEMENTS(wrong); i++) {
                RestoreRecord record = { .kind = RESTORE_FILE };

                strcpy(record.key, wrong[i].key);
                strcpy(record.was, wrong[i].was);
                assert_int_equal(restore_record_format(&record, line, &n), RESTORE_RECORD_E_MALFORMED);
        }
}
