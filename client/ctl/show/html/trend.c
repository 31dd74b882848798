/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times of benchmarks over earlier runs: the drift as a line from run to run, by their dates or those of their commits, each with its interval, and the
 * table of benchctl's history, the latest first.
 */

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/model/trend.h"
#include "ctl/model/view.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/table.h"
#include "ctl/show/plots/picture.h"
#include "ctl/show/plots/svg.h"
#include "util/cleanup.h"
#include "util/error.h"

#define HEIGHT 220.0
#define BESIDE 0.04 /* of the time from the first run to the last, at both ends */

/* ---- drawing */

static const PictureLook look_drift = { .class = "drift" };

static const PictureLook *look_of_run(const json_t *run) {
        static const PictureLook unfit = { .class = "median unfit", .ringed = true };
        static const PictureLook slower = { .class = "median slower", .ringed = true };
        static const PictureLook faster = { .class = "median faster", .ringed = true };
        const char *change = json_text_at(run, "change");

        if (*trend_note(run))
                return &unfit;
        if (change && strcmp(change, "slower") == 0)
                return &slower;
        return change && strcmp(change, "faster") == 0 ? &faster : &picture_look_point;
}

/* The run at @index of the earliest first. */
static const json_t *run_at(const json_t *runs, size_t index) {
        return json_array_get(runs, json_array_size(runs) - 1 - index);
}

/* The latest run before the one at @index whose time may be compared with its; NULL: none. */
static const json_t *kin_before(const json_t *runs, size_t index) {
        const json_t *run = run_at(runs, index);

        while (index-- > 0) {
                const json_t *before = run_at(runs, index);

                if (json_is_same(before, run, "comparability_key") && json_is_same(before, run, "measurand") &&
                                row_has_time(before))
                        return before;
        }
        return NULL;
}

/* A line joins two runs of equal conditions: what lies between others is not a change of the code. */
static int picture_trend(const json_t *row, const AmountTimeUnit *unit, Picture *picture) {
        const json_t *runs = json_at(row, "runs");
        const char *date = json_text_is(row, "ordered_by", "commit") ? "commit.committed_at" : "started_at";

        picture->x.kind = AXIS_DATES;
        picture->y = (Axis){ AXIS_TIMES, .unit = unit };
        for (size_t i = 0; i < json_array_size(runs); i++) {
                const json_t *run = run_at(runs, i), *before = kin_before(runs, i);
                const double x = instant_seconds(json_text_at(run, date));
                const RowEstimate time = row_time(run);

                picture_add_reach(picture, &look_drift, instant_seconds(json_text_at(before, date)), x,
                                row_time(before).point, time.point);
                picture_add_reach(picture, &picture_look_whisker, x, x, time.low, time.high);
                picture_add_dot(picture, look_of_run(run), x, time.point, NULL);
        }
        picture_fit(picture, &picture->x);
        picture_fit(picture, &picture->y);
        axis_widen(&picture->x, BESIDE);
        return error_trace(picture_finish(picture));
}

static int print_drawing(const char *id, const json_t *row, const AmountTimeUnit *unit, FILE *out) {
        _cleanup_(picture_clear) Picture picture = {};
        char description[128];
        SvgHeight height;
        int r;

        r = picture_trend(row, unit, &picture);
        if (r || picture.n_shapes == 0)
                return error_trace(r);
        snprintf(description, sizeof description,
                        "%zu runs by %s, each a dot with its interval. The table has the figures.",
                        json_array_size(json_at(row, "runs")),
                        json_text_is(row, "ordered_by", "commit") ? "the dates of their commits" : "their dates");
        height = svg_height(&picture, HEIGHT);
        fputs("<figure>", out);
        svg_begin(id, "trend", HEIGHT, "Time from run to run", description, out);
        r = svg_plane(&picture, &height, "whole", 0, 100, out);
        svg_end(out);
        fputs("<figcaption>A dot is the time of a run with its 95 % interval; a line joins runs of equal conditions, whose times may be "
              "compared.</figcaption></figure>\n",
                        out);
        return error_trace(r);
}

/* ---- the table */

/* The sentence on the drift, where there is one. */
static void print_drift(const json_t *row, FILE *out) {
        FILE *text;

        if (!json_text_at(row, "drift.direction"))
                return;
        fputs("<p>", out);
        if (markup_open(out, &text) == 0) {
                trend_print_drift(row, text);
                fclose(text);
        }
        fputs("</p>\n", out);
}

static int print_row(const json_t *row, size_t index, const View *view, FILE *out) {
        const json_t *runs = json_at(row, "runs");
        char id[PART_ID_MAX];
        Columns columns;
        int r;

        snprintf(id, sizeof id, "t-%zu", index);
        fputs("<article><h3>", out);
        part_print_name(row, out);
        fputs("</h3>\n", out);
        r = print_drawing(id, row, view->times.unit, out);
        print_drift(row, out);
        columns_choose_all(TABLE_TREND, &columns);
        columns_tell(&columns, &view->times);
        if (r == 0)
                r = table_leave_out(&columns, runs);
        if (r == 0)
                r = table_print("sortable", &columns, runs, out);
        fputs("</article>\n", out);
        return error_trace(r);
}

int trend_print(const json_t *trend, const View *view, FILE *out) {
        const json_t *rows = result_rows(trend);
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++)
                r = print_row(json_array_get(rows, i), i, view, out);
        if (r)
                return error_trace(r);
        fputs("<ul class=\"findings\">", out);
        r = trend_tell_conditions(trend, part_print_item, out);
        fputs("</ul>\n", out);
        return error_trace(r);
}
