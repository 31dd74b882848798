/* SPDX-License-Identifier: MIT */
#include "lib/module.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf-needs.h"
#include "lib/library-search.h"
#include "util/cleanup.h"
#include "util/error.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)
DEFINE_CLEANUP(LibrarySearch *, library_search_free)

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
        char *rpath; /* its own and those above, which are inherited */
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

int benchd_module_recall(benchd_module *module, const char *run_id) {
        return error_trace(module_set_text(&module->run_id, run_id));
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

static bool module_has_library(const benchd_module *module, const char *name) {
        for (size_t i = 0; i < module->n_libraries; i++)
                if (strcmp(module->libraries[i].name, name) == 0)
                        return true;
        return false;
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

/* The loader finds a library that is already loaded by its SONAME alone. */
static int module_check_soname(benchd_module *module, const ModuleFile *file, const char *name) {
        _cleanup_(module_mapping_clear) ModuleMapping mapping = {};
        ElfNeeds needs;
        int r;

        r = module_file_map(file, &mapping);
        if (r)
                return error_trace(r);
        r = elf_needs_read(mapping.data, mapping.n_data, &needs);
        if (r || !needs.soname || strcmp(needs.soname, name) != 0)
                return module_set_missing(module, name, BENCHD_E_SONAME);
        return 0;
}

static int module_walk_library(ModuleWalk *walk, const char *name, const char *path, const ModuleParent *above) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        int r;

        r = module_file_read(path, &file);
        if (r)
                return error_trace(r);
        r = module_file_rename(&file, name);
        if (r)
                return error_trace(r);
        r = module_check_soname(walk->module, &file, name);
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
        int r;

        if (module_has_library(walk->module, name) || module_is_under_way(parent, name))
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

/* ---- the interface */

/* A library that nobody asked for by name goes by its SONAME, or by its file's name. */
static int module_name_library(ModuleFile *file) {
        _cleanup_(module_mapping_clear) ModuleMapping mapping = {};
        ElfNeeds needs;
        int r;

        r = module_file_map(file, &mapping);
        if (r)
                return error_trace(r);
        if (elf_needs_read(mapping.data, mapping.n_data, &needs) != 0 || !needs.soname)
                return 0;
        return error_trace(module_file_rename(file, needs.soname));
}

int benchd_module_add_library(benchd_module *module, const char *path) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        int r;

        r = module_file_read(path, &file);
        if (r)
                return error_trace(r);
        r = module_name_library(&file);
        if (r)
                return error_trace(r);
        r = module_walk(module, &file, path);
        if (r)
                return error_trace(r);
        return error_trace(module_add(module, &file));
}

int benchd_module_open(benchd_module *module, const char *path) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        int r;

        r = module_file_read(path, &file);
        if (r)
                return error_trace(r);
        r = module_walk(module, &file, path);
        if (r)
                return error_trace(r);
        module_file_clear(&module->file);
        module->file = file;
        file = (ModuleFile){ .fd = -1 };
        return 0;
}
