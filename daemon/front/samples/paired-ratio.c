/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/paired-ratio.h"

#include <math.h>
#include <stdlib.h>

#include "front/samples/quantity.h"
#include "front/samples/sample.h"
#include "stats/interval.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

/* The log ratios of the turns so far, in order, and how quiet each was. */
typedef struct Turns {
        double *logs;
        SampleClass *classes;
        size_t n;
        size_t n_of[_SAMPLE_CLASS_N];
        uint32_t n_company;
        double steps; /* of the clock, relative: the sum over all */
} Turns;

static void turns_clear(Turns *turns) {
        free(turns->logs);
        free(turns->classes);
}

static double batch_operations(const SampleBlock *block, const Sample *sample) {
        return sample->iterations * sample_block_ops(block, sample);
}

static void turns_add(Turns *turns, const SampleBlock *new, const SampleBlock *old, uint32_t index,
                const ClockFacts *clock) {
        const Sample *of_new = &new->samples[index], *of_old = &old->samples[index];
        const double new_ticks = sample_net_ticks(of_new, clock), old_ticks = sample_net_ticks(of_old, clock);
        SampleClass class = sample_class(of_new), class_old = sample_class(of_old);

        if (new_ticks <= 0 || old_ticks <= 0)
                return;
        class = class_old > class ? class_old : class;
        turns->steps += sample_step_ticks(new, of_new, clock) / new_ticks +
                        sample_step_ticks(old, of_old, clock) / old_ticks;
        turns->n_of[class]++;
        turns->n_company += sample_has_company(of_new) || sample_has_company(of_old);
        turns->classes[turns->n] = class;
        turns->logs[turns->n++] =
                        log(new_ticks / batch_operations(new, of_new) / (old_ticks / batch_operations(old, of_old)));
}

/* The median over the turns up to @worst; in @work, with room for all. */
static double turns_median(const Turns *turns, SampleClass worst, double *work) {
        size_t n = 0;

        for (size_t i = 0; i < turns->n; i++)
                if (turns->classes[i] <= worst)
                        work[n++] = turns->logs[i];
        return quantile_median(work, n);
}

int paired_ratio_of(const SampleBlock *new, const SampleBlock *old, const ClockFacts *clock, PairedRatio *ret_ratio) {
        uint32_t n = new->n_samples < old->n_samples ? new->n_samples : old->n_samples;
        _cleanup_(freep) double *work = calloc(n + 1, sizeof *work);
        _cleanup_(turns_clear) Turns turns = {
                .logs = calloc(n + 1, sizeof *turns.logs),
                .classes = calloc(n + 1, sizeof *turns.classes),
        };
        SampleClass worst;

        if (!work || !turns.logs || !turns.classes)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < n; i++)
                turns_add(&turns, new, old, i, clock);
        if (turns.n == 0)
                return PAIRED_RATIO_E_NONE;
        worst = quantity_rule(turns.n_of);
        *ret_ratio = (PairedRatio){
                .quiet = worst <= SAMPLE_CLASS_QUIET ? turns_median(&turns, worst, work) : NAN,
                .all = turns_median(&turns, SAMPLE_CLASS_TAKEN, work),
                .step = turns.steps / turns.n,
                .n_not_quiet = turns.n_of[SAMPLE_CLASS_SHARED] + turns.n_of[SAMPLE_CLASS_BESIDE] +
                               turns.n_of[SAMPLE_CLASS_TAKEN],
                .n_company = turns.n_company,
        };
        return 0;
}

/* ---- ratios of several processes */

void paired_ratios_clear(PairedRatios *ratios) {
        free(ratios->logs);
        free(ratios->places);
        free(ratios->rounds);
        *ratios = (PairedRatios){};
}

/* Makes room for one more. */
static int paired_ratios_grow(PairedRatios *ratios) {
        double *logs = reallocarray(ratios->logs, ratios->n + 1, sizeof *logs);
        uint32_t *places, *rounds;

        if (!logs)
                return error_origin(-ENOMEM);
        ratios->logs = logs;
        places = reallocarray(ratios->places, ratios->n + 1, sizeof *places);
        if (!places)
                return error_origin(-ENOMEM);
        ratios->places = places;
        rounds = reallocarray(ratios->rounds, ratios->n + 1, sizeof *rounds);
        if (!rounds)
                return error_origin(-ENOMEM);
        ratios->rounds = rounds;
        return 0;
}

