/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/body.h"

#include <benchd/bench.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/tick.h"
#include "runner/context.h"
#include "runner/detect.h"
#include "runner/inputs.h"
#include "runner/report.h"
#include "util/error.h"

#define BODY_STACK_BYTES (8u << 20)

struct Body {
        struct bench bench;
        const struct bench_descriptor *descriptor;
        Context *context;
        Inputs *inputs; /* NULL: none were asked for */
        uint32_t detectors;
        uint32_t pmu_counters;
        BodyState state;
        BodyBatch batch;
        RunnerEnd end;
        char message[SAMPLE_BLOCK_MESSAGE_MAX];
        uint32_t n_counters;
        SampleCounter counters[SAMPLE_BLOCK_COUNTERS_MAX];
};

/* Leaves the benchmark's stack for good. */
static void __attribute__((noreturn)) body_leave(Body *body, BodyState state) {
        body->state = state;
        for (;;)
                context_yield(body->context);
}

static void __attribute__((noreturn, format(printf, 3, 4)))
body_abandon(Body *body, RunnerEnd end, const char *format, ...) {
        va_list arguments;

        body->end = end;
        va_start(arguments, format);
        vsnprintf(body->message, sizeof body->message, format, arguments);
        va_end(arguments);
        body_leave(body, BODY_ENDED);
}

/* Stands still until a batch is wanted, then starts the clock. Returns the batch's length, 0 at the end of the loop. */
static uint64_t body_wait_for_batch(Body *body) {
        uint64_t iterations;
        uint32_t aux;

        body->state = BODY_WAITS;
        context_yield(body->context);

        iterations = body->batch.iterations;
        body->bench.batch = iterations;
        if (iterations == 0) {
                body->bench.loop_state = BENCH_LOOP_COMPLETE;
                return 0;
        }
        body->bench.paused_ticks = 0;
        body->bench.n_pauses = 0;
        if (body->inputs)
                inputs_fill(body->inputs, &body->bench, iterations);
        usage_begin(&body->batch.usage, body->pmu_counters);
        (void)tick_stop(&aux);
        body->batch.cpu_start = tick_aux_cpu(aux);
        detect_arm(body->detectors);
        body->batch.start_ticks = tick_start();
        return iterations;
}

static uint64_t body_begin(struct bench *b) {
        Body *body = b->runner;

        if (b->loop_state == BENCH_LOOP_RUNNING)
                body_abandon(body, RUNNER_END_SECOND_LOOP, "within its loop");
        if (b->loop_state != BENCH_LOOP_NOT_BEGUN)
                body_abandon(body, RUNNER_END_SECOND_LOOP, "after its loop");
        b->loop_state = BENCH_LOOP_RUNNING;
        return body_wait_for_batch(body);
}

/* What the author wants done between batches, and what must not be left over from one. */
static void body_after_batch(Body *body) {
        struct bench *b = &body->bench;

        if (b->pause_began_ticks)
                body_abandon(body, RUNNER_END_FAILED,
                                "bench_pause() without bench_resume(): the iteration ended paused");
        body->batch.paused_ticks = b->paused_ticks;
        body->batch.n_pauses = b->n_pauses;
        if (body->inputs)
                inputs_drop(body->inputs, body->batch.iterations);
        if (body->descriptor->options.reset)
                body->descriptor->options.reset(b);
}

static uint64_t body_next(struct bench *b) {
        Body *body = b->runner;
        uint32_t aux;

        body->batch.stop_ticks = tick_stop(&aux);
        body->batch.flags = detect_read(body->detectors);
        body->batch.cpu_stop = tick_aux_cpu(aux);
        usage_end(&body->batch.usage, body->pmu_counters);
        body_after_batch(body);
        return body_wait_for_batch(body);
}

static void __attribute__((noreturn))
body_abandon_va(struct bench *b, RunnerEnd end, const char *format, va_list list) {
        char message[SAMPLE_BLOCK_MESSAGE_MAX];

        vsnprintf(message, sizeof message, format, list);
        body_abandon(b->runner, end, "%s", message);
}

static void __attribute__((noreturn)) body_fail(struct bench *b, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        body_abandon_va(b, RUNNER_END_FAILED, format, arguments);
}

static void __attribute__((noreturn)) body_skip(struct bench *b, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        body_abandon_va(b, RUNNER_END_SKIPPED, format, arguments);
}

static void __attribute__((noreturn)) body_threw(struct bench *b, const char *what) {
        body_abandon(b->runner, RUNNER_END_EXCEPTION, "%s", what ? what : "");
}

static void __attribute__((noreturn)) body_refuse(struct bench *b, const char *name) {
        body_abandon(b->runner, RUNNER_END_UNSUPPORTED, "%s", name);
}

