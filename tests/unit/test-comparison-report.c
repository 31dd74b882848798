/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A row of a comparison: what is unresolved tells how many processes would settle it, or in words why none will; what is resolved
 * tells neither.
 */

#include "front/report/comparison-report.h"

#include "front/base/message.h"
#include "front/plan/plan.h"
#include "measuring.h"
#include "ops/runner-plan.h"
#include "proto/frame.h"
#include "stats/comparison.h"
#include "stats/interval.h"

#define ROWS  12
#define TURNS 12u

#define LOOP_ADDRESS 0x7f0000001020u

static Benchd__ComparisonResult fill(const Comparison *row) {
        Benchd__ComparisonResult message = BENCHD__COMPARISON_RESULT__INIT;
        WarningList warnings = {};
        Comparison compared = *row;

        compared.difference.n = 20;
        compared.n_rows = ROWS;
        assert_int_equal(comparison_report_row(&compared, 0.005, arena, &message, &warnings), 0);
        message.warnings = warnings.texts.texts;
        message.n_warnings = warnings.texts.n;
        return message;
}

TEST(what_is_resolved_asks_for_nothing) {
        static const ComparisonVerdict verdicts[] = { COMPARISON_SAME, COMPARISON_FASTER, COMPARISON_SLOWER };

        for (size_t i = 0; i < N_ELEMENTS(verdicts); i++) {
                Benchd__ComparisonResult message = fill(&(Comparison){ .ratio = 1.02,
                                .low = 1.01,
                                .high = 1.03,
                                .verdict = verdicts[i],
                                .processes_needed = 20 });

                assert_true(message.ratio->point == 1.02 && message.ratio->low == 1.01 && message.ratio->high == 1.03);
                assert_true(message.margin == 0.005);
                assert_false(message.has_processes_needed);
                assert_int_equal(message.n_warnings, 0);
        }
}

TEST(as_many_processes_as_can_be_had_are_told) {
        Benchd__ComparisonResult message = fill(
                        &(Comparison){ .verdict = COMPARISON_UNRESOLVED, .processes_needed = RUNNER_PROCESSES_MAX });

        assert_int_equal(message.processes_needed, RUNNER_PROCESSES_MAX);
        assert_int_equal(message.n_warnings, 0);
}

TEST(where_more_are_needed_than_can_be_had_it_is_said_what_else_to_do) {
        static const size_t needed[] = { RUNNER_PROCESSES_MAX + 1, INTERVAL_PROCESSES_MAX };

        for (size_t i = 0; i < N_ELEMENTS(needed); i++) {
                Benchd__ComparisonResult message =
                                fill(&(Comparison){ .verdict = COMPARISON_UNRESOLVED, .processes_needed = needed[i] });

                assert_false(message.has_processes_needed);
                assert_int_equal(message.n_warnings, 1);
                assert_non_null(strstr(message.warnings[0], "not even 1000 processes would settle it"));
                assert_non_null(strstr(message.warnings[0], "--margin"));
        }
}

TEST(what_the_other_rows_take_back_is_to_be_compared_alone) {
        Benchd__ComparisonResult message = fill(
                        &(Comparison){ .verdict = COMPARISON_UNRESOLVED, .processes_needed = 20, .taken_back = true });

        assert_false(message.has_processes_needed);
        assert_int_equal(message.n_warnings, 1);
        assert_non_null(strstr(message.warnings[0], "among 12 rows"));
}

TEST(loops_at_other_offsets_in_their_lines_are_told) {
        static const struct {
                uint64_t new, old;
                uint32_t step_bytes;
                const char *words;
        } rows[] = {
                { 0x7f0000001030, 0x550000002010, 64, "(old 16, new 48 bytes)" },
                { 0x7f0000001040, 0x55000000203f, 64, "(old 63, new 0 bytes)" },
                { 0x7f0000001070, 0x550000002030, 64, NULL },
                { 0, 0x550000002010, 64, NULL },
                { 0x7f0000001030, 0, 64, NULL },
                { 0x7f0000001030, 0x550000002020, 32, "(old 32, new 48 bytes)" },
                { 0x7f0000001030, 0x550000002010, 32, NULL }, /* a move by 32 takes them to each other's */
                { 0x7f0000001034, 0x550000002010, 16, NULL },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                WarningList warnings = {};

                comparison_report_warn_placement((const uint64_t[]){ rows[i].new, rows[i].old }, rows[i].step_bytes,
                                arena, &warnings);
                assert_int_equal(warnings.texts.n, rows[i].words != NULL);
                if (rows[i].words)
                        assert_non_null(strstr(warnings.texts.texts[0], rows[i].words));
        }
}

