/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/here.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/load.h"
#include "ctl/ask/target.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/installed.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "words/here-options.h"

#define HERE_VALGRIND "vgpreload_" /* part of the names that valgrind preloads */

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

/* True if the runner reads the option @name as typed. The paths of --with and --preload are passed with the other libraries. */
static bool here_is_passed(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(here_options); i++)
                if (here_options[i].unit > 0 && strcmp(here_options[i].name, name) == 0)
                        return true;
        return strcmp(name, "input") == 0;
}

/* The runner's arguments; the strings live as long as the process. */
typedef struct HereArguments {
        char **words; /* with room for all */
        size_t n;
} HereArguments;

static int here_add_option(HereArguments *arguments, const SettingsOption *option) {
        char *word;

        if (!here_is_passed(option->name))
                return 0;
        if (asprintf(&word, "--%s=%s", option->name, option->value) < 0)
                return -ENOMEM;
        arguments->words[arguments->n++] = word;
        return 0;
}

static void here_add_word(HereArguments *arguments, const char *word) {
        arguments->words[arguments->n++] = (char *)word;
}

static bool here_is_under_valgrind(void) {
        const char *preloaded = getenv("LD_PRELOAD");

        return preloaded && strstr(preloaded, HERE_VALGRIND);
}

/* All libraries sent with the module: from --preload and --with, and needed ones that the system does not have. */
static int here_add_libraries(HereArguments *arguments, const benchd_module *module) {
        const size_t n_preloaded = benchd_module_preloaded(module);
        _cleanup_(freep) char *directory = get_current_dir_name();
        const char *path;

        for (size_t i = 0; (path = benchd_module_library(module, i)); i++) {
                char *word;

                if (asprintf(&word, "--%s=%s%s%s", i < n_preloaded ? "preload" : "with",
                                    *path == '/' || !directory ? "" : directory, *path == '/' ? "" : "/", path) < 0)
                        return -ENOMEM;
                here_add_word(arguments, word);
        }
        return 0;
}

static int here_arguments(const Settings *settings, const Target *target, const benchd_module *module,
                char *const *filters, HereArguments *arguments) {
        size_t n_filters = 0, n_libraries = 0;
        char *typed;

        while (filters[n_filters])
                n_filters++;
        while (benchd_module_library(module, n_libraries))
                n_libraries++;
        arguments->words = calloc(settings->n_given + n_libraries + n_filters + 7, sizeof *arguments->words);
        if (!arguments->words)
                return -ENOMEM;
        here_add_word(arguments, installed_name(INSTALLED_RUNNER));
        here_add_word(arguments, "--here");
        if (here_is_under_valgrind())
                here_add_word(arguments, "--under-valgrind");
        for (size_t i = 0; i < settings->n_given; i++)
                if (here_add_option(arguments, &settings->given[i]))
                        return -ENOMEM;
        if (here_add_libraries(arguments, module))
                return -ENOMEM;
        if (strcmp(target->name, target->path) != 0) {
                const char *name = strcmp(target->name, load_name(LOAD_STDIN)) == 0 ? LOAD_STDIN : target->name;

                if (asprintf(&typed, "--typed=%s", name) < 0)
                        return -ENOMEM;
                here_add_word(arguments, typed);
        }
        here_add_word(arguments, "--");
        here_add_word(arguments, target->path);
        for (size_t i = 0; i < n_filters; i++)
                here_add_word(arguments, filters[i]);
        return 0;
}

int here_exec(const Settings *settings, const Targets *targets) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        HereArguments arguments = {};
        char path[PATH_MAX], **filters; /* the strings stay, for exec */
        int r;

        if (targets->n != 1) {
                complain("--here runs one module, since it is one process.");
                return EXIT_USAGE;
        }
        r = target_load(settings, &targets->targets[0], &module);
        if (r)
                return r;
        r = installed_find(INSTALLED_RUNNER, path);
        if (r > 0)
                complain("%s is not installed, neither beside benchctl nor in %s.", installed_name(INSTALLED_RUNNER),
                                BENCHD_LIBEXECDIR);
        if (r)
                return EXIT_DAEMON;
        for (size_t i = 0; i < settings->environment.n; i++)
                putenv((char *)settings->environment.words[i]);
        load_hand_on(targets->targets[0].path);
        if (target_filters(settings, targets, &targets->targets[0], &filters) == 0 &&
                        here_arguments(settings, &targets->targets[0], module, filters, &arguments) == 0)
                execv(path, arguments.words);
        complain("Cannot run %s: %s.", path, benchd_error_string(-errno));
        return EXIT_DAEMON;
}
