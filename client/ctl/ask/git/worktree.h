/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Trees of files to build in: a commit of a repository under one command of a build, checked out into the user's cache. A tree whose build
 * succeeded is kept with what it built, libraries, data and sources included, and used again; so a module is known by its commit and its
 * command. Each tree is made from nothing: no file of another build is in it.
 *
 * Kept are the trees that were used last: at most 24, none unused for 30 days, and of all together 4 GiB. The paths of all
 * trees of a repository have one length, so that modules do not differ by it.
 */

#include <stdbool.h>

typedef struct Git Git;

typedef struct Worktree {
        char *directory; /* of the tree and what is noted of it */
        char *path;      /* the tree */
        char *log;       /* for the output of its build */
        int lock_fd;     /* the directory: nobody else builds in it or removes it */
        bool is_built;   /* a build succeeded earlier */
        bool is_passing; /* of the working tree, whose state has no name: removed in the end */
} Worktree;

#define WORKTREE_NONE ((Worktree){ .lock_fd = -1 })

/*
 * Finds or makes the tree of the commit @id (NULL: of the working tree as it is) for @command (NULL: nothing is built in it). Waits for
 * another benchctl that builds the same. Returns 0, or an exit code after printing the error.
 */
int worktree_open(Git *git, const char *id, const char *command, Worktree *ret_tree);

/* True, after saying so, if the disk of the tree is full: then no commit is at fault. */
bool worktree_disk_is_full(const Worktree *tree);

/* Notes that the build succeeded. Others may then use the tree too. Returns 0, or an exit code after printing the error. */
int worktree_built(Worktree *tree);

/* Leaves the tree; removes it if its build did not succeed. */
void worktree_clear(Worktree *tree);
