/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * compare: two modules, or two benchmarks, measured in turns. OLD and NEW are files, of source code too, or @JOB for the module of an
 * earlier job; #AREA/BENCHMARK follows both or neither.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ask/benchmark-word.h"
#include "ctl/ask/compile.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/fleet/fleet.h"
#include "ctl/ask/load.h"
#include "ctl/ask/module-parts.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "ctl/verbs/compare-git.h"
#include "ctl/verbs/compare-links.h"
#include "ctl/verbs/compare-sides.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

static bool is_job(const char *word) {
        return *word == '@';
}

static void sides_clear(CompareSides *sides) {
        free(sides->old.path);
        free(sides->new.path);
}

static int compare(const Settings *settings, Connection *connection, Output *output) {
        return compare_sides(settings, connection, output, connection->subject);
}

static int compare_on(const Settings *settings, Fleet *fleet, Output *output, const void *subject) {
        return compare_sides_on(settings, fleet, output, subject);
}

/* A filter has no such name. */
static bool is_module(const char *word) {
        const char *suffix = strrchr(word, '.');

        return access(word, F_OK) == 0 && ((suffix && strcmp(suffix, ".so") == 0) || module_parts_are_built(word));
}

static int compare_check(const Settings *settings) {
        const SettingsWords *words = &settings->arguments;
        char path[PATH_MAX];

        if (settings->private_daemon && (is_job(words->words[0]) || is_job(words->words[1]))) {
                complain("--private cannot be combined with @JOB: a private daemon has no earlier jobs.");
                complain_hint("Omit --private, or name the module's file.");
                return EXIT_USAGE;
        }
        if (settings->preload.n > 0 && is_job(words->words[0]) && is_job(words->words[1])) {
                complain("--preload is for files: the module of a job is measured with what was preloaded in that job.");
                return EXIT_USAGE;
        }
        for (size_t i = 0; i < 2; i++)
                if (*words->words[i] == '#') {
                        complain("'%s' names a benchmark and no module.", words->words[i]);
                        complain_hint("Write the module's file before it on both sides: both.c#old both.c#new");
                        return EXIT_USAGE;
                }
        for (size_t i = 2; i < words->n; i++)
                if (is_module(words->words[i])) {
                        complain("'compare' takes two modules, and %s is a third.", words->words[i]);
                        complain_hint("Commas join several sources of one side: old.c,impl.c new.c,impl.c. All words after the modules are "
                                      "filters.");
                        return EXIT_USAGE;
                }
        if (!benchmark_word_split(words->words[0], path) != !benchmark_word_split(words->words[1], path)) {
                complain("Name a benchmark (#AREA/BENCHMARK) on both sides or on neither.");
                return EXIT_USAGE;
        }
        return 0;
}

/* Compiles or takes the file of a side. */
static int compare_find_side(const Settings *settings, CompareSide *side, bool is_old) {
        CompileLinks links;
        char path[PATH_MAX];
        int r;

        (void)benchmark_word_split(side->word, path);
        if (is_job(path))
                return 0;
        r = compare_links_choose(settings, path, !is_old, &links);
        if (r == 0)
                r = load_file(path, links.n > 1 ? &links : NULL, &side->path);
        return compare_blame(settings, is_old, r);
}

/* Finds the files before a daemon is asked, all of them before the first is compiled. */
static int compare_find(const Settings *settings, CompareSides *sides) {
        char path[PATH_MAX];
        int r = 0;

        for (size_t i = 0; r == 0 && i < 2; i++) {
                (void)benchmark_word_split(settings->arguments.words[i], path);
                r = is_job(path) ? 0 : compare_blame(settings, i == 0, load_check_module(path));
        }
        if (r == 0)
                r = compare_find_side(settings, &sides->old, true);
        return r ? r : compare_find_side(settings, &sides->new, false);
}

int verb_compare(const Settings *settings) {
        _cleanup_(sides_clear) CompareSides sides = {};
        int r;

        if (settings->git || settings->builds.n > 0)
                return compare_git(settings);
        r = compare_check(settings);
        if (r)
                return r;
        sides.old.word = settings->arguments.words[0];
        sides.new.word = settings->arguments.words[1];
        r = compare_find(settings, &sides);
        if (r == 0)
                r = load_options(settings);
        for (size_t i = 2; r == 0 && i < settings->arguments.n; i++) /* filters, like the words after "--" */
                r = load_filter(settings, settings->arguments.words[i]);
        if (r)
                return r;
        if (settings->several_hosts)
                return fleet_use(settings, compare_on, &sides);
        return connection_use_for(settings, compare, &sides);
}
