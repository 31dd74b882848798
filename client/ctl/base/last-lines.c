/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/last-lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"

const char *last_lines_begin(const char *output, size_t n_most, size_t *ret_n_before) {
        const char *end = output + strlen(output), *first = output;
        size_t n_lines = 0, n_before = 0;

        while (end > output && end[-1] == '\n')
                end--;
        for (const char *c = output; c < end; c++)
                n_lines += c == output || c[-1] == '\n';
        for (; n_lines - n_before > n_most; n_before++)
                first = strchr(first, '\n') + 1;
        *ret_n_before = n_before;
        return first;
}

int last_lines_each(const char *output, size_t n_most, const char *start, LastLine take, void *where) {
        size_t n_before, n;
        const char *line = last_lines_begin(output, n_most, &n_before);
        int r = 0;

        if (n_before > 0) {
                char counted[64];

                snprintf(counted, sizeof counted, "%s… %zu line%s before", start, n_before, n_before == 1 ? "" : "s");
                r = take(where, counted);
        }
        for (; r == 0 && line[strspn(line, "\n")]; line += n + (line[n] == '\n')) {
                _cleanup_(freep) char *text = NULL;

                n = strcspn(line, "\n");
                if (asprintf(&text, "%s%.*s", start, (int)n, line) < 0) {
                        text = NULL;
                        return error_origin(-ENOMEM);
                }
                for (char *end = text + strlen(text); end > text && end[-1] == ' '; end--)
                        end[-1] = '\0';
                r = take(where, text);
        }
        return error_trace(r);
}

static int print_line(void *where, const char *line) {
        fprintf(where, "%s\n", line);
        return 0;
}

void last_lines_print(const char *output, size_t n_most, const char *start, FILE *out) {
        (void)last_lines_each(output, n_most, start, print_line, out);
}
