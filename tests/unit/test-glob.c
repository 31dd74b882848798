/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Globs: each means what fnmatch() makes of it, and none takes long. */

#include "util/glob.h"

#include <fnmatch.h>

#include "random.h"

#define PATTERN_MAX 256u
#define TEXT_MAX    64u

static void check(const char *pattern, const char *text) {
        if (glob_pattern_matches(pattern, text) != (fnmatch(pattern, text, 0) == 0))
                fail_msg("'%s' and '%s'", pattern, text);
        if (glob_pattern_matches_leading(pattern, text) != (fnmatch(pattern, text, FNM_LEADING_DIR) == 0))
                fail_msg("'%s' and a part of '%s'", pattern, text);
}

/* ---- patterns that are drawn */

/* Few bytes, so that texts match now and then; among them what means something in a pattern, and one that is not ASCII. */
static const char alphabet[] = "aabbc09A/-].*[!\xe9";

static size_t pick(gsl_rng *random, size_t n) {
        return gsl_rng_uniform_int(random, n);
}

static char pick_byte(gsl_rng *random) {
        return alphabet[pick(random, sizeof alphabet - 1)];
}

/* A byte that is itself, anywhere. */
static size_t put_plain(gsl_rng *random, char *to) {
        const char byte = pick_byte(random);

        if (!strchr("*?[]\\-!^", byte) && pick(random, 4) > 0) {
                *to = byte;
                return 1;
        }
        to[0] = '\\';
        to[1] = byte;
        return 2;
}

static size_t put_member(gsl_rng *random, char *to) {
        static const char *const classes[] = { "[:alnum:]", "[:alpha:]", "[:digit:]", "[:upper:]", "[:lower:]",
                "[:punct:]", "[:xdigit:]", "[:space:]", "[:graph:]", "[:print:]", "[:cntrl:]", "[:blank:]", "[=a=]" };
        size_t n;

        if (pick(random, 4) == 0)
                return sprintf(to, "%s", classes[pick(random, N_ELEMENTS(classes))]);
        n = put_plain(random, to);
        if (pick(random, 3) > 0)
                return n;
        to[n++] = '-';
        return n + put_plain(random, to + n);
}

static size_t put_bracket(gsl_rng *random, char *to) {
        size_t n = 0;

        to[n++] = '[';
        if (pick(random, 3) == 0)
                to[n++] = "!^"[pick(random, 2)];
        if (pick(random, 6) == 0)
                to[n++] = ']';
        else
                n += put_member(random, to + n);
        while (pick(random, 3) == 0)
                n += put_member(random, to + n);
        if (pick(random, 6) == 0)
                to[n++] = '-';
        to[n++] = ']';
        return n;
}

static void draw_pattern(gsl_rng *random, char pattern[static PATTERN_MAX]) {
        size_t n = 0;

        for (size_t left = pick(random, 8); left > 0 && n < PATTERN_MAX / 2; left--) {
                switch (pick(random, 5)) {
                case 0:
                        pattern[n++] = '*';
                        break;
                case 1:
                        pattern[n++] = '?';
                        break;
                case 2:
                        n += put_bracket(random, pattern + n);
                        break;
                default:
                        n += put_plain(random, pattern + n);
                }
        }
        pattern[n] = '\0';
}

static void draw_text(gsl_rng *random, char text[static TEXT_MAX]) {
        size_t n = pick(random, 10);

        for (size_t i = 0; i < n; i++)
                text[i] = pick_byte(random);
        text[n] = '\0';
}

TEST(a_well_formed_pattern_means_what_fnmatch_makes_of_it) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        size_t n_matched = 0;

        for (int i = 0; i < 20000; i++) {
                char pattern[PATTERN_MAX], text[TEXT_MAX];

                draw_pattern(random, pattern);
                for (int j = 0; j < 10; j++) {
                        draw_text(random, text);
                        check(pattern, text);
                        n_matched += glob_pattern_matches(pattern, text);
                }
        }
        assert_true(n_matched > 1000); /* or the texts test nothing */
}

