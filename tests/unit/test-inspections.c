/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inspections that are kept: for whom, and how many of them. */

#include "front/jobs/inspections.h"

#include "front/base/digest.h"
#include "test.h"

#define ALICE 1001
#define BOB   1002

#define ENTRIES 16u /* some 30 KiB */

/* The digest of file @i. */
static const char *digest_of(unsigned i) {
        static char digest[DIGEST_HEX_BYTES];

        snprintf(digest, sizeof digest, "%064x", i);
        return digest;
}

static void keep(Inspections *inspections, uid_t uid, unsigned file, unsigned n_entries, unsigned mark) {
        static InspectionBlock block;

        block.n_entries = n_entries;
        for (unsigned i = 0; i < n_entries; i++)
                block.entries[i].line = mark + i;
        inspections_keep(inspections, uid, digest_of(file), &block);
}

/* The mark of the block of @uid's @file, all of whose entries are there; 0 if none is kept. */
static unsigned mark_of(Inspections *inspections, uid_t uid, unsigned file) {
        _cleanup_(freep) InspectionBlock *block = inspections_find(inspections, uid, digest_of(file));

        if (!block)
                return 0;
        for (unsigned i = 0; i < block->n_entries; i++)
                assert_int_equal(block->entries[i].line, block->entries[0].line + i);
        return block->entries[0].line;
}

static int setup(void **state) {
        static Inspections inspections;

        inspections_init(&inspections);
        *state = &inspections;
        return 0;
}

static int teardown(void **state) {
        inspections_clear(*state);
        return 0;
}

TEST(test_a_file_is_known_again_to_its_user_alone, setup, teardown) {
        Inspections *inspections = *state;

        assert_int_equal(mark_of(inspections, ALICE, 1), 0);
        keep(inspections, ALICE, 1, ENTRIES, 100);
        keep(inspections, ALICE, 2, 1, 200);
        assert_int_equal(mark_of(inspections, ALICE, 1), 100);
        assert_int_equal(mark_of(inspections, ALICE, 2), 200);
        assert_int_equal(mark_of(inspections, BOB, 1), 0);
        keep(inspections, BOB, 1, ENTRIES, 300);
        assert_int_equal(mark_of(inspections, ALICE, 1), 100);
        assert_int_equal(mark_of(inspections, BOB, 1), 300);
}

TEST(test_two_that_inspected_at_once_leave_one, setup, teardown) {
        Inspections *inspections = *state;
        size_t n_bytes;

        keep(inspections, ALICE, 1, ENTRIES, 100);
        n_bytes = inspections->n_bytes;
        keep(inspections, ALICE, 1, ENTRIES, 200);
        assert_int_equal(inspections->n_bytes, n_bytes);
        assert_int_equal(mark_of(inspections, ALICE, 1), 100);
}

TEST(test_those_that_nobody_used_for_longest_give_way, setup, teardown) {
        Inspections *inspections = *state;
        unsigned n = 0;

        for (unsigned i = 1; i <= 100; i++) {
                keep(inspections, ALICE, i, ENTRIES, i);
                assert_int_equal(mark_of(inspections, ALICE, 1), 1);
                assert_int_equal(mark_of(inspections, ALICE, i), i);
                assert_true(inspections->n_bytes <= INSPECTIONS_BYTES_MAX);
        }
        for (unsigned i = 1; i <= 100; i++)
                n += mark_of(inspections, ALICE, i) != 0;
        assert_in_range(n, 8, 99);
        assert_int_equal(mark_of(inspections, ALICE, 2), 0);
}

TEST(test_one_that_is_large_leaves_the_others_alone, setup, teardown) {
        Inspections *inspections = *state;

        keep(inspections, ALICE, 1, ENTRIES, 100);
        keep(inspections, ALICE, 2, INSPECTION_ENTRIES_MAX, 200);
        assert_int_equal(mark_of(inspections, ALICE, 1), 100);
        assert_int_equal(mark_of(inspections, ALICE, 2), 0);
}
