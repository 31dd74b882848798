/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Identifies a build. The daemon's programs exchange raw structs, so they must be of one build: the same version and the same headers
 * of this folder, by a hash (build-header.py). Forks of a program are of its build; another program may have been replaced, or may
 * still run from before that.
 *
 *      benchd, benchd-launch          each greets the other with its build, before any record (ops/record-queue.h)
 *      benchd-runner, benchd-inspect  the launcher reads theirs from their files before it starts anything
 */

#include <stddef.h>

#define BUILD_TEXT_MAX  64u /* bytes, with the final NUL */
#define BUILD_WORDS_MAX 512u

enum {
        _BUILD_E_SUCCESS,

        BUILD_E_OTHER, /* of another build */
};

/*
 * A build, as in a program's file and in its greeting. This layout never changes, so that programs of two builds can
 * read it from each other.
 */
typedef struct Build {
        char mark[16];             /* "benchd build: " */
        char text[BUILD_TEXT_MAX]; /* the version and the hash: "0.1.0 (3f2ab8c1d2e3)" */
} Build;

/* Returns the build of this program. */
Build build_own(void);
const char *build_text(void);

/* Writes the text of @build, or an empty text if it is invalid. Returns 0 if it is this program's build, or E_OTHER. */
int build_judge(const Build *build, char ret_text[static BUILD_TEXT_MAX]);

/* Does the same with the build in the bytes of a program's file. */
int build_find(const void *program, size_t n_program, char ret_text[static BUILD_TEXT_MAX]);

/* Writes a message that program @other, whose build is @text, is not of the build of program @own. */
void build_complain(const char *own, const char *other, const char *text, char ret_words[static BUILD_WORDS_MAX]);
