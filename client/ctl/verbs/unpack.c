/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verbs/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/built-in.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/installed.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/fd.h"
#include "util/file-draft.h"
#include "util/text-stream.h"

/* ---- files */

typedef struct Unpacking {
        const BuiltIn *built_in;
        const char *directory;
        int fd; /* of the directory */
        size_t n_written;
} Unpacking;

static int write_failed(const Unpacking *unpacking, const char *name, int r) {
        complain("Cannot write %s/%s: %s.", unpacking->directory, name, benchd_error_string(r));
        return EXIT_USAGE;
}

/* True if the file @name has @text and nothing else. */
static bool has_text(int directory_fd, const char *name, const char *text) {
        _cleanup_(fd_closep) int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        const size_t n = strlen(text);
        _cleanup_(freep) char *found = malloc(n + 1);
        size_t n_found = 0;
        ssize_t n_read;

        if (fd < 0 || !found)
                return false;
        while (n_found <= n && (n_read = read(fd, found + n_found, n + 1 - n_found)) > 0)
                n_found += (size_t)n_read;
        return n_found == n && memcmp(found, text, n) == 0;
}

static int write_file(Unpacking *unpacking, const char *name, const char *text) {
        _cleanup_(file_draft_clear) FileDraft draft = FILE_DRAFT_NONE;
        int r;

        r = file_draft_open_at(unpacking->fd, name, 0666, true, &draft);
        if (r == 0)
                r = file_draft_write(&draft, text, strlen(text));
        if (r == FILE_DRAFT_E_EXISTS) {
                if (!has_text(unpacking->fd, name, text))
                        complain("%s/%s exists already with other contents, and was left unchanged.",
                                        unpacking->directory, name);
                return 0;
        }
        if (r)
                return write_failed(unpacking, name, r);
        unpacking->n_written++;
        return 0;
}

/* ---- the Makefile and the README */

/* False for an empty or a hidden name, which only a foreign module has: its file is skipped. */
static bool is_file_name(const char *name) {
        return *name && *name != '.';
}

static const char makefile_rules[] = "\n"
                                     "SOURCES := $(wildcard *.c *.cc)\n"
                                     "HEADERS := $(wildcard *.h)\n"
                                     "MODULES := $(addsuffix .so,$(basename $(SOURCES)))\n"
                                     "OBJECTS := $(addsuffix .o,$(basename $(SOURCES)))\n"
                                     "\n"
                                     "# Each source as a separate module.\n"
                                     "all: $(MODULES)\n"
                                     "\n"
                                     "%.so: %.c $(HEADERS)\n"
                                     "\t$(CC) $(CPPFLAGS) $(CFLAGS) -shared -fPIC $< -o $@ $(LDFLAGS) $(LDLIBS)\n"
                                     "\n"
                                     "%.so: %.cc $(HEADERS)\n"
                                     "\t$(CXX) $(CPPFLAGS) $(CXXFLAGS) -shared -fPIC $< -o $@ $(LDFLAGS) $(LDLIBS)\n"
                                     "\n"
                                     "# All of them as one module, as benchd has them.\n"
                                     "suites.so: $(OBJECTS)\n"
                                     "\t$(if $(wildcard *.cc),$(CXX),$(CC)) -shared $^ -o $@ $(LDFLAGS) $(LDLIBS)\n"
                                     "\n"
                                     "%.o: %.c $(HEADERS)\n"
                                     "\t$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -c $< -o $@\n"
                                     "\n"
                                     "%.o: %.cc $(HEADERS)\n"
                                     "\t$(CXX) $(CPPFLAGS) $(CXXFLAGS) -fPIC -c $< -o $@\n"
                                     "\n"
                                     "clean:\n"
                                     "\trm -f $(MODULES) $(OBJECTS) suites.so\n"
                                     "\n"
                                     ".PHONY: all clean\n";

static void print_include(FILE *out) {
        char path[PATH_MAX];

        if (installed_find(INSTALLED_HEADER, path) != 0)
                return;
        *strrchr(path, '/') = '\0';
        *strrchr(path, '/') = '\0';
        if (strcmp(path, "/usr/include") != 0 && strcmp(path, "/usr/local/include") != 0)
                fprintf(out, " -I%s", path);
}

/* The libraries that the built-in module was linked with; each module uses the ones it needs. */
static void print_libraries(const EmbeddedSources *sources, FILE *out) {
        const char *name;

        for (size_t i = 0; (name = embedded_library_at(sources, i)); i++)
                if (strncmp(name, "libc.so", 7) != 0 && strncmp(name, "ld-linux", 8) != 0)
                        fprintf(out, " -l:%s", name);
}

