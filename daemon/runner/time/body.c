/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BODY_REHEARSALS 20u /* about 20 us at 4 GHz */
#define BENCH_NO_MODULE
#include "runner/time/body.h"

#include <benchd/bench.h>

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runner/load/own-memory.h"
#include "runner/time/barrier.h"
#include "runner/time/cold.h"
#include "runner/time/context.h"
#include "runner/time/inputs.h"
#include "runner/time/now.h"
#include "runner/watch/detect.h"
#include "runner/watch/report.h"
#include "util/error.h"

/*
 * The processor predicts returns with a stack of return addresses. The runner makes system calls between batches, unlike a program in its
 * loop, and some of them leave that stack in an unusual state: on Zen 5 a loop of short calls then took up to 6 more cycles per call for
 * milliseconds, unless calls went deep once.
 */

#define RETURNS_DEPTH 64u /* Zen 5 keeps 52 addresses, others 16 to 32 */

/* The asm statements keep the compiler from turning the recursion into a loop, and from knowing its depth. */
static __attribute__((noinline)) void returns_descend(unsigned depth) {
        __asm__("" : "+r"(depth));
        if (depth == 0)
                return;
        returns_descend(depth - 1);
        __asm__ volatile("" : : : "memory");
}

/* Calls deeper than any processor's return stack, and returns. Takes about 0.1 µs and 1 KiB of the caller's stack. */
static void returns_fill(void) {
        returns_descend(RETURNS_DEPTH);
}

#define BODY_UNTIMED_SHARE 8u /* one untimed iteration for this many of a batch */

