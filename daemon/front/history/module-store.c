/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/module-store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
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
#define MODULE_STORE_NOBODY      UINT32_MAX /* holds the files of unknown jobs */

struct ModuleStore {
        int directory_fd;
        ModuleStoreQuota quota;
        uint64_t stored_bytes;
        LIST_HEAD(, ModuleStoreDraft) drafts;
        uint64_t n_drafts; /* begun so far: they number the drafts' names */
        Database *database;
        Shares *shares;
};

struct ModuleStoreDraft {
        LIST_ENTRY(ModuleStoreDraft) drafts;
        ModuleStore *store;
        uid_t uid;
        const SealedModule *module;
        size_t n_done; /* parts of the module */
        int fd;        /* the open draft's; -1: none is open */
        char name[32];
        uint64_t bytes; /* of the open draft */
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

/* Runs @statement, whose first value is @sha256. */
static int module_store_run(ModuleStore *store, sqlite3_stmt *statement, const char *sha256) {
        sqlite3_bind_text(statement, 1, sha256, -1, SQLITE_STATIC);
        return database_run(store->database, statement);
}

/* The first row of @statement, whose values are bound. False if there is none. */
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

static bool module_store_find(ModuleStore *store, const char *sha256, StoreRow *ret_row) {
        sqlite3_stmt *find = database_statement(store->database, DATABASE_FIND_MODULE);

        sqlite3_bind_text(find, 1, sha256, -1, SQLITE_STATIC);
        return module_store_get(store, find, ret_row);
}

static int module_store_add(ModuleStore *store, const StoreRow *row) {
        sqlite3_stmt *add = database_statement(store->database, DATABASE_ADD_MODULE);
        int r;

        sqlite3_bind_int64(add, 2, row->bytes);
        r = module_store_run(store, add, row->sha256);
        if (r == 0)
                store->stored_bytes += row->bytes;
        return r;
}

static int module_store_forget(ModuleStore *store, const StoreRow *row) {
        int r;

        r = module_store_run(store, database_statement(store->database, DATABASE_REMOVE_MODULE), row->sha256);
        if (r == 0)
                store->stored_bytes -= row->bytes;
        return r;
}

/* Notes that @uid holds the file of @row. */
static int module_store_hold(ModuleStore *store, uid_t uid, const StoreRow *row, uint64_t now_unix_ns) {
        sqlite3_stmt *hold = database_statement(store->database, DATABASE_HOLD_MODULE);

        sqlite3_bind_int64(hold, 1, uid);
        sqlite3_bind_text(hold, 2, row->sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(hold, 3, row->bytes);
        sqlite3_bind_int64(hold, 4, now_unix_ns);
        return database_run(store->database, hold);
}

/* True if @uid (NULL: any user) holds the file @sha256. */
static bool module_store_is_held_by(ModuleStore *store, const uid_t *uid, const char *sha256) {
        sqlite3_stmt *held = database_statement(store->database, DATABASE_IS_HELD);
        bool found;

        sqlite3_bind_text(held, 1, sha256, -1, SQLITE_STATIC);
        if (uid)
                sqlite3_bind_int64(held, 2, *uid);
        found = database_step(store->database, held) > 0;
        sqlite3_reset(held);
        return found;
}

static bool module_store_is_held(ModuleStore *store, const char *sha256) {
        return module_store_is_held_by(store, NULL, sha256);
}

/*
 * Notes that @uid uses the file @sha256. Returns false where that user does not hold it. A file whose use cannot be noted, as on a full
 * disk, is held all the same: it merely goes earlier.
 */
static bool module_store_use(ModuleStore *store, uid_t uid, const char *sha256, uint64_t now_unix_ns) {
        sqlite3_stmt *use = database_statement(store->database, DATABASE_USE_HOLDING);

        if (!module_store_is_held_by(store, &uid, sha256))
                return false;
        sqlite3_bind_int64(use, 1, uid);
        sqlite3_bind_text(use, 2, sha256, -1, SQLITE_STATIC);
        sqlite3_bind_int64(use, 3, now_unix_ns);
        (void)database_run(store->database, use);
        return true;
}

/* The bytes that @uid holds. */
static uint64_t module_store_held(ModuleStore *store, uid_t uid) {
        sqlite3_stmt *read = database_statement(store->database, DATABASE_READ_ACCOUNT);
        uint64_t bytes = 0;

        sqlite3_bind_int64(read, 1, uid);
        if (database_step(store->database, read) > 0)
                bytes = sqlite3_column_int64(read, 1);
        sqlite3_reset(read);
        return bytes;
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

/* The bytes of drafts being written: of @uid, or of all users with MODULE_STORE_NOBODY. */
static uint64_t module_store_reserved(const ModuleStore *store, uid_t uid) {
        const ModuleStoreDraft *draft;
        uint64_t bytes = 0;

        LIST_FOREACH(draft, &store->drafts, drafts) {
                if (draft->fd >= 0 && (uid == MODULE_STORE_NOBODY || draft->uid == uid))
                        bytes += draft->bytes;
        }
        return bytes;
}

/* Ends the holding that @uid used longest ago, and the file if that was its last. False if none may end. */
static bool module_store_end_oldest(ModuleStore *store, uid_t uid) {
        sqlite3_stmt *statement = database_statement(store->database, DATABASE_OLDEST_HOLDING);
        StoreRow oldest, file;
        bool last;

        sqlite3_bind_int64(statement, 1, uid);
        if (!module_store_get(store, statement, &oldest) || database_begin(store->database))
                return false;
        statement = database_statement(store->database, DATABASE_END_HOLDING);
        sqlite3_bind_int64(statement, 1, uid);
        sqlite3_bind_text(statement, 2, oldest.sha256, -1, SQLITE_STATIC);
        if (database_run(store->database, statement)) {
                database_rollback(store->database);
                return false;
        }
        if (!module_store_is_held(store, oldest.sha256) && faccessat(store->directory_fd, oldest.sha256, F_OK, 0) < 0)
                database_wait(store->database); /* it is just being given its name */
        last = !module_store_is_held(store, oldest.sha256) && module_store_find(store, oldest.sha256, &file) &&
               (unlinkat(store->directory_fd, oldest.sha256, 0) == 0 || errno == ENOENT);
        if (last)
                (void)module_store_forget(store, &file);
        if (database_commit(store->database) == 0)
                return true;
        database_rollback(store->database);
        return false;
}

/* Takes a file from the user who holds most, if that is more than the @mine_bytes that @uid would then hold; else from @uid. */
static bool module_store_take_from_largest(ModuleStore *store, uid_t uid, uint64_t mine_bytes) {
        int64_t below_bytes = INT64_MAX, below_uid = INT64_MAX;

        if (module_store_end_oldest(store, MODULE_STORE_NOBODY))
                return true;
        for (;;) {
                sqlite3_stmt *next = database_statement(store->database, DATABASE_LARGEST_HOLDER);
                bool found;

                sqlite3_bind_int64(next, 1, mine_bytes);
                sqlite3_bind_int64(next, 2, below_bytes);
                sqlite3_bind_int64(next, 3, below_uid);
                found = database_step(store->database, next) > 0;
                if (found) {
                        below_uid = sqlite3_column_int64(next, 0);
                        below_bytes = sqlite3_column_int64(next, 1);
                }
                sqlite3_reset(next);
                if (!found)
                        return module_store_end_oldest(store, uid);
                if (module_store_end_oldest(store, below_uid))
                        return true;
        }
}

/*
 * Makes room for a file of @bytes that @uid will hold; a @new one needs room in the store too. Returns 0, E_MORE, or E_FAILED with the
 * quota, of the user's @ret_own or of all, that leaves none.
 */
static int module_store_make_room(ModuleStore *store, uid_t uid, uint64_t bytes, bool new, bool *ret_own) {
        const ModuleStoreQuota *quota = &store->quota;

        *ret_own = bytes > quota->user_bytes;
        if (bytes > quota->user_bytes || bytes > quota->all_bytes)
                return MODULE_STORE_E_FAILED;
        for (size_t i = 0; i < MODULE_STORE_EVICTIONS; i++) {
                const uint64_t mine = module_store_held(store, uid) + module_store_reserved(store, uid) + bytes;
                const uint64_t all = store->stored_bytes + module_store_reserved(store, MODULE_STORE_NOBODY) + bytes;
                bool ended;

                *ret_own = mine > quota->user_bytes;
                if (*ret_own)
                        ended = module_store_end_oldest(store, uid);
                else if (new &&all > quota->all_bytes)
                        ended = module_store_take_from_largest(store, uid, mine);
                else
                        return 0;
                if (!ended)
                        return MODULE_STORE_E_FAILED;
        }
        return MODULE_STORE_E_MORE;
}

/* ---- drafts */

static int draft_fail(ModuleStoreDraft *draft, const char *words) {
        snprintf(draft->words, sizeof draft->words, "the module: %s", words);
        return MODULE_STORE_E_FAILED;
}

static int draft_make_room(ModuleStoreDraft *draft, uint64_t bytes, bool new) {
        bool own;
        int r;

        r = module_store_make_room(draft->store, draft->uid, bytes, new, &own);
        if (r == MODULE_STORE_E_FAILED)
                return draft_fail(draft,
                                own ? "no room within this user's quota (module_quota_per_user= of benchd.conf): unpin a job"
                                    : "no room within the quota of all users (module_quota= of benchd.conf)");
        return r;
}

/* Opens a draft of the part that is next, and takes its room. Returns 0, E_MORE while room is made, or E_FAILED. */
static int draft_open(ModuleStoreDraft *draft) {
        const uint64_t bytes = sealed_module_size(draft->module, draft->n_done);
        ModuleStore *store = draft->store;
        int r;

        r = draft_make_room(draft, bytes, true);
        if (r)
                return r;
        snprintf(draft->name, sizeof draft->name, MODULE_STORE_TEMPORARY "%llu", (unsigned long long)store->n_drafts++);
        draft->fd = openat(store->directory_fd, draft->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (draft->fd < 0)
                return draft_fail(draft, strerrordesc_np(errno));
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
        if (r == 0)
                r = database_sync_file(draft->store->database, draft->fd);
        if (r)
                return draft_fail(draft, strerrordesc_np(-r));
        draft->offset += slice;
        return slice < left ? MODULE_STORE_E_MORE : 0;
}

/* Notes that the file of @row is there, and that @uid holds it; another draft may have brought it meanwhile. */
static int module_store_note(ModuleStore *store, uid_t uid, const StoreRow *row, uint64_t now_unix_ns) {
        StoreRow found;
        int r = 0;

        if (!module_store_find(store, row->sha256, &found))
                r = module_store_add(store, row);
        if (r == 0 && !module_store_use(store, uid, row->sha256, now_unix_ns))
                r = module_store_hold(store, uid, row, now_unix_ns);
        return r;
}

/* Gives a draft that is complete and synced its name in the store. */
static int draft_publish(ModuleStoreDraft *draft, uint64_t now_unix_ns) {
        ModuleStore *store = draft->store;
        StoreRow row = { .bytes = draft->bytes };
        int r;

        memcpy(row.sha256, sealed_module_sha256(draft->module, draft->n_done), sizeof row.sha256);
        r = database_rename_file(store->database, store->directory_fd, draft->name, row.sha256);
        if (r)
                return draft_fail(draft, strerrordesc_np(-r));
        draft->fd = fd_close(draft->fd);
        if (database_begin(store->database) == 0) {
                if (module_store_note(store, draft->uid, &row, now_unix_ns) == 0 &&
                                database_commit(store->database) == 0)
                        return 0;
                database_rollback(store->database);
        }
        database_wait(store->database); /* for its name */
        (void)unlinkat(store->directory_fd, row.sha256, 0);
        store->stored_bytes = module_store_sum(store);
        return draft_fail(draft, database_words(store->database));
}

/* Holds a file that another user brought. */
static int draft_hold(ModuleStoreDraft *draft, const StoreRow *row, uint64_t now_unix_ns) {
        int r;

        r = draft_make_room(draft, row->bytes, false);
        if (r == 0 && module_store_hold(draft->store, draft->uid, row, now_unix_ns))
                return draft_fail(draft, database_words(draft->store->database));
        return r;
}

/* Writes the next slice of the part that is next. Returns 0 when that part is stored. */
static int draft_step_part(ModuleStoreDraft *draft, uint64_t now_unix_ns) {
        const char *sha256 = sealed_module_sha256(draft->module, draft->n_done);
        StoreRow row;
        int r;

        if (draft->fd < 0) {
                if (module_store_use(draft->store, draft->uid, sha256, now_unix_ns))
                        return 0;
                if (module_store_find(draft->store, sha256, &row))
                        return draft_hold(draft, &row, now_unix_ns);
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

int module_store_draft_new(ModuleStore *store, uid_t uid, const SealedModule *module, ModuleStoreDraft **ret_draft) {
        ModuleStoreDraft *draft;

        draft = calloc(1, sizeof *draft);
        if (!draft)
                return error_origin(-ENOMEM);
        *draft = (ModuleStoreDraft){ .store = store, .uid = uid, .module = module, .fd = -1 };
        LIST_INSERT_HEAD(&store->drafts, draft, drafts);
        *ret_draft = draft;
        return 0;
}

ModuleStoreDraft *module_store_draft_free(ModuleStoreDraft *draft) {
        if (!draft)
                return NULL;
        if (draft->fd >= 0) {
                (void)unlinkat(draft->store->directory_fd, draft->name, 0);
                fd_close(draft->fd);
        }
        LIST_REMOVE(draft, drafts);
        free(draft);
        return NULL;
}

/* ---- lending */

/* A file that is just being stored gets its name from a thread. Returns a descriptor, or -1 with errno. */
static int open_stored(ModuleStore *store, const char *sha256) {
        const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
        int fd = openat(store->directory_fd, sha256, flags);

        if (fd >= 0 || errno != ENOENT)
                return fd;
        database_wait(store->database);
        return openat(store->directory_fd, sha256, flags);
}

int module_store_lend(ModuleStore *store, uid_t uid, const char *sha256, uint64_t now_unix_ns,
                ModuleStoreFile *ret_file) {
        _cleanup_(fd_closep) int fd = -1;
        sqlite3_stmt *use = database_statement(store->database, DATABASE_USE_MODULE);
        struct stat status;
        ShareHold bytes = {};
        StoreRow row;
        int r;

        if (!name_is_digest(sha256) || !module_store_find(store, sha256, &row))
                return MODULE_STORE_E_MISSING;
        sqlite3_bind_int64(use, 2, now_unix_ns);
        (void)module_store_run(store, use, sha256);
        fd = open_stored(store, sha256);
        if (fd < 0)
                return errno == ENOENT ? MODULE_STORE_E_MISSING : error_origin(-errno);
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (!S_ISREG(status.st_mode) || status.st_size == 0 || (uint64_t)status.st_size > OPS_MODULE_MAX)
                return MODULE_STORE_E_DAMAGED;
        r = share_take(store->shares, uid, SHARE_RECALLED_BYTES, status.st_size, &bytes);
        if (r)
                return r < 0 ? error_trace(r) : r == SHARE_E_FULL ? MODULE_STORE_E_ALL_BUSY : MODULE_STORE_E_BUSY;
        *ret_file = (ModuleStoreFile){ .fd = fd_take(&fd), .size = status.st_size, .bytes = bytes };
        return 0;
}

void module_store_return(ModuleStoreFile *file) {
        share_release(&file->bytes);
        fd_close(file->fd);
        *file = (ModuleStoreFile){ .fd = -1 };
}

void module_store_discard(ModuleStore *store, const char *sha256) {
        StoreRow row;

        if (!name_is_digest(sha256) || unlinkat(store->directory_fd, sha256, 0) < 0)
                return;
        if (module_store_find(store, sha256, &row))
                (void)module_store_forget(store, &row);
        (void)module_store_run(store, database_statement(store->database, DATABASE_END_HOLDINGS), sha256);
}

/* ---- life */

/* Makes the users of the jobs that name the file of @row its holders; without such a job it has none. */
static void module_store_find_holders(ModuleStore *store, const StoreRow *row, uint64_t used_unix_ns) {
        sqlite3_stmt *adopt = database_statement(store->database, DATABASE_ADOPT_MODULE);

        sqlite3_bind_int64(adopt, 2, row->bytes);
        sqlite3_bind_int64(adopt, 3, used_unix_ns);
        if (module_store_run(store, adopt, row->sha256) == 0 && !module_store_is_held(store, row->sha256))
                (void)module_store_hold(store, MODULE_STORE_NOBODY, row, used_unix_ns);
}

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
        (void)module_store_add(store, &row);
        module_store_find_holders(store, &row, (uint64_t)status.st_mtim.tv_sec * NS_PER_S);
}

/* Removes drafts of an earlier daemon, and adds files without a row. */
static int module_store_read_files(ModuleStore *store) {
        const struct dirent *entry;
        DIR *directory;
        StoreRow row;
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
                else if (!module_store_find(store, entry->d_name, &row))
                        module_store_adopt(store, entry->d_name);
        }
        closedir(directory);
        return 0;
}

/* Forgets the rows whose files are gone, and finds holders for files that have none. */
static void module_store_check_rows(ModuleStore *store) {
        StoreRow row = {};

        for (;;) {
                sqlite3_stmt *next = database_statement(store->database, DATABASE_NEXT_MODULE);
                char after[DIGEST_HEX_BYTES];

                memcpy(after, row.sha256, sizeof after);
                sqlite3_bind_text(next, 1, after, -1, SQLITE_STATIC);
                if (!module_store_get(store, next, &row))
                        return;
                if (faccessat(store->directory_fd, row.sha256, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT) {
                        (void)module_store_forget(store, &row);
                        (void)module_store_run(store, database_statement(store->database, DATABASE_END_HOLDINGS),
                                        row.sha256);
                } else if (!module_store_is_held(store, row.sha256)) {
                        module_store_find_holders(store, &row, 0);
                }
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
        store->stored_bytes = module_store_sum(store);
        return error_trace(r);
}

int module_store_new(const char *directory, ModuleStoreQuota quota, History *history, Shares *shares,
                ModuleStore **ret_store) {
        _cleanup_(module_store_freep) ModuleStore *store = NULL;
        int r;

        store = calloc(1, sizeof *store);
        if (!store)
                return error_origin(-ENOMEM);
        *store = (ModuleStore){
                .directory_fd = -1,
                .quota = quota,
                .database = history_database(history),
                .shares = shares,
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
