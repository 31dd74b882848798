/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which build this is. The daemon's programs speak in records whose layout is that of memory, so they have to be of one build: of one
 * version, with the same headers of this folder, which a hash tells (build-header.py). Forks of a program are of its build; another
 * program may have been replaced, or started before it was.
 *
 *      benchd, benchd-launch          each greets the other with its build, before any record (ops/record-queue.h)
 *      benchd-runner, benchd-inspect  the launcher reads theirs from their files before it starts anything
 */

#include <stddef.h>

#define BUILD_TEXT_MAX  64u /* bytes, with its end */
#define BUILD_WORDS_MAX 512u

enum {
        _BUILD_E_SUCCESS,

        BUILD_E_OTHER, /* of another build */
};

/* A build, in a program's file and in its greeting. It never changes: it is what the programs of two builds can read of each other. */
typedef struct Build {
        char mark[16];             /* "benchd build: " */
        char text[BUILD_TEXT_MAX]; /* the version and the hash: "0.1.0 (3f2ab8c1d2e3)" */
} Build;

/* This one. */
Build build_own(void);
const char *build_text(void);

/* Writes the text of @build, or none where that is no build. Returns 0 where it is this one, or E_OTHER. */
int build_judge(const Build *build, char ret_text[static BUILD_TEXT_MAX]);

/* The same of the build in the bytes of a program's file. */
int build_find(const void *program, size_t n_program, char ret_text[static BUILD_TEXT_MAX]);

/* Writes that program @other, whose build is @text, is not of the build of program @own. */
void build_complain(const char *own, const char *other, const char *text, char ret_words[static BUILD_WORDS_MAX]);
