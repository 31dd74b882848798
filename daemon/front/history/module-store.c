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
#include "front/history/sealed-module.h"
#include "ops/ops.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define MODULE_STORE_EVICTIONS   16u        /* at a time */
#define MODULE_STORE_SLICE_BYTES (1u << 20) /* written at a time */
#define MODULE_STORE_TEMPORARY   ".part-"

struct ModuleStore {
        int directory_fd;
        uint64_t max_bytes;
        uint64_t reserved_bytes; /* by drafts that are being written */
        uint64_t n_drafts;       /* begun so far: they number the drafts' names */
        size_t lent_bytes;
        Database *database;
};

struct ModuleStoreDraft {
        ModuleStore *store;
        const SealedModule *module;
        size_t n_done; /* parts of the module */
        int fd;        /* the open draft's; -1: none is open */
        char name[32];
        uint64_t bytes;
        uint64_t offset;
        char words[DATABASE_WORDS_MAX];
};

/* A file of the store, as the database has it. */
typedef struct StoreRow {
        char sha256[DIGEST_HEX_BYTES];
        uint64_t bytes;
} StoreRow;

static bool name_is_digest(const char *name) {
        return strlen(name) == DIGEST_HEX_BYTES - 1 && strspn(name, "0123456789abcdef") == DIGEST_HEX_BYTES - 1;
}

/* ---- rows */

