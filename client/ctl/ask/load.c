/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/load.h"
#include "ctl/base/job-id.h"

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
#include "ctl/ask/compile.h"
#include "ctl/ask/module-parts.h"
#include "ctl/ask/near-file.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/base/interrupt.h"
#include "ctl/model/settings.h"
#include "ctl/model/verb.h"
#include "util/cleanup.h"
#include "util/fd.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

/* ---- jobs */

int load_job(const char *word, char ret_job[static JOB_ID_BYTES]) {
        size_t n;

        word += *word == '@';
        n = strlen(word);
        if (n < JOB_ID_MIN || n > JOB_ID_MAX || strspn(word, "0123456789abcdefABCDEF") != n)
                return LOAD_E_MALFORMED;
        for (size_t i = 0; i <= n; i++)
                ret_job[i] = (char)tolower((unsigned char)word[i]);
        return 0;
}

/* ---- options */

static int load_refused(const Settings *settings, int r, const char *word) {
        const bool told = r == BENCHD_E_BAD_OPTION || r == BENCHD_E_TOO_MANY || r == BENCHD_E_TOO_LARGE;

        if (told)
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

/* ---- files */

static bool is_stdin(const char *path) {
        return strcmp(path, LOAD_STDIN) == 0;
}

int load_check_file(const char *path) {
        _cleanup_(freep) char *near = NULL;
        char quoted[HINT_WORD_MAX];
        struct stat status;
        int r;

        if (is_stdin(path)) {
                complain("'-', standard input, is taken for a module by run, compare, list, source and disasm only.");
                complain_hint("A file of that name is ./-");
                return EXIT_USAGE;
        }
        if (stat(path, &status) < 0 || access(path, R_OK) < 0) {
                r = -errno;
                complain("Cannot read %s: %s.", path, benchd_error_string(r));
                near = r == -ENOENT ? near_file_find(path) : NULL;
                if (near)
                        complain_hint("Did you mean %s?", hint_quote(near, quoted));
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
        if (error.position == 0)
                complain("%s is empty, not a result.", path);
        else
                complain("%s is not JSON: %s (line %d).", path, error.text, error.line);
        return EXIT_USAGE;
}

/* ---- modules */

typedef struct LoadProblem {
        int error;            /* BENCHD_E_* */
        const char *sentence; /* a format for the file and the name from benchd_module_missing() */
        const char *hint;
} LoadProblem;

static const LoadProblem load_problems[] = {
        { BENCHD_E_EMPTY, "%s is empty, not a compiled module%s.", NULL },
        { BENCHD_E_TOO_LARGE, "%s is larger than 64 MiB, the most that a module may have%s.",
                        "Strip its debug information (strip -g), or bring large data as files (--input=FILE)." },
        { BENCHD_E_TOO_MANY, "%s needs more than 16 libraries, which is as many as a module may bring%s.",
                        "Link some of them into it statically, or install them where the dynamic loader looks." },
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

/* ---- modules that come through a pipe */

#define PIPED_PATH "/proc/self/fd/"

const char *load_name(const char *path) {
        return is_stdin(path) ? "stdin" : path;
}

bool load_is_piped(const char *path) {
        return strncmp(path, PIPED_PATH, strlen(PIPED_PATH)) == 0;
}

void load_hand_on(const char *path) {
        if (load_is_piped(path))
                (void)fcntl(atoi(path + strlen(PIPED_PATH)), F_SETFD, 0);
}

static int complain_foreign(const char *name) {
        complain("%s is not a compiled module (cc -O2 -g -shared -fPIC).", name);
        complain_hint("Source code is compiled where it is a file, not from a pipe.");
        return EXIT_BENCHMARK;
}

/* The bytes of a module, as a path that ends with benchctl. */
static int load_bytes(int fd, const char *name, char **ret_path) {
        _cleanup_(fd_closep) int memory_fd = -1;
        char magic[SELFMAG];
        int r;

        r = fd_memfd_from_pipe(fd, interrupt_fd(), BENCHD_PIPE_BYTES_MAX, &memory_fd);
        if (r == FD_E_STOPPED)
                return EXIT_CANCELLED;
        if (r > 0)
                r = r == FD_E_EMPTY ? BENCHD_E_EMPTY : BENCHD_E_TOO_LARGE;
        if (r)
                return load_failed(r, name, NULL);
        if (pread(memory_fd, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, ELFMAG, SELFMAG) != 0)
                return complain_foreign(name);
        if (asprintf(ret_path, PIPED_PATH "%d", memory_fd) < 0)
                return load_failed(-ENOMEM, name, NULL);
        (void)fd_take(&memory_fd);
        return 0;
}

static int load_stdin(char **ret_path) {
        static bool taken;

        if (taken) {
                complain("'-' can stand for one module only: standard input is read once.");
                return EXIT_USAGE;
        }
        taken = true;
        return load_bytes(STDIN_FILENO, load_name(LOAD_STDIN), ret_path);
}

static int load_pipe(const char *path, char **ret_path) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC); /* waits for a writer */

        if (fd < 0 && interrupt_came())
                return EXIT_CANCELLED;
        return fd < 0 ? load_failed(-errno, path, NULL) : load_bytes(fd, path, ret_path);
}

/* Source code has to be a file. */
static bool is_pipe(const char *path) {
        struct stat status;

        return stat(path, &status) == 0 && S_ISFIFO(status.st_mode) && access(path, R_OK) == 0 && !compile_takes(path);
}

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_MACHINE;
}