/* Both modules have one benchmark; each of its processes takes @n_processes. */
static void make_comparison(unsigned n_processes) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        Plan *plan;

        request.processes = n_processes, request.has_processes = 1;
        request.comparison = &comparison;
        add_entry(listing, "area", "a");
        assert_int_equal(plan_sides(listing, listing, 4, &request, 1, &plan), 0);
        assert_int_equal(measurement_new(plan, &measurement), 0);
}

/* A process of turns that take so many ticks, without what a batch costs, whose old side's loop lies at @old_address. */
static void note_turns_at(uint64_t old_address, uint64_t new_ticks, uint64_t old_ticks) {
        _cleanup_(freep) SampleBlock *blocks = calloc(2, sizeof *blocks);

        assert_non_null(blocks);
        for (size_t side = 0; side < 2; side++) {
                blocks[side].n_threads = 1;
                blocks[side].threads[0].ops_per_iteration = 1;
                blocks[side].iterations = 10;
                blocks[side].loop_address = side == 0 ? LOOP_ADDRESS : old_address;
                blocks[side].n_samples = TURNS;
                for (size_t i = 0; i < TURNS; i++)
                        blocks[side].samples[i] =
                                        (Sample){ .iterations = 10, .ticks = 40 + (side == 0 ? new_ticks : old_ticks) };
        }
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_complete(measurement, blocks, &clock_facts, &silence), 0);
}

/* A process of the fewest samples that there may be, which take five times as long as one. */
static void note_long_turns(void) {
        const uint64_t ticks = 1000000; /* half a millisecond */
        _cleanup_(freep) SampleBlock *blocks = calloc(2, sizeof *blocks);

        assert_non_null(blocks);
        for (size_t side = 0; side < 2; side++) {
                blocks[side].n_threads = 1;
                blocks[side].threads[0].ops_per_iteration = 1;
                blocks[side].iterations = 10;
                blocks[side].n_samples = 3;
                for (size_t i = 0; i < 3; i++)
                        blocks[side].samples[i] =
                                        (Sample){ .iterations = 10, .ticks = 40 + ticks, .start_ticks = i * 2 * ticks };
        }
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_complete(measurement, blocks, &clock_facts, &silence), 0);
}

static void note_turns(uint64_t new_ticks, uint64_t old_ticks) {
        note_turns_at(LOOP_ADDRESS, new_ticks, old_ticks);
}

static Benchd__ComparisonResult *only_row(void) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;

        assert_int_equal(comparison_report_fill(measurement, arena, &result), 0);
        assert_int_equal(result.n_comparisons, 1);
        return result.comparisons[0];
}

TEST(what_lies_beyond_the_margin_is_slower) {
        Benchd__ComparisonResult *row;

        make_comparison(4);
        for (unsigned i = 0; i < 4; i++)
                note_turns(110000 + i, 100000);
        row = only_row();
        assert_int_equal(row->verdict, BENCHD__COMPARISON_RESULT__VERDICT__SLOWER);
        assert_int_equal(row->processes, 4);
        assert_int_equal(row->n_warnings, 0);
        assert_true(row->ratio->low > 1.09 && row->ratio->high < 1.11);
}

