/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "ops/block.h"
#include "ops/runner-plan.h"
#include "runner/time/beside.h"
#include "runner/time/side.h"
#include "runner/watch/usage.h"
#include "test.h"

static SideControl control;

static int set_up(void **state) {
        control = (SideControl){};
        return 0;
}

TEST_EACH(set_up, NULL)

static void note(unsigned n, uint64_t faults, uint64_t blocked) {
        for (unsigned i = 0; i < n; i++)
                side_control_note(&control, &(Usage){ .faults = faults, .blocked = blocked }, 0);
}

TEST(nothing_is_switched_off_for_a_body_that_only_reckons) {
        assert_int_equal(side_control_switch_off(&control), 0);
        note(100, 0, 0);
        assert_int_equal(side_control_switch_off(&control), 0);
}

TEST(a_body_that_faults_in_most_batches_has_no_canary) {
        note(20, 3, 0);
        assert_int_equal(side_control_switch_off(&control), DETECTOR_CANARY);
}

TEST(a_body_that_blocks_in_most_batches_has_no_sequence) {
        note(20, 0, 1);
        assert_int_equal(side_control_switch_off(&control), DETECTOR_RSEQ);
        note(20, 1, 1);
        assert_int_equal(side_control_switch_off(&control), DETECTOR_CANARY | DETECTOR_RSEQ);
}

TEST(a_body_waits_that_gives_the_cpu_up_in_most_batches) {
        assert_false(side_control_waits(&control));
        note(1, 5, 1);
        assert_true(side_control_waits(&control));
        note(SIDE_CONTROL_BATCHES, 5, 0);
        assert_false(side_control_waits(&control));
        note(SIDE_CONTROL_BATCHES / 2, 0, 1);
        assert_false(side_control_waits(&control));
        note(1, 0, 7);
        assert_true(side_control_waits(&control));
}

TEST(half_of_the_batches_are_not_most) {
        note(SIDE_CONTROL_BATCHES / 2, 1, 1);
        note(SIDE_CONTROL_BATCHES / 2, 0, 0);
        assert_int_equal(side_control_switch_off(&control), 0);
        note(SIDE_CONTROL_BATCHES / 2 + 1, 1, 0);
        assert_int_equal(side_control_switch_off(&control), DETECTOR_CANARY);
}

/* Everything is touched for the first time there. */
TEST(what_the_first_batches_did_is_forgotten) {
        note(50, 100, 1);
        note(SIDE_CONTROL_BATCHES, 0, 0);
        assert_int_equal(side_control_switch_off(&control), 0);
}

/* A long body has no warm-up: its first call is all that there is to judge by. */
TEST(one_batch_decides_where_there_is_no_other) {
        note(1, 0, 7);
        assert_int_equal(side_control_switch_off(&control), DETECTOR_RSEQ);
}

/* The CPU was taken from it: that is the machine's doing. */
TEST(preemption_is_never_the_programs_own) {
        for (unsigned i = 0; i < 20; i++)
                side_control_note(&control, &(Usage){ .preempted = 3, .output_bytes = 9 }, MARK_PREEMPTED);
        assert_int_equal(side_control_switch_off(&control), 0);
}

/* A signal to oneself, or the last unmapping of a file. */
TEST(a_sequence_that_is_clear_without_a_preemption_is_the_programs_own) {
        for (unsigned i = 0; i < 20; i++)
                side_control_note(&control, &(Usage){ .preempted = 0 }, MARK_PREEMPTED | MARK_INTERRUPTED);
        assert_int_equal(side_control_switch_off(&control), DETECTOR_RSEQ);
}

static void note_probes(unsigned n, bool before, bool after) {
        for (unsigned i = 0; i < n; i++)
                side_control_note_probes(&control, &(BesideProbes){ .before = before, .after = after });
}

TEST(a_body_is_blamed_where_probes_are_slow_only_after_it) {
        note_probes(SIDE_CONTROL_BATCHES - 1, false, true);
        assert_false(side_control_blames_body(&control)); /* too few to tell */
        note_probes(20, false, true);
        assert_true(side_control_blames_body(&control));
}

TEST(a_neighbour_is_not_taken_for_the_body) {
        note_probes(100, true, true);
        note_probes(10, false, true); /* it comes within a batch */
        note_probes(10, true, false); /* and goes */
        assert_false(side_control_blames_body(&control));
        note_probes(100, false, false);
        assert_false(side_control_blames_body(&control));
}
