/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/write-behind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

/* SQLite's file object, backed by the real file. */
typedef struct BehindFile {
        sqlite3_file base;
        sqlite3_file *real;
        WriteBehind *behind;
        bool is_log;
        sqlite3_int64 size; /* with all that waits */
} BehindFile;

typedef enum ChangeKind {
        CHANGE_WRITE,
        CHANGE_TRUNCATE,
        CHANGE_SYNC,
        CHANGE_SYNC_FD,
        CHANGE_RENAME,
} ChangeKind;

/* A change that waits, is under way, or was made and not swept up yet. */
typedef struct Change {
        TAILQ_ENTRY(Change) changes;
        uint64_t ticket;
        ChangeKind kind;
        BehindFile *file;     /* of SQLite's; else NULL */
        int fd;               /* of a file beside, or its directory; owned */
        sqlite3_int64 offset; /* of a write; the size of what is cut; the flags of a sync */
        size_t n;
        uint8_t data[]; /* of a rename: two names */
} Change;

struct WriteBehind {
        sqlite3_vfs vfs; /* first: SQLite gives it back */
        sqlite3_vfs *real;
        char name[32];
        pthread_t thread;
        bool threaded;
        int event_fd;
        TAILQ_HEAD(Changes, Change) changes; /* appended and swept by the loop alone */
        size_t n_bytes;                      /* of them */

        pthread_mutex_t mutex; /* of the links of the changes, and of what follows; synced and failure are read without it */
        pthread_cond_t work, progress;
        Change *next; /* the first that waits */
        uint64_t last;
        uint64_t done;
        uint64_t synced;
        int failure;
        bool ending;
};

/* ---- the thread */

