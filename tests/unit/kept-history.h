/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* A history and its shares in a directory of the test's own, and a module that jobs are of. */

#include "directory.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "front/history/sealed-module.h"
#include "shares.h"

DEFINE_CLEANUP(JobRecord *, job_record_free)

static char directory[] = "benchd-test-XXXXXX";
static History *history;

/* Kept below @directory, or with NULL in memory. */
static inline void kept_history_make(const char *where, uint64_t now_ns) {
        history = history_free(history);
        assert_int_equal(history_new(where, now_ns, &history), 0);
}

static inline SealedModule *module_of(const void *data, size_t n) {
        SealedModule *module;
        ReplyError why;
        int fd;

        assert_int_equal(fd_memfd_sealed("module", data, n, &fd), 0);
        assert_int_equal(sealed_module_new(&fd, 1, NULL, &module, &why), 0);
        while (sealed_module_hash(module) == SEALED_MODULE_E_MORE) {
        }
        return module;
}

/* Returns what a tear-down returns. */
static inline int kept_history_remove(void) {
        history = history_free(history);
        shares_end();
        return directory_remove(directory);
}
