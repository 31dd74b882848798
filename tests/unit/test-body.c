/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The iterations that run untimed before a batch: how many, and that nothing of them is left in the batch. */

#define BENCH_NO_MODULE
#include "runner/time/body.h"

#include <benchd/bench.h>

#include <stdatomic.h>

#include "clock/tick.h"
#include "runner/time/team.h"
#include "test.h"
#undef fail /* a function of the runner is named so, and one skip */
#undef skip

#define MANUAL_NS 5.0

/* The runs of a body from index 0 on: a batch, or what comes before it. */
static struct {
        uint64_t lengths[8];
        uint64_t n_iterations;
        uint64_t clock; /* at the first iteration of the latest */
        unsigned n;
        unsigned n_wrong; /* iterations that did not follow the one before */
} runs;

static RunnerPlan plan = { .n_threads = 1, .n_sides = 1, .clock = { .hz = 1e9 } };

static void note_iteration(struct bench *b, uint64_t index) {
        static uint64_t next;

        if (index == 0) {
                runs.lengths[runs.n++ % 8] = bench_batch(b);
                runs.clock = tick_start();
        } else
                runs.n_wrong += index != next;
        next = index + 1;
        runs.n_iterations++;
}

static void noting_body(struct bench *b) {
        bench_loop(b)
                note_iteration(b, bench_index(b));
}

/* Runs a batch of @iterations of a new body of @descriptor, after its first call. */
static BodyState run_batch(const struct bench_descriptor *descriptor, uint64_t iterations, BodyBatch *ret_batch,
                Body **ret_body) {
        assert_int_equal(body_new(descriptor, &plan, 0, BODY_STACK_ASIDE, ret_body), 0);
        assert_int_equal(body_start(*ret_body), BODY_WAITS);
        assert_int_equal(body_run_batch(*ret_body, 1, ret_batch), BODY_WAITS);
        memset(&runs, 0, sizeof runs);
        return body_run_batch(*ret_body, iterations, ret_batch);
}

TEST(an_eighth_of_a_batch_runs_untimed_before_it) {
        static const struct bench_descriptor descriptor = { .run = noting_body };
        static const uint64_t rows[] = { 1, 7, 8, 15, 16, 80, 1000 };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                const uint64_t n = rows[i], untimed = n / 8;
                BodyBatch batch;
                Body *body;

                assert_int_equal(run_batch(&descriptor, n, &batch, &body), BODY_WAITS);
                assert_int_equal(batch.iterations, n);
                assert_int_equal(runs.n_iterations, n + untimed);
                assert_int_equal(runs.n_wrong, 0);
                assert_int_equal(runs.n, untimed > 0 ? 2 : 1);
                assert_int_equal(runs.lengths[0], untimed > 0 ? untimed : n);
                assert_int_equal(runs.lengths[runs.n - 1], n);
                assert_int_equal(body_finish(body), BODY_COMPLETE);
                body_free(body);
        }
}

TEST(the_clock_starts_after_them) {
        static const struct bench_descriptor descriptor = { .run = noting_body };

        for (uint64_t n = 1; n <= 1000; n *= 10) {
                BodyBatch batch;
                Body *body;

                assert_int_equal(run_batch(&descriptor, n, &batch, &body), BODY_WAITS);
                assert_true(batch.began_ticks > 0 && batch.began_ticks <= batch.start_ticks);
                assert_true(batch.start_ticks <= runs.clock && runs.clock <= batch.stop_ticks);
                assert_int_equal(body_finish(body), BODY_COMPLETE);
                body_free(body);
        }
}

static void reset(struct bench *b) {
}

static void fill(void *input, uint64_t index, void *ctx) {
}

static void prepared_body(struct bench *b) {
        bench_inputs(b, 1, fill, NULL, NULL);
        bench_loop(b) {
                bench_use(bench_input(b));
                note_iteration(b, bench_index(b));
        }
}

