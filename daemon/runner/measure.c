/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/measure.h"

#include <benchd/bench.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock/conversion.h"
#include "clock/ruler.h"
#include "clock/tick.h"
#include "runner/body.h"
#include "runner/detect.h"
#include "runner/pace.h"
#include "runner/report.h"
#include "runner/window.h"
#include "util/cleanup.h"

#define MEASURE_FREQUENCY 0.01 /* rulers further apart: the frequency changed */
#define MEASURE_STRETCHED 1.5  /* a ruler longer by this: the core was taken away */

DEFINE_CLEANUP(Body *, body_free)

/* What this runner does not do yet, of what a descriptor may ask. */
static const char *measure_unsupported(const struct bench_options *options) {
        if (options->method && strcmp(options->method, "benchd") != 0)
                return ".method";
        if (options->prime == BENCH_NO)
                return ".prime";
        if (options->threads.counts[0] > 1)
                return ".threads";
        return NULL;
}

/* What was paused, with what pausing cost. */
static uint64_t measure_paused_ticks(const RunnerPlan *plan, const BodyBatch *batch) {
        double paused = batch->paused_ticks + batch->n_pauses * plan->clock.pause_cost_ticks;
        uint64_t ticks = batch->stop_ticks - batch->start_ticks;

        return paused < ticks ? paused : ticks;
}

/* The time inside the batch: between the clock's two readings, without pauses and what reading it and the call cost. */
static uint64_t measure_net_ticks(const RunnerPlan *plan, const BodyBatch *batch) {
        uint64_t ticks = batch->stop_ticks - batch->start_ticks - measure_paused_ticks(plan, batch);

        return ticks > plan->clock.batch_cost_ticks ? ticks - plan->clock.batch_cost_ticks : 0;
}

/* State would grow from iteration to iteration, so what is reset after each batch has batches of a given length. */
static RunnerSchedule measure_schedule(const RunnerPlan *plan, const struct bench_options *options) {
        RunnerSchedule schedule = plan->schedule;

        if (options->reset && schedule.iterations == 0)
                schedule.iterations = 1;
        return schedule;
}

/* The rulers beside a batch, when it is a sample: the one after it is the one before the next. */
typedef struct Rulers {
        const ClockFacts *clock;
        uint64_t before_ticks;
        uint64_t after_ticks;
        uint32_t after_flags;
} Rulers;

static void rulers_before(Rulers *rulers, bool adjacent) {
        if (rulers->clock->ruler_turns == 0)
                return;
        rulers->before_ticks =
                        adjacent && rulers->after_ticks ? rulers->after_ticks : ruler_run(rulers->clock->ruler_turns);
}

static void rulers_after(Rulers *rulers) {
        if (rulers->clock->ruler_turns == 0)
                return;
        detect_arm(rulers->clock->detectors);
        rulers->after_ticks = ruler_run(rulers->clock->ruler_turns);
        rulers->after_flags = detect_read(rulers->clock->detectors);
}

/*
 * What the rulers tell of a sample. Both differ: the core's frequency changed within it. The one after it is stretched by
 * more than any frequency explains, and no detector knows why: a hypervisor or firmware had the core.
 */
static uint32_t rulers_flags(const Rulers *rulers) {
        double before = rulers->before_ticks, after = rulers->after_ticks;

        if (before == 0 || rulers->after_flags)
                return 0;
        if (after > MEASURE_STRETCHED * before)
                return SAMPLE_FLAG_UNATTRIBUTED;
        return after > (1 + MEASURE_FREQUENCY) * before || before > (1 + MEASURE_FREQUENCY) * after
                               ? SAMPLE_FLAG_FREQUENCY
                               : 0;
}

