/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/bisect/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/bisect/measure.h"
#include "ctl/ask/bisect/range.h"
#include "ctl/ask/bisect/state.h"
#include "ctl/ask/bisect/steps.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"
#include "stats/bisection-choice.h"
#include "util/cleanup.h"

#define LOOK_S        0.5   /* seconds of a look beside its processes */
#define BUILD_S       10    /* of a build, before one was seen */
#define PROCESSES_MAX 2000u /* of a search */

void bisect_search_clear(BisectSearch *search) {
        bisection_clear(&search->bisection);
        free(search->steps);
        free(search->codes);
}

static int failed(int r) {
        complain("The search cannot go on: %s.", r > 0 ? "it has measured too many builds" : benchd_error_string(r));
        return EXIT_MACHINE;
}

/* ---- steps */

static int by_mass(const void *a, const void *b) {
        const double *first = a, *second = b;

        return (*first < *second) - (*first > *second);
}

/* The commits that hold BISECTION_ENOUGH of the posterior together. */
static size_t count_left(const Bisection *bisection) {
        _cleanup_(freep) double *masses = calloc(bisection->n, sizeof *masses);
        double sum = bisection->mass_none;
        size_t n = 0;

        if (!masses)
                return bisection->n;
        for (size_t i = 0; i < bisection->n; i++)
                masses[i] = bisection->commits[i + 1].mass;
        qsort(masses, bisection->n, sizeof *masses, by_mass);
        while (n < bisection->n && sum < BISECTION_ENOUGH)
                sum += masses[n++];
        return n;
}

static int search_add_step(BisectSearch *search, size_t commit, BisectOutcome outcome, size_t other) {
        const BisectionCommit *of = &search->bisection.commits[commit];
        BisectStep *more = reallocarray(search->steps, search->n_steps + 1, sizeof *more);

        if (!more)
                return failed(-ENOMEM);
        search->steps = more;
        more[search->n_steps++] = (BisectStep){
                .commit = commit,
                .outcome = outcome,
                .other = other,
                .n = of->n_processes,
                .mean = of->mean,
                .half = outcome == BISECT_MEASURED ? 2 * sqrt(bisection_variance(&search->bisection, commit)) : 0,
                .left = count_left(&search->bisection),
        };
        return 0;
}

/* Updates the posterior, unless the bad end is still unknown, and adds a step. */
static int search_take(BisectSearch *search, size_t commit, BisectOutcome outcome, size_t other) {
        const Bisection *bisection = &search->bisection;
        int r = 0;

        search->broken += outcome == BISECT_BROKEN;
        if (bisection->commits[bisection->n].n_processes > 0)
                r = bisection_update(&search->bisection);
        return r ? failed(r) : search_add_step(search, commit, outcome, other);
}

/* ---- notes of earlier calls */

static size_t find_commit(const BisectSearch *search, const char *id) {
        for (size_t i = 0; i <= search->bisection.n; i++)
                if (strcmp(bisect_range_at(search->measurer->range, i)->id, id) == 0)
                        return i;
        return SIZE_MAX;
}

static int search_replay_one(BisectSearch *search, const BisectNote *note) {
        const size_t commit = find_commit(search, note->id);
        const size_t other = note->kind == BISECT_NOTE_TWIN ? find_commit(search, note->other) : 0;
        BisectionCommit *of;

        if (commit == SIZE_MAX || commit == 0 || other == SIZE_MAX || other == commit)
                return 0;
        of = &search->bisection.commits[commit];
        search->builds += commit < search->bisection.n && of->n_processes == 0;
        search->build_s += note->build_s;
        search->n_timed_builds += note->build_s > 0;
        if (note->kind == BISECT_NOTE_BROKEN) {
                bisection_set_broken(&search->bisection, commit);
                return search_take(search, commit, BISECT_BROKEN, 0);
        }
        if (note->kind == BISECT_NOTE_TWIN) {
                bisection_set_twin(&search->bisection, commit, other);
                return search_take(search, commit, BISECT_TWIN, other);
        }
        bisection_add(&search->bisection, commit, note->n, note->mean, note->error, note->freedom);
        search->processes += note->n;
        search->look_s += note->look_s;
        search->looks++;
        return search_take(search, commit, BISECT_MEASURED, 0);
}

