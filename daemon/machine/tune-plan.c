/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/tune-plan.h"

#include <stdlib.h>
#include <string.h>

#include "util/error.h"

TuneStep *tune_plan_find(const TunePlan *plan, const char *path) {
        for (size_t i = 0; i < plan->n_steps; i++)
                if (strcmp(plan->steps[i].path, path) == 0)
                        return &plan->steps[i];
        return NULL;
}

int tune_plan_add(TunePlan *plan, const TuneStep *step) {
        size_t place = plan->n_steps;
        TuneStep *steps;

        if (tune_plan_find(plan, step->path))
                return 0;
        steps = reallocarray(plan->steps, plan->n_steps + 1, sizeof *steps);
        if (!steps)
                return error_origin(-ENOMEM);
        plan->steps = steps;
        while (place > 0 && steps[place - 1].id > step->id)
                place--;
        memmove(steps + place + 1, steps + place, (plan->n_steps - place) * sizeof *steps);
        steps[place] = *step;
        plan->n_steps++;
        return 0;
}

void tune_plan_clear(TunePlan *plan) {
        free(plan->steps);
        *plan = (TunePlan){};
}
