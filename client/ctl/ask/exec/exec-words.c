/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

static const char blanks[] = " \t\n";

/* No shell changes these, wherever in a word; but with a = the first word would be a variable. */
static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";

/*
 * Reads one word of @text into @word, which has room for all of @text. Returns its end, or NULL if @ret_open, a quote, is not closed. Within
 * double quotes a backslash stands for itself, except before one of four characters.
 */
static const char *read_word(const char *text, char *word, char *ret_open) {
        char quote = '\0';

        for (; *text && (quote || !strchr(blanks, *text)); text++) {
                if (*text == quote)
                        quote = '\0';
                else if (!quote && (*text == '\'' || *text == '"'))
                        quote = *text;
                else if (*text == '\\' && (!quote || (quote == '"' && text[1] && strchr("\"\\$`", text[1])))) {
                        *ret_open = '\\';
                        if (!*++text)
                                return NULL;
                        *word++ = *text;
                } else
                        *word++ = *text;
        }
        *word = '\0';
        *ret_open = quote;
        return quote ? NULL : text;
}

static int words_add(ExecWords *words, const char *word) {
        char **grown = reallocarray(words->words, words->n + 2, sizeof *grown);

        if (!grown)
                return error_origin(-ENOMEM);
        words->words = grown;
        grown[words->n] = strdup(word);
        if (!grown[words->n])
                return error_origin(-ENOMEM);
        grown[++words->n] = NULL;
        return 0;
}

int exec_words_split(const char *text, ExecWords *ret_words) {
        _cleanup_(freep) char *word = malloc(strlen(text) + 1);
        ExecWords words = {};
        char open;
        int r = word ? 0 : error_origin(-ENOMEM);

        for (text += strspn(text, blanks); r == 0 && *text; text += strspn(text, blanks)) {
                text = read_word(text, word, &open);
                if (!text)
                        r = open;
                else
                        r = words_add(&words, word);
                if (r)
                        break;
        }
        if (r) {
                exec_words_clear(&words);
                return r;
        }
        *ret_words = words;
        return 0;
}

/* As a first word a shell would take them for its own. */
static bool is_reserved(const char *word) {
        static const char *const words[] = { "case", "do", "done", "elif", "else", "esac", "fi", "for", "function",
                "if", "in", "select", "then", "time", "until", "while" };

        for (size_t i = 0; i < N_ELEMENTS(words); i++)
                if (strcmp(word, words[i]) == 0)
                        return true;
        return false;
}

static void word_print(const char *word, bool is_first, FILE *out) {
        if (*word && word[strspn(word, safe)] == '\0' && !(is_first && (strchr(word, '=') || is_reserved(word)))) {
                fputs(word, out);
                return;
        }
        fputc('\'', out);
        for (; *word; word++)
                if (*word == '\'')
                        fputs("'\\''", out);
                else
                        fputc(*word, out);
        fputc('\'', out);
}

char *exec_words_join(const char *const *words, size_t n) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        for (size_t i = 0; i < n; i++) {
                fputs(i > 0 ? " " : "", out);
                word_print(words[i], i == 0, out);
        }
        return text_stream_take(&text);
}

void exec_words_clear(ExecWords *words) {
        for (size_t i = 0; i < words->n; i++)
                free(words->words[i]);
        free(words->words);
        *words = (ExecWords){};
}
