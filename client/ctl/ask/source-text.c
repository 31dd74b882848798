/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/source-text.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl/ask/source-places.h"
#include "ctl/ask/source-span.h"
#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define SOURCE_BYTES_MAX (4u << 20) /* of a file */

static int64_t changed_ns(const struct stat *status) {
        return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

int64_t source_changed_ns(const char *path) {
        struct stat status;

        return stat(path, &status) == 0 ? changed_ns(&status) : 0;
}

/* The whole text of the file @fd; NULL where it is not one of text that can be read, which is an answer. */
static char *read_text(int fd, int64_t *ret_changed_ns) {
        _cleanup_(freep) char *text = NULL;
        struct stat status;
        size_t n;

        if (fstat(fd, &status) < 0 || status.st_size > SOURCE_BYTES_MAX)
                return NULL;
        text = malloc((size_t)status.st_size + 1);
        if (!text || fd_try_read_start(fd, text, (size_t)status.st_size, &n) != 0)
                return NULL;
        text[n] = '\0';
        if (strlen(text) != n)
                return NULL;
        *ret_changed_ns = changed_ns(&status);
        return take_pointer(text);
}

/* A text that is not UTF-8 gets question marks for all but ASCII. */
static json_t *text_json(char *text) {
        json_t *json = json_string(text);

        for (char *c = text; !json && *c; c++)
                *c = (unsigned char)*c < 0x80 ? *c : '?';
        return json ? json : json_string(text);
}

/* A file was found by its path, or by a relative name, which is right if its line names the benchmark. */
typedef struct SourceWanted {
        const char *benchmark; /* NULL: any file will do */
        size_t line;
} SourceWanted;

static bool has_wanted(const char *text, const SourceWanted *wanted) {
        size_t n;
        const char *line = wanted->benchmark ? source_line(text, wanted->line, &n) : text;

        return !wanted->benchmark || (line && memmem(line, n, wanted->benchmark, strlen(wanted->benchmark)));
}

static int set_text(json_t *source, char *text, const char *path, bool changed) {
        if (json_object_set_new(source, "text", text_json(text)) < 0 ||
                        json_object_set_new(source, "path", json_string(path)) < 0 ||
                        json_object_set_new(source, "first_line", json_integer(1)) < 0 ||
                        json_object_set_new(source, "origin", json_string("file")) < 0 ||
                        json_object_set_new(source, "changed", json_boolean(changed)) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

/* Takes the text of the file at @path if it is there below @places, and the one that is wanted. */
static int try_file(json_t *source, const SourcePlaces *places, const char *path, const SourceWanted *wanted,
                const SourceModule *module) {
        _cleanup_(fd_closep) int fd = -1;
        _cleanup_(freep) char *text = NULL;
        int64_t file_changed_ns;
        int r;

        r = source_places_open(places, path, &fd);
        if (r == SOURCE_PLACES_E_OUTSIDE && !json_object_get(source, "outside"))
                return json_object_set_new(source, "outside", json_string(path)) < 0 ? error_origin(-ENOMEM) : 0;
        if (r)
                return r > 0 ? 0 : error_trace(r);
        text = read_text(fd, &file_changed_ns);
        if (!text || !has_wanted(text, wanted))
                return 0;
        return error_trace(set_text(source, text, path, module->made_ns > 0 && file_changed_ns > module->made_ns));
}

/* A file of this directory, into which the user went, or below it. */
static int try_here(json_t *source, const char *name, const SourceWanted *wanted, const SourceModule *module) {
        _cleanup_(source_places_freep) SourcePlaces *here = NULL;
        int r;

        r = source_places_new(&here);
        if (r == 0)
                r = source_places_add_beside(here, "./", getenv("HOME"));
        return r ? error_trace(r) : error_trace(try_file(source, here, name, wanted, module));
}

static int try_below(json_t *source, const char *directory, size_t n_directory, const char *name,
                const SourceWanted *wanted, const SourceModule *module) {
        char path[PATH_MAX];

        if (json_text_at(source, "text") ||
                        snprintf(path, sizeof path, "%.*s/%s", (int)n_directory, directory, name) >= PATH_MAX)
                return 0;
        return error_trace(try_file(source, module->places, path, wanted, module));
}

/* A relative name, where the path is not known or no longer right: of a file in a directory that was named, beside the module, or here. */
static int try_name(json_t *source, const char *name, const SourceWanted *wanted, const SourceModule *module) {
        const char *slash = module->path ? strrchr(module->path, '/') : NULL, *directory;
        int r = 0;

        for (size_t i = 0; r == 0 && (directory = source_places_named_at(module->places, i)); i++)
                r = try_below(source, directory, strlen(directory), name, wanted, module);
        if (r == 0 && slash)
                r = try_below(source, module->path, (size_t)(slash - module->path), name, wanted, module);
        if (r == 0 && !json_text_at(source, "text"))
                r = try_here(source, name, wanted, module);
        return error_trace(r);
}

static int read_source(json_t *source, const SourceWanted *own, const SourceModule *module) {
        static const SourceWanted any = {};
        const char *path = json_text_at(source, "path"), *name = json_text_at(source, "name");
        const bool embedded = json_text_at(source, "text");
        int r = 0;

        if (json_object_set_new(source, "origin", embedded ? json_string("module") : json_null()) < 0 ||
                        json_object_set_new(source, "changed", embedded ? json_false() : json_null()) < 0)
                return error_origin(-ENOMEM);
        if (embedded)
                return 0;
        if (path && *path == '/')
                r = try_file(source, module->places, path, &any, module);
        if (r == 0 && !json_text_at(source, "text") && name && *name == '/')
                r = try_file(source, module->places, name, own, module);
        if (r == 0 && !json_text_at(source, "text") && name)
                r = try_name(source, *name == '/' ? strrchr(name, '/') + 1 : name, own, module);
        if (r == 0 && !json_text_at(source, "text") && name && *name != '/' && strchr(name, '/'))
                r = try_name(source, strrchr(name, '/') + 1, own, module);
        return error_trace(r);
}

/* The list of sources, with the benchmark's own file as the first. */
static json_t *own_sources(json_t *inspection, const json_t *benchmark) {
        json_t *sources = json_object_get(inspection, "sources");

        if (!json_is_array(sources)) {
                sources = json_array();
                json_object_set_new(inspection, "sources", sources);
        }
        if (json_array_size(sources) == 0 && json_text_at(benchmark, "file"))
                json_array_append_new(sources,
                                json_pack("{s:s, s:n, s:n, s:n}", "name", json_text_at(benchmark, "file"), "path",
                                                "text", "first_line"));
        return sources;
}

int source_texts_read(json_t *inspection, const SourceModule *module) {
        const json_t *benchmark = json_array_get(result_rows(inspection), 0);
        json_t *sources = own_sources(inspection, benchmark);
        SourceWanted own = { .benchmark = json_text_at(benchmark, "name") };
        double line;
        int r = 0;

        if (!sources)
                return error_origin(-ENOMEM);
        own.line = json_number_at(benchmark, "line", &line) && line > 0 ? (size_t)line : 0;
        for (size_t i = 0; r == 0 && i < json_array_size(sources); i++)
                r = read_source(json_array_get(sources, i), &own, module);
        return error_trace(r);
}

char *source_text_line(const json_t *source, uint64_t line) {
        const char *text = json_text_at(source, "text"), *at;
        const double first = json_number_or(source, "first_line", 1);
        size_t n;

        if (!text || line < (uint64_t)first)
                return NULL;
        at = source_line(text, line - (uint64_t)first + 1, &n);
        return at ? strndup(at, n) : NULL;
}
