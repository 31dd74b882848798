/* SPDX-License-Identifier: MIT */
#include "lib/library-search.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/system-directories.h"
#include "util/text-stream.h"

#define SEARCH_DIRECTORIES_MAX 64u /* of the system */
#define SEARCH_INCLUDES_MAX    4u  /* nested in ld.so.conf */

struct LibrarySearch {
        char *root;
        char *environment;
        char *directories[SEARCH_DIRECTORIES_MAX];
        size_t n_directories;
};

static const char *const default_directories[] = {
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/lib64",
        "/usr/lib64",
        "/lib",
        "/usr/lib",
};

/* The C library's own: a second copy beside the runner's would be another machine, wherever a path says it lies. */
static const char *const always_system[] = {
        "ld-linux-x86-64.so.2",
        "libc.so.6",
        "libdl.so.2",
        "libm.so.6",
        "libpthread.so.0",
        "librt.so.1",
};

static inline void fclosep(FILE **file) {
        if (*file)
                fclose(*file);
}

/* ---- the system's directories */

static int search_add(LibrarySearch *search, const char *directory) {
        char *copy;

        if (search->n_directories == SEARCH_DIRECTORIES_MAX)
                return 0;
        copy = strdup(directory);
        if (!copy)
                return error_origin(-ENOMEM);
        search->directories[search->n_directories++] = copy;
        return 0;
}

static int search_read_conf(LibrarySearch *search, const char *path, unsigned depth);

/* Reads the files that match @pattern, which is absolute or beside /etc/ld.so.conf. */
static int search_include(LibrarySearch *search, const char *pattern, unsigned depth) {
        _cleanup_(freep) char *path = NULL;
        glob_t matches = {};
        int r = 0;

        if (asprintf(&path, "%s%s%s", search->root, *pattern == '/' ? "" : "/etc/", pattern) < 0)
                return error_origin(-ENOMEM);
        if (glob(path, 0, NULL, &matches) == 0)
                for (size_t i = 0; r == 0 && i < matches.gl_pathc; i++)
                        r = search_read_conf(search, matches.gl_pathv[i], depth + 1);
        globfree(&matches);
        return error_trace(r);
}

/* One line: a directory, "include PATTERN", a comment, or nothing. */
static int search_take_line(LibrarySearch *search, char *line, unsigned depth) {
        char *rest = NULL, *word;

        line[strcspn(line, "#\n")] = '\0';
        word = strtok_r(line, " \t:,", &rest);
        if (!word)
                return 0;
        if (strcmp(word, "include") != 0)
                return error_trace(search_add(search, word));
        while ((word = strtok_r(NULL, " \t", &rest))) {
                int r = search_include(search, word, depth);

                if (r)
                        return error_trace(r);
        }
        return 0;
}

/* A file that is not there, or may not be read, lists nothing. */
static int search_read_conf(LibrarySearch *search, const char *path, unsigned depth) {
        _cleanup_(fclosep) FILE *file = NULL;
        _cleanup_(freep) char *line = NULL;
        size_t n_line = 0;

        if (depth > SEARCH_INCLUDES_MAX)
                return 0;
        file = fopen(path, "re");
        if (!file)
                return 0;
        while (getline(&line, &n_line, file) >= 0) {
                int r = search_take_line(search, line, depth);

                if (r)
                        return error_trace(r);
        }
        return 0;
}

static int search_read_system(LibrarySearch *search) {
        _cleanup_(freep) char *path = NULL;
        int r;

        for (size_t i = 0; i < N_ELEMENTS(default_directories); i++) {
                r = search_add(search, default_directories[i]);
                if (r)
                        return error_trace(r);
        }
        if (asprintf(&path, "%s/etc/ld.so.conf", search->root) < 0)
                return error_origin(-ENOMEM);
        return error_trace(search_read_conf(search, path, 0));
}

int library_search_new(const char *root, const char *environment, LibrarySearch **ret_search) {
        _cleanup_(library_search_freep) LibrarySearch *search = NULL;
        int r;

        search = calloc(1, sizeof *search);
        if (!search)
                return error_origin(-ENOMEM);
        search->root = strdup(root);
        search->environment = strdup(environment ? environment : "");
        if (!search->root || !search->environment)
                return error_origin(-ENOMEM);
        r = search_read_system(search);
        if (r)
                return error_trace(r);
        *ret_search = take_pointer(search);
        return 0;
}

LibrarySearch *library_search_free(LibrarySearch *search) {
        if (!search)
                return NULL;
        for (size_t i = 0; i < search->n_directories; i++)
                free(search->directories[i]);
        free(search->environment);
        free(search->root);
        free(search);
        return NULL;
}

/* ---- paths */

int library_directory(const char *path, char **ret_directory) {
        const char *slash = strrchr(path, '/');
        size_t n = slash == path ? 1 : (size_t)(slash - path);
        char *directory;

        directory = slash ? strndup(path, n) : strdup(".");
        if (!directory)
                return error_origin(-ENOMEM);
        *ret_directory = directory;
        return 0;
}

/* The bytes of the token for $ORIGIN at @text; 0 if there is none. */
static size_t origin_token(const char *text) {
        static const char *const tokens[] = { "$ORIGIN", "${ORIGIN}" };

        for (size_t i = 0; i < N_ELEMENTS(tokens); i++)
                if (strncmp(text, tokens[i], strlen(tokens[i])) == 0)
                        return strlen(tokens[i]);
        return 0;
}

