/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/comparability.h"

#include <inttypes.h>
#include <nettle/sha2.h>
#include <string.h>

#include "front/base/digest.h"
#include "front/report/environment.h"
#include "front/report/machine-class.h"
#include "util/cleanup.h"
#include "words/condition.h"
#include "words/control.h"

/* The rule by which times are made and estimated: another rule gives another number of the same module. The places are conditions. */
#define COMPARABILITY_ESTIMATES "by place, in the world of a program"

/* In words; in a stored result any of them may be absent. */
typedef struct Conditions {
        const char *values[_CONDITION_KIND_N]; /* NULL: absent */
} Conditions;

/* By name: another version of a library is to a baseline as another version of the module. */
static const char *preloaded_words(Arena *arena, const Benchd__Module *module) {
        const char *words = NULL;

        for (size_t i = 0; module && i < module->n_libraries && module->libraries[i]->preloaded; i++)
                words = words ? arena_format(arena, "%s, %s", words, module->libraries[i]->name)
                              : module->libraries[i]->name;
        return words ? words : "none";
}

static const char *instruments_words(Arena *arena, const Benchd__RunResult *result) {
        const char *words = NULL;

        for (size_t i = 0; i < result->n_instrumented; i++)
                words = words ? arena_format(arena, "%s, %s", words, result->instrumented[i]) : result->instrumented[i];
        return words ? words : "none";
}

static Conditions conditions_of(Arena *arena, const Benchd__RunResult *result) {
        const Benchd__Environment *environment = result->environment;
        Conditions conditions;
        const char **values = conditions.values;

        values[CONDITION_NONE] = NULL;
        values[CONDITION_METHOD] = result->method;
        values[CONDITION_CLOCK] = environment->tsc ? environment->tsc->clock : NULL;
        values[CONDITION_SCHEDULER] = environment->scheduler == BENCHD__ENVIRONMENT__SCHEDULER__FIFO ? "fifo" : "other";
        values[CONDITION_INSTRUMENTS] = instruments_words(arena, result);
        values[CONDITION_PRELOADED] = preloaded_words(arena, result->module);
        for (ConditionKind i = CONDITION_CPU; i < _CONDITION_KIND_N; i++)
                values[i] = machine_class_fact(i, arena, environment);
        return conditions;
}

static bool text_is(const char *a, const char *b) {
        return strcmp(a ? a : "", b ? b : "") == 0;
}

/* ---- the key */

/* A control that was set and one that was so already make no difference. */
static const char *outcome_words(uint32_t outcome) {
        return machine_controls_outcome_name(
                        outcome == BENCHD__CONTROL__OUTCOME__ALREADY ? BENCHD__CONTROL__OUTCOME__APPLIED : outcome);
}

static bool control_counts(const Benchd__Control *control) {
        return condition_counts(control->name ? control->name : "",
                        control->outcome == BENCHD__CONTROL__OUTCOME__ALREADY);
}

static const char *control_value(const Benchd__Control *control) {
        return condition_has_value(control->name ? control->name : "") ? control->is : NULL;
}

static void key_add_control(struct sha256_ctx *state, const Benchd__Control *control) {
        const char *name = control->name ? control->name : "";

        digest_add_fact(state, name, outcome_words(control->outcome));
        digest_add_fact(state, name, control_value(control));
}

/* Each look of a comparison that ends by itself. */
static void key_add_looks(struct sha256_ctx *state, Arena *arena, const Benchd__Plan *plan) {
        for (size_t i = 0; plan && i < plan->n_looks; i++)
                digest_add_fact(state, "look",
                                arena_format(arena, "%" PRIu32 " %.5g %.5g", plan->looks[i]->processes,
                                                plan->looks[i]->beyond, plan->looks[i]->same));
}

char *comparability_key(Arena *arena, const Benchd__RunResult *result) {
        const Conditions conditions = conditions_of(arena, result);
        const Benchd__Environment *environment = result->environment;
        struct sha256_ctx state;
        char key[DIGEST_KEY_BYTES];

        sha256_init(&state);
        digest_add_fact(&state, "version", BENCHD_VERSION);
        digest_add_fact(&state, "estimates", COMPARABILITY_ESTIMATES);
        for (ConditionKind i = CONDITION_NONE + 1; i < _CONDITION_KIND_N; i++)
                digest_add_fact(&state, condition_name(i), conditions.values[i]);
        for (size_t i = 0; i < environment->n_controls; i++)
                if (control_counts(environment->controls[i]))
                        key_add_control(&state, environment->controls[i]);
        key_add_looks(&state, arena, result->plan);
        digest_key(&state, key);
        return arena_format(arena, "%s", key);
}