TEST(what_lies_beyond_the_margin_tells_of_placement_too) {
        Benchd__ComparisonResult *row;

        make_comparison(4);
        for (unsigned i = 0; i < 4; i++)
                note_turns_at(LOOP_ADDRESS + 4096 + 16, 110000 + i, 100000);
        row = only_row();
        assert_int_equal(row->verdict, BENCHD__COMPARISON_RESULT__VERDICT__SLOWER);
        assert_int_equal(row->n_warnings, 1);
        assert_non_null(strstr(row->warnings[0], "(old 48, new 32 bytes)"));
}

/* Both modules have as many benchmarks, and the comparison ends by itself. */
static void make_sequence_of_least(unsigned n_benchmarks, uint64_t budget_ns, uint32_t least) {
        Benchd__Comparison comparison = BENCHD__COMPARISON__INIT;
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        Plan *plan;

        request.comparison = &comparison;
        request.budget_ns = budget_ns, request.has_budget_ns = budget_ns > 0;
        request.processes_least = least, request.has_processes_least = least > 0;
        for (unsigned i = 0; i < n_benchmarks; i++)
                add_entry(listing, "area", (char[]){ 'a' + i, 0 });
        assert_int_equal(plan_sides(listing, listing, 4, &request, 1, &plan), 0);
        assert_int_equal(measurement_new(plan, &measurement), 0);
}

static void make_sequence(unsigned n_benchmarks, uint64_t budget_ns) {
        make_sequence_of_least(n_benchmarks, budget_ns, 0);
}

/* The benchmark of the next process; those that there are in a comparison that is over. */
static uint32_t next_benchmark(void) {
        const PlanProcess *next = measurement_next(measurement);

        return next ? next->benchmark : (uint32_t)measurement_plan(measurement)->n_benchmarks;
}

TEST(a_comparison_that_is_clear_ends_at_no_look_before_the_least_number) {
        make_sequence_of_least(1, 0, 13);
        for (unsigned i = 0; measurement_next(measurement); i++)
                note_turns(110000 + i, 100000);
        assert_int_equal(only_row()->processes, 16);
        assert_int_equal(only_row()->end, BENCHD__COMPARISON_RESULT__END__DECIDED);
}

TEST(a_comparison_that_is_clear_ends_at_its_first_look) {
        Benchd__ComparisonResult *row;

        make_sequence(1, 0);
        assert_int_equal(measurement_count(measurement).processes, 8);
        assert_int_equal(measurement_count(measurement).processes_most, 32);
        for (unsigned i = 0; i < 8; i++)
                note_turns(110000 + i, 100000);
        assert_null(measurement_next(measurement));
        assert_int_equal(measurement_count(measurement).processes_most, 8);
        row = only_row();
        assert_int_equal(row->verdict, BENCHD__COMPARISON_RESULT__VERDICT__SLOWER);
        assert_int_equal(row->end, BENCHD__COMPARISON_RESULT__END__DECIDED);
        assert_int_equal(row->processes, 8);
        assert_true(row->confidence == 0.975);
}

/* The spread is a few margins: the last look may have a verdict, and has none. */
TEST(a_comparison_that_is_not_goes_on_to_its_last_look) {
        static const uint32_t after[] = { 8, 12, 16, 20, 24, 32 };
        Benchd__ComparisonResult *row;
        uint32_t n = 0;

        make_sequence(1, 0);
        for (size_t look = 0; look < sizeof after / sizeof *after; look++) {
                assert_int_equal(measurement_count(measurement).processes, after[look]);
                for (; n < after[look]; n++)
                        note_turns(n % 8 < 4 ? 101600 : 100000, 100000);
        }
        assert_null(measurement_next(measurement));
        row = only_row();
        assert_int_equal(row->verdict, BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED);
        assert_int_equal(row->end, BENCHD__COMPARISON_RESULT__END__LAST);
        assert_int_equal(row->processes, 32);
        assert_true(row->has_processes_needed && row->processes_needed > 32);
        assert_true(row->confidence == 0.989);
}

TEST(a_comparison_without_hope_ends_before_its_last_look) {
        Benchd__ComparisonResult *row;
        uint32_t n = 0;

        make_sequence(1, 0);
        while (measurement_next(measurement))
                note_turns(n++ % 8 < 4 ? 180000 : 60000, 100000);
        row = only_row();
        assert_int_equal(row->verdict, BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED);
        assert_int_equal(row->end, BENCHD__COMPARISON_RESULT__END__HOPELESS);
        assert_true(n < 32 && row->processes == n);
}

