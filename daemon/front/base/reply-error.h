/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Error of a reply: the reason why a request fails as a whole, in the words that its user reads. The function that
 * finds the reason writes it; session sends it.
 */

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

typedef struct ReplyError {
        Benchd__Error__Code code;
        char message[1024];
        char hint[256]; /* the remedy; empty: none */
} ReplyError;

/* Sets code and sentence, without a hint. Returns @why. */
ReplyError *reply_error_set(ReplyError *why, Benchd__Error__Code code, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/* Adds the remedy. */
void reply_error_hint(ReplyError *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes it as an Error, with texts in @arena. */
void reply_error_fill_error(const ReplyError *why, Arena *arena, Benchd__Error *error);