static void print_makefile(const Unpacking *unpacking, FILE *out) {
        fprintf(out,
                        "# The built-in benchmarks of benchd %s. 'make' builds each source as a module, 'make suites.so' all as one.\n\n"
                        "CPPFLAGS += -D_GNU_SOURCE",
                        BENCHD_VERSION);
        print_include(out);
        fprintf(out, "\nCFLAGS ?= -O2 -g -std=gnu17\nCXXFLAGS ?= -O2 -g -std=gnu++17\nLDLIBS += -Wl,--as-needed -lm");
        print_libraries(built_in_sources(unpacking->built_in), out);
        fprintf(out, "\n%s", makefile_rules);
}

/* Each source with a line on what it measures. A file's name but for its suffix is its area. */
static void print_readme(const Unpacking *unpacking, FILE *out) {
        const EmbeddedSource *source;

        fprintf(out, "These are sources of the benchmarks that come with benchd %s, and what each measures:\n\n",
                        BENCHD_VERSION);
        for (size_t i = 0; (source = embedded_source_at(built_in_sources(unpacking->built_in), i)); i++) {
                char about[EMBEDDED_ABOUT_MAX];

                if (is_file_name(source->name))
                        fprintf(out, "  %-19s %s\n", source->name, embedded_source_about(source, about) ? about : "");
        }
        fputs("\nThe area of a file is its name without .c. 'benchctl list AREA' has a line on each of its benchmarks, 'benchctl run AREA'\n"
              "measures them. Change what you like, and then:\n\n"
              "  make                                   builds each source as a separate module\n"
              "  benchctl run ./AREA.so                 measures one\n"
              "  benchctl compare OLD.so ./AREA.so      measures two versions in turns\n"
              "  benchctl edit AREA/BENCHMARK           opens a benchmark in your editor and builds it anew\n"
              "\n'benchctl run AREA' still measures what is built in. A file that is deleted here is written again by\n"
              "'benchctl unpack'; one that was changed is kept.\n",
                        out);
}

static int write_printed(Unpacking *unpacking, const char *name, void (*print)(const Unpacking *unpacking, FILE *out)) {
        _cleanup_(text_stream_clear) TextStream text = {};
        print(unpacking, text_stream_open(&text));
        if (text_stream_close(&text) < 0)
                return write_failed(unpacking, name, -ENOMEM);
        return write_file(unpacking, name, text.text);
}

/* ---- sources */

static bool is_wanted(const EmbeddedSource *source, const SettingsWords *areas) {
        char area[EMBEDDED_AREA_MAX];

        if (areas->n == 0 || !embedded_source_area(source, area))
                return true;
        for (size_t i = 0; i < areas->n; i++)
                if (strcmp(areas->words[i], area) == 0)
                        return true;
        return false;
}

static int write_sources(Unpacking *unpacking, const SettingsWords *areas) {
        const EmbeddedSource *source;
        int r = 0;

        for (size_t i = 0; r == 0 && (source = embedded_source_at(built_in_sources(unpacking->built_in), i)); i++)
                if (is_file_name(source->name) && is_wanted(source, areas))
                        r = write_file(unpacking, source->name, source->text);
        return r;
}

int unpack_areas(const BuiltIn *built_in, const char *directory, const SettingsWords *areas, size_t *ret_n_written) {
        Unpacking unpacking = { .built_in = built_in, .directory = directory, .fd = -1 };
        int r;

        if (!built_in_knows_areas(built_in)) {
                complain("%s carries no sources.", built_in_path(built_in));
                return EXIT_USAGE;
        }
        if (mkdir(directory, 0777) < 0 && errno != EEXIST) {
                complain("Cannot make the directory %s: %s.", directory, benchd_error_string(-errno));
                return EXIT_USAGE;
        }
        unpacking.fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (unpacking.fd < 0) {
                complain("Cannot write to %s: %s.", directory, benchd_error_string(-errno));
                return EXIT_USAGE;
        }
        r = write_sources(&unpacking, areas);
        if (r == 0)
                r = write_printed(&unpacking, "Makefile", print_makefile);
        if (r == 0)
                r = write_printed(&unpacking, "README", print_readme);
        fd_close(unpacking.fd);
        *ret_n_written = unpacking.n_written;
        return r;
}
