/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/empty-loop.h"

#include <math.h>

#include "front/base/message.h"
#include "stats/pool.h"
#include "util/error.h"
#include "util/time.h"

void empty_loop_deinit(EmptyLoop *loop) {
        quantity_deinit(&loop->time_ns);
        quantity_deinit(&loop->cycles);
        *loop = (EmptyLoop){};
}

bool empty_loop_is_resolved(const SampleBlock *block, const ClockFacts *clock) {
        return block->n_loop_samples > 0 &&
               sample_net_ticks(&block->loop_samples[0], clock) >= EMPTY_LOOP_STEPS_MIN * clock->quantum_ticks;
}

int empty_loop_add(EmptyLoop *loop, const SampleBlock *block, const ClockFacts *clock) {
        const QuantityConditions conditions = {};
        QuantityProcess process;
        int r;

        if (block->n_loop_samples == 0)
                return 0;
        r = quantity_reserve(&loop->time_ns, block->n_loop_samples, 0);
        if (r == 0)
                r = quantity_reserve(&loop->cycles, block->n_loop_samples, 0);
        if (r)
                return error_trace(r);
        for (uint32_t i = 0; i < block->n_loop_samples; i++) {
                const Sample *sample = &block->loop_samples[i];
                const double ns = sample_operation_ns(block, sample, clock) * sample_block_ops(block, sample);
                const double core_hz = sample_core_hz(sample, clock);

                quantity_add(&loop->time_ns, ns, sample_class(sample));
                if (isfinite(core_hz))
                        quantity_add(&loop->cycles, ns * core_hz / NS_PER_S, sample_class(sample));
        }
        loop->step_ns = fmax(loop->step_ns,
                        sample_ticks_to_ns(clock->quantum_ticks, clock) / block->loop_samples[0].iterations);
        r = quantity_end_process(&loop->time_ns, &conditions, &process);
        if (r == 0)
                r = quantity_end_process(&loop->cycles, &conditions, &process);
        return error_trace(r);
}

int empty_loop_spread_ns(const EmptyLoop *loop, double *ret_spread_ns) {
        PoolSummary summary;
        int r;

        *ret_spread_ns = NAN;
        r = quantity_summarize(&loop->time_ns, &summary);
        if (r == POOL_E_EMPTY)
                return 0;
        if (r)
                return error_fold(r);
        *ret_spread_ns = summary.p95 - summary.p5;
        return 0;
}

static int report_cycles(const EmptyLoop *loop, Arena *arena, Benchd__EmptyLoop *message) {
        QuantityFloor floor;
        int r;

        if (!quantity_is_known(&loop->cycles)) {
                message->cycles = message_new(arena, Benchd__Quantity, benchd__quantity);
                if (!message->cycles)
                        return error_origin(-ENOMEM);
                message_set(message->cycles, source, BENCHD__QUANTITY__SOURCE__UNAVAILABLE);
                return 0;
        }
        r = quantity_report(&loop->cycles, 0, arena, &message->cycles, &floor);
        if (r)
                return error_trace(r);
        message_set(message->cycles, source, BENCHD__QUANTITY__SOURCE__RULER);
        return 0;
}

int empty_loop_report(const EmptyLoop *loop, Arena *arena, Benchd__EmptyLoop **ret_message) {
        Benchd__EmptyLoop *message;
        QuantityFloor floor;
        int r;

        *ret_message = NULL;
        if (loop->time_ns.n_processes == 0)
                return 0;
        message = message_new(arena, Benchd__EmptyLoop, benchd__empty_loop);
        if (!message)
                return error_origin(-ENOMEM);
        message_set(message, samples, quantity_count(&loop->time_ns));
        r = quantity_report(&loop->time_ns, loop->step_ns, arena, &message->time_ns, &floor);
        if (r == 0)
                r = report_cycles(loop, arena, message);
        if (r)
                return error_trace(r);
        *ret_message = message;
        return 0;
}
