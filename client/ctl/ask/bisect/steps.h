/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The lines of a search on stderr, one a step: the commit, its subject, its ratio, and how many commits may still be the one.
 */

#include <stddef.h>

typedef struct BisectSearch BisectSearch;

/* Prints the range, and the steps of earlier calls. Prints nothing with --quiet; likewise the next. */
void bisect_steps_begin(const BisectSearch *search);

void bisect_steps_print(const BisectSearch *search, size_t index);
