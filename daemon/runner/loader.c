/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/loader.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runner/report.h"
#include "util/cleanup.h"

#define LOADER_PATH "/proc/self/fd/"

/* The loader's words without the descriptor's path in front, which tells nobody anything. */
static const char *loader_words(const char *path) {
        const char *words = dlerror();

        if (!words)
                return "";
        if (strncmp(words, path, strlen(path)) == 0 && strncmp(words + strlen(path), ": ", 2) == 0)
                return words + strlen(path) + 2;
        return words;
}

void *loader_open(int fd, RunnerEnd end_on_failure, BlockHead *head) {
        char path[32];
        void *handle;

        snprintf(path, sizeof path, LOADER_PATH "%d", fd);
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!handle)
                report_end(head, end_on_failure, "%s", loader_words(path));
        return handle;
}

/* ---- files by their paths */

/* The name in the loader's words of a library that it did not find; NULL if they say something else. */
static char *missing_library(const char *words) {
        const char *end = strstr(words, ": cannot open shared object file: No such file");

        return end && !memchr(words, '/', end - words) ? strndup(words, end - words) : NULL;
}

/*
 * Loads the file called @name in @directory, of @n_directory bytes. A library that the loader does not find is looked for
 * there, as benchctl does when it sends a module; if that loads, the loader is asked again. Returns NULL with its words.
 */
static void *open_beside(const char *directory, size_t n_directory, const char *name, unsigned depth,
                char **ret_words) {
        _cleanup_(freep) char *path = NULL, *words = NULL, *missing = NULL;
        void *handle;

        if (asprintf(&path, "%.*s/%s", (int)n_directory, directory, name) < 0) {
                path = NULL;
                return NULL;
        }
        for (unsigned i = 0; !(handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) && i < RUNNER_LIBRARIES_MAX; i++) {
                free(words);
                words = strdup(loader_words(path));
                free(missing);
                missing = words ? missing_library(words) : NULL;
                if (!missing || depth == RUNNER_LIBRARIES_MAX || strcmp(missing, name) == 0 ||
                                !open_beside(directory, n_directory, missing, depth + 1, NULL))
                        break;
        }
        if (!handle && ret_words)
                *ret_words = take_pointer(words);
        return handle;
}

void *loader_open_file(const char *path, RunnerEnd end_on_failure, BlockHead *head) {
        const char *slash = strrchr(path, '/');
        _cleanup_(freep) char *words = NULL;
        void *handle;

        if (slash)
                handle = open_beside(path, slash - path, slash + 1, 0, &words);
        else
                handle = open_beside(".", 1, path, 0, &words);
        if (!handle)
                report_end(head, end_on_failure, "%s", words ? words : "no memory for its name");
        return handle;
}

/* ---- loaded objects and their strings */

static const ElfW(Dyn) * map_entry(const struct link_map *map, int64_t tag) {
        for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag == tag)
                        return entry;
        return NULL;
}

/* The loader writes the address of a string table into the dynamic section, where that is not read-only: the vDSO's is. */
static const char *map_strings(const struct link_map *map) {
        const ElfW(Dyn) *entry = map_entry(map, DT_STRTAB);

        if (!entry)
                return NULL;
        return (const char *)(entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr : entry->d_un.d_ptr);
}

/* True if the loader would take @map for the library @name. A library of the system was found under the end of its path. */
static bool map_answers(const struct link_map *map, const char *name) {
        const ElfW(Dyn) *soname = map_entry(map, DT_SONAME);
        const char *strings = map_strings(map);
        const char *slash = strrchr(map->l_name, '/');

        if (strcmp(map->l_name, name) == 0 || (slash && strcmp(slash + 1, name) == 0))
                return true;
        return soname && strings && strcmp(strings + soname->d_un.d_val, name) == 0;
}

static bool map_needs(const struct link_map *map, const char *name) {
        const char *strings = map_strings(map);

        for (const ElfW(Dyn) *entry = map->l_ld; strings && entry && entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag == DT_NEEDED && strcmp(strings + entry->d_un.d_val, name) == 0)
                        return true;
        return false;
}

static const struct link_map *map_first(const struct link_map *map) {
        while (map->l_prev)
                map = map->l_prev;
        return map;
}

