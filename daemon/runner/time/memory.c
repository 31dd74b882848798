/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/time/memory.h"

#include <benchd/bench.h>

#include <dlfcn.h>

#include "runner/load/own-malloc.h"
#include "runner/time/body.h"
#include "runner/watch/report.h"
#include "util/cleanup.h"
#include "util/time.h"

#define MEMORY_SINGLES    8u    /* batches of one iteration */
#define MEMORY_ITERATIONS 1000u /* of the long batch */
#define MEMORY_BATCHES    10u   /* if their length is given */
#define MEMORY_BUDGET_NS  250000000ull

static bool memory_find_library(BodyCounting *ret_counting) {
        BodyCounting counting = {
                .begin = dlsym(RTLD_DEFAULT, COUNT_BEGIN_NAME),
                .end = dlsym(RTLD_DEFAULT, COUNT_END_NAME),
                .read = dlsym(RTLD_DEFAULT, COUNT_READ_NAME),
        };

        *ret_counting = counting;
        return counting.begin && counting.end && counting.read;
}

static uint64_t least_of(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

/* A pass under way. */
typedef struct MemoryPass {
        Body *body;
        BodyCounting counting; /* of the last batch */
        MemoryBlock *block;
        uint64_t began_ns;
        uint64_t one_ns; /* of an iteration in the last batch */
} MemoryPass;

static BodyState memory_batch(MemoryPass *pass, uint64_t iterations) {
        uint64_t began_ns = time_monotonic_ns();
        BodyBatch batch;
        BodyState state;

        state = body_run_batch(pass->body, iterations, &batch);
        pass->one_ns = (time_monotonic_ns() - began_ns) / iterations + 1;
        return state;
}

/* The most of its own allocations that the last batch held at once. */
static uint64_t memory_peak(const MemoryPass *pass) {
        const CountTotals *before = &pass->counting.before, *after = &pass->counting.after;

        return after->peak_bytes > before->live_bytes ? after->peak_bytes - before->live_bytes : 0;
}

static BodyState memory_singles(MemoryPass *pass) {
        BodyState state = BODY_WAITS;

        for (unsigned i = 0; i < MEMORY_SINGLES && state == BODY_WAITS; i++) {
                if (i > 0 && time_monotonic_ns() - pass->began_ns > MEMORY_BUDGET_NS)
                        break;
                state = memory_batch(pass, 1);
                pass->block->iterations_counted++;
                if (memory_peak(pass) > pass->block->peak_bytes_per_iteration)
                        pass->block->peak_bytes_per_iteration = memory_peak(pass);
        }
        return state;
}

static void memory_add_batch(MemoryPass *pass, uint64_t iterations) {
        const CountTotals *before = &pass->counting.before, *after = &pass->counting.after;
        MemoryBlock *block = pass->block;

        block->iterations += iterations;
        block->iterations_counted += iterations;
        block->iterations_per_batch = iterations;
        block->allocations += after->allocations - before->allocations;
        block->frees += after->frees - before->frees;
        block->bytes += after->bytes - before->bytes;
        block->retained_bytes += (int64_t)(after->live_bytes - before->live_bytes);
        if (memory_peak(pass) > block->peak_bytes_per_batch)
                block->peak_bytes_per_batch = memory_peak(pass);
}

/* How many iterations as long as the last fit the budget. */
static uint64_t memory_fit(const MemoryPass *pass, uint64_t wanted) {
        uint64_t fit = least_of(wanted, MEMORY_BUDGET_NS / pass->one_ns);

        return least_of(fit > 0 ? fit : 1, body_iterations_max(pass->body));
}

/* Runs one long batch; if state grows from iteration to iteration, several of the given length. */
static BodyState memory_longs(MemoryPass *pass, uint64_t given) {
        uint64_t iterations =
                        given ? least_of(given, body_iterations_max(pass->body)) : memory_fit(pass, MEMORY_ITERATIONS);
        uint64_t n = given ? memory_fit(pass, MEMORY_BATCHES * iterations) / iterations : 1;
        BodyState state;

        do {
                state = memory_batch(pass, iterations);
                if (state == BODY_WAITS)
                        memory_add_batch(pass, iterations);
        } while (state == BODY_WAITS && n-- > 1);
        return state;
}

static BodyState memory_batches(MemoryPass *pass, uint64_t given) {
        BodyState state;

        report_phase(&pass->block->head, RUNNER_PHASE_FIRST_CALL);
        state = memory_batch(pass, 1);
        body_count(pass->body, &pass->counting);
        report_phase(&pass->block->head, RUNNER_PHASE_SAMPLING);
        pass->began_ns = time_monotonic_ns();
        if (state == BODY_WAITS)
                state = memory_singles(pass);
        return state == BODY_WAITS ? memory_longs(pass, given) : state;
}

/* After .teardown, blocks that still exist were never freed. A loop that was left has not ended the counting. */
static void memory_tell_leaks(MemoryPass *pass) {
        CountTotals totals;

        pass->counting.end();
        pass->counting.read(&totals);
        pass->block->leaked_blocks = totals.live_blocks;
        pass->block->leaked_bytes = totals.live_bytes;
        if (totals.lost > 0)
                pass->block->state = MEMORY_STATE_LOST;
}

static void memory_count(MemoryPass *pass, uint64_t given) {
        const char *message;
        RunnerEnd end;

        report_phase(&pass->block->head, RUNNER_PHASE_SETUP);
        if (body_start(pass->body) == BODY_WAITS && memory_batches(pass, given) == BODY_WAITS) {
                report_phase(&pass->block->head, RUNNER_PHASE_TEARDOWN);
                body_finish(pass->body);
        }
        memory_tell_leaks(pass);
        end = body_end(pass->body, &message);
        report_end(&pass->block->head, end, "%s", message);
}

void memory_run(const RunnerPlan *plan, const struct bench_descriptor *descriptor, int module_fd, MemoryBlock *block) {
        _cleanup_(body_freep) Body *body = NULL;
        MemoryPass pass = { .block = block };

        if (!memory_find_library(&pass.counting))
                block->state = MEMORY_STATE_NO_LIBRARY;
        else if (own_malloc_in(module_fd))
                block->state = MEMORY_STATE_OWN_MALLOC;
        if (block->state != MEMORY_STATE_COUNTED) {
                report_end(&block->head, RUNNER_END_COMPLETE, "%s", "");
                return;
        }
        if (body_new(descriptor, plan, 0, BODY_STACK_OWN, &body)) {
                report_end(&block->head, RUNNER_END_INTERNAL, "no memory for a stack");
                return;
        }
        pass.body = body;
        memory_count(&pass,
                        plan->schedule.iterations == 0 && descriptor->options.reset ? 1 : plan->schedule.iterations);
}
