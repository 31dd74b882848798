/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The difference of two lists: its rows are both lists in order, what is the same is as much as can be, and what is marked the same is.
 */

#include "ctl/model/diff.h"

#include <gsl/gsl_rng.h>

#include "random.h"

#define TEXTS_MAX 12u
#define ROUNDS    2000u

static const char *const letters[] = { "a", "b", "c", "d" };

typedef struct List {
        const char *texts[TEXTS_MAX];
        size_t n;
} List;

static List list_of(const char *text) {
        List list = {};

        for (; *text; text++)
                list.texts[list.n++] = letters[*text - 'a'];
        return list;
}

/* The rows as text: ".": same, "|": changed, "<", ">": one side only. */
static void assert_marks(const char *old, const char *new, const char *expected) {
        static const char marks[] = { [DIFF_SAME] = '.', [DIFF_CHANGED] = '|', [DIFF_OLD] = '<', [DIFF_NEW] = '>' };
        const List a = list_of(old), b = list_of(new);
        _cleanup_(freep) DiffRow *rows = NULL;
        char found[2 * TEXTS_MAX + 1] = "";
        size_t n;

        assert_int_equal(diff_lists(a.texts, a.n, b.texts, b.n, &rows, &n), 0);
        for (size_t i = 0; i < n; i++)
                found[i] = marks[rows[i].mark];
        assert_string_equal(found, expected);
}

TEST(rows_are_marked_as_people_expect) {
        assert_marks("", "", "");
        assert_marks("abc", "abc", "...");
        assert_marks("abc", "adc", ".|.");
        assert_marks("abc", "ac", ".<.");
        assert_marks("ac", "abc", ".>.");
        assert_marks("abcd", "adbc", ".>..<");
        assert_marks("", "ab", ">>");
        assert_marks("ab", "", "<<");
        assert_marks("abbc", "adc", ".|<.");
}

/* Tries every subset of @old. */
static size_t longest_common(const List *old, const List *new) {
        size_t longest = 0;

        for (uint32_t chosen = 0; chosen < 1u << old->n; chosen++) {
                size_t j = 0, n = 0;
                bool fits = true;

                for (size_t i = 0; i < old->n && fits; i++) {
                        if (!(chosen >> i & 1))
                                continue;
                        while (j < new->n && strcmp(old->texts[i], new->texts[j]) != 0)
                                j++;
                        fits = j++ < new->n;
                        n++;
                }
                longest = fits && n > longest ? n : longest;
        }
        return longest;
}

static List drawn(gsl_rng *random) {
        List list = { .n = gsl_rng_uniform_int(random, 9) };

        for (size_t i = 0; i < list.n; i++)
                list.texts[i] = letters[gsl_rng_uniform_int(random, N_ELEMENTS(letters))];
        return list;
}

static void gsl_rng_freep(gsl_rng **random) {
        gsl_rng_free(*random);
}

TEST(rows_are_both_lists_in_order_with_the_most_in_common) {
        _cleanup_(gsl_rng_freep) gsl_rng *random = new_random();

        for (size_t round = 0; round < ROUNDS; round++) {
                const List old = drawn(random), new = drawn(random);
                _cleanup_(freep) DiffRow *rows = NULL;
                size_t n, i_old = 0, i_new = 0, n_same = 0;

                assert_int_equal(diff_lists(old.texts, old.n, new.texts, new.n, &rows, &n), 0);
                for (size_t i = 0; i < n; i++) {
                        assert_int_equal(rows[i].old == DIFF_NONE, rows[i].mark == DIFF_NEW);
                        assert_int_equal(rows[i].new == DIFF_NONE, rows[i].mark == DIFF_OLD);
                        if (rows[i].old != DIFF_NONE)
                                assert_int_equal(rows[i].old, i_old++);
                        if (rows[i].new != DIFF_NONE)
                                assert_int_equal(rows[i].new, i_new++);
                        if (rows[i].mark == DIFF_SAME)
                                assert_string_equal(old.texts[rows[i].old], new.texts[rows[i].new]);
                        n_same += rows[i].mark == DIFF_SAME;
                }
                assert_int_equal(i_old, old.n);
                assert_int_equal(i_new, new.n);
                assert_int_equal(n_same, longest_common(&old, &new));
        }
}
