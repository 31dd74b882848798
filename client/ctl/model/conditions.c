/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/conditions.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/machine-facts.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "words/condition.h"
#include "words/control.h"

/* Formats of clauses. */
typedef struct Clauses {
        const char *differs;        /* of a condition, and its two values */
        const char *first_untuned;  /* of the reason */
        const char *second_untuned; /* of the reason */
        const char *version;
        const char *first_beside; /* the remedy; NULL: none */
        const char *second_beside;
} Clauses;

static const Clauses pairs[_CONDITIONS_PAIR_N] = {
        [CONDITIONS_THEN_AND_NOW] = { "%s was %s and is %s",
                        "the machine's settings were left as they were (%s), and are benchd's now",
                        "the machine's settings were benchd's, and are left as they are now: %s",
                        "another version of benchd measured it", NULL,
                        "Wait until the other run has ended, and measure again." },
        [CONDITIONS_A_AND_B] = { "%s is %s in A and %s in B",
                        "the machine's settings were left as they were in A alone: %s",
                        "the machine's settings were left as they were in B alone: %s",
                        "two versions of benchd measured them",
                        "Another benchd held the machine's settings during A: measure A again without it.",
                        "Another benchd held the machine's settings during B: measure B again without it." },
};

static int add_clause(json_t *clauses, json_t *clause) {
        return clause && json_array_append_new(clauses, clause) == 0 ? 0 : error_origin(-ENOMEM);
}

static int add_difference(json_t *clauses, const Clauses *words, const char *name, const char *first,
                const char *second) {
        if (strcmp(first, second) == 0)
                return 0;
        return error_trace(add_clause(clauses,
                        json_sprintf(words->differs, name, *first ? first : "unknown", *second ? second : "unknown")));
}

/* "already" is as good as "applied": "applied (fifo)". Returns a text of the caller's; NULL if memory ran out. */
static char *control_words(const json_t *control) {
        const bool has_value = condition_has_value(json_text_or(control, "name", ""));
        const char *outcome = json_text_at(control, "outcome"), *is = has_value ? json_text_at(control, "is") : NULL;
        char *text;

        if (outcome && strcmp(outcome, "already") == 0)
                outcome = "applied";
        return asprintf(&text, "%s%s%s%s", outcome ? outcome : "untold", is ? " (" : "", is ? is : "", is ? ")" : "") <
                                               0
                               ? NULL
                               : text;
}

static bool control_counts(const json_t *control) {
        return condition_counts(json_text_or(control, "name", ""), json_text_is(control, "outcome", "already"));
}

static const json_t *find_control(const json_t *result, const char *name) {
        const json_t *control = json_find(json_at(result, "environment.controls"), "name", name);

        return control && control_counts(control) ? control : NULL;
}

/* Adds the controls of @from whose state differs between @first and @second; of those in both only once. */
static int add_controls(json_t *clauses, const Clauses *words, const json_t *from, const json_t *first,
                const json_t *second) {
        const json_t *controls = json_at(from, "environment.controls");
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(controls); i++) {
                const char *name = json_text_at(json_array_get(controls, i), "name");
                _cleanup_(freep) char *before = NULL, *after = NULL, *subject = NULL;

                if (!name || !control_counts(json_array_get(controls, i)) ||
                                (from == first && find_control(second, name)))
                        continue;
                before = control_words(find_control(first, name));
                after = control_words(find_control(second, name));
                if (!before || !after || asprintf(&subject, "the control %s", name) < 0) {
                        subject = NULL;
                        return error_origin(-ENOMEM);
                }
                r = add_difference(clauses, words, subject, before, after);
        }
        return error_trace(r);
}

static int add_facts(json_t *clauses, const Clauses *words, const json_t *first, const json_t *second) {
        const MachineFact *fact;
        int r = 0;

        for (size_t i = 0; r == 0 && (fact = machine_fact_at(i)); i++) {
                _cleanup_(freep) char *before = NULL, *after = NULL;

                if (fact->condition == CONDITION_NONE)
                        continue;
                before = machine_fact_text(fact, first);
                after = machine_fact_text(fact, second);
                r = before && after ? add_difference(clauses, words, condition_words(fact->condition), before, after)
                                    : error_origin(-ENOMEM);
        }
        return error_trace(r);
}

/* Why the machine's settings were left as they are in @result; NULL: they were not. */
static const char *untuned_reason(const json_t *result) {
        return json_text_at(find_control(result, control_name(CONTROL_TUNING)), "is");
}

/* Without its settings a run has hardly a control in common with one that has them: that is one difference, and no list of ten. */
static int add_tuning(json_t *clauses, const Clauses *words, const json_t *first, const json_t *second) {
        const char *of_first = untuned_reason(first), *of_second = untuned_reason(second);
        int r;

        if (of_first && !of_second)
                return error_trace(add_clause(clauses, json_sprintf(words->first_untuned, of_first)));
        if (of_second && !of_first)
                return error_trace(add_clause(clauses, json_sprintf(words->second_untuned, of_second)));
        r = add_controls(clauses, words, second, first, second);
        return error_trace(r ? r : add_controls(clauses, words, first, first, second));
}

int conditions_compare(const json_t *first, const json_t *second, ConditionsPair pair, json_t **ret_clauses) {
        _cleanup_(json_decrefp) json_t *clauses = json_array();
        const Clauses *words = &pairs[pair];
        int r = clauses ? 0 : error_origin(-ENOMEM);

        if (r == 0)
                r = add_facts(clauses, words, first, second);
        if (r == 0)
                r = add_tuning(clauses, words, first, second);
        if (r == 0 && json_array_size(clauses) == 0) /* the version is part of the key alone */
                r = add_clause(clauses, json_string(words->version));
        if (r)
                return error_trace(r);
        *ret_clauses = take_pointer(clauses);
        return 0;
}

static bool was_beside_another(const json_t *result) {
        const char *reason = untuned_reason(result);

        return reason && strcmp(reason, CONTROL_TUNING_HELD) == 0;
}

const char *conditions_remedy(const json_t *first, const json_t *second, ConditionsPair pair) {
        const bool first_beside = was_beside_another(first), second_beside = was_beside_another(second);

        if (first_beside == second_beside)
                return NULL;
        return first_beside ? pairs[pair].first_beside : pairs[pair].second_beside;
}

json_t *conditions_of(const json_t *result) {
        return json_join(json_pick(result, "method", "instrumented", "environment", NULL),
                        json_pack("{s:{s:O?}}", "module", "libraries", json_at(result, "module.libraries")));
}
