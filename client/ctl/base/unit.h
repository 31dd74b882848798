/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Numbers for people: four significant digits in the unit that leaves 1 to 999 before the point, large counts in groups
 * of three. Each function writes to @text and returns it.
 */

#include "util/amount.h"

#define UNIT_TEXT_MAX AMOUNT_TEXT_MAX

/* Finds the unit that @word names: ns, us or µs, ms, s. NULL: unknown. */
const AmountTimeUnit *unit_find_time(const char *word);

/* A time of @ns nanoseconds, from picoseconds to seconds: "1.234 µs". */
const char *unit_time(double ns, char text[static UNIT_TEXT_MAX]);

/* The same in @unit, with as many digits, however small: "0.001234 ms". NULL: in the best unit. */
const char *unit_time_in(const AmountTimeUnit *unit, double ns, char text[static UNIT_TEXT_MAX]);

/* The same with more digits where the first one of @error_ns lies further behind: "12.3512 ns" for 0.0003. */
const char *unit_time_within(const AmountTimeUnit *unit, double ns, double error_ns, char text[static UNIT_TEXT_MAX]);

/* The unit in which a time of @ns is shown (@unit unless NULL): its name, and its length in nanoseconds. */
double unit_time_size(const AmountTimeUnit *unit, double ns, const char **ret_name);

/* Two numbers, with at least three digits each and as many as two of half their distance need: "355.10 … 355.31". */
const char *unit_range(double low, double high, char text[static UNIT_TEXT_MAX]);

/* Two times likewise, in @unit, or with NULL in the best unit of the larger: "0.741 … 2.06 ms". */
const char *unit_time_range_in(const AmountTimeUnit *unit, double low_ns, double high_ns,
                char text[static UNIT_TEXT_MAX]);

/* A number without a unit (cycles): "12.34", "123,456". */
const char *unit_number(double value, char text[static UNIT_TEXT_MAX]);

/* A whole number: "1,048,576"; above 64 bits it is rounded: "1.000e+21". */
const char *unit_count(double count, char text[static UNIT_TEXT_MAX]);

/* A share of one, in percent with two significant digits: "0.42 %". */
const char *unit_share(double share, char text[static UNIT_TEXT_MAX]);

/* A number with as many decimals as two digits of its @error need: 1.3251 for 0.0013, 129 for 27. */
const char *unit_to_error(double value, double error, char text[static UNIT_TEXT_MAX]);

/* How many times as fast: "7.9", "1.037", with fewer digits where @error, half of its interval, permits no more. */
const char *unit_factor(double factor, double error, char text[static UNIT_TEXT_MAX]);

/* An amount of @unit ("B/s", "/s") with a prefix of a thousand: "1.234 GB/s". */
const char *unit_amount(double amount, const char *unit, char text[static UNIT_TEXT_MAX]);

/* A waiting time in at most two units: "41 s", "2 min 5 s", "3 h 7 min". */
const char *unit_wait(double ns, char text[static UNIT_TEXT_MAX]);
