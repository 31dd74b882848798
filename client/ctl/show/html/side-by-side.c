/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Two results side by side, as of two machines: their attributes, and each benchmark's times as two dots with their intervals on one
 * logarithmic axis.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/model/side-by-side.h"
#include "ctl/model/view.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/table.h"
#include "ctl/show/plots/picture.h"
#include "util/cleanup.h"
#include "util/error.h"

#define TICK_GAP 220 /* a column is narrow */

/* The second result's dot is a ring, since not every reader can distinguish colours. */
static const PictureLook look_between = { .class = "between" };
static const PictureLook look_reaches[] = { { .class = "reach first" }, { .class = "reach second" } };
static const PictureLook look_dots[] = { { .class = "dot first", .ringed = true },
        { .class = "dot second", .ringed = true, .hollow = true } };

static void add_pair(Picture *picture, const json_t *times) {
        double points[2];

        picture_add_row(picture, "", NAN);
        for (size_t i = 0; i < N_ELEMENTS(points); i++) {
                const json_t *time = json_array_get(times, i);

                points[i] = json_number_or(time, "point", NAN);
                picture_add_reach(picture, &look_reaches[i], json_number_or(time, "low", NAN),
                                json_number_or(time, "high", NAN), ROW_MIDDLE, ROW_MIDDLE);
                picture_add_dot(picture, &look_dots[i], points[i], ROW_MIDDLE, NULL);
        }
        picture_add_curve(picture, &look_between, points[0], ROW_MIDDLE);
        picture_add_curve(picture, &look_between, points[1], ROW_MIDDLE);
}

static int picture_pairs(const json_t *pairs, const AmountTimeUnit *unit, Picture *picture) {
        const json_t *pair;

        picture->x = (Axis){ AXIS_LOG_TIMES, .unit = unit };
        json_each(i, pair, pairs)
                add_pair(picture, json_at(pair, "time_ns"));
        picture_fit(picture, &picture->x);
        return error_trace(picture_finish(picture));
}

/* The columns of a result have the mark of its dots. */
static void print_titles(const Columns *columns, const Picture *picture, FILE *out) {
        fputs("<th scope=\"col\">benchmark</th>", out);
        for (size_t i = 1; i < columns->n; i++) {
                const char *title = columns->columns[i].title;

                if (title[1] != '\0') {
                        table_print_title(&columns->columns[i], out);
                        continue;
                }
                fprintf(out, "<th scope=\"col\" class=\"number\"><i class=\"%s\"></i>%s</th>",
                                *title == 'A' ? "first" : "second", title);
        }
        table_print_scale(picture, TICK_GAP, out);
        fputs("</tr></thead><tbody>", out);
}

static int print_table(const json_t *pairs, const View *view, FILE *out) {
        _cleanup_(picture_clear) Picture picture = {};
        Columns columns;
        int r;

        r = picture_pairs(pairs, view->times.unit, &picture);
        if (r)
                return error_trace(r);
        columns_choose_all(TABLE_SIDE_BY_SIDE, &columns);
        columns_tell(&columns, &view->times);
        r = table_align(&columns, pairs);
        if (r)
                return error_trace(r);
        table_begin("sortable compared", out);
        print_titles(&columns, &picture, out);
        for (size_t i = 0; r == 0 && i < json_array_size(pairs); i++) {
                const json_t *pair = json_array_get(pairs, i);

                fputs("<tr class=\"row\"><th scope=\"row\">", out);
                part_print_name(pair, out);
                fputs("</th>", out);
                r = table_print_cells(&columns, pair, out);
                table_print_drawing(&picture, i, out);
                fputs("</tr>\n", out);
        }
        fputs("</tbody>", out);
        table_end(out);
        return error_trace(r);
}

static int print_both(const json_t *json, const char *const titles[static 2], const View *view, FILE *out) {
        const json_t *heads = json_at(json, "results"), *only = json_at(json, "only"), *clause;
        int r;

        fputs("<section><h2>Times</h2>\n<p class=\"legend\">", out);
        for (size_t i = 0; i < 2; i++) {
                fprintf(out, "<span class=\"key\"><i class=\"%s\"></i>", i == 0 ? "first" : "second");
                markup_text(titles[i], out);
                fputs("</span> ", out);
        }
        fputs("</p>\n", out);
        r = print_table(result_rows(json), view, out);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < 2; i++)
                part_print_only(json_array_get(only, i), titles[i], out);
        fputs("<ul class=\"findings\">", out);
        if (!json_flag_at(json, "comparable"))
                (void)part_print_sentence(out, SIDE_BY_SIDE_UNLIKE);
        json_each(i, clause, json_at(json, "differences"))
                (void)part_print_sentence(out, json_string_value(clause));
        if (json_text_at(json, "remedy"))
                (void)part_print_item(out, json_text_at(json, "remedy"));
        (void)part_print_item(out, SIDE_BY_SIDE_NO_VERDICT);
        fputs("</ul></section>\n", out);
        return error_trace(machine_print_two(
                        (const json_t *const[]){ json_array_get(heads, 0), json_array_get(heads, 1) }, titles, out));
}

int side_by_side_print(const json_t *json, const View *view, FILE *out) {
        _cleanup_(freep) char *first = side_by_side_title(json, 0), *second = side_by_side_title(json, 1);

        if (!first || !second)
                return error_origin(-ENOMEM);
        return error_trace(print_both(json, (const char *const[]){ first, second }, view, out));
}