/* Makes one change. Returns SQLite's code. */
static int change_make(const Change *change) {
        sqlite3_file *real = change->file ? change->file->real : NULL;
        const char *from = (const char *)change->data;
        bool made;

        switch (change->kind) {
        case CHANGE_WRITE:
                return real->pMethods->xWrite(real, change->data, (int)change->n, change->offset);
        case CHANGE_TRUNCATE:
                return real->pMethods->xTruncate(real, change->offset);
        case CHANGE_SYNC:
                return real->pMethods->xSync(real, (int)change->offset);
        case CHANGE_SYNC_FD:
                made = fdatasync(change->fd) == 0;
                break;
        case CHANGE_RENAME:
                made = renameat(change->fd, from, change->fd, from + strlen(from) + 1) == 0 && fsync(change->fd) == 0;
                break;
        default:
                return SQLITE_INTERNAL;
        }
        if (made)
                return SQLITE_OK;
        return errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

/* Makes the changes from @change to @last, and syncs the log if it was written. Returns SQLite's code. */
static int behind_make(WriteBehind *behind, Change *change, uint64_t last) {
        BehindFile *log = NULL;
        int r = SQLITE_OK;

        while (r == SQLITE_OK) {
                r = change_make(change);
                if (change->kind == CHANGE_WRITE && change->file->is_log)
                        log = change->file;
                if (change->ticket == last)
                        break;
                pthread_mutex_lock(&behind->mutex);
                change = TAILQ_NEXT(change, changes);
                pthread_mutex_unlock(&behind->mutex);
        }
        return r == SQLITE_OK && log ? log->real->pMethods->xSync(log->real, SQLITE_SYNC_NORMAL) : r;
}

static void *behind_main(void *userdata) {
        WriteBehind *behind = userdata;

        pthread_mutex_lock(&behind->mutex);
        for (;;) {
                Change *first;
                uint64_t last;
                int r;

                while (!behind->next && !behind->ending)
                        pthread_cond_wait(&behind->work, &behind->mutex);
                if (!behind->next)
                        break;
                first = behind->next;
                last = behind->last;
                behind->next = NULL;
                r = behind->failure;
                pthread_mutex_unlock(&behind->mutex);
                if (r == SQLITE_OK)
                        r = behind_make(behind, first, last);
                pthread_mutex_lock(&behind->mutex);
                behind->done = last;
                if (r == SQLITE_OK)
                        __atomic_store_n(&behind->synced, last, __ATOMIC_RELEASE);
                else
                        __atomic_store_n(&behind->failure, r, __ATOMIC_RELEASE);
                pthread_cond_signal(&behind->progress);
                (void)eventfd_write(behind->event_fd, 1);
        }
        pthread_mutex_unlock(&behind->mutex);
        return NULL;
}

/* ---- the loop */

static void change_free(Change *change) {
        fd_close(change->fd);
        free(change);
}

/* Frees the changes that were made. */
static void behind_sweep(WriteBehind *behind) {
        Change *change;
        uint64_t done;

        pthread_mutex_lock(&behind->mutex);
        done = behind->failure ? 0 : behind->done; /* after a failure they are all that tells what was to be there */
        while ((change = TAILQ_FIRST(&behind->changes)) && change->ticket <= done) {
                TAILQ_REMOVE(&behind->changes, change, changes);
                behind->n_bytes -= sizeof *change + change->n;
                change_free(change);
        }
        pthread_mutex_unlock(&behind->mutex);
}

/* Hands a change of @n bytes at @data to the thread, which takes @fd. Returns SQLite's code. */
static int behind_queue(WriteBehind *behind, ChangeKind kind, BehindFile *file, int fd, sqlite3_int64 offset,
                const void *data, size_t n) {
        Change *change;

        behind_sweep(behind);
        if (write_behind_failure(behind)) {
                fd_close(fd);
                return write_behind_failure(behind);
        }
        if (behind->n_bytes + sizeof *change + n > WRITE_BEHIND_BYTES_MAX || !(change = malloc(sizeof *change + n))) {
                fd_close(fd);
                return SQLITE_IOERR_WRITE;
        }
        *change = (Change){ .kind = kind, .file = file, .fd = fd, .offset = offset, .n = n };
        if (n > 0)
                memcpy(change->data, data, n);
        behind->n_bytes += sizeof *change + n;
        pthread_mutex_lock(&behind->mutex);
        change->ticket = ++behind->last;
        TAILQ_INSERT_TAIL(&behind->changes, change, changes);
        if (!behind->next)
                behind->next = change;
        pthread_cond_signal(&behind->work);
        pthread_mutex_unlock(&behind->mutex);
        return SQLITE_OK;
}

void write_behind_wait(WriteBehind *behind) {
        pthread_mutex_lock(&behind->mutex);
        while (behind->done < behind->last)
                pthread_cond_wait(&behind->progress, &behind->mutex);
        pthread_mutex_unlock(&behind->mutex);
        behind_sweep(behind);
}

uint64_t write_behind_ticket(const WriteBehind *behind) {
        return behind->last;
}

uint64_t write_behind_synced(const WriteBehind *behind) {
        return __atomic_load_n(&behind->synced, __ATOMIC_ACQUIRE);
}

int write_behind_failure(const WriteBehind *behind) {
        return __atomic_load_n(&behind->failure, __ATOMIC_ACQUIRE);
}

void write_behind_forget_failure(WriteBehind *behind) {
        write_behind_wait(behind);
        behind->failure = SQLITE_OK;
        behind->synced = behind->last;
        behind_sweep(behind);
}

int write_behind_event_fd(const WriteBehind *behind) {
        return behind->event_fd;
}

int write_behind_sync(WriteBehind *behind, int fd) {
        int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

        if (own < 0)
                return error_origin(-errno);
        return behind_queue(behind, CHANGE_SYNC_FD, NULL, own, 0, NULL, 0) ? error_origin(-ENOSPC) : 0;
}

int write_behind_rename(WriteBehind *behind, int directory_fd, const char *from, const char *to) {
        char names[256];
        int own, n;

        n = snprintf(names, sizeof names, "%s%c%s", from, 0, to);
        if (n < 0 || (size_t)n >= sizeof names)
                return error_origin(-ENAMETOOLONG);
        own = fcntl(directory_fd, F_DUPFD_CLOEXEC, 0);
        if (own < 0)
                return error_origin(-errno);
        return behind_queue(behind, CHANGE_RENAME, NULL, own, 0, names, n + 1) ? error_origin(-ENOSPC) : 0;
}

/* ---- files */

static BehindFile *behind_file(sqlite3_file *file) {
        return (BehindFile *)file;
}

static sqlite3_file *real_file(sqlite3_file *file) {
        return behind_file(file)->real;
}

static int behind_close(sqlite3_file *file) {
        write_behind_wait(behind_file(file)->behind);
        return real_file(file)->pMethods->xClose(real_file(file));
}

/* The latest change that leaves nothing of what was before it in the @n bytes at @offset of @file, else the first of all. */
static const Change *behind_covering(const BehindFile *file, sqlite3_int64 n, sqlite3_int64 offset) {
        const Change *change;

        TAILQ_FOREACH_REVERSE(change, &file->behind->changes, Changes, changes)
        if (change->file == file && change->kind == CHANGE_WRITE && change->offset <= offset &&
                        offset + n <= change->offset + (sqlite3_int64)change->n)
                return change;
        return TAILQ_FIRST(&file->behind->changes);
}

/* Lays what waits for @file over the @n bytes at @offset that were read. */
static void behind_overlay(const BehindFile *file, uint8_t *data, sqlite3_int64 n, sqlite3_int64 offset) {
        for (const Change *change = behind_covering(file, n, offset); change; change = TAILQ_NEXT(change, changes)) {
                sqlite3_int64 begin, end;

                if (change->file != file || change->kind > CHANGE_TRUNCATE)
                        continue;
                begin = change->offset > offset ? change->offset : offset;
                end = change->kind == CHANGE_WRITE ? change->offset + (sqlite3_int64)change->n : INT64_MAX;
                end = end < offset + n ? end : offset + n;
                if (begin >= end)
                        continue;
                if (change->kind == CHANGE_WRITE)
                        memcpy(data + (begin - offset), change->data + (begin - change->offset), end - begin);
                else
                        memset(data + (begin - offset), 0, end - begin);
        }
}

static int behind_read(sqlite3_file *base, void *data, int n, sqlite3_int64 offset) {
        BehindFile *file = behind_file(base);
        int r;

        behind_sweep(file->behind);
        r = file->real->pMethods->xRead(file->real, data, n, offset);
        if (TAILQ_EMPTY(&file->behind->changes) || (r != SQLITE_OK && r != SQLITE_IOERR_SHORT_READ))
                return r;
        behind_overlay(file, data, n, offset);
        if (offset + n <= file->size)
                return SQLITE_OK;
        if (offset < file->size)
                memset((uint8_t *)data + (file->size - offset), 0, offset + n - file->size);
        else
                memset(data, 0, n);
        return SQLITE_IOERR_SHORT_READ;
}

static int behind_write(sqlite3_file *base, const void *data, int n, sqlite3_int64 offset) {
        BehindFile *file = behind_file(base);
        int r;

        r = behind_queue(file->behind, CHANGE_WRITE, file, -1, offset, data, n);
        if (r == SQLITE_OK && offset + n > file->size)
                file->size = offset + n;
        return r;
}

static int behind_truncate(sqlite3_file *base, sqlite3_int64 size) {
        BehindFile *file = behind_file(base);
        int r;

        r = behind_queue(file->behind, CHANGE_TRUNCATE, file, -1, size, NULL, 0);
        if (r == SQLITE_OK)
                file->size = size;
        return r;
}

static int behind_sync(sqlite3_file *base, int flags) {
        return behind_queue(behind_file(base)->behind, CHANGE_SYNC, behind_file(base), -1, flags, NULL, 0);
}

static int behind_size(sqlite3_file *base, sqlite3_int64 *ret_size) {
        *ret_size = behind_file(base)->size;
        return SQLITE_OK;
}

static int behind_lock(sqlite3_file *file, int level) {
        return real_file(file)->pMethods->xLock(real_file(file), level);
}

static int behind_unlock(sqlite3_file *file, int level) {
        return real_file(file)->pMethods->xUnlock(real_file(file), level);
}

static int behind_check(sqlite3_file *file, int *ret_locked) {
        return real_file(file)->pMethods->xCheckReservedLock(real_file(file), ret_locked);
}

static int behind_control(sqlite3_file *file, int what, void *argument) {
        return real_file(file)->pMethods->xFileControl(real_file(file), what, argument);
}

static int behind_sector(sqlite3_file *file) {
        return real_file(file)->pMethods->xSectorSize(real_file(file));
}

static int behind_characteristics(sqlite3_file *file) {
        return real_file(file)->pMethods->xDeviceCharacteristics(real_file(file));
}

/* ---- SQLite's access to files */

static const sqlite3_io_methods behind_methods = {
        .iVersion = 1, /* neither shared nor mapped memory: the database has its file alone */
        .xClose = behind_close,
        .xRead = behind_read,
        .xWrite = behind_write,
        .xTruncate = behind_truncate,
        .xSync = behind_sync,
        .xFileSize = behind_size,
        .xLock = behind_lock,
        .xUnlock = behind_unlock,
        .xCheckReservedLock = behind_check,
        .xFileControl = behind_control,
        .xSectorSize = behind_sector,
        .xDeviceCharacteristics = behind_characteristics,
};

static int behind_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *ret_flags) {
        WriteBehind *behind = (WriteBehind *)vfs;
        BehindFile *file = behind_file(base);
        int r;

        *file = (BehindFile){
                .real = (sqlite3_file *)(file + 1),
                .behind = behind,
                .is_log = flags & SQLITE_OPEN_WAL,
        };
        file->real->pMethods = NULL;
        r = behind->real->xOpen(behind->real, name, file->real, flags, ret_flags);
        if (r == SQLITE_OK)
                r = file->real->pMethods->xFileSize(file->real, &file->size);
        if (r == SQLITE_OK)
                file->base.pMethods = &behind_methods;
        else if (file->real->pMethods)
                file->real->pMethods->xClose(file->real);
        return r;
}

