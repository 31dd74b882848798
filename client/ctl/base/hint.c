/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/text-stream.h"

#define WORD_SAFE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

const char *hint_quote(const char *word, char text[static HINT_WORD_MAX]) {
        size_t n = 0;

        if (*word && word[strspn(word, WORD_SAFE)] == '\0') {
                snprintf(text, HINT_WORD_MAX, "%s", word);
                return text;
        }
        text[n++] = '\'';
        for (; *word && n + 6 < HINT_WORD_MAX; word++) {
                if (*word == '\'')
                        n += (size_t)snprintf(text + n, HINT_WORD_MAX - n, "'\\''");
                else
                        text[n++] = *word;
        }
        text[n++] = '\'';
        text[n] = '\0';
        return text;
}

char *hint_with_options(const char *hint, const char *options) {
        static const char command[] = "'benchctl ";
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        for (const char *at = strstr(hint, command); at; at = strstr(hint, command)) {
                const size_t n = (size_t)(at - hint) + strlen(command);
                const size_t n_verb = strcspn(hint + n, " '");

                fprintf(out, "%.*s%s", (int)(n + n_verb), hint, options);
                hint += n + n_verb;
        }
        fputs(hint, out);
        return text_stream_take(&text);
}