TEST(nothing_runs_before_a_batch_whose_iterations_are_counted_or_prepared) {
        static const struct {
                struct bench_descriptor descriptor;
                RunnerSchedule schedule;
        } rows[] = {
                { { .run = noting_body }, { .iterations = 80 } },
                { { .run = noting_body }, { .pace = RUNNER_PACE_FIXED } },
                { { .run = noting_body }, { .pace = RUNNER_PACE_SEARCH } },
                { { .run = noting_body, .options.reset = reset }, {} },
                { { .run = prepared_body }, {} },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                BodyBatch batch;
                Body *body;

                plan.schedule = rows[i].schedule;
                assert_int_equal(run_batch(&rows[i].descriptor, 80, &batch, &body), BODY_WAITS);
                plan.schedule = (RunnerSchedule){};
                assert_int_equal(runs.n_iterations, 80);
                assert_int_equal(runs.lengths[0], 80);
                assert_int_equal(body_finish(body), BODY_COMPLETE);
                body_free(body);
        }
}

static void count_nothing(void) {
}

static void begin_nothing(const uint64_t *paused) {
}

static void read_nothing(CountTotals *ret_totals) {
        *ret_totals = (CountTotals){};
}

TEST(nothing_runs_before_a_batch_whose_allocations_are_counted) {
        static const struct bench_descriptor descriptor = { .run = noting_body };
        BodyCounting counting = { .begin = begin_nothing, .end = count_nothing, .read = read_nothing };
        BodyBatch batch;
        Body *body;

        assert_int_equal(run_batch(&descriptor, 80, &batch, &body), BODY_WAITS);
        body_count(body, &counting);
        memset(&runs, 0, sizeof runs);
        assert_int_equal(body_run_batch(body, 80, &batch), BODY_WAITS);
        assert_int_equal(runs.n_iterations, 80);
        assert_int_equal(body_finish(body), BODY_COMPLETE);
        body_free(body);
}

static void telling_body(struct bench *b) {
        bench_loop(b) {
                bench_pause(b);
                bench_resume(b);
                bench_manual_ns(b, MANUAL_NS);
        }
}

TEST(what_they_paused_or_told_is_dropped) {
        static const struct bench_descriptor descriptor = { .run = telling_body };
        BodyBatch batch;
        Body *body;

        assert_int_equal(run_batch(&descriptor, 80, &batch, &body), BODY_WAITS);
        assert_int_equal(batch.n_pauses, 80);
        assert_true(batch.paused_ticks <= batch.stop_ticks - batch.start_ticks);
        assert_true(batch.manual_ns == 80 * MANUAL_NS);
        assert_int_equal(body_finish(body), BODY_COMPLETE);
        body_free(body);
}

/* ---- ends */

/* Of a batch of 80: its third iteration before the clock starts. */
static bool is_end(struct bench *b, uint64_t index) {
        return bench_batch(b) == 10 && index == 2;
}

static void breaking_body(struct bench *b) {
        bench_loop(b)
                if (is_end(b, bench_index(b)))
                        break;
}

static void returning_body(struct bench *b) {
        bench_loop(b)
                if (is_end(b, bench_index(b)))
                        return;
}

static void failing_body(struct bench *b) {
        bench_loop(b)
                if (is_end(b, bench_index(b)))
                        bench_fail(b, "here");
}

static void skipping_body(struct bench *b) {
        bench_loop(b)
                if (is_end(b, bench_index(b)))
                        bench_skip(b, "here");
}

/* In the last one. */
static void paused_body(struct bench *b) {
        bench_loop(b)
                if (bench_batch(b) == 10 && bench_index(b) == 9)
                        bench_pause(b);
}