/* ---- libraries */

static void libraries_answer(const Libraries *libraries, bool by_name) {
        for (uint32_t i = 0; i < libraries->n; i++) {
                const Library *library = &libraries->rows[i];

                library->map->l_name = by_name && *library->name ? (char *)library->name : library->path;
        }
}

void *loader_open_with(int fd, const Libraries *libraries, RunnerEnd end_on_failure, BlockHead *head) {
        void *handle;

        libraries_answer(libraries, true);
        handle = loader_open(fd, end_on_failure, head);
        libraries_answer(libraries, false);
        return handle;
}

/* Whatever was not opened by a descriptor is the system's. */
static bool map_is_of_system(const struct link_map *map) {
        return strncmp(map->l_name, LOADER_PATH, strlen(LOADER_PATH)) != 0;
}

/* The loader takes the first that answers, in the order of loading. */
static bool library_check_first(const Library *library, BlockHead *head) {
        for (const struct link_map *map = map_first(library->map); map != library->map; map = map->l_next) {
                if (!map_answers(map, library->name))
                        continue;
                if (map_is_of_system(map))
                        report_end(head, RUNNER_END_LIBRARY,
                                        "%s is %s already, for a library of the system: that library has to come along too "
                                        "(--with=)",
                                        library->name, map->l_name);
                else
                        report_end(head, RUNNER_END_LIBRARY, "two libraries came along as %s", library->name);
                return false;
        }
        return true;
}

bool loader_open_libraries(const ModuleFiles *files, BlockHead *head, Libraries *ret_libraries) {
        Libraries libraries = {};

        for (uint32_t i = 0; i < files->n_libraries; i++) {
                Library library = { .name = files->library_names[i], .fd = files->libraries_fd + i };
                void *handle;

                handle = loader_open_with(library.fd, &libraries, RUNNER_END_LIBRARY, head);
                if (!handle)
                        return false;
                if (dlinfo(handle, RTLD_DI_LINKMAP, &library.map) < 0) {
                        report_end(head, RUNNER_END_INTERNAL, "dlinfo");
                        return false;
                }
                library.path = library.map->l_name;
                if (!library_check_first(&library, head))
                        return false;
                libraries.rows[libraries.n++] = library;
        }
        *ret_libraries = libraries;
        return true;
}

/* ---- two sides */

static const Library *libraries_find(const Libraries *libraries, const char *name) {
        for (uint32_t i = 0; i < libraries->n; i++)
                if (strcmp(libraries->rows[i].name, name) == 0)
                        return &libraries->rows[i];
        return NULL;
}

static bool files_equal(int fd, int other_fd) {
        struct stat status, other_status;
        void *bytes, *others;
        bool equal = false;

        if (fstat(fd, &status) < 0 || fstat(other_fd, &other_status) < 0 || status.st_size != other_status.st_size)
                return false;
        bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        others = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, other_fd, 0);
        if (bytes != MAP_FAILED && others != MAP_FAILED)
                equal = memcmp(bytes, others, status.st_size) == 0;
        if (bytes != MAP_FAILED)
                munmap(bytes, status.st_size);
        if (others != MAP_FAILED)
                munmap(others, status.st_size);
        return equal;
}

static bool library_check_shared(const Library *library, const Library *other, BlockHead *head) {
        if (other && files_equal(library->fd, other->fd))
                return true;
        for (const struct link_map *map = map_first(library->map); map; map = map->l_next) {
                if (!map_is_of_system(map) || !map_needs(map, library->name))
                        continue;
                report_end(head, RUNNER_END_LIBRARY,
                                "%s, which is loaded once for both modules, needs %s, which is not the same for both: --with=%s gives "
                                "each module its own",
                                map->l_name, library->name, map->l_name);
                return false;
        }
        return true;
}

bool loader_check_sides(const Libraries sides[static RUNNER_SIDES_MAX], BlockHead *head) {
        for (uint32_t side = 0; side < RUNNER_SIDES_MAX; side++)
                for (uint32_t i = 0; i < sides[side].n; i++) {
                        const Library *library = &sides[side].rows[i];
                        const Library *other = libraries_find(&sides[1 - side], library->name);

                        if (!library_check_shared(library, other, head))
                                return false;
                }
        return true;
}
