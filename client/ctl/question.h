/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Questions to a user at a terminal.
 */

#include <stdbool.h>

/* Asks @text, which needs no question mark, with yes for an empty answer. False: no, no answer, or nobody at a terminal to ask. */
__attribute__((format(printf, 1, 2))) bool question_yes(const char *format, ...);
