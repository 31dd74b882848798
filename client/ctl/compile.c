/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/compile.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/exit.h"
#include "ctl/interrupt.h"
#include "ctl/program.h"
#include "ctl/user-directory.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define CACHE_UNUSED_S (30 * 24 * 3600) /* a module that was not made anew for so long is removed */

/* ---- languages */

typedef struct Language {
        const char *suffix;
        const char *variable; /* that names the compiler */
        const char *compiler;
        const char *flags; /* the variable that has more options */
} Language;

static const Language languages[] = {
        { ".c", "CC", "cc", "CFLAGS" },
        { ".cc", "CXX", "c++", "CXXFLAGS" },
        { ".cpp", "CXX", "c++", "CXXFLAGS" },
        { ".cxx", "CXX", "c++", "CXXFLAGS" },
        { ".c++", "CXX", "c++", "CXXFLAGS" },
        { ".C", "CXX", "c++", "CXXFLAGS" },
};

static const char *file_name(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

static const Language *language_of(const char *path) {
        const char *suffix = strrchr(file_name(path), '.');

        for (size_t i = 0; suffix && i < N_ELEMENTS(languages); i++)
                if (strcmp(languages[i].suffix, suffix) == 0)
                        return &languages[i];
        return NULL;
}

/* True if the file begins as a compiled one does, whatever its name. Nothing is taken from a pipe. */
static bool is_compiled(const char *path) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        char magic[SELFMAG];

        return fd >= 0 && pread(fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

bool compile_takes(const char *path) {
        return language_of(path) && !is_compiled(path);
}

/* ---- the cache */

/* Removes modules that were last made long before @now, a time of day, and what a compiler that was killed left. */
static void cache_sweep(int cache_fd, time_t now) {
        DIR *directory = fdopendir(fcntl(cache_fd, F_DUPFD_CLOEXEC, 0));
        struct dirent *entry;
        struct stat status;

        if (!directory)
                return;
        while ((entry = readdir(directory)))
                if (fstatat(cache_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
                                status.st_mtim.tv_sec + CACHE_UNUSED_S < now)
                        (void)unlinkat(cache_fd, entry->d_name, 0);
        closedir(directory);
}

static int cache_open(char ret_path[static PATH_MAX]) {
        _cleanup_(fd_closep) int fd = user_directory_open(USER_DIRECTORY_CACHE, "modules", true);
        char link[64];
        ssize_t n;

        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        n = fd >= 0 && faccessat(fd, ".", W_OK, AT_EACCESS) == 0 ? readlink(link, ret_path, PATH_MAX - 1) : -1;
        if (n < 0) {
                complain("There is no directory of your own for the compiled module.");
                complain_hint("Name one that you may write to: XDG_CACHE_HOME=DIRECTORY benchctl ...");
                return EXIT_MACHINE;
        }
        ret_path[n] = '\0';
        cache_sweep(fd, time(NULL));
        return 0;
}

/* FNV-1a, 64 bits, of @text and its end, on top of @hash. */
static uint64_t hash_add(uint64_t hash, const char *text) {
        do
                hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
        while (*text++);
        return hash;
}

/* One source has one module for each command that compiles it. */
static int cache_name(const char *cache, const char *path, const Command *command, char **ret_name) {
        _cleanup_(freep) char *real = realpath(path, NULL);
        const char *name = file_name(path);
        uint64_t hash = hash_add(0xcbf29ce484222325, real ? real : path);

        for (size_t i = 0; i < command->n; i++)
                hash = hash_add(hash, command->words[i]);
        if (asprintf(ret_name, "%s/%.*s-%016" PRIx64 ".so", cache, (int)(strrchr(name, '.') - name), name, hash) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

/* ---- the compiler */

/* Tells the compiler where benchd/bench.h is, unless it looks there anyway. */
static int add_include(Command *command) {
        char path[PATH_MAX], option[PATH_MAX + 2];

        if (program_find(PROGRAM_HEADER, path) != 0)
                return 0; /* the compiler says what it cannot find */
        *strrchr(path, '/') = '\0';
        *strrchr(path, '/') = '\0';
        if (strcmp(path, "/usr/include") == 0 || strcmp(path, "/usr/local/include") == 0)
                return 0;
        snprintf(option, sizeof option, "-I%s", path);
        return command_add(command, option) ? EXIT_MACHINE : 0;
}

static int add_words(Command *command, const char *const *words) {
        for (; *words; words++)
                if (command_add(command, *words))
                        return EXIT_MACHINE;
        return 0;
}

/* The command without the file that it makes. */
static int compiler_command(const Language *language, const char *path, Command *command) {
        int r;

        r = command_add_variable(command, language->variable, language->compiler);
        if (r == 0)
                r = add_words(command, (const char *const[]){ "-O2", "-g", "-shared", "-fPIC", NULL });
        if (r == 0)
                r = add_include(command);
        if (r == 0)
                r = command_add_variable(command, language->flags, NULL);
        if (r == 0)
                r = command_add_file(command, path) ? EXIT_MACHINE : 0;
        return r ? r : command_add_variable(command, "LDLIBS", "-lm");
}

static int compiler_failed(const Language *language, const Command *command, const char *path, int status) {
        if (interrupt_came())
                return EXIT_CANCELLED;
        if (status < 0) {
                complain("Cannot run the compiler %s: %s.", command->words[0], benchd_error_string(status));
                complain_hint("Install one (Debian: apt install gcc g++), or name yours: %s=PROGRAM benchctl ...",
                                language->variable);
                return EXIT_MACHINE;
        }
        complain("%s does not compile: the lines above are the compiler's.", path);
        return EXIT_BENCHMARK;
}

/* Compiles into @draft, which takes the name @module at the end; the command is shown with that. */
static int compile_into(const Language *language, const char *path, Command *command, const char *draft,
                const char *module) {
        char **output;
        int r;

        r = add_words(command, (const char *const[]){ "-o", module, NULL });
        if (r)
                return r;
        command_show(command);
        output = &command->words[command->n - 1];
        free(*output);
        *output = strdup(draft);
        r = *output ? command_run(command, false) : -ENOMEM;
        if (r)
                return compiler_failed(language, command, path, r);
        if (rename(draft, module) < 0) {
                complain("Cannot write %s: %s.", module, benchd_error_string(-errno));
                return EXIT_MACHINE;
        }
        return 0;
}

int compile_module(const char *path, char **ret_module) {
        _cleanup_(command_clear) Command command = {};
        _cleanup_(freep) char *module = NULL;
        const Language *language = language_of(path);
        char cache[PATH_MAX], draft[PATH_MAX + 32];
        int r;

        r = cache_open(cache);
        if (r == 0)
                r = compiler_command(language, path, &command);
        if (r)
                return r;
        if (cache_name(cache, path, &command, &module)) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        snprintf(draft, sizeof draft, "%s/%d.draft", cache, getpid());
        r = compile_into(language, path, &command, draft, module);
        if (r) {
                (void)unlink(draft);
                return r;
        }
        *ret_module = take_pointer(module);
        return 0;
}
