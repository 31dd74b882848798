/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-parameters.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/exec/exec-plan.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

/* ---- decimal numbers */

#define DECIMALS_MAX 9u
#define DIGITS_MAX   9u /* before the point */

typedef struct Decimal {
        int64_t units; /* of 10^-DECIMALS_MAX */
        unsigned decimals;
} Decimal;

static const int64_t one = 1000000000; /* in units */

static bool decimal_parse(const char *text, Decimal *ret_decimal) {
        const bool negative = *text == '-';
        const char *digits = text + (negative || *text == '+');
        const size_t n = strspn(digits, "0123456789");
        const size_t n_decimals = digits[n] == '.' ? strspn(digits + n + 1, "0123456789") : 0;
        int64_t units = 0, weight = one;

        if (n > DIGITS_MAX || n_decimals > DECIMALS_MAX || n + n_decimals == 0 ||
                        digits[n + (digits[n] == '.') + n_decimals] != '\0')
                return false;
        for (size_t i = 0; i < n; i++)
                units = 10 * units + (digits[i] - '0') * one;
        for (size_t i = 0; i < n_decimals; i++)
                units += (digits[n + 1 + i] - '0') * (weight /= 10);
        *ret_decimal = (Decimal){ .units = negative ? -units : units, .decimals = n_decimals };
        return true;
}

static char *decimal_text(const Decimal *decimal) {
        const uint64_t units = decimal->units < 0 ? -(uint64_t)decimal->units : (uint64_t)decimal->units;
        char fraction[DECIMALS_MAX + 1], *text;

        snprintf(fraction, sizeof fraction, "%0*" PRIu64, (int)DECIMALS_MAX, units % (uint64_t)one);
        fraction[decimal->decimals] = '\0';
        return asprintf(&text, "%s%" PRIu64 "%s%s", decimal->units < 0 ? "-" : "", units / (uint64_t)one,
                               decimal->decimals ? "." : "", fraction) < 0
                               ? NULL
                               : text;
}

/* ---- one parameter */

static bool refuse(char problem[static EXEC_PROBLEM_BYTES], const char *words) {
        snprintf(problem, EXEC_PROBLEM_BYTES, "%s", words);
        return false;
}

static void scale_clear(ExecScale *scale) {
        for (size_t i = 0; i < scale->n; i++)
                free(scale->values[i]);
        free(scale->values);
        free(scale->name);
        *scale = (ExecScale){};
}

/* Takes @value, which the caller allocated; NULL is refused. */
static bool scale_add(ExecScale *scale, char *value) {
        char **values = value ? reallocarray(scale->values, scale->n + 1, sizeof *values) : NULL;

        if (!values) {
                free(value);
                return false;
        }
        values[scale->n++] = value;
        scale->values = values;
        return true;
}

static bool name_is_valid(const char *name, size_t n) {
        return n > 0 && !memchr(name, '{', n) && !memchr(name, '}', n);
}

/* Begins the next parameter, by the name before the first comma of @text. */
static ExecScale *scales_begin(ExecScales *scales, const char *option, const char *text,
                char problem[static EXEC_PROBLEM_BYTES]) {
        const size_t n = strcspn(text, ",");

        if (!name_is_valid(text, n) || text[n] != ',') {
                snprintf(problem, EXEC_PROBLEM_BYTES, "--%s takes a name without braces and its values, not '%.128s'",
                                option, text);
                return NULL;
        }
        for (size_t i = 0; i < scales->n; i++)
                if (strlen(scales->all[i].name) == n && memcmp(scales->all[i].name, text, n) == 0) {
                        snprintf(problem, EXEC_PROBLEM_BYTES, "the parameter '%.*s' is given twice",
                                        (int)(n < 128 ? n : 128), text);
                        return NULL;
                }
        if (scales->n == EXEC_PARAMETERS_MAX) {
                snprintf(problem, EXEC_PROBLEM_BYTES, "there are more than %u parameters", EXEC_PARAMETERS_MAX);
                return NULL;
        }
        scales->all[scales->n] = (ExecScale){ .name = strndup(text, n) };
        if (!scales->all[scales->n].name) {
                refuse(problem, "out of memory");
                return NULL;
        }
        return &scales->all[scales->n++];
}

typedef struct Range {
        Decimal from;
        Decimal to;
        Decimal step;
} Range;

