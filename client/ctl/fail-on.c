/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/fail-on.h"

#include <jansson.h>
#include <string.h>

#include "ctl/exit.h"
#include "ctl/json-path.h"
#include "ctl/verb.h"
#include "util/cleanup.h"

static bool is_unfit(const json_t *result) {
        const char *verdict = json_text_at(result, "verdict");

        return verdict && strcmp(verdict, "unfit") == 0;
}

/* True if any row of a comparison has the verdict @wanted; NULL: has none, or "unresolved". */
static bool any_row(const json_t *result, const char *wanted) {
        const json_t *comparisons = json_at(result, "comparisons");

        for (size_t i = 0; i < json_array_size(comparisons); i++) {
                const char *verdict = json_text_at(json_array_get(comparisons, i), "verdict");

                if (verdict ? strcmp(verdict, wanted ? wanted : "unresolved") == 0 : !wanted)
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

typedef struct Condition {
        const char *word;
        unsigned verbs;
        int exit;
        bool (*holds)(const json_t *result);
} Condition;

/* In order of precedence: what an unfit run found is not to be trusted, in either direction. */
static const Condition conditions[] = {
        { "unfit", VERB_RESULT | VERB_COMPARE, EXIT_UNFIT, is_unfit },
        { "slower", VERB_COMPARE | VERB_WAIT | VERB_SHOW, EXIT_REGRESSION, is_slower },
        { "unresolved", VERB_COMPARE | VERB_WAIT | VERB_SHOW, EXIT_UNRESOLVED, is_unresolved },
};

int fail_on_parse(const char *text, const Verb *verb, unsigned *ret_conditions) {
        unsigned found = 0;

        for (;;) {
                size_t n = strcspn(text, ","), i = 0;

                while (i < N_ELEMENTS(conditions) &&
                                (strlen(conditions[i].word) != n || strncmp(conditions[i].word, text, n) != 0))
                        i++;
                if (i == N_ELEMENTS(conditions) || !(conditions[i].verbs & verb->bit))
                        return FAIL_ON_E_UNKNOWN;
                found |= 1u << i;
                if (!text[n])
                        break;
                text += n + 1;
        }
        *ret_conditions = found;
        return 0;
}

const char *fail_on_words(const Verb *verb) {
        return verb->bit == VERB_RUN ? "unfit" : "slower, unresolved and unfit";
}

int fail_on_judge(unsigned of, const json_t *result) {
        for (size_t i = 0; i < N_ELEMENTS(conditions); i++)
                if ((of & 1u << i) && conditions[i].holds(result))
                        return conditions[i].exit;
        return EXIT_DONE;
}
