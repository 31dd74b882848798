/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A measurement: how many processes each benchmark has, which is next, and that one that fails takes none of the others with it.
 * And its results: numbers from blocks that were made to give known ones.
 */

#include "front/samples/measurement.h"

#include "clock/ruler.h"
#include "front/samples/empty-loop.h"
#include "measuring.h"

static Benchd__BenchmarkResult *result;

/* Notes processes of three samples of @ns until none is left; returns how many. */
static unsigned note_all(double ns) {
        unsigned n = 0;

        for (; measurement_next(measurement); n++)
                note_in_a_row(ns);
        return n;
}

/* A sample is of 2000 operations, so that 3 of 100 us an operation take 0.6 s, of a budget of 3 s. */
TEST(a_budget_that_ends_takes_processes_away_but_never_the_third) {
        static const struct {
                double ns;
                unsigned n_processes;
        } rows[] = { { 1000, 10 }, { 49000, 10 }, { 100000, 4 }, { 125001, 3 }, { 1e9, 3 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                const bool fewer = rows[i].n_processes < 10;

                make_measurement(1, 10);
                assert_int_equal(note_all(rows[i].ns), rows[i].n_processes);
                assert_int_equal(measurement_count(measurement).processes, rows[i].n_processes);
                assert_int_equal(measurement_was_shortened(measurement), fewer);
                result = take(false);
                assert_non_null(result);
                assert_int_equal(result->n_processes, rows[i].n_processes);
                assert_int_equal(count_warnings(result, "of the 10 planned"), fewer);
        }
}

/* Plans for ± 1 %, of at most @most processes. */
static void make_precise_measurement(unsigned n_benchmarks, uint32_t most) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        request.processes = most, request.has_processes = 1;
        request.precision = 0.01, request.has_precision = 1;
        make_measurement_for(n_benchmarks, &request);
}

/* Notes the next process, whose samples take as much more than @ns as its turn says; returns whose it was. */
static uint32_t note_apart(double ns, double apart, unsigned turn) {
        uint32_t benchmark = measurement_next(measurement)->benchmark;
        double slower = ns * (1 + apart * (turn % 5));

        note((double[]){ slower, slower, slower }, 3);
        return benchmark;
}

TEST(a_precision_settles_the_number_by_the_first_and_never_again) {
        unsigned n_done[2] = {};

        make_precise_measurement(2, 1000);
        assert_int_equal(measurement_count(measurement).processes, 24);
        while (n_done[0] < 12 || n_done[1] < 12) {
                uint32_t next = measurement_next(measurement)->benchmark;

                note_apart(1000, next == 0 ? 0.0001 : 0.02, n_done[next]);
                n_done[next]++;
        }
        /* the first is narrow enough; 2 % steps: logs 2.87 % apart, t of 11 degrees 2.201, so 41 up to whole rounds of the places */
        assert_int_equal(measurement_count(measurement).processes, 12 + 44);
        assert_int_equal(measurement_most_processes(measurement), 44);
        result = take(false);
        assert_non_null(result);
        assert_string_equal(result->name, "a");
        assert_int_equal(count_warnings(result, "needs about"), 0);
        while (measurement_next(measurement)) /* wilder than before, which changes nothing */
                assert_int_equal(note_apart(1000, 0.2, n_done[1]++), 1);
        assert_int_equal(n_done[1], 44);
        result = take(false);
        assert_int_equal(result->n_processes, 44);
        assert_int_equal(count_warnings(result, "not the ± 1 % that was asked for"), 1);
        assert_false(measurement_was_shortened(measurement));
}

/* Batches of 20 ns, on a clock that tells one. */
TEST(a_precision_beyond_the_clock_is_not_blamed_on_the_processes) {
        make_precise_measurement(1, 1000);
        for (unsigned i = 0; i < 12; i++)
                note_in_a_row(0.01);
        assert_null(measurement_next(measurement));
        result = take(false);
        assert_int_equal(count_warnings(result, "a step of the clock is 5 % of a batch"), 1);
        assert_int_equal(count_warnings(result, "further apart"), 0);
}

