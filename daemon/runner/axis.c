/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/axis.h"

#include <benchd/bench.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runner/report.h"

#define AXIS_WORDS_MAX 256

/* An argument under check, and what is wrong with it. */
typedef struct AxisCheck {
        const struct bench_axis *axis;
        char words[AXIS_WORDS_MAX];
} AxisCheck;

/* Returns false, as a check does that failed. */
static bool __attribute__((format(printf, 2, 3))) axis_refuse(AxisCheck *check, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(check->words, sizeof check->words, format, arguments);
        va_end(arguments);
        return false;
}

/* ---- ranges */

/* A range in the words of its source. */
static const char *axis_range_words(const struct bench_axis *axis, char words[static AXIS_WORDS_MAX]) {
        snprintf(words, AXIS_WORDS_MAX, "%s(%s, %" PRId64 ", %" PRId64 ", %" PRId64 ")",
                        axis->kind == BENCH_AXIS_LINEAR ? "BENCH_LINEAR" : "BENCH_RANGE", axis->name, axis->first,
                        axis->last, axis->factor);
        return words;
}

static uint64_t axis_count_steps(const struct bench_axis *axis) {
        const uint64_t length = (uint64_t)axis->last - (uint64_t)axis->first, step = (uint64_t)axis->factor;

        return length / step + (length % step > 0) + (length / step < UINT64_MAX - 1);
}

static bool axis_check_linear(AxisCheck *check, const char *range) {
        const struct bench_axis *axis = check->axis;

        if (axis->factor < 1)
                return axis_refuse(check, "%s stands still: a step is 1 or more", range);
        if (axis_count_steps(axis) > LISTING_STEPS_MAX)
                return axis_refuse(check, "%s has %" PRIu64 " values, of at most %u: take larger steps", range,
                                axis_count_steps(axis), LISTING_STEPS_MAX);
        return true;
}

static bool axis_check_factors(AxisCheck *check, const char *range) {
        const struct bench_axis *axis = check->axis;

        if (axis->factor < 2)
                return axis_refuse(check,
                                "%s does not grow: a factor is 2 or more. BENCH_LINEAR goes on by a step instead",
                                range);
        if (axis->first < 1)
                return axis_refuse(check,
                                "%s begins at %" PRId64
                                ", and no factor leads on from there: begin at 1 or more. BENCH_LINEAR may begin "
                                "anywhere",
                                range, axis->first);
        return true;
}

static bool axis_check_range(AxisCheck *check) {
        const struct bench_axis *axis = check->axis;
        char range[AXIS_WORDS_MAX];

        axis_range_words(axis, range);
        if (axis->last < axis->first)
                return axis_refuse(check, "%s ends before it begins", range);
        return axis->kind == BENCH_AXIS_LINEAR ? axis_check_linear(check, range) : axis_check_factors(check, range);
}

/* ---- lists */

static bool axis_check_text(AxisCheck *check, const char *text) {
        const char *name = check->axis->name;

        if (!text || !*text)
                return axis_refuse(check, "a text of BENCH_TEXTS(%s) is %s", name, text ? "empty" : "NULL");
        if (strnlen(text, ARGUMENT_TEXT_MAX) == ARGUMENT_TEXT_MAX)
                return axis_refuse(check, "a text of BENCH_TEXTS(%s), '%.*s...', has over %u characters", name,
                                (int)ARGUMENT_TEXT_MAX - 1, text, ARGUMENT_TEXT_MAX - 1);
        for (const char *c = text; *c; c++)
                if (!argument_character_is_valid(*c))
                        return axis_refuse(check,
                                        "'%s' of BENCH_TEXTS(%s) has a character that no name of a row can have "
                                        "(letters, digits and _ . - + : @ %% can be)",
                                        text, name);
        return true;
}

static bool axis_check_value(AxisCheck *check, uint32_t index) {
        const struct bench_axis *axis = check->axis;

        if (axis->kind == BENCH_AXIS_TEXTS)
                return axis_check_text(check, axis->texts[index]);
        if (axis->kind == BENCH_AXIS_REALS && !isfinite(axis->reals[index]))
                return axis_refuse(check, "a value of BENCH_REALS(%s) is %g, which is not finite", axis->name,
                                axis->reals[index]);
        return true;
}

