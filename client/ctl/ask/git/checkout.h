/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Fills a directory with the files of a commit, as a small repository of its own that borrows the objects of the user's and has its tags, so
 * that a build can ask git for its version. Nothing of the user's repository is written, not even a list of worktrees; nothing is fetched,
 * so that submodules come from where the user has them.
 */

typedef struct Git Git;

enum {
        _CHECKOUT_E_SUCCESS,

        CHECKOUT_E_SUBMODULE = 100, /* its commit is not here; git->said is its path */
};

/*
 * Writes the commit @id of @git, or with @id NULL the files of its working tree, those included that git neither knows nor ignores, to the new
 * directory @path. Returns 0, GIT_E_*, CHECKOUT_E_*, or a negative errno.
 */
int checkout_make(Git *git, const char *id, const char *path);
