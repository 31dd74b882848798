/* SPDX-License-Identifier: MIT */
#include "lib/module.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/elf-needs.h"
#include "lib/library-search.h"
#include "util/cleanup.h"
#include "util/error.h"

#define COMMIT_ID_MAX      64u /* as the daemon takes them */
#define COMMIT_SUBJECT_MAX 255u

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

/* One walk through a file's needs and their own needs. */
typedef struct ModuleWalk {
        benchd_module *module;
        LibrarySearch *search;
        char *beside; /* the first file's directory */
} ModuleWalk;

/* A file whose needs are being met, as seen by them. */
typedef struct ModuleParent {
        const struct ModuleParent *above;
        const char *name;
        unsigned depth;
        char *origin;
        char *rpath; /* its own and the inherited ones above it */
        char *runpath;
} ModuleParent;

static void module_parent_clear(ModuleParent *parent) {
        free(parent->origin);
        free(parent->rpath);
        free(parent->runpath);
}

static void module_walk_clear(ModuleWalk *walk) {
        library_search_free(walk->search);
        free(walk->beside);
}

int benchd_module_new(benchd_module **ret_module) {
        benchd_module *module;

        module = calloc(1, sizeof *module);
        if (!module)
                return error_origin(-ENOMEM);
        module->file.fd = -1;
        benchd__commit__init(&module->commit);
        *ret_module = module;
        return 0;
}

benchd_module *benchd_module_free(benchd_module *module) {
        if (!module)
                return NULL;
        module_file_clear(&module->file);
        for (size_t i = 0; i < module->n_libraries; i++)
                module_file_clear(&module->libraries[i]);
        free(module->missing);
        free(module->run_id);
        free(module->benchmark);
        free(module->commit.id);
        free(module->commit.subject);
        free(module);
        return NULL;
}

static int module_set_text(char **text, const char *value) {
        char *copy = strdup(value);

        if (!copy)
                return error_origin(-ENOMEM);
        free(*text);
        *text = copy;
        return 0;
}

int benchd_module_set_benchmark(benchd_module *module, const char *name) {
        return error_trace(module_set_text(&module->benchmark, name));
}

int benchd_module_set_name(benchd_module *module, const char *name) {
        return error_trace(module_file_rename(&module->file, name));
}