static bool range_parse(const char *text, const char *step, Range *ret_range, char problem[static EXEC_PROBLEM_BYTES]) {
        const char *comma = strchr(text, ',');
        char from[32];
        Range range;

        snprintf(from, sizeof from, "%.*s", comma ? (int)(comma - text) : 0, text);
        if (!comma || !decimal_parse(from, &range.from) || !decimal_parse(comma + 1, &range.to)) {
                snprintf(problem, EXEC_PROBLEM_BYTES,
                                "--parameter-scan takes VAR MIN MAX, two numbers of at most %u digits before and after the point, not '%.64s'",
                                DIGITS_MAX, text);
                return false;
        }
        if (!decimal_parse(step ? step : "1", &range.step)) {
                snprintf(problem, EXEC_PROBLEM_BYTES, "--parameter-step-size takes a number, not '%.64s'", step);
                return false;
        }
        if (range.step.units <= 0) {
                snprintf(problem, EXEC_PROBLEM_BYTES, "--parameter-step-size must be over 0, not %.64s", step);
                return false;
        }
        if (range.from.units > range.to.units) {
                snprintf(problem, EXEC_PROBLEM_BYTES, "--parameter-scan counts upwards: MIN %.32s is over MAX %.64s",
                                from, comma + 1);
                return false;
        }
        *ret_range = range;
        return true;
}

bool exec_scales_add_scan(ExecScales *scales, const char *text, const char *step,
                char problem[static EXEC_PROBLEM_BYTES]) {
        ExecScale *scale = scales_begin(scales, "parameter-scan", text, problem);
        Range range;

        if (!scale || !range_parse(strchr(text, ',') + 1, step, &range, problem))
                return false;
        if ((range.to.units - range.from.units) / range.step.units >= (int64_t)EXEC_COMMANDS_MAX) {
                snprintf(problem, EXEC_PROBLEM_BYTES, "the scan of '%.64s' has %" PRId64 " values, of at most %u",
                                scale->name, (range.to.units - range.from.units) / range.step.units + 1,
                                EXEC_COMMANDS_MAX);
                return false;
        }
        for (Decimal value = range.from; value.units <= range.to.units; value.units += range.step.units) {
                if (!scale_add(scale, decimal_text(&value)))
                        return refuse(problem, "out of memory");
                if (value.decimals < range.step.decimals)
                        value.decimals = range.step.decimals;
        }
        return true;
}

/* A copy of the value at @text, up to the next comma that has no backslash. Returns its length in @ret_n. */
static char *value_of(const char *text, size_t *ret_n) {
        char *value = malloc(strlen(text) + 1);
        size_t n = 0, n_value = 0;

        while (value && text[n] && text[n] != ',') {
                n += text[n] == '\\' && text[n + 1] == ',';
                value[n_value++] = text[n++];
        }
        if (value)
                value[n_value] = '\0';
        *ret_n = n;
        return value;
}

bool exec_scales_add_list(ExecScales *scales, const char *text, char problem[static EXEC_PROBLEM_BYTES]) {
        ExecScale *scale = scales_begin(scales, "parameter-list", text, problem);
        size_t n;

        if (!scale)
                return false;
        for (text = strchr(text, ',');; text += n) {
                if (scale->n == EXEC_COMMANDS_MAX) {
                        snprintf(problem, EXEC_PROBLEM_BYTES, "the parameter '%.64s' has more than %u values",
                                        scale->name, EXEC_COMMANDS_MAX);
                        return false;
                }
                if (!scale_add(scale, value_of(++text, &n)))
                        return refuse(problem, "out of memory");
                if (!text[n])
                        return true;
        }
}

void exec_scales_clear(ExecScales *scales) {
        for (size_t i = 0; i < scales->n; i++)
                scale_clear(&scales->all[i]);
        scales->n = 0;
}

/* ---- combinations */

size_t exec_scales_combinations(const ExecScales *scales) {
        size_t n = 1;

        for (size_t i = 0; i < scales->n; i++)
                n *= scales->all[i].n;
        return n;
}

void exec_scales_combine(const ExecScales *scales, size_t index,
                ExecParameter ret_parameters[static EXEC_PARAMETERS_MAX]) {
        for (size_t i = 0; i < scales->n; i++) {
                const ExecScale *scale = &scales->all[i];

                ret_parameters[i] = (ExecParameter){ .name = scale->name, .value = scale->values[index % scale->n] };
                index /= scale->n;
        }
}

/* The parameter whose {name} stands at @text; NULL: none. */
static const ExecParameter *parameter_at(const char *text, const ExecParameter *parameters, size_t n) {
        for (size_t i = 0; *text == '{' && i < n; i++) {
                const size_t length = strlen(parameters[i].name);

                if (strncmp(text + 1, parameters[i].name, length) == 0 && text[1 + length] == '}')
                        return &parameters[i];
        }
        return NULL;
}

char *exec_substitute(const char *text, const ExecParameter *parameters, size_t n) {
        _cleanup_(text_stream_clear) TextStream stream = {};
        FILE *out = text_stream_open(&stream);

        while (*text) {
                const ExecParameter *parameter = parameter_at(text, parameters, n);

                if (parameter)
                        fputs(parameter->value, out);
                else
                        fputc(*text, out);
                text += parameter ? strlen(parameter->name) + 2 : 1;
        }
        return text_stream_take(&stream);
}

bool exec_uses(const char *text, const char *name) {
        const ExecParameter parameter = { .name = name };

        for (; *text; text++)
                if (parameter_at(text, &parameter, 1))
                        return true;
        return false;
}
