/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/unit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/time.h"

#define UNIT_DIGITS       4 /* significant */
#define UNIT_SHARE_DIGITS 2
#define UNIT_RANGE_DIGITS 3
#define UNIT_DIGITS_MAX   12   /* more than these are noise of the arithmetic */
#define UNIT_RANGE_SHARE  1e-3 /* of the higher end's unit: a smaller lower end gets its own unit */
#define UNIT_DECIMALS_MAX 15
#define UNIT_PLAIN_MIN    1e-6 /* smaller ones are written with their exponent */
#define UNIT_COUNT_MAX    1e20 /* so are larger ones */
#define UNIT_WAIT_MAX_S   1e15

/* Rounds to @digits significant digits first, so that 999.96 counts as the 1000 that is printed. */
static double round_significant(double value, int digits) {
        double scale;

        if (value == 0 || !isfinite(value))
                return value;
        scale = pow(10, digits - 1 - floor(log10(fabs(value))));
        return round(value * scale) / scale;
}

/* The number of decimals that gives the rounded @value @digits significant digits; at least 0. */
static int decimals_of(double value, int digits) {
        int before = value == 0 || !isfinite(value) ? 1 : (int)floor(log10(fabs(value))) + 1;
        int decimals = before < digits ? digits - before : 0;

        return decimals < UNIT_DECIMALS_MAX ? decimals : UNIT_DECIMALS_MAX;
}

/* The significant digits of @value down to digit @n of @error; at least @least. */
static int digits_to_error(double value, double error, int n, int least) {
        double digits;

        if (!(error > 0) || !isfinite(error) || value == 0 || !isfinite(value))
                return least;
        digits = fmin(floor(log10(fabs(value))) - floor(log10(round_significant(error, 2))) + n, UNIT_DIGITS_MAX);
        return digits > least ? (int)digits : least;
}

/* Puts commas between groups of three digits before the point of @text. */
static void group_digits(char text[static UNIT_TEXT_MAX]) {
        size_t first = text[0] == '-', n_digits = strspn(text + first, "0123456789");

        for (size_t at = n_digits; at > 3;) {
                at -= 3;
                if (strlen(text) + 2 > UNIT_TEXT_MAX)
                        return;
                memmove(text + first + at + 1, text + first + at, strlen(text + first + at) + 1);
                text[first + at] = ',';
        }
}

/* Zero has no digits but one. */
static void print_number(double value, int digits, char text[static UNIT_TEXT_MAX]) {
        value = round_significant(value, digits);
        if (value == 0)
                snprintf(text, UNIT_TEXT_MAX, "0");
        else if (fabs(value) < UNIT_PLAIN_MIN)
                snprintf(text, UNIT_TEXT_MAX, "%.*e", digits - 1, value);
        else
                snprintf(text, UNIT_TEXT_MAX, "%.*f", decimals_of(value, digits), value);
        group_digits(text);
}

const AmountTimeUnit *unit_find_time(const char *word) {
        const AmountTimeUnit *unit = amount_time_named(word);

        return unit && unit->ns >= 1 ? unit : NULL;
}

double unit_time_size(const AmountTimeUnit *unit, double ns, const char **ret_name) {
        unit = unit ? unit : amount_time_unit(ns);
        *ret_name = unit->name;
        return unit->ns;
}

const char *unit_time_in(const AmountTimeUnit *unit, double ns, char text[static UNIT_TEXT_MAX]) {
        unit = unit ? unit : amount_time_unit(ns);
        print_number(ns / unit->ns, UNIT_DIGITS, text);
        snprintf(text + strlen(text), UNIT_TEXT_MAX - strlen(text), " %s", unit->name);
        return text;
}

const char *unit_time_within(const AmountTimeUnit *unit, double ns, double error_ns, char text[static UNIT_TEXT_MAX]) {
        unit = unit ? unit : amount_time_unit(ns);
        print_number(ns / unit->ns, digits_to_error(ns, error_ns, 1, UNIT_DIGITS), text);
        snprintf(text + strlen(text), UNIT_TEXT_MAX - strlen(text), " %s", unit->name);
        return text;
}

const char *unit_time(double ns, char text[static UNIT_TEXT_MAX]) {
        return unit_time_in(NULL, ns, text);
}

/* An end of a range from @low to @high: as many digits as two of half the distance need. */
static void print_end(double end, double low, double high, char text[static UNIT_TEXT_MAX]) {
        print_number(end, digits_to_error(end, (high - low) / 2, 2, UNIT_RANGE_DIGITS), text);
}

const char *unit_range(double low, double high, char text[static UNIT_TEXT_MAX]) {
        char upper[UNIT_TEXT_MAX];

        print_end(low, low, high, text);
        print_end(high, low, high, upper);
        snprintf(text + strlen(text), UNIT_TEXT_MAX - strlen(text), " … %s", upper);
        return text;
}

