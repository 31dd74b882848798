/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Text into memory: a stream that functions print to, and the text that they made.
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
        char *text; /* whole once the stream is closed */
        size_t n;   /* bytes of it */
} TextStream;

/* Begins a text. Never returns NULL: without memory it is a stream that takes nothing, and text_stream_close() fails. */
FILE *text_stream_open(TextStream *stream);

/* Ends the text. Returns 0, or -ENOMEM if it is not whole. */
int text_stream_close(TextStream *stream);

/* Ends the text and hands it over, the caller's to free(); NULL if memory ran out. */
char *text_stream_take(TextStream *stream);

/* Closes and frees what is left of it. */
void text_stream_clear(TextStream *stream);