TEST(iterations_before_a_batch_end_as_those_of_one_do) {
        static const struct {
                struct bench_descriptor descriptor;
                RunnerEnd end;
        } rows[] = {
                { { .run = breaking_body }, RUNNER_END_BREAK },
                { { .run = returning_body }, RUNNER_END_RETURN },
                { { .run = failing_body }, RUNNER_END_FAILED },
                { { .run = skipping_body }, RUNNER_END_SKIPPED },
                { { .run = paused_body }, RUNNER_END_MISUSE },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                const char *message;
                BodyBatch batch;
                Body *body;

                assert_int_equal(run_batch(&rows[i].descriptor, 80, &batch, &body), BODY_ENDED);
                assert_int_equal(body_end(body, &message), rows[i].end);
                body_free(body);
        }
}

/* ---- threads */

static _Atomic unsigned n_untimed, n_early;

static void meeting_body(struct bench *b) {
        bench_loop(b) {
                if (bench_batch(b) == 10)
                        n_untimed++;
                else if (bench_batch(b) == 80)
                        n_early += n_untimed != 10 * bench_threads(b);
        }
}

static void the_second_fails(struct bench *b) {
        bench_loop(b)
                if (bench_thread(b) == 1 && is_end(b, bench_index(b)))
                        bench_fail(b, "here");
}

static const RunnerPlan together = {
        .n_threads = 2,
        .n_sides = 1,
        .options = RUNNER_OPTION_HERE | RUNNER_OPTION_UNPREPARED,
        .clock = { .hz = 1e9 },
};

static void counting_body(struct bench *b) {
        bench_counter(b, "outside", 7);
        bench_loop(b) {
                bench_counter(b, "index", (double)bench_index(b));
                bench_counter(b, "one", 1);
        }
}

TEST(counters_within_the_loop_are_of_the_batch_without_what_ran_before_it) {
        static const struct bench_descriptor descriptor = { .run = counting_body };
        BodyBatch batch;
        BodyTold told;
        Body *body;

        for (unsigned i = 0; i < 2; i++) {
                assert_int_equal(i == 0 ? run_batch(&descriptor, 16, &batch, &body) : body_run_batch(body, 16, &batch),
                                BODY_WAITS);
                assert_int_equal(batch.n_counted, 2);
                assert_float_equal(batch.counts[0], 16 * 15 / 2, 0);
                assert_float_equal(batch.counts[1], 16, 0);
        }
        assert_int_equal(body_finish(body), BODY_COMPLETE);
        body_tell(body, &told);
        assert_int_equal(told.n_counters, 1);
        assert_int_equal(told.n_counted, 2);
        assert_string_equal(told.counted[1].name, "one");
        body_free(body);
}

TEST(no_threads_clock_starts_before_all_have_run_theirs) {
        static const struct bench_descriptor descriptor = { .run = meeting_body };
        BlockHead head = {};
        Team *team;

        assert_int_equal(team_new(&descriptor, &together, 0, BODY_STACK_OWN, &head, &team), 0);
        assert_int_equal(team_start(team), BODY_WAITS);
        for (unsigned i = 0; i < 100; i++) {
                n_untimed = 0;
                assert_int_equal(team_run_batch(team, &(LockstepBatch){ .iterations = 80 }), BODY_WAITS);
                assert_int_equal(n_early, 0);
        }
        assert_int_equal(team_finish(team), BODY_COMPLETE);
        team_free(team);
}

TEST(a_thread_that_leaves_within_them_ends_it_for_all) {
        static const struct bench_descriptor descriptor = { .run = the_second_fails };
        BlockHead head = {};
        Team *team;

        assert_int_equal(team_new(&descriptor, &together, 0, BODY_STACK_OWN, &head, &team), 0);
        assert_int_equal(team_start(team), BODY_WAITS);
        assert_int_equal(team_run_batch(team, &(LockstepBatch){ .iterations = 80 }), BODY_ENDED);
        team_report_end(team);
        assert_int_equal(head.end, RUNNER_END_FAILED);
        assert_string_equal(head.message, "thread 1: here");
        team_free(team);
}