static void measure_record(SampleBlock *block, const RunnerPlan *plan, const BodyBatch *batch, const Rulers *rulers) {
        if (block->n_samples == RUNNER_SAMPLES_MAX)
                return;
        block->samples[block->n_samples++] = (Sample){
                .start_ticks = batch->start_ticks,
                .ticks = batch->stop_ticks - batch->start_ticks,
                .iterations = batch->iterations,
                .paused_ticks = measure_paused_ticks(plan, batch),
                .ruler_before_ticks = rulers->before_ticks,
                .ruler_after_ticks = rulers->after_ticks,
                .cpu_start = batch->cpu_start,
                .cpu_stop = batch->cpu_stop,
                .flags = batch->flags | rulers_flags(rulers) |
                         (batch->cpu_start != batch->cpu_stop ? SAMPLE_FLAG_MIGRATED : 0),
        };
        block->iterations = batch->iterations;
}

/* How long the next step will take, to a factor of two, when the last one of @iterations took @ticks: for the window. */
static uint64_t measure_expected_ns(const RunnerPlan *plan, uint64_t ticks, uint64_t iterations, const PaceStep *next) {
        return iterations == 0 ? 0 : ticks_to_ns((double)ticks * next->iterations / iterations, plan->clock.hz);
}

/* Runs batches until the pace has enough or the body ends otherwise. */
static BodyState measure_batches(const RunnerPlan *plan, const RunnerSchedule *schedule, Body *body, Window *window,
                SampleBlock *block) {
        Rulers rulers = { .clock = &plan->clock };
        BodyBatch batch = {};
        BodyState state;
        uint64_t began_ticks, passed_ticks = 0;
        bool adjacent;
        PaceStep step;
        Pace pace;

        pace_init(&pace, schedule, &plan->clock, body_iterations_max(body));
        step = pace_first(&pace);
        do {
                bool sampling = step.phase == RUNNER_PHASE_SAMPLING;

                report_phase(&block->head, step.phase);
                adjacent = window_ensure(window, measure_expected_ns(plan, passed_ticks, batch.iterations, &step));
                began_ticks = tick_start();
                if (sampling)
                        rulers_before(&rulers, adjacent);
                state = body_run_batch(body, step.iterations, &batch);
                if (state != BODY_WAITS)
                        break;
                if (sampling)
                        rulers_after(&rulers);
                passed_ticks = tick_start() - began_ticks;
                if (step.phase == RUNNER_PHASE_FIRST_CALL)
                        block->first_call_ticks = batch.stop_ticks - batch.start_ticks;
                step = pace_next(&pace, measure_net_ticks(plan, &batch), passed_ticks);
                if (step.record)
                        measure_record(block, plan, &batch, &rulers);
        } while (step.phase != RUNNER_PHASE_TEARDOWN);

        window_close(window);
        block->warmup_ticks = pace.warmup_ticks;
        block->warmup_batches = pace.warmup_batches;
        block->fifo_windows = window->n_fifo;
        block->other_windows = window->n_other;
        block->long_batches = window->too_long;
        return state;
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

void measure_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, SampleBlock *block) {
        _cleanup_(body_freep) Body *body = NULL;
        const char *unsupported = measure_unsupported(&descriptor->options);
        const RunnerSchedule schedule = measure_schedule(plan, &descriptor->options);
        Window window = {};
        const char *message;
        RunnerEnd end;

        if (unsupported) {
                report_end(&block->head, RUNNER_END_UNSUPPORTED, "%s", unsupported);
                return;
        }
        if (body_new(descriptor, plan, &body)) {
                report_end(&block->head, RUNNER_END_INTERNAL, "no memory for a stack");
                return;
        }
        block->stack_offset_bytes = plan->stack_offset_bytes;
        block->environment_bytes = measure_environment_bytes();
        block->loop_address = (uintptr_t)descriptor->run;

        report_phase(&block->head, RUNNER_PHASE_SETUP);
        if (body_start(body) == BODY_WAITS && measure_batches(plan, &schedule, body, &window, block) == BODY_WAITS) {
                report_phase(&block->head, RUNNER_PHASE_TEARDOWN);
                body_finish(body);
        }
        window_close(&window);

        body_tell(body, block);
        measure_usage(block);
        end = body_end(body, &message);
        report_end(&block->head, end, "%s", message);
}