static int module_store_add(ModuleStore *store, const StoreRow *row, uint64_t now_unix_ns) {
        sqlite3_stmt *add = database_statement(store->database, DATABASE_ADD_MODULE);

        sqlite3_bind_text(add, 1, row->sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(add, 2, row->bytes);
        sqlite3_bind_int64(add, 3, now_unix_ns);
        return database_run(store->database, add);
}

static int module_store_forget(ModuleStore *store, const char *sha256) {
        sqlite3_stmt *remove = database_statement(store->database, DATABASE_REMOVE_MODULE);

        sqlite3_bind_text(remove, 1, sha256, -1, SQLITE_STATIC);
        return database_run(store->database, remove);
}

/* Notes the use of the file @sha256. Returns false where the store does not have it. */
static bool module_store_use(ModuleStore *store, const char *sha256, uint64_t now_unix_ns) {
        sqlite3_stmt *use = database_statement(store->database, DATABASE_USE_MODULE);

        sqlite3_bind_text(use, 1, sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(use, 2, now_unix_ns);
        return database_run(store->database, use) == 0 && database_count_changed(store->database) > 0;
}

/* The first row of @statement, which has its values. False where there is none. */
static bool module_store_get(ModuleStore *store, sqlite3_stmt *statement, StoreRow *ret_row) {
        bool found = database_step(store->database, statement) > 0;

        if (found) {
                snprintf(ret_row->sha256, sizeof ret_row->sha256, "%s",
                                (const char *)sqlite3_column_text(statement, 0));
                ret_row->bytes = sqlite3_column_int64(statement, 1);
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

/* Removes the file that was least recently used. Returns its bytes, or 0 if none may be removed. */
static uint64_t module_store_evict(ModuleStore *store) {
        StoreRow oldest;

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
                uint64_t freed = i < MODULE_STORE_EVICTIONS ? module_store_evict(store) : 0;

                if (freed == 0)
                        return i < MODULE_STORE_EVICTIONS ? MODULE_STORE_E_FAILED : MODULE_STORE_E_MORE;
                used -= freed;
        }
        return 0;
}

/* ---- drafts */

static int draft_fail(ModuleStoreDraft *draft, const char *words) {
        snprintf(draft->words, sizeof draft->words, "the module: %s", words);
        return MODULE_STORE_E_FAILED;
}

/* Opens a draft of the part that is next, and takes its room. Returns 0, E_MORE while room is made, or E_FAILED. */
static int draft_open(ModuleStoreDraft *draft) {
        const uint64_t bytes = sealed_module_size(draft->module, draft->n_done);
        ModuleStore *store = draft->store;
        int r;

        r = module_store_make_room(store, bytes);
        if (r == MODULE_STORE_E_FAILED)
                return draft_fail(draft, "no room within the quota");
        if (r)
                return r;
        snprintf(draft->name, sizeof draft->name, MODULE_STORE_TEMPORARY "%llu", (unsigned long long)store->n_drafts++);
        draft->fd = openat(store->directory_fd, draft->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (draft->fd < 0)
                return draft_fail(draft, strerrordesc_np(errno));
        store->reserved_bytes += bytes;
        draft->bytes = bytes;
        draft->offset = 0;
        return 0;
}

/* Writes the next slice of the draft that is open. */
static int draft_write(ModuleStoreDraft *draft) {
        const size_t left = draft->bytes - draft->offset;
        const size_t slice = left < MODULE_STORE_SLICE_BYTES ? left : MODULE_STORE_SLICE_BYTES;
        size_t n;
        int r;

        r = fd_copy(sealed_module_fds(draft->module, &n)[draft->n_done], draft->fd, draft->offset, slice);
        if (r == 0 && fdatasync(draft->fd) < 0)
                r = error_origin(-errno);
        if (r)
                return draft_fail(draft, strerrordesc_np(-r));
        draft->offset += slice;
        return slice < left ? MODULE_STORE_E_MORE : 0;
}

static void draft_close(ModuleStoreDraft *draft) {
        draft->store->reserved_bytes -= draft->bytes;
        draft->fd = fd_close(draft->fd);
}

/* Gives a draft that is complete and synced its name in the store. */
static int draft_publish(ModuleStoreDraft *draft, uint64_t now_unix_ns) {
        ModuleStore *store = draft->store;
        StoreRow row = { .bytes = draft->bytes };

        memcpy(row.sha256, sealed_module_sha256(draft->module, draft->n_done), sizeof row.sha256);
        if (renameat(store->directory_fd, draft->name, store->directory_fd, row.sha256) < 0 ||
                        fsync(store->directory_fd) < 0)
                return draft_fail(draft, strerrordesc_np(errno));
        draft_close(draft);
        if (module_store_add(store, &row, now_unix_ns) == 0)
                return 0;
        (void)unlinkat(store->directory_fd, row.sha256, 0);
        return draft_fail(draft, database_words(store->database));
}

/* Writes the next slice of the part that is next. Returns 0 when that part is stored. */
static int draft_step_part(ModuleStoreDraft *draft, uint64_t now_unix_ns) {
        int r;

        if (draft->fd < 0) {
                if (module_store_use(draft->store, sealed_module_sha256(draft->module, draft->n_done), now_unix_ns))
                        return 0;
                r = draft_open(draft);
                if (r)
                        return r;
        }
        r = draft_write(draft);
        return r ? r : draft_publish(draft, now_unix_ns);
}

int module_store_draft_step(ModuleStoreDraft *draft, uint64_t now_unix_ns) {
        size_t n;
        int r;

        sealed_module_fds(draft->module, &n);
        if (draft->n_done == n)
                return 0;
        r = draft_step_part(draft, now_unix_ns);
        if (r)
                return r;
        return ++draft->n_done < n ? MODULE_STORE_E_MORE : 0;
}

const char *module_store_draft_words(const ModuleStoreDraft *draft) {
        return draft->words;
}

int module_store_draft_new(ModuleStore *store, const SealedModule *module, ModuleStoreDraft **ret_draft) {
        ModuleStoreDraft *draft;

        draft = calloc(1, sizeof *draft);
        if (!draft)
                return error_origin(-ENOMEM);
        *draft = (ModuleStoreDraft){ .store = store, .module = module, .fd = -1 };
        *ret_draft = draft;
        return 0;
}

ModuleStoreDraft *module_store_draft_free(ModuleStoreDraft *draft) {
        if (!draft)
                return NULL;
        if (draft->fd >= 0) {
                (void)unlinkat(draft->store->directory_fd, draft->name, 0);
                draft_close(draft);
        }
        free(draft);
        return NULL;
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
        if (store->lent_bytes + status.st_size > MODULE_STORE_LENT_MAX)
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

/* Adds a file without a row: it was stored just before the daemon ended, or for a history that was set aside. */
static void module_store_adopt(ModuleStore *store, const char *name) {
        StoreRow row = {};
        struct stat status;

        if (!name_is_digest(name))
                return;
        memcpy(row.sha256, name, sizeof row.sha256);
        if (fstatat(store->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
                return;
        row.bytes = status.st_size;
        (void)module_store_add(store, &row, (uint64_t)status.st_mtim.tv_sec * NS_PER_S);
}

static bool module_store_knows(ModuleStore *store, const char *name) {
        sqlite3_stmt *find = database_statement(store->database, DATABASE_FIND_MODULE);
        StoreRow row;

        sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
        return module_store_get(store, find, &row);
}

/* Removes drafts of an earlier daemon, and adds files without a row. */
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
                if (strncmp(entry->d_name, MODULE_STORE_TEMPORARY, strlen(MODULE_STORE_TEMPORARY)) == 0)
                        (void)unlinkat(store->directory_fd, entry->d_name, 0);
                else if (!module_store_knows(store, entry->d_name))
                        module_store_adopt(store, entry->d_name);
        }
        closedir(directory);
        return 0;
}

/* Forgets the rows whose files are gone. */
static void module_store_check_rows(ModuleStore *store) {
        StoreRow row = {};

        for (;;) {
                sqlite3_stmt *next = database_statement(store->database, DATABASE_NEXT_MODULE);
                char after[DIGEST_HEX_BYTES];

                memcpy(after, row.sha256, sizeof after);
                sqlite3_bind_text(next, 1, after, -1, SQLITE_STATIC);
                if (!module_store_get(store, next, &row))
                        return;
                if (faccessat(store->directory_fd, row.sha256, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
                        (void)module_store_forget(store, row.sha256);
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

int module_store_new(const char *directory, uint64_t max_bytes, History *history, ModuleStore **ret_store) {
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
        *ret_store = take_pointer(store);
        return 0;
}

ModuleStore *module_store_free(ModuleStore *store) {
        if (!store)
                return NULL;
        fd_close(store->directory_fd);
        free(store);
        return NULL;
}
