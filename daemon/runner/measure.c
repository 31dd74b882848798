/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/measure.h"

#include <benchd/bench.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock/conversion.h"
#include "ops/window.h"
#include "runner/conduct.h"
#include "runner/control.h"
#include "runner/loop-cost.h"
#include "runner/memory-lock.h"
#include "runner/now.h"
#include "runner/pace.h"
#include "runner/record.h"
#include "runner/report.h"
#include "runner/team.h"
#include "runner/trace.h"
#include "runner/window.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(Team *, team_free)

/* What this runner does not do yet, of what a descriptor may ask. */
static const char *measure_unsupported(const struct bench_options *options) {
        if (options->method && strcmp(options->method, "benchd") != 0)
                return ".method";
        return NULL;
}

/* The second iteration of a batch is never cold; and state that is reset after each batch would grow within a longer one. */
static RunnerSchedule measure_schedule(const RunnerPlan *plan, const struct bench_options *options) {
        RunnerSchedule schedule = plan->schedule;

        if ((plan->options & RUNNER_OPTION_COLD) || (options->reset && schedule.iterations == 0))
                schedule.iterations = 1;
        return schedule;
}

static bool measure_is_primed(const RunnerPlan *plan, const struct bench_options *options) {
        return !(plan->options & RUNNER_OPTION_UNPRIMED) && options->prime != BENCH_NO;
}

/* How long the next step will take, to a factor of two, when the last one of @iterations took @ticks: for the window. */
static uint64_t measure_expected_ns(const RunnerPlan *plan, uint64_t ticks, uint64_t iterations, const PaceStep *next) {
        return iterations == 0 ? 0 : ticks_to_ns((double)ticks * next->iterations / iterations, plan->clock.hz);
}

/* A run under way: what does not change within it, and the batch that comes next. */
typedef struct Measuring {
        const RunnerPlan *plan;
        Team *team;
        Window *window;
        Conduct *conduct;
        SampleBlock *block;
        Trace *trace;
        Control control;
        Pace pace;
        PaceStep step;
        uint64_t passed_ticks; /* of the last batch, with all that came with it */
        uint64_t iterations;   /* of the last batch */
} Measuring;

/* What the batches before the samples do by themselves is the benchmark's work. */
static void measure_control(Measuring *run) {
        for (size_t i = 0; i < team_size(run->team); i++)
                control_note(&run->control, &team_batch(run->team, i)->usage);
        run->block->conduct.switched_off = run->plan->clock.detectors & control_switch_off(&run->control);
}

/* The batch that ended is a sample. A first call that is one may have outlasted its window: nobody knew its length. */
static void measure_record(Measuring *run) {
        SampleBlock *block = run->block;

        for (size_t i = 0; i < team_size(run->team) && block->n_samples < RUNNER_SAMPLES_MAX; i++) {
                conduct_note_sample(&block->conduct, &team_batch(run->team, i)->usage);
                block->samples[block->n_samples++] =
                                record_sample(run->plan, run->team, i, block->conduct.switched_off);
        }
        block->iterations = run->iterations;
        run->window->too_long |= ticks_to_ns(run->passed_ticks, run->plan->clock.hz) > WINDOW_LENGTH_NS;
}

/* Runs the batch of the step under way, and takes the next step. */
static BodyState measure_step(Measuring *run) {
        TeamBatch batch = { .iterations = run->step.iterations, .sample = run->step.phase == RUNNER_PHASE_SAMPLING };
        uint64_t began_ticks;
        BodyState state;

        report_phase(&run->block->head, run->step.phase);
        trace_phase(run->trace, run->step.phase, run->window);
        batch.adjacent = window_ensure(run->window,
                        measure_expected_ns(run->plan, run->passed_ticks, run->iterations, &run->step));
        began_ticks = now_ticks(&run->plan->clock);
        state = team_run_batch(run->team, &batch);
        if (state != BODY_WAITS)
                return state;
        run->passed_ticks = now_ticks(&run->plan->clock) - began_ticks;
        if (conduct_left_thread(run->conduct)) {
                report_end(&run->block->head, RUNNER_END_THREAD_LEFT, "%s", "");
                return BODY_ENDED;
        }
        if (run->step.phase != RUNNER_PHASE_SAMPLING)
                measure_control(run);
        run->iterations = batch.iterations;
        trace_batch(run->trace, run->team);
        if (run->step.phase == RUNNER_PHASE_FIRST_CALL)
                run->block->first_call_ticks =
                                team_batch(run->team, 0)->stop_ticks - team_batch(run->team, 0)->start_ticks;
        run->step = pace_next(&run->pace, record_longest_ticks(run->plan, run->team), run->passed_ticks);
        if (run->step.record)
                measure_record(run);
        return state;
}

