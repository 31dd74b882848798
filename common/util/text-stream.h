/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Text in memory: a stream for functions that print, and the resulting text.
 *
 *         _cleanup_(text_stream_clear) TextStream text = {};
 *
 *         print_name(row, text_stream_open(&text));
 *         r = text_stream_close(&text);
 *         if (r)
 *                 return error_trace(r);
 *         puts(text.text);
 */

#include <stddef.h>
#include <stdio.h>

typedef struct TextStream {
        FILE *out;
        char *text; /* complete once the stream is closed */
        size_t n;   /* bytes of it */
} TextStream;

/* Begins a text. Never returns NULL: if memory ran out, the stream drops its input, and text_stream_close() fails. */
FILE *text_stream_open(TextStream *stream);

/* Ends the text. Returns 0, or -ENOMEM if it is incomplete. */
int text_stream_close(TextStream *stream);

/* Ends the text and returns it, for the caller to free; NULL if memory ran out. */
char *text_stream_take(TextStream *stream);

/* Closes and frees what is left of it. */
void text_stream_clear(TextStream *stream);
