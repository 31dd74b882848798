/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/times.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/base/json-path.h"

bool times_unit_is_known(const char *word) {
        return strcmp(word, "auto") == 0 || unit_find_time(word);
}

bool times_are_scaled(const Times *times) {
        return times && times->yardstick;
}

const AmountTimeUnit *times_unit(const Times *times) {
        return times ? times->unit : NULL;
}

double times_number(const Times *times, double ns) {
        return times_are_scaled(times) ? ns / times->yardstick_ns : ns;
}

const char *times_text(const Times *times, double ns, char text[static UNIT_TEXT_MAX]) {
        return times_are_scaled(times) ? unit_number(times_number(times, ns), text)
                                       : unit_time_in(times_unit(times), ns, text);
}

const char *times_text_within(const Times *times, double ns, double error_ns, char text[static UNIT_TEXT_MAX]) {
        return times_are_scaled(times) ? unit_number(times_number(times, ns), text)
                                       : unit_time_within(times_unit(times), ns, error_ns, text);
}

const char *times_range(const Times *times, double low_ns, double high_ns, char text[static UNIT_TEXT_MAX]) {
        return times_are_scaled(times) ? unit_range(times_number(times, low_ns), times_number(times, high_ns), text)
                                       : unit_time_range_in(times_unit(times), low_ns, high_ns, text);
}

/* @bound of the interval around @point, further off by @half, an error of a log that is independent of the point's. */
static double bound_widened(double point, double bound, double half) {
        const double sign = bound < point ? -1 : 1;

        if (point > 0 && bound > 0)
                return point * exp(sign * hypot(log(bound / point), half));
        return point + sign * hypot(bound - point, point * half);
}

/* The numbers of the machines beneath the yardstick are what it was made of: its error is theirs. */
RowEstimate times_estimate(const Times *times, const json_t *row) {
        const RowEstimate time = row_time(row);
        double low = time.low, high = time.high;

        if (!times_are_scaled(times))
                return time;
        if (row == times->yardstick)
                low = high = time.point;
        else if (json_object_get(row, "beneath") != times->yardstick) {
                low = bound_widened(time.point, low, times->yardstick_half);
                high = bound_widened(time.point, high, times->yardstick_half);
        }
        return (RowEstimate){
                .point = times_number(times, time.point),
                .low = times_number(times, low),
                .high = times_number(times, high),
        };
}
