/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * In place of SQLite's own access to files: one operation fails with a code, or all from that one on; or all changes wait until the disk is let
 * go on.
 */

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

static struct {
        unsigned n_done;
        unsigned nth; /* fails; 0: none */
        bool lasting;
        bool changes_only; /* only writes, cuts and syncs count */
        int code;
        bool held;
        pthread_mutex_t mutex;
        pthread_cond_t go_on;
} trouble = { .mutex = PTHREAD_MUTEX_INITIALIZER, .go_on = PTHREAD_COND_INITIALIZER };

static int suffer(bool is_change) {
        int r = SQLITE_OK;

        if (trouble.changes_only && !is_change)
                return SQLITE_OK;
        pthread_mutex_lock(&trouble.mutex);
        while (is_change && trouble.held)
                pthread_cond_wait(&trouble.go_on, &trouble.mutex);
        trouble.n_done++;
        if (trouble.nth > 0 && (trouble.n_done == trouble.nth || (trouble.n_done > trouble.nth && trouble.lasting)))
                r = trouble.code;
        pthread_mutex_unlock(&trouble.mutex);
        return r;
}

static inline void trouble_hold(bool held) {
        pthread_mutex_lock(&trouble.mutex);
        trouble.held = held;
        pthread_cond_broadcast(&trouble.go_on);
        pthread_mutex_unlock(&trouble.mutex);
}

static inline void trouble_set(unsigned nth, bool lasting, int code) {
        pthread_mutex_lock(&trouble.mutex);
        trouble.n_done = 0;
        trouble.nth = nth;
        trouble.lasting = lasting;
        trouble.code = code;
        pthread_mutex_unlock(&trouble.mutex);
}

typedef struct FailingFile {
        sqlite3_file base;
        sqlite3_file *real;
} FailingFile;

static sqlite3_vfs *real_vfs, failing_vfs;

static sqlite3_file *real_of(sqlite3_file *file) {
        return ((FailingFile *)file)->real;
}

static int failing_close(sqlite3_file *file) {
        return real_of(file)->pMethods->xClose(real_of(file));
}

static int failing_read(sqlite3_file *file, void *data, int n, sqlite3_int64 offset) {
        int r = suffer(false);

        return r ? r : real_of(file)->pMethods->xRead(real_of(file), data, n, offset);
}

static int failing_write(sqlite3_file *file, const void *data, int n, sqlite3_int64 offset) {
        int r = suffer(true);

        return r ? r : real_of(file)->pMethods->xWrite(real_of(file), data, n, offset);
}

static int failing_truncate(sqlite3_file *file, sqlite3_int64 size) {
        int r = suffer(true);

        return r ? r : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int failing_sync(sqlite3_file *file, int flags) {
        int r = suffer(true);

        return r ? r : real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int failing_size(sqlite3_file *file, sqlite3_int64 *ret_size) {
        int r = suffer(false);

        return r ? r : real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}

static int failing_lock(sqlite3_file *file, int level) {
        int r = suffer(false);

        return r ? r : real_of(file)->pMethods->xLock(real_of(file), level);
}

static int failing_unlock(sqlite3_file *file, int level) {
        return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int failing_check(sqlite3_file *file, int *ret_locked) {
        return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_locked);
}

static int failing_control(sqlite3_file *file, int what, void *argument) {
        return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int failing_sector(sqlite3_file *file) {
        return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int failing_characteristics(sqlite3_file *file) {
        return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int failing_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *ret_flags) {
        static const sqlite3_io_methods methods = {
                .iVersion = 1, /* no shared memory: the history needs none */
                .xClose = failing_close,
                .xRead = failing_read,
                .xWrite = failing_write,
                .xTruncate = failing_truncate,
                .xSync = failing_sync,
                .xFileSize = failing_size,
                .xLock = failing_lock,
                .xUnlock = failing_unlock,
                .xCheckReservedLock = failing_check,
                .xFileControl = failing_control,
                .xSectorSize = failing_sector,
                .xDeviceCharacteristics = failing_characteristics,
        };
        FailingFile *failing = (FailingFile *)file;
        int r = suffer(false);

        failing->base.pMethods = NULL;
        failing->real = (sqlite3_file *)(failing + 1);
        if (r == SQLITE_OK)
                r = real_vfs->xOpen(real_vfs, name, failing->real, flags, ret_flags);
        if (r == SQLITE_OK)
                failing->base.pMethods = &methods;
        return r;
}

static void failing_begin(void) {
        sqlite3_initialize();
        real_vfs = sqlite3_vfs_find(NULL);
        failing_vfs = *real_vfs;
        failing_vfs.zName = "failing";
        failing_vfs.szOsFile = (int)(sizeof(FailingFile) + real_vfs->szOsFile);
        failing_vfs.xOpen = failing_open;
        sqlite3_vfs_register(&failing_vfs, 1);
}

static void failing_end(void) {
        trouble_set(0, false, 0);
        sqlite3_vfs_unregister(&failing_vfs);
        sqlite3_vfs_register(real_vfs, 1);
}
