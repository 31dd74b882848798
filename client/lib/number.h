/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Numbers as typed, independent of the locale: digits, and one point if decimals are allowed. Each function returns
 * false, and writes nothing, if @text is malformed.
 */

#include <stdbool.h>
#include <stdint.h>

/* Reads a whole number up to INT64_MAX. */
bool number_read_whole(const char *text, uint64_t *ret_number);

/* Reads a number, which is not finite if it has more than 300 digits. */
bool number_read_decimal(const char *text, double *ret_number);

/* Reads a short number with an optional percent sign: 2.5 from "2.5%". */
bool number_read_percent(const char *text, double *ret_number);

/* Reads a whole number of bytes, with an optional suffix K, M, G or T for powers of 1024: 67108864 from "64M". */
bool number_read_bytes(const char *text, uint64_t *ret_bytes);
