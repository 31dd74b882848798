/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/restore-journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"

#define HEADER        "benchd restore journal 1\n"
#define JOURNAL_MAX   (16u << 20)  /* bytes: a larger file is not a journal */
#define REWRITE_ABOVE (128u << 10) /* bytes: then the journal is rewritten without finished entries */

/* The records of the journal, folded into one entry per key that is to be restored. */
typedef struct RestoreEntries {
        RestoreEntry *entries;
        size_t n_entries;
} RestoreEntries;

struct RestoreJournal {
        RootDir *root;
        char *path;
        int fd;
        off_t size;
        RestoreEntries entries;
        RestoreDamage damage;
};

/* ---- entries */

static void entry_clear(RestoreEntry *entry) {
        for (size_t i = 0; i < entry->n_ours; i++)
                free(entry->ours[i]);
        free(entry->ours);
        free(entry->key);
        free(entry->was);
}

static RestoreEntry *entries_find(const RestoreEntries *entries, RestoreKind kind, const char *key) {
        for (size_t i = 0; i < entries->n_entries; i++)
                if (entries->entries[i].kind == kind && strcmp(entries->entries[i].key, key) == 0)
                        return &entries->entries[i];
        return NULL;
}

bool restore_journal_entry_is_ours(const RestoreEntry *entry, const char *value) {
        for (size_t i = 0; i < entry->n_ours; i++)
                if (strcmp(entry->ours[i], value) == 0)
                        return true;
        return false;
}

static int entry_add_ours(RestoreEntry *entry, const char *value) {
        char **ours;

        if (restore_journal_entry_is_ours(entry, value))
                return 0;
        ours = reallocarray(entry->ours, entry->n_ours + 1, sizeof *ours);
        if (!ours)
                return error_origin(-ENOMEM);
        entry->ours = ours;
        ours[entry->n_ours] = strdup(value);
        if (!ours[entry->n_ours])
                return error_origin(-ENOMEM);
        entry->n_ours++;
        return 0;
}

static int entries_add(RestoreEntries *entries, const RestoreRecord *record) {
        RestoreEntry *grown, entry = { .kind = record->kind };

        grown = reallocarray(entries->entries, entries->n_entries + 1, sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        entries->entries = grown;
        entry.key = strdup(record->key);
        entry.was = strdup(record->was);
        if (!entry.key || !entry.was) {
                entry_clear(&entry);
                return error_origin(-ENOMEM);
        }
        grown[entries->n_entries++] = entry;
        return 0;
}

static int fold_noted(RestoreEntries *entries, const RestoreRecord *record) {
        RestoreEntry *entry = entries_find(entries, record->kind, record->key);
        int r;

        if (!entry) {
                r = entries_add(entries, record);
                if (r)
                        return error_trace(r);
                entry = &entries->entries[entries->n_entries - 1];
        }
        entry->unconfirmed = true;
        return error_trace(entry_add_ours(entry, record->is));
}

static int fold_confirmed(RestoreEntries *entries, const RestoreRecord *record) {
        RestoreEntry *entry = entries_find(entries, record->kind, record->key);

        if (!entry)
                return 0;
        entry->unconfirmed = false;
        return error_trace(entry_add_ours(entry, record->is));
}

static int fold_done(RestoreEntries *entries, const RestoreRecord *record) {
        RestoreEntry *entry = entries_find(entries, record->kind, record->key);
        size_t after;

        if (!entry)
                return 0;
        after = entries->entries + entries->n_entries - (entry + 1);
        entry_clear(entry);
        memmove(entry, entry + 1, after * sizeof *entry);
        entries->n_entries--;
        return 0;
}

/* Folds @record in; one that confirms or forgets a key without a note changes nothing. */
static int entries_fold(RestoreEntries *entries, const RestoreRecord *record) {
        static int (*const folds[_RESTORE_PHASE_N])(RestoreEntries * entries, const RestoreRecord *record) = {
                [RESTORE_NOTED] = fold_noted,
                [RESTORE_CONFIRMED] = fold_confirmed,
                [RESTORE_DONE] = fold_done,
        };

        return error_trace(folds[record->phase](entries, record));
}

/* ---- closing */

RestoreJournal *restore_journal_close(RestoreJournal *journal) {
        if (!journal)
                return NULL;
        fd_close(journal->fd);
        for (size_t i = 0; i < journal->entries.n_entries; i++)
                entry_clear(&journal->entries.entries[i]);
        free(journal->entries.entries);
        free(journal->path);
        free(journal);
        return NULL;
}

/* ---- opening */

/* Takes a record lock, which ends with this process even if forks of it live on. */
static int lock_take(int fd) {
        struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

        if (fcntl(fd, F_SETLK, &lock) == 0)
                return 0;
        return errno == EACCES || errno == EAGAIN ? RESTORE_JOURNAL_E_HELD : error_origin(-errno);
}

/* Opens and locks the file that has the name now: its holder may have replaced the file meanwhile. */
static int file_open(RootDir *root, const char *path, int *ret_fd) {
        for (;;) {
                _cleanup_(fd_closep) int fd = -1;
                struct stat opened, named;
                int r;

                fd = openat(root_dir_fd(root), path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                                0600);
                if (fd < 0)
                        return error_origin(-errno);
                if (fstat(fd, &opened) < 0)
                        return error_origin(-errno);
                /* Another user's file is set aside, locked or not. */
                r = opened.st_uid == geteuid() ? lock_take(fd) : 0;
                if (r)
                        return error_trace(r);
                if (fstatat(root_dir_fd(root), path, &named, AT_SYMLINK_NOFOLLOW) < 0 ||
                                named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
                        continue;
                *ret_fd = fd_take(&fd);
                return 0;
        }
}

/* Only this user may have written it. */
static bool file_is_ours(const struct stat *status) {
        return S_ISREG(status->st_mode) && status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH)) &&
               status->st_size <= JOURNAL_MAX;
}

