/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The value of a file of /proc or /sys, as text of one line, and when two such texts mean the same: the kernel writes
 * "0-3" where "0,1,2,3" was written, and "00000001" where "1" was.
 */

#include <stdbool.h>

#define VALUE_MAX 320u /* bytes with the end: a mask of 1024 CPUs is the longest */

typedef enum ValueKind {
        VALUE_WORD = 1,
        VALUE_NUMBER, /* decimal or 0x… */
        VALUE_LIST,   /* of CPUs, "0-3,7" */
        VALUE_MASK,   /* of CPUs, "ff,00000001" */
} ValueKind;

/* True if @a and @b mean the same as @kind; texts that are no such thing, only if they are equal. */
bool value_equal(ValueKind kind, const char *a, const char *b);
