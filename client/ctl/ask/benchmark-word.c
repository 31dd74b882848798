/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/benchmark-word.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *benchmark_word_split(const char *word, char ret_path[static PATH_MAX]) {
        const char *hash = access(word, F_OK) == 0 ? NULL : strrchr(word, '#');

        snprintf(ret_path, PATH_MAX, "%.*s", hash ? (int)(hash - word) : (int)strlen(word), word);
        return hash ? hash + 1 : NULL;
}

size_t benchmark_word_area(const char *word) {
        const size_t n = strcspn(word, "/");

        return word[n] && !memchr(word + n + 1, '=', strcspn(word + n + 1, "/")) ? n : 0;
}

void benchmark_word_name(const char *word, char ret_name[static BENCHMARK_WORD_NAME_MAX]) {
        size_t n;

        while ((n = benchmark_word_area(word)) > 0)
                word += n + 1;
        snprintf(ret_name, BENCHMARK_WORD_NAME_MAX, "%.*s", (int)strcspn(word, "/"), word);
}
