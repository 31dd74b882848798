/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/text.h"
#include "util/error.h"

typedef struct ArenaPart {
        struct ArenaPart *next;
        max_align_t memory[];
} ArenaPart;

struct Arena {
        ArenaPart *parts;
        bool failed;
};

int arena_new(Arena **ret_arena) {
        Arena *arena;

        arena = calloc(1, sizeof *arena);
        if (!arena)
                return error_origin(-ENOMEM);
        *ret_arena = arena;
        return 0;
}

Arena *arena_free(Arena *arena) {
        if (!arena)
                return NULL;
        while (arena->parts) {
                ArenaPart *part = arena->parts;

                arena->parts = part->next;
                free(part);
        }
        free(arena);
        return NULL;
}

void *arena_zero(Arena *arena, size_t n) {
        ArenaPart *part;

        part = calloc(1, sizeof *part + n);
        if (!part) {
                arena->failed = true;
                return NULL;
        }
        part->next = arena->parts;
        arena->parts = part;
        return part->memory;
}

static char *arena_clean(Arena *arena, const char *text, size_t n, bool lines) {
        char *clean = arena_zero(arena, TEXT_GROWTH * n + 1);

        if (clean)
                text_clean(text, n, lines, clean);
        return clean;
}

char *arena_text(Arena *arena, const char *text) {
        return text ? arena_clean(arena, text, strlen(text), false) : NULL;
}

char *arena_lines(Arena *arena, const char *text, size_t n) {
        return arena_clean(arena, text, n, true);
}

char *arena_format_va(Arena *arena, const char *format, va_list arguments) {
        va_list again;
        char *text;
        int n;

        va_copy(again, arguments);
        n = vsnprintf(NULL, 0, format, again);
        va_end(again);
        text = arena_zero(arena, n + 1);
        if (text)
                vsnprintf(text, n + 1, format, arguments);
        return text;
}

char *arena_format(Arena *arena, const char *format, ...) {
        va_list arguments;
        char *text;

        va_start(arguments, format);
        text = arena_format_va(arena, format, arguments);
        va_end(arguments);
        return text;
}

int arena_check(const Arena *arena) {
        return arena->failed ? error_origin(-ENOMEM) : 0;
}

static bool text_list_has(const ArenaList *list, const char *text) {
        for (size_t i = 0; i < list->n; i++)
                if (strcmp(list->texts[i], text) == 0)
                        return true;
        return false;
}

void arena_list_add(ArenaList *list, Arena *arena, const char *format, ...) {
        va_list arguments;
        char **texts, *text;

        va_start(arguments, format);
        text = arena_format_va(arena, format, arguments);
        va_end(arguments);
        if (!text || text_list_has(list, text))
                return;
        texts = arena_zero(arena, (list->n + 1) * sizeof *texts);
        if (!texts)
                return;
        if (list->n > 0)
                memcpy(texts, list->texts, list->n * sizeof *texts);
        texts[list->n++] = text;
        list->texts = texts;
}
