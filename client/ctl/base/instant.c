/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/instant.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/cleanup.h"

#define DAY_S 86400

typedef struct AgoUnit {
        const char *name;
        int64_t seconds;
} AgoUnit;

static const AgoUnit ago_units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", DAY_S }, { "w", 7 * DAY_S } };

static const char *const date_formats[] = {
        "%Y-%m-%d",
        "%Y-%m-%d %H:%M",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%dT%H:%M:%S",
};

static bool parse_ago(const char *text, int64_t now, int64_t *ret_seconds) {
        size_t n_digits = strspn(text, "0123456789");
        int64_t count;

        if (n_digits == 0 || n_digits > 9)
                return false;
        count = strtoll(text, NULL, 10);
        for (size_t i = 0; i < N_ELEMENTS(ago_units); i++) {
                if (strcmp(text + n_digits, ago_units[i].name) != 0)
                        continue;
                *ret_seconds = now - count * ago_units[i].seconds;
                return true;
        }
        return false;
}

/* Midnight, @days before the day of @now: the calendar's, whose days may have 23 hours. */
static bool midnight(int64_t now, int days, int64_t *ret_seconds) {
        time_t seconds = (time_t)now;
        struct tm date;

        if (!localtime_r(&seconds, &date))
                return false;
        date.tm_mday -= days;
        date.tm_hour = date.tm_min = date.tm_sec = 0;
        date.tm_isdst = -1;
        *ret_seconds = mktime(&date);
        return true;
}

/* mktime() turns the 30th of February into a day of March: a date that it changes is not a date. */
static bool parse_date(const char *text, const char *format, int64_t *ret_seconds) {
        struct tm date = { .tm_isdst = -1 };
        const char *end = strptime(text, format, &date);
        int day = date.tm_mday;
        time_t seconds;

        if (!end || *end)
                return false;
        seconds = mktime(&date);
        if (date.tm_mday != day)
                return false;
        *ret_seconds = seconds;
        return true;
}

int instant_parse(const char *text, int64_t now, int64_t *ret_seconds) {
        if (strcmp(text, "today") == 0 && midnight(now, 0, ret_seconds))
                return 0;
        if (strcmp(text, "yesterday") == 0 && midnight(now, 1, ret_seconds))
                return 0;
        if (parse_ago(text, now, ret_seconds))
                return 0;
        for (size_t i = 0; i < N_ELEMENTS(date_formats); i++)
                if (parse_date(text, date_formats[i], ret_seconds))
                        return 0;
        return INSTANT_E_MALFORMED;
}

double instant_seconds(const char *iso) {
        struct tm utc = {};
        const char *rest = iso ? strptime(iso, "%Y-%m-%dT%H:%M:%S", &utc) : NULL;

        return rest ? (double)timegm(&utc) + (*rest == '.' ? strtod(rest, NULL) : 0) : NAN;
}

bool instant_local(const char *iso, const char *format, char text[static INSTANT_TEXT_MAX]) {
        struct tm utc = {}, local;
        time_t seconds;

        if (!strptime(iso, "%Y-%m-%dT%H:%M:%S", &utc))
                return false;
        seconds = timegm(&utc);
        return localtime_r(&seconds, &local) && strftime(text, INSTANT_TEXT_MAX, format, &local) > 0;
}
