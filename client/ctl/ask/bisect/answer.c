/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/bisect/answer.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <time.h>

#include "ctl/ask/bisect/measure.h"
#include "ctl/ask/bisect/range.h"
#include "ctl/ask/bisect/search.h"
#include "ctl/base/json-path.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CANDIDATES 5u

static const char *const ends[] = {
        [BISECT_FOUND] = "found",
        [BISECT_UNDECIDED] = "undecided",
        [BISECT_NO_CHANGE] = "no-change",
        [BISECT_ENDS_ALIKE] = "ends-alike",
        [BISECT_INTERRUPTED] = "interrupted",
};

static const char *const outcomes[] = {
        [BISECT_MEASURED] = "measured",
        [BISECT_BROKEN] = "broken",
        [BISECT_TWIN] = "same-code",
};

static json_t *commit_json(const BisectSearch *search, size_t index) {
        const GitCommit *commit = bisect_range_at(search->measurer->range, index);
        const time_t time_s = commit->time_s;
        struct tm fields;
        char time[32];

        if (!gmtime_r(&time_s, &fields) || strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &fields) == 0)
                time[0] = '\0';
        return json_pack("{s:s,s:s,s:s}", "commit", commit->id, "subject", commit->subject, "committed_at", time);
}

static json_t *interval_json(double mean, double half) {
        return json_pack("{s:f,s:f,s:f}", "point", exp(mean), "low", exp(mean - half), "high", exp(mean + half));
}

/* ---- candidates */

/* The commits of a block beside its last, which do not build. */
static json_t *block_others(const BisectSearch *search, const BisectionBlock *block) {
        json_t *others = json_array();

        for (size_t i = block->first; others && i < block->last; i++)
                if (json_array_append_new(others, commit_json(search, i)) < 0)
                        return NULL;
        return others;
}

/* The line that a merge brought, which another search can divide. */
static json_t *merge_json(const BisectSearch *search, size_t index) {
        _cleanup_(git_commit_clear) GitCommit base = {}, tip = {};

        if (!bisect_range_merged(search->measurer->range, index, &base, &tip))
                return json_null();
        return json_pack("{s:s,s:s}", "base", base.id, "tip", tip.id);
}

static json_t *candidate_json(const BisectSearch *search, const BisectionBlock *block) {
        return json_join(commit_json(search, block->last),
                        json_pack("{s:f,s:o,s:o}", "probability", block->mass, "not_told_from",
                                        block_others(search, block), "merge", merge_json(search, block->last)));
}

/* With ends that are alike there is no posterior. */
static bool has_posterior(const BisectSearch *search) {
        return search->end != BISECT_ENDS_ALIKE && search->bisection.deviation > 0;
}

static json_t *candidates_json(const BisectSearch *search) {
        json_t *candidates = json_array();
        BisectionBlock blocks[CANDIDATES];
        size_t n = 0;

        if (has_posterior(search))
                n = bisection_best(&search->bisection, blocks, CANDIDATES);
        for (size_t i = 0; candidates && i < n && i < CANDIDATES; i++)
                if (json_array_append_new(candidates, candidate_json(search, &blocks[i])) < 0)
                        return NULL;
        return candidates;
}

/* ---- numbers */

/* The change by the best candidate; between ends that are alike, what is between them. */
static json_t *change_json(const BisectSearch *search) {
        const Bisection *bisection = &search->bisection;
        const BisectionCommit *bad = &bisection->commits[bisection->n];
        BisectionChange change;
        BisectionBlock block;

        if (search->end == BISECT_ENDS_ALIKE && bad->n_processes > 0)
                return interval_json(bad->mean, bisection_ends_reach(bisection));
        if (!has_posterior(search) || bisection_best(bisection, &block, 1) == 0)
                return json_null();
        change = bisection_change(bisection, &block);
        return interval_json(change.mean, change.half);
}

static json_t *steps_json(const BisectSearch *search) {
        json_t *steps = json_array();

        for (size_t i = 0; steps && i < search->n_steps; i++) {
                const BisectStep *step = &search->steps[i];
                json_t *more = json_pack("{s:s,s:o,s:I,s:I}", "outcome", outcomes[step->outcome], "ratio",
                                step->outcome == BISECT_MEASURED ? interval_json(step->mean, step->half) : json_null(),
                                "processes", (json_int_t)step->n, "left", (json_int_t)step->left);

                if (json_array_append_new(steps, json_join(commit_json(search, step->commit), more)) < 0)
                        return NULL;
        }
        return steps;
}

int bisect_answer(const BisectSearch *search, json_t **ret_json) {
        const Bisection *bisection = &search->bisection;
        const bool known = has_posterior(search);
        const char *benchmark = search->measurer->benchmark;

        *ret_json = json_join(json_pack("{s:s,s:o,s:o,s:s?,s:I,s:o,s:o}", "end", ends[search->end], "good",
                                              commit_json(search, 0), "bad", commit_json(search, bisection->n),
                                              "benchmark", benchmark, "commits", (json_int_t)bisection->n, "candidates",
                                              candidates_json(search), "change", change_json(search)),
                        json_pack("{s:o,s:o,s:f,s:I,s:I,s:I,s:o}", "none",
                                        known ? json_real(bisection->mass_none) : json_null(), "layout",
                                        known ? json_real(bisection->layout) : json_null(), "process",
                                        bisection->deviation, "builds", (json_int_t)search->builds, "broken",
                                        (json_int_t)search->broken, "processes", (json_int_t)search->processes, "steps",
                                        steps_json(search)));
        return *ret_json ? 0 : error_origin(-ENOMEM);
}
