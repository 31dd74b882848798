/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * edit: a benchmark's source in the user's editor, at its line; then it is built, and may be run. A built-in one is first unpacked into a
 * directory of the user. At a terminal, errors of the compiler lead back into the editor.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/benchmark-word.h"
#include "ctl/ask/built-in.h"
#include "ctl/ask/compile.h"
#include "ctl/ask/load.h"
#include "ctl/ask/module-parts.h"
#include "ctl/ask/retry.h"
#include "ctl/ask/source-span.h"
#include "ctl/base/command.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/model/settings.h"
#include "ctl/verbs/unpack.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/file-name.h"
#include "util/nearest.h"
#include "util/text-stream.h"

#define SOURCE_BYTES_MAX (16u << 20)

/* The benchmark that is edited. */
typedef struct Edited {
        char path[PATH_MAX];                /* of its source */
        char name[BENCHMARK_WORD_NAME_MAX]; /* empty: the first of the file */
        const char *directory;              /* that make builds; NULL: the source is compiled by itself */
        ModuleParts parts; /* that the user runs: a module in the directory, or the source and others */
} Edited;

static void edited_clear(Edited *edited) {
        module_parts_clear(&edited->parts);
}

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_MACHINE;
}

/* ---- which */

/* MODULE.c, MODULE.c#BENCHMARK or MODULE.c BENCHMARK; what else the module is made of may follow the first file, which is edited. */
static int find_in_file(const SettingsWords *words, Edited *edited) {
        char first[PATH_MAX];
        const char *benchmark = words->n > 1 ? NULL : benchmark_word_split(words->words[0], first);
        size_t n = 1;
        int r;

        while (n < words->n && module_parts_are_built(words->words[n]))
                n++;
        benchmark = n < words->n ? words->words[n] : benchmark;
        if (benchmark)
                benchmark_word_name(benchmark, edited->name);
        r = module_parts_add(&edited->parts, words->n > 1 ? words->words[0] : first);
        for (size_t i = 1; r == 0 && i < n; i++)
                r = module_parts_add(&edited->parts, words->words[i]);
        if (r)
                return out_of_memory();
        snprintf(edited->path, sizeof edited->path, "%s", edited->parts.paths[0]);
        r = load_check_file(edited->path);
        if (r || compile_is_source(edited->path))
                return r;
        complain("%s is not named as source code in C or C++.", edited->path);
        return EXIT_USAGE;
}

/* The source of the area that has the benchmark, or of any area; without a name the area's first. NULL: none has it. */
static const EmbeddedSource *find_source(const BuiltIn *built_in, const char *area, const char *name, Nearest *nearest,
                char near[static SOURCE_NAME_MAX]) {
        char of_source[EMBEDDED_AREA_MAX], found[SOURCE_NAME_MAX];
        const EmbeddedSource *source;

        for (size_t i = 0; (source = embedded_source_at(built_in_sources(built_in), i)); i++) {
                if (!embedded_source_area(source, of_source) || (*area && strcmp(area, of_source) != 0))
                        continue;
                if (source_find_benchmark(source->text, *name ? name : NULL))
                        return source;
                for (size_t k = 0; source_benchmark_at(source->text, k, found); k++) {
                        nearest_offer(nearest, found);
                        if (nearest->name == found)
                                nearest->name = strcpy(near, found);
                }
        }
        return NULL;
}

static int complain_benchmark(const char *area, const char *name, const char *near) {
        complain("No built-in benchmark is named %s%s%s.", area, *area && *name ? "/" : "", name);
        if (near)
                complain_hint("Did you mean: benchctl edit %s%s%s?", area, *area ? "/" : "", near);
        complain_hint("A file of your own: benchctl edit mybench.c [BENCHMARK]. 'benchctl list' has the built-in ones.");
        return EXIT_USAGE;
}

