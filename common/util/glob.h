/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Glob: a pattern of `*`, `?`, `[...]` and `\`, compiled once and matched in time that no pattern makes explode.
 *
 * It means what fnmatch(3) makes of it without flags in the C locale: a star passes slashes, a bracket has ranges, classes
 * (`[[:alnum:]]`) and `!` or `^` first for all other bytes, a backslash takes the next byte as it is, and a bracket without its
 * end is an ordinary `[`.
 *
 * The elements of a pattern are the states of an automaton, one bit each; a table tells for each byte of a text which elements
 * take it. So a byte costs a few operations for each 64 elements, whatever came before: there is no backtracking.
 */

#include <stdbool.h>
#include <stddef.h>

#include "util/cleanup.h"

#define GLOB_BYTES_MAX 1023u /* of a pattern */

typedef struct Glob Glob;

enum {
        _GLOB_E_SUCCESS,

        GLOB_E_CLASS,    /* [:NAME:] of a name that is none, or [.NAME.] or [=NAME=] of more than one byte */
        GLOB_E_RANGE,    /* a range without its last byte, or a backslash at the very end */
        GLOB_E_TOO_LONG, /* more than GLOB_BYTES_MAX bytes */
};

/* Compiles @pattern. Returns 0, E_*, or a negative errno. */
int glob_new(const char *pattern, Glob **ret_glob);
Glob *glob_free(Glob *glob);

DEFINE_CLEANUP(Glob *, glob_free)

/* Tells whether glob_new() would compile @pattern. Returns as it does. */
int glob_check(const char *pattern);

/* The reason for an outcome of glob_new(), to stand after the pattern: "... names no class of characters". */
const char *glob_outcome_words(int outcome);

/* True if @glob matches the whole of @text. */
bool glob_matches(const Glob *glob, const char *text);

/* True if @glob matches @text, or a part of it that a slash follows. */
bool glob_matches_leading(const Glob *glob, const char *text);

/* True if it so matches @text, or may match a text that begins with it. */
bool glob_may_match_leading(const Glob *glob, const char *text);

/* The same of a pattern that is matched once; one that glob_new() refuses matches nothing. */
bool glob_pattern_matches(const char *pattern, const char *text);
bool glob_pattern_matches_leading(const char *pattern, const char *text);

/* The operations for each byte of a text. */
size_t glob_count_words(const Glob *glob);