/* Folds @line of @n bytes in, whose newline is already a zero byte. Returns 0, E_CORRUPT, or a negative errno. */
static int journal_fold_line(RestoreJournal *journal, const char *line, size_t n) {
        RestoreRecord record;

        if (strlen(line) != n || restore_record_parse(line, &record) > 0)
                return RESTORE_JOURNAL_E_CORRUPT;
        return error_trace(entries_fold(&journal->entries, &record));
}

static size_t count_lines(const char *text, size_t n_text) {
        size_t n = 0;

        for (size_t i = 0; i < n_text; i++)
                n += text[i] == '\n';
        return n;
}

/*
 * Folds in the complete lines of @text up to a damaged one, and finds where they end. A header that is cut off counts
 * as an empty journal.
 */
static int journal_fold_text(RestoreJournal *journal, char *text, size_t n_text) {
        size_t done = 0, line = 1;
        int r;

        if (strncmp(text, HEADER, n_text < strlen(HEADER) ? n_text : strlen(HEADER)) != 0)
                return RESTORE_JOURNAL_E_CORRUPT;
        if (n_text >= strlen(HEADER))
                done = strlen(HEADER);
        for (char *end; done > 0 && (end = memchr(text + done, '\n', n_text - done)); done = end + 1 - text) {
                line++;
                *end = 0;
                r = journal_fold_line(journal, text + done, end - (text + done));
                if (r == RESTORE_JOURNAL_E_CORRUPT) {
                        journal->damage.first_line = line;
                        journal->damage.n_lines = 1 + count_lines(end + 1, text + n_text - (end + 1));
                        break;
                }
                if (r)
                        return error_trace(r);
        }
        journal->size = done;
        return 0;
}