static int unpack_source(const BuiltIn *built_in, const EmbeddedSource *source, Edited *edited) {
        char area[EMBEDDED_AREA_MAX], module[PATH_MAX];
        const char *word = area;
        size_t n_written;

        if (snprintf(edited->path, sizeof edited->path, "%s/%s", edited->directory, source->name) >= PATH_MAX ||
                        snprintf(module, sizeof module, "%.*s.so", (int)(strrchr(edited->path, '.') - edited->path),
                                        edited->path) >= PATH_MAX) {
                complain("The name of the directory %s is too long.", edited->directory);
                return EXIT_USAGE;
        }
        if (module_parts_add(&edited->parts, module))
                return out_of_memory();
        if (access(edited->path, F_OK) == 0)
                return 0;
        (void)embedded_source_area(source, area);
        return unpack_areas(built_in, edited->directory, &(const SettingsWords){ &word, 1 }, &n_written);
}

/* AREA, AREA/BENCHMARK or BENCHMARK; a directory may follow. */
static int find_built_in(const SettingsWords *words, Edited *edited) {
        _cleanup_(built_in_freep) BuiltIn *built_in = NULL;
        char area[PATH_MAX] = "", near[SOURCE_NAME_MAX];
        const EmbeddedSource *source;
        Nearest nearest = {};
        size_t n_area;

        if (built_in_find(&built_in))
                return built_in_complain();
        n_area = benchmark_word_area(words->words[0]);
        if (n_area == 0 && built_in_has(built_in, words->words[0]))
                n_area = strlen(words->words[0]);
        else
                benchmark_word_name(words->words[0], edited->name);
        snprintf(area, sizeof area, "%.*s", (int)n_area, words->words[0]);
        nearest.word = edited->name;
        edited->directory = words->n > 1 ? words->words[1] : UNPACK_DIRECTORY;
        source = find_source(built_in, area, edited->name, &nearest, near);
        return source ? unpack_source(built_in, source, edited) : complain_benchmark(area, edited->name, nearest.name);
}

/* ---- the editor */

typedef struct Editor {
        const char *name;
        const char *before; /* the file; NULL: nothing */
} Editor;

/* Editors that take FILE:LINE; all others take +LINE, as vi does. */
static const Editor editors_of_lines[] = {
        { "code", "--goto" },
        { "codium", "--goto" },
        { "hx", NULL },
        { "subl", NULL },
        { "zed", NULL },
};

static int editor_add_place(Command *command, const char *path, size_t line) {
        char place[PATH_MAX + 32];

        for (size_t i = 0; i < N_ELEMENTS(editors_of_lines); i++) {
                if (strcmp(file_name_of(command->words[0]), editors_of_lines[i].name) != 0)
                        continue;
                snprintf(place, sizeof place, "%s:%zu", path, line);
                if (editors_of_lines[i].before && command_add(command, editors_of_lines[i].before))
                        return EXIT_MACHINE;
                return command_add_file(command, place) ? EXIT_MACHINE : 0;
        }
        snprintf(place, sizeof place, "+%zu", line);
        return command_add(command, place) || command_add_file(command, path) ? EXIT_MACHINE : 0;
}

/* The line of the benchmark in the file as it is now. Returns 0 or an exit code. */
static int find_line(const Edited *edited, size_t *ret_line) {
        _cleanup_(fd_closep) int fd = open(edited->path, O_RDONLY | O_CLOEXEC);
        _cleanup_(freep) char *text = calloc(1, SOURCE_BYTES_MAX + 1);

        if (fd < 0 || !text || read(fd, text, SOURCE_BYTES_MAX) < 0) {
                complain("Cannot read %s: %s.", edited->path, benchd_error_string(-errno));
                return EXIT_USAGE;
        }
        *ret_line = source_find_benchmark(text, *edited->name ? edited->name : NULL);
        if (*ret_line == 0 && *edited->name) {
                complain("%s holds no BENCH(%s.", edited->path, edited->name);
                return EXIT_USAGE;
        }
        *ret_line += *ret_line == 0; /* the first line of a file that holds none yet */
        return 0;
}

static int edit_file(const Edited *edited) {
        _cleanup_(command_clear) Command command = {};
        const char *visual = getenv("VISUAL");
        size_t line;
        int r;

        r = find_line(edited, &line);
        if (r == 0)
                r = command_add_variable(&command, visual && *visual ? "VISUAL" : "EDITOR", "vi");
        if (r == 0)
                r = editor_add_place(&command, edited->path, line);
        if (r)
                return r;
        r = command_run(&command, true);
        if (r == 0)
                return 0;
        if (r < 0) {
                complain("Cannot run the editor %s: %s.", command.words[0], benchd_error_string(r));
                complain_hint("Name yours: EDITOR=PROGRAM benchctl edit ...");
        } else
                complain("The editor %s ended with code %d, so nothing was built.", command.words[0], r);
        return EXIT_USAGE;
}

