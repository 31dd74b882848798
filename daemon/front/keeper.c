/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/database.h"
#include "front/digest.h"
#include "front/history.h"
#include "front/schema.h"
#include "ops/ops.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define KEEPER_EVICTIONS 16u /* at a time */
#define KEEPER_TEMPORARY ".part-"

struct Keeper {
        int directory_fd;
        uint64_t max_bytes;
        uint64_t reserved_bytes; /* of files that are being copied */
        uint64_t n_files;        /* begun so far: names of temporary files */
        size_t lent_bytes;
        Database *database;
};

/* One row of what is kept. */
typedef struct Kept {
        char sha256[DIGEST_HEX_BYTES];
        uint64_t bytes;
} Kept;

static bool name_is_digest(const char *name) {
        return strlen(name) == DIGEST_HEX_BYTES - 1 && strspn(name, "0123456789abcdef") == DIGEST_HEX_BYTES - 1;
}

/* ---- rows */

static int keeper_add(Keeper *keeper, const Kept *kept, uint64_t now_unix_ns) {
        sqlite3_stmt *add = database_statement(keeper->database, SCHEMA_ADD_MODULE);

        sqlite3_bind_text(add, 1, kept->sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(add, 2, kept->bytes);
        sqlite3_bind_int64(add, 3, now_unix_ns);
        return database_run(keeper->database, add);
}

static int keeper_forget(Keeper *keeper, const char *sha256) {
        sqlite3_stmt *remove = database_statement(keeper->database, SCHEMA_REMOVE_MODULE);

        sqlite3_bind_text(remove, 1, sha256, -1, SQLITE_STATIC);
        return database_run(keeper->database, remove);
}

bool keeper_use(Keeper *keeper, const char *sha256, uint64_t now_unix_ns) {
        sqlite3_stmt *use = database_statement(keeper->database, SCHEMA_USE_MODULE);

        sqlite3_bind_text(use, 1, sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(use, 2, now_unix_ns);
        return database_run(keeper->database, use) == 0 && database_count_changed(keeper->database) > 0;
}

/* The module in the row that @statement, bound, gives. Returns whether there is one. */
static bool keeper_get(Keeper *keeper, sqlite3_stmt *statement, Kept *ret_kept) {
        bool found = database_step(keeper->database, statement) > 0;

        if (found) {
                snprintf(ret_kept->sha256, sizeof ret_kept->sha256, "%s",
                                (const char *)sqlite3_column_text(statement, 0));
                ret_kept->bytes = sqlite3_column_int64(statement, 1);
        }
        sqlite3_reset(statement);
        return found;
}

static uint64_t keeper_sum(Keeper *keeper) {
        sqlite3_stmt *sum = database_statement(keeper->database, SCHEMA_SUM_MODULES);
        uint64_t bytes = 0;

        if (database_step(keeper->database, sum) > 0)
                bytes = sqlite3_column_int64(sum, 0);
        sqlite3_reset(sum);
        return bytes;
}

/* ---- room */

/* Removes the module that was not used for the longest time. Returns its bytes, or 0 if there is none to remove. */
static uint64_t keeper_evict(Keeper *keeper) {
        Kept oldest;

        if (!keeper_get(keeper, database_statement(keeper->database, SCHEMA_OLDEST_MODULE), &oldest))
                return 0;
        if (unlinkat(keeper->directory_fd, oldest.sha256, 0) < 0 && errno != ENOENT)
                return 0;
        return keeper_forget(keeper, oldest.sha256) ? 0 : oldest.bytes;
}

static int keeper_make_room(Keeper *keeper, uint64_t bytes) {
        uint64_t used = keeper_sum(keeper) + keeper->reserved_bytes;

        if (bytes > keeper->max_bytes)
                return KEEPER_E_FAILED;
        for (size_t i = 0; used + bytes > keeper->max_bytes; i++) {
                uint64_t freed = i < KEEPER_EVICTIONS ? keeper_evict(keeper) : 0;

                if (freed == 0)
                        return i < KEEPER_EVICTIONS ? KEEPER_E_FAILED : KEEPER_E_MORE;
                used -= freed;
        }
        return 0;
}

/* ---- what is to be kept */

int keeper_draft_open(Keeper *keeper, uint64_t bytes, KeeperDraft *ret_draft) {
        KeeperDraft draft = { .bytes = bytes };
        int r;

        r = keeper_make_room(keeper, bytes);
        if (r)
                return r;
        snprintf(draft.name, sizeof draft.name, KEEPER_TEMPORARY "%llu", (unsigned long long)keeper->n_files++);
        draft.fd = openat(keeper->directory_fd, draft.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (draft.fd < 0)
                return error_origin(-errno);
        keeper->reserved_bytes += bytes;
        *ret_draft = draft;
        return 0;
}

static void keeper_draft_release(Keeper *keeper, KeeperDraft *draft) {
        keeper->reserved_bytes -= draft->bytes;
        fd_close(draft->fd);
        *draft = KEEPER_DRAFT_NULL;
}

void keeper_draft_drop(Keeper *keeper, KeeperDraft *draft) {
        if (draft->fd < 0)
                return;
        (void)unlinkat(keeper->directory_fd, draft->name, 0);
        keeper_draft_release(keeper, draft);
}

int keeper_draft_keep(Keeper *keeper, KeeperDraft *draft, const char *sha256, uint64_t now_unix_ns) {
        Kept kept = { .bytes = draft->bytes };

        memcpy(kept.sha256, sha256, sizeof kept.sha256);
        if (renameat(keeper->directory_fd, draft->name, keeper->directory_fd, kept.sha256) < 0 ||
                        fsync(keeper->directory_fd) < 0)
                return error_origin(-errno);
        keeper_draft_release(keeper, draft);
        if (keeper_add(keeper, &kept, now_unix_ns) == 0)
                return 0;
        (void)unlinkat(keeper->directory_fd, kept.sha256, 0);
        return KEEPER_E_FAILED;
}

const char *keeper_words(const Keeper *keeper) {
        return database_words(keeper->database);
}

/* ---- lending */

int keeper_lend(Keeper *keeper, const char *sha256, uint64_t now_unix_ns, KeptFile *ret_file) {
        _cleanup_(fd_closep) int fd = -1;
        struct stat status;

        if (!name_is_digest(sha256) || !keeper_use(keeper, sha256, now_unix_ns))
                return KEEPER_E_MISSING;
        fd = openat(keeper->directory_fd, sha256, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? KEEPER_E_MISSING : error_origin(-errno);
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (!S_ISREG(status.st_mode) || status.st_size == 0 || (uint64_t)status.st_size > OPS_MODULE_MAX)
                return KEEPER_E_DAMAGED;
        if (keeper->lent_bytes + status.st_size > KEEPER_LENT_MAX)
                return KEEPER_E_BUSY;
        keeper->lent_bytes += status.st_size;
        *ret_file = (KeptFile){ .fd = fd_take(&fd), .size = status.st_size };
        return 0;
}

void keeper_return(Keeper *keeper, KeptFile *file) {
        keeper->lent_bytes -= file->size;
        fd_close(file->fd);
        *file = (KeptFile){ .fd = -1 };
}

void keeper_discard(Keeper *keeper, const char *sha256) {
        if (name_is_digest(sha256) && unlinkat(keeper->directory_fd, sha256, 0) == 0)
                (void)keeper_forget(keeper, sha256);
}

/* ---- life */

/* A file that is kept, and that the history does not know: it was written just before an end, or for a history that was set aside. */
static void keeper_adopt(Keeper *keeper, const char *name) {
        Kept kept = {};
        struct stat status;

        if (!name_is_digest(name))
                return;
        memcpy(kept.sha256, name, sizeof kept.sha256);
        if (fstatat(keeper->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
                return;
        kept.bytes = status.st_size;
        (void)keeper_add(keeper, &kept, (uint64_t)status.st_mtim.tv_sec * NS_PER_S);
}

static bool keeper_knows(Keeper *keeper, const char *name) {
        sqlite3_stmt *find = database_statement(keeper->database, SCHEMA_FIND_MODULE);
        Kept kept;

        sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
        return keeper_get(keeper, find, &kept);
}

/* Goes through the files: what is half done goes, what is not known is noted. */
static int keeper_read_files(Keeper *keeper) {
        const struct dirent *entry;
        DIR *directory;
        int fd;

        fd = fcntl(keeper->directory_fd, F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
                return error_origin(-errno);
        directory = fdopendir(fd);
        if (!directory) {
                fd_close(fd);
                return error_origin(-ENOMEM);
        }
        while ((entry = readdir(directory))) {
                if (strncmp(entry->d_name, KEEPER_TEMPORARY, strlen(KEEPER_TEMPORARY)) == 0)
                        (void)unlinkat(keeper->directory_fd, entry->d_name, 0);
                else if (!keeper_knows(keeper, entry->d_name))
                        keeper_adopt(keeper, entry->d_name);
        }
        closedir(directory);
        return 0;
}

/* Goes through the rows: those of files that are gone go too. */
static void keeper_check_rows(Keeper *keeper) {
        Kept kept = {};

        for (;;) {
                sqlite3_stmt *next = database_statement(keeper->database, SCHEMA_NEXT_MODULE);
                char after[DIGEST_HEX_BYTES];

                memcpy(after, kept.sha256, sizeof after);
                sqlite3_bind_text(next, 1, after, -1, SQLITE_STATIC);
                if (!keeper_get(keeper, next, &kept))
                        return;
                if (faccessat(keeper->directory_fd, kept.sha256, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
                        (void)keeper_forget(keeper, kept.sha256);
        }
}

static int keeper_open(Keeper *keeper, const char *directory) {
        int r;

        if (mkdir(directory, 0700) < 0 && errno != EEXIST)
                return error_origin(-errno);
        keeper->directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (keeper->directory_fd < 0)
                return error_origin(-errno);
        if (database_begin(keeper->database))
                return 0;
        keeper_check_rows(keeper);
        r = keeper_read_files(keeper);
        if (database_commit(keeper->database))
                database_rollback(keeper->database);
        return error_trace(r);
}

int keeper_new(const char *directory, uint64_t max_bytes, History *history, Keeper **ret_keeper) {
        _cleanup_(keeper_freep) Keeper *keeper = NULL;
        int r;

        keeper = calloc(1, sizeof *keeper);
        if (!keeper)
                return error_origin(-ENOMEM);
        *keeper = (Keeper){
                .directory_fd = -1,
                .max_bytes = max_bytes,
                .database = history_database(history),
        };
        r = keeper_open(keeper, directory);
        if (r)
                return error_trace(r);
        *ret_keeper = take_pointer(keeper);
        return 0;
}

Keeper *keeper_free(Keeper *keeper) {
        if (!keeper)
                return NULL;
        fd_close(keeper->directory_fd);
        free(keeper);
        return NULL;
}
