/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Paths of SVG in few bytes: whole units, each step from the place before it. A path begins with its first step, so one without steps prints
 * nothing.
 */

#include <stddef.h>
#include <stdio.h>

typedef struct SvgPath {
        FILE *out;
        long x, y;
        size_t n; /* of marks; 0: nothing was printed */
        const char *class;
        const char *title; /* on hovering; NULL: none */
} SvgPath;

/* Adds a dot, where its stroke has round ends; a stroke of @length pixels upright if that is not 0. */
void svg_path_dot(SvgPath *path, double x, double y, double length);

void svg_path_stroke(SvgPath *path, double x, double y, double to_x, double to_y);
void svg_path_bar(SvgPath *path, double x, double y, double width, double height);

/* Adds the next point of a line, with decimals. */
void svg_path_point(SvgPath *path, double x, double y);

void svg_path_end(SvgPath *path);
