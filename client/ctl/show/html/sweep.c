/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Sweeps: the times of benchmarks by the size of their argument, those of an area in one drawing, with the growth that was fitted to each;
 * of a comparison both sides in one drawing.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/curves.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/plots/picture.h"
#include "ctl/show/plots/svg.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define HEIGHT      300.0
#define CURVES_MOST 6u /* in one drawing; more of an area have the next */
#define FIT_STEPS   48u

/* Curves differ in shape as well as in colour, since not every reader can distinguish colours. */
#define CURVE_LOOK(curve, shape, hollow_, length_)                                                                     \
 {                                                                                                                     \
  .dot = { .class = "mark " shape " " curve, .ringed = true, .hollow = hollow_, .length = length_ },                   \
  .whisker = { .class = "whisker " curve }, .fit = { .class = "fit " curve }, .join = { .class = "join " curve },      \
  .key = shape " " curve                                                                                               \
 }

typedef struct CurveLook {
        PictureLook dot, whisker, fit, join;
        const char *key; /* class of CSS in the legend */
} CurveLook;

static const CurveLook looks[CURVES_MOST] = {
        CURVE_LOOK("c0", "disc", false, 0),
        CURVE_LOOK("c1", "circle", true, 0),
        CURVE_LOOK("c2", "square", false, 8),
        CURVE_LOOK("c3", "disc", false, 0),
        CURVE_LOOK("c4", "circle", true, 0),
        CURVE_LOOK("c5", "square", false, 8),
};

/* A pair of a comparison has a colour, and its old side rings. */
static const CurveLook sided_looks[CURVES_MOST] = {
        CURVE_LOOK("new", "disc", false, 0),
        CURVE_LOOK("old", "circle", true, 0),
        CURVE_LOOK("c2", "disc", false, 0),
        CURVE_LOOK("c2", "circle", true, 0),
        CURVE_LOOK("c3", "disc", false, 0),
        CURVE_LOOK("c3", "circle", true, 0),
};

typedef struct Sweep {
        const char *id;
        const json_t *result, *figure;
        size_t first, n; /* its curves */
        const View *view;
        FILE *out;
} Sweep;

static const json_t *curve_at(const Sweep *sweep, size_t index) {
        return json_array_get(json_object_get(sweep->figure, "sets"), sweep->first + index);
}

static const CurveLook *look_at(const Sweep *sweep, size_t index) {
        const json_t *row = json_array_get(json_object_get(curve_at(sweep, index), "rows"), 0);
        const size_t old = json_text_is(row, "side", "old");

        return json_text_at(row, "side") ? &sided_looks[index / 2 * 2 + old] : &looks[index];
}

/* The growth that was fitted to @curve over the argument of the drawing; NULL: none. */
static const json_t *fit_of(const Sweep *sweep, const json_t *curve) {
        const json_t *fit = report_sweep_find(sweep->result, json_array_get(json_object_get(curve, "rows"), 0));

        return fit && json_text_is(fit, "arg", json_text_or(sweep->figure, "x", "")) ? fit : NULL;
}

/* ---- the drawing */

static void add_points(Picture *picture, const CurveLook *look, const json_t *rows, const char *x) {
        const json_t *row;

        json_each(i, row, rows) {
                const RowEstimate time = row_time(row);
                const double size = curves_x(row, x);

                picture_add_dot(picture, &look->dot, size, time.point, NULL);
                picture_add_reach(picture, &look->whisker, size, size, time.low, time.high);
        }
}

/* The fit; without one the points are joined. */
static void add_line(Picture *picture, const CurveLook *look, const json_t *rows, const char *x, const json_t *fit) {
        const json_t *row;

        for (size_t i = 0; json_text_at(fit, "order") && i <= FIT_STEPS; i++) {
                const double size = picture->x.low * pow(picture->x.high / picture->x.low, (double)i / FIT_STEPS);

                picture_add_curve(picture, &look->fit, size, report_sweep_time_ns(fit, size));
        }
        json_each(i, row, rows) {
                if (!json_text_at(fit, "order"))
                        picture_add_curve(picture, &look->join, curves_x(row, x), row_time(row).point);
        }
}

