/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The progress line of a run on the terminal, which overwrites itself. Nothing is printed if stderr is not a terminal.
 */

#include <stdbool.h>

#define LIVE_LINE_MAX 320u

typedef struct LiveLine {
        bool live;  /* stderr is a capable terminal, and --quiet is not set */
        bool shown; /* the line is on the screen */
        char text[LIVE_LINE_MAX];
} LiveLine;

LiveLine live_line(bool quiet);

/* Shows @text, cut to the terminal's width and to LIVE_LINE_MAX bytes, unless it is shown already. */
void live_line_show(LiveLine *line, const char *text);

/* Prints @name and @words, which stay on the screen, within the terminal's width (typeset_headed()). */
void live_line_keep(LiveLine *line, const char *name, const char *words);

/* Erases the line, so that something else can be printed. */
void live_line_clear(LiveLine *line);