static int paired_ratios_append(PairedRatios *ratios, double log_ratio, uint32_t place, uint32_t round) {
        int r;

        r = paired_ratios_grow(ratios);
        if (r)
                return error_trace(r);
        ratios->logs[ratios->n] = log_ratio;
        ratios->places[ratios->n] = place;
        ratios->rounds[ratios->n++] = round;
        return 0;
}

int paired_ratios_add(PairedRatios *ratios, double log_ratio, const SampleBlock *blocks, uint32_t round) {
        const uint32_t place = (blocks[0].image_offset_bytes * RUNNER_IMAGE_OFFSETS + blocks[1].image_offset_bytes) *
                               RUNNER_IMAGE_OFFSETS / RUNNER_IMAGE_OFFSET_MAX;

        static_assert(RUNNER_IMAGE_OFFSETS * RUNNER_IMAGE_OFFSETS <= INTERVAL_STRATA_MAX, "a condition for each two");
        return error_trace(paired_ratios_append(ratios, log_ratio, place, round));
}

/* ---- rounds */

/* The mean at each place, and their mean. */
typedef struct PlaceMeans {
        double sums[INTERVAL_STRATA_MAX];
        size_t n[INTERVAL_STRATA_MAX];
        double all;
} PlaceMeans;

static PlaceMeans place_means(const PairedRatios *ratios) {
        PlaceMeans means = {};
        size_t n_places = 0;

        for (size_t i = 0; i < ratios->n; i++) {
                means.sums[ratios->places[i]] += ratios->logs[i];
                means.n[ratios->places[i]]++;
        }
        for (size_t i = 0; i < INTERVAL_STRATA_MAX; i++) {
                if (means.n[i] == 0)
                        continue;
                means.all += means.sums[i] / means.n[i];
                n_places++;
        }
        means.all /= n_places > 0 ? n_places : 1;
        return means;
}

/* Rounds follow each other, so each has its ratios together, but for those that stand in for others. */
int paired_ratios_by_round(const PairedRatios *ratios, PairedRatios *ret_means) {
        const PlaceMeans places = place_means(ratios);
        PairedRatios means = {};
        uint32_t n_rounds = 0;

        for (size_t i = 0; i < ratios->n; i++)
                if (ratios->rounds[i] >= n_rounds)
                        n_rounds = ratios->rounds[i] + 1;
        for (uint32_t round = 0; round < n_rounds; round++) {
                double sum = 0;
                size_t n = 0;
                int r;

                for (size_t i = 0; i < ratios->n; i++) {
                        const uint32_t place = ratios->places[i];

                        if (ratios->rounds[i] != round)
                                continue;
                        sum += ratios->logs[i] - places.sums[place] / places.n[place] + places.all;
                        n++;
                }
                r = n > 0 ? paired_ratios_append(&means, sum / n, 0, round) : 0;
                if (r) {
                        paired_ratios_clear(&means);
                        return error_trace(r);
                }
        }
        *ret_means = means;
        return 0;
}

/* The least distance between places of a module whose numbers, under RUNNER_IMAGE_OFFSETS, differ in the bits @places. */
static uint32_t places_step_bytes(uint32_t places) {
        return places ? (places & -places) * (RUNNER_IMAGE_OFFSET_MAX / RUNNER_IMAGE_OFFSETS) : RUNNER_IMAGE_OFFSET_MAX;
}

uint32_t paired_ratios_step_bytes(const PairedRatios *ratios) {
        uint32_t differ = 0, new, old;

        for (size_t i = 1; i < ratios->n; i++)
                differ |= ratios->places[i] ^ ratios->places[0];
        new = places_step_bytes(differ / RUNNER_IMAGE_OFFSETS);
        old = places_step_bytes(differ % RUNNER_IMAGE_OFFSETS);
        return new > old ? new : old;
}
