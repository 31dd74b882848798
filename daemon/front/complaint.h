/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A complaint: why a request fails as a whole, in the words that its user reads. Whoever finds the reason writes it;
 * session sends it as an Error.
 */

#include "front/arena.h"
#include "proto/benchd.pb-c.h"

typedef struct Complaint {
        Benchd__Error__Code code;
        char message[1024];
        char hint[256]; /* empty where there is nothing to do */
} Complaint;

/* Makes a complaint of @code with a sentence; returns it. */
Complaint *complaint_set(Complaint *complaint, Benchd__Error__Code code, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/* Adds what to do about it. */
void complaint_hint(Complaint *complaint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes it as an Error, with texts in @arena. */
void complaint_fill_error(const Complaint *complaint, Arena *arena, Benchd__Error *error);
