/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The benchmarks of a listing that filters choose, all at once.
 */

#include "front/plan/chosen.h"
#include "fuzz.h"

/* NULL: names, or filters for them, are more than are matched. */
static inline Chosen *choose(const ChosenWish *wish) {
        int r = CHOSEN_E_MORE;
        Chosen *chosen;

        HOLD(chosen_new(wish, &chosen) == 0);
        while (r == CHOSEN_E_MORE)
                r = chosen_step(chosen, NULL);
        return r == 0 ? chosen : chosen_free(chosen);
}
