/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/throughput.h"

#include <math.h>
#include <stdlib.h>

#include "front/disturbance.h"
#include "front/message.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

/* The median of what the samples of @thread took, an operation; in @work, of as many as there are samples. NaN: it has none. */
static double thread_median(const SampleBlock *block, uint32_t thread, const double *ns, bool all, double *work) {
        size_t n = 0;

        for (uint32_t i = 0; i < block->n_samples; i++)
                if (block->samples[i].thread == thread && (all || disturbance_is_none(&block->samples[i])))
                        work[n++] = ns[i];
        if (n == 0 && !all)
                return thread_median(block, thread, ns, true, work);
        return n > 0 ? median_of(work, n) : NAN;
}

/* How many iterations a second @thread goes through; NaN where its time is not above zero. */
static double thread_rate(const SampleBlock *block, uint32_t thread, double median_ns) {
        return median_ns > 0 ? NS_PER_S / (median_ns * block->threads[thread].ops_per_iteration) : NAN;
}

int throughput_add(Throughput *throughput, const SampleBlock *block, const double *ns, bool all) {
        _cleanup_(freep) double *work = malloc(block->n_samples * sizeof *work);
        double items = 0, bytes = 0;

        if (!work)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_threads; i++) {
                double rate = thread_rate(block, i, thread_median(block, i, ns, all, work));

                items += rate * block->threads[i].items_per_iteration;
                bytes += rate * block->threads[i].bytes_per_iteration;
        }
        throughput->log_items += log(items);
        throughput->log_bytes += log(bytes);
        throughput->n_processes++;
        return 0;
}

/* A process that told nothing has the log of zero. */
static bool is_told(double log_sum) {
        return isfinite(log_sum);
}

int throughput_report(const Throughput *throughput, Arena *arena, Benchd__Throughput **ret_message) {
        Benchd__Throughput *message;

        if (throughput->n_processes == 0 || (!is_told(throughput->log_items) && !is_told(throughput->log_bytes)))
                return 0;
        message = message_new(arena, Benchd__Throughput, benchd__throughput);
        if (!message)
                return error_origin(-ENOMEM);
        if (is_told(throughput->log_items))
                message_set_finite(message, items_per_second, exp(throughput->log_items / throughput->n_processes));
        if (is_told(throughput->log_bytes))
                message_set_finite(message, bytes_per_second, exp(throughput->log_bytes / throughput->n_processes));
        *ret_message = message;
        return 0;
}