static void body_inputs(struct bench *b, const struct bench_inputs_wish *wish) {
        Body *body = b->runner;

        if (b->loop_state != BENCH_LOOP_NOT_BEGUN)
                body_fail(b, "bench_inputs() within the loop: it stands before it");
        if (body->inputs || wish->size == 0 || !wish->fill)
                body_fail(b, "bench_inputs() takes a size, a function that fills, and is called once");
        if (inputs_new(wish, &body->inputs))
                body_fail(b, "bench_inputs(): no memory for an input of %zu bytes", wish->size);
}

static void body_counter(struct bench *b, const char *name, double value) {
        Body *body = b->runner;
        SampleCounter *counter = &body->counters[body->n_counters];

        if (body->n_counters == SAMPLE_BLOCK_COUNTERS_MAX)
                body_fail(b, "bench_counter: more than %u counters", SAMPLE_BLOCK_COUNTERS_MAX);
        if (!isfinite(value))
                body_fail(b, "bench_counter: the value of %s is not finite", name);
        if (!report_name_is_valid(name))
                body_fail(b, "bench_counter: %s is no name: letters, digits and _ . - +, at most %u", name,
                                RUNNER_NAME_MAX - 1);
        snprintf(counter->name, sizeof counter->name, "%s", name);
        counter->value = value;
        body->n_counters++;
}

/* What stands of the loop once the body has returned. */
static const struct {
        RunnerEnd end;
        BodyState state;
} body_returned[] = {
        [BENCH_LOOP_NOT_BEGUN] = { RUNNER_END_NO_LOOP, BODY_ENDED },
        [BENCH_LOOP_RUNNING] = { RUNNER_END_JUMP, BODY_ENDED },
        [BENCH_LOOP_COMPLETE] = { RUNNER_END_COMPLETE, BODY_COMPLETE },
        [BENCH_LOOP_BROKEN] = { RUNNER_END_BREAK, BODY_ENDED },
        [BENCH_LOOP_RETURNED] = { RUNNER_END_RETURN, BODY_ENDED },
};

static void body_main(void *argument) {
        Body *body = argument;
        const struct bench_options *options = &body->descriptor->options;

        if (options->setup)
                options->setup(&body->bench);
        body->descriptor->run(&body->bench);
        if (options->teardown)
                options->teardown(&body->bench);

        if (body->bench.loop_state >= sizeof body_returned / sizeof *body_returned)
                body_abandon(body, RUNNER_END_FAILED, "the module overwrote what is the runner's");
        body->end = body_returned[body->bench.loop_state].end;
        body_leave(body, body_returned[body->bench.loop_state].state);
}

int body_new(const struct bench_descriptor *descriptor, const RunnerPlan *plan, Body **ret_body) {
        Body *body;
        int r;

        body = calloc(1, sizeof *body);
        if (!body)
                return error_origin(-ENOMEM);
        body->descriptor = descriptor;
        body->detectors = plan->clock.detectors;
        body->pmu_counters = plan->n_threads == 1 ? plan->clock.counters : 0; /* they count the first thread */
        body->bench = (struct bench){
                .begin = body_begin,
                .next = body_next,
                .fail = body_fail,
                .skip = body_skip,
                .threw = body_threw,
                .refuse = body_refuse,
                .counter = body_counter,
                .inputs = body_inputs,
                .runner = body,
                .args = plan->args,
                .n_args = plan->n_args,
                .ops = descriptor->options.ops > 0 ? descriptor->options.ops : 1,
                .repeat = 1,
                .threads = 1,
        };

        r = context_new(BODY_STACK_BYTES, plan->stack_offset_bytes, body_main, body, &body->context);
        if (r) {
                free(body);
                return error_trace(r);
        }
        *ret_body = body;
        return 0;
}

Body *body_free(Body *body) {
        if (!body)
                return NULL;
        context_free(body->context);
        inputs_free(body->inputs);
        free(body);
        return NULL;
}

BodyState body_start(Body *body) {
        context_resume(body->context);
        return body->state;
}

uint64_t body_iterations_max(const Body *body) {
        return body->inputs ? inputs_max(body->inputs) : UINT64_MAX;
}

BodyState body_run_batch(Body *body, uint64_t iterations, BodyBatch *ret_batch) {
        body->batch = (BodyBatch){ .iterations = iterations };
        context_resume(body->context);
        *ret_batch = body->batch;
        return body->state;
}

BodyState body_finish(Body *body) {
        body->batch = (BodyBatch){};
        context_resume(body->context);
        return body->state;
}

RunnerEnd body_end(const Body *body, const char **ret_message) {
        *ret_message = body->message;
        return body->end;
}

void body_tell(const Body *body, SampleBlock *block) {
        block->ops_per_iteration = (double)body->bench.ops * body->bench.repeat;
        block->items_per_iteration = body->bench.items;
        block->bytes_per_iteration = body->bench.bytes;
        block->inputs_max = body->inputs ? inputs_max(body->inputs) : 0;
        block->n_counters = body->n_counters;
        memcpy(block->counters, body->counters, sizeof block->counters);
}