TEST(a_precision_that_cannot_be_had_runs_what_fits_and_says_so) {
        static const struct {
                uint32_t most;
                double ns; /* a sample is of 2000 operations */
                unsigned n;
                const char *words;
                bool shortened;
        } rows[] = { { 8, 1000, 8, "at most 8", false }, { 1000, 40000, 12, "the budget holds 12", true },
                { 2, 1000, 2, "at most 2", false }, { 1, 1000, 1, "fewer than two processes", false } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                unsigned n = 0;

                make_precise_measurement(1, rows[i].most);
                for (; measurement_next(measurement); n++)
                        note_in_a_row(rows[i].ns * (1 + 0.03 * (n % 5)));
                assert_int_equal(n, rows[i].n);
                result = take(false);
                assert_int_equal(count_warnings(result, rows[i].words), 1);
                assert_int_equal(measurement_was_shortened(measurement), rows[i].shortened);
        }
}

/* The plan of a result tells what the run's number may have missed, so that only a benchmark with fewer processes tells it. */
TEST(fewer_processes_than_the_run_has_may_have_missed_rare_layouts) {
        static const struct {
                uint16_t of_module;
                uint32_t of_request;
                size_t n;
        } rows[] = { { 2, 0, 0 }, { 3, 0, 1 }, { 4, 0, 1 }, { 5, 0, 0 }, { 10, 0, 0 }, { 0, 3, 0 }, { 0, 4, 0 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

                request.processes = rows[i].of_request, request.has_processes = rows[i].of_request > 0;
                request.samples = 3, request.has_samples = 1;
                listing->n_entries = 0;
                add_entry(listing, "area", "a")->processes = rows[i].of_module;
                add_entry(listing, "area", "b");
                measurement = measurement_free(measurement);
                assert_int_equal(measurement_new(make_plan(listing, &request, 1), &measurement), 0);
                note_all(1);
                result = take(false);
                assert_int_equal(count_warnings(result, "processes cannot rule out rare slow layouts"), rows[i].n);
                assert_int_equal(count_warnings(result,
                                                 "4 processes cannot rule out rare slow layouts: one that affects "
                                                 "up to 53 % of processes may have been missed"),
                                rows[i].n && rows[i].of_module == 4);
        }
}

/* The next process, all of whose samples are shared or none; returns its place. */
static uint16_t note_shared(bool shared) {
        const uint16_t place = measurement_next(measurement)->image_offset_bytes;

        fill_block((double[]){ 1, 1, 1 }, 3);
        block->image_offset_bytes = place;
        block->probes = SAMPLE_PROBES_ON;
        for (unsigned i = 0; i < 3; i++)
                block->samples[i].flags = shared ? MARK_SHARED : 0;
        note_block();
        return place;
}

/* The first was never alone, so its place has one more after all others. */
TEST(a_process_that_was_never_alone_is_replaced_at_its_place) {
        unsigned n = 0, n_at[4] = {};
        uint16_t lost = 0;

        make_measurement(1, 12);
        for (; measurement_next(measurement); n++) {
                const bool shared = n == 0;
                const uint16_t place = note_shared(shared);

                lost = n == 0 ? place : lost;
                if (n >= 12)
                        assert_int_equal(place, lost);
                n_at[place / 16] += !shared;
        }
        assert_int_equal(n, 13);
        for (unsigned i = 0; i < 4; i++)
                assert_int_equal(n_at[i], 3);
        result = take(false);
        assert_int_equal(result->n_processes, 13);
        assert_int_equal(result->disturbed->quiet_processes, 12);
        assert_string_equal(result->measurand, "alone");
        assert_int_equal(result->n_places, 4);
        assert_false(result->disturbed->unfit);
}

/* Three tries for each of twelve, and no more; then the result is the time while shared. */
TEST(a_core_that_is_never_alone_is_given_up) {
        unsigned n = 0;

        make_measurement(1, 12);
        for (; measurement_next(measurement); n++)
                note_shared(true);
        assert_int_equal(n, 36);
        assert_int_equal(measurement_count(measurement).processes, 36);
        result = take(false);
        assert_string_equal(result->measurand, "shared");
        assert_true(result->disturbed->unfit);
        assert_int_equal(count_warnings(result, "the time is that beside a busy neighbour"), 1);
}

TEST(two_processes_that_were_asked_for_stay_two) {
        make_measurement(1, 2);
        assert_int_equal(note_all(1e9), 2);
        assert_false(measurement_was_shortened(measurement));
}

TEST(a_benchmark_that_fails_leaves_the_others_alone) {
        unsigned n_failed = 0, n_measured = 0, n_run = 0;
        const PlanProcess *next;

        make_measurement(3, 4);
        while ((next = measurement_next(measurement))) {
                if (next->benchmark == 1)
                        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
                else
                        note((double[]){ 1, 1, 1 }, 3);
                n_run++;
                while ((result = take(false))) {
                        n_failed += result->failed != NULL;
                        n_measured += result->time_ns != NULL;
                        assert_true((strcmp(result->name, "b") == 0) == (result->failed != NULL));
                        if (result->failed)
                                assert_string_equal(result->failed->message, "It crashed.\xef\xbf\xbd[2J");
                }
        }
        assert_int_equal(n_run, 9);
        assert_int_equal(n_failed, 1);
        assert_int_equal(n_measured, 2);
        assert_int_equal(measurement_count(measurement).failed, 1);
        assert_int_equal(measurement_count(measurement).measured, 2);
        assert_int_equal(measurement_count(measurement).processes, 8);
        assert_int_equal(measurement_count(measurement).processes_done, 8);
}

TEST(what_was_measured_before_a_failure_is_not_reported) {
        make_measurement(1, 3);
        note((double[]){ 1, 1, 1 }, 3);
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
        assert_null(measurement_next(measurement));
        result = take(false);
        assert_non_null(result->failed);
        assert_null(result->time_ns);
        assert_int_equal(measurement_count(measurement).measured, 0);
}

TEST(a_cancelled_one_tells_what_it_has) {
        make_measurement(2, 5);
        note((double[]){ 1, 1, 1 }, 3);
        assert_null(take(false));
        result = take(true);
        assert_non_null(result->time_ns);
        assert_int_equal(result->n_processes, 1);
        assert_string_equal(result->warnings[result->n_warnings - 1], "cancelled after 1 of 5 processes");
        assert_null(take(true));
}

TEST(the_memory_of_samples_is_held_until_they_are_reported_or_have_failed) {
        const uint64_t of_three = 3 * 2 * sizeof(double);

        make_measurement(2, 2);
        assert_int_equal(measurement_sample_bytes(measurement), 0);
        for (uint64_t n = 1; n <= 3; n++) {
                note((double[]){ 1, 1, 1 }, 3);
                assert_int_equal(measurement_sample_bytes(measurement), n * of_three);
        }
        while (take(false))
                ;
        assert_int_equal(measurement_sample_bytes(measurement), of_three);
        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
        assert_int_equal(measurement_sample_bytes(measurement), 0);
}

TEST(what_fails_while_timed_is_not_counted) {
        make_counting_measurement(1, 3);
        note((double[]){ 1, 1, 1 }, 3);
        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
        assert_null(measurement_next(measurement));
        assert_int_equal(measurement_count(measurement).processes, 1);
        assert_non_null(take(false)->failed);
}

TEST(numbers_come_out_as_the_samples_went_in) {
        make_measurement(1, 3);
        note((double[]){ 1, 2, 9 }, 3);
        assert_null(take(false));
        note((double[]){ 3, 4, 5 }, 3);
        block->threads[0].items_per_iteration = 0;
        note((double[]){ 8, 8, 8 }, 3);
        assert_null(measurement_next(measurement));

        result = take(false);
        assert_non_null(result);
        assert_null(take(false));
        assert_null(result->failed);
        assert_true(near(result->time_ns->point, 4)); /* the cube root of 2 * 4 * 8 */
        /* t of 2 degrees is 4.302653; the logs are ln 2 apart */
        assert_true(near(result->time_ns->low, 4 * exp(-4.302652729911275 * log(2) / sqrt(3))));
        assert_true(near(result->time_ns->high, 4 * exp(4.302652729911275 * log(2) / sqrt(3))));
        assert_int_equal(result->samples, 9);
        assert_int_equal(result->time_ns->raw->samples, 9);
        assert_true(near(result->time_ns->raw->min, 1) && near(result->time_ns->raw->max, 9));
        assert_true(near(result->time_ns->raw->median, 5) && near(result->time_ns->raw->mean, 48 / 9.0));
        assert_true(near(result->first_call_ns, 3000) && near(result->warmup_ms, 2));
        assert_true(near(result->harness_error_ns, 21.0 / 2000));
        assert_int_equal(result->n_processes, 3);
        assert_true(near(result->processes[1]->median_ns, 4));
        assert_int_equal(result->iterations_total, 9000);
        assert_true(near(result->operations_total, 18000) && near(result->iterations_per_sample, 1000));
        assert_int_equal(result->cpu_user_ns, 15);
        assert_int_equal(result->cpu_system_ns, 21);
        assert_int_equal(result->processes[1]->cpu_user_ns, 5);
        assert_int_equal(result->processes[1]->cpu_system_ns, 7);
        assert_int_equal(result->cycles->source, BENCHD__QUANTITY__SOURCE__UNAVAILABLE);
        assert_int_equal(result->n_warnings, 1);                              /* a wide interval */
        assert_false(result->variance->has_ess || result->drift->has_change); /* of too few samples */
}

TEST(what_the_loop_took_and_what_was_traced_are_told_for_each_process) {
        make_measurement(1, 3);
        for (uint32_t i = 0; i < 3; i++) {
                fill_block((double[]){ 5, 5, 5 }, 3);
                block->loop_address = 64 * 77 + 16 * i;
                block->n_loop_samples = 2;
                block->loop_samples[0] = block->loop_samples[1] =
                                (Sample){ .iterations = 100, .ticks = 40 + (2 + i) * 100 * 2 * 2 };
                block->n_trace = 1;
                block->trace[0] = (SampleTracePhase){ .phase = RUNNER_PHASE_LOOP, .start_ticks = 5, .batches = 9 + i };
                note_block();
        }
        result = take(false);
        assert_int_equal(result->time_ns->loop->samples, 6);
        assert_true(near(result->time_ns->loop->min, 2) && near(result->time_ns->loop->max, 4));
        assert_true(near(result->time_ns->net->point, 2));
        assert_false(result->within_loop_cost);
        for (uint32_t i = 0; i < 3; i++) {
                assert_int_equal(result->processes[i]->loop_offset, 16 * i);
                assert_int_equal(result->processes[i]->n_trace, 1);
                assert_int_equal(result->processes[i]->trace[0]->phase, BENCHD__TRACE_PHASE__PHASE__LOOP);
                assert_int_equal(result->processes[i]->trace[0]->start_ticks, 5);
                assert_int_equal(result->processes[i]->trace[0]->batches, 9 + i);
        }
}

/* The distance from the 5th to the 95th percentile of 0, 1, ... 20 is 18; an iteration has two operations. */
TEST(the_harness_errs_by_the_spread_of_its_empty_loop) {
        make_measurement(1, 3);
        for (uint32_t i = 0; i < 3; i++) {
                fill_block((double[]){ 5, 5, 5 }, 3);
                block->n_loop_samples = 7;
                for (uint32_t j = 0; j < 7; j++)
                        block->loop_samples[j] = (Sample){ .iterations = 1000, .ticks = 40 + (3 * j + i) * 100 };
                note_block();
        }
        result = take(false);
        assert_true(near(result->harness_error_ns, 18 * 100 / 2.0 / 1000 / 2));
}

/* Of a loop that never varies the step of the clock is left. */
TEST(the_harness_errs_by_a_step_of_the_clock_at_least) {
        make_measurement(1, 3);
        for (uint32_t i = 0; i < 3; i++) {
                fill_block((double[]){ 5, 5, 5 }, 3);
                block->n_loop_samples = 2;
                block->loop_samples[0] = block->loop_samples[1] = (Sample){ .iterations = 1000, .ticks = 40 + 4000 };
                note_block();
        }
        result = take(false);
        assert_true(near(result->harness_error_ns, 1.0 / 2000));
}

/* Fills the block with a body that takes @ns an operation beside a loop of 2 to 5.6 ns an iteration, which has two of them. */
static void fill_beside_a_wide_loop(double ns) {
        fill_block((double[]){ ns, ns, ns }, 3);
        block->n_loop_samples = 19;
        for (uint32_t i = 0; i < 19; i++)
                block->loop_samples[i] = (Sample){ .iterations = 1000, .ticks = 40 + 4000 + 400 * i };
}

/*
 * The loop takes 1.9 ns an operation in the median, and its spread is 1.64: a time under 2.85 ns is as short as the loop, and one
 * under 3.28 dubious.
 */
TEST(a_time_under_twice_the_harness_error_is_dubious_unless_it_is_told_already) {
        static const struct {
                double ns;
                bool dubious;
        } rows[] = { { 2.5, false }, { 3, true }, { 3.5, false } };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                make_measurement(1, 3);
                for (uint32_t j = 0; j < 3; j++) {
                        fill_beside_a_wide_loop(rows[i].ns);
                        note_block();
                }
                result = take(false);
                assert_true(near(result->harness_error_ns, 1.64));
                assert_int_equal(result->within_loop_cost, i == 0);
                assert_int_equal(count_warnings(result, "dubious"), rows[i].dubious);
        }
}

