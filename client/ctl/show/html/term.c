/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/html/term.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/model/glossary.h"
#include "ctl/show/html/markup.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"
#include "words/warning.h"

static void print_term(const char *text, const char *meaning, bool titled, FILE *out) {
        fputs(meaning ? "<abbr" : "", out);
        if (meaning && titled) {
                fputs(" title=\"", out);
                markup_text(meaning, out);
                fputc('"', out);
        }
        fputs(meaning ? ">" : "", out);
        markup_text(text, out);
        fputs(meaning ? "</abbr>" : "", out);
}

void term_print(const char *text, FILE *out) {
        print_term(text, text ? glossary_find(text, false) : NULL, true, out);
}

void term_print_machine(const char *text, FILE *out) {
        print_term(text, text ? glossary_find(text, true) : NULL, true, out);
}

void term_print_bare(const char *text, FILE *out) {
        print_term(text, text ? glossary_find(text, false) : NULL, false, out);
}

/* Prints the entry of @word if @page has the term. No word of a stranger looks like one, since markup_text() escapes them all. */
static int print_entry(const char *word, const char *meaning, const char *page, bool *any, FILE *out) {
        _cleanup_(text_stream_clear) TextStream term = {};
        FILE *end = text_stream_open(&term);
        int r;

        fputc('>', end);
        markup_text(word, end);
        fputs("</abbr>", end);
        r = text_stream_close(&term);
        if (r || !strstr(page, term.text))
                return error_trace(r);
        if (!*any)
                fputs("<section class=\"glossary\"><h2>Words on this page</h2>\n<dl>", out);
        *any = true;
        fputs("<div><dt>", out);
        markup_text(word, out);
        fputs("</dt><dd>", out);
        markup_text(meaning, out);
        fputs("</dd></div>\n", out);
        return 0;
}

/* True if the note of @kind is explained by this kind, and not by the glossary or an earlier kind with the same note. */
static bool explains_note(WarningKind kind) {
        const char *note = warning_words(kind)->note;

        return note && glossary_find(note, false) == warning_words(kind)->meaning;
}

int term_print_glossary(const char *page, FILE *out) {
        const GlossaryTerm *term;
        bool any = false;
        int r = 0;

        for (size_t i = 0; r == 0 && (term = glossary_term(i)); i++)
                r = print_entry(term->word, term->meaning, page, &any, out);
        for (WarningKind kind = 0; r == 0 && kind < _WARNING_KIND_N; kind++)
                if (explains_note(kind))
                        r = print_entry(warning_words(kind)->note, warning_words(kind)->meaning, page, &any, out);
        fputs(any ? "</dl></section>\n" : "", out);
        return error_trace(r);
}