static void print_expanded(const char *paths, const char *origin, FILE *out) {
        while (*paths) {
                size_t n_token = origin_token(paths);

                if (n_token > 0)
                        fputs(origin, out);
                else
                        fputc(*paths, out);
                paths += n_token > 0 ? n_token : 1;
        }
}

int library_paths_expand(const char *paths, const char *origin, char **ret_paths) {
        _cleanup_(text_stream_clear) TextStream expanded = {};

        print_expanded(paths, origin, text_stream_open(&expanded));
        if (text_stream_close(&expanded) < 0)
                return error_origin(-ENOMEM);
        *ret_paths = take_pointer(expanded.text);
        return 0;
}

/* ---- finding */

static bool is_file(const char *path) {
        struct stat status;

        return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Looks for @name in the @n_directory bytes of @directory below @root. Returns 0, E_MISSING or a negative errno. */
static int find_in_directory(const char *root, const char *directory, size_t n_directory, const char *name,
                char **ret_path) {
        _cleanup_(freep) char *path = NULL;

        if (asprintf(&path, "%s%.*s/%s", root, (int)n_directory, directory, name) < 0)
                return error_origin(-ENOMEM);
        if (!is_file(path))
                return LIBRARY_SEARCH_E_MISSING;
        *ret_path = take_pointer(path);
        return 0;
}

/* One that a run sees, too: a directory of ld.so.conf may lie where it sees nothing. */
static bool is_system_directory(const LibrarySearch *search, const char *directory, size_t n_directory) {
        for (size_t i = 0; i < search->n_directories; i++)
                if (strlen(search->directories[i]) == n_directory &&
                                memcmp(search->directories[i], directory, n_directory) == 0)
                        return system_directories_have(search->directories[i]);
        return false;
}

/* A library where it was found. */
typedef struct FoundLibrary {
        char *path;
        bool of_system; /* the runner's loader finds it by itself */
} FoundLibrary;

/* Looks through a list of directories; an empty one is the current directory, as the loader has it. */
static int find_in_paths(const LibrarySearch *search, const char *paths, const char *name, FoundLibrary *ret_found) {
        while (paths && *paths) {
                size_t n = strcspn(paths, ":;");
                int r;

                r = find_in_directory("", n ? paths : ".", n ? n : 1, name, &ret_found->path);
                if (r == 0)
                        ret_found->of_system = is_system_directory(search, paths, n);
                if (r != LIBRARY_SEARCH_E_MISSING)
                        return r;
                paths += n + (paths[n] != '\0');
        }
        return LIBRARY_SEARCH_E_MISSING;
}

static int find_in_system(const LibrarySearch *search, const char *name, FoundLibrary *ret_found) {
        for (size_t i = 0; i < search->n_directories; i++) {
                const char *directory = search->directories[i];
                int r;

                r = find_in_directory(search->root, directory, strlen(directory), name, &ret_found->path);
                if (r == 0)
                        ret_found->of_system = system_directories_have(directory);
                if (r != LIBRARY_SEARCH_E_MISSING)
                        return r;
        }
        return LIBRARY_SEARCH_E_MISSING;
}

/* A name with a slash is a path, which the loader takes from the current directory. */
static int find_as_it_is(const char *name, FoundLibrary *ret_found) {
        if (!is_file(name))
                return LIBRARY_SEARCH_E_MISSING;
        *ret_found = (FoundLibrary){ .path = strdup(name) };
        return ret_found->path ? 0 : error_origin(-ENOMEM);
}

static int find_in_order(const LibrarySearch *search, const char *name, const LibraryAsker *asker,
                FoundLibrary *ret_found) {
        const char *const before[] = { asker->rpath, search->environment, asker->runpath };
        int r;

        for (size_t i = 0; i < N_ELEMENTS(before); i++) {
                r = find_in_paths(search, before[i], name, ret_found);
                if (r != LIBRARY_SEARCH_E_MISSING)
                        return r;
        }
        r = find_in_system(search, name, ret_found);
        if (r != LIBRARY_SEARCH_E_MISSING)
                return r;
        return find_in_paths(search, asker->beside, name, ret_found);
}

int library_search_find(const LibrarySearch *search, const char *name, const LibraryAsker *asker, char **ret_path) {
        FoundLibrary found;
        int r;

        for (size_t i = 0; i < N_ELEMENTS(always_system); i++)
                if (strcmp(always_system[i], name) == 0)
                        return LIBRARY_SEARCH_E_SYSTEM;
        r = strchr(name, '/') ? find_as_it_is(name, &found) : find_in_order(search, name, asker, &found);
        if (r)
                return error_trace(r);
        if (found.of_system) {
                free(found.path);
                return LIBRARY_SEARCH_E_SYSTEM;
        }
        *ret_path = found.path;
        return 0;
}

int library_search_any(const LibrarySearch *search, const char *name, char **ret_path) {
        FoundLibrary found;
        int r;

        r = find_in_order(search, name, &(LibraryAsker){}, &found);
        if (r)
                return error_trace(r);
        *ret_path = found.path;
        return 0;
}
