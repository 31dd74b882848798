/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/diff.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"

/* The lengths of the longest common subsequences of all ends of both lists. */
typedef struct Lengths {
        uint32_t *values;
        size_t n_new;
} Lengths;

static uint32_t *length_at(const Lengths *lengths, size_t i, size_t j) {
        return &lengths->values[i * (lengths->n_new + 1) + j];
}

static uint32_t longer(uint32_t a, uint32_t b) {
        return a > b ? a : b;
}

/* Adds what lies between two common members: from @old and @new, @n_old and @n_new of them. */
static size_t add_between(DiffRow *rows, size_t old, size_t n_old, size_t new, size_t n_new) {
        const size_t n = n_old > n_new ? n_old : n_new;

        for (size_t i = 0; i < n; i++)
                rows[i] = (DiffRow){
                        .mark = i >= n_old   ? DIFF_NEW
                                : i >= n_new ? DIFF_OLD
                                             : DIFF_CHANGED,
                        .old = i < n_old ? old + i : DIFF_NONE,
                        .new = i < n_new ? new + i : DIFF_NONE,
                };
        return n;
}

int diff_lists(const char *const *old, size_t n_old, const char *const *new, size_t n_new, DiffRow **ret_rows,
                size_t *ret_n) {
        _cleanup_(freep) DiffRow *rows = calloc(n_old + n_new + 1, sizeof *rows);
        _cleanup_(freep) uint32_t *values = calloc((n_old + 1) * (n_new + 1), sizeof *values);
        const Lengths lengths = { .values = values, .n_new = n_new };
        size_t i = 0, j = 0, i_between = 0, j_between = 0, n = 0;

        if (!rows || !values)
                return error_origin(-ENOMEM);
        for (size_t a = n_old; a-- > 0;)
                for (size_t b = n_new; b-- > 0;)
                        *length_at(&lengths, a, b) = strcmp(old[a], new[b]) == 0
                                                                     ? *length_at(&lengths, a + 1, b + 1) + 1
                                                                     : longer(*length_at(&lengths, a + 1, b),
                                                                                       *length_at(&lengths, a, b + 1));
        while (i < n_old && j < n_new) {
                if (strcmp(old[i], new[j]) == 0) {
                        n += add_between(rows + n, i_between, i - i_between, j_between, j - j_between);
                        rows[n++] = (DiffRow){ .mark = DIFF_SAME, .old = i, .new = j };
                        i_between = ++i;
                        j_between = ++j;
                } else if (*length_at(&lengths, i + 1, j) >= *length_at(&lengths, i, j + 1))
                        i++;
                else
                        j++;
        }
        n += add_between(rows + n, i_between, n_old - i_between, j_between, n_new - j_between);
        *ret_rows = take_pointer(rows);
        *ret_n = n;
        return 0;
}
