/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Files that a program finds beside itself: in its build tree, or in its own directory. They are executed, loaded and compiled with the
 * rights of the user who runs the program, so they count only if no other user could have put them there: every directory from the tree's
 * root on, and the file, must belong to this user, to root, or to the owner of the program, who has these rights already. None of them may
 * be a link or writable by others; a group may have write access if it has no other member, as a user's private group.
 */

#include <limits.h>
#include <sys/types.h>

enum {
        _OWN_TREE_E_SUCCESS,

        OWN_TREE_E_MISSING, /* the program is not in such a tree, or the tree has no readable file of that name */
        OWN_TREE_E_UNSAFE,  /* another user could have put it there */
};

typedef enum OwnTreeFault {
        OWN_TREE_OWNER,    /* another user's */
        OWN_TREE_WRITABLE, /* others, or a group of others, can write to it */
        OWN_TREE_LINK,     /* a symbolic link, or neither a directory nor a file */
} OwnTreeFault;

/* The reason for which an unsafe file is refused. */
typedef struct OwnTreeRefusal {
        char path[PATH_MAX]; /* of the first unsafe directory or file */
        OwnTreeFault fault;
        uid_t uid; /* its owner */
} OwnTreeRefusal;

#define OWN_TREE_WORDS_MAX (PATH_MAX + 128)

/* Writes the reason, "/tmp belongs to user 4322", without a full stop. */
void own_tree_explain(const OwnTreeRefusal *refusal, char words[static OWN_TREE_WORDS_MAX]);

/*
 * Opens the file @path of the tree in which this program is at @place ("client/ctl"; "": the tree is the program's own directory).
 * @ret_path: the file's path. Returns 0, E_MISSING, E_UNSAFE with @ret_refusal, or a negative errno.
 */
int own_tree_open(const char *place, const char *path, OwnTreeRefusal *ret_refusal, int *ret_fd,
                char ret_path[static PATH_MAX]);

/* The same for a tree at @root, whose program belongs to @owner. */
int own_tree_open_at(const char *root, uid_t owner, const char *path, OwnTreeRefusal *ret_refusal, int *ret_fd);
