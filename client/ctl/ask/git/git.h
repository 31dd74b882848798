/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Facts of a git repository, asked of the program git. Nothing of the repository is written: optional locks are off, no hook runs, and
 * variables like GIT_DIR, which a hook or an alias of git sets, do not lead elsewhere.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GIT_ID_BYTES 65u /* of a commit, in hexadecimal digits, with its end; 64 digits with SHA-256 */
#define GIT_ID_SHORT 12  /* digits of a commit as it is shown */

/* A repository with a working tree. */
typedef struct Git {
        char *top;     /* the directory of the working tree */
        char *prefix;  /* the directory that was asked for, below @top: "", or "bench/" */
        char *objects; /* its objects; the other files of it that a copy needs: */
        char *shallow_file;
        char *modules; /* of its submodules */
        char *format;  /* of its ids: sha1 */
        bool is_shallow;
        char *said; /* the first line that git printed on stderr when it last failed; NULL: none */
} Git;

typedef struct GitCommit {
        char id[GIT_ID_BYTES];
        int64_t time_s; /* Unix time at which it was committed */
        char *subject;  /* the first line of its message */
} GitCommit;

/* Commits of a line of first parents, the oldest first. */
typedef struct GitRange {
        GitCommit *commits;
        size_t n;
        bool begins_at_base; /* the first parent of the oldest is the base */
} GitRange;

/* The two ends of BASE..HEAD. */
typedef struct GitEnds {
        char *base;         /* a revision */
        char *head;         /* NULL: the working tree as it is */
        bool is_merge_base; /* the base is where both lines part: BASE...HEAD */
} GitEnds;

enum {
        _GIT_E_SUCCESS,

        GIT_E_MISSING, /* there is no program git */
        GIT_E_OUTSIDE, /* not in a working tree of a repository, or git refuses it */
        GIT_E_UNKNOWN, /* no such commit here */
        GIT_E_FAILED,  /* any other failure, told by git itself */
        GIT_E_STOPPED, /* benchctl was asked to end */
};

/* Finds the repository of @directory (NULL: the current one). Returns 0, E_MISSING, E_OUTSIDE, E_STOPPED, or a negative errno. */
int git_open(const char *directory, Git *git);
void git_clear(Git *git);

/* The same for a repository without its working tree: @directory, which becomes @top, holds the repository itself. */
int git_open_stored(const char *directory, Git *git);

/* Functions that take a Git return 0, GIT_E_*, or a negative errno. */

/* Finds the commit that @revision names. */
int git_resolve(Git *git, const char *revision, GitCommit *ret_commit);
void git_commit_clear(GitCommit *commit);

/* True if files that git knows were changed since the commit that is checked out, submodules included. */
int git_is_dirty(Git *git, bool *ret_dirty);

/* The same, or if there are files that git neither knows nor ignores. */
int git_has_changes(Git *git, bool *ret_changes);

/* True if git knows the file at @path. */
int git_knows(Git *git, const char *path, bool *ret_known);

/* True if the commit @old is @new or an ancestor of it. */
int git_is_ancestor(Git *git, const char *old, const char *new, bool *ret_ancestor);

/* The commit where the lines of two revisions parted. E_UNKNOWN: they have none in common. */
int git_merge_base(Git *git, const char *one, const char *other, GitCommit *ret_commit);

/* The commits after the id @base up to the id @head, by first parents: of what was merged, the merge alone. */
int git_range(Git *git, const char *base, const char *head, GitRange *ret_range);
void git_range_clear(GitRange *range);

/* Takes BASE, BASE..HEAD, BASE...HEAD or BASE.. apart; an end that is left out is HEAD, after two dots the working tree. Pure. 0 or -ENOMEM. */
int git_ends(const char *text, GitEnds *ret_ends);
void git_ends_clear(GitEnds *ends);

/* Prints why a function above failed with @r. @revision: the one that was asked for, or NULL. Returns the exit code. */
int git_complain(const Git *git, int r, const char *revision);

/* ---- other commands */

/* The user's environment for git or for a build; the caller frees the array alone. NULL: memory ran out. */
char **git_environment(bool for_git);

/*
 * Runs git in @directory with @words, ended by NULL. Its output, ends of lines included, goes to @ret_text, which the caller frees; to
 * @output_fd if that is not negative. Returns 0, E_MISSING, E_FAILED, E_STOPPED, or a negative errno; a failure sets git->said.
 */
int git_run(Git *git, const char *directory, const char *const *words, int output_fd, char **ret_text);

#define GIT_WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
