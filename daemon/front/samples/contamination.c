/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/contamination.h"

#include <math.h>

#include "front/samples/sample.h"

/* The visits of a neighbour by how many batches in a row had it, and the samples of each kind. */
typedef struct Visits {
        uint32_t n_quiet;
        uint32_t n_shared;
        uint32_t n_first; /* quiet ones of the first thread, whose visits these are: */
        double n_of_one;
        double n_of_two;
} Visits;

static void visits_end(Visits *visits, uint32_t length) {
        visits->n_of_one += length == 1;
        visits->n_of_two += length == 2;
}

/* The order in time is that of the first thread. */
static Visits visits_of(const SampleBlock *block) {
        Visits visits = {};
        uint32_t length = 0;

        for (uint32_t i = 0; i < block->n_samples; i++) {
                const SampleClass class = sample_class(&block->samples[i]);

                visits.n_quiet += class <= SAMPLE_CLASS_QUIET;
                visits.n_shared += class == SAMPLE_CLASS_SHARED;
                if (block->samples[i].thread != 0)
                        continue;
                visits.n_first += class <= SAMPLE_CLASS_QUIET;
                if (class == SAMPLE_CLASS_SHARED) {
                        length++;
                        continue;
                }
                visits_end(&visits, length);
                length = 0;
        }
        visits_end(&visits, length);
        return visits;
}

double contamination_of(const SampleBlock *block) {
        const Visits visits = visits_of(block);
        const double unseen = visits.n_of_one * (visits.n_of_one - 1) / (2 * (visits.n_of_two + 1));

        if (visits.n_shared == 0 || visits.n_quiet == 0)
                return 0;
        return fmin(1, (visits.n_first > 0 ? unseen / visits.n_first : 0) +
                                        CONTAMINATION_PASSED * visits.n_shared / visits.n_quiet);
}