const char *unit_time_range_in(const AmountTimeUnit *unit, double low_ns, double high_ns,
                char text[static UNIT_TEXT_MAX]) {
        const AmountTimeUnit *of_high = unit ? unit : amount_time_unit(high_ns);
        char high[UNIT_TEXT_MAX];

        if (!unit && low_ns > 0 && low_ns < UNIT_RANGE_SHARE * of_high->ns) {
                const AmountTimeUnit *smaller = amount_time_unit(low_ns);

                print_number(low_ns / smaller->ns, UNIT_RANGE_DIGITS, text);
                print_number(high_ns / of_high->ns, UNIT_RANGE_DIGITS, high);
                snprintf(text + strlen(text), UNIT_TEXT_MAX - strlen(text), " %s … %s", smaller->name, high);
        } else
                unit_range(low_ns / of_high->ns, high_ns / of_high->ns, text);
        snprintf(text + strlen(text), UNIT_TEXT_MAX - strlen(text), " %s", of_high->name);
        return text;
}

const char *unit_number(double value, char text[static UNIT_TEXT_MAX]) {
        print_number(value, UNIT_DIGITS, text);
        return text;
}

const char *unit_count(double count, char text[static UNIT_TEXT_MAX]) {
        snprintf(text, UNIT_TEXT_MAX, fabs(count) < UNIT_COUNT_MAX ? "%.0f" : "%.3e", round(count));
        group_digits(text);
        return text;
}

const char *unit_share(double share, char text[static UNIT_TEXT_MAX]) {
        double percent = share * 100;

        if (percent != 0 && fabs(percent) < 0.01)
                snprintf(text, UNIT_TEXT_MAX, "<0.01 %%");
        else if (percent == 0)
                snprintf(text, UNIT_TEXT_MAX, "0 %%");
        else {
                print_number(percent, UNIT_SHARE_DIGITS, text);
                strncat(text, " %", UNIT_TEXT_MAX - strlen(text) - 1);
        }
        return text;
}

const char *unit_to_error(double value, double error, char text[static UNIT_TEXT_MAX]) {
        if (!(error > 0))
                return unit_number(value, text);
        snprintf(text, UNIT_TEXT_MAX, "%.*f", decimals_of(round_significant(error, 2), 2), value);
        return text;
}

/* Two digits of @factor, and of what it is beyond 1, but none below the first of @error. */
static int decimals_of_factor(double factor, double error) {
        int decimals = decimals_of(round_significant(factor, 2), 2);

        if (factor > 1)
                decimals = (int)fmax(decimals, decimals_of(round_significant(factor - 1, 2), 2));
        return error > 0 ? (int)fmin(decimals, decimals_of(round_significant(error, 1), 1)) : decimals;
}

const char *unit_factor(double factor, double error, char text[static UNIT_TEXT_MAX]) {
        snprintf(text, UNIT_TEXT_MAX, "%.*f", decimals_of_factor(factor, error), factor);
        group_digits(text);
        return text;
}

const char *unit_amount(double amount, const char *unit, char text[static UNIT_TEXT_MAX]) {
        static const struct {
                const char *name;
                double size;
        } prefixes[] = { { "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 } };
        size_t i = N_ELEMENTS(prefixes) - 1;

        while (i > 0 && fabs(round_significant(amount, UNIT_DIGITS)) < prefixes[i].size)
                i--;
        print_number(amount / prefixes[i].size, UNIT_DIGITS, text);
        snprintf(text + strlen(text), UNIT_TEXT_MAX - strlen(text), " %s%s", prefixes[i].name, unit);
        return text;
}

typedef struct Wait {
        uint64_t seconds;
        const char *name;
        uint64_t part_seconds; /* the next smaller unit */
        const char *part_name;
} Wait;

static const Wait waits[] = {
        { 86400, "d", 3600, "h" },
        { 3600, "h", 60, "min" },
        { 60, "min", 1, "s" },
        { 1, "s", 1, NULL },
};

const char *unit_wait(double ns, char text[static UNIT_TEXT_MAX]) {
        uint64_t seconds = ns > 0 ? ceil(fmin(ns / NS_PER_S, UNIT_WAIT_MAX_S)) : 0;
        const Wait *wait = &waits[0];
        uint64_t part;

        while (wait < &waits[N_ELEMENTS(waits) - 1] && seconds < wait->seconds)
                wait++;
        snprintf(text, UNIT_TEXT_MAX, "%" PRIu64 " %s", seconds / wait->seconds, wait->name);
        part = seconds % wait->seconds / wait->part_seconds;
        if (part > 0 && wait->part_name)
                snprintf(text + strlen(text), UNIT_TEXT_MAX - strlen(text), " %" PRIu64 " %s", part, wait->part_name);
        return text;
}
