/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/compile.h"

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
#include "ctl/ask/module-parts.h"
#include "ctl/ask/relink.h"
#include "ctl/base/command.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/installed.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/user-directory.h"
#include "util/cleanup.h"
#include "util/fd.h"
#include "util/file-draft.h"
#include "util/file-name.h"

#define CACHE_UNUSED_S   (30 * 24 * 3600)      /* a module not rebuilt for this long is removed */
#define HASH_BEGIN       0xcbf29ce484222325ull /* FNV-1a, 64 bits */
#define COMPILE_NAME_MAX 128                   /* bytes of a source's name in that of its object */

/* ---- languages */

typedef enum LanguageKind {
        LANGUAGE_SOURCE,    /* C or C++, which benchmarks are written in */
        LANGUAGE_ASSEMBLER, /* compiled as they are */
        LANGUAGE_OBJECT,    /* only linked */
        LANGUAGE_ARCHIVE,   /* ... where something before it needs it */
} LanguageKind;

typedef struct Language {
        const char *suffix;
        const char *variable; /* that names the compiler */
        const char *compiler;
        const char *flags; /* the variable that has more options */
        LanguageKind kind;
} Language;

static const Language languages[] = {
        { ".c", "CC", "cc", "CFLAGS", LANGUAGE_SOURCE },
        { ".cc", "CXX", "c++", "CXXFLAGS", LANGUAGE_SOURCE },
        { ".cpp", "CXX", "c++", "CXXFLAGS", LANGUAGE_SOURCE },
        { ".cxx", "CXX", "c++", "CXXFLAGS", LANGUAGE_SOURCE },
        { ".c++", "CXX", "c++", "CXXFLAGS", LANGUAGE_SOURCE },
        { ".C", "CXX", "c++", "CXXFLAGS", LANGUAGE_SOURCE },
        { ".s", "CC", "cc", "CFLAGS", LANGUAGE_ASSEMBLER },
        { ".S", "CC", "cc", "CFLAGS", LANGUAGE_ASSEMBLER },
        { ".o", "CC", "cc", "CFLAGS", LANGUAGE_OBJECT },
        { ".a", "CC", "cc", "CFLAGS", LANGUAGE_ARCHIVE },
};

static bool is_compiled(const Language *language) {
        return language->kind == LANGUAGE_OBJECT || language->kind == LANGUAGE_ARCHIVE;
}

static const Language *language_of(const char *path) {
        const char *suffix = strrchr(file_name_of(path), '.');

        for (size_t i = 0; suffix && i < N_ELEMENTS(languages); i++)
                if (strcmp(languages[i].suffix, suffix) == 0)
                        return &languages[i];
        return NULL;
}

/* True if the file begins as a module does, whatever its name; what is named as an object may be one. Nothing is taken from a pipe. */
static bool is_module(const char *path, const Language *language) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        Elf64_Ehdr head;

        return fd >= 0 && pread(fd, &head, sizeof head, 0) == sizeof head &&
               memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && (!is_compiled(language) || head.e_type == ET_DYN);
}

bool compile_takes(const char *path) {
        const Language *language = language_of(path);

        return language && !is_module(path, language);
}

