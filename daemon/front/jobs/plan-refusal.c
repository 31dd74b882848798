/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/plan-refusal.h"

#include <stdio.h>
#include <string.h>

#include "front/plan/chosen.h"
#include "front/plan/near-names.h"
#include "front/plan/pairing.h"
#include "front/plan/plan.h"
#include "front/plan/reference.h"
#include "front/plan/selection.h"
#include "front/samples/runner-block.h"
#include "ops/arguments.h"
#include "ops/filter.h"
#include "util/cleanup.h"

/* The ways out of a module that cannot be listed for what it is made of, by words of its end. */
static void hint_unlisted(const char *message, ReplyError *why) {
        static const struct {
                const char *words;
                const char *hint;
        } rows[] = {
                { "undefined symbol",
                                "Name the source, object or archive that defines it too ('benchctl run bench.c impl.c'), "
                                "or link its library (LDLIBS=-lNAME)." },
                { "is there twice, by", "--separate makes a separate module of each source." },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (strstr(message, rows[i].words))
                        reply_error_hint(why, "%s", rows[i].hint);
}

void plan_refusal_explain_unlisted(const JobSide *side, const RunnerDeadProcess *process, ReplyError *ret_why) {
        const ProcessEnd *end = process->end;

        reply_error_set(ret_why, end->of_daemon ? BENCHD__ERROR__CODE__INTERNAL : BENCHD__ERROR__CODE__BAD_MODULE,
                        "%s: %s", side->wants.name, end->message);
        ret_why->failure = end->code;
        hint_unlisted(end->message, ret_why);
        reply_error_output(ret_why, process->output.text, process->output.n);
}

/* The filters as they were written, as many as fit. */
static const char *filters_words(const ModuleRequest *wants, char *words, size_t n_words) {
        size_t n = 0;

        words[0] = 0;
        for (size_t i = 0; i < wants->n_filters && n < n_words; i++)
                n += snprintf(words + n, n_words - n, "%s%s", i > 0 ? " " : "", wants->filters[i]);
        return words;
}

/* Names similar to @words, each after @prefix; if there are none, how to list all names (@shown). */
static void hint_names(const JobSide *side, const FilterList *words, const char *prefix, const char *shown,
                ReplyError *why) {
        char names[NEAR_NAMES_TEXT_MAX];

        if (near_names_write(side->listing, words, prefix, names) > 0)
                reply_error_hint(why, "Similar names: %s", names);
        else
                reply_error_hint(why, "'benchctl list %s' shows %s", side->wants.name, shown);
}

void plan_refusal_explain_no_match(const JobSide *side, ReplyError *ret_why) {
        const ModuleRequest *wants = &side->wants;
        const FilterList filters = { wants->filters, wants->n_filters };
        char words[512];

        if (wants->n_filters == 0) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH, "All benchmarks of %s are hidden.",
                                wants->name);
                reply_error_hint(ret_why,
                                "'benchctl list %s' shows their names; a filter with the full name of one runs it.",
                                wants->name);
                return;
        }
        reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH, "No benchmark of %s matches %s.", wants->name,
                        filters_words(wants, words, sizeof words));
        hint_names(side, &filters, "", "the benchmarks; hidden ones have to be named in full.", ret_why);
}

/* The filters are the first side's. */
void plan_refusal_explain_too_much(const JobModules *modules, ReplyError *ret_why) {
        const ModuleRequest *wants = &modules->sides[0].wants;
        const JobSide *side = &modules->sides[modules->at];
        const size_t n_names = chosen_count_names(side->chosen);
        size_t n_bytes = 0;

        for (size_t i = 0; i < wants->n_filters; i++)
                n_bytes += strlen(wants->filters[i]);
        if (n_names > CHOSEN_NAMES_MAX) {
                reply_error_bad(ret_why,
                                "The benchmarks of %s that may be meant have %zu rows, one for each set of arguments; at "
                                "most %u can be chosen from.",
                                side->wants.name, n_names, CHOSEN_NAMES_MAX);
                reply_error_hint(ret_why,
                                "Name benchmarks in filters that leave out the largest, or give their arguments fewer "
                                "values.");
                return;
        }
        reply_error_bad(ret_why,
                        "The benchmarks of %s that may be meant have %zu rows, one for each set of arguments: filters for "
                        "them may have %zu bytes in all, not %zu.",
                        side->wants.name, n_names, CHOSEN_PRODUCT_MAX / n_names, n_bytes);
        reply_error_hint(ret_why, "Write fewer or shorter filters.");
}

/* The side with more chosen benchmarks than one run measures: in a comparison, possibly the old one. */
static const JobSide *find_side_of_many(const JobModules *modules, const Benchd__RunRequest *request, size_t *ret_n) {
        const JobSide *side = modules->sides;

        *ret_n = selection_count(side->listing, side->chosen, request);
        if (*ret_n > PLAN_BENCHMARKS_MAX || modules->n == 1)
                return side;
        side++;
        *ret_n = selection_count(side->listing, side->chosen, request);
        return side;
}

/* The filter of an example: the first chosen benchmark that has arguments, with the first value of one. False: none has. */
static bool write_filter(const JobSide *side, char filter[static FILTER_PATH_MAX]) {
        for (uint32_t i = 0; i < side->listing->n_entries; i++) {
                const ListingEntry *entry = &side->listing->entries[i];
                char value[ARGUMENT_TEXT_MAX];
                ArgumentValue first;

                if (entry->n_axes == 0 || chosen_count(side->chosen, i) == 0)
                        continue;
                first = arguments_axis_value(&entry->axes[0], 0);
                snprintf(filter, FILTER_PATH_MAX, "%s/%s/%s=%s", entry->area, entry->name, entry->axes[0].name,
                                argument_print(&first, value));
                return true;
        }
        return false;
}

