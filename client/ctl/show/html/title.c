/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/html/title.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/commit.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/show/report.h"
#include "util/text-stream.h"

#define BUILT_IN   "suites" /* the module of the built-in benchmarks; the name of a user's has a suffix */
#define AREAS_MOST 3u

/* ---- files */

/* The last @n components of @path. */
static const char *last_components(const char *path, size_t n) {
        const char *from = path + strlen(path);

        while (from > path && (from[-1] != '/' || --n > 0))
                from--;
        return from;
}

/* As few components of @path as tell it from @other. */
static const char *shortest(const char *path, const char *other) {
        size_t n = 1;

        while (strcmp(path, other) != 0 && last_components(path, n) > path &&
                        strcmp(last_components(path, n), last_components(other, n)) == 0)
                n++;
        return last_components(path, n);
}

/* ---- a result */

static size_t count_areas(const json_t *rows) {
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(rows); i++)
                n += rows_area_is_new(rows, i) && *row_area(json_array_get(rows, i));
        return n;
}

/* The areas of @rows, or what they have in common where they are many. */
static void print_areas(const json_t *rows, FILE *out) {
        const size_t n = count_areas(rows);
        const char *separator = "";

        if (n == 0 || n > AREAS_MOST) {
                fputs("Built-in benchmarks", out);
                return;
        }
        for (size_t i = 0; i < json_array_size(rows); i++)
                if (rows_area_is_new(rows, i) && *row_area(json_array_get(rows, i))) {
                        fprintf(out, "%s%s", separator, row_area(json_array_get(rows, i)));
                        separator = ", ";
                }
}

static void print_module(const char *name, const char *other, const json_t *rows, FILE *out) {
        if (strcmp(name, BUILT_IN) == 0)
                print_areas(rows, out);
        else
                fputs(shortest(name, other), out);
}

/* Modules of one name are told apart by their commits. */
static void print_commits(const json_t *result, FILE *out) {
        const json_t *new = json_at(result, "module"), *old = json_at(result, "old_module");

        if (!json_is_same(new, old, "name") || !json_text_at(new, "commit.id") || !json_text_at(old, "commit.id") ||
                        (json_is_same(new, old, "commit.id") && json_is_same(new, old, "commit.dirty")))
                return;
        fputs(" at ", out);
        commit_print(json_at(new, "commit"), out);
        fputs(" against ", out);
        commit_print(json_at(old, "commit"), out);
}

/* Two benchmarks of one module are called by their names, if there is no second pair. */
static void print_comparison(const json_t *result, const char *new_name, const char *old_name, FILE *out) {
        const json_t *pairs = result_comparisons(result), *pair = json_array_get(pairs, 0);
        const char *old_row = json_text_or(pair, "old_name", row_name(pair));

        if (strcmp(new_name, old_name) != 0) {
                print_module(new_name, old_name, pairs, out);
                fputs(" against ", out);
                print_module(old_name, new_name, pairs, out);
        } else if (json_array_size(pairs) == 1 && strcmp(row_name(pair), old_row) != 0)
                fprintf(out, "%s against %s", row_name(pair), old_row);
        else
                print_module(new_name, old_name, pairs, out);
        print_commits(result, out);
}

char *title_of_result(const json_t *result) {
        const char *name = json_text_or(result, "module.name", "module");
        TextStream title = {};
        FILE *out = text_stream_open(&title);

        if (result_is_of_commands(result))
                report_print_commands(result, out);
        else if (result_compares(result))
                print_comparison(result, name, json_text_or(result, "old_module.name", "module"), out);
        else
                print_module(name, "", result_rows(result), out);
        if (text_stream_close(&title) == 0)
                return title.text;
        text_stream_clear(&title);
        return NULL;
}

char *title_of_two(const json_t *json) {
        const json_t *results = json_at(json, "results");
        const char *first = json_text_or(json_array_get(results, 0), "module.name", "module");
        const char *second = json_text_or(json_array_get(results, 1), "module.name", "module");
        char *title;

        if (strcmp(first, second) == 0)
                return asprintf(&title, "%s, two results", last_components(first, 1)) < 0 ? NULL : title;
        return asprintf(&title, "%s beside %s", shortest(first, second), shortest(second, first)) < 0 ? NULL : title;
}

/* ---- a history */

char *title_of_history(const json_t *trend) {
        const json_t *rows = result_rows(trend), *first = json_array_get(rows, 0);
        const size_t n = json_array_size(rows);
        TextStream title = {};
        FILE *out = text_stream_open(&title);
        bool one_benchmark = n > 0, one_area = n > 0;

        for (size_t i = 1; i < n; i++) {
                one_area &= json_is_same(json_array_get(rows, i), first, "area");
                one_benchmark &= one_area && json_is_same(json_array_get(rows, i), first, "name");
        }
        if (n == 1)
                cell_path(NULL, first, NULL, NULL, out);
        else if (one_benchmark || (one_area && *row_area(first)))
                fputs(one_benchmark ? row_name(first) : row_area(first), out);
        else
                fprintf(out, "%zu benchmarks", n);
        fputs(" over earlier runs", out);
        if (text_stream_close(&title) == 0)
                return title.text;
        text_stream_clear(&title);
        return NULL;
}
