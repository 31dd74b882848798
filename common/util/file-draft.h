/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A file that is written completely or not at all: into a draft beside it with an unpredictable name, which is renamed to the file when
 * everything is written. A failed write leaves the file unchanged, and no draft.
 *
 * Some files cannot be replaced, and are written in place: a pipe, a device, the targets of /dev/stdout and /dev/fd/N, a mount point, and a
 * writable file in a directory that is not writable.
 */

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * The file behind a path that a user names for writing. Every symbolic link on the way is checked: links of this user and of root are
 * followed; a link of another user is an outcome, since it may lead to a file that only this user can write.
 */

typedef struct FileDraftPath {
        int directory_fd;   /* O_PATH: the directory that holds the file */
        char *name;         /* in it; no link */
        int descriptor;     /* of this process, if the path stands for one, as /dev/stdout; not owned; else -1 */
        bool is_magic;      /* a /proc link to an open file: to be opened, never replaced */
        bool exists;        /* @status is known */
        struct stat status; /* of the file */
} FileDraftPath;

enum {
        _FILE_DRAFT_PATH_E_SUCCESS,

        FILE_DRAFT_PATH_E_FOREIGN, /* a link on the way belongs to another user */
};

typedef struct FileDraft {
        FileDraftPath path;
        char *name;       /* of the draft; NULL: none */
        int fd;           /* to write to; -1: not begun */
        bool in_place;    /* @fd is the file itself */
        bool keeps_owner; /* keeps the owner and the mode of the replaced file */
        bool is_new;      /* the file must not exist */
        mode_t mode;      /* of a file that is made, less the umask */
} FileDraft;

enum {
        _FILE_DRAFT_E_SUCCESS,

        FILE_DRAFT_E_FOREIGN, /* a link to the file, or the file in a directory like /tmp, belongs to another user */
        FILE_DRAFT_E_EXISTS,  /* the file exists, but had to be new */
};

#define FILE_DRAFT_NONE ((FileDraft){ .fd = -1, .path = { .directory_fd = -1, .descriptor = -1 } })

/*
 * Finds the file at @path, and checks that it can be written. Changes nothing yet; but opens a pipe, and waits for its reader. Returns 0,
 * E_FOREIGN, or a negative errno.
 */
int file_draft_open(const char *path, FileDraft *ret_draft);

/* The same for a file that must not exist, not even as a link. May also return E_EXISTS. */
int file_draft_open_new(const char *path, FileDraft *ret_draft);

/*
 * The same for the file @name of the directory @directory_fd, which is duplicated. @mode: of a file that is made, less the umask. @is_new: as
 * file_draft_open_new().
 */
int file_draft_open_at(int directory_fd, const char *name, mode_t mode, bool is_new, FileDraft *ret_draft);

/* Creates the draft, replacing an earlier one, or truncates a file that is written in place. Afterwards @draft->fd can be written. */
int file_draft_begin(FileDraft *draft);

/* Changes the target to the file @name in the same directory, existing or not. Returns 0 or a negative errno. */
int file_draft_call(FileDraft *draft, const char *name);

/* Renames the draft to the file. A caller that took @draft->fd must have closed it. Returns 0, E_EXISTS, or a negative errno. */
int file_draft_commit(FileDraft *draft);

/* Begins, writes all of @data and commits. Returns as file_draft_commit(). */
int file_draft_write(FileDraft *draft, const void *data, size_t n_data);

/* Removes the draft, if there is one, and closes everything. */
void file_draft_clear(FileDraft *draft);

/* Removes all drafts of this process, which is about to end: async-signal-safe. */
void file_drafts_leave(void);