static int behind_delete(sqlite3_vfs *vfs, const char *name, int sync_directory) {
        WriteBehind *behind = (WriteBehind *)vfs;

        write_behind_wait(behind);
        return behind->real->xDelete(behind->real, name, sync_directory);
}

static int behind_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret_result) {
        WriteBehind *behind = (WriteBehind *)vfs;

        return behind->real->xAccess(behind->real, name, flags, ret_result);
}

static int behind_full_path(sqlite3_vfs *vfs, const char *name, int n, char *ret_path) {
        WriteBehind *behind = (WriteBehind *)vfs;

        return behind->real->xFullPathname(behind->real, name, n, ret_path);
}

const char *write_behind_vfs_name(const WriteBehind *behind) {
        return behind->name;
}

/* ---- life */

static int behind_start(WriteBehind *behind) {
        sigset_t all, before;
        int r;

        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the loop's */
        r = pthread_create(&behind->thread, NULL, behind_main, behind);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        behind->threaded = r == 0;
        return r ? error_origin(-r) : 0;
}

DEFINE_CLEANUP(WriteBehind *, write_behind_free)

int write_behind_new(WriteBehind **ret_behind) {
        _cleanup_(write_behind_freep) WriteBehind *behind = calloc(1, sizeof *behind);

        if (!behind)
                return error_origin(-ENOMEM);
        TAILQ_INIT(&behind->changes);
        pthread_mutex_init(&behind->mutex, NULL);
        pthread_cond_init(&behind->work, NULL);
        pthread_cond_init(&behind->progress, NULL);
        behind->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (behind->event_fd < 0)
                return error_origin(-errno);
        if (sqlite3_initialize() != SQLITE_OK || !(behind->real = sqlite3_vfs_find(NULL)))
                return error_origin(-ENOMEM);
        snprintf(behind->name, sizeof behind->name, "behind-%p", (void *)behind);
        behind->vfs = *behind->real;
        behind->vfs.zName = behind->name;
        behind->vfs.szOsFile = (int)sizeof(BehindFile) + behind->real->szOsFile;
        behind->vfs.xOpen = behind_open;
        behind->vfs.xDelete = behind_delete;
        behind->vfs.xAccess = behind_access;
        behind->vfs.xFullPathname = behind_full_path;
        if (sqlite3_vfs_register(&behind->vfs, 0) != SQLITE_OK)
                return error_origin(-ENOMEM);
        if (behind_start(behind))
                return error_origin(-EAGAIN);
        *ret_behind = take_pointer(behind);
        return 0;
}

WriteBehind *write_behind_free(WriteBehind *behind) {
        if (!behind)
                return NULL;
        if (behind->threaded) {
                pthread_mutex_lock(&behind->mutex);
                behind->ending = true;
                pthread_cond_signal(&behind->work);
                pthread_mutex_unlock(&behind->mutex);
                pthread_join(behind->thread, NULL);
        }
        behind->failure = SQLITE_OK;
        behind_sweep(behind);
        if (behind->real)
                sqlite3_vfs_unregister(&behind->vfs);
        fd_close(behind->event_fd);
        pthread_cond_destroy(&behind->progress);
        pthread_cond_destroy(&behind->work);
        pthread_mutex_destroy(&behind->mutex);
        free(behind);
        return NULL;
}
