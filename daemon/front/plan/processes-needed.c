/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/processes-needed.h"

#include <math.h>

#include "ops/runner-plan.h"
#include "stats/interval.h"
#include "util/error.h"

#define PROCESSES_NEEDED_CONFIDENCE 0.95

int processes_needed_decide(const ProcessesNeededFacts *facts, ProcessesNeeded *ret_needed) {
        ProcessesNeeded needed = { .processes = facts->n_done, .limit = PROCESSES_NEEDED_UNKNOWN };
        double process_ns = facts->sampling_ns / facts->n_done; /* if all are like the first */
        double holds = process_ns > 0 ? fmax(floor(facts->budget_ns / process_ns), facts->n_done) : INFINITY;
        double all;
        int r;

        r = interval_processes(facts->medians, facts->places, facts->n, facts->precision, PROCESSES_NEEDED_CONFIDENCE,
                        &needed.wanted);
        if (r < 0)
                return error_trace(r);
        if (r == 0) {
                /* each place as often; and beyond those that gave no median */
                if (needed.wanted > facts->n)
                        needed.wanted = (needed.wanted + RUNNER_IMAGE_OFFSETS - 1) / RUNNER_IMAGE_OFFSETS *
                                        RUNNER_IMAGE_OFFSETS;
                all = facts->n_done + fmax(0, (double)needed.wanted - facts->n);
                needed.processes = fmin(fmin(all, holds), facts->most);
                needed.limit = needed.processes >= all ? PROCESSES_NEEDED_UNLIMITED
                               : holds < facts->most   ? PROCESSES_NEEDED_BUDGET
                                                       : PROCESSES_NEEDED_MOST;
        }
        *ret_needed = needed;
        return 0;
}