static ArgumentValue axis_value(const struct bench_axis *axis, uint32_t index) {
        if (axis->kind == BENCH_AXIS_REALS)
                return argument_real(axis->reals[index]);
        if (axis->kind == BENCH_AXIS_TEXTS)
                return argument_text(axis->texts[index]);
        return argument_integer(axis->values[index]);
}

/* Rows go by the words of their values: two that read the same would be one row. */
static bool axis_check_equal(AxisCheck *check, uint32_t index) {
        const ArgumentValue value = axis_value(check->axis, index);
        char words[ARGUMENT_TEXT_MAX], others[ARGUMENT_TEXT_MAX];

        argument_print(&value, words);
        for (uint32_t i = 0; i < index; i++) {
                const ArgumentValue other = axis_value(check->axis, i);

                if (strcmp(words, argument_print(&other, others)) == 0)
                        return axis_refuse(check, "%s=%s is there twice: each value makes a row of its own",
                                        check->axis->name, words);
        }
        return true;
}

static bool axis_check_list(AxisCheck *check) {
        const struct bench_axis *axis = check->axis;

        if (axis->n_values > BENCH_VALUES_MAX)
                return axis_refuse(check, "the argument %s has %u values, of at most %u", axis->name, axis->n_values,
                                BENCH_VALUES_MAX);
        for (uint32_t i = 0; i < axis->n_values; i++)
                if (!axis_check_value(check, i) || !axis_check_equal(check, i))
                        return false;
        return true;
}

/* ---- all of them */

static bool axis_check(AxisCheck *check) {
        const struct bench_axis *axis = check->axis;

        if (!report_name_is_valid(axis->name))
                return axis_refuse(check,
                                "'%.100s' is no name of an argument (letters, digits and _ . - +, at most %u)",
                                axis->name, RUNNER_NAME_MAX - 1);
        if (axis->kind > BENCH_AXIS_LINEAR)
                return axis_refuse(check, "the argument %s is of a kind, %u, that this benchd does not know",
                                axis->name, axis->kind);
        if (axis->n_values > 0 && axis->kind != BENCH_AXIS_LINEAR)
                return axis_check_list(check);
        if (axis->kind == BENCH_AXIS_REALS || axis->kind == BENCH_AXIS_TEXTS)
                return axis_refuse(check, "the argument %s has no values", axis->name);
        return axis_check_range(check);
}

static bool axis_check_other_names(AxisCheck *check, const struct bench_args *args) {
        for (const struct bench_axis *other = args->axes; other < check->axis; other++)
                if (other->name && strcmp(other->name, check->axis->name) == 0)
                        return axis_refuse(check, "two of its arguments are called %s", other->name);
        return true;
}

bool axis_check_all(const struct bench_args *args, const char *row, BlockHead *head) {
        for (size_t i = 0; i < BENCH_AXES_MAX; i++) {
                AxisCheck check = { .axis = &args->axes[i] };

                if (!check.axis->name || (axis_check(&check) && axis_check_other_names(&check, args)))
                        continue;
                report_end(head, RUNNER_END_BAD_DESCRIPTOR, "%s: %s", row, check.words);
                return false;
        }
        return true;
}

void axis_list(const struct bench_axis *axis, ListingAxis *ret_axis) {
        snprintf(ret_axis->name, sizeof ret_axis->name, "%s", axis->name);
        ret_axis->first = axis->first;
        ret_axis->last = axis->last;
        if (axis->kind == BENCH_AXIS_LINEAR) {
                ret_axis->step = axis->factor;
                return;
        }
        ret_axis->factor = axis->factor;
        ret_axis->n_values = axis->n_values;
        for (uint32_t i = 0; i < axis->n_values; i++) {
                const ArgumentValue value = axis_value(axis, i);

                ret_axis->kind = value.kind;
                if (value.kind == ARGUMENT_REAL)
                        ret_axis->reals[i] = value.real;
                else if (value.kind == ARGUMENT_TEXT)
                        memcpy(ret_axis->texts[i], value.text, sizeof ret_axis->texts[i]);
                else
                        ret_axis->integers[i] = value.integer;
        }
}
