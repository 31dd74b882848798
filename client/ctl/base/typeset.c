/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/typeset.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/text-stream.h"

#define HEAD_LEAST 12u /* columns of a name */

static bool is_continued(char byte) {
        return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The bytes of the first @width characters of @text. */
static size_t bytes_of(const char *text, size_t width) {
        size_t n;

        for (n = 0; text[n]; n++)
                if (!is_continued(text[n]) && width-- == 0)
                        break;
        return n;
}

static size_t width_of(const char *text, size_t n_bytes) {
        size_t width = 0;

        for (size_t i = 0; i < n_bytes; i++)
                width += !is_continued(text[i]);
        return width;
}

size_t typeset_width(const char *text) {
        return width_of(text, strlen(text));
}

void typeset_cut(char *text, size_t width) {
        text[bytes_of(text, width)] = '\0';
}

size_t typeset_print(const char *text, size_t width, FILE *out) {
        const size_t whole = typeset_width(text), head = width / 2, tail = width > head ? width - head - 1 : 0;

        if (whole <= width) {
                fputs(text, out);
                return whole;
        }
        fprintf(out, "%.*s…%s", (int)bytes_of(text, head), text, text + bytes_of(text, whole - tail));
        return width;
}

/* Prints the word of @n bytes at @column; one that no line has room for is broken at @width. Returns the column after it. */
static size_t print_word(const char *word, size_t n, size_t column, size_t indent, size_t width, FILE *out) {
        const bool too_long = width > indent && column < width && indent + width_of(word, n) > width;

        while (too_long && column + width_of(word, n) > width) {
                const size_t n_head = bytes_of(word, width - column);

                fprintf(out, "%.*s\n%*s", (int)n_head, word, (int)indent, "");
                word += n_head;
                n -= n_head;
                column = indent;
        }
        fwrite(word, 1, n, out);
        return column + width_of(word, n);
}

/* A percent sign stays with its number. */
static size_t word_length(const char *text) {
        const size_t n = strcspn(text, " ");

        return n > 0 && isdigit((unsigned char)text[n - 1]) && text[n] && text[n + 1] == '%'
                               ? n + 1 + strcspn(text + n + 1, " ")
                               : n;
}

void typeset_wrap(const char *text, size_t column, size_t indent, size_t width, FILE *out) {
        bool begun = false;

        while (*(text += strspn(text, " "))) {
                const size_t n = word_length(text), columns = width_of(text, n);

                if (begun && width > 0 && column + 1 + columns > width) {
                        fprintf(out, "\n%*s", (int)indent, "");
                        column = indent;
                } else if (begun) {
                        fputc(' ', out);
                        column++;
                }
                column = print_word(text, n, column, indent, width, out);
                text += n;
                begun = true;
        }
}

typedef struct Substitute {
        const char *character;
        char ascii;
} Substitute;

/* The bars grow darker instead of higher. */
static const Substitute substitutes[] = {
        { "µ", 'u' },
        { "±", '~' },
        { "×", 'x' },
        { "…", '.' },
        { "–", '-' },
        { "·", '-' },
        { "²", '2' },
        { "→", '>' },
        { "┌", ',' },
        { "│", '|' },
        { "┊", ':' },
        { "└", '`' },
        { "╶", '-' },
        { "─", '-' },
        { "├", '[' },
        { "┤", ']' },
        { "┬", '+' },
        { "┼", '+' },
        { "•", '*' },
        { "●", 'O' },
        { "○", '0' },
        { "△", '^' },
        { "▲", '^' },
        { "▴", '^' },
        { "▾", 'v' },
        { "◂", '<' },
        { "▸", '>' },
        { "░", '.' },
        { "▒", ':' },
        { "▓", '#' },
        { "▁", '.' },
        { "▂", ':' },
        { "▃", '-' },
        { "▄", '=' },
        { "▅", '+' },
        { "▆", '*' },
        { "▇", '#' },
        { "█", '@' },
};

static char substitute(const char *text, size_t n) {
        for (size_t i = 0; i < N_ELEMENTS(substitutes); i++)
                if (strlen(substitutes[i].character) == n && memcmp(substitutes[i].character, text, n) == 0)
                        return substitutes[i].ascii;
        return '?';
}

/* Dots between two numbers are a range; one dot there would be read as a decimal point. */
static bool is_range(const char *before, const char *dots) {
        return strncmp(dots, "… ", strlen("… ")) == 0 && before[-1] == ' ';
}

void typeset_headed(const char *name, const char *words, size_t width, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        const size_t n = typeset_width(words), room = width > n ? width - n : 0;
        FILE *line = text_stream_open(&text);

        typeset_print(name, width == 0 ? typeset_width(name) : room > HEAD_LEAST ? room : HEAD_LEAST, line);
        fputs(words, line);
        if (text_stream_close(&text) == 0)
                typeset_wrap(text.text, 0, 2, width, out);
}

void typeset_to_ascii(char *text) {
        char *const begin = text, *to = text;

        while (*text) {
                size_t n = 1;

                while (is_continued(text[n]))
                        n++;
                if (to > begin && is_range(to, text))
                        *to++ = '-';
                else
                        *to++ = n == 1 ? ((unsigned char)*text < 0x80 ? *text : '?') : substitute(text, n);
                text += n;
        }
        *to = '\0';
}
