/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A file that is written whole or not at all: into a draft beside it, which nobody could have foreseen the name of, and which takes the
 * file's name when all is written. A write that fails leaves the file as it was, and no draft.
 *
 * Some files cannot be replaced, and are written in place: a pipe, a device, what /dev/stdout and /dev/fd/N stand for, a file that is a
 * mount of its own, and one that is writable in a directory that is not.
 */

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * The file that a path which a user names for writing leads to. Each symbolic link on the way is looked at: those of this user and of root
 * are followed, and one of anybody else is an outcome, since it may lead to a file that is this user's alone to write.
 */

typedef struct FileDraftPath {
        int directory_fd;   /* O_PATH: the directory that holds the file */
        char *name;         /* in it; no link */
        int descriptor;     /* that the path stands for, as /dev/stdout does: one of this process, not owned; else -1 */
        bool is_magic;      /* a link of /proc that stands for an open file: to be opened, and never replaced */
        bool exists;        /* @status is known */
        struct stat status; /* of the file */
} FileDraftPath;

enum {
        _FILE_DRAFT_PATH_E_SUCCESS,

        FILE_DRAFT_PATH_E_FOREIGN, /* a link on the way belongs to another user */
};

typedef struct FileDraft {
        FileDraftPath path;
        char *name;       /* of the draft; NULL: there is none */
        int fd;           /* to write to; -1: not begun */
        bool in_place;    /* @fd is the file itself */
        bool keeps_owner; /* of the file that is replaced, and its mode */
        bool is_new;      /* the file must not exist */
        mode_t mode;      /* of a file that is made, less the umask */
} FileDraft;

enum {
        _FILE_DRAFT_E_SUCCESS,

        FILE_DRAFT_E_FOREIGN, /* a link to the file, or the file in a directory like /tmp, belongs to another user */
        FILE_DRAFT_E_EXISTS,  /* the file that was to be a new one */
};

#define FILE_DRAFT_NONE ((FileDraft){ .fd = -1, .path = { .directory_fd = -1, .descriptor = -1 } })

/*
 * Finds the file at @path, and checks that it can be written; nothing is changed yet, but a pipe is opened, and waits for its reader.
 * Returns 0, E_FOREIGN, or a negative errno.
 */
int file_draft_open(const char *path, FileDraft *ret_draft);

/* The same for a file that must not exist, nor a link of its name. Returns E_EXISTS too. */
int file_draft_open_new(const char *path, FileDraft *ret_draft);

/*
 * The same for the file @name of the directory @directory_fd, which is duplicated. @mode: of a file that is made, less the umask. @is_new: as
 * file_draft_open_new().
 */
int file_draft_open_at(int directory_fd, const char *name, mode_t mode, bool is_new, FileDraft *ret_draft);

/* Makes the draft, anew if there is one; empties a file that is written in place. Afterwards @draft->fd can be written. */
int file_draft_begin(FileDraft *draft);

/* Has the file be another one of its directory, whatever that holds. Returns 0 or a negative errno. */
int file_draft_call(FileDraft *draft, const char *name);

/* Gives the file what the draft holds. Whoever took @draft->fd has closed it. Returns 0, E_EXISTS, or a negative errno. */
int file_draft_commit(FileDraft *draft);

/* Begins, writes all of @data and commits. Returns as that does. */
int file_draft_write(FileDraft *draft, const void *data, size_t n_data);

/* Removes the draft, if there is one, and closes all. */
void file_draft_clear(FileDraft *draft);

/* Removes all drafts of this process, which ends now: async-signal-safe. */
void file_drafts_leave(void);
