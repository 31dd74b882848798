/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Arena: the memory of one reply. A protobuf message of many small parts is built in an arena, packed, and freed in
 * one go.
 *
 * The arena remembers that it ran out of memory. A string that could not be allocated is NULL, which in a message
 * means absent; the builder of a message calls arena_check() once before sending it, and checks a pointer only before
 * writing through it.
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/cleanup.h"

typedef struct Arena Arena;

int arena_new(Arena **ret_arena);
Arena *arena_free(Arena *arena);

DEFINE_CLEANUP(Arena *, arena_free)

/* @n zero bytes, aligned for anything; NULL if memory ran out. */
void *arena_zero(Arena *arena, size_t n);

/* Copies an untrusted text, cleaned (text.h), as one line; NULL for NULL. */
char *arena_text(Arena *arena, const char *text);

/* Copies an untrusted text of @n bytes, cleaned, and keeps its lines. */
char *arena_lines(Arena *arena, const char *text, size_t n);

/* Formats a trusted text; its arguments must be clean. */
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_format_va(Arena *arena, const char *format, va_list arguments);

/* Returns 0, or -ENOMEM if any allocation before failed. */
int arena_check(const Arena *arena);

/* A list of strings that grows, as repeated fields want it. */
typedef struct ArenaList {
        char **texts;
        size_t n;
} ArenaList;

/* Appends a trusted text, whose arguments must be clean, unless the list contains it already. */
void arena_list_add(ArenaList *list, Arena *arena, const char *format, ...) __attribute__((format(printf, 3, 4)));
