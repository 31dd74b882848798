/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * On a terminal, before anything is measured, the plan and when it is expected to end; then the live line: where a run stands
 * and how long it will take. Nothing elsewhere.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_TEXT_MAX 320u

typedef struct benchd_progress benchd_progress;

typedef struct Progress {
        const char *module;
        bool live;  /* stderr is a terminal */
        bool shown; /* a line stands there */
        bool announced;
} Progress;

void progress_init(Progress *progress, const char *module, bool quiet);
void progress_show(Progress *progress, const benchd_progress *state);

/* The plan's words for @state, the first of a measurement, at @now (seconds since 1970). */
void progress_plan_text(const benchd_progress *state, const char *module, int64_t now,
                char text[static PROGRESS_TEXT_MAX]);

/* Takes the line away, so that something else can be printed. */
void progress_clear(Progress *progress);

/* The line's words for @state of @module. */
void progress_text(const benchd_progress *state, const char *module, char text[static PROGRESS_TEXT_MAX]);

/* Cuts @text to @n_columns columns of a terminal, at a character's border. */
void progress_cut(char *text, size_t n_columns);
