/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/turns.h"

#include <math.h>
#include <stdlib.h>

#include "front/disturbance.h"
#include "front/quantity.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

/* The log ratios of the turns so far, and of the undisturbed ones. */
typedef struct Turns {
        double *all;
        double *undisturbed;
        size_t n_all;
        size_t n_undisturbed;
        double steps; /* of the clock, relative: the sum over all */
} Turns;

static void turns_clear(Turns *turns) {
        free(turns->all);
        free(turns->undisturbed);
}

static double batch_ticks(const Sample *sample, const ClockFacts *clock) {
        return (double)(sample->ticks - sample->paused_ticks) - clock->batch_cost_ticks;
}

static double batch_operations(const SampleBlock *block, const Sample *sample) {
        return sample->iterations * sample_block_ops(block, sample);
}

static void turns_add(Turns *turns, const SampleBlock *new, const SampleBlock *old, uint32_t index,
                const ClockFacts *clock) {
        const Sample *of_new = &new->samples[index], *of_old = &old->samples[index];
        const double new_ticks = batch_ticks(of_new, clock), old_ticks = batch_ticks(of_old, clock);
        double log_ratio;

        if (new_ticks <= 0 || old_ticks <= 0)
                return;
        log_ratio = log(new_ticks / batch_operations(new, of_new) / (old_ticks / batch_operations(old, of_old)));
        turns->steps += clock->quantum_ticks / new_ticks + clock->quantum_ticks / old_ticks;
        turns->all[turns->n_all++] = log_ratio;
        if (disturbance_is_none(of_new) && disturbance_is_none(of_old))
                turns->undisturbed[turns->n_undisturbed++] = log_ratio;
}

int turns_ratio(const SampleBlock *new, const SampleBlock *old, const ClockFacts *clock, TurnsRatio *ret_ratio) {
        uint32_t n = new->n_samples < old->n_samples ? new->n_samples : old->n_samples;
        _cleanup_(turns_clear) Turns turns = {
                .all = calloc(n + 1, sizeof(double)),
                .undisturbed = calloc(n + 1, sizeof(double)),
        };

        if (!turns.all || !turns.undisturbed)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < n; i++)
                turns_add(&turns, new, old, i, clock);
        if (turns.n_all == 0)
                return TURNS_E_NONE;
        ret_ratio->step = turns.steps / turns.n_all;
        if (turns.n_undisturbed >= QUANTITY_UNDISTURBED_MIN && 2 * turns.n_undisturbed >= turns.n_all)
                ret_ratio->log = median_of(turns.undisturbed, turns.n_undisturbed);
        else
                ret_ratio->log = median_of(turns.all, turns.n_all);
        return 0;
}
