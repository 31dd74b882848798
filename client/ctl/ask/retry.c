/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/retry.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/base/hint.h"
#include "ctl/model/settings.h"
#include "ctl/model/verb.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

static void put_word(FILE *out, const char *word) {
        char text[HINT_WORD_MAX];

        fprintf(out, " %s", hint_quote(word, text));
}

/* True if @word is --socket or a beginning of it; its value may be the next word. */
static bool is_socket(const char *word) {
        size_t n = strcspn(word, "=");

        return n > 2 && strncmp(word, "--socket", n) == 0;
}

static bool is_argument(const Settings *settings, const char *word) {
        for (size_t i = 0; i < settings->arguments.n; i++)
                if (settings->arguments.words[i] == word)
                        return true;
        return false;
}

static bool can_be_private(const Settings *settings) {
        if (!(settings->verb->traits & VERB_PRIVATE) || benchd_options_detach(settings->options))
                return false;
        for (size_t i = 0; i < settings->arguments.n; i++)
                if (settings->verb->traits & (VERB_COMPARE | VERB_CODE) && *settings->arguments.words[i] == '@')
                        return false;
        return true;
}

char *retry_with_private(const Settings *settings) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);
        bool filters = false;

        if (!can_be_private(settings))
                return NULL;
        fprintf(out, "benchctl %s --private", settings->verb->name);
        for (const char *const *word = settings->typed; *word; word++) {
                filters = filters || strcmp(*word, "--") == 0;
                if (!filters && is_socket(*word))
                        word += !strchr(*word, '=') && word[1];
                else if (*word != settings->verb_typed)
                        put_word(out, *word);
        }
        return text_stream_take(&text);
}

char *retry_with_filters(const Settings *settings) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);
        size_t n_files = 0;

        for (size_t i = 0; i < settings->arguments.n; i++)
                n_files += access(settings->arguments.words[i], F_OK) == 0;
        if (n_files == 0)
                return NULL;
        fprintf(out, "benchctl");
        for (const char *const *word = settings->typed; *word && strcmp(*word, "--") != 0; word++)
                if (!is_argument(settings, *word) || access(*word, F_OK) == 0)
                        put_word(out, *word);
        fprintf(out, " --");
        for (size_t i = 0; i < settings->arguments.n; i++)
                if (access(settings->arguments.words[i], F_OK) < 0)
                        put_word(out, settings->arguments.words[i]);
        for (size_t i = 0; i < settings->filters.n; i++)
                put_word(out, settings->filters.words[i]);
        return text_stream_take(&text);
}

const char *retry_private_option(const Settings *settings) {
        const char *socket = settings->socket ? settings->socket : getenv("BENCHD_SOCKET");

        return access(socket && *socket ? socket : "/run/benchd/benchd.sock", F_OK) < 0 ? " --private" : "";
}
