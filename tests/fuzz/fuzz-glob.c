/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A glob that a client sends, against a text: what fnmatch(3) says, which takes exponential time where ours does not, so it is asked
 * about few stars only.
 *
 * The input is a pattern, a NUL, and a text.
 */

#include "util/glob.h"

#include <fnmatch.h>

#include "fuzz.h"

#define STARS_MAX 6u
#define TEXT_MAX  200u

static size_t count_stars(const char *pattern) {
        size_t n = 0;

        for (; *pattern; pattern++)
                n += *pattern == '*';
        return n;
}

/* True if @text, or a part of it that a slash follows, matches by @matches. */
static bool matches_leading(const char *pattern, const char *text) {
        char part[TEXT_MAX + 1];

        for (size_t i = 0;; i++) {
                if (text[i] && text[i] != '/')
                        continue;
                memcpy(part, text, i);
                part[i] = '\0';
                if (fnmatch(pattern, part, 0) == 0)
                        return true;
                if (!text[i])
                        return false;
        }
}

static void hold_is_as_fnmatch(const Glob *glob, const char *pattern, const char *text) {
        HOLD(glob_matches(glob, text) == (fnmatch(pattern, text, 0) == 0));
        HOLD(glob_matches_leading(glob, text) == matches_leading(pattern, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        _cleanup_(glob_freep) Glob *glob = NULL;
        char *pattern = fuzz_text(data, n_data), *text;
        size_t n_pattern = strlen(pattern);
        int r = glob_new(pattern, &glob);

        text = n_pattern < n_data ? fuzz_text(data + n_pattern + 1, n_data - n_pattern - 1) : strdup("");
        HOLD(text && r >= 0 && (r == 0) == (glob_check(pattern) == 0));
        if (r == 0) {
                HOLD(glob_matches(glob, text) == glob_pattern_matches(pattern, text));
                if (count_stars(pattern) <= STARS_MAX && strlen(text) <= TEXT_MAX)
                        hold_is_as_fnmatch(glob, pattern, text);
        } else {
                HOLD(glob_outcome_words(r)[0]);
        }
        free(pattern);
        free(text);
        return 0;
}