TEST(a_row_that_is_decided_is_measured_no_more_while_the_others_are) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        uint32_t n[2] = {};

        make_sequence(2, 0);
        for (uint32_t i; (i = next_benchmark()) < 2; n[i]++)
                note_turns(i == 0 ? 100000 : n[1] % 8 < 4 ? 101600 : 100000, 100000);
        assert_int_equal(n[0], 8);
        assert_int_equal(n[1], 32);
        assert_int_equal(comparison_report_fill(measurement, arena, &result), 0);
        assert_int_equal(result.comparisons[0]->end, BENCHD__COMPARISON_RESULT__END__DECIDED);
        assert_int_equal(result.comparisons[1]->end, BENCHD__COMPARISON_RESULT__END__LAST);
}

/* A process takes 2.5 ms. */
TEST(a_budget_takes_looks_away_and_then_leaves_a_fixed_number) {
        static const struct {
                uint64_t budget_ns;
                uint32_t n, n_most;
                bool ends; /* at a look */
        } rows[] = { { 100000000, 8, 32, true }, { 51000000, 8, 20, true }, { 31000000, 8, 12, true },
                { 21000000, 8, 8, true }, { 18000000, 7, 7, false }, { 1000000, 3, 3, false } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                measurement = measurement_free(measurement);
                memset(listing, 0, sizeof *listing);
                make_sequence(1, rows[i].budget_ns);
                note_long_turns();
                assert_int_equal(measurement_count(measurement).processes, rows[i].n);
                assert_int_equal(measurement_count(measurement).processes_most, rows[i].n_most);
                while (measurement_next(measurement))
                        note_long_turns();
                assert_true(only_row()->has_end == rows[i].ends);
        }
}

/* 100 ticks are 50 steps: a ratio of 1.02 is one of them, and may be none. */
TEST(what_the_clock_cannot_tell_apart_has_no_verdict_and_says_why) {
        Benchd__ComparisonResult *row;

        make_comparison(4);
        for (unsigned i = 0; i < 4; i++)
                note_turns(102, 100);
        row = only_row();
        assert_int_equal(row->verdict, BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED);
        assert_false(row->has_processes_needed);
        assert_true(row->p_value == 1 && row->ratio->low < 1 && row->ratio->high > 1.05);
        assert_int_equal(row->n_warnings, 1);
        assert_non_null(strstr(row->warnings[0], "the clock's steps are 4 %"));
}

/* The new side is slowed twice as much as the old one by what shares the core: quiet, the sides are the same. */
static void note_shared_turns(unsigned n_quiet) {
        _cleanup_(freep) SampleBlock *blocks = calloc(2, sizeof *blocks);

        assert_non_null(blocks);
        for (size_t side = 0; side < 2; side++) {
                blocks[side].n_threads = 1;
                blocks[side].threads[0].ops_per_iteration = 1;
                blocks[side].iterations = 10;
                blocks[side].n_samples = TURNS;
                for (size_t i = 0; i < TURNS; i++)
                        blocks[side].samples[i] = (Sample){
                                .iterations = 10,
                                .ticks = 40 + (i < n_quiet                ? 100000
                                                              : side == 0 ? 300000
                                                                          : 150000),
                                .flags = i < n_quiet ? 0 : MARK_SHARED,
                        };
        }
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_complete(measurement, blocks, &clock_facts, &silence), 0);
}

TEST(only_turns_that_had_the_core_alone_are_compared) {
        Benchd__ComparisonResult *row;

        make_comparison(6);
        for (unsigned i = 0; i < 6; i++)
                note_shared_turns(i < 3 ? TURNS : 0);
        row = only_row();
        assert_int_equal(row->verdict, BENCHD__COMPARISON_RESULT__VERDICT__SAME);
        assert_int_equal(row->processes, 3);
        assert_true(fabs(row->ratio->point - 1) < 1e-9);
        assert_int_equal(row->n_warnings, 0);
        assert_int_equal(
                        comparison_report_count_shared(&(Benchd__RunResult){ .n_comparisons = 1, .comparisons = &row }),
                        0);
}

