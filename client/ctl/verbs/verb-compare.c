/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * compare: two modules, or two benchmarks, measured in turns. OLD and NEW are files, of source code too, or @JOB for the module of an
 * earlier job; #AREA/BENCHMARK follows both or neither.
 */

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/benchmark-word.h"
#include "ctl/ask/compile.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/fleet/fleet.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/git/told-commit.h"
#include "ctl/ask/load.h"
#include "ctl/ask/module-parts.h"
#include "ctl/ask/run-seed.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"
#include "util/module-links.h"

#define COMPARE_LINKS       20u /* by default: one for each process */
#define COMPARE_LINKS_QUICK 4u

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

static bool is_job(const char *word) {
        return *word == '@';
}

/* The two modules as they are to be loaded. */
typedef struct Sides {
        char *paths[2]; /* of files, which source code was compiled to; NULL: the module of a job */
} Sides;

static void sides_clear(Sides *sides) {
        free(sides->paths[0]);
        free(sides->paths[1]);
}

static int compare_load(const Settings *settings, const char *word, const char *file, benchd_module **ret_module) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        char path[PATH_MAX];
        const char *benchmark = benchmark_word_split(word, path);
        int r;

        r = file ? load_module(settings, file, load_name(path), &module) : load_recall(path, &module);
        if (r)
                return r;
        if (benchmark && benchd_module_set_benchmark(module, benchmark)) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        r = file ? told_commit_set(settings, path, word == settings->arguments.words[0], module) : 0;
        if (r)
                return r;
        *ret_module = take_pointer(module);
        return 0;
}

typedef struct Pair {
        benchd_module *old;
        benchd_module *new;
} Pair;

static void pair_clear(Pair *pair) {
        benchd_module_free(pair->old);
        benchd_module_free(pair->new);
}

/* A commit may lack its module, or not compile; the good one's is the same at each. */
static int bisect_blame(const Settings *settings, size_t side, int r) {
        if (!settings->bisect || (r != EXIT_USAGE && r != EXIT_BENCHMARK))
                return r;
        return side == 0 ? EXIT_USAGE : EXIT_BENCHMARK;
}

static int pair_load(const Settings *settings, const Sides *sides, Pair *pair) {
        int r;

        r = bisect_blame(settings, 0,
                        compare_load(settings, settings->arguments.words[0], sides->paths[0], &pair->old));
        if (r)
                return r;
        return bisect_blame(settings, 1,
                        compare_load(settings, settings->arguments.words[1], sides->paths[1], &pair->new));
}

static int compare(const Settings *settings, Connection *connection, Output *output) {
        _cleanup_(pair_clear) Pair pair = {};
        Follow follow = {
                .connection = connection,
                .output = output,
                .name = load_name(settings->arguments.words[1]),
                .quiet = settings->quiet,
                .fail_on = &settings->fail_on,
        };
        int r;

        r = pair_load(settings, connection->subject, &pair);
        if (r)
                return r;
        if (settings->explain) {
                follow.old_explained = pair.old;
                follow.new_explained = pair.new;
        }
        r = benchd_client_compare(connection->client, pair.new, pair.old, settings->options, &follow.id);
        if (r) {
                complain("Cannot send the modules: %s.", benchd_error_string(r));
                return EXIT_USAGE;
        }
        return follow_job(&follow);
}

static int compare_ask(const Settings *settings, benchd_client *client, const void *subject, uint64_t *ret_id) {
        const Pair *pair = subject;

        return benchd_client_compare(client, pair->new, pair->old, settings->options, ret_id);
}

static int compare_on(const Settings *settings, Fleet *fleet, Output *output, const void *subject) {
        _cleanup_(pair_clear) Pair pair = {};
        int r;

        r = pair_load(settings, subject, &pair);
        return r ? r : fleet_measure(fleet, output, load_name(settings->arguments.words[1]), compare_ask, &pair);
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

/*
 * Each process of a comparison runs another link of the sources, so that the interval covers the places that the linker gives to functions:
 * these alone set builds of equal code apart by more than the interval of one build.
 */
static uint32_t compare_count_links(const Settings *settings) {
        const char *processes = settings_given(settings, "processes");
        unsigned long n = COMPARE_LINKS;

        if (settings->links)
                return strtoul(settings->links, NULL, 10);
        if (processes)
                n = strtoul(processes, NULL, 10);
        else if (settings_given(settings, "quick"))
                n = COMPARE_LINKS_QUICK;
        return n < 1 ? 1 : n < MODULE_LINKS_MAX ? n : MODULE_LINKS_MAX;
}

/* Chooses the links of a side of sources. The run has the seed that they are drawn from. Returns 0 or an exit code. */
static int compare_choose_links(const Settings *settings, CompileLinks *ret_links) {
        CompileLinks links = { .n = compare_count_links(settings) };
        char typed[32];
        int r;

        r = run_seed(settings, &links.seed);
        snprintf(typed, sizeof typed, "%" PRIu64, links.seed);
        if (r == 0)
                r = benchd_options_set(settings->options, "seed", typed);
        if (r) {
                complain("Cannot draw a seed: %s.", benchd_error_string(r));
                return EXIT_MACHINE;
        }
        *ret_links = links;
        return 0;
}

/* Compiles or takes the file of side @i. */
static int compare_find_side(const Settings *settings, size_t i, Sides *sides) {
        CompileLinks links;
        char path[PATH_MAX];
        int r;

        (void)benchmark_word_split(settings->arguments.words[i], path);
        if (is_job(path))
                return 0;
        if (!module_parts_are_built(path))
                return load_file(path, NULL, &sides->paths[i]);
        r = compare_choose_links(settings, &links);
        if (r)
                return r;
        links.side = i;
        return load_file(path, links.n > 1 ? &links : NULL, &sides->paths[i]);
}

/* Finds the files before a daemon is asked, all of them before the first is compiled. */
static int compare_find(const Settings *settings, Sides *sides) {
        char path[PATH_MAX];
        int r = 0;

        for (size_t i = 0; r == 0 && i < 2; i++) {
                (void)benchmark_word_split(settings->arguments.words[i], path);
                r = is_job(path) ? 0 : bisect_blame(settings, i, load_check_module(path));
        }
        for (size_t i = 0; r == 0 && i < 2; i++)
                r = bisect_blame(settings, i, compare_find_side(settings, i, sides));
        return r;
}

int verb_compare(const Settings *settings) {
        _cleanup_(sides_clear) Sides sides = {};
        int r;

        r = compare_check(settings);
        if (r == 0)
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