static int search_replay(BisectSearch *search) {
        const BisectNote *note;
        int r = 0;

        for (size_t i = 0; r == 0 && (note = bisect_state_at(search->state, i)); i++)
                r = search_replay_one(search, note);
        search->n_earlier = search->n_steps;
        return r;
}

/* ---- one commit */

static void search_note(BisectSearch *search, BisectNote *note, size_t commit) {
        snprintf(note->id, sizeof note->id, "%s", bisect_range_at(search->measurer->range, commit)->id);
        bisect_state_add(search->state, note);
}

static int search_take_broken(BisectSearch *search, size_t commit) {
        search_note(search, &(BisectNote){ .kind = BISECT_NOTE_BROKEN }, commit);
        bisection_set_broken(&search->bisection, commit);
        return search_take(search, commit, BISECT_BROKEN, 0);
}

/* True of the ends, and of a build that was measured. */
static bool is_known(const BisectSearch *search, size_t commit) {
        const BisectionCommit *of = &search->bisection.commits[commit];

        return commit == 0 || (of->state == BISECTION_BUILT && of->n_processes > 0);
}

/* A known build with the machine code of @commit; SIZE_MAX: there is none. */
static size_t find_twin(const BisectSearch *search, size_t commit) {
        for (size_t i = 0; search->codes[commit] && i <= search->bisection.n; i++)
                if (i != commit && search->codes[i] == search->codes[commit] && is_known(search, i))
                        return i;
        return SIZE_MAX;
}

static int search_take_twin(BisectSearch *search, size_t commit, size_t other, double build_s) {
        BisectNote note = { .kind = BISECT_NOTE_TWIN, .build_s = build_s };

        snprintf(note.other, sizeof note.other, "%s", bisect_range_at(search->measurer->range, other)->id);
        search_note(search, &note, commit);
        bisection_set_twin(&search->bisection, commit, other);
        return search_take(search, commit, BISECT_TWIN, other);
}

static int search_look(BisectSearch *search, size_t commit, const BisectBuild *build, size_t n) {
        BisectLook look;
        int r;

        r = bisect_look(search->measurer, build, n, &look);
        if (r)
                return r;
        search_note(search,
                        &(BisectNote){ .kind = BISECT_NOTE_LOOK,
                                        .n = look.n,
                                        .mean = look.mean,
                                        .error = look.error,
                                        .freedom = look.freedom,
                                        .build_s = build->build_s,
                                        .look_s = look.seconds },
                        commit);
        bisection_add(&search->bisection, commit, look.n, look.mean, look.error, look.freedom);
        search->processes += look.n;
        search->look_s += look.seconds;
        search->looks++;
        return search_take(search, commit, BISECT_MEASURED, 0);
}

/* Builds @commit, unless it was tried, and measures it in @n processes. A commit that is at fault is a step too. */
static int search_try(BisectSearch *search, size_t commit, size_t n) {
        _cleanup_(bisect_build_clear) BisectBuild build = BISECT_BUILD_NONE;
        const BisectionCommit *of = &search->bisection.commits[commit];
        const bool is_new = of->n_processes == 0;
        size_t twin;
        int r;

        search->builds += is_new;
        r = bisect_build(search->measurer, commit, &build);
        if (r == 0 && is_new) {
                search->build_s += build.build_s;
                search->n_timed_builds++;
                search->codes[commit] = build.code;
                twin = find_twin(search, commit);
                if (twin != SIZE_MAX)
                        return search_take_twin(search, commit, twin, build.build_s);
        }
        if (r == 0)
                r = search_look(search, commit, &build, n);
        return r == EXIT_BENCHMARK ? search_take_broken(search, commit) : r;
}

/* ---- the ends */