/* Runs batches until the pace has enough or the body ends otherwise; then, within the same windows, the empty loop. */
static BodyState measure_batches(Measuring *run) {
        BodyState state;

        do
                state = measure_step(run);
        while (state == BODY_WAITS && run->step.phase != RUNNER_PHASE_TEARDOWN);
        if (state == BODY_WAITS)
                loop_cost_measure(run->plan, run->window, run->trace, run->block);
        window_close(run->window);
        return state;
}

static BodyState measure_loop(Measuring *run, const struct bench_options *options) {
        const RunnerSchedule schedule = measure_schedule(run->plan, options);
        SampleBlock *block = run->block;
        BodyState state;

        pace_init(&run->pace, &schedule, &run->plan->clock, team_iterations_max(run->team));
        run->step = measure_is_primed(run->plan, options) ? pace_first(&run->pace) : pace_first_unprimed(&run->pace);
        state = measure_batches(run);
        conduct_end(run->conduct, &block->conduct);
        block->warmup_ticks = run->pace.warmup_ticks;
        block->warmup_batches = run->pace.warmup_batches;
        block->fifo_windows = run->window->n_fifo;
        block->other_windows = run->window->n_other;
        block->long_batches = run->window->too_long;
        return state;
}

static void measure_after_setup(Measuring *run) {
        conduct_after_setup(run->conduct, team_size(run->team), &run->block->conduct);
        run->block->memory_lock = memory_lock();
}

/* From set-up to tear-down, or as far as the body comes. */
static void measure_body(Measuring *run, const struct bench_options *options) {
        report_phase(&run->block->head, RUNNER_PHASE_SETUP);
        trace_phase(run->trace, RUNNER_PHASE_SETUP, run->window);
        if (team_start(run->team) != BODY_WAITS)
                return;
        measure_after_setup(run);
        if (measure_loop(run, options) != BODY_WAITS)
                return;
        report_phase(&run->block->head, RUNNER_PHASE_TEARDOWN);
        trace_phase(run->trace, RUNNER_PHASE_TEARDOWN, run->window);
        team_finish(run->team);
}

static uint64_t timeval_ns(struct timeval t) {
        return t.tv_sec * 1000000000ull + t.tv_usec * 1000ull;
}

static void measure_usage(SampleBlock *block) {
        struct rusage usage;

        if (getrusage(RUSAGE_SELF, &usage) < 0)
                return;
        block->user_ns = timeval_ns(usage.ru_utime);
        block->system_ns = timeval_ns(usage.ru_stime);
}

static uint32_t measure_environment_bytes(void) {
        uint32_t n = 0;

        for (char **variable = environ; *variable; variable++)
                n += strlen(*variable) + 1;
        return n;
}

/* Says which count of the author's no plan can hold: the command line's are checked where they come in. */
static bool measure_refuse_count(const struct bench_options *options, BlockHead *head) {
        const struct {
                const char *name;
                uint64_t value;
                uint64_t most;
        } rows[] = {
                { ".iterations", options->iterations, RUNNER_ITERATIONS_MAX },
                { ".samples", options->samples, RUNNER_SAMPLES_MAX },
                { ".processes", options->processes, RUNNER_PROCESSES_MAX },
                { ".min_time_ns", options->min_time_ns, RUNNER_TARGET_MAX_NS },
                { ".warmup_ms", options->warmup_ms, RUNNER_WARMUP_MAX_MS },
                { ".ops", options->ops, RUNNER_ITERATIONS_MAX },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                if (rows[i].value <= rows[i].most)
                        continue;
                report_end(head, RUNNER_END_MISUSE, "%s is %" PRIu64 ", of at most %" PRIu64, rows[i].name,
                                rows[i].value, rows[i].most);
                return true;
        }
        return false;
}

/* Refuses what cannot be measured as the author asks; true if it did. */
static bool measure_refuse(const struct bench_options *options, BlockHead *head) {
        const char *unsupported = measure_unsupported(options);

        if (unsupported)
                report_end(head, RUNNER_END_UNSUPPORTED, "%s", unsupported);
        return unsupported || measure_refuse_count(options, head);
}

void measure_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *block) {
        _cleanup_(team_freep) Team *team = NULL;
        Window window = {};
        Trace trace = { .clock = &plan->clock };

        if (measure_refuse(&descriptor->options, &block->head))
                return;
        if (team_new(descriptor, plan, &block->head, &team)) {
                report_end(&block->head, RUNNER_END_INTERNAL, "no memory for a stack, or no thread");
                return;
        }
        block->stack_offset_bytes = plan->stack_offset_bytes;
        block->environment_bytes = measure_environment_bytes();

        measure_body(
                        &(Measuring){
                                        .plan = plan,
                                        .team = team,
                                        .window = &window,
                                        .conduct = conduct,
                                        .block = block,
                                        .trace = &trace,
                        },
                        &descriptor->options);
        window_close(&window);
        if (plan->options & RUNNER_OPTION_TRACE)
                trace_tell(&trace, &window, block);

        team_tell(team, block);
        measure_usage(block);
        team_report_end(team);
}
