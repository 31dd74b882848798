/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Text within Markdown as GitHub and GitLab parse it. Pure.
 */

#include <stddef.h>
#include <stdio.h>

/* Prints @n bytes of @text, which has no line ends, literally: escapes whatever would begin a cell, a link, a tag or emphasis. */
void markdown_print(const char *text, size_t n, FILE *out);
