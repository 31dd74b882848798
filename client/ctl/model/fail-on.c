/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/fail-on.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/findings.h"
#include "ctl/model/result.h"
#include "ctl/model/trend.h"
#include "ctl/model/verb.h"
#include "util/amount.h"
#include "util/cleanup.h"

static bool is_unfit(const json_t *result) {
        return json_text_is(result, "verdict", "unfit");
}

size_t fail_on_unjudged(const json_t *result) {
        const json_t *comparison;
        size_t n = 0;

        result_each_comparison(i, comparison, result)
                n += findings_has(comparison, WARNING_UNLIKE_TIMES);
        return n;
}

/*
 * True if any row of a comparison that is judged has the verdict @wanted, by the time or by the mean with a rare slow part; NULL: has none,
 * or "unresolved".
 */
static bool any_row(const json_t *result, const char *wanted) {
        const json_t *comparison;

        result_each_comparison(i, comparison, result) {
                const char *verdict = json_text_at(comparison, "verdict");
                const char *of_mean = json_text_at(comparison, "mean_verdict");

                if (findings_has(comparison, WARNING_UNLIKE_TIMES))
                        continue;
                if (verdict ? strcmp(verdict, wanted ? wanted : "unresolved") == 0 : !wanted)
                        return true;
                if (of_mean && wanted && strcmp(of_mean, wanted) == 0)
                        return true;
        }
        return false;
}

static bool is_slower(const json_t *result) {
        return any_row(result, "slower");
}

static bool is_unresolved(const json_t *result) {
        return any_row(result, NULL);
}

static bool is_faster(const json_t *result) {
        return any_row(result, "faster");
}

static bool has_no_row(const json_t *result) {
        return json_array_size(json_at(result, "comparisons")) == 0;
}

/* ---- limits of time */

/* Reads "time>5ms" or "time(GLOB)>5ms" of @n bytes. Returns 0 or E_LIMIT. */
static int limit_parse(const char *text, size_t n, FailOnLimit *ret_limit) {
        char word[FAIL_ON_GLOB_MAX + 64], *glob, *end;
        FailOnLimit limit = { .glob = "*" };
        const AmountTimeUnit *unit;
        double number;

        if (n >= sizeof word)
                return FAIL_ON_E_LIMIT;
        memcpy(word, text, n);
        word[n] = '\0';
        glob = word + strlen("time");
        end = strrchr(word, '>');
        if (!end || end < glob)
                return FAIL_ON_E_LIMIT;
        if (*glob == '(' && (end[-1] != ')' || end - glob < 3 || end - glob - 2 >= (ptrdiff_t)FAIL_ON_GLOB_MAX))
                return FAIL_ON_E_LIMIT;
        if (*glob == '(')
                snprintf(limit.glob, sizeof limit.glob, "%.*s", (int)(end - glob - 2), glob + 1);
        else if (glob != end)
                return FAIL_ON_E_LIMIT;
        number = strtod(end + 1, &end);
        unit = amount_time_named(end);
        limit.limit_ns = unit ? number * unit->ns : 0;
        if (!(limit.limit_ns > 0) || !isfinite(limit.limit_ns))
                return FAIL_ON_E_LIMIT;
        *ret_limit = limit;
        return 0;
}

static bool is_over(const FailOnLimit *limit, const json_t *benchmark) {
        const RowEstimate time_ns = row_time(benchmark);

        return (isfinite(time_ns.low) ? time_ns.low : time_ns.point) > limit->limit_ns &&
               trend_matches(limit->glob, benchmark);
}

const json_t *fail_on_over(const FailOn *conditions, const json_t *result, const FailOnLimit **ret_limit) {
        const json_t *row;

        result_each_row(i, row, result)
                for (size_t k = 0; k < conditions->n_limits; k++)
                        if (is_over(&conditions->limits[k], row)) {
                                *ret_limit = &conditions->limits[k];
                                return row;
                        }
        return NULL;
}

/* ---- conditions */

typedef struct Condition {
        const char *word;
        unsigned verbs;
        int exit;
        bool (*holds)(const json_t *result); /* NULL: the limits of time */
} Condition;

