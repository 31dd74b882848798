/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Progress on a terminal: before anything is measured the plan and its expected end, then the live line with the state
 * of the run and the time left. Elsewhere nothing is printed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_TEXT_MAX 320u

typedef struct benchd_progress benchd_progress;

typedef struct Progress {
        const char *module;
        bool live;  /* stderr is a terminal */
        bool shown; /* the line is on the screen */
        bool announced;
} Progress;

void progress_init(Progress *progress, const char *module, bool quiet);
void progress_show(Progress *progress, const benchd_progress *state);

/* Writes the plan of @state, the first state of a measurement, at @now (seconds since 1970). */
void progress_plan_text(const benchd_progress *state, const char *module, int64_t now,
                char text[static PROGRESS_TEXT_MAX]);

/* Erases the line, so that something else can be printed. */
void progress_clear(Progress *progress);

/* Writes the line for @state of @module. */
void progress_text(const benchd_progress *state, const char *module, char text[static PROGRESS_TEXT_MAX]);

/* Cuts @text to @n_columns terminal columns, between two characters. */
void progress_cut(char *text, size_t n_columns);
