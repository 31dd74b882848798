/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Untrusted text: a module's titles, messages and output, a client's names. Terminals and protobuf strings receive it
 * as valid UTF-8 without control characters: no escape sequence, no forged line, no change of writing direction.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_GROWTH 3u /* a bad byte becomes U+FFFD, three bytes */

/*
 * Writes @n bytes of @text, cleaned, into @ret_clean of TEXT_GROWTH * @n + 1 bytes, and ends them with a zero. Newlines
 * and tabs stay if @lines, else each becomes a space. Returns the length.
 */
size_t text_clean(const char *text, size_t n, bool lines, char *ret_clean);

/* A copy of @text, cleaned, in one line; NULL if memory ran out. */
char *text_clean_copy(const char *text);
