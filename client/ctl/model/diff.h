/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The difference of two lists of texts: a longest common subsequence, and the lines between its members on either side. If both sides
 * have such lines, they are paired as changed, as diff -y does. Pure.
 */

#include <stddef.h>

typedef enum DiffMark {
        DIFF_SAME,
        DIFF_CHANGED,
        DIFF_OLD, /* on the old side only */
        DIFF_NEW,
} DiffMark;

#define DIFF_NONE ((size_t)-1)

typedef struct DiffRow {
        DiffMark mark;
        size_t old; /* index; DIFF_NONE: nothing on that side */
        size_t new;
} DiffRow;

/* Makes the rows, in the order of both sides; the caller frees them. Takes n_old × n_new steps. Returns 0 or a negative errno. */
int diff_lists(const char *const *old, size_t n_old, const char *const *new, size_t n_new, DiffRow **ret_rows,
                size_t *ret_n);