/* ---- what differs */

/* Context of a comparison with an earlier job. */
typedef struct Difference {
        Arena *arena;
        ArenaList *warnings;
        const char *run_id;
} Difference;

static void difference_tell(const Difference *difference, const char *what, const char *was, const char *is) {
        arena_list_add(difference->warnings, difference->arena, "%s was %s in job %.8s and is %s here", what,
                        was ? was : "unknown", difference->run_id, is ? is : "unknown");
}

static void compare_fact(const Difference *difference, const char *what, const char *was, const char *is) {
        if (!text_is(was, is))
                difference_tell(difference, what, was, is);
}

static const Benchd__Control *control_find(const Benchd__Environment *environment, const char *name) {
        for (size_t i = 0; i < environment->n_controls; i++)
                if (text_is(environment->controls[i]->name, name) && control_counts(environment->controls[i]))
                        return environment->controls[i];
        return NULL;
}

/* A control in words: "denied (other)". */
static const char *control_words(Arena *arena, const Benchd__Control *control) {
        const char *outcome = control ? outcome_words(control->outcome) : "untold";
        const char *value = control ? control_value(control) : NULL;

        return value ? arena_format(arena, "%s (%s)", outcome, value) : outcome;
}

static void compare_control(const Difference *difference, const char *name, const Benchd__Control *was,
                const Benchd__Control *is) {
        compare_fact(difference, arena_format(difference->arena, "the control %s", name ? name : ""),
                        control_words(difference->arena, was), control_words(difference->arena, is));
}

/* Without its settings a run has hardly a control in common with one that has them: that is one difference, and no list of ten. */
static bool compare_tuning(const Difference *difference, const Benchd__Environment *was,
                const Benchd__Environment *is) {
        const Benchd__Control *before = control_find(was, control_name(CONTROL_TUNING)),
                              *now = control_find(is, control_name(CONTROL_TUNING));

        if (!before == !now)
                return false;
        arena_list_add(difference->warnings, difference->arena,
                        now ? "the machine's settings were benchd's own in job %.8s and are left as they are here: %s"
                            : "the machine's settings were left as they are in job %.8s (%s) and are benchd's own here",
                        difference->run_id, (now ? now : before)->is ? (now ? now : before)->is : "");
        return true;
}

static void compare_controls(const Difference *difference, const Benchd__Environment *was,
                const Benchd__Environment *is) {
        if (compare_tuning(difference, was, is))
                return;
        for (size_t i = 0; i < is->n_controls; i++)
                if (control_counts(is->controls[i]))
                        compare_control(difference, is->controls[i]->name, control_find(was, is->controls[i]->name),
                                        is->controls[i]);
        for (size_t i = 0; i < was->n_controls; i++)
                if (control_counts(was->controls[i]) && !control_find(is, was->controls[i]->name))
                        compare_control(difference, was->controls[i]->name, was->controls[i], NULL);
}

/* A result does not name its version, but another version's key is not the key that this version makes of it. */
static void compare_version(const Difference *difference, const Benchd__RunResult *earlier) {
        const char *key = comparability_key(difference->arena, earlier);

        if (!text_is(key, earlier->comparability_key))
                difference_tell(difference, "benchd", "another version", BENCHD_VERSION);
}

void comparability_warn(Arena *arena, const Benchd__RunResult *earlier, const Benchd__RunResult *result,
                ArenaList *warnings) {
        const Difference difference = { arena, warnings, earlier->run_id ? earlier->run_id : "" };
        const size_t n_before = warnings->n;
        Conditions was, is;

        if (!earlier->environment || text_is(earlier->comparability_key, result->comparability_key))
                return;
        compare_version(&difference, earlier);
        was = conditions_of(arena, earlier);
        is = conditions_of(arena, result);
        for (ConditionKind i = CONDITION_NONE + 1; i < _CONDITION_KIND_N; i++)
                compare_fact(&difference, condition_words(i), was.values[i], is.values[i]);
        compare_controls(&difference, earlier->environment, result->environment);
        if (warnings->n > n_before)
                arena_list_add(warnings, arena,
                                "the times of job %.8s are not comparable with these; the ratio is, since both sides were "
                                "measured here",
                                difference.run_id);
}
