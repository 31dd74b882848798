/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The terminal: how wide it is, and what it can show.
 */

#include <stdbool.h>

/* The columns of the terminal @fd; 0 if it is none, or has not said. */
unsigned terminal_columns(int fd);

/* True if the locale is not UTF-8: only ASCII is sure to be shown. */
bool terminal_is_ascii(void);