bool compile_is_source(const char *path) {
        return compile_takes(path) && language_of(path)->kind == LANGUAGE_SOURCE;
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

/* Returns a descriptor, or -1, having said why. */
static int cache_open(char ret_path[static PATH_MAX]) {
        int fd = user_directory_find(USER_DIRECTORY_CACHE, "modules", ret_path);

        if (fd < 0) {
                complain("There is no directory of your own for the compiled module.");
                complain_hint("Name one that you may write to: XDG_CACHE_HOME=DIRECTORY benchctl ...");
                return -1;
        }
        cache_sweep(fd, time(NULL));
        return fd;
}

/* The hash of @text and its end, on top of @hash. */
static uint64_t hash_add(uint64_t hash, const char *text) {
        do
                hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
        while (*text++);
        return hash;
}

/* The hash of a module: of its files, and of all that makes it. */
static uint64_t hash_add_file(uint64_t hash, const char *path) {
        _cleanup_(freep) char *real = realpath(path, NULL);

        return hash_add(hash, real ? real : path);
}

static uint64_t hash_add_words(uint64_t hash, const Command *command) {
        for (size_t i = 0; i < command->n; i++)
                hash = hash_add(hash, command->words[i]);
        return hash;
}

/* The module that has the name of the file @path in the directory @cache. */
static int cache_name(uint64_t hash, const char *cache, const char *path, char **ret_name) {
        const char *name = file_name_of(path);

        if (asprintf(ret_name, "%s/%.*s-%016" PRIx64 ".so", cache, (int)(strrchr(name, '.') - name), name, hash) < 0) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        return 0;
}

/* ---- the commands */

/* Tells the compiler where benchd/bench.h is, unless it looks there anyway. */
static int add_include(Command *command) {
        char path[PATH_MAX], option[PATH_MAX + 2];

        if (installed_find(INSTALLED_HEADER, path) != 0)
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

static const char *const to_module[] = { "-O2", "-g", "-shared", "-fPIC", NULL };
static const char *const to_object[] = { "-O2", "-g", "-fPIC", "-c", NULL };
static const char *const to_functions[] = { "-O2", "-g", "-fPIC", "-ffunction-sections", "-c", NULL };

/* The compiler with @options and the user's options, without a file. */
static int add_compiler(Command *command, const Language *language, const char *const *options) {
        int r;

        r = command_add_variable(command, language->variable, language->compiler);
        if (r == 0)
                r = add_words(command, options);
        if (r == 0)
                r = add_include(command);
        return r ? r : command_add_variable(command, language->flags, NULL);
}

static int add_file(Command *command, const char *path) {
        return command_add_file(command, path) ? EXIT_MACHINE : 0;
}

static int add_libraries(Command *command) {
        return command_add_variable(command, "LDLIBS", "-lm");
}

static int cannot_run(const Language *language, const Command *command, int error) {
        complain("Cannot run the compiler %s: %s.", command->words[0], benchd_error_string(error));
        complain_hint("Install one (Debian: apt install gcc g++), or name yours: %s=PROGRAM benchctl ...",
                        language->variable);
        return EXIT_MACHINE;
}

/*
 * Runs @command, which writes @draft, and shows it with @output in its place (NULL: is silent). Returns 0, an exit code, having said what is
 * wrong, or -1: the command has said why it fails.
 */
static int run_command(Command *command, const Language *language, const char *draft, const char *output) {
        char **last;
        int r;

        r = add_words(command, (const char *const[]){ "-o", output ? output : draft, NULL });
        if (r)
                return r;
        if (output)
                command_show(command);
        last = &command->words[command->n - 1];
        free(*last);
        *last = strdup(draft);
        r = *last ? command_run(command, false) : -ENOMEM;
        if (r && interrupt_came())
                return EXIT_CANCELLED;
        if (r < 0)
                return cannot_run(language, command, r);
        return r ? -1 : 0;
}

/* ---- one file */

static int compile_one(const char *path, const char *cache, const char *draft, char **ret_module) {
        _cleanup_(command_clear) Command command = {};
        _cleanup_(freep) char *module = NULL;
        const Language *language = language_of(path);
        uint64_t hash;
        int r;

        r = add_compiler(&command, language, to_module);
        if (r == 0)
                r = add_file(&command, path);
        if (r == 0)
                r = add_libraries(&command);
        if (r)
                return r;
        hash = hash_add_words(hash_add_file(HASH_BEGIN, path), &command);
        r = cache_name(hash, cache, path, &module);
        if (r == 0)
                r = run_command(&command, language, draft, module);
        if (r < 0) {
                complain("%s does not %s: the lines above are the compiler's.", path,
                                is_compiled(language) ? "link" : "compile");
                return EXIT_BENCHMARK;
        }
        *ret_module = take_pointer(module);
        return r;
}

/* ---- several files */

/* The files of a module on their way to it. */
typedef struct Build {
        const ModuleParts *parts;
        const char *name;          /* of the module, in messages */
        const char *draft;         /* of the module; the names of objects begin with it */
        const CompileLinks *links; /* NULL: it is linked once */
        char **objects;            /* one a part: it, or what it was compiled to; NULL: not yet */
        uint64_t hash;
} Build;

/* Removes the objects that were made. */
static void build_clear(Build *build) {
        for (size_t i = 0; build->objects && i < build->parts->n; i++) {
                if (build->objects[i] && strcmp(build->objects[i], build->parts->paths[i]) != 0)
                        (void)unlink(build->objects[i]);
                free(build->objects[i]);
        }
        free(build->objects);
}

/* Compiles part @i, unless it is compiled. */
static int build_object(Build *build, size_t i) {
        _cleanup_(command_clear) Command command = {};
        const char *path = build->parts->paths[i];
        const Language *language = language_of(path);
        int r;

        build->hash = hash_add_file(build->hash, path);
        if ((is_compiled(language) ? asprintf(&build->objects[i], "%s", path)
                                   : asprintf(&build->objects[i], "%s.%zu.%.*s.o", build->draft, i + 1,
                                                     COMPILE_NAME_MAX, file_name_of(path))) < 0) {
                build->objects[i] = NULL;
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        if (is_compiled(language))
                return 0;
        r = add_compiler(&command, language, build->links ? to_functions : to_object);
        if (r == 0)
                r = add_file(&command, path);
        if (r)
                return r;
        build->hash = hash_add_words(build->hash, &command);
        r = run_command(&command, language, build->objects[i], build->objects[i]);
        if (r >= 0)
                return r;
        complain("%s does not compile: the lines above are the compiler's.", path);
        return EXIT_BENCHMARK;
}

/* The linker takes from an archive what the objects before it lack, so archives come last. The first object is that of part @first. */
static int add_objects(Command *command, const Build *build, char *const *objects, size_t first) {
        const size_t n = build->parts->n;
        int r = 0;

        for (int archives = 0; archives < 2; archives++)
                for (size_t i = 0; r == 0 && i < n; i++) {
                        const size_t k = archives ? i : (first + i) % n;

                        if ((language_of(build->parts->paths[k])->kind == LANGUAGE_ARCHIVE) == archives)
                                r = add_file(command, objects[k]);
                }
        return r;
}

/* The language whose compiler links: C++ where a part is in it, since that knows the libraries of both. */
static const Language *build_linker(const Build *build) {
        const Language *linker = &languages[0];

        for (size_t i = 0; i < build->parts->n; i++) {
                const Language *language = language_of(build->parts->paths[i]);

                if (strcmp(language->variable, "CXX") == 0)
                        linker = language;
        }
        return linker;
}

/* The command that links @objects, from @first on; @hash has what it adds to that of the module. */
static int build_link_command(const Build *build, char *const *objects, size_t first, Command *command,
                uint64_t *hash) {
        _cleanup_(command_clear) Command libraries = {};
        int r;

        r = add_compiler(command, build_linker(build), to_module);
        if (r == 0)
                r = add_libraries(&libraries);
        if (r)
                return r;
        *hash = hash_add_words(hash_add_words(*hash, command), &libraries);
        r = add_objects(command, build, objects, first);
        for (size_t i = 0; r == 0 && i < libraries.n; i++)
                r = command_add(command, libraries.words[i]) ? EXIT_MACHINE : 0;
        return r;
}

static int build_link(Build *build, const char *cache, char **ret_module) {
        _cleanup_(command_clear) Command command = {};
        _cleanup_(freep) char *module = NULL;
        int r;

        r = build_link_command(build, build->objects, 0, &command, &build->hash);
        if (r)
                return r;
        r = cache_name(build->hash, cache, build->parts->paths[0], &module);
        if (r == 0)
                r = run_command(&command, build_linker(build), build->draft, module);
        if (r < 0 && build->parts->n == 1) {
                complain("%s does not link: the lines above are the linker's.", build->name);
                return EXIT_BENCHMARK;
        }
        if (r < 0) {
                complain("%s do not link to one module: the lines above are the linker's.", build->name);
                complain_hint("To make each file a separate module: --separate. To link a library: LDLIBS=-lNAME");
                return EXIT_BENCHMARK;
        }
        *ret_module = take_pointer(module);
        return r;
}

/* Links @objects in place of those of the build, from number @first on. */
static int build_link_again(void *userdata, char *const *objects, size_t first, const char *output) {
        _cleanup_(command_clear) Command command = {};
        const Build *build = userdata;
        uint64_t hash = 0;
        int r;

        r = build_link_command(build, objects, first, &command, &hash);
        if (r == 0)
                r = run_command(&command, build_linker(build), output, NULL);
        if (r >= 0)
                return r;
        complain("%s does not link in another order: the lines above are the linker's.", build->name);
        complain_hint("To link it once: --links=1");
        return EXIT_BENCHMARK;
}

/* Adds the links in other orders to the draft. */
static int build_relink(Build *build) {
        const Relink relink = {
                .objects = build->objects,
                .n_objects = build->parts->n,
                .prefix = build->draft,
                .name = build->name,
                .linker = build_link_again,
                .userdata = build,
                .n_links = build->links->n,
                .seed = build->links->seed + build->links->side,
        };
        uint32_t n_links;
        int r;

        r = relink_add(&relink, build->draft, &n_links);
        if (r == 0 && n_links == 1)
                fprintf(stderr, "(linked once: its objects have no two functions in sections of their own)\n");
        if (r == 0 && n_links > 1)
                fprintf(stderr, "(linked %" PRIu32 " times, each time with its functions in another order)\n", n_links);
        return r;
}

static int compile_several(const ModuleParts *parts, const char *name, const CompileLinks *links, const char *cache,
                const char *draft, char **ret_module) {
        _cleanup_(build_clear) Build build = { .parts = parts,
                .name = name,
                .draft = draft,
                .links = links,
                .hash = links && links->side > 0 ? hash_add(HASH_BEGIN, "other side") : HASH_BEGIN };
        int r = 0;

        build.objects = calloc(parts->n, sizeof *build.objects);
        if (!build.objects) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        for (size_t i = 0; r == 0 && i < parts->n; i++)
                r = build_object(&build, i);
        if (r == 0)
                r = build_link(&build, cache, ret_module);
        return r || !links ? r : build_relink(&build);
}

/* ---- either */

/* The draft is created before the compiler replaces it, so its name is ours. The final name depends on how it is compiled. */
static int draft_open(FileDraft *draft, char cache[static PATH_MAX], char **ret_path) {
        _cleanup_(fd_closep) int cache_fd = cache_open(cache);
        int r;

        if (cache_fd < 0)
                return EXIT_MACHINE;
        r = file_draft_open_at(cache_fd, "module.so", 0666, false, draft);
        if (r == 0)
                r = file_draft_begin(draft);
        if (r == 0 && asprintf(ret_path, "%s/%s", cache, draft->name) < 0) {
                *ret_path = NULL;
                r = -ENOMEM;
        }
        if (r == 0)
                return 0;
        complain("Cannot write to %s: %s.", cache, benchd_error_string(r));
        return EXIT_MACHINE;
}

int compile_module(const ModuleParts *parts, const char *name, const CompileLinks *links, char **ret_module) {
        _cleanup_(file_draft_clear) FileDraft draft = FILE_DRAFT_NONE;
        _cleanup_(freep) char *module = NULL, *draft_path = NULL;
        char cache[PATH_MAX];
        int r;

        r = draft_open(&draft, cache, &draft_path);
        if (r)
                return r;
        r = parts->n == 1 && !links ? compile_one(parts->paths[0], cache, draft_path, &module)
                                    : compile_several(parts, name, links, cache, draft_path, &module);
        if (r)
                return r;
        r = file_draft_call(&draft, file_name_of(module));
        if (r == 0)
                r = file_draft_commit(&draft);
        if (r) {
                complain("Cannot write %s: %s.", module, benchd_error_string(r));
                return EXIT_MACHINE;
        }
        *ret_module = take_pointer(module);
        return 0;
}
