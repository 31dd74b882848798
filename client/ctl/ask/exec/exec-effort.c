/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-effort.h"

#include <math.h>

#include "stats/sequence.h"

#define LONG_RUN_S    0.05
#define SAMPLES_MAX   20u
#define PROCESSES_MAX 1000u
#define BUDGET_MAX_S  86400.0
#define MIN_RUNS      10u
#define BUDGET_S      5.0
#define PRECISION     1.0   /* in percent */
#define PROCESS_S     0.015 /* of a process beside its runs: its birth, and the starts that it measures */

/* The budget of the daemon is no bound: a busy machine may make the runs longer than the trial, and each process begins with other work. */
#define ROOM       10
#define ROOM_MIN_S 600.0

/* The processes from which the daemon estimates how many a precision needs: of a run, and of a comparison. */
#define FIRST_OF_RUN        12u
#define FIRST_OF_COMPARISON 20u

static unsigned at_most(double value, unsigned most) {
        return value < most ? (unsigned)value : most;
}

static unsigned at_least(unsigned value, unsigned least) {
        return value > least ? value : least;
}

static unsigned quotient_up(unsigned value, unsigned by) {
        return (value + by - 1) / by;
}

/* Runs of a process, as many as fit into the time of a long one. */
static unsigned samples_that_fit(double run_s) {
        if (!(run_s > 0))
                return 1;
        return at_least(at_most(LONG_RUN_S / fmax(run_s, LONG_RUN_S / SAMPLES_MAX), SAMPLES_MAX), 1);
}

/* A divisor of @runs, at most @fit, that leaves at least MIN_RUNS processes if it can, and no more than there may be. */
static unsigned samples_that_divide(unsigned runs, unsigned fit) {
        unsigned samples = 1;

        for (unsigned of = 1; of <= SAMPLES_MAX; of++)
                if (runs % of == 0 && ((of <= fit && runs / of >= MIN_RUNS) || runs / samples > PROCESSES_MAX))
                        samples = of;
        return samples;
}

static unsigned samples_of(const ExecEffortAsked *asked, double run_s) {
        const unsigned fit = samples_that_fit(run_s);

        if (asked->samples > 0)
                return asked->samples;
        if (asked->runs > 0)
                return samples_that_divide(asked->runs, fit);
        return asked->max_runs > 0 ? at_least(at_most(asked->max_runs / MIN_RUNS, fit), 1) : fit;
}

static unsigned processes_that_fit(const ExecEffortAsked *asked, const ExecEffort *effort, double run_s) {
        const double budget_s = asked->budget_s > 0 ? asked->budget_s : BUDGET_S;
        const unsigned min_runs = asked->min_runs > 0 ? asked->min_runs : MIN_RUNS;
        const double each_s = run_s > 0 ? PROCESS_S + run_s * effort->samples : INFINITY;
        unsigned processes;

        processes = at_least(at_most(budget_s / each_s, PROCESSES_MAX), quotient_up(min_runs, effort->samples));
        if (asked->max_runs > 0)
                processes = at_most(processes, at_least(asked->max_runs / effort->samples, 1));
        return at_most(processes, PROCESSES_MAX);
}

/* A number of its own that the request gives, and runs beyond those of the last look, leave a comparison to end as they say. */
static bool ends_itself(const ExecEffortAsked *asked, double run_s, unsigned sides, unsigned samples) {
        return sides > 1 && run_s > 0 && asked->runs == 0 && asked->processes == 0 && !(asked->precision > 0) &&
               asked->min_runs <= sequence_looks[SEQUENCE_LOOKS_N - 1].pairs * samples;
}

/* At least to the second look, however long a run is. */
static unsigned processes_until_it_knows(const ExecEffortAsked *asked, const ExecEffort *effort, double run_s) {
        const unsigned fit = processes_that_fit(asked, effort, run_s);

        return asked->max_runs > 0 ? fit : at_least(fit, sequence_looks[1].pairs);
}

ExecEffort exec_effort(const ExecEffortAsked *asked, double run_s, unsigned sides) {
        const unsigned first = sides > 1 ? FIRST_OF_COMPARISON : FIRST_OF_RUN;
        ExecEffort effort = { .samples = samples_of(asked, run_s) };

        effort.ends_itself = ends_itself(asked, run_s, sides, effort.samples);
        if (asked->processes > 0)
                effort.processes = asked->processes;
        else if (asked->runs > 0)
                effort.processes = at_least(at_most(asked->runs / effort.samples, PROCESSES_MAX), 1);
        else if (effort.ends_itself)
                effort.processes = processes_until_it_knows(asked, &effort, run_s);
        else
                effort.processes = processes_that_fit(asked, &effort, run_s);
        if (asked->min_runs > 0 && asked->processes == 0)
                effort.least = at_most(quotient_up(asked->min_runs, effort.samples), effort.processes);
        if (!effort.ends_itself && run_s > 0 && asked->runs == 0 && effort.processes > at_least(effort.least, first) &&
                        (asked->processes == 0 || asked->precision > 0))
                effort.precision = asked->precision > 0 ? asked->precision : PRECISION;
        effort.budget_s = fmin(
                        fmax(ROOM * sides * run_s * effort.samples * at_least(effort.processes, first), ROOM_MIN_S),
                        BUDGET_MAX_S);
        return effort;
}
