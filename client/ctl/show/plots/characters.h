/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Pictures in characters, as wide as the terminal: words in a column on the left, an axis in units below. benchctl-table(7), PICTURES,
 * explains them.
 */

#include <stddef.h>
#include <stdio.h>

typedef struct Picture Picture;
typedef struct View View;

/* The width of a picture. */
size_t characters_width(const View *view);

/* Prints @picture. Returns 0 or a negative errno. */
int characters_print(const Picture *picture, const View *view, FILE *out);
