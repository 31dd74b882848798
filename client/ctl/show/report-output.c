/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/report-output.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "ctl/show/grid.h"
#include "util/cleanup.h"
#include "util/error.h"

#define OUTPUT_START   "    | "
#define OUTPUT_COUNTED "… " /* in place of the lines that are left out */

/* ---- lines */

/* The first of the last @n_most lines of @output; empty lines at its end do not count. */
static const char *output_last_lines(const char *output, size_t n_most, size_t *ret_n_before) {
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

typedef int (*OutputLine)(void *where, const char *line);

/* Gives the last @n_most lines of @output to @take, one after the other, each behind @start. Returns 0 or a negative errno. */
static int output_each_line(const char *output, size_t n_most, const char *start, OutputLine take, void *where) {
        size_t n_before, n;
        const char *line = output_last_lines(output, n_most, &n_before);
        int r = 0;

        if (n_before > 0) {
                char counted[64];

                snprintf(counted, sizeof counted, "%s" OUTPUT_COUNTED "%zu line%s before", start, n_before,
                                n_before == 1 ? "" : "s");
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

static int output_print_line(void *where, const char *line) {
        fprintf(where, "%s\n", line);
        return 0;
}

static int output_add_line(void *where, const char *line) {
        fputs(line, grid_cell(where));
        return error_trace(grid_add_verbatim(where, GRID_DIM));
}

/* ---- benchmarks */

/* Skipping itself is no failure, and needs no explanation but its own. */
static bool output_explains(const json_t *benchmark) {
        const char *code = json_text_at(benchmark, "failed.code");

        return json_at(benchmark, "failed") && !(code && strcmp(code, "skipped") == 0);
}

int report_output_add_failure(Grid *grid, const json_t *row) {
        const char *code = row_failure(row);

        fputs(row_failure_message(row), grid_cell(grid));
        return error_trace(grid_add_words(grid, code && strcmp(code, "skipped") == 0 ? GRID_DIM : GRID_BAD));
}

int report_output_add(Grid *grid, const json_t *benchmark) {
        const char *output = json_text_at(benchmark, "output");

        if (!output || !output_explains(benchmark))
                return 0;
        return error_trace(output_each_line(output, REPORT_OUTPUT_LINES, OUTPUT_START, output_add_line, grid));
}

void report_output_print_end(const char *output, const char *start, FILE *out) {
        (void)output_each_line(output, REPORT_OUTPUT_LINES, start, output_print_line, out);
}

void report_output_print_failure(const json_t *benchmark, const char *start, FILE *out) {
        const char *output = json_text_at(benchmark, "output");

        if (output && output_explains(benchmark))
                report_output_print_end(output, start, out);
}

static void output_print_name(const json_t *benchmark, FILE *out) {
        const char *area = json_text_at(benchmark, "area"), *side = json_text_at(benchmark, "side");

        if (area && *area)
                fprintf(out, "%s/", area);
        cell_print_name(benchmark, out);
        if (side)
                fprintf(out, " (%s)", side);
}

void report_output_print_all(const json_t *result, FILE *out) {
        const json_t *benchmarks = result_rows(result);

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);
                const char *output = json_text_at(benchmark, "output");
                char printed[UNIT_TEXT_MAX];
                size_t n_before;

                if (!output)
                        continue;
                (void)output_last_lines(output, REPORT_OUTPUT_LINES, &n_before);
                if (output_explains(benchmark) && n_before == 0)
                        continue;
                fputc('\n', out);
                output_print_name(benchmark, out);
                fprintf(out, " %s:\n", cell_describe_output(benchmark, printed) ? printed : "printed");
                (void)output_each_line(output, SIZE_MAX, OUTPUT_START, output_print_line, out);
        }
}
