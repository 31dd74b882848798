/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/load.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/compile.h"
#include "ctl/complain.h"
#include "ctl/exit.h"
#include "ctl/hint.h"
#include "ctl/settings.h"
#include "ctl/verb.h"
#include "util/cleanup.h"
#include "util/fd.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

/* ---- jobs */

int load_job(const char *word, char ret_job[static LOAD_JOB_BYTES]) {
        size_t n;

        word += *word == '@';
        n = strlen(word);
        if (n < LOAD_JOB_MIN || n > LOAD_JOB_MAX || strspn(word, "0123456789abcdefABCDEF") != n)
                return LOAD_E_MALFORMED;
        for (size_t i = 0; i <= n; i++)
                ret_job[i] = (char)tolower((unsigned char)word[i]);
        return 0;
}

/* ---- options */

static int load_refused(const Settings *settings, int r, const char *word) {
        if (r == BENCHD_E_BAD_OPTION)
                complain("%s.", benchd_options_problem(settings->options));
        else
                complain("Cannot use '%s': %s.", word, benchd_error_string(r));
        return EXIT_USAGE;
}

int load_filter(const Settings *settings, const char *filter) {
        int r;

        r = benchd_options_add_filter(settings->options, filter);
        return r ? load_refused(settings, r, filter) : 0;
}

int load_environment(const Settings *settings) {
        int r;

        for (size_t i = 0; i < settings->environment.n; i++) {
                r = benchd_options_add_environment(settings->options, settings->environment.words[i]);
                if (r)
                        return load_refused(settings, r, settings->environment.words[i]);
        }
        for (size_t i = 0; i < settings->inputs.n; i++) {
                r = benchd_options_add_input(settings->options, settings->inputs.words[i]);
                if (r)
                        return load_refused(settings, r, settings->inputs.words[i]);
        }
        return 0;
}

int load_options(const Settings *settings) {
        int r;

        for (size_t i = 0; i < settings->filters.n; i++) {
                r = load_filter(settings, settings->filters.words[i]);
                if (r)
                        return r;
        }
        return load_environment(settings);
}

/* ---- modules */

int load_check_file(const char *path) {
        struct stat status;

        if (stat(path, &status) < 0 || access(path, R_OK) < 0) {
                complain("Cannot read %s: %s.", path, benchd_error_string(-errno));
                return EXIT_USAGE;
        }
        if (!S_ISREG(status.st_mode)) {
                complain("%s is not a regular file.", path);
                return EXIT_USAGE;
        }
        return 0;
}

int load_json(const char *path, json_t **ret_json) {
        json_error_t error;
        int r;

        r = load_check_file(path);
        if (r)
                return r;
        *ret_json = json_load_file(path, 0, &error);
        if (*ret_json)
                return 0;
        complain("%s is not JSON: %s (line %d).", path, error.text, error.line);
        return EXIT_USAGE;
}

int load_file(const char *path, char **ret_path) {
        int r;

        r = load_check_file(path);
        if (r)
                return r;
        if (compile_takes(path))
                return compile_module(path, ret_path);
        *ret_path = strdup(path);
        if (*ret_path)
                return 0;
        complain("Out of memory.");
        return EXIT_MACHINE;
}

typedef struct LoadProblem {
        int error;            /* BENCHD_E_* */
        const char *sentence; /* a format for the file and the name from benchd_module_missing() */
        const char *hint;
} LoadProblem;

static const LoadProblem load_problems[] = {
        { BENCHD_E_EMPTY, "%s is empty, not a compiled module%s.", NULL },
        { BENCHD_E_TOO_LARGE, "%s is larger than a module may be%s.", NULL },
        { BENCHD_E_TOO_MANY, "%s needs more than 16 libraries, which is as many as a module may bring%s.", NULL },
        { BENCHD_E_LIBRARY, "%s needs the library %s, which was not found.",
                        "Name its file with --with=FILE, or its directory in LD_LIBRARY_PATH." },
        { BENCHD_E_SONAME, "%s needs the library %s, whose file is also needed under another name.",
                        "Link that library with -Wl,-soname,NAME, and what needs it anew: all then need that NAME." },
};

__attribute__((format(printf, 1, 0))) static void complain_of(const char *sentence, const char *path,
                const char *name) {
        complain(sentence, path, name ? name : "");
}

static int load_failed(int r, const char *path, const char *missing) {
        for (size_t i = 0; i < N_ELEMENTS(load_problems); i++) {
                if (load_problems[i].error != r)
                        continue;
                complain_of(load_problems[i].sentence, path, missing);
                if (load_problems[i].hint)
                        complain_hint("%s", load_problems[i].hint);
                return EXIT_BENCHMARK;
        }
        complain("Cannot read %s: %s.", path, benchd_error_string(r));
        return EXIT_USAGE;
}

int load_module(const Settings *settings, const char *path, benchd_module **ret_module) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        int r;

        r = benchd_module_new(&module);
        if (r)
                return load_failed(r, path, NULL);
        for (size_t i = 0; i < settings->with.n; i++) {
                r = load_check_file(settings->with.words[i]);
                if (r)
                        return r;
                r = benchd_module_add_library(module, settings->with.words[i]);
                if (r)
                        return load_failed(r, settings->with.words[i], benchd_module_missing(module));
        }
        r = benchd_module_open(module, path);
        if (r)
                return load_failed(r, path, benchd_module_missing(module));
        *ret_module = take_pointer(module);
        return 0;
}

int load_recall(const char *word, benchd_module **ret_module) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        char run_id[LOAD_JOB_BYTES];

        if (load_job(word, run_id) != 0) {
                complain("'%s' is not a job (@ and %u to %u hexadecimal digits).", word, LOAD_JOB_MIN, LOAD_JOB_MAX);
                complain_hint("'benchctl history' lists jobs; a file of that name is ./%s", word);
                return EXIT_USAGE;
        }
        if (benchd_module_new(&module) || benchd_module_recall(module, run_id)) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        *ret_module = take_pointer(module);
        return 0;
}