static int journal_read(RestoreJournal *journal) {
        _cleanup_(freep) char *text = NULL;
        struct stat status;
        size_t n;
        int r;

        if (fstat(journal->fd, &status) < 0)
                return error_origin(-errno);
        if (!file_is_ours(&status))
                return RESTORE_JOURNAL_E_CORRUPT;
        text = malloc(status.st_size + 1);
        if (!text)
                return error_origin(-ENOMEM);
        r = fd_read_start(journal->fd, text, status.st_size, &n);
        if (r)
                return error_trace(r);
        text[n] = 0;
        return error_trace(journal_fold_text(journal, text, n));
}

static int journal_aside_path(const RestoreJournal *journal, char **ret_path) {
        char *path;

        if (asprintf(&path, "%s.corrupt", journal->path) < 0)
                return error_origin(-ENOMEM);
        *ret_path = path;
        return 0;
}

static int journal_set_aside(RestoreJournal *journal) {
        _cleanup_(freep) char *aside = NULL;
        int at = root_dir_fd(journal->root), r;

        r = journal_aside_path(journal, &aside);
        if (r)
                return error_trace(r);
        return renameat(at, journal->path, at, aside) < 0 ? error_origin(-errno) : RESTORE_JOURNAL_E_CORRUPT;
}

/* Keeps a copy of a journal before its damaged end is cut off, for an investigation. */
static int journal_copy_aside(const RestoreJournal *journal) {
        _cleanup_(freep) char *aside = NULL;
        _cleanup_(fd_closep) int fd = -1;
        int at = root_dir_fd(journal->root), r;
        struct stat status;

        r = journal_aside_path(journal, &aside);
        if (r)
                return error_trace(r);
        if (unlinkat(at, aside, 0) < 0 && errno != ENOENT)
                return error_origin(-errno);
        fd = openat(at, aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || fstat(journal->fd, &status) < 0)
                return error_origin(-errno);
        return error_trace(fd_copy(journal->fd, fd, 0, status.st_size));
}

/* ---- writing */

/* Cuts off an incomplete or damaged end. */
static int journal_cut(RestoreJournal *journal) {
        return ftruncate(journal->fd, journal->size) < 0 ? error_origin(-errno) : 0;
}

/* Appends in one write. A line that could not be written completely is removed again. */
static int journal_append(RestoreJournal *journal, const char *data, size_t n_data) {
        ssize_t n = write(journal->fd, data, n_data);
        int error = n < 0 ? errno : ENOSPC;

        if (n < 0 || (size_t)n < n_data) {
                (void)journal_cut(journal);
                return error_origin(-error);
        }
        journal->size += n;
        return 0;
}

/*
 * Groups are not synced: they come and go with each process, syncing would block the caller for some milliseconds each time unless
 * the journal is on tmpfs, and no group survives a power cut.
 */
static int journal_sync(RestoreJournal *journal, RestoreKind kind) {
        if (kind == RESTORE_CGROUP)
                return 0;
        return fdatasync(journal->fd) < 0 ? error_origin(-errno) : 0;
}

static int journal_begin(RestoreJournal *journal) {
        int r;

        r = journal_cut(journal);
        if (r || journal->size > 0)
                return error_trace(r);
        return error_trace(journal_append(journal, HEADER, strlen(HEADER)));
}

int restore_journal_open(RootDir *root, const char *path, RestoreJournal **ret_journal) {
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        int r;

        journal = calloc(1, sizeof *journal);
        if (!journal)
                return error_origin(-ENOMEM);
        journal->fd = -1;
        journal->root = root;
        journal->path = strdup(path);
        if (!journal->path)
                return error_origin(-ENOMEM);
        r = file_open(root, path, &journal->fd);
        if (r)
                return error_trace(r);
        r = journal_read(journal);
        if (r == RESTORE_JOURNAL_E_CORRUPT)
                return error_trace(journal_set_aside(journal));
        /* If there is no room for a copy, the sound records are restored all the same. */
        if (!r && journal->damage.first_line > 0)
                (void)journal_copy_aside(journal);
        if (!r)
                r = journal_begin(journal);
        if (r)
                return error_trace(r);
        *ret_journal = take_pointer(journal);
        return 0;
}

RestoreDamage restore_journal_damage(const RestoreJournal *journal) {
        return journal->damage;
}