/* ---- building and running */

/* Asks @format (without a question mark); an empty answer means yes. False: no, no answer, or no terminal. */
__attribute__((format(printf, 1, 2))) static bool ask(const char *format, ...) {
        va_list arguments;
        char answer[16];

        if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
                return false;
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputs("? [Y/n] ", stderr);
        if (!fgets(answer, sizeof answer, stdin)) {
                fputc('\n', stderr);
                return false;
        }
        return *answer == '\n' || *answer == 'y' || *answer == 'Y';
}

static int make_module(const Edited *edited) {
        static const char *const words[] = { "make", "-C" };
        _cleanup_(command_clear) Command command = {};
        int r = 0;

        for (size_t i = 0; r == 0 && i < N_ELEMENTS(words); i++)
                r = command_add(&command, words[i]);
        if (r == 0)
                r = command_add(&command, edited->directory);
        if (r == 0)
                r = command_add(&command, file_name_of(edited->parts.paths[0]));
        if (r == 0)
                r = command_run(&command, false);
        if (r < 0) {
                complain("Cannot run make: %s.", benchd_error_string(r));
                complain_hint("Install it (Debian: apt install make).");
                return EXIT_MACHINE;
        }
        if (r)
                complain("%s does not compile: the lines above are the compiler's.", edited->path);
        return r ? EXIT_BENCHMARK : 0;
}

static int build(const Edited *edited) {
        _cleanup_(freep) char *module = NULL;

        return edited->directory ? make_module(edited) : load_parts(&edited->parts, NULL, &module);
}

/* The command that runs the benchmark. Returns 0 or a negative errno. */
static int run_command(const Settings *settings, const Edited *edited, Command *command) {
        const char *private = retry_private_option(settings);
        int r;

        r = command_add(command, "benchctl");
        r = r ? r : command_add(command, "run");
        if (r == 0 && *private)
                r = command_add(command, private + 1);
        for (size_t i = 0; r == 0 && i < edited->parts.n; i++)
                r = command_add_file(command, edited->parts.paths[i]);
        if (r || !*edited->name)
                return error_trace(r);
        r = command_add(command, "--");
        return r ? error_trace(r) : error_trace(command_add(command, edited->name));
}

/* As a shell takes it. NULL: memory ran out. */
static char *command_text(const Command *command) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);
        char quoted[HINT_WORD_MAX];

        for (size_t i = 0; i < command->n; i++)
                fprintf(out, "%s%s", i > 0 ? " " : "", hint_quote(command->words[i], quoted));
        return text_stream_take(&text);
}

/* Becomes "benchctl run", if the user wants that; says how otherwise. */
static int offer_run(const Settings *settings, const Edited *edited) {
        _cleanup_(command_clear) Command command = {};
        _cleanup_(freep) char *text = NULL;

        if (run_command(settings, edited, &command))
                return out_of_memory();
        text = command_text(&command);
        if (!text)
                return out_of_memory();
        if (ask("Run it: %s", text)) {
                execv("/proc/self/exe", command.words);
                complain("Cannot run benchctl: %s.", benchd_error_string(-errno));
                return EXIT_MACHINE;
        }
        complain_hint("To run it: %s", text);
        return EXIT_DONE;
}

int verb_edit(const Settings *settings) {
        _cleanup_(edited_clear) Edited edited = {};
        const SettingsWords *words = &settings->arguments;
        const bool in_file = strchr(words->words[0], '.');
        int r;

        r = in_file ? find_in_file(words, &edited) : find_built_in(words, &edited);
        if (r)
                return r;
        do {
                r = edit_file(&edited);
                if (r)
                        return r;
                r = build(&edited);
        } while (r == EXIT_BENCHMARK && ask("Edit it again"));
        return r ? r : offer_run(settings, &edited);
}