/* In order of precedence: what an unfit run found is not to be trusted, in either direction. Those without verbs are for --bisect. */
static const Condition conditions[] = {
        { "unfit", VERB_RESULT | VERB_COMPARE, EXIT_UNFIT, is_unfit },
        { "slower", VERB_RESULT | VERB_COMPARE, EXIT_REGRESSION, is_slower },
        { "faster", 0, EXIT_REGRESSION, is_faster },
        { "time", VERB_RESULT, EXIT_LIMIT, NULL },
        { "unresolved", VERB_RESULT | VERB_COMPARE, EXIT_UNRESOLVED, is_unresolved },
        { "no-row", 0, EXIT_UNRESOLVED, has_no_row },
};

/* Reads one condition of @n bytes. */
static int condition_parse(const char *text, size_t n, const Verb *verb, FailOn *found) {
        const size_t n_word = strncmp(text, "time", 4) == 0 ? 4 : n;
        size_t i = 0;

        while (i < N_ELEMENTS(conditions) && (strlen(conditions[i].word) != n_word || n_word > n ||
                                                             strncmp(conditions[i].word, text, n_word) != 0))
                i++;
        if (i == N_ELEMENTS(conditions) || !(conditions[i].verbs & verb->traits))
                return FAIL_ON_E_UNKNOWN;
        found->words |= 1u << i;
        if (conditions[i].holds)
                return 0;
        return found->n_limits == FAIL_ON_LIMITS_MAX ? FAIL_ON_E_LIMIT
                                                     : limit_parse(text, n, &found->limits[found->n_limits++]);
}

int fail_on_add(FailOn *of, const char *text, const Verb *verb) {
        FailOn found = *of;

        for (;;) {
                size_t n = strcspn(text, ",");
                int r;

                r = condition_parse(text, n, verb, &found);
                if (r)
                        return r;
                if (!text[n])
                        break;
                text += n + 1;
        }
        *of = found;
        return 0;
}

/* ---- bisecting */

int fail_on_bisect(FailOn *of, const char *bad) {
        FailOn found = { .bisects = true };

        if (strcmp(bad, "slower") != 0 && strcmp(bad, "faster") != 0)
                return FAIL_ON_E_UNKNOWN;
        for (size_t i = 0; i < N_ELEMENTS(conditions); i++)
                if (conditions[i].holds &&
                                (conditions[i].exit != EXIT_REGRESSION || strcmp(conditions[i].word, bad) == 0))
                        found.words |= 1u << i;
        *of = found;
        return 0;
}

/* git takes 1 to 124 and 126, 127 for bad. An end that is the same at every commit, and no answer, stops it. */
int fail_on_bisect_exit(int code) {
        switch (code) {
        case EXIT_DONE:
        case EXIT_REGRESSION:
        case EXIT_CANCELLED:
                return code;
        case EXIT_BENCHMARK:
        case EXIT_UNFIT:
        case EXIT_UNRESOLVED:
                return EXIT_BISECT_SKIP;
        default:
                return EXIT_BISECT_STOP;
        }
}

/* ---- use */

bool fail_on_compares(const FailOn *of) {
        for (size_t i = 0; i < N_ELEMENTS(conditions); i++)
                if (of->words & 1u << i && conditions[i].verbs & VERB_COMPARE && conditions[i].holds != is_unfit)
                        return true;
        return false;
}

const char *fail_on_words(const Verb *verb) {
        if (verb->traits & VERB_COMPARE)
                return "slower, unresolved and unfit";
        return verb->traits & VERB_RUN ? "unfit and time>5ms" : "slower, unresolved, unfit and time>5ms";
}

int fail_on_judge(const FailOn *of, const json_t *result) {
        const FailOnLimit *limit;

        for (size_t i = 0; i < N_ELEMENTS(conditions); i++)
                if ((of->words & 1u << i) && (conditions[i].holds ? conditions[i].holds(result)
                                                                  : !!fail_on_over(of, result, &limit)))
                        return conditions[i].exit;
        return EXIT_DONE;
}