static bool copy(char *to, size_t n_to, const char *text) {
        return (size_t)snprintf(to, n_to, "%s", text) < n_to;
}

static int journal_write(RestoreJournal *journal, RestoreRecord *record, const char *key, const char *was,
                const char *is) {
        char line[RESTORE_LINE_MAX];
        size_t n;
        int r;

        if (!copy(record->key, sizeof record->key, key) || !copy(record->was, sizeof record->was, was) ||
                        !copy(record->is, sizeof record->is, is) || restore_record_format(record, line, &n) > 0)
                return error_origin(-EINVAL);
        r = journal_append(journal, line, n);
        if (!r)
                r = journal_sync(journal, record->kind);
        if (r)
                return error_trace(r);
        return error_trace(entries_fold(&journal->entries, record));
}

int restore_journal_note(RestoreJournal *journal, RestoreKind kind, const char *key, const char *was, const char *is) {
        RestoreRecord record = { .kind = kind, .phase = RESTORE_NOTED };

        return error_trace(journal_write(journal, &record, key, was, is));
}

int restore_journal_confirm(RestoreJournal *journal, RestoreKind kind, const char *key, const char *is) {
        RestoreRecord record = { .kind = kind, .phase = RESTORE_CONFIRMED };

        return error_trace(journal_write(journal, &record, key, "", is));
}

/* ---- leaving out what is done */

static int journal_copy_entry(RestoreJournal *copy_to, const RestoreEntry *entry) {
        int r;

        r = restore_journal_note(copy_to, entry->kind, entry->key, entry->was, entry->ours[0]);
        for (size_t i = 0; !r && i < entry->n_ours; i++)
                r = restore_journal_confirm(copy_to, entry->kind, entry->key, entry->ours[i]);
        if (!r && entry->unconfirmed)
                r = restore_journal_note(copy_to, entry->kind, entry->key, entry->was, entry->ours[0]);
        return error_trace(r);
}

/* Replaces the journal atomically by one that has only live entries; on failure this one stays in use. */
static int journal_rewrite(RestoreJournal *journal) {
        _cleanup_(restore_journal_closep) RestoreJournal *fresh = NULL;
        _cleanup_(freep) char *path = NULL;
        int at = root_dir_fd(journal->root), fd, r;

        if (asprintf(&path, "%s.new", journal->path) < 0) {
                path = NULL;
                return error_origin(-ENOMEM);
        }
        if (unlinkat(at, path, 0) < 0 && errno != ENOENT)
                return error_origin(-errno);
        r = restore_journal_open(journal->root, path, &fresh);
        for (size_t i = 0; !r && i < journal->entries.n_entries; i++)
                r = journal_copy_entry(fresh, &journal->entries.entries[i]);
        if (r)
                return error_fold(r);
        if (renameat(at, path, at, journal->path) < 0)
                return error_origin(-errno);
        fd = journal->fd;
        journal->fd = fresh->fd;
        journal->size = fresh->size;
        fresh->fd = fd;
        return 0;
}

int restore_journal_done(RestoreJournal *journal, RestoreKind kind, const char *key) {
        RestoreRecord record = { .kind = kind, .phase = RESTORE_DONE };
        int r;

        r = journal_write(journal, &record, key, "", "");
        if (r)
                return error_trace(r);
        if (journal->entries.n_entries == 0) {
                journal->size = strlen(HEADER);
                return error_trace(journal_cut(journal));
        }
        return journal->size > REWRITE_ABOVE ? error_trace(journal_rewrite(journal)) : 0;
}

/* ---- what there is */

size_t restore_journal_count(const RestoreJournal *journal) {
        return journal->entries.n_entries;
}

const RestoreEntry *restore_journal_entry(const RestoreJournal *journal, size_t place) {
        return &journal->entries.entries[place];
}

const RestoreEntry *restore_journal_find(const RestoreJournal *journal, RestoreKind kind, const char *key) {
        return entries_find(&journal->entries, kind, key);
}
