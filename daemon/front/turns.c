/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/turns.h"

#include <math.h>
#include <stdbool.h>
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
static double sample_ticks(const SampleBlock *block, const Sample *sample, const ClockFacts *clock) {
        double ticks = (double)(sample->ticks - sample->paused_ticks) - clock->batch_cost_ticks;

        return ticks / sample->iterations / block->sides[sample->side].ops_per_iteration;
}

/* The sample of the other side that belongs to the one at @index; NULL where it stands alone. */
static const Sample *find_partner(const SampleBlock *block, uint32_t index) {
        if (index + 1 >= block->n_samples || block->samples[index].side == block->samples[index + 1].side)
                return NULL;
        return &block->samples[index + 1];
}

static void turns_add(Turns *turns, const SampleBlock *block, const ClockFacts *clock, const Sample *samples[static 2]) {
        const Sample *new = samples[samples[0]->side == 0 ? 0 : 1], *old = samples[samples[0]->side == 0 ? 1 : 0];
        double new_ticks = sample_ticks(block, new, clock), old_ticks = sample_ticks(block, old, clock);

        if (new_ticks <= 0 || old_ticks <= 0)
                return;
        turns->all[turns->n_all++] = log(new_ticks / old_ticks);
        if (disturbance_is_none(new) && disturbance_is_none(old))
                turns->undisturbed[turns->n_undisturbed++] = log(new_ticks / old_ticks);
}

int turns_log_ratio(const SampleBlock *block, const ClockFacts *clock, double *ret_log_ratio) {
        _cleanup_(turns_clear) Turns turns = {
                .all = calloc(block->n_samples + 1, sizeof(double)),
                .undisturbed = calloc(block->n_samples + 1, sizeof(double)),
        };

        if (!turns.all || !turns.undisturbed)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_samples; i += 2) {
                const Sample *pair[] = { &block->samples[i], find_partner(block, i) };

                if (pair[1])
                        turns_add(&turns, block, clock, pair);
        }
        if (turns.n_all == 0)
                return TURNS_E_NONE;
        if (turns.n_undisturbed >= QUANTITY_UNDISTURBED_MIN && 2 * turns.n_undisturbed >= turns.n_all)
                *ret_log_ratio = median_of(turns.undisturbed, turns.n_undisturbed);
        else
                *ret_log_ratio = median_of(turns.all, turns.n_all);
        return 0;
}
