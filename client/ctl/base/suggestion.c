/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/suggestion.h"

#include <stdio.h>
#include <string.h>

void suggestion_init(Suggestion *suggestion, const char *word, size_t n, const char *prefix) {
        *suggestion = (Suggestion){ .prefix = prefix };
        snprintf(suggestion->word, sizeof suggestion->word, "%.*s", (int)n, word);
        suggestion->nearest.word = suggestion->word;
}

void suggestion_offer(Suggestion *suggestion, const char *name) {
        size_t n = strlen(suggestion->names);

        nearest_offer(&suggestion->nearest, name);
        if (!*suggestion->word || strncmp(name, suggestion->word, strlen(suggestion->word)) != 0)
                return;
        snprintf(suggestion->names + n, sizeof suggestion->names - n, "%s%s%s", suggestion->n++ > 0 ? ", " : "",
                        suggestion->prefix, name);
}
