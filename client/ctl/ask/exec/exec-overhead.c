/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-overhead.h"

#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-plan.h"
#include "util/time.h"

#define RUNS_ALL  50u /* in all processes, as in hyperfine */
#define RUNS      10u /* in each process */
#define RUNS_MIN  3u
#define BUDGET_NS (50.0 * NS_PER_MS)
#define PROGRAM   "/bin/true"

/* The first run finds cold caches, and is not counted. */
static void measure(const ExecCommand *command, const ExecFiles *files, char *const *environment, ExecMean *mean) {
        double spent_ns = 0;

        if (__atomic_load_n(&mean->n, __ATOMIC_RELAXED) >= RUNS_ALL)
                return;
        for (unsigned i = 0; i <= RUNS && (i <= RUNS_MIN || spent_ns < BUDGET_NS); i++) {
                ExecOutcome outcome;

                if (exec_command_run(command, files, environment, &outcome) || outcome.ending != EXEC_ENDED)
                        return;
                spent_ns += outcome.wall_ns;
                if (i == 0)
                        continue;
                __atomic_fetch_add(&mean->sum_ns, (uint64_t)outcome.wall_ns, __ATOMIC_RELAXED);
                __atomic_fetch_add(&mean->n, 1, __ATOMIC_RELAXED);
        }
}

void exec_overhead_measure(const ExecCommand *shell, const ExecFiles *files, char *const *environment,
                ExecMean *shell_mean, ExecMean *start_mean) {
        const char *words[] = { PROGRAM, NULL };
        const ExecCommand program = { .words = words, .program = PROGRAM };

        if (shell)
                measure(shell, files, environment, shell_mean);
        measure(&program, files, environment, start_mean);
}

double exec_mean_ns(const ExecMean *mean) {
        const uint64_t n = __atomic_load_n(&mean->n, __ATOMIC_RELAXED);

        return n ? (double)__atomic_load_n(&mean->sum_ns, __ATOMIC_RELAXED) / (double)n : 0;
}
