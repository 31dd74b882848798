/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * unpack: the sources of the built-in benchmarks in a directory of the user's own, with a Makefile. The first word is the directory
 * unless it is an area.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ask/built-in.h"
#include "ctl/ask/retry.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/unpack.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

static int complain_area(const BuiltIn *built_in, const char *word) {
        _cleanup_(freep) char *names = built_in_areas(built_in);
        const char *near = built_in_nearest(built_in, word);

        complain("'%s' is not an area of the built-in benchmarks.", word);
        if (near)
                complain_hint("Did you mean %s? A directory of that name is ./%s", near, word);
        complain_hint("Areas: %s.", names ? names : "unknown");
        return EXIT_USAGE;
}

static int check_areas(const BuiltIn *built_in, const SettingsWords *areas) {
        for (size_t i = 0; i < areas->n; i++)
                if (!built_in_has(built_in, areas->words[i]))
                        return complain_area(built_in, areas->words[i]);
        return 0;
}

/* True if @word is probably a slip of an area's name rather than a directory that is to be made. */
static bool is_slip(const BuiltIn *built_in, const char *word) {
        return !strpbrk(word, "/.") && access(word, F_OK) < 0 && built_in_nearest(built_in, word);
}

int verb_unpack(const Settings *settings) {
        _cleanup_(built_in_freep) BuiltIn *built_in = NULL;
        const char *directory = UNPACK_DIRECTORY;
        SettingsWords areas = settings->arguments;
        char quoted[HINT_WORD_MAX];
        size_t n_written;
        int r;

        if (built_in_find(&built_in))
                return built_in_complain();
        if (areas.n > 0 && !built_in_has(built_in, areas.words[0])) {
                if (is_slip(built_in, areas.words[0]))
                        return complain_area(built_in, areas.words[0]);
                directory = areas.words[0];
                areas = (SettingsWords){ areas.words + 1, areas.n - 1 };
        }
        r = check_areas(built_in, &areas);
        if (r == 0)
                r = unpack_areas(built_in, directory, &areas, &n_written);
        if (r)
                return r;
        hint_quote(directory, quoted);
        printf("%zu file%s written to %s. Next:\n"
               "  make -C %s\n"
               "  benchctl run%s %s/%s.so\n",
                        n_written, n_written == 1 ? "" : "s", directory, quoted, retry_private_option(settings), quoted,
                        areas.n > 0 ? areas.words[0] : built_in_area_at(built_in, 0));
        return output_check_stdout();
}
