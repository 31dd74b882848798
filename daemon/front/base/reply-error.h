/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Error of a reply: why a request fails as a whole, in the words that the user reads. The function that finds the
 * reason writes them; session sends them.
 */

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

#define REPLY_ERROR_OUTPUT_MAX 4096u

typedef struct ReplyError {
        Benchd__Error__Code code;
        char message[1024];
        char hint[256];                      /* the remedy; empty: none */
        char output[REPLY_ERROR_OUTPUT_MAX]; /* the end of what the module printed, as it printed it */
        size_t n_output;                     /* bytes of it; 0: none */
        const char *failure;                 /* the failure's code word, as of a failed benchmark; static; NULL: none */
} ReplyError;

/* Sets code and sentence, without a hint or an output. Returns @why. */
ReplyError *reply_error_set(ReplyError *why, Benchd__Error__Code code, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/* The same with the code BAD_REQUEST. */
ReplyError *reply_error_bad(ReplyError *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the remedy. */
void reply_error_hint(ReplyError *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the module's output of @n bytes, or its end if that does not fit. */
void reply_error_output(ReplyError *why, const char *text, size_t n);

/* Writes it as an Error, with texts in @arena. */
void reply_error_fill_error(const ReplyError *why, Arena *arena, Benchd__Error *error);
