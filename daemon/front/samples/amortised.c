/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/amortised.h"

#include <math.h>
#include <stdlib.h>

#include "front/samples/sample.h"
#include "util/cleanup.h"
#include "util/error.h"

#define AMORTISED_CONFIDENCE      0.95
#define AMORTISED_INTERRUPT_SHARE 0.01

void amortised_deinit(Amortised *amortised) {
        free(amortised->extra_ns);
        *amortised = (Amortised){};
}

/* The longest time of @sample, of so many operations, that its marks explain. */
static double explained_ns(const Sample *sample, double operations, double batch_ns, const AmortisedLevels *levels) {
        const bool beside = sample_has_company(sample) && levels->shared_ns > levels->alone_ns;
        const double level_ns = operations * (beside ? levels->shared_ns : levels->alone_ns);

        if (sample->flags & MARK_INTERRUPTED)
                return level_ns + fmax(AMORTISED_UNSEEN_NS, AMORTISED_INTERRUPT_SHARE * batch_ns);
        return level_ns + AMORTISED_UNSEEN_NS;
}

int amortised_add(Amortised *amortised, const SampleBlock *block, const ClockFacts *clock, const double *ns,
                const AmortisedLevels *levels) {
        double *extras = reallocarray(amortised->extra_ns, amortised->n_processes + 1, sizeof *extras);
        double extra_ns = 0, operations = 0;
        uint64_t n_long = 0;

        if (!extras)
                return error_origin(-ENOMEM);
        amortised->extra_ns = extras;
        for (uint32_t i = 0; i < block->n_samples; i++) {
                const Sample *sample = &block->samples[i];
                const double of_batch = sample->iterations * sample_block_ops(block, sample);
                const double batch_ns = ns[i] * of_batch, longest = explained_ns(sample, of_batch, batch_ns, levels);

                if (sample->flags & MARKS_DISTURBED)
                        continue;
                operations += of_batch;
                amortised->n_batches++;
                if (!(batch_ns > AMORTISED_LONG * longest))
                        continue;
                extra_ns += batch_ns - longest;
                n_long++;
        }
        extras[amortised->n_processes++] = operations > 0 ? extra_ns / operations : 0;
        amortised->n_with += n_long > 0;
        amortised->n_long += n_long;
        amortised->long_ns += extra_ns;
        return 0;
}

bool amortised_find(const Amortised *amortised, const double *medians, const uint32_t *places, double point,
                double half, AmortisedFound *ret_found) {
        _cleanup_(freep) double *means = calloc(amortised->n_processes + 1, sizeof *means);
        _cleanup_(freep) uint32_t *means_places = calloc(amortised->n_processes + 1, sizeof *means_places);
        AmortisedFound found;
        size_t n = 0;

        if (!means || !means_places || amortised->n_long < AMORTISED_BATCHES_MIN ||
                        amortised->n_with < AMORTISED_PROCESSES * amortised->n_processes)
                return false;
        for (size_t i = 0; i < amortised->n_processes; i++) {
                if (!isfinite(medians[i]))
                        continue;
                means_places[n] = places[i];
                means[n++] = medians[i] + amortised->extra_ns[i];
        }
        if (interval_of_mean(means, means_places, n, AMORTISED_CONFIDENCE, &found.mean) != 0 ||
                        !(log(found.mean.point / point) > fmax(log1p(AMORTISED_MIN), isfinite(half) ? half : 0)))
                return false;
        found.batches = (double)amortised->n_batches / amortised->n_long;
        found.extra_ns = amortised->long_ns / amortised->n_long;
        *ret_found = found;
        return true;
}
