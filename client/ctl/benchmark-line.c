/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/benchmark-line.h"

#include <stdbool.h>
#include <string.h>

#define BENCHMARK_WORD "BENCH("

/* Copies the name if @line begins a benchmark. */
static bool take_name(const char *line, char ret_name[static BENCHMARK_NAME_MAX]) {
        size_t n;

        line += strspn(line, " \t");
        if (strncmp(line, BENCHMARK_WORD, strlen(BENCHMARK_WORD)) != 0)
                return false;
        line += strlen(BENCHMARK_WORD);
        line += strspn(line, " \t\n");
        n = strcspn(line, ", \t\n)");
        if (n == 0 || n >= BENCHMARK_NAME_MAX)
                return false;
        memcpy(ret_name, line, n);
        ret_name[n] = '\0';
        return true;
}

size_t benchmark_line_at(const char *text, size_t index, char ret_name[static BENCHMARK_NAME_MAX]) {
        size_t n_seen = 0;

        for (size_t number = 1; *text; number++) {
                if (take_name(text, ret_name) && n_seen++ == index)
                        return number;
                text += strcspn(text, "\n");
                text += *text == '\n';
        }
        return 0;
}

size_t benchmark_line(const char *text, const char *name) {
        char found[BENCHMARK_NAME_MAX];
        size_t line;

        for (size_t i = 0; (line = benchmark_line_at(text, i, found)); i++)
                if (!name || strcmp(found, name) == 0)
                        return line;
        return 0;
}
