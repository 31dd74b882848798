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
} Turns;

static void turns_clear(Turns *turns) {
        free(turns->all);
        free(turns->undisturbed);
}

/* Ticks of one operation. */
static double sample_ticks(const SampleBlock *block, uint32_t index, const ClockFacts *clock) {
        const Sample *sample = &block->samples[index];
        double ticks = (double)(sample->ticks - sample->paused_ticks) - clock->batch_cost_ticks;

        return ticks / sample->iterations / sample_block_ops(block, sample);
}

static void turns_add(Turns *turns, double new_ticks, double old_ticks, bool undisturbed) {
        double log_ratio;

        if (new_ticks <= 0 || old_ticks <= 0)
                return;
        log_ratio = log(new_ticks / old_ticks);
        turns->all[turns->n_all++] = log_ratio;
        if (undisturbed)
                turns->undisturbed[turns->n_undisturbed++] = log_ratio;
}

int turns_log_ratio(const SampleBlock *new, const SampleBlock *old, const ClockFacts *clock, double *ret_log_ratio) {
        uint32_t n = new->n_samples < old->n_samples ? new->n_samples : old->n_samples;
        _cleanup_(turns_clear) Turns turns = {
                .all = calloc(n + 1, sizeof(double)),
                .undisturbed = calloc(n + 1, sizeof(double)),
        };

        if (!turns.all || !turns.undisturbed)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < n; i++)
                turns_add(&turns, sample_ticks(new, i, clock), sample_ticks(old, i, clock),
                                disturbance_is_none(&new->samples[i]) && disturbance_is_none(&old->samples[i]));
        if (turns.n_all == 0)
                return TURNS_E_NONE;
        if (turns.n_undisturbed >= QUANTITY_UNDISTURBED_MIN && 2 * turns.n_undisturbed >= turns.n_all)
                *ret_log_ratio = median_of(turns.undisturbed, turns.n_undisturbed);
        else
                *ret_log_ratio = median_of(turns.all, turns.n_all);
        return 0;
}
