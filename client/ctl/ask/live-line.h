/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The line on the terminal that tells how far a run is, each time over the one before. Nothing is printed where stderr is no terminal.
 */

#include <stdbool.h>

#define LIVE_LINE_MAX 320u

typedef struct LiveLine {
        bool live;  /* stderr is a terminal, and somebody wants the line */
        bool shown; /* it is on the screen */
        char text[LIVE_LINE_MAX];
} LiveLine;

LiveLine live_line(bool quiet);

/* Shows @text, cut to the terminal's width and to LIVE_LINE_MAX bytes, unless that is what the line shows. */
void live_line_show(LiveLine *line, const char *text);

/* Erases the line, so that something else can be printed. */
void live_line_clear(LiveLine *line);
