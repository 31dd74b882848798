/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * debug: the module as it is measured, optimised, in a debugger, stopped where its loop begins.
 *
 * The debugger gets commands of its own. The first word of struct bench is the function that begins the loop, so it can be found without
 * debug information: the module is loaded, the benchmark's function is entered with struct bench in its first register, and the loop
 * follows the call of that function.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/benchmark-word.h"
#include "ctl/ask/built-in.h"
#include "ctl/ask/load.h"
#include "ctl/ask/module-parts.h"
#include "ctl/base/command.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/installed.h"
#include "ctl/model/settings.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"
#include "util/fd.h"
#include "util/file-name.h"

#define DEBUG_COMMAND_MAX 4200u

/* The benchmark that is debugged. */
typedef struct Debugged {
        char *module;                       /* its path */
        char *typed;                        /* its name as typed */
        const char *filter;                 /* as typed */
        char name[BENCHMARK_WORD_NAME_MAX]; /* without area and arguments */
} Debugged;

static void debugged_clear(Debugged *debugged) {
        free(debugged->module);
        free(debugged->typed);
}

/* ---- which */

/* MODULE BENCHMARK, where several sources may make the module; or a built-in AREA/BENCHMARK. */
static int find_benchmark(const SettingsWords *words, Debugged *debugged) {
        _cleanup_(built_in_freep) BuiltIn *built_in = NULL;
        int r = 0;

        debugged->filter = words->words[words->n - 1];
        benchmark_word_name(debugged->filter, debugged->name);
        if (words->n > 1) {
                if (!module_parts_are_built(words->words[0]))
                        r = load_check_file(
                                        words->words[0]); /* no pipe: the debugger has standard input, and opens the file */
                return r ? r : load_words(words->words, words->n - 1, &debugged->module, &debugged->typed);
        }
        if (access(words->words[0], F_OK) == 0) {
                complain("Which benchmark? benchctl debug %s BENCHMARK", words->words[0]);
                return EXIT_USAGE;
        }
        if (built_in_find(&built_in))
                return built_in_complain();
        debugged->module = strdup(built_in_path(built_in));
        debugged->typed = strdup("The built-in module");
        if (debugged->module && debugged->typed)
                return 0;
        complain("Out of memory.");
        return EXIT_MACHINE;
}

/* True if the file at @path has @text within, as a symbol's name is. */
static bool file_has(const char *path, const char *text) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
        struct stat status;
        bool found;
        void *data;

        if (fd < 0 || fstat(fd, &status) < 0 || status.st_size == 0)
                return false;
        data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
                return false;
        found = memmem(data, (size_t)status.st_size, text, strlen(text));
        munmap(data, (size_t)status.st_size);
        return found;
}

/* The function that the runner calls: in C the body, in C++ one around it, which the body may be inlined into. */
static int find_function(const Debugged *debugged, char ret_function[static BENCHMARK_WORD_NAME_MAX + 16]) {
        static const char *const prefixes[] = { "bench_run_", "bench_body_" };

        for (size_t i = 0; i < N_ELEMENTS(prefixes); i++) {
                snprintf(ret_function, BENCHMARK_WORD_NAME_MAX + 16, "%s%s", prefixes[i], debugged->name);
                if (file_has(debugged->module, ret_function))
                        return 0;
        }
        complain("%s has no symbol of a benchmark %s.", debugged->typed, debugged->name);
        complain_hint("'benchctl list' has the names of its benchmarks; a stripped module has no symbols: compile it with -g.");
        return EXIT_USAGE;
}

/* ---- the debugger's commands */

__attribute__((format(printf, 2, 3))) static int add_command(Command *command, const char *format, ...) {
        char text[DEBUG_COMMAND_MAX];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        return command_add(command, "-ex") || command_add(command, text) ? EXIT_MACHINE : 0;
}

/* A regular expression that matches the file's name, whatever characters it has. */
static void file_pattern(const char *path, char ret_pattern[static PATH_MAX]) {
        snprintf(ret_pattern, PATH_MAX, "%s", file_name_of(path));
        for (char *c = ret_pattern; *c; c++)
                if (strchr("*+?()|{}[]^$\\", *c))
                        *c = '.';
}

/* Stops after the call that begins the loop, and shows what comes next at each stop. */
static int add_stops(Command *command, const Debugged *debugged, const char *function) {
        char pattern[PATH_MAX];
        int r;

        file_pattern(debugged->module, pattern);
        r = add_command(command, "set pagination off"); /* on the way */
        r = r ? r : add_command(command, "set print thread-events off");
        r = r ? r : add_command(command, "set print inferior-events off");
        r = r ? r : add_command(command, "tcatch load %s", pattern);
        r = r ? r : add_command(command, "run");
        r = r ? r : add_command(command, "tbreak *%s", function);
        r = r ? r : add_command(command, "continue");
        r = r ? r : add_command(command, "tbreak **(long *)$rdi");
        r = r ? r : add_command(command, "continue");
        r = r ? r : add_command(command, "tbreak **(long *)$rsp");
        r = r ? r : add_command(command, "continue");
        r = r ? r : add_command(command, "display/8i $pc");
        r = r ? r : add_command(command, "x/8i $pc");
        return r ? r : add_command(command, "set pagination on");
}

/* benchctl run --here, which the debugger starts. */
static int add_program(Command *command, const Settings *settings, const Debugged *debugged) {
        char own[PATH_MAX];
        ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
        int r;

        if (n < 0)
                return EXIT_MACHINE;
        own[n] = '\0';
        r = command_add(command, "--args") || command_add(command, own) || command_add(command, "run") ||
            command_add(command, "--here");
        for (size_t i = 0; r == 0 && i < settings->n_given; i++) {
                const SettingsOption *option = &settings->given[i];
                char word[DEBUG_COMMAND_MAX];

                if (strcmp(option->name, "with") != 0 && strcmp(option->name, "preload") != 0 &&
                                strcmp(option->name, "env") != 0)
                        continue;
                snprintf(word, sizeof word, "--%s=%s", option->name, option->value);
                r = command_add(command, word);
        }
        return r || command_add(command, debugged->module) || command_add(command, "--") ||
                                               command_add(command, debugged->filter)
                               ? EXIT_MACHINE
                               : 0;
}

int verb_debug(const Settings *settings) {
        _cleanup_(debugged_clear) Debugged debugged = {};
        _cleanup_(command_clear) Command command = {};
        char function[BENCHMARK_WORD_NAME_MAX + 16];
        int r;

        r = find_benchmark(&settings->arguments, &debugged);
        if (r == 0)
                r = find_function(&debugged, function);
        if (r == 0)
                r = command_add_variable(&command, "BENCHCTL_DEBUGGER", "gdb");
        if (r == 0)
                r = command_add(&command, "-q") ? EXIT_MACHINE : 0;
        if (r == 0)
                r = add_stops(&command, &debugged, function);
        for (size_t i = 0; r == 0 && i < settings->filters.n; i++)
                r = command_add(&command, settings->filters.words[i]) ? EXIT_MACHINE : 0;
        if (r == 0)
                r = add_program(&command, settings, &debugged);
        if (r)
                return r;
        (void)signal(SIGPIPE, SIG_DFL);
        execvp(command.words[0], command.words);
        complain("Cannot run the debugger %s: %s.", command.words[0], benchd_error_string(-errno));
        complain_hint("Install it (Debian: apt install gdb), or name one that takes gdb's options: BENCHCTL_DEBUGGER=PROGRAM");
        return EXIT_MACHINE;
}