static int picture_curves(const Sweep *sweep, Picture *picture) {
        const char *x = json_text_at(sweep->figure, "x");

        picture->name = x;
        picture->x.kind = AXIS_LOG_NUMBERS;
        picture->y = (Axis){ AXIS_LOG_TIMES, .unit = sweep->view->times.unit };
        for (size_t i = 0; i < sweep->n; i++)
                add_points(picture, look_at(sweep, i), json_object_get(curve_at(sweep, i), "rows"), x);
        picture_fit(picture, &picture->x);
        picture_fit(picture, &picture->y);
        for (size_t i = 0; i < sweep->n; i++)
                add_line(picture, look_at(sweep, i), json_object_get(curve_at(sweep, i), "rows"), x,
                                fit_of(sweep, curve_at(sweep, i)));
        return error_trace(picture_finish(picture));
}

static int print_drawing(const Sweep *sweep, const Picture *picture) {
        const SvgHeight height = svg_height(picture, HEIGHT);
        char description[160];
        int r;

        snprintf(description, sizeof description,
                        "%zu curve%s on logarithmic axes, each size a mark with its interval. The table has the figures.",
                        sweep->n, sweep->n == 1 ? "" : "s");
        svg_begin(sweep->id, "sweep", HEIGHT, "Time by size", description, sweep->out);
        r = svg_plane(picture, &height, "whole", 0, 99, sweep->out);
        svg_end(sweep->out);
        return error_trace(r);
}

/* ---- its words */

/* Prints the growth with raised exponents, "O(n²), ...". */
static int print_growth(const json_t *fit, const AmountTimeUnit *unit, FILE *out) {
        _cleanup_(text_stream_clear) TextStream plain = {}, raised = {};
        FILE *stream;
        int r;

        report_print_sweep(fit, unit, text_stream_open(&plain));
        r = text_stream_close(&plain);
        if (r)
                return error_trace(r);
        stream = text_stream_open(&raised);
        for (const char *text = plain.text; *text; text++)
                if (text[0] == '^' && (text[1] == '2' || text[1] == '3'))
                        fputs(*++text == '2' ? "²" : "³", stream);
                else
                        fputc(*text, stream);
        r = text_stream_close(&raised);
        if (r == 0)
                markup_text(raised.text, out);
        return error_trace(r);
}

static int print_key(const Sweep *sweep, size_t index) {
        const json_t *curve = curve_at(sweep, index), *fit = fit_of(sweep, curve);
        int r = 0;

        fprintf(sweep->out, "<span class=\"key curve\"><i class=\"%s\"></i><bdi>", look_at(sweep, index)->key);
        markup_text(json_text_at(curve, "title"), sweep->out);
        fputs(fit ? "</bdi>: " : "</bdi>", sweep->out);
        if (fit)
                r = print_growth(fit, sweep->view->times.unit, sweep->out);
        fputs("</span> ", sweep->out);
        return error_trace(r);
}

static int print_sweep(const Sweep *sweep) {
        _cleanup_(picture_clear) Picture picture = {};
        int r;

        r = picture_curves(sweep, &picture);
        if (r)
                return error_trace(r);
        fputs("<article class=\"growth\"><h3><bdi>", sweep->out);
        markup_text(json_text_at(sweep->figure, "title"), sweep->out);
        fputs("</bdi></h3><figure>", sweep->out);
        r = print_drawing(sweep, &picture);
        fputs("<figcaption>", sweep->out);
        for (size_t i = 0; r == 0 && i < sweep->n; i++)
                r = print_key(sweep, i);
        fputs("</figcaption></figure></article>\n", sweep->out);
        return error_trace(r);
}

/* ---- the whole */

int sweeps_print(const char *id, const json_t *result, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *figures = json_array();
        const json_t *figure;
        size_t n = 0;
        int r;

        r = figures ? curves_add(figures, result) : error_origin(-ENOMEM);
        if (r || json_array_size(figures) == 0)
                return error_trace(r);
        fputs("<section><h2>Growth</h2>\n", out);
        json_each(i, figure, figures) {
                const size_t n_curves = json_array_size(json_object_get(figure, "sets"));

                for (size_t first = 0; r == 0 && first < n_curves; first += CURVES_MOST) {
                        const size_t left = n_curves - first;
                        char own[PART_ID_MAX];

                        snprintf(own, sizeof own, "%s-n%zu", id, n++);
                        r = print_sweep(&(Sweep){ own, result, figure, first, left < CURVES_MOST ? left : CURVES_MOST,
                                        view, out });
                }
        }
        fputs("</section>\n", out);
        return error_trace(r);
}