static int check_parts(const ModuleParts *parts) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < parts->n; i++)
                r = load_check_file(parts->paths[i]);
        return r;
}

int load_check_module(const char *word) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};
        const char *suffix = strrchr(word, '.');
        char quoted[HINT_WORD_MAX];
        int r;

        if (is_stdin(word) && isatty(STDIN_FILENO)) {
                complain("Standard input is a terminal, and '-' reads a compiled module from it.");
                complain_hint("Redirect it from a file or a pipe: benchctl run - < mybench.so");
                return EXIT_USAGE;
        }
        if (is_stdin(word) || is_pipe(word))
                return 0;
        if (suffix && strcasecmp(suffix, ".json") == 0) {
                complain("%s is named as a result, not as a module.", word);
                complain_hint("'benchctl show %s' prints it, 'benchctl show A.json B.json' two of them side by side.",
                                hint_quote(word, quoted));
                return EXIT_USAGE;
        }
        if (module_parts_add(&parts, word))
                return out_of_memory();
        r = check_parts(&parts);
        if (r && parts.n == 1 && strchr(word, ',') && access(word, F_OK) < 0)
                complain_hint("With commas between, sources, objects and archives are one module; a library is linked by "
                              "LDLIBS.");
        return r;
}

int load_parts(const ModuleParts *parts, const CompileLinks *links, char **ret_path) {
        _cleanup_(freep) char *name = module_parts_name(parts);
        int r;

        r = check_parts(parts);
        if (r)
                return r;
        return name ? compile_module(parts, name, links, ret_path) : out_of_memory();
}

int load_file(const char *word, const CompileLinks *links, char **ret_path) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};
        int r;

        r = load_check_module(word);
        if (r)
                return r;
        if (is_stdin(word))
                return load_stdin(ret_path);
        if (is_pipe(word))
                return load_pipe(word, ret_path);
        if (module_parts_are_built(word))
                return module_parts_add(&parts, word) ? out_of_memory() : load_parts(&parts, links, ret_path);
        *ret_path = strdup(word);
        return *ret_path ? 0 : out_of_memory();
}

/* Each of several files has to be one that is compiled or linked. */
static int collect_parts(const char *const *words, size_t n, ModuleParts *parts) {
        for (size_t i = 0; i < n; i++) {
                if (n > 1 && !module_parts_are_built(words[i])) {
                        complain("%s cannot be a part of one module: it is neither a source, an object nor an archive.",
                                        words[i]);
                        return EXIT_USAGE;
                }
                for (size_t k = 0; k < i; k++)
                        if (strcmp(words[k], words[i]) == 0) {
                                complain("%s is named twice for one module.", words[i]);
                                complain_hint("Name it once, or make a separate module of each source: --separate.");
                                return EXIT_USAGE;
                        }
                if (module_parts_add(parts, words[i]))
                        return out_of_memory();
        }
        return 0;
}

int load_words(const char *const *words, size_t n, char **ret_path, char **ret_name) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};
        _cleanup_(freep) char *name = NULL;
        int r;

        r = collect_parts(words, n, &parts);
        if (r)
                return r;
        name = parts.n == 1 ? strdup(load_name(words[0])) : module_parts_name(&parts);
        if (!name)
                return out_of_memory();
        r = parts.n == 1 ? load_file(words[0], NULL, ret_path) : load_parts(&parts, NULL, ret_path);
        if (r)
                return r;
        *ret_name = take_pointer(name);
        return 0;
}

static int load_library(benchd_module *module, const char *path) {
        int r;

        r = load_check_file(path);
        if (r)
                return r;
        r = benchd_module_add_library(module, path);
        return r ? load_failed(r, path, benchd_module_missing(module)) : 0;
}

/* A name that is not a file is searched in the loader's directories. */
static int load_preload(benchd_module *module, const char *name) {
        int r;

        r = strchr(name, '/') || access(name, F_OK) == 0 ? load_check_file(name) : 0;
        if (r)
                return r;
        r = benchd_module_preload(module, name);
        if (r == BENCHD_E_LIBRARY && strcmp(benchd_module_missing(module), name) == 0) {
                complain("%s is neither a file nor in a directory where the dynamic loader looks.", name);
                complain_hint("Name its file with --preload=FILE, or its directory in LD_LIBRARY_PATH.");
                return EXIT_USAGE;
        }
        return r ? load_failed(r, name, benchd_module_missing(module)) : 0;
}

int load_module(const Settings *settings, const char *path, const char *name, benchd_module **ret_module) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        int r;

        r = benchd_module_new(&module);
        if (r)
                return load_failed(r, name, NULL);
        for (size_t i = 0; r == 0 && i < settings->with.n; i++)
                r = load_library(module, settings->with.words[i]);
        for (size_t i = 0; r == 0 && i < settings->preload.n; i++)
                r = load_preload(module, settings->preload.words[i]);
        if (r)
                return r;
        r = benchd_module_open(module, path);
        if (r == 0 && strcmp(name, path) != 0)
                r = benchd_module_set_name(module, name);
        if (r)
                return load_failed(r, name, benchd_module_missing(module));
        *ret_module = take_pointer(module);
        return 0;
}

int load_recall(const char *word, benchd_module **ret_module) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        char run_id[JOB_ID_BYTES];

        if (load_job(word, run_id) != 0) {
                complain("'%s' is not a job (@ and %u to %u hexadecimal digits).", word, JOB_ID_MIN, JOB_ID_MAX);
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