/* Under a method that takes the loop off there is no net to be below: times near zero are dubious, but for the loop's own. */
TEST(nothing_itself_is_not_dubious) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;
        const Benchd__BenchmarkResult *nothing, *row;

        request.method = (char *)"measureit";
        make_measurement_for(1, &request);
        for (uint32_t i = 0; i < 2; i++) {
                fill_beside_a_wide_loop(2.9);
                note_block();
        }
        nothing = take(false);
        row = take(false);
        if (strcmp(nothing->name, PLAN_NOTHING) != 0) {
                const Benchd__BenchmarkResult *other = nothing;

                nothing = row;
                row = other;
        }
        assert_string_equal(nothing->name, PLAN_NOTHING);
        assert_int_equal(count_warnings(nothing, "dubious"), 0);
        assert_int_equal(count_warnings(row, "dubious"), 1);
}

/* Its time is of an iteration, whatever the operations in one; processes whose batches are too short to tell are left out. */
TEST(the_empty_loop_is_one_of_all_processes) {
        Benchd__EmptyLoop *empty;

        make_measurement(2, 3);
        assert_int_equal(empty_loop_report(measurement_empty(measurement), arena, &empty), 0);
        assert_null(empty);
        for (uint32_t i = 0; i < 6; i++) {
                fill_block((double[]){ 5, 5, 5 }, 3);
                block->n_loop_samples = i == 5 ? 0 : 2;
                block->loop_samples[0] = block->loop_samples[1] =
                                (Sample){ .iterations = i == 4 ? 10 : 1000, .ticks = 40 + (i == 4 ? 190 : 4000) };
                note_block();
        }
        assert_int_equal(empty_loop_report(measurement_empty(measurement), arena, &empty), 0);
        assert_int_equal(empty->samples, 8);
        assert_true(near(empty->time_ns->point, 2));
        assert_true(empty->time_ns->has_low && empty->time_ns->low < 2);
        assert_int_equal(empty->cycles->source, BENCHD__QUANTITY__SOURCE__UNAVAILABLE);
}

