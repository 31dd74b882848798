/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Units of times and of memory, and amounts of them in words: in the unit that leaves 1 to 999 before the point.
 */

#define AMOUNT_TEXT_MAX 48u

typedef struct AmountTimeUnit {
        const char *name;
        double ns;
        const char *typed; /* in ASCII */
} AmountTimeUnit;

/* The unit in which a time of @ns has 1 or more before the point, once it is rounded to four digits: ps to s; ns for 0. */
const AmountTimeUnit *amount_time_unit(double ns);

/* The unit called @word ("us" equals "µs"); NULL: none. */
const AmountTimeUnit *amount_time_named(const char *word);

/* A time in words, of four digits at most: "1.234 µs". Writes into @text and returns it. */
const char *amount_time(double ns, char text[static AMOUNT_TEXT_MAX]);

/* Memory in words, with at most @digits digits: "62.8 GiB". */
const char *amount_bytes(double bytes, int digits, char text[static AMOUNT_TEXT_MAX]);
