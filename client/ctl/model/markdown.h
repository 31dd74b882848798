/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text within Markdown as GitHub and GitLab read it. Pure.
 */

#include <stddef.h>
#include <stdio.h>

/*
 * Prints @n bytes of @text, which has no line ends, so that they stand for themselves: whatever would begin a cell, a link, a tag or
 * emphasis is escaped.
 */
void markdown_print(const char *text, size_t n, FILE *out);