TEST(throughput_and_counters_are_of_the_headline) {
        make_measurement(1, 2);
        for (int i = 0; i < 2; i++) {
                fill_block((double[]){ 5, 5, 5 }, 3);
                block->threads[0].items_per_iteration = 100;
                block->threads[0].bytes_per_iteration = 800;
                block->n_counters = 1;
                strcpy(block->counters[0].name, "depth");
                block->counters[0].value = 3 + 2 * i;
                note_block();
        }
        result = take(false);
        assert_true(near(result->throughput->items_per_second, 100 / 10e-9)); /* 2 operations of 5 ns an iteration */
        assert_true(near(result->throughput->bytes_per_second, 800 / 10e-9));
        assert_int_equal(result->n_counters, 1);
        assert_string_equal(result->counters[0]->name, "depth");
        assert_true(near(result->counters[0]->value, 4));
        assert_false(result->time_ns->has_low);
        assert_int_equal(result->n_warnings, 1);
        assert_non_null(strstr(result->warnings[0], "no interval: measured in 2 processes"));
}

TEST(the_output_of_what_failed_is_kept_cleaned_and_said_to_be_cut) {
        static const RunnerOutput output = { .text = "one\ntwo\033[31m", .n = 12, .n_printed = 70000, .cut = true };
        static const RunnerOutput before = { .text = "before", .n = 6, .n_printed = 6 };

        make_measurement(1, 2);
        assert_non_null(measurement_next(measurement));
        fill_block((double[]){ 1, 1, 1 }, 3);
        assert_int_equal(measurement_note_complete(measurement, block, &clock_facts, &before), 0);
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_failed(measurement, &crash, &output), 0);
        result = take(false);
        assert_string_equal(result->output, "one\ntwo\xef\xbf\xbd[31m");
        assert_int_equal(result->output_bytes, 70000);
        assert_int_equal(result->n_warnings, 1);
        assert_non_null(strstr(result->warnings[0], "64 KiB"));
}