/* Stars, with words of many states between them, and texts that nearly match. */
TEST(long_patterns_mean_it_too) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        size_t n_matched = 0;

        for (int i = 0; i < 2000; i++) {
                char pattern[PATTERN_MAX], text[2 * PATTERN_MAX];
                size_t n = 0, n_text = 0;

                while (n < PATTERN_MAX - 60) {
                        const size_t n_word = 1 + pick(random, 50), n_before = pick(random, 3);

                        for (size_t j = 0; j < n_before; j++)
                                text[n_text++] = "ab"[pick(random, 2)];
                        if (n_before > 0 || pick(random, 20) == 0)
                                pattern[n++] = '*';
                        for (size_t j = 0; j < n_word; j++)
                                pattern[n++] = text[n_text++] = "ab"[pick(random, 2)];
                }
                if (pick(random, 2) == 0)
                        text[pick(random, n_text)] = "abc/"[pick(random, 4)];
                pattern[n] = text[n_text] = '\0';
                check(pattern, text);
                n_matched += glob_pattern_matches(pattern, text);
        }
        assert_in_range(n_matched, 500, 1950);
}

/* ---- patterns that are written badly */

TEST(a_bracket_without_an_end_is_an_ordinary_byte) {
        static const char *const patterns[] = { "[", "[a", "a[", "[!", "[]", "[]a", "[!]", "[[:alpha:]", "[[:", "[[:]",
                "*[", "[[:no class", "[\\]" };
        static const char *const texts[] = { "[", "[a", "a[", "[!", "[]", "[]a", "[!]", "[[:alpha:]", "a",
                "[[:", "[[:]", "[[=a", ":", "[[:no class", "[]", "b", "" };

        for (size_t i = 0; i < N_ELEMENTS(patterns); i++)
                for (size_t j = 0; j < N_ELEMENTS(texts); j++)
                        if (strcmp(patterns[i], "[[:alpha:]") != 0 || strcmp(texts[j], "a") != 0)
                                check(patterns[i], texts[j]);
}

TEST(what_means_nothing_is_refused_in_words) {
        static const struct {
                const char *pattern;
                int outcome;
        } rows[] = {
                { "a[[:letters:]]", GLOB_E_CLASS },
                { "[[:ALPHA:]]", 0 }, /* for fnmatch() no class either, but the bytes of one */
                { "[[=ab=]]", GLOB_E_CLASS },
                { "[[.hyphen.]]", GLOB_E_CLASS },
                { "[[.a]", GLOB_E_CLASS },
                { "[[.", GLOB_E_CLASS },
                { "[a[.[.b", GLOB_E_CLASS },
                { "[[..]]", GLOB_E_CLASS },
                { "[[=b", GLOB_E_CLASS },
                { "[b[=]", GLOB_E_CLASS },
                { "a\\", GLOB_E_RANGE },
                { "[a\\", GLOB_E_RANGE },
                { "[a-", GLOB_E_RANGE },
                { "[!/-", GLOB_E_RANGE },
                { "[z-a]", 0 },
                { "", 0 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(glob_freep) Glob *glob = NULL;

                assert_int_equal(glob_new(rows[i].pattern, &glob), rows[i].outcome);
                assert_int_equal(!glob, rows[i].outcome != 0);
                if (rows[i].outcome)
                        assert_non_null(glob_outcome_words(rows[i].outcome));
                assert_int_equal(glob_pattern_matches(rows[i].pattern, "a"), fnmatch(rows[i].pattern, "a", 0) == 0);
        }
}

TEST(the_longest_pattern_has_room_and_a_longer_one_is_refused) {
        char pattern[GLOB_BYTES_MAX + 2];
        _cleanup_(glob_freep) Glob *glob = NULL;

        memset(pattern, 'a', sizeof pattern);
        pattern[GLOB_BYTES_MAX] = '\0';
        assert_int_equal(glob_new(pattern, &glob), 0);
        assert_true(glob_matches(glob, pattern));
        assert_false(glob_matches(glob, pattern + 1));
        glob = glob_free(glob);
        pattern[GLOB_BYTES_MAX] = 'a';
        pattern[GLOB_BYTES_MAX + 1] = '\0';
        assert_int_equal(glob_new(pattern, &glob), GLOB_E_TOO_LONG);
}
