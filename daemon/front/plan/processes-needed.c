/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/processes-needed.h"

#include <math.h>

#include "stats/precision.h"
#include "util/error.h"

#define ENOUGH_CONFIDENCE 0.95

/* How many processes the budget holds, if all are like the first. */
static double budget_holds(const EnoughFacts *facts) {
        return facts->sampling_ns > 0 ? floor(facts->budget_ns / (facts->sampling_ns / facts->n_done)) : INFINITY;
}

int enough_decide(const EnoughFacts *facts, Enough *ret_enough) {
        Enough enough = { .processes = facts->n_done, .limit = ENOUGH_UNKNOWN };
        double holds = fmax(budget_holds(facts), facts->n_done);
        int r;

        r = precision_processes(facts->medians, facts->n, facts->precision, ENOUGH_CONFIDENCE, &enough.needed);
        if (r < 0)
                return error_trace(r);
        if (r == 0) {
                enough.processes = fmin(fmin(fmax(enough.needed, facts->n_done), holds), facts->most);
                enough.limit = enough.processes >= enough.needed ? ENOUGH_UNLIMITED
                               : holds < facts->most             ? ENOUGH_BUDGET
                                                                 : ENOUGH_MOST;
        }
        *ret_enough = enough;
        return 0;
}
