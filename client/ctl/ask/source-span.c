/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/source-span.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define BENCHMARK_WORD    "BENCH("
#define RAW_DELIMITER_MAX 16u /* characters, by the C++ standard */

/* ---- lines */

const char *source_line(const char *text, size_t line, size_t *ret_length) {
        for (size_t i = 1; i < line && text; i++) {
                text = strchr(text, '\n');
                text = text ? text + 1 : NULL;
        }
        if (!text || !*text || line == 0)
                return NULL;
        *ret_length = strcspn(text, "\n");
        return text;
}

static size_t line_at(const char *text, const char *at) {
        size_t line = 1;

        for (; text < at; text++)
                line += *text == '\n';
        return line;
}

size_t source_count_lines(const char *text) {
        const size_t n = strlen(text);

        return n == 0 ? 0 : line_at(text, text + n) - (text[n - 1] == '\n');
}

/* ---- tokens, as far as they can hide a brace */

static const char *behind(const char *at, const char *end) {
        const char *found = strstr(at, end);

        return found ? found + strlen(end) : at + strlen(at);
}

static const char *behind_literal(const char *at) {
        const char quote = *at++;

        while (*at && *at != quote && *at != '\n')
                at += at[0] == '\\' && at[1] ? 2 : 1;
        return *at == quote ? at + 1 : at;
}

/* R"delimiter( ... )delimiter" */
static const char *behind_raw_string(const char *at) {
        const size_t n = strcspn(at + 2, "(");
        char end[RAW_DELIMITER_MAX + 3] = ")";

        if (n > RAW_DELIMITER_MAX)
                return at + 2;
        strncat(end, at + 2, n);
        strcat(end, "\"");
        return behind(at + 2 + n, end);
}

/* Skips the comment or the literal at @at, else one character. @before: the character before it, since 1'000 is a number. */
static const char *behind_token(const char *at, char before) {
        if (at[0] == '/' && at[1] == '*')
                return behind(at + 2, "*/");
        if (at[0] == '/' && at[1] == '/')
                return at + strcspn(at, "\n");
        if (at[0] == 'R' && at[1] == '"' && !isalnum((unsigned char)before))
                return behind_raw_string(at);
        if (at[0] == '"' || (at[0] == '\'' && !isalnum((unsigned char)before)))
                return behind_literal(at);
        return at + 1;
}

/* Behind white space and comments. */
static const char *behind_blank(const char *at) {
        for (;;) {
                const bool comment = at[0] == '/' && (at[1] == '*' || at[1] == '/');

                if (!comment && !isspace((unsigned char)*at))
                        return at;
                at = behind_token(at, ' ');
        }
}

/* Behind the bracket that closes the first @open of @at; NULL: there is none before a @stop, or none closes it. */
static const char *behind_brackets(const char *at, char open, char close, char stop) {
        size_t depth = 0;
        char before = ' ';

        while (*at) {
                const char c = *at;

                depth += c == open;
                if (c == close && depth > 0 && --depth == 0)
                        return at + 1;
                if (c == stop && depth == 0)
                        return NULL;
                at = behind_token(at, before);
                before = c;
        }
        return NULL;
}

/* ---- the span */

/* A macro of the module may define a benchmark without a body after it. */
static const char *behind_definition(const char *at) {
        const char *head = behind_brackets(at, '(', ')', ';'), *body = head ? behind_blank(head) : NULL, *end;

        if (!head)
                return at + strcspn(at, "\n");
        if (*body != '{')
                return head;
        end = behind_brackets(body, '{', '}', '\0');
        return end ? end : body + strlen(body);
}

static bool line_begins(const char *text, size_t line, const char *word) {
        size_t n;
        const char *at = source_line(text, line, &n);

        while (at && n > 0 && isspace((unsigned char)*at)) {
                at++;
                n--;
        }
        return at && n >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

static bool line_ends_comment(const char *text, size_t line) {
        size_t n;
        const char *at = source_line(text, line, &n);

        while (at && n > 0 && isspace((unsigned char)at[n - 1]))
                n--;
        return at && n >= 2 && memcmp(at + n - 2, "*/", 2) == 0;
}

/* The first line of the comment that ends right before @line; @line where there is none. */
static size_t comment_begin(const char *text, size_t line) {
        size_t first = line;

        while (first > 1 && line_begins(text, first - 1, "//"))
                first--;
        if (first < line || line == 1 || !line_ends_comment(text, line - 1))
                return first;
        do
                first--;
        while (first > 1 && !line_begins(text, first, "/*"));
        return line_begins(text, first, "/*") ? first : line;
}

int source_span_find(const char *text, size_t line, SourceSpan *ret_span) {
        size_t n;
        const char *at = source_line(text, line, &n);

        if (!at)
                return SOURCE_SPAN_E_OUTSIDE;
        *ret_span = (SourceSpan){
                .first = comment_begin(text, line),
                .last = line_at(text, behind_definition(at)),
        };
        return 0;
}

/* ---- benchmarks */

/* Copies the name if @line begins a benchmark. */
static bool take_name(const char *line, char ret_name[static SOURCE_NAME_MAX]) {
        size_t n;

        line += strspn(line, " \t");
        if (strncmp(line, BENCHMARK_WORD, strlen(BENCHMARK_WORD)) != 0)
                return false;
        line += strlen(BENCHMARK_WORD);
        line += strspn(line, " \t\n");
        n = strcspn(line, ", \t\n)");
        if (n == 0 || n >= SOURCE_NAME_MAX)
                return false;
        memcpy(ret_name, line, n);
        ret_name[n] = '\0';
        return true;
}

size_t source_benchmark_at(const char *text, size_t index, char ret_name[static SOURCE_NAME_MAX]) {
        size_t n_seen = 0;

        for (size_t number = 1; *text; number++) {
                if (take_name(text, ret_name) && n_seen++ == index)
                        return number;
                text += strcspn(text, "\n");
                text += *text == '\n';
        }
        return 0;
}

size_t source_find_benchmark(const char *text, const char *name) {
        char found[SOURCE_NAME_MAX];
        size_t line;

        for (size_t i = 0; (line = source_benchmark_at(text, i, found)); i++)
                if (!name || strcmp(found, name) == 0)
                        return line;
        return 0;
}