/* Without a window at SCHED_FIFO, its length is not the reason. */
TEST(a_batch_longer_than_a_window_is_told_where_windows_had_fifo) {
        static const struct {
                uint32_t fifo_windows, other_windows;
                size_t n;
        } rows[] = { { 4, 0, 1 }, { 0, 4, 0 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                make_measurement(1, 1);
                fill_block((double[]){ 1, 1, 1 }, 3);
                block->long_batches = 1;
                block->fifo_windows = rows[i].fifo_windows;
                block->other_windows = rows[i].other_windows;
                note_block();
                assert_int_equal(count_warnings(take(false), "longer than a window of SCHED_FIFO"), rows[i].n);
        }
}

TEST(what_pauses_leave_no_room_for_is_told) {
        make_measurement(1, 1);
        fill_block((double[]){ 1, 1, 1 }, 3);
        block->crowded = 1;
        note_block();
        assert_int_equal(count_warnings(take(false), "untimed work takes most of the budget"), 1);
}

TEST(a_time_below_that_of_an_empty_batch_is_shown_as_it_is) {
        make_measurement(1, 3);
        for (int i = 0; i < 3; i++) {
                fill_block((double[]){ 1, 1, 1 }, 3);
                for (int j = 0; j < 3; j++)
                        block->samples[j].ticks = 120; /* 100 of them paused, 40 the cost of a batch */
                note_block();
        }
        result = take(false);
        assert_true(near(result->time_ns->point, -10.0 / 2000));
        assert_true(result->below_noise_floor);
}

/* Samples of 20 ms, @paused_ms of them paused, on a core as fast as the counter. */
static Benchd__BenchmarkResult *measure_beside_rulers(double paused_ms, uint32_t waiting_samples) {
        const ClockFacts clock = { .hz = 1e9, .quantum_ticks = 2, .ruler_turns = 1000, .ruler_cost_ticks = 10 };

        make_measurement(1, 3);
        for (int i = 0; i < 3; i++) {
                fill_block((double[]){ 1, 1, 1 }, 3);
                block->conduct.waiting_samples = waiting_samples;
                for (int j = 0; j < 3; j++) {
                        block->samples[j].ticks = 20000000;
                        block->samples[j].paused_ticks = paused_ms * 1e6;
                        block->samples[j].ruler_before_ticks = block->samples[j].ruler_after_ticks =
                                        10 + 1000 * RULER_STEP;
                }
                assert_non_null(measurement_next(measurement));
                assert_int_equal(measurement_note_complete(measurement, block, &clock, &silence), 0);
        }
        return take(false);
}

TEST(cycles_are_told_of_what_was_timed_for_up_to_ten_ms_and_does_not_block) {
        static const struct {
                double paused_ms;
                uint32_t waiting_samples;
                bool known;
        } rows[] = { { 9, 0, false }, { 11, 0, true }, { 11, 1, true }, { 11, 2, false } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                result = measure_beside_rulers(rows[i].paused_ms, rows[i].waiting_samples);
                assert_int_equal(result->cycles->source == BENCHD__QUANTITY__SOURCE__RULER, rows[i].known);
                if (rows[i].known)
                        assert_true(near(result->cycles->point, result->time_ns->point));
        }
}

/* True if three processes of 2000 operations of @ns a batch, by a clock of 1 ns a step, are told to last @steps. */
static bool lasts_few_steps(double ns, const char *steps) {
        bool said = false;

        make_measurement(1, 3);
        for (int i = 0; i < 3; i++)
                note((double[]){ ns, ns, ns }, 3);
        result = take(false);
        for (size_t i = 0; i < result->n_warnings; i++)
                said |= strstr(result->warnings[i], steps) != NULL;
        return said;
}

TEST(a_batch_of_few_steps_of_the_clock_is_said) {
        assert_false(lasts_few_steps(0.05, "steps of the clock"));
        assert_true(lasts_few_steps(0.01, "a batch lasts 20 steps of the clock"));
}

TEST(fewer_samples_than_planned_are_said) {
        make_measurement(1, 1);
        note((double[]){ 1, 1 }, 2);
        result = take(false);
        assert_true(measurement_was_shortened(measurement));
        assert_non_null(strstr(result->warnings[0], "no interval"));
        assert_non_null(strstr(result->warnings[1], "fewer than 3 samples"));
}

TEST(what_is_counted_is_told_for_each_operation) {
        const MemoryBlock memory = {
                .iterations = 100,
                .allocations = 200,
                .frees = 100,
                .bytes = 6400,
                .retained_bytes = -800,
                .iterations_per_batch = 100,
                .peak_bytes_per_batch = 640,
                .peak_bytes_per_iteration = 32,
                .iterations_counted = 108,
                .leaked_blocks = 1,
                .leaked_bytes = 7,
        };

        make_counting_measurement(1, 1);
        note((double[]){ 1, 1, 1 }, 3);
        assert_null(take(false));
        assert_true(measurement_next(measurement)->counts);
        assert_int_equal(measurement_note_memory(measurement, &memory, NULL), 0);
        assert_null(measurement_next(measurement));

        result = take(false); /* 2 operations an iteration */
        assert_true(near(result->memory->operations, 200) && near(result->memory->allocations_per_operation, 1));
        assert_true(near(result->memory->frees_per_operation, 0.5) && near(result->memory->bytes_per_operation, 32));
        assert_true(near(result->memory->retained_bytes_per_operation, -4));
        assert_int_equal(result->memory->peak_bytes_per_iteration, 32);
        assert_int_equal(result->memory->peak_bytes_per_batch, 640);
        assert_string_equal(result->warnings[result->n_warnings - 1],
                        "leaks: 1 block of 7 bytes together, allocated in 108 iterations, was never freed");
        assert_int_equal(measurement_count(measurement).processes_done, 2);
}

TEST(what_could_not_be_counted_is_said_and_the_times_stand) {
        make_counting_measurement(2, 1);
        for (int i = 0; i < 2; i++)
                note((double[]){ 1, 1, 1 }, 3);
        assert_int_equal(measurement_note_memory(measurement, NULL, &crash), 0);
        result = take(false);
        assert_null(result->memory);
        assert_null(result->failed);
        assert_true(near(result->time_ns->point, 1));
        assert_non_null(strstr(result->warnings[result->n_warnings - 1], "not counted: It crashed"));

        assert_int_equal(measurement_note_memory(measurement, &(MemoryBlock){ .state = MEMORY_STATE_OWN_MALLOC }, NULL),
                        0);
        result = take(false);
        assert_null(result->memory);
        assert_non_null(strstr(result->warnings[result->n_warnings - 1], "its own allocator"));
        assert_int_equal(measurement_count(measurement).measured, 2);
}
