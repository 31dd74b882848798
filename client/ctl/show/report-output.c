/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/report-output.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/last-lines.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "ctl/show/grid.h"
#include "util/cleanup.h"
#include "util/error.h"

#define OUTPUT_START "    | "

static int output_add_line(void *where, const char *line) {
        fputs(line, grid_cell(where));
        return error_trace(grid_add_verbatim(where, GRID_DIM));
}

/* A skipped benchmark is not a failure, and its own explanation suffices. */
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
        return error_trace(last_lines_each(output, REPORT_OUTPUT_LINES, OUTPUT_START, output_add_line, grid));
}

void report_output_print_failure(const json_t *benchmark, const char *start, FILE *out) {
        const char *output = json_text_at(benchmark, "output");

        if (output && output_explains(benchmark))
                last_lines_print(output, REPORT_OUTPUT_LINES, start, out);
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
                last_lines_begin(output, REPORT_OUTPUT_LINES, &n_before);
                if (output_explains(benchmark) && n_before == 0)
                        continue;
                fputc('\n', out);
                output_print_name(benchmark, out);
                fprintf(out, " %s:\n", cell_describe_output(benchmark, printed) ? printed : "printed");
                last_lines_print(output, SIZE_MAX, OUTPUT_START, out);
        }
}
