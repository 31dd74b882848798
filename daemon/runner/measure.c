/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/measure.h"

#include <benchd/bench.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock/conversion.h"
#include "clock/tick.h"
#include "runner/conduct.h"
#include "runner/control.h"
#include "runner/detect.h"
#include "runner/memory-lock.h"
#include "runner/pace.h"
#include "runner/report.h"
#include "runner/team.h"
#include "runner/window.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(Team *, team_free)

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

/* The core's counters run on in a pause, so that a batch with pauses has none. */
static void measure_record_counts(Sample *sample, const BodyBatch *batch) {
        sample->counters = batch->n_pauses == 0 ? batch->usage.pmu.counters : 0;
        memcpy(sample->counts, batch->usage.pmu.counts, sizeof sample->counts);
}

static void measure_record_member(SampleBlock *block, const RunnerPlan *plan, const Team *team, size_t member) {
        const BodyBatch *batch = team_batch(team, member);
        Sample *sample = &block->samples[block->n_samples++];

        *sample = (Sample){
                .start_ticks = batch->start_ticks,
                .ticks = batch->stop_ticks - batch->start_ticks,
                .iterations = batch->iterations,
                .paused_ticks = measure_paused_ticks(plan, batch),
                .cpu_start = batch->cpu_start,
                .cpu_stop = batch->cpu_stop,
                .flags = (batch->flags & ~detect_flags(block->conduct.switched_off)) | usage_flags(&batch->usage) |
                         (batch->cpu_start != batch->cpu_stop ? SAMPLE_FLAG_MIGRATED : 0),
                .thread = member,
        };
        measure_record_counts(sample, batch);
        conduct_note_sample(&block->conduct, &batch->usage);
        team_fill(team, member, sample);
        block->iterations = batch->iterations;
}

static void measure_record(SampleBlock *block, const RunnerPlan *plan, const Team *team) {
        for (size_t i = 0; i < team_size(team) && block->n_samples < RUNNER_SAMPLES_MAX; i++)
                measure_record_member(block, plan, team, i);
}

/* How long the next step will take, to a factor of two, when the last one of @iterations took @ticks: for the window. */
static uint64_t measure_expected_ns(const RunnerPlan *plan, uint64_t ticks, uint64_t iterations, const PaceStep *next) {
        return iterations == 0 ? 0 : ticks_to_ns((double)ticks * next->iterations / iterations, plan->clock.hz);
}

/* The time inside the batch of the member that took longest. */
static uint64_t measure_longest_ticks(const RunnerPlan *plan, const Team *team) {
        uint64_t longest = 0;

        for (size_t i = 0; i < team_size(team); i++) {
                uint64_t ticks = measure_net_ticks(plan, team_batch(team, i));

                longest = ticks > longest ? ticks : longest;
        }
        return longest;
}

/* A run under way: what does not change within it, and the batch that comes next. */
typedef struct Measuring {
        const RunnerPlan *plan;
        Team *team;
        Window *window;
        Conduct *conduct;
        SampleBlock *block;
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

/* Runs the batch of the step under way, and takes the next step. */
static BodyState measure_step(Measuring *run) {
        TeamBatch batch = { .iterations = run->step.iterations, .sample = run->step.phase == RUNNER_PHASE_SAMPLING };
        uint64_t began_ticks;
        BodyState state;

        report_phase(&run->block->head, run->step.phase);
        batch.adjacent = window_ensure(run->window,
                        measure_expected_ns(run->plan, run->passed_ticks, run->iterations, &run->step));
        began_ticks = tick_start();
        state = team_run_batch(run->team, &batch);
        if (state != BODY_WAITS)
                return state;
        run->passed_ticks = tick_start() - began_ticks;
        if (conduct_left_thread(run->conduct)) {
                report_end(&run->block->head, RUNNER_END_THREAD, "%s", "");
                return BODY_ENDED;
        }
        if (run->step.phase != RUNNER_PHASE_SAMPLING)
                measure_control(run);
        run->iterations = batch.iterations;
        if (run->step.phase == RUNNER_PHASE_FIRST_CALL)
                run->block->first_call_ticks =
                                team_batch(run->team, 0)->stop_ticks - team_batch(run->team, 0)->start_ticks;
        run->step = pace_next(&run->pace, measure_longest_ticks(run->plan, run->team), run->passed_ticks);
        if (run->step.record)
                measure_record(run->block, run->plan, run->team);
        return state;
}

/* Runs batches until the pace has enough or the body ends otherwise. */
static BodyState measure_batches(const RunnerPlan *plan, const RunnerSchedule *schedule, Team *team, Window *window,
                Conduct *conduct, SampleBlock *block) {
        Measuring run = { .plan = plan, .team = team, .window = window, .conduct = conduct, .block = block };
        BodyState state;

        pace_init(&run.pace, schedule, &plan->clock, team_iterations_max(team));
        run.step = pace_first(&run.pace);
        do
                state = measure_step(&run);
        while (state == BODY_WAITS && run.step.phase != RUNNER_PHASE_TEARDOWN);

        conduct_end(conduct, &block->conduct);
        window_close(window);
        block->warmup_ticks = run.pace.warmup_ticks;
        block->warmup_batches = run.pace.warmup_batches;
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

static void measure_after_setup(const Team *team, Conduct *conduct, SampleBlock *block) {
        conduct_after_setup(conduct, team_size(team), &block->conduct);
        block->memory_lock = memory_lock();
}

void measure_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *block) {
        _cleanup_(team_freep) Team *team = NULL;
        const char *unsupported = measure_unsupported(&descriptor->options);
        const RunnerSchedule schedule = measure_schedule(plan, &descriptor->options);
        Window window = {};
        const char *message;
        RunnerEnd end;

        if (unsupported) {
                report_end(&block->head, RUNNER_END_UNSUPPORTED, "%s", unsupported);
                return;
        }
        if (team_new(descriptor, plan, &team)) {
                report_end(&block->head, RUNNER_END_INTERNAL, "no memory for a stack");
                return;
        }
        block->stack_offset_bytes = plan->stack_offset_bytes;
        block->environment_bytes = measure_environment_bytes();
        block->loop_address = (uintptr_t)descriptor->run;

        report_phase(&block->head, RUNNER_PHASE_SETUP);
        if (team_start(team) == BODY_WAITS) {
                measure_after_setup(team, conduct, block);
                if (measure_batches(plan, &schedule, team, &window, conduct, block) == BODY_WAITS) {
                        report_phase(&block->head, RUNNER_PHASE_TEARDOWN);
                        team_finish(team);
                }
        }
        window_close(&window);

        team_tell(team, block);
        measure_usage(block);
        end = team_end(team, &message);
        report_end(&block->head, end, "%s", message);
}