static int search_build_ends(BisectSearch *search, BisectBuild *bad) {
        BisectMeasurer *measurer = search->measurer;
        const size_t n = search->bisection.n;
        int r;

        r = bisect_build(measurer, 0, &measurer->good);
        if (r == 0)
                r = bisect_build(measurer, n, bad);
        if (r == EXIT_BENCHMARK)
                complain_hint("Both ends of the range have to build and run; name others.");
        if (r)
                return r;
        search->codes[0] = measurer->good.code;
        search->codes[n] = bad->code;
        search->build_s += measurer->good.build_s + bad->build_s;
        search->n_timed_builds += 2;
        return 0;
}

static bool ends_are_known(const BisectSearch *search) {
        const BisectionCommit *bad = &search->bisection.commits[search->bisection.n];

        return bad->n_processes >= BISECTION_ENDS_MAX ||
               (bad->n_processes > 0 && bisection_ends_differ(&search->bisection));
}

/* Measures the ends until they differ, or would if the difference could be found. */
static int search_ends(BisectSearch *search) {
        _cleanup_(bisect_build_clear) BisectBuild bad = BISECT_BUILD_NONE;
        const size_t n = search->bisection.n;
        int r;

        r = search_build_ends(search, &bad);
        if (r)
                return r;
        if (search->codes[0] && search->codes[0] == search->codes[n]) {
                search->end = BISECT_ENDS_ALIKE;
                complain("Both ends have the same machine code.");
                return 0;
        }
        while (r == 0 && !ends_are_known(search)) {
                r = search_look(search, n, &bad, BISECTION_ENDS_LOOK);
                if (r == 0)
                        bisect_steps_print(search, search->n_steps - 1);
        }
        if (r == EXIT_BENCHMARK)
                complain_hint("Both ends of the range have to build and run; name others.");
        if (r == 0 && !bisection_ends_differ(&search->bisection))
                search->end = BISECT_ENDS_ALIKE;
        return r;
}

/* ---- the whole */

static BisectionCosts search_costs(const BisectSearch *search) {
        return (BisectionCosts){
                .build_s = search->n_timed_builds > 0 ? search->build_s / search->n_timed_builds : BUILD_S,
                .look_s = LOOK_S,
                .process_s = search->processes > 0 ? fmax(search->look_s / search->processes, 0.001) : 1,
        };
}

static int search_middle(BisectSearch *search) {
        static const BisectEnd ends[] = {
                [BISECTION_CHOICE_E_FOUND] = BISECT_FOUND,
                [BISECTION_CHOICE_E_NONE] = BISECT_NO_CHANGE,
                [BISECTION_CHOICE_E_STUCK] = BISECT_UNDECIDED,
        };
        int r = 0;

        while (r == 0) {
                const BisectionCosts costs = search_costs(search);
                BisectionChoice choice;
                const int end = bisection_choose(&search->bisection, &costs, &choice);

                search->end = end ? ends[end] : BISECT_UNDECIDED;
                if (end || search->processes >= PROCESSES_MAX)
                        return 0;
                r = interrupt_came() ? EXIT_CANCELLED : search_try(search, choice.commit, choice.n_processes);
                if (r == 0)
                        bisect_steps_print(search, search->n_steps - 1);
        }
        return r;
}

int bisect_search(BisectMeasurer *measurer, BisectState *state, BisectSearch *search) {
        const size_t n = measurer->range->range.n;
        int r;

        *search = (BisectSearch){ .measurer = measurer, .state = state, .end = BISECT_INTERRUPTED };
        search->codes = calloc(n + 1, sizeof *search->codes);
        r = search->codes ? bisection_init(&search->bisection, n) : -ENOMEM;
        if (r)
                return failed(r);
        r = search_replay(search);
        if (r)
                return r;
        bisect_steps_begin(search);
        r = search_ends(search);
        if (r == 0 && search->end != BISECT_ENDS_ALIKE)
                r = search_middle(search);
        if (r)
                search->end = BISECT_INTERRUPTED;
        return r;
}
