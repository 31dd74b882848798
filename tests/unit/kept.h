/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A store with a directory and a history of its own, from set_up() to tear_down(), and modules for it. cmocka stands before it.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"
#include "front/history/history.h"
#include "front/history/module-copy.h"
#include "front/history/module-store.h"
#include "front/history/sealed-module.h"
#include "util/fd.h"

DEFINE_CLEANUP(ModuleCopy *, module_copy_free)
DEFINE_CLEANUP(SealedModule *, sealed_module_free)

#define PART  1000u
#define QUOTA (3 * PART)

static char directory[] = "benchd-test-XXXXXX";
static History *history;
static ModuleStore *store;
static uint64_t now_ns = 1;

static inline int set_up(void **state) {
        directory_make(directory);
        assert_int_equal(history_new(NULL, 0, &history), 0);
        assert_int_equal(module_store_new(directory, QUOTA, history, &store), 0);
        return 0;
}

static inline int tear_down(void **state) {
        store = module_store_free(store);
        history = history_free(history);
        return directory_remove(directory);
}

static inline void take_quota(uint64_t bytes) {
        store = module_store_free(store);
        assert_int_equal(module_store_new(directory, bytes, history, &store), 0);
}

/* A module of @n bytes that begins with @name. */
static inline SealedModule *make(const char *name, size_t n) {
        SealedModule *module;
        ReplyError why;
        char *data = calloc(1, n);
        int fd;

        strcpy(data, name);
        assert_int_equal(fd_memfd_sealed("module", data, n, &fd), 0);
        free(data);
        assert_int_equal(sealed_module_new(&fd, 1, &module, &why), 0);
        while (sealed_module_hash(module) == SEALED_MODULE_E_MORE) {
        }
        return module;
}

static inline int keep(const SealedModule *module) {
        _cleanup_(module_copy_freep) ModuleCopy *keeping = NULL;
        int r;

        assert_int_equal(module_copy_new(store, module, &keeping), 0);
        do {
                r = module_copy_step(keeping, now_ns++);
        } while (r == MODULE_STORE_E_MORE);
        return r;
}

static inline bool is_kept(const char *name, size_t n) {
        _cleanup_(sealed_module_freep) SealedModule *module = make(name, n);
        char path[128];

        snprintf(path, sizeof path, "%s/%s", directory, sealed_module_sha256(module, 0));
        return access(path, F_OK) == 0;
}

static inline size_t count_files(void) {
        struct dirent *entry;
        DIR *opened = opendir(directory);
        size_t n = 0;

        while ((entry = readdir(opened)))
                n += entry->d_type == DT_REG;
        closedir(opened);
        return n;
}
