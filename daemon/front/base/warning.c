/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/warning.h"

#include <stdarg.h>
#include <string.h>

#include "front/base/message.h"

/* Findings and texts grow together, so that each has its place in the other's order. */
static void findings_add(WarningList *list, Arena *arena, WarningKind kind) {
        Benchd__Finding **findings = arena_zero(arena, (list->n_findings + 1) * sizeof(Benchd__Finding *));
        Benchd__Finding *finding = message_new(arena, Benchd__Finding, benchd__finding);
        const WarningWords *words = warning_words(kind);

        if (!findings || !finding)
                return;
        for (size_t i = 0; i < list->n_findings; i++)
                findings[i] = list->findings[i];
        finding->kind = (char *)words->kind;
        finding->note = (char *)words->note;
        finding->advice = (char *)words->advice;
        findings[list->n_findings++] = finding;
        list->findings = findings;
}

void warning_add(WarningList *list, Arena *arena, WarningKind kind, const char *format, ...) {
        const size_t n_before = list->texts.n;
        va_list arguments;
        char *text;

        va_start(arguments, format);
        text = arena_format_va(arena, format, arguments);
        va_end(arguments);
        if (!text)
                return;
        arena_list_add(&list->texts, arena, "%s", text);
        if (list->texts.n > n_before)
                findings_add(list, arena, kind);
}

static bool is_of_code(const char *kind) {
        for (WarningKind i = 0; i < _WARNING_KIND_N; i++)
                if (warning_words(i)->of_code && strcmp(warning_words(i)->kind, kind) == 0)
                        return true;
        return false;
}

void warning_drop_of_code(char **texts, Benchd__Finding **findings, size_t *n) {
        size_t n_kept = 0;

        for (size_t i = 0; i < *n; i++) {
                if (is_of_code(findings[i]->kind))
                        continue;
                findings[n_kept] = findings[i];
                texts[n_kept++] = texts[i];
        }
        *n = n_kept;
}
