/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times of benchmarks over earlier runs: one line a run, the latest first, with its interval and, where that leaves the interval of the
 * run before, the direction.
 */

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ctl/instant.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/unit.h"

#define JOB_DIGITS    8
#define DATE_COLUMNS  19
#define TIME_COLUMNS  9
#define MARK_COLUMNS  6
#define RANGE_COLUMNS 19
#define STYLE_BOLD    "\033[1m"
#define STYLE_END     "\033[0m"

static int columns_of(const char *text) {
        int n = 0;

        for (; *text; text++)
                n += ((unsigned char)*text & 0xc0) != 0x80;
        return n;
}

/* Prints @text after three blanks, to the left or the right of @n_columns. */
static void print_cell(const char *text, int n_columns, bool left, FILE *out) {
        int blanks = n_columns - columns_of(text);

        blanks = blanks > 0 ? blanks : 0;
        fprintf(out, "   %*s%s%*s", left ? 0 : blanks, "", text, left ? blanks : 0, "");
}

static void print_columns(FILE *out) {
        fprintf(out, "  %-*s", JOB_DIGITS, "job");
        print_cell("started", DATE_COLUMNS, true, out);
        print_cell("time", TIME_COLUMNS, false, out);
        print_cell("95 % interval", RANGE_COLUMNS, true, out);
        print_cell("change", MARK_COLUMNS, true, out);
        fputs("   module\n", out);
}

static void print_title(const json_t *row, FILE *out) {
        const char *area = json_text_at(row, "area"), *name = json_text_at(row, "name"), *key;
        json_t *value;
        double threads;

        fprintf(out, "%s/%s", area ? area : "?", name ? name : "?");
        json_object_foreach(json_object_get(row, "args"), key, value) {
                fprintf(out, " %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value));
        }
        if (json_number_at(row, "threads", &threads) && threads > 1)
                fprintf(out, " threads=%.0f", threads);
        fputc('\n', out);
}

static void print_run(const json_t *run, const View *view, FILE *out) {
        const char *job = json_text_at(run, "run_id"), *started = json_text_at(run, "started_at");
        const char *mark = json_text_at(run, "change"), *module = json_text_at(run, "module_name"),
                   *verdict = json_text_at(run, "verdict");
        char date[INSTANT_TEXT_MAX] = "?", left[UNIT_TEXT_MAX], right[UNIT_TEXT_MAX], range[2 * UNIT_TEXT_MAX + 8] = "";
        double point = 0, low, high;

        if (started)
                instant_local(started, "%Y-%m-%d %H:%M:%S", date);
        json_number_at(run, "time_ns.point", &point);
        if (json_number_at(run, "time_ns.low", &low) && json_number_at(run, "time_ns.high", &high))
                snprintf(range, sizeof range, "%s … %s", unit_time(low, left), unit_time(high, right));
        fprintf(out, "  %-*.*s", JOB_DIGITS, JOB_DIGITS, job ? job : "?");
        print_cell(date, DATE_COLUMNS, true, out);
        print_cell(unit_time(point, left), TIME_COLUMNS, false, out);
        print_cell(range, RANGE_COLUMNS, true, out);
        fputs(mark && color ? STYLE_BOLD : "", out);
        print_cell(mark ? mark : "", MARK_COLUMNS, true, out);
        fputs(mark && color ? STYLE_END : "", out);
        fprintf(out, "   %s%s\n", module ? module : "", verdict && strcmp(verdict, "unfit") == 0 ? " (unfit)" : "");
}

int report_trend(const json_t *trend, const View *view, FILE *out) {
        const json_t *rows = json_at(trend, "benchmarks");

        for (size_t i = 0; i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i), *runs = json_at(row, "runs");

                if (i > 0)
                        fputc('\n', out);
                print_title(row, out);
                print_columns(out);
                for (size_t j = 0; j < json_array_size(runs); j++)
                        print_run(json_array_get(runs, j), view, out);
        }
        return 0;
}
