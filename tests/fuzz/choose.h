/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The benchmarks of a listing that filters choose, all at once.
 */

#include "front/plan/chosen.h"
#include "fuzz.h"

/* NULL: filters and names are more than are matched. */
static inline Chosen *choose(const ChosenWish *wish) {
        Chosen *chosen;

        if (chosen_new(wish, &chosen) != 0)
                return NULL;
        while (chosen_step(chosen, NULL) != 0) {
        }
        return chosen;
}
