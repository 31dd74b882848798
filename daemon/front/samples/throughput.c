/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/throughput.h"

#include <math.h>
#include <stdlib.h>

#include "front/base/message.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

/*
 * The median of the samples of @thread, up to class @worst; of all if it has none of these. In @work, of as many as there are
 * samples. NaN: it has none.
 */
static double thread_median(const SampleBlock *block, uint32_t thread, const double *ns, SampleClass worst,
                double *work) {
        size_t n = 0;

        for (uint32_t i = 0; i < block->n_samples; i++)
                if (block->samples[i].thread == thread && sample_class(&block->samples[i]) <= worst)
                        work[n++] = ns[i];
        if (n == 0 && worst < SAMPLE_CLASS_TAKEN)
                return thread_median(block, thread, ns, SAMPLE_CLASS_TAKEN, work);
        return n > 0 ? quantile_median(work, n) : NAN;
}

/* Adds a process; iterations a second are unknown where a time is not above zero. */
static void sums_add(ThroughputSums *sums, const SampleBlock *block, const double *ns, SampleClass worst,
                double *work) {
        double items = 0, bytes = 0;

        for (uint32_t i = 0; i < block->n_threads; i++) {
                double median_ns = thread_median(block, i, ns, worst, work);
                double rate = median_ns > 0 ? NS_PER_S / (median_ns * block->threads[i].ops_per_iteration) : NAN;

                items += rate * block->threads[i].items_per_iteration;
                bytes += rate * block->threads[i].bytes_per_iteration;
        }
        sums->log_items += log(items);
        sums->log_bytes += log(bytes);
        sums->n_processes++;
}

int throughput_add(Throughput *throughput, const SampleBlock *block, const double *ns, SampleClass worst) {
        _cleanup_(freep) double *work = malloc(block->n_samples * sizeof *work);

        if (!work)
                return error_origin(-ENOMEM);
        sums_add(&throughput->all, block, ns, SAMPLE_CLASS_TAKEN, work);
        if (worst <= SAMPLE_CLASS_QUIET)
                sums_add(&throughput->quiet, block, ns, worst, work);
        return 0;
}

/* A process that reported nothing has the log of zero. */
static bool is_told(double log_sum) {
        return isfinite(log_sum);
}

int throughput_report(const Throughput *throughput, bool alone, Arena *arena, Benchd__Throughput **ret_message) {
        const ThroughputSums *sums = alone ? &throughput->quiet : &throughput->all;
        Benchd__Throughput *message;

        if (sums->n_processes == 0 || (!is_told(sums->log_items) && !is_told(sums->log_bytes)))
                return 0;
        message = message_new(arena, Benchd__Throughput, benchd__throughput);
        if (!message)
                return error_origin(-ENOMEM);
        if (is_told(sums->log_items))
                message_set_finite(message, items_per_second, exp(sums->log_items / sums->n_processes));
        if (is_told(sums->log_bytes))
                message_set_finite(message, bytes_per_second, exp(sums->log_bytes / sums->n_processes));
        *ret_message = message;
        return 0;
}
