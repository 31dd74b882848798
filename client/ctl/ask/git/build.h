/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The module of a commit: its files are checked out into a tree of their own, the user's command builds there, as the user and in the
 * directory that corresponds to the current one, and what it made is found under the name that it has here.
 */

#include <stdbool.h>

typedef struct CompileLinks CompileLinks;
typedef struct Git Git;
typedef struct GitCommit GitCommit;
typedef struct Worktree Worktree;

/* Functions return 0, or an exit code after printing the error: EXIT_BENCHMARK where the commit is at fault. */

/* Checks, before anything is built, that @word is a path within the repository and that @command (NULL: none) leaves the working tree alone. */
int build_check(const Git *git, const char *word, const char *command);

/*
 * Opens the tree of @commit (NULL: of the working tree), in which sh has run @command (NULL: nothing is run). The output of a command that
 * fails is shown, its last lines at least. @quiet: no line says how long it runs.
 */
int build_open(Git *git, const GitCommit *commit, const char *command, bool quiet, Worktree *ret_tree);

/* The directory of @tree that corresponds to the current one; the caller frees it. */
int build_directory(const Git *git, const Worktree *tree, char **ret_path);

/*
 * Finds the module @word, as the user names it from the current directory, in @tree; source code is compiled with @links (NULL: linked
 * once), by compilers that run there. The caller frees @ret_path.
 */
int build_module(const Git *git, const Worktree *tree, const char *word, const CompileLinks *links, char **ret_path);