/* The bytes of @text of which at most @n_max can be sent, without a part of a character. */
static size_t text_fit(const char *text, size_t n_max) {
        size_t n = strlen(text);

        if (n <= n_max)
                return n;
        for (n = n_max; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
                ;
        return n;
}

int benchd_module_set_commit(benchd_module *module, const char *id, bool dirty, const char *subject,
                uint64_t committed_at_unix_ns) {
        _cleanup_(freep) char *subject_copy = NULL;
        int r;

        if (strlen(id) < 1 || strlen(id) > COMMIT_ID_MAX)
                return BENCHD_E_BAD_OPTION;
        for (const char *c = id; *c; c++)
                if (*c <= ' ' || *c > '~')
                        return BENCHD_E_BAD_OPTION;
        if (subject && *subject) {
                subject_copy = strndup(subject, text_fit(subject, COMMIT_SUBJECT_MAX));
                if (!subject_copy)
                        return error_origin(-ENOMEM);
        }
        r = module_set_text(&module->commit.id, id);
        if (r)
                return error_trace(r);
        free(module->commit.subject);
        module->commit.subject = take_pointer(subject_copy);
        module->commit.has_dirty = true;
        module->commit.dirty = dirty;
        module->commit.has_committed_at_unix_ns = committed_at_unix_ns > 0;
        module->commit.committed_at_unix_ns = committed_at_unix_ns;
        return 0;
}

int benchd_module_recall(benchd_module *module, const char *run_id) {
        return error_trace(module_set_text(&module->run_id, run_id));
}

const char *benchd_module_library(const benchd_module *module, size_t index) {
        return index < module->n_libraries ? module->libraries[index].path : NULL;
}

size_t benchd_module_preloaded(const benchd_module *module) {
        return module->n_preloaded;
}

const char *benchd_module_missing(const benchd_module *module) {
        return module->missing;
}

static int module_set_missing(benchd_module *module, const char *name, int outcome) {
        free(module->missing);
        module->missing = strdup(name);
        return module->missing ? outcome : error_origin(-ENOMEM);
}

/* ---- a file's needs, each after its own */

/* The library that meets the need @name, as the loader takes one that is loaded: by the name it was loaded under, or by its SONAME. */
static ModuleFile *module_find_library(benchd_module *module, const char *name) {
        for (size_t i = 0; i < module->n_libraries; i++) {
                ModuleFile *library = &module->libraries[i];

                if (strcmp(library->name, name) == 0 || (library->soname && strcmp(library->soname, name) == 0))
                        return library;
        }
        return NULL;
}

/* The library that was read from the file of @file, under whatever name. */
static ModuleFile *module_find_file(benchd_module *module, const ModuleFile *file) {
        for (size_t i = 0; i < module->n_libraries; i++) {
                ModuleFile *library = &module->libraries[i];

                if (library->device == file->device && library->inode == file->inode)
                        return library;
        }
        return NULL;
}

/* Libraries may need each other: a need that is being met further up is not met again. */
static bool module_is_under_way(const ModuleParent *parent, const char *name) {
        for (; parent; parent = parent->above)
                if (strcmp(parent->name, name) == 0)
                        return true;
        return false;
}

static int module_add(benchd_module *module, ModuleFile *file) {
        if (module->n_libraries == MODULE_LIBRARIES_MAX)
                return BENCHD_E_TOO_MANY;
        module->libraries[module->n_libraries++] = *file;
        *file = (ModuleFile){ .fd = -1 };
        return 0;
}

/* DT_RPATH is the older of the two: it holds for the needs of needs too, and is void where there is a DT_RUNPATH. */
static int module_parent_fill(ModuleParent *parent, const ElfNeeds *needs, const char *path) {
        _cleanup_(freep) char *own = NULL;
        const char *above = parent->above && parent->above->rpath ? parent->above->rpath : "";
        int r;

        r = library_directory(path, &parent->origin);
        if (r)
                return error_trace(r);
        r = library_paths_expand(needs->runpath ? needs->runpath : "", parent->origin, &parent->runpath);
        if (r)
                return error_trace(r);
        r = library_paths_expand(needs->rpath && !needs->runpath ? needs->rpath : "", parent->origin, &own);
        if (r)
                return error_trace(r);
        if (asprintf(&parent->rpath, "%s%s%s", own, *own && *above ? ":" : "", above) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

static int module_walk_file(ModuleWalk *walk, const ModuleFile *file, const char *path, const ModuleParent *above);

/*
 * Meets the need @name by a library that came along under another name. One that nobody needed yet takes this name; one of two names, of
 * which neither is its SONAME, would be loaded twice.
 */
static int module_add_name(benchd_module *module, ModuleFile *library, const char *name) {
        if (library->needed)
                return module_set_missing(module, name, BENCHD_E_SONAME);
        library->needed = true;
        return error_trace(module_file_rename(library, name));
}

static int module_walk_library(ModuleWalk *walk, const char *name, const char *path, const ModuleParent *above) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        ModuleFile *known;
        int r;

        r = module_file_read(path, &file);
        if (r)
                return error_trace(r);
        known = module_find_file(walk->module, &file);
        if (known)
                return error_trace(module_add_name(walk->module, known, name));
        file.needed = true;
        r = module_file_rename(&file, name);
        if (r)
                return error_trace(r);
        r = module_walk_file(walk, &file, path, above);
        if (r)
                return error_trace(r);
        return error_trace(module_add(walk->module, &file));
}

static int module_walk_need(ModuleWalk *walk, const char *name, const ModuleParent *parent) {
        _cleanup_(freep) char *path = NULL;
        LibraryAsker asker = {
                .origin = parent->origin,
                .rpath = *parent->runpath ? NULL : parent->rpath,
                .runpath = parent->runpath,
                .beside = walk->beside,
        };
        ModuleFile *known = module_find_library(walk->module, name);
        int r;

        if (known)
                known->needed = true;
        if (known || module_is_under_way(parent, name))
                return 0;
        if (parent->depth > MODULE_LIBRARIES_MAX)
                return BENCHD_E_TOO_MANY;
        r = library_search_find(walk->search, name, &asker, &path);
        if (r == LIBRARY_SEARCH_E_SYSTEM)
                return 0;
        if (r == LIBRARY_SEARCH_E_MISSING)
                return module_set_missing(walk->module, name, BENCHD_E_LIBRARY);
        if (r)
                return error_fold(r);
        return error_trace(module_walk_library(walk, name, path, parent));
}

/*
 * A file that is not ELF, is broken or is for another machine has no needs here: the runner says what is wrong with
 * it.
 */
static int module_walk_file(ModuleWalk *walk, const ModuleFile *file, const char *path, const ModuleParent *above) {
        _cleanup_(module_mapping_clear) ModuleMapping mapping = {};
        _cleanup_(module_parent_clear) ModuleParent parent = {
                .above = above,
                .name = file->name,
                .depth = above ? above->depth + 1 : 0,
        };
        ElfNeeds needs;
        int r;

        r = module_file_map(file, &mapping);
        if (r)
                return error_trace(r);
        if (elf_needs_read(mapping.data, mapping.n_data, &needs) != 0)
                return 0;
        r = module_parent_fill(&parent, &needs, path);
        for (size_t i = 0; r == 0 && i < needs.n_needed; i++)
                r = module_walk_need(walk, needs.needed[i], &parent);
        return error_trace(r);
}

static int module_walk(benchd_module *module, const ModuleFile *file, const char *path) {
        _cleanup_(module_walk_clear) ModuleWalk walk = { .module = module };
        int r;

        r = library_directory(path, &walk.beside);
        if (r)
                return error_trace(r);
        r = library_search_new("", secure_getenv("LD_LIBRARY_PATH"), &walk.search);
        if (r)
                return error_trace(r);
        return error_trace(module_walk_file(&walk, file, path, NULL));
}

/* ---- the order */

/* A list of libraries that grows, each of the module's once. */
typedef struct ModuleOrder {
        benchd_module *module;
        ModuleFile placed[MODULE_LIBRARIES_MAX];
        size_t n_placed;
        bool seen[MODULE_LIBRARIES_MAX];
} ModuleOrder;

/* Places library @i after the libraries that it needs. */
static int module_order_place(ModuleOrder *order, size_t i) {
        _cleanup_(module_mapping_clear) ModuleMapping mapping = {};
        const ModuleFile *library = &order->module->libraries[i];
        ElfNeeds needs = {};
        int r;

        if (order->seen[i])
                return 0;
        order->seen[i] = true;
        r = module_file_map(library, &mapping);
        if (r)
                return error_trace(r);
        if (elf_needs_read(mapping.data, mapping.n_data, &needs) != 0)
                needs.n_needed = 0;
        for (size_t k = 0; k < needs.n_needed; k++) {
                const ModuleFile *needed = module_find_library(order->module, needs.needed[k]);

                r = needed ? module_order_place(order, needed - order->module->libraries) : 0;
                if (r)
                        return error_trace(r);
        }
        order->placed[order->n_placed++] = *library;
        return 0;
}

/* Places the preloaded libraries, regardless of their own needs. */
static void module_order_preloaded(ModuleOrder *order) {
        const benchd_module *module = order->module;

        for (size_t place = 1; place <= module->n_preloaded; place++)
                for (size_t i = 0; i < module->n_libraries; i++)
                        if (module->libraries[i].preload == place) {
                                order->seen[i] = true;
                                order->placed[order->n_placed++] = module->libraries[i];
                        }
}

/*
 * Puts each library behind those that it needs, by name: one whose own search ends at the system's library is bound to the one that came
 * along all the same, since the loader finds that loaded.
 */
static int module_order(benchd_module *module) {
        ModuleOrder order = { .module = module };

        module_order_preloaded(&order);
        for (size_t i = 0; i < module->n_libraries; i++) {
                int r = module_order_place(&order, i);

                if (r)
                        return error_trace(r);
        }
        memcpy(module->libraries, order.placed, sizeof order.placed);
        return 0;
}

/* ---- the interface */

/* A library that no file needs by name gets its SONAME as name, or its file's name. */
static int module_take_library(benchd_module *module, const char *path, ModuleFile **ret_library) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        int r;

        r = module_file_read(path, &file);
        if (r)
                return error_trace(r);
        *ret_library = module_find_file(module, &file);
        if (*ret_library)
                return 0;
        if (file.soname)
                r = module_file_rename(&file, file.soname);
        if (r)
                return error_trace(r);
        r = module_walk(module, &file, path);
        if (r == 0)
                r = module_add(module, &file);
        if (r)
                return error_trace(r);
        *ret_library = &module->libraries[module->n_libraries - 1];
        return 0;
}

int benchd_module_add_library(benchd_module *module, const char *path) {
        ModuleFile *library;

        return error_trace(module_take_library(module, path, &library));
}

/* Finds the file that the loader would preload for the word @name. Returns 0 with a path of the caller's, E_LIBRARY or a negative errno. */
static int module_find_preload(benchd_module *module, const char *name, char **ret_path) {
        _cleanup_(library_search_freep) LibrarySearch *search = NULL;
        int r;

        if (strchr(name, '/') || access(name, F_OK) == 0) {
                *ret_path = strdup(name);
                return *ret_path ? 0 : error_origin(-ENOMEM);
        }
        r = library_search_new("", secure_getenv("LD_LIBRARY_PATH"), &search);
        if (r == 0)
                r = library_search_any(search, name, ret_path);
        return r == LIBRARY_SEARCH_E_MISSING ? module_set_missing(module, name, BENCHD_E_LIBRARY) : error_trace(r);
}

int benchd_module_preload(benchd_module *module, const char *path) {
        _cleanup_(freep) char *found = NULL;
        ModuleFile *library;
        int r;

        r = module_find_preload(module, path, &found);
        if (r == 0)
                r = module_take_library(module, found, &library);
        if (r)
                return error_trace(r);
        if (library->preload == 0)
                library->preload = ++module->n_preloaded;
        return 0;
}

int benchd_module_open(benchd_module *module, const char *path) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        int r;

        r = module_file_read(path, &file);
        if (r)
                return error_trace(r);
        r = module_walk(module, &file, path);
        if (r == 0)
                r = module_file_name_after(&file, path);
        if (r)
                return error_trace(r);
        r = module_order(module);
        if (r)
                return error_trace(r);
        module_file_clear(&module->file);
        module->file = file;
        file = (ModuleFile){ .fd = -1 };
        return 0;
}