static void explain_too_many(const JobModules *modules, const Benchd__RunRequest *request, ReplyError *ret_why) {
        char filter[FILTER_PATH_MAX];
        const JobSide *side;
        size_t n;

        side = find_side_of_many(modules, request, &n);
        reply_error_bad(ret_why, "%zu rows of %s are chosen, one for each set of arguments; a run may have %u.", n,
                        side->wants.name, PLAN_BENCHMARKS_MAX);
        if (write_filter(side, filter))
                reply_error_hint(ret_why, "Choose fewer by filters, such as %s, in several runs.", filter);
        else
                reply_error_hint(ret_why, "Choose fewer by filters, in several runs.");
}

/* @given names no benchmark of the side, or several. */
static void explain_unnamed(const JobSide *side, const char *given, ReplyError *ret_why) {
        const FilterList words = { (char *const[]){ (char *)given }, 1 };

        reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH, "%s has %s named '%s'.", side->wants.name,
                        pairing_count_named(side->listing, given) > 1 ? "several benchmarks" : "no benchmark", given);
        hint_names(side, &words, "#", "its benchmarks: #AREA/BENCHMARK, without arguments.", ret_why);
}

/* The module has no benchmark of the name @given, or marks none, which an empty name asks for. */
static void explain_no_reference(const JobSide *side, const char *given, ReplyError *ret_why) {
        const FilterList words = { (char *const[]){ (char *)given }, 1 };

        if (!*given) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH, "%s marks no benchmark as its reference.",
                                side->wants.name);
                reply_error_hint(ret_why, "Name one (--scale=BENCHMARK), or give one .reference = 1.");
                return;
        }
        reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH, "%s has no benchmark '%s' to scale to.",
                        side->wants.name, given);
        hint_names(side, &words, "", "its benchmarks: AREA/BENCHMARK, or AREA/BENCHMARK/ARGUMENT=VALUE, without globs.",
                        ret_why);
}

static void explain_several_references(const JobSide *side, const char *given, ReplyError *ret_why) {
        char names[REFERENCE_NAMES_MAX];

        if (*given)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH,
                                "Several benchmarks of %s go by '%s', and only one can be 1.0.", side->wants.name,
                                given);
        else
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH,
                                "%s marks several benchmarks as its reference, and only one can be 1.0.",
                                side->wants.name);
        reply_error_hint(ret_why, "Name one of them (--scale=BENCHMARK): %s",
                        reference_write_names(side->listing, given, names));
}

void plan_refusal_explain(int outcome, const JobModules *modules, const Benchd__RunRequest *request,
                ReplyError *ret_why) {
        const Benchd__Comparison *comparison = request->comparison;
        const ModuleRequest *wants = &modules->sides[0].wants;

        switch (outcome) {
        case PLAN_E_NO_MATCH:
                if (comparison && comparison->new_benchmark &&
                                !pairing_find_named(modules->sides[0].listing, comparison->new_benchmark))
                        explain_unnamed(&modules->sides[0], comparison->new_benchmark, ret_why);
                else
                        plan_refusal_explain_no_match(&modules->sides[0], ret_why);
                break;
        case PLAN_E_TOO_MANY_BENCHMARKS:
                explain_too_many(modules, request, ret_why);
                break;
        case PLAN_E_TOO_MANY_PROCESSES:
                reply_error_bad(ret_why, "The run would take more than %u processes.", PLAN_PROCESSES_MAX);
                reply_error_hint(ret_why, "Name fewer benchmarks in filters, or lower --processes.");
                break;
        case PLAN_E_NO_OLD_OF_THAT_NAME:
                explain_unnamed(&modules->sides[1], comparison->benchmark, ret_why);
                break;
        case PLAN_E_NOTHING_IN_COMMON:
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH,
                                "%s has no benchmark, with its arguments, in common with the module on the other side.",
                                wants->name);
                reply_error_hint(ret_why,
                                "'benchctl list %s' shows its benchmarks; those of several threads or CPUs are not compared.",
                                wants->name);
                break;
        case PLAN_E_TOO_MANY_PAIRS:
                reply_error_bad(ret_why,
                                "More than %u benchmarks would be compared, each with all its arguments counted.",
                                PLAN_PAIRS_MAX);
                reply_error_hint(ret_why, "Name fewer of them in filters.");
                break;
        case PLAN_E_TOO_MANY_KEPT:
                reply_error_bad(ret_why,
                                "A benchmark would have more than %u samples to keep, each process counted as %u more.",
                                PLAN_KEPT_MAX, PLAN_KEPT_BESIDE);
                reply_error_hint(ret_why, "Lower --samples, --processes or --threads, or keep no samples.");
                break;
        case PLAN_E_NO_REFERENCE:
                explain_no_reference(&modules->sides[0], request->reference, ret_why);
                break;
        case PLAN_E_SEVERAL_REFERENCES:
                explain_several_references(&modules->sides[0], request->reference, ret_why);
                break;
        default:
                reply_error_bad(ret_why, "A benchmark would take more than %u samples in all.", PLAN_SAMPLES_MAX);
                reply_error_hint(ret_why, "Lower --samples or --processes.");
                break;
        }
}
