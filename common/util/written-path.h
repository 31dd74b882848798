/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The file that a path which a user names for writing leads to. Each symbolic link on the way is looked at: those of this user and of root
 * are followed, and one of anybody else is an outcome, since it may lead to a file that is this user's alone to write.
 */

#include <stdbool.h>
#include <sys/stat.h>

typedef struct WrittenPath {
        int directory_fd;   /* O_PATH: the directory that holds the file */
        char *name;         /* in it; no link */
        int descriptor;     /* that the path stands for, as /dev/stdout does: one of this process, not owned; else -1 */
        bool is_magic;      /* a link of /proc that stands for an open file: to be opened, and never replaced */
        bool exists;        /* @status is known */
        struct stat status; /* of the file */
} WrittenPath;

enum {
        _WRITTEN_PATH_E_SUCCESS,

        WRITTEN_PATH_E_FOREIGN, /* a link on the way belongs to another user */
};

/* Finds the file of @path, which need not exist. Returns 0, E_FOREIGN, or a negative errno. */
int written_path_find(const char *path, WrittenPath *ret_path);
void written_path_clear(WrittenPath *path);
