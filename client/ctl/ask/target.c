/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/target.h"
#include "ctl/ask/retry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/area-filters.h"
#include "ctl/ask/built-in.h"
#include "ctl/ask/load.h"
#include "ctl/ask/module-parts.h"
#include "ctl/ask/near-file.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/model/verb.h"
#include "util/cleanup.h"

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_MACHINE;
}

/* An existing file counts, whatever its name. An area followed by a benchmark counts as a file name if there is no such area. */
static bool is_file(const BuiltIn *built_in, const char *word) {
        if (strcmp(word, LOAD_STDIN) == 0 || access(word, F_OK) == 0 || strchr(word, '.'))
                return true;
        return strchr(word, '/') && !(built_in && built_in_has(built_in, word));
}

static int targets_add(Targets *targets, const char *path, const char *name, bool built_in) {
        targets->targets[targets->n] = (Target){ .path = strdup(path), .name = name, .built_in = built_in };
        return targets->targets[targets->n++].path ? 0 : out_of_memory();
}

static bool targets_have_built_in(const Targets *targets) {
        for (size_t i = 0; i < targets->n; i++)
                if (targets->targets[i].built_in)
                        return true;
        return false;
}

static int targets_add_built_in(Targets *targets, const BuiltIn *built_in) {
        if (!built_in)
                return built_in_complain();
        return targets_have_built_in(targets) ? 0
                                              : targets_add(targets, built_in_path(built_in), TARGET_BUILT_IN, true);
}

/* @word is neither a file nor an area: perhaps a slip, or a benchmark's name or a filter. */
static int complain_area(const Settings *settings, const BuiltIn *built_in, const char *word) {
        _cleanup_(freep) char *command = retry_with_filters(settings), *areas = NULL, *file = NULL;
        const char *verb = settings->verb->name, *near;
        char quoted[HINT_WORD_MAX];

        complain("'%s' is neither a file nor an area of the built-in benchmarks.", word);
        if (command) {
                complain_hint("To choose benchmarks: %s", command);
                return EXIT_USAGE;
        }
        near = built_in_nearest(built_in, word);
        if (!near)
                near = file = near_file_find(word);
        if (near)
                complain_hint("Did you mean: benchctl %s %s?", verb, hint_quote(near, quoted));
        areas = built_in_areas(built_in);
        if (areas)
                complain_hint("Areas: %s.", areas);
        complain_hint("To choose a benchmark by its name: benchctl %s -- %s", verb, hint_quote(word, quoted));
        return EXIT_USAGE;
}

/* The names of areas are unknown where the module came without its sources: the daemon judges then. */
static int targets_add_area(const Settings *settings, Targets *targets, const BuiltIn *built_in, const char *word) {
        if (strcmp(word, TARGET_BUILT_IN) == 0) {
                targets->all_areas = true;
                return targets_add_built_in(targets, built_in);
        }
        if (!built_in)
                return built_in_complain();
        if (built_in_knows_areas(built_in) && !built_in_has(built_in, word))
                return complain_area(settings, built_in, word);
        for (size_t i = 0; i < targets->areas.n; i++)
                if (strcmp(targets->areas.words[i], word) == 0)
                        return 0;
        targets->areas.words[targets->areas.n++] = word;
        return targets_add_built_in(targets, built_in);
}

/* "text/strlen" in the place of a file that does not exist is perhaps a benchmark. */
static void hint_filter(const Settings *settings, const char *word) {
        _cleanup_(freep) char *command = NULL;

        if (strchr(word, '.') || access(word, F_OK) == 0)
                return;
        command = retry_with_filters(settings);
        if (command)
                complain_hint("To choose benchmarks: %s", command);
}

static int targets_add_file(Targets *targets, const char *word) {
        _cleanup_(freep) char *path = NULL;
        int r;

        r = load_file(word, NULL, &path);
        return r ? r : targets_add(targets, path, load_name(word), false);
}

/* The module of all sources, objects and archives that were named. */
static int targets_add_built(const Settings *settings, Targets *targets) {
        _cleanup_(freep) const char **words = calloc(settings->arguments.n, sizeof *words);
        _cleanup_(freep) char *path = NULL;
        size_t n = 0;
        int r;

        if (!words)
                return out_of_memory();
        for (size_t i = 0; i < settings->arguments.n; i++)
                if (module_parts_are_built(settings->arguments.words[i]))
                        words[n++] = settings->arguments.words[i];
        r = load_words(words, n, &path, &targets->built_name);
        return r ? r : targets_add(targets, path, targets->built_name, false);
}

/* A source in a run of modules that are not kept separate is part of the one that is built. */
static int targets_add_word(const Settings *settings, Targets *targets, const BuiltIn *built_in, const char *word) {
        if (!is_file(built_in, word))
                return targets_add_area(settings, targets, built_in, word);
        if (settings->separate || !module_parts_are_built(word))
                return targets_add_file(targets, word);
        return targets->built_name ? 0 : targets_add_built(settings, targets);
}

/* Finds all files before the first is compiled. */
static int check_files(const Settings *settings, const BuiltIn *built_in) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < settings->arguments.n; i++) {
                const char *word = settings->arguments.words[i];

                r = is_file(built_in, word) ? load_check_module(word) : 0;
                if (r)
                        hint_filter(settings, word);
        }
        return r;
}

static int targets_fill(const Settings *settings, Targets *targets) {
        _cleanup_(built_in_freep) BuiltIn *built_in = NULL;
        int r;

        r = built_in_find(&built_in);
        if (r < 0)
                return out_of_memory();
        if (settings->arguments.n == 0)
                return targets_add_built_in(targets, built_in);
        r = check_files(settings, built_in);
        for (size_t i = 0; r == 0 && i < settings->arguments.n; i++)
                r = targets_add_word(settings, targets, built_in, settings->arguments.words[i]);
        return r;
}

int targets_find(const Settings *settings, Targets *ret_targets) {
        Targets *targets = ret_targets;
        int r;

        *targets = (Targets){};
        targets->targets = calloc(settings->arguments.n + 1, sizeof *targets->targets);
        targets->areas.words = calloc(settings->arguments.n + 1, sizeof *targets->areas.words);
        r = targets->targets && targets->areas.words ? targets_fill(settings, targets) : out_of_memory();
        if (r)
                targets_clear(targets);
        return r;
}

void targets_clear(Targets *targets) {
        for (size_t i = 0; i < targets->n; i++)
                free(targets->targets[i].path);
        free(targets->targets);
        free(targets->areas.words);
        free(targets->built_name);
        *targets = (Targets){};
}

int target_load(const Settings *settings, const Target *target, benchd_module **ret_module) {
        return load_module(settings, target->path, target->name, ret_module);
}

int target_filters(const Settings *settings, const Targets *targets, const Target *target, char ***ret_filters) {
        const bool within = target->built_in && !targets->all_areas;

        return area_filters(within ? &targets->areas : &(const SettingsWords){}, &settings->filters, ret_filters);
}

int target_set_filters(const Settings *settings, const Targets *targets, const Target *target) {
        _cleanup_(freep) char **filters = NULL;
        int r;

        if (target_filters(settings, targets, target, &filters))
                return out_of_memory();
        benchd_options_clear_filters(settings->options);
        for (char **filter = filters; *filter; filter++) {
                r = load_filter(settings, *filter);
                if (r)
                        return r;
        }
        return 0;
}
