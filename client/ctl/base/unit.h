/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Numbers as people read them: four significant digits in the unit that leaves 1 to 999 before the point, large counts
 * in groups of three. Each function writes into @text and returns it.
 */

#include "util/amount.h"

#define UNIT_TEXT_MAX AMOUNT_TEXT_MAX

/* The unit that a user may choose by @word: ns, us or µs, ms, s. NULL: there is none of that name. */
const AmountTimeUnit *unit_find_time(const char *word);

/* A time of @ns nanoseconds, from picoseconds to seconds: "1.234 µs". */
const char *unit_time(double ns, char text[static UNIT_TEXT_MAX]);

/* The same in @unit, with as many digits, however small it is: "0.001234 ms"; NULL: in the one that suits it. */
const char *unit_time_in(const AmountTimeUnit *unit, double ns, char text[static UNIT_TEXT_MAX]);

/* The unit that a time of @ns is shown in, @unit unless it is NULL: its name, and its nanoseconds. */
double unit_time_size(const AmountTimeUnit *unit, double ns, const char **ret_name);

/* Two times, three digits each, in @unit, or with NULL in that of the larger: "0.741 … 2.06 ms". */
const char *unit_time_range_in(const AmountTimeUnit *unit, double low_ns, double high_ns,
                char text[static UNIT_TEXT_MAX]);

/* A number without a unit, such as cycles: "12.34", "123,456". */
const char *unit_number(double value, char text[static UNIT_TEXT_MAX]);

/* A whole number: "1,048,576"; one of more than 64 bits is no longer exact: "1.000e+21". */
const char *unit_count(double count, char text[static UNIT_TEXT_MAX]);

/* A share of one, in percent with two significant digits: "0.42 %". */
const char *unit_share(double share, char text[static UNIT_TEXT_MAX]);

/* A number with as many decimals as two digits of its @error have: 1.3251 of 0.0013, 129 of 27. */
const char *unit_to_error(double value, double error, char text[static UNIT_TEXT_MAX]);

/* An amount of @unit ("B/s", "/s") with a prefix of a thousand: "1.234 GB/s". */
const char *unit_amount(double amount, const char *unit, char text[static UNIT_TEXT_MAX]);

/* A duration to wait for, of two units at most: "41 s", "2 min 5 s", "3 h 7 min". */
const char *unit_wait(double ns, char text[static UNIT_TEXT_MAX]);
