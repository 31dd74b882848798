/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The answer of a bisection: the commit with its probability and its change, what is not told from it, the runners-up, and the effort.
 */

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/view.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"

#define ID_SHORT 12

/* A sentence, each line of it @indent columns in. */
__attribute__((format(printf, 4, 5))) static void print(const View *view, size_t indent, FILE *out, const char *format,
                ...) {
        _cleanup_(freep) char *text = NULL;
        va_list arguments;

        va_start(arguments, format);
        if (vasprintf(&text, format, arguments) < 0)
                text = NULL;
        va_end(arguments);
        fprintf(out, "%*s", (int)indent, "");
        typeset_wrap(text ? text : "", indent, indent, view->width, out);
        fputc('\n', out);
}

/* A commit in a line, whose subject gives way. @before: what stands before it, in so many columns. */
static void print_commit(const json_t *commit, size_t before, const View *view, FILE *out) {
        const size_t used = before + ID_SHORT + 2;
        const char *subject = json_text_or(commit, "subject", "");

        fprintf(out, "%.*s  ", ID_SHORT, json_text_or(commit, "commit", "?"));
        typeset_print(subject, view->width > used ? view->width - used : typeset_width(subject), out);
        fputc('\n', out);
}

/* ---- sentences */

/* "3.1 % slower (2.8 % to 3.4 %)", or with an interval on both sides of 1 both its ends. */
static void change_words(const json_t *answer, char words[static 128]) {
        const double point = 100 * (json_number_or(answer, "change.point", NAN) - 1);
        const double low = 100 * (json_number_or(answer, "change.low", NAN) - 1),
                     high = 100 * (json_number_or(answer, "change.high", NAN) - 1);

        if (low < 0 && high > 0)
                snprintf(words, 128, "%+.2f %% (%+.2f %% to %+.2f %%)", point, low, high);
        else if (point > 0)
                snprintf(words, 128, "%.2f %% slower (%.2f %% to %.2f %%)", point, low, high);
        else
                snprintf(words, 128, "%.2f %% faster (%.2f %% to %.2f %%)", -point, -high, -low);
}

#define LEAST 0.0005 /* of the posterior: less is not shown */

static void print_others(const json_t *candidates, const View *view, FILE *out) {
        const json_t *other;
        bool begun = false;

        json_each(i, other, candidates) {
                const double probability = json_number_or(other, "probability", 0);

                if (i == 0 || probability < LEAST)
                        continue;
                if (!begun)
                        fputs("Others:\n", out);
                begun = true;
                fprintf(out, "%5.1f %%  ", 100 * probability);
                print_commit(other, 9, view, out);
        }
}

static void print_untold(const json_t *candidate, const View *view, FILE *out) {
        const json_t *others = json_at(candidate, "not_told_from");
        const size_t n = json_array_size(others);

        if (n > 0)
                print(view, 2, out, "The change may be in %s before it, which %s: %.*s%s.",
                                n == 1 ? "the commit" : "the commits", n == 1 ? "does not build" : "do not build",
                                ID_SHORT, json_text_or(json_array_get(others, 0), "commit", "?"),
                                n > 1 ? " and later" : "");
        if (json_text_at(candidate, "merge.tip"))
                print(view, 2, out, "It is a merge; to search in what it brought: benchctl bisect %.*s %.*s ...",
                                ID_SHORT, json_text_or(candidate, "merge.base", "?"), ID_SHORT,
                                json_text_or(candidate, "merge.tip", "?"));
}

/* No search is sure. */
static const char *probability_words(double probability, char words[static 32]) {
        if (probability > 0.9995)
                return "over 99.9 %";
        snprintf(words, 32, "%.1f %%", 100 * probability);
        return words;
}

/* ---- the answer by its end */

static void print_best(const json_t *answer, const View *view, FILE *out) {
        const json_t *candidates = json_at(answer, "candidates"), *best = json_array_get(candidates, 0);
        char words[128], probability[32];

        if (!best)
                return;
        change_words(answer, words);
        print_commit(best, 0, view, out);
        print(view, 2, out, "changed it with a probability of %s: %s.",
                        probability_words(json_number_or(best, "probability", 0), probability), words);
        print_untold(best, view, out);
        print_others(candidates, view, out);
}

static void print_end(const json_t *answer, const View *view, FILE *out) {
        char words[128];

        change_words(answer, words);
        if (json_text_is(answer, "end", "ends-alike") && json_at(answer, "change.point"))
                print(view, 0, out, "The ends do not differ: %s. A larger change would have been seen.", words);
        else if (json_text_is(answer, "end", "ends-alike"))
                print(view, 0, out, "The ends do not differ: both have the same machine code.");
        else if (json_text_is(answer, "end", "no-change"))
                print(view, 0, out,
                                "No commit changed it: builds lie apart by about %.2f %% for their layout, as much as the ends differ.",
                                100 * json_number_or(answer, "layout", 0));
        else if (json_text_is(answer, "end", "undecided"))
                print(view, 0, out, "Not decided: more measurements would tell little. Most likely:");
        else if (json_text_is(answer, "end", "interrupted"))
                print(view, 0, out, "Interrupted. Most likely so far:");
}

static void print_effort(const json_t *answer, const View *view, FILE *out) {
        const double broken = json_number_or(answer, "broken", 0);
        char layout[64] = "", failed[64] = "";

        if (json_at(answer, "layout"))
                snprintf(layout, sizeof layout, "; builds scatter by %.2f %% for their layout",
                                100 * json_number_or(answer, "layout", 0));
        if (broken > 0)
                snprintf(failed, sizeof failed, " (%.0f broken)", broken);
        print(view, 0, out, "%.0f commits, %.0f builds%s between the ends, %.0f processes%s.",
                        json_number_or(answer, "commits", 0), json_number_or(answer, "builds", 0), failed,
                        json_number_or(answer, "processes", 0), layout);
}

int report_bisect(const json_t *answer, const View *view, FILE *out) {
        print_end(answer, view, out);
        if (!json_text_is(answer, "end", "no-change"))
                print_best(answer, view, out);
        print_effort(answer, view, out);
        return 0;
}