struct Body {
        struct bench bench;
        struct bench_watch watch;
        const struct bench_descriptor *descriptor;
        Context *context;
        Barrier *meeting;         /* NULL: there is one thread */
        const Body *first;        /* of those that meet; NULL: one thread */
        void *setup_context;      /* of the first body, from .setup */
        Inputs *inputs;           /* NULL: none were asked for */
        BodyCounting *counting;   /* NULL: no counting */
        Cold *cold;               /* NULL: caches are not emptied */
        TickStopwatch *stopwatch; /* NULL: the time-stamp counter */
        TickStopwatch *cpu_clock; /* NULL: the stopwatch times batches */
        UsageClockCost cpu_cost;
        double ticks_per_ns;
        uintptr_t loop_address;
        uint32_t detectors;
        uint32_t pmu_counters;
        uint32_t port_chains; /* of the port probe; 0: no probes */
        uint32_t rehearsals;  /* of the probes before each reading */
        BodyState state;
        bool began;   /* a batch was run */
        bool manual;  /* it reports the time of its iterations itself */
        bool leads;   /* iterations may run untimed before a batch */
        bool untimed; /* ... and do so now */
        BodyBatch batch;
        RunnerEnd end;
        char message[SAMPLE_BLOCK_MESSAGE_MAX];
        char label[SAMPLE_BLOCK_LABEL_MAX];
        uint32_t n_counters;
        SampleCounter counters[SAMPLE_BLOCK_COUNTERS_MAX];
        uint32_t n_counted;
        SampleCounter counted[SAMPLE_BLOCK_COUNTERS_MAX]; /* within the loop: their names */
        int64_t integers[RUNNER_ARGS_MAX];
        struct bench_argument arguments[RUNNER_ARGS_MAX];
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

static void body_begin_counting(Body *body) {
        body->counting->read(&body->counting->before);
        body->counting->begin(&body->bench.pause_began_ticks);
}

static void body_end_counting(Body *body) {
        body->counting->end();
        body->counting->read(&body->counting->after);
}

/* If another body will never arrive, that one reports the reason. */
static void body_meet(Body *body) {
        if (body->meeting && barrier_wait(body->meeting, BARRIER_FOREVER_NS))
                body_leave(body, BODY_ENDED);
}

/*
 * A whole command leaves the core with the habits of its own code, in which a probe is as slow as beside a neighbour: it is
 * rehearsed until it knows the way.
 */
static void body_probe(const Body *body, ProbeReading *ret_reading) {
        if (body->port_chains == 0)
                return;
        for (uint32_t i = 0; i < body->rehearsals; i++) {
                (void)probe_branches(PROBE_STEPS);
                (void)probe_ports(body->port_chains, PROBE_STEPS);
        }
        *ret_reading = (ProbeReading){
                .branch_ticks = probe_branches(PROBE_STEPS),
                .ports_ticks = probe_ports(body->port_chains, PROBE_STEPS),
        };
}

/*
 * Starts the clock when all have arrived: nearly at the same moment, however long each had to wait. Returns the batch's
 * length.
 */
static uint64_t body_start_clock(Body *body) {
        const uint64_t iterations = body->batch.iterations;

        body->bench.batch = iterations;
        body->bench.paused_ticks = 0;
        body->bench.n_pauses = 0;
        body->bench.manual_ns = 0;
        body->bench.n_manual = 0;
        memset(body->batch.counts, 0, body->n_counted * sizeof *body->batch.counts); /* of untimed iterations */
        if (body->meeting && barrier_spin(body->meeting))
                body_leave(body, BODY_ENDED);
        usage_begin_counting(&body->batch.usage, body->pmu_counters);
        if (body->pmu_counters != 0)
                returns_fill();
        body->batch.cpu_start = sched_getcpu();
        if (body->cpu_clock)
                body->batch.cpu_ns = body->cpu_clock();
        detect_watch(body->detectors, &body->watch);
        detect_arm(body->detectors);
        body->batch.start_ticks = tick_stopwatch_start(body->stopwatch);
        return iterations;
}

/* None if the author counts iterations or prepares each, or if allocations are counted. */
static uint64_t body_untimed_iterations(const Body *body) {
        return body->leads && !body->inputs && !body->counting ? body->batch.iterations / BODY_UNTIMED_SHARE : 0;
}

/*
 * Waits until a batch is wanted, and prepares it. The probes come before untimed iterations: after them they would take the body's effects
 * for a neighbour's (runner/time/side.h). Returns the number of iterations to run next, timed or untimed; 0 at the end of the loop.
 */
static uint64_t body_wait_for_batch(Body *body) {
        uint64_t iterations;

        body->state = BODY_WAITS;
        context_yield(body->context);

        iterations = body->batch.iterations;
        if (iterations == 0) {
                body->bench.batch = 0;
                body->bench.loop_state = BENCH_LOOP_COMPLETE;
                return 0;
        }
        if (body->inputs)
                inputs_fill(body->inputs, &body->bench, iterations);
        if (body->counting)
                body_begin_counting(body);
        if (body->cold)
                cold_empty(body->cold);
        body_meet(body);
        usage_begin(&body->batch.usage);
        body_probe(body, &body->batch.before);
        returns_fill();
        body->batch.began_ticks = tick_stopwatch_start(body->stopwatch);
        body->bench.batch = body_untimed_iterations(body);
        body->untimed = body->batch.led = body->bench.batch > 0;
        return body->untimed ? body->bench.batch : body_start_clock(body);
}

/* Refuses an impossible amount, and drops it. */
static void body_check_amount(Body *body, const char *name, double *amount) {
        const double is = *amount;

        if (isfinite(is) && is >= 0)
                return;
        *amount = 0;
        body_abandon(body, RUNNER_END_MISUSE, "%s(b, %g): a number from 0 on", name, is);
}

/* Checks the amounts per iteration that the body reports, because results are divided by them. */
static void body_check_amounts(Body *body) {
        if (body->bench.ops == 0)
                body_abandon(body, RUNNER_END_MISUSE, "bench_ops(b, 0): an iteration is one operation or more");
        if (body->bench.ops > RUNNER_ITERATIONS_MAX)
                body_abandon(body, RUNNER_END_MISUSE,
                                "bench_ops(b, %" PRIu64 "): an iteration is at most %" PRIu64 " operations",
                                body->bench.ops, (uint64_t)RUNNER_ITERATIONS_MAX);
        body_check_amount(body, "bench_items", &body->bench.items);
        body_check_amount(body, "bench_bytes", &body->bench.bytes);
}

static uint64_t body_begin(struct bench *b) {
        Body *body = b->runner;

        if (b->loop_state == BENCH_LOOP_RUNNING)
                body_abandon(body, RUNNER_END_SECOND_LOOP, "the second stands within the first");
        if (b->loop_state != BENCH_LOOP_NOT_BEGUN)
                body_abandon(body, RUNNER_END_SECOND_LOOP, "the second stands after the first");
        b->loop_state = BENCH_LOOP_RUNNING;
        body->loop_address = (uintptr_t)__builtin_return_address(0);
        body_check_amounts(body);
        return body_wait_for_batch(body);
}

/* Takes the times that the body reported: for every iteration of every batch, or for none. */
static void body_take_manual(Body *body) {
        const struct bench *b = &body->bench;

        if (!body->began)
                body->manual = b->n_manual > 0;
        body->began = true;
        if (b->n_manual != (body->manual ? body->batch.iterations : 0))
                body_abandon(body, RUNNER_END_MISUSE,
                                "bench_manual_ns() %" PRIu64 " times in a batch of %" PRIu64
                                ": each iteration reports its time once, or none does",
                                b->n_manual, body->batch.iterations);
        if (body->manual && !(b->manual_ns >= SAMPLE_MANUAL_MIN_NS && b->manual_ns <= SAMPLE_MANUAL_MAX_NS))
                body_abandon(body, RUNNER_END_MISUSE,
                                "bench_manual_ns(): a batch took %g ns, which is no time: it takes %g to %g",
                                b->manual_ns, SAMPLE_MANUAL_MIN_NS, SAMPLE_MANUAL_MAX_NS);
        body->batch.manual_ns = b->manual_ns;
}

/*
 * Takes the CPU time, unless the body reported times itself; a batch that used none gets almost 0. Pauses were read with the same clock,
 * so in ticks they exclude waiting.
 */
static void body_take_cpu_time(Body *body) {
        const double paused_ns = body->batch.paused_ticks;
        const double ns = body->batch.cpu_ns - paused_ns - body->cpu_cost.batch_ns -
                          body->batch.n_pauses * body->cpu_cost.pause_ns;

        body->batch.paused_ticks = paused_ns * body->ticks_per_ns;
        if (!body->manual)
                body->batch.manual_ns = ns > SAMPLE_MANUAL_MIN_NS ? ns : SAMPLE_MANUAL_MIN_NS;
}

static void body_check_pause(Body *body) {
        if (body->bench.pause_began_ticks)
                body_abandon(body, RUNNER_END_MISUSE,
                                "bench_pause() without bench_resume(): the iteration ended paused");
}

/* Runs the author's code between batches, and clears what must not be left from one. */
static void body_after_batch(Body *body) {
        struct bench *b = &body->bench;

        body_check_pause(body);
        if (body->inputs && inputs_are_overdrawn(body->inputs, b, body->batch.iterations))
                body_abandon(body, RUNNER_END_MISUSE,
                                "bench_input() more than once an iteration: there is one input for each");
        body_take_manual(body);
        body->batch.paused_ticks = b->paused_ticks;
        body->batch.n_pauses = b->n_pauses;
        if (body->cpu_clock)
                body_take_cpu_time(body);
        if (b->n_pauses > 0 || body_untimed_iterations(body) > 0)
                usage_forgive_untimed(&body->batch.usage, body->detectors, body->batch.flags);
        if (body->inputs)
                inputs_drop(body->inputs, body->batch.iterations);
        if (body->descriptor->options.reset)
                body->descriptor->options.reset(b);
}

static uint64_t body_next(struct bench *b) {
        Body *body = b->runner;

        body->batch.stop_ticks = tick_stopwatch_stop(body->stopwatch);
        if (body->untimed) {
                body->untimed = false;
                body_check_pause(body);
                return body_start_clock(body);
        }
        body->batch.flags = detect_read(body->detectors) | detect_watched(&body->watch);
        if (body->cpu_clock)
                body->batch.cpu_ns = body->cpu_clock() - body->batch.cpu_ns;
        body->batch.cpu_stop = sched_getcpu();
        usage_end_counting(&body->batch.usage, body->pmu_counters);
        body_probe(body, &body->batch.after);
        usage_end(&body->batch.usage);
        if (body->counting)
                body_end_counting(body);
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

static void __attribute__((noreturn, format(printf, 2, 3))) body_misuse(struct bench *b, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        body_abandon_va(b, RUNNER_END_MISUSE, format, arguments);
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
                body_misuse(b, "bench_inputs() is called within the loop: call it before");
        if (body->inputs || wish->size == 0 || !wish->fill)
                body_misuse(b, "bench_inputs() needs a size and a function that fills, and is called once");
        if (inputs_new(wish, &body->inputs))
                body_misuse(b, "bench_inputs(): no memory for an input of %zu bytes", wish->size);
}

static void __attribute__((format(printf, 2, 3))) body_label(struct bench *b, const char *format, ...) {
        Body *body = b->runner;
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(body->label, sizeof body->label, format, arguments);
        va_end(arguments);
}

static SampleCounter *add_counter(struct bench *b, const char *name, SampleCounter *counters, uint32_t *n) {
        SampleCounter *counter = &counters[*n];

        if (*n == SAMPLE_BLOCK_COUNTERS_MAX)
                body_misuse(b, "bench_counter: more than %u counters", SAMPLE_BLOCK_COUNTERS_MAX);
        if (!report_name_is_valid(name))
                body_misuse(b, "bench_counter: %s is not a name (letters, digits and _ . - +, at most %u)", name,
                                RUNNER_NAME_MAX - 1);
        snprintf(counter->name, sizeof counter->name, "%s", name);
        (*n)++;
        return counter;
}

static void count_in_batch(struct bench *b, const char *name, double value) {
        Body *body = b->runner;
        uint32_t i = 0;

        if (body->meeting)
                body_misuse(b, "bench_counter() is called within the loop of several threads: call it after");
        while (i < body->n_counted && strcmp(body->counted[i].name, name) != 0)
                i++;
        if (i == body->n_counted)
                add_counter(b, name, body->counted, &body->n_counted);
        body->batch.counts[i] += value;
        body->batch.n_counted = body->n_counted;
}

static void body_counter(struct bench *b, const char *name, double value) {
        Body *body = b->runner;

        if (!isfinite(value))
                body_misuse(b, "bench_counter: the value of %s is not finite", name);
        if (b->loop_state == BENCH_LOOP_RUNNING)
                count_in_batch(b, name, value);
        else
                add_counter(b, name, body->counters, &body->n_counters)->value = value;
}

/* The state of the loop once the body has returned. */
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

static void body_set_up(Body *body) {
        const struct bench_options *options = &body->descriptor->options;

        if (body->cpu_clock)
                body->cpu_cost = usage_clock_cost(body->cpu_clock, body->stopwatch);
        if (options->setup && body->bench.thread == 0)
                options->setup(&body->bench);
        body->setup_context = body->bench.context;
        body_meet(body);
        if (body->first)
                body->bench.context = body->first->setup_context;
}

/* A body of several that left its loop meets no other. */
static void body_tear_down(Body *body) {
        const struct bench_options *options = &body->descriptor->options;

        if (body->meeting && body->bench.loop_state != BENCH_LOOP_COMPLETE)
                return;
        body_meet(body);
        if (options->teardown && body->bench.thread == 0)
                options->teardown(&body->bench);
}

static void body_main(void *argument) {
        Body *body = argument;

        body_set_up(body);
        body->descriptor->run(&body->bench);
        body_check_amounts(body);
        body_tear_down(body);

        if (body->bench.loop_state >= sizeof body_returned / sizeof *body_returned)
                body_abandon(body, RUNNER_END_FAILED, "the module overwrote what is the runner's");
        body->end = body_returned[body->bench.loop_state].end;
        body->state = body_returned[body->bench.loop_state].state;
}

/* The arguments of @side with the names of @args, in order; the runner's own empty loop has none. */
static void body_set_arguments(Body *body, const struct bench_args *args, const RunnerSide *side) {
        static const uint32_t kinds[_ARGUMENT_KIND_N] = {
                [ARGUMENT_INTEGER] = BENCH_AXIS_INTEGERS,
                [ARGUMENT_REAL] = BENCH_AXIS_REALS,
                [ARGUMENT_TEXT] = BENCH_AXIS_TEXTS,
        };
        const struct bench_axis *axis = args->axes, *end = args->axes + BENCH_AXES_MAX;

        for (uint32_t i = 0; i < side->n_args; i++) {
                const ArgumentValue *value = &side->args[i];
                struct bench_argument *argument = &body->arguments[i];

                while (axis < end && !axis->name)
                        axis++;
                argument->name = axis < end ? axis++->name : "?";
                argument->kind = kinds[value->kind];
                if (value->kind == ARGUMENT_REAL)
                        argument->real = value->real;
                else if (value->kind == ARGUMENT_TEXT)
                        argument->text = value->text;
                else
                        body->integers[i] = value->integer;
        }
        body->bench.args = body->integers;
        body->bench.arguments = body->arguments;
        body->bench.n_args = side->n_args;
}

static int body_make_context(Body *body, const RunnerPlan *plan, BodyStack stack) {
        if (plan->options & RUNNER_OPTION_HERE)
                return error_trace(context_new_thread(runner_plan_stack_bytes(plan), body_main, body, &body->context));
        if (stack == BODY_STACK_OWN)
                return error_trace(context_new_own(plan->stack_offset_bytes, body_main, body, &body->context));
        return error_trace(context_new(runner_plan_stack_bytes(plan), plan->stack_offset_bytes, body_main, body,
                        &body->context));
}

int body_new(const struct bench_descriptor *descriptor, const RunnerPlan *plan, uint32_t side, BodyStack stack,
                Body **ret_body) {
        Body *body;
        int r;

        body = own_memory_new(sizeof *body);
        if (!body)
                return error_origin(-ENOMEM);
        body->descriptor = descriptor;
        body->detectors = plan->clock.detectors;
        body->pmu_counters = plan->n_threads == 1 ? plan->clock.counters : 0; /* they count the first thread */
        body->port_chains = plan->clock.port_chains;
        body->rehearsals = plan->options & RUNNER_OPTION_COMMANDS ? BODY_REHEARSALS : 0;
        body->stopwatch = now_stopwatch(&plan->clock);
        body->ticks_per_ns = plan->clock.hz / 1e9;
        body->leads = plan->schedule.pace == RUNNER_PACE_SETTLED && plan->schedule.iterations == 0 &&
                      !descriptor->options.reset;
        if (plan->options & RUNNER_OPTION_CPU_TIME)
                body->cpu_clock = plan->n_threads == 1 ? usage_clock_process : usage_clock_thread;
        body->bench = (struct bench){
                .begin = body_begin,
                .next = body_next,
                .fail = body_fail,
                .skip = body_skip,
                .threw = body_threw,
                .refuse = body_refuse,
                .counter = body_counter,
                .inputs = body_inputs,
                .misuse = body_misuse,
                .label = body_label,
                .clock = body->cpu_clock ? body->cpu_clock : body->stopwatch, /* of pauses */
                .watch = &body->watch,
                .runner = body,
                .ops = descriptor->options.ops > 0 ? descriptor->options.ops : 1,
                .repeat = 1,
                .threads = plan->n_threads,
        };

        body_set_arguments(body, &descriptor->options.args, &plan->sides[side]);
        r = body_make_context(body, plan, stack);
        if (r == 0 && (plan->options & RUNNER_OPTION_COLD))
                r = cold_hold(cold_cache_largest(), &body->cold);
        if (r) {
                body_free(body);
                return error_trace(r);
        }
        *ret_body = body;
        return 0;
}

void body_join(Body *body, uint32_t thread, Barrier *meeting, const Body *first) {
        body->bench.thread = thread;
        body->meeting = meeting;
        body->first = first;
}

Body *body_free(Body *body) {
        if (!body)
                return NULL;
        context_free(body->context);
        inputs_free(body->inputs);
        cold_release(body->cold);
        own_memory_free(body, sizeof *body);
        return NULL;
}

static BodyState body_resume(Body *body) {
        context_resume(body->context);
        report_expel_child();
        if (context_is_lost(body->context)) {
                body->end = RUNNER_END_THREAD;
                body->state = BODY_ENDED;
        }
        return body->state;
}

BodyState body_start(Body *body) {
        return body_resume(body);
}

uint64_t body_iterations_max(const Body *body) {
        return body->inputs ? inputs_max(body->inputs) : UINT64_MAX;
}

BodyState body_run_batch(Body *body, uint64_t iterations, BodyBatch *ret_batch) {
        body->batch = (BodyBatch){ .iterations = iterations, .n_counted = body->n_counted };
        (void)body_resume(body);
        *ret_batch = body->batch;
        return body->state;
}

void body_count(Body *body, BodyCounting *counting) {
        body->counting = counting;
}

BodyState body_finish(Body *body) {
        body->batch = (BodyBatch){};
        return body_resume(body);
}

RunnerEnd body_end(const Body *body, const char **ret_message) {
        *ret_message = body->message;
        return body->end;
}

void body_tell(const Body *body, BodyTold *ret_told) {
        *ret_told = (BodyTold){
                .thread = {
                        .ops_per_iteration = (double)body->bench.ops * body->bench.repeat,
                        .items_per_iteration = body->bench.items,
                        .bytes_per_iteration = body->bench.bytes,
                },
                .loop_address = body->loop_address,
                .inputs_max = body->inputs ? inputs_max(body->inputs) : 0,
                .counters = body->counters,
                .n_counters = body->n_counters,
                .counted = body->counted,
                .n_counted = body->n_counted,
                .label = body->label,
                .cpu_clock = body->manual ? (UsageClockCost){} : body->cpu_cost,
        };
}
