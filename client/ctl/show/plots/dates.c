/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/plots/dates.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "ctl/show/plots/axis.h"
#include "util/cleanup.h"

#define DAY_S   86400.0
#define MONTH_S (30 * DAY_S)
#define YEAR_S  (365 * DAY_S)

/* From shortest to longest: whole seconds, minutes and hours divide a day, the others are of the calendar. */
static const double round_steps_s[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 3 * 3600,
        6 * 3600, 12 * 3600, DAY_S, 2 * DAY_S, 7 * DAY_S, 14 * DAY_S, MONTH_S, 3 * MONTH_S, 6 * MONTH_S, YEAR_S,
        2 * YEAR_S, 5 * YEAR_S, 10 * YEAR_S };

double dates_step_s(double least_s) {
        size_t i = 0;

        while (i + 1 < N_ELEMENTS(round_steps_s) && round_steps_s[i] < least_s)
                i++;
        return round_steps_s[i];
}

/* The ticks, and the date of the last one. */
typedef struct Dates {
        const Axis *axis;
        AxisTicks *ticks;
        struct tm last;
        double step_s;
} Dates;

/* "2026-11-27 22:46", without a date that is that of the tick before, or a time where steps are days. */
static void print_tick(const Dates *dates, const struct tm *date, char text[static UNIT_TEXT_MAX]) {
        const bool first = dates->ticks->n == 0, same_year = !first && date->tm_year == dates->last.tm_year;
        const bool same_day = same_year && date->tm_yday == dates->last.tm_yday;
        const char *day = same_day ? "" : same_year ? "%m-%d" : "%Y-%m-%d";
        const char *time = dates->step_s >= DAY_S ? "" : dates->step_s >= 60 ? "%H:%M" : "%H:%M:%S";
        char format[32];

        snprintf(format, sizeof format, "%s%s%s", day, *day && *time ? " " : "", time);
        if (strftime(text, UNIT_TEXT_MAX, format, date) == 0)
                *text = '\0';
}

static void add_tick(Dates *dates, double seconds) {
        AxisTicks *ticks = dates->ticks;
        const time_t at = (time_t)seconds;
        struct tm date;

        if (seconds < dates->axis->low || seconds > dates->axis->high || ticks->n >= AXIS_TICKS_MAX ||
                        !localtime_r(&at, &date))
                return;
        ticks->ticks[ticks->n].value = seconds;
        print_tick(dates, &date, ticks->ticks[ticks->n].text);
        ticks->n++;
        dates->last = date;
}

/* Steps of the calendar: every so many days or months from the midnight of @day. */
static void add_of_calendar(Dates *dates, struct tm day) {
        const bool months = dates->step_s >= MONTH_S;
        const int every = (int)lround(dates->step_s >= YEAR_S ? 12 * dates->step_s / YEAR_S
                                                              : dates->step_s / (months ? MONTH_S : DAY_S));
        time_t at = 0;

        day.tm_mday = months ? 1 : day.tm_mday;
        while ((double)at <= dates->axis->high && dates->ticks->n < AXIS_TICKS_MAX) {
                struct tm date = day;
                int number;

                date.tm_isdst = -1;
                at = mktime(&date);
                number = months ? 12 * date.tm_year + date.tm_mon
                                : (int)floor((double)timegm(&(struct tm){ .tm_year = date.tm_year,
                                                             .tm_mon = date.tm_mon,
                                                             .tm_mday = date.tm_mday }) /
                                                  DAY_S);
                if (at == -1)
                        return;
                if (number % every == 0)
                        add_tick(dates, (double)at);
                *(months ? &day.tm_mon : &day.tm_mday) += 1;
        }
}

void dates_ticks(const Axis *axis, double gap, AxisTicks *ticks) {
        Dates dates = { .axis = axis, .ticks = ticks };
        const time_t low = (time_t)axis->low;
        struct tm day;
        double midnight;

        if (!localtime_r(&low, &day))
                return;
        dates.step_s = dates_step_s((axis->high - axis->low) / fabs(axis->to - axis->from) * gap);
        day.tm_hour = day.tm_min = day.tm_sec = 0;
        day.tm_isdst = -1;
        if (dates.step_s >= DAY_S) {
                add_of_calendar(&dates, day);
                return;
        }
        midnight = (double)mktime(&day);
        for (double at = midnight + dates.step_s * ceil((axis->low - midnight) / dates.step_s);
                        at <= axis->high && ticks->n < AXIS_TICKS_MAX; at += dates.step_s)
                add_tick(&dates, at);
}