TEST(a_comparison_beside_a_neighbour_is_unresolved_and_says_so) {
        Benchd__ComparisonResult *row;

        make_comparison(6);
        for (unsigned i = 0; i < 6; i++)
                note_shared_turns(i < 2 ? TURNS : 0);
        row = only_row();
        assert_int_equal(row->verdict, BENCHD__COMPARISON_RESULT__VERDICT__UNRESOLVED);
        assert_int_equal(row->processes, 6);
        assert_false(row->has_processes_needed);
        assert_int_equal(row->n_warnings, 1);
        assert_non_null(strstr(row->warnings[0], "the core was shared"));
        assert_int_equal(
                        comparison_report_count_shared(&(Benchd__RunResult){ .n_comparisons = 1, .comparisons = &row }),
                        1);
}

TEST(too_few_processes_have_no_verdict_either) {
        Benchd__ComparisonResult *row;

        make_comparison(2);
        for (unsigned i = 0; i < 2; i++)
                note_turns(100000, 100000);
        row = only_row();
        assert_false(row->has_verdict);
        assert_null(row->ratio);
        assert_non_null(strstr(row->warnings[0], "2 of its processes could be compared, and an interval takes 3"));
}

static char *longest(size_t n_bytes) {
        char *text = arena_zero(arena, n_bytes);

        assert_non_null(text);
        return memset(text, 'x', n_bytes - 1);
}

static Benchd__ArgumentValue *longest_argument(void) {
        Benchd__ArgumentValue *argument = message_new(arena, Benchd__ArgumentValue, benchd__argument_value);

        assert_non_null(argument);
        argument->name = longest(RUNNER_NAME_MAX);
        argument->text = longest(ARGUMENT_TEXT_MAX);
        return argument;
}

/* A run is not to be lost at its end because its reply is too long. The rest of a result has an eighth. */
TEST(the_largest_rows_of_a_comparison_fit_into_a_reply) {
        const Comparison row = { .difference.n = 20,
                .ratio = 1.1,
                .low = 1,
                .high = 1.2,
                .detectable = 0.1,
                .p_value = 0.1,
                .verdict = COMPARISON_UNRESOLVED };
        const uint64_t addresses[RUNNER_SIDES_MAX] = { LOOP_ADDRESS, LOOP_ADDRESS + 16 };
        Benchd__ComparisonResult message = BENCHD__COMPARISON_RESULT__INIT;
        Benchd__ArgumentValue *args[RUNNER_ARGS_MAX];
        Comparison undecidable = row;
        WarningList warnings = {};

        undecidable.processes_needed = INTERVAL_PROCESSES_MAX;
        assert_int_equal(comparison_report_row(&undecidable, 0.005, arena, &message, &warnings), 0);
        comparison_report_warn_shared(arena, &message, &warnings);
        comparison_report_warn_placement(addresses, RUNNER_IMAGE_OFFSET_MAX, arena, &warnings);
        assert_int_equal(warnings.n_findings, 3);
        message.warnings = warnings.texts.texts;
        message.n_warnings = warnings.texts.n;
        message.findings = warnings.findings;
        message.n_findings = warnings.n_findings;
        message.name = message.area = message.old_name = message.old_area = longest(RUNNER_NAME_MAX);
        for (size_t i = 0; i < RUNNER_ARGS_MAX; i++)
                args[i] = longest_argument();
        message.args = args;
        message.n_args = RUNNER_ARGS_MAX;
        message_set(&message, processes, RUNNER_PROCESSES_MAX);
        message_set(&message, index, PLAN_BENCHMARKS_MAX);
        assert_true(PLAN_PAIRS_MAX * (protobuf_c_message_get_packed_size(&message.base) + 4) <=
                        FRAME_REPLY_MAX - FRAME_REPLY_MAX / 8);
}
