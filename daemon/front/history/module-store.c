/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/module-store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/base/digest.h"
#include "front/history/database.h"
#include "front/history/history.h"
#include "ops/ops.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define KEEPER_EVICTIONS 16u /* at a time */
#define KEEPER_TEMPORARY ".part-"

struct ModuleStore {
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

static int module_store_add(ModuleStore *store, const Kept *kept, uint64_t now_unix_ns) {
        sqlite3_stmt *add = database_statement(store->database, DATABASE_ADD_MODULE);

        sqlite3_bind_text(add, 1, kept->sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(add, 2, kept->bytes);
        sqlite3_bind_int64(add, 3, now_unix_ns);
        return database_run(store->database, add);
}

static int module_store_forget(ModuleStore *store, const char *sha256) {
        sqlite3_stmt *remove = database_statement(store->database, DATABASE_REMOVE_MODULE);

        sqlite3_bind_text(remove, 1, sha256, -1, SQLITE_STATIC);
        return database_run(store->database, remove);
}

bool module_store_use(ModuleStore *store, const char *sha256, uint64_t now_unix_ns) {
        sqlite3_stmt *use = database_statement(store->database, DATABASE_USE_MODULE);

        sqlite3_bind_text(use, 1, sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(use, 2, now_unix_ns);
        return database_run(store->database, use) == 0 && database_count_changed(store->database) > 0;
}

/* The module in the row that @statement, bound, gives. Returns whether there is one. */
static bool module_store_get(ModuleStore *store, sqlite3_stmt *statement, Kept *ret_kept) {
        bool found = database_step(store->database, statement) > 0;

        if (found) {
                snprintf(ret_kept->sha256, sizeof ret_kept->sha256, "%s",
                                (const char *)sqlite3_column_text(statement, 0));
                ret_kept->bytes = sqlite3_column_int64(statement, 1);
        }
        sqlite3_reset(statement);
        return found;
}

static uint64_t module_store_sum(ModuleStore *store) {
        sqlite3_stmt *sum = database_statement(store->database, DATABASE_SUM_MODULES);
        uint64_t bytes = 0;

        if (database_step(store->database, sum) > 0)
                bytes = sqlite3_column_int64(sum, 0);
        sqlite3_reset(sum);
        return bytes;
}

/* ---- room */

/* Removes the module that was not used for the longest time. Returns its bytes, or 0 if there is none to remove. */
static uint64_t module_store_evict(ModuleStore *store) {
        Kept oldest;

        if (!module_store_get(store, database_statement(store->database, DATABASE_OLDEST_MODULE), &oldest))
                return 0;
        if (unlinkat(store->directory_fd, oldest.sha256, 0) < 0 && errno != ENOENT)
                return 0;
        return module_store_forget(store, oldest.sha256) ? 0 : oldest.bytes;
}

static int module_store_make_room(ModuleStore *store, uint64_t bytes) {
        uint64_t used = module_store_sum(store) + store->reserved_bytes;

        if (bytes > store->max_bytes)
                return MODULE_STORE_E_FAILED;
        for (size_t i = 0; used + bytes > store->max_bytes; i++) {
                uint64_t freed = i < KEEPER_EVICTIONS ? module_store_evict(store) : 0;

                if (freed == 0)
                        return i < KEEPER_EVICTIONS ? MODULE_STORE_E_FAILED : MODULE_STORE_E_MORE;
                used -= freed;
        }
        return 0;
}

/* ---- what is to be kept */

int module_store_draft_open(ModuleStore *store, uint64_t bytes, ModuleStoreDraft *ret_draft) {
        ModuleStoreDraft draft = { .bytes = bytes };
        int r;

        r = module_store_make_room(store, bytes);
        if (r)
                return r;
        snprintf(draft.name, sizeof draft.name, KEEPER_TEMPORARY "%llu", (unsigned long long)store->n_files++);
        draft.fd = openat(store->directory_fd, draft.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (draft.fd < 0)
                return error_origin(-errno);
        store->reserved_bytes += bytes;
        *ret_draft = draft;
        return 0;
}

static void module_store_draft_release(ModuleStore *store, ModuleStoreDraft *draft) {
        store->reserved_bytes -= draft->bytes;
        fd_close(draft->fd);
        *draft = KEEPER_DRAFT_NULL;
}

void module_store_draft_drop(ModuleStore *store, ModuleStoreDraft *draft) {
        if (draft->fd < 0)
                return;
        (void)unlinkat(store->directory_fd, draft->name, 0);
        module_store_draft_release(store, draft);
}

int module_store_draft_keep(ModuleStore *store, ModuleStoreDraft *draft, const char *sha256, uint64_t now_unix_ns) {
        Kept kept = { .bytes = draft->bytes };

        memcpy(kept.sha256, sha256, sizeof kept.sha256);
        if (renameat(store->directory_fd, draft->name, store->directory_fd, kept.sha256) < 0 ||
                        fsync(store->directory_fd) < 0)
                return error_origin(-errno);
        module_store_draft_release(store, draft);
        if (module_store_add(store, &kept, now_unix_ns) == 0)
                return 0;
        (void)unlinkat(store->directory_fd, kept.sha256, 0);
        return MODULE_STORE_E_FAILED;
}

const char *module_store_words(const ModuleStore *store) {
        return database_words(store->database);
}

/* ---- lending */

int module_store_lend(ModuleStore *store, const char *sha256, uint64_t now_unix_ns, StoredFile *ret_file) {
        _cleanup_(fd_closep) int fd = -1;
        struct stat status;

        if (!name_is_digest(sha256) || !module_store_use(store, sha256, now_unix_ns))
                return MODULE_STORE_E_MISSING;
        fd = openat(store->directory_fd, sha256, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? MODULE_STORE_E_MISSING : error_origin(-errno);
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (!S_ISREG(status.st_mode) || status.st_size == 0 || (uint64_t)status.st_size > OPS_MODULE_MAX)
                return MODULE_STORE_E_DAMAGED;
        if (store->lent_bytes + status.st_size > KEEPER_LENT_MAX)
                return MODULE_STORE_E_BUSY;
        store->lent_bytes += status.st_size;
        *ret_file = (StoredFile){ .fd = fd_take(&fd), .size = status.st_size };
        return 0;
}

void module_store_return(ModuleStore *store, StoredFile *file) {
        store->lent_bytes -= file->size;
        fd_close(file->fd);
        *file = (StoredFile){ .fd = -1 };
}

void module_store_discard(ModuleStore *store, const char *sha256) {
        if (name_is_digest(sha256) && unlinkat(store->directory_fd, sha256, 0) == 0)
                (void)module_store_forget(store, sha256);
}

/* ---- life */

/* A file that is kept, and that the history does not know: it was written just before an end, or for a history that was set aside. */
static void module_store_adopt(ModuleStore *store, const char *name) {
        Kept kept = {};
        struct stat status;

        if (!name_is_digest(name))
                return;
        memcpy(kept.sha256, name, sizeof kept.sha256);
        if (fstatat(store->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
                return;
        kept.bytes = status.st_size;
        (void)module_store_add(store, &kept, (uint64_t)status.st_mtim.tv_sec * NS_PER_S);
}

static bool module_store_knows(ModuleStore *store, const char *name) {
        sqlite3_stmt *find = database_statement(store->database, DATABASE_FIND_MODULE);
        Kept kept;

        sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
        return module_store_get(store, find, &kept);
}

/* Goes through the files: what is half done goes, what is not known is noted. */
static int module_store_read_files(ModuleStore *store) {
        const struct dirent *entry;
        DIR *directory;
        int fd;

        fd = fcntl(store->directory_fd, F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
                return error_origin(-errno);
        directory = fdopendir(fd);
        if (!directory) {
                fd_close(fd);
                return error_origin(-ENOMEM);
        }
        while ((entry = readdir(directory))) {
                if (strncmp(entry->d_name, KEEPER_TEMPORARY, strlen(KEEPER_TEMPORARY)) == 0)
                        (void)unlinkat(store->directory_fd, entry->d_name, 0);
                else if (!module_store_knows(store, entry->d_name))
                        module_store_adopt(store, entry->d_name);
        }
        closedir(directory);
        return 0;
}

/* Goes through the rows: those of files that are gone go too. */
static void module_store_check_rows(ModuleStore *store) {
        Kept kept = {};

        for (;;) {
                sqlite3_stmt *next = database_statement(store->database, DATABASE_NEXT_MODULE);
                char after[DIGEST_HEX_BYTES];

                memcpy(after, kept.sha256, sizeof after);
                sqlite3_bind_text(next, 1, after, -1, SQLITE_STATIC);
                if (!module_store_get(store, next, &kept))
                        return;
                if (faccessat(store->directory_fd, kept.sha256, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
                        (void)module_store_forget(store, kept.sha256);
        }
}

static int module_store_open(ModuleStore *store, const char *directory) {
        int r;

        if (mkdir(directory, 0700) < 0 && errno != EEXIST)
                return error_origin(-errno);
        store->directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (store->directory_fd < 0)
                return error_origin(-errno);
        if (database_begin(store->database))
                return 0;
        module_store_check_rows(store);
        r = module_store_read_files(store);
        if (database_commit(store->database))
                database_rollback(store->database);
        return error_trace(r);
}

int module_store_new(const char *directory, uint64_t max_bytes, History *history, ModuleStore **ret_keeper) {
        _cleanup_(module_store_freep) ModuleStore *store = NULL;
        int r;

        store = calloc(1, sizeof *store);
        if (!store)
                return error_origin(-ENOMEM);
        *store = (ModuleStore){
                .directory_fd = -1,
                .max_bytes = max_bytes,
                .database = history_database(history),
        };
        r = module_store_open(store, directory);
        if (r)
                return error_trace(r);
        *ret_keeper = take_pointer(store);
        return 0;
}

ModuleStore *module_store_free(ModuleStore *store) {
        if (!store)
                return NULL;
        fd_close(store->directory_fd);
        free(store);
        return NULL;
}
