/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Mistyped words: the number of their slips, and the name that was probably meant. */

#include "util/nearest.h"

#include "random.h"

TEST(each_slip_counts_once) {
        assert_int_equal(nearest_distance("run", "run"), 0);
        assert_int_equal(nearest_distance("rnu", "run"), 1);
        assert_int_equal(nearest_distance("rn", "run"), 1);
        assert_int_equal(nearest_distance("runn", "run"), 1);
        assert_int_equal(nearest_distance("ran", "run"), 1);
        assert_int_equal(nearest_distance("RUN", "run"), 0);
        assert_int_equal(nearest_distance("precison", "precision"), 1);
        assert_int_equal(nearest_distance("", "run"), 3);
        assert_int_equal(nearest_distance("kitten", "sitting"), 3);
}

TEST(a_beginning_is_as_good_as_the_whole_where_it_is_asked_for) {
        assert_int_equal(nearest_distance_to_start("strlen", "strlen_1000"), 0);
        assert_int_equal(nearest_distance_to_start("STRLN", "strlen_1000"), 1);
        assert_int_equal(nearest_distance_to_start("xyz", "strlen_1000"), 3);
}

TEST(what_is_too_long_is_near_to_nothing) {
        char word[NEAREST_WORD_MAX + 2];

        memset(word, 'a', sizeof word);
        word[NEAREST_WORD_MAX + 1] = '\0';
        assert_int_equal(nearest_distance(word, "a"), SIZE_MAX);
        assert_int_equal(nearest_distance("a", word), SIZE_MAX);
        word[NEAREST_WORD_MAX] = '\0';
        assert_int_equal(nearest_distance(word, "a"), NEAREST_WORD_MAX - 1);
}

static const char *nearest_of_verbs(const char *word) {
        static const char *const names[] = { "run", "compare", "list", "status", "wait", "show", "history" };
        Nearest nearest = { .word = word };

        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                nearest_offer(&nearest, names[i]);
        return nearest.name;
}

TEST(the_name_that_was_probably_meant_is_offered) {
        assert_string_equal(nearest_of_verbs("rnu"), "run");
        assert_string_equal(nearest_of_verbs("lsit"), "list");
        assert_string_equal(nearest_of_verbs("hitsroy"), "history");
        assert_null(nearest_of_verbs("doctor"));
        assert_null(nearest_of_verbs("frobnicate"));
        assert_null(nearest_of_verbs("x"));
        assert_null(nearest_of_verbs(""));
}

/* Few slips in a random word never count as more than there are. */
TEST(as_many_slips_as_were_made_are_enough) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t trial = 0; trial < 2000; trial++) {
                char name[16], word[16];
                size_t slips = gsl_rng_uniform_int(random, 4);

                for (size_t i = 0; i < sizeof name - 1; i++)
                        name[i] = (char)('a' + gsl_rng_uniform_int(random, 26));
                name[sizeof name - 1] = '\0';
                strcpy(word, name);
                for (size_t i = 0; i < slips; i++)
                        word[gsl_rng_uniform_int(random, sizeof word - 1)] =
                                        (char)('a' + gsl_rng_uniform_int(random, 26));
                assert_true(nearest_distance(word, name) <= slips);
                assert_int_equal(nearest_distance(word, name), nearest_distance(name, word));
                assert_true(nearest_distance_to_start(word, name) <= nearest_distance(word, name));
        }
}
