/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Numbers as they are typed, whatever the locale says: digits, and where there may be decimals one point among them. Each returns
 * false, with nothing written, where @text is none of that.
 */

#include <stdbool.h>
#include <stdint.h>

/* Reads a whole number up to INT64_MAX. */
bool number_read_whole(const char *text, uint64_t *ret_number);

/* Reads a number; of one with more than 300 digits comes none that is finite. */
bool number_read_decimal(const char *text, double *ret_number);

/* Reads one of a few digits, with or without a percent sign behind it; 2.5 of "2.5%". */
bool number_read_percent(const char *text, double *ret_number);
