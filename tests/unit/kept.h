/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A keeper with a directory and a history of its own, from set_up() to tear_down(), and modules for it. cmocka stands before it.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"
#include "front/history.h"
#include "front/keeper.h"
#include "front/keeping.h"
#include "front/store.h"
#include "util/fd.h"

DEFINE_CLEANUP(Keeping *, keeping_free)
DEFINE_CLEANUP(StoredModule *, stored_module_free)

#define PART  1000u
#define QUOTA (3 * PART)

static char directory[] = "benchd-test-XXXXXX";
static History *history;
static Keeper *keeper;
static uint64_t now_ns = 1;

static inline int set_up(void **state) {
        directory_make(directory);
        assert_int_equal(history_new(NULL, 0, &history), 0);
        assert_int_equal(keeper_new(directory, QUOTA, history, &keeper), 0);
        return 0;
}

static inline int tear_down(void **state) {
        keeper = keeper_free(keeper);
        history = history_free(history);
        return directory_remove(directory);
}

static inline void take_quota(uint64_t bytes) {
        keeper = keeper_free(keeper);
        assert_int_equal(keeper_new(directory, bytes, history, &keeper), 0);
}

/* A module of @n bytes that begins with @name. */
static inline StoredModule *make(const char *name, size_t n) {
        StoredModule *module;
        Complaint complaint;
        char *data = calloc(1, n);
        int fd;

        strcpy(data, name);
        assert_int_equal(fd_memfd_sealed("module", data, n, &fd), 0);
        free(data);
        assert_int_equal(stored_module_new(&fd, 1, &module, &complaint), 0);
        while (stored_module_hash(module) == STORE_E_MORE) {
        }
        return module;
}

static inline int keep(const StoredModule *module) {
        _cleanup_(keeping_freep) Keeping *keeping = NULL;
        int r;

        assert_int_equal(keeping_new(keeper, module, &keeping), 0);
        do {
                r = keeping_step(keeping, now_ns++);
        } while (r == KEEPER_E_MORE);
        return r;
}

static inline bool is_kept(const char *name, size_t n) {
        _cleanup_(stored_module_freep) StoredModule *module = make(name, n);
        char path[128];

        snprintf(path, sizeof path, "%s/%s", directory, stored_module_sha256(module, 0));
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
