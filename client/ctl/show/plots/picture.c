/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/plots/picture.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/arguments.h"
#include "ctl/model/result.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define COURSE_LINES 7
#define SWEEP_LINES  12
#define BARS_LINES   5 /* of the largest class */
#define FIT_STEPS    48u
#define PAIR_FAR     2.5  /* ratio of the ends of an axis of times from which it is logarithmic */
#define BESIDE       0.05 /* of the length of a logarithmic axis, at both ends */
#define RATIO_MOST   8.0  /* an axis of ratios reaches so far from 1 at most: farther intervals end at its ends */

const PictureLook picture_look_median = { .class = "median",
        .glyph = "•",
        .style = GRID_BOLD,
        .counted = true,
        .ringed = true };
const PictureLook picture_look_point = { .class = "median", .glyph = "●", .style = GRID_BOLD, .ringed = true };
const PictureLook picture_look_interval = { .class = "interval", .glyph = "─", .has_ends = true };
const PictureLook picture_look_headline = { .class = "point", .glyph = "●", .style = GRID_BOLD };
const PictureLook picture_look_whisker = { .class = "whisker", .glyph = "─" };
const PictureLook picture_look_fit = { .class = "fit", .glyph = "·", .style = GRID_DIM };
const PictureLook picture_look_mode = { .class = "mode", .glyph = "▲", .style = GRID_CAUTION };
const PictureLook picture_look_mode_between = { .class = "mode", .glyph = "△", .style = GRID_CAUTION };
const PictureLook picture_look_margin = { .class = "margin", .glyph = "░", .style = GRID_DIM };
const PictureLook picture_look_one = { .class = "one", .glyph = "│", .style = GRID_DIM };

const PictureLook *picture_look_of_class(MarkClass class) {
        static const PictureLook looks[_MARK_CLASS_N] = {
                [MARK_CLASS_QUIET] = { .class = "bar quiet", .glyph = "•", .style = GRID_GOOD },
                [MARK_CLASS_SHARED] = { .class = "bar shared", .glyph = "○", .style = GRID_CAUTION },
                [MARK_CLASS_DISTURBED] = { .class = "bar disturbed", .glyph = "×", .style = GRID_BAD },
        };

        return &looks[class];
}

/* How a ratio looks, by its verdict: the interval, and the dot. */
typedef struct VerdictLook {
        const char *verdict;
        PictureLook reach, dot;
} VerdictLook;

#define VERDICT_LOOK(word, style_)                                                                                     \
 {                                                                                                                     \
  .verdict = word, .reach = { .class = "reach " word, .glyph = "─", .style = style_, .has_ends = true },               \
  .dot = {.class = "dot " word,                                                                                        \
          .glyph = "●",                                                                                                \
          .style = style_,                                                                                             \
          .ringed = true }                                                                                             \
 }

static const VerdictLook *look_of_verdict(const char *verdict) {
        static const VerdictLook looks[] = {
                VERDICT_LOOK("faster", GRID_GOOD),
                VERDICT_LOOK("slower", GRID_BAD),
                VERDICT_LOOK("unresolved", GRID_CAUTION),
                VERDICT_LOOK("", GRID_PLAIN),
        };
        size_t i = 0;

        while (i < N_ELEMENTS(looks) - 1 && (!verdict || strcmp(looks[i].verdict, verdict) != 0))
                i++;
        return &looks[i];
}

/* ---- the whole */

void picture_clear(Picture *picture) {
        for (size_t i = 0; i < picture->n_rows; i++)
                free((char *)picture->rows[i].label);
        for (size_t i = 0; i < picture->n_shapes; i++)
                free((char *)picture->shapes[i].label);
        free(picture->rows);
        free(picture->shapes);
        *picture = (Picture){};
}

static char *copy_of(Picture *picture, const char *label) {
        char *copy = label ? strdup(label) : NULL;

        picture->failed |= label && !copy;
        return copy;
}

PictureRow *picture_add_row(Picture *picture, const char *label, double count) {
        PictureRow *grown = reallocarray(picture->rows, picture->n_rows + 1, sizeof *grown);

        picture->failed |= !grown;
        if (!grown)
                return &picture->no_row;
        picture->rows = grown;
        picture->rows[picture->n_rows] = (PictureRow){ .label = copy_of(picture, label), .count = count, .n_lines = 1 };
        return &picture->rows[picture->n_rows++];
}

/* Doubles the room when it is full: there can be as many shapes as runs or processes. */
static void add_shape(Picture *picture, PictureShape shape) {
        const size_t n = picture->n_shapes;
        PictureShape *grown = picture->shapes;

        if ((n & (n - 1)) == 0)
                grown = reallocarray(picture->shapes, n ? 2 * n : 1, sizeof *grown);
        picture->failed |= !grown;
        if (!grown)
                return;
        shape.label = copy_of(picture, shape.label);
        shape.row = picture->n_rows > 0 ? picture->n_rows - 1 : 0;
        picture->shapes = grown;
        picture->shapes[picture->n_shapes++] = shape;
}

static bool has_value(const Axis *axis, double value) {
        return isfinite(value) && (value > 0 || !axis_is_log(axis));
}

void picture_add_dot(Picture *picture, const PictureLook *look, double x, double y, const char *label) {
        if (has_value(&picture->x, x) && has_value(&picture->y, y))
                add_shape(picture, (PictureShape){ SHAPE_DOT, look, .x = x, .y = y, .label = label });
}

void picture_add_curve(Picture *picture, const PictureLook *look, double x, double y) {
        if (has_value(&picture->x, x) && has_value(&picture->y, y))
                add_shape(picture, (PictureShape){ SHAPE_CURVE, look, .x = x, .y = y });
}

void picture_add_reach(Picture *picture, const PictureLook *look, double x, double to_x, double y, double to_y) {
        if (has_value(&picture->x, x) && has_value(&picture->x, to_x) && has_value(&picture->y, y) &&
                        has_value(&picture->y, to_y))
                add_shape(picture, (PictureShape){ SHAPE_REACH, look, .x = x, .to_x = to_x, .y = y, .to_y = to_y });
}

static PictureShape shape_across(PictureShapeKind kind, const PictureLook *look, bool of_y, double from, double to) {
        PictureShape shape = { kind, look, .x = from, .to_x = to, .y = NAN, .to_y = NAN };

        return of_y ? (PictureShape){ kind, look, .x = NAN, .to_x = NAN, .y = from, .to_y = to } : shape;
}

void picture_add_area(Picture *picture, const PictureLook *look, bool of_y, double from, double to) {
        const Axis *axis = of_y ? &picture->y : &picture->x;

        if (has_value(axis, from) && has_value(axis, to))
                add_shape(picture, shape_across(SHAPE_AREA, look, of_y, from, to));
}

void picture_add_rule(Picture *picture, const PictureLook *look, bool of_y, double at, const char *label) {
        PictureShape shape = shape_across(SHAPE_RULE, look, of_y, at, at);

        shape.label = label;
        if (has_value(of_y ? &picture->y : &picture->x, at))
                add_shape(picture, shape);
}

void picture_fit(Picture *picture, Axis *axis) {
        const bool of_y = axis == &picture->y, ratios = axis->kind == AXIS_RATIOS;
        double low = INFINITY, high = -INFINITY;
        Axis fitted;

        for (size_t i = 0; i < picture->n_shapes; i++) {
                const PictureShape *shape = &picture->shapes[i];
                const double value = of_y ? shape->y : shape->x;
                const bool has_end = shape->kind == SHAPE_AREA || shape->kind == SHAPE_REACH;

                low = fmin(low, value);
                high = fmax(high, fmax(value, !has_end ? NAN : of_y ? shape->to_y : shape->to_x));
        }
        if (low > high)
                low = high = 1;
        fitted = axis_new(axis->kind, ratios ? fmax(low, 1 / RATIO_MOST) : low, ratios ? fmin(high, RATIO_MOST) : high);
        if (axis_is_log(axis))
                axis_widen(&fitted, BESIDE);
        fitted.unit = axis->unit;
        *axis = fitted;
}

int picture_finish(const Picture *picture) {
        return picture->failed ? error_origin(-ENOMEM) : 0;
}

/* ---- a benchmark */

/* The headline and its interval, across the picture. */
static void add_headline(Picture *picture, const RowEstimate *time, bool of_y) {
        picture_add_area(picture, &picture_look_interval, of_y, time->low, time->high);
        picture_add_rule(picture, &picture_look_headline, of_y, time->point, NULL);
}

static Axis time_axis(const SamplesRange *range) {
        Axis axis = axis_new(AXIS_TIMES, range->low, range->high);

        axis.unit = range->unit;
        return axis;
}

static size_t count_marked(const PlotSamples *samples, uint32_t bit) {
        size_t n = 0;

        for (size_t i = 0; i < samples->n; i++)
                n += (samples->samples[i].marks & bit) != 0;
        return n;
}

void picture_course(const json_t *benchmark, const PlotSamples *samples, const SamplesRange *range, Picture *picture) {
        const json_t *processes = json_at(benchmark, "processes"), *process;
        const RowEstimate time = row_time(benchmark);
        const Mark *mark;

        picture->name = "process";
        picture->x = axis_new(AXIS_ORDER, 0, (double)json_array_size(processes));
        picture->y = time_axis(range);
        picture->n_lines = COURSE_LINES;
        picture->samples = samples;
        add_headline(picture, &time, true);
        json_each(i, process, processes)
                picture_add_dot(picture, &picture_look_median, (double)i + 0.5,
                                json_number_or(process, "median_ns", NAN), NULL);
        for (size_t i = 0; (mark = mark_at(i)); i++) {
                const size_t n = count_marked(samples, mark->bit);

                if (n > 0) {
                        PictureRow *row = picture_add_row(picture, mark->word, (double)n);

                        row->look = picture_look_of_class(marks_class(mark->bit));
                        row->mark = mark->bit;
                }
        }
}

/* The largest class, mostly the quiet one, has high bars; the others have a line each, to their own height, since they are few. */
static void add_classes(Picture *picture, const PlotSamples *samples) {
        const size_t *n = samples->n_of_class;
        MarkClass largest = MARK_CLASS_QUIET;

        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++)
                if (n[class] > n[largest])
                        largest = class;
        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++) {
                char label[32];
                PictureRow *row;

                if (n[class] == 0)
                        continue;
                snprintf(label, sizeof label, "%s %s", sample_class_word(class), picture_look_of_class(class)->glyph);
                row = picture_add_row(picture, label, (double)n[class]);
                row->n_lines = class == largest ? BARS_LINES : 1;
                row->look = picture_look_of_class(class);
                row->of_class = true;
                row->class = class;
        }
}

static void add_histogram(Picture *picture, const json_t *benchmark) {
        const json_t *histogram = json_at(benchmark, "time_ns.histogram"), *counts = json_at(histogram, "counts"),
                     *count;
        const double low = json_number_or(histogram, "low", NAN);
        const double width = (json_number_or(histogram, "high", NAN) - low) / (double)json_array_size(counts);
        PictureRow *row;
        double sum = json_number_or(histogram, "below", 0) + json_number_or(histogram, "above", 0);

        if (json_array_size(counts) == 0 || !isfinite(width))
                return;
        json_each(i, count, counts)
                sum += json_number_value(count);
        row = picture_add_row(picture, "samples", sum);
        row->n_lines = BARS_LINES;
        row->look = picture_look_of_class(MARK_CLASS_QUIET);
        json_each(i, count, counts)
                add_shape(picture,
                                (PictureShape){ SHAPE_BIN, row->look, .x = low + width * (double)i,
                                                .to_x = low + width * (double)(i + 1), .y = json_number_value(count) });
}

static void add_modes(Picture *picture, const json_t *benchmark) {
        const json_t *modes = json_at(benchmark, "modes"), *mode;

        if (json_array_size(modes) > 0)
                picture_add_row(picture, "modes", (double)json_array_size(modes));
        json_each(i, mode, modes) {
                const double center_ns = json_number_or(mode, "center_ns", NAN);
                char share[UNIT_TEXT_MAX], center[UNIT_TEXT_MAX], label[2 * UNIT_TEXT_MAX + 8];

                snprintf(label, sizeof label, "%s at %s", unit_share(json_number_or(mode, "weight", 0), share),
                                unit_time_in(picture->x.unit, center_ns, center));
                picture_add_rule(picture,
                                json_text_is(mode, "kind", "between") ? &picture_look_mode_between : &picture_look_mode,
                                false, center_ns, label);
        }
}

static void add_medians(Picture *picture, const json_t *benchmark) {
        const json_t *processes = json_at(benchmark, "processes"), *process;
        const size_t before = picture->n_shapes;
        PictureRow *row = picture_add_row(picture, "medians", 0);

        json_each(i, process, processes)
                picture_add_dot(picture, &picture_look_median, json_number_or(process, "median_ns", NAN), ROW_MIDDLE,
                                NULL);
        row->count = (double)(picture->n_shapes - before);
}

void picture_distribution(const json_t *benchmark, const PlotSamples *samples, const SamplesRange *range,
                Picture *picture) {
        const RowEstimate time = row_time(benchmark);

        picture->x = time_axis(range);
        picture->samples = samples;
        if (samples->n > 0)
                add_classes(picture, samples);
        else
                add_histogram(picture, benchmark);
        add_modes(picture, benchmark);
        add_medians(picture, benchmark);
        if (!isfinite(time.point))
                return;
        picture_add_row(picture, isfinite(time.low) && isfinite(time.high) ? "95 % interval" : "time", NAN);
        add_headline(picture, &time, false);
}

/* ---- a pair */

typedef struct SideLook {
        const char *side; /* its key in a pair */
        PictureLook dot, interval, headline;
} SideLook;

/* The old side's dot is a ring, since not every reader can distinguish colours. */
static const SideLook side_looks[] = {
        { "old", { .class = "mark old", .ringed = true, .hollow = true }, { .class = "interval old" },
                        { .class = "point old" } },
        { "new", { .class = "mark new", .ringed = true }, { .class = "interval new" }, { .class = "point new" } },
};

/* A linear axis would press the faster one of two sides that are far apart into one line. */
static Axis pair_axis(const SamplesRange *range) {
        Axis axis = time_axis(range);

        if (range->low > 0 && range->high > PAIR_FAR * range->low)
                axis.kind = AXIS_LOG_TIMES;
        return axis;
}

void picture_pair_course(const json_t *pair, const PlotSamples sides[static 2], const SamplesRange *range,
                Picture *picture) {
        const size_t n = sides[0].n_processes > sides[1].n_processes ? sides[0].n_processes : sides[1].n_processes;

        picture->name = "process";
        picture->x = axis_new(AXIS_ORDER, 0, (double)n);
        picture->y = pair_axis(range);
        for (size_t i = 0; i < N_ELEMENTS(side_looks); i++) {
                const json_t *benchmark = json_at(pair, side_looks[i].side), *process;
                const RowEstimate time = row_time(benchmark);

                picture->sides[i] = &sides[i];
                picture_add_area(picture, &side_looks[i].interval, true, time.low, time.high);
                picture_add_rule(picture, &side_looks[i].headline, true, time.point, NULL);
                json_each(k, process, json_at(benchmark, "processes"))
                        picture_add_dot(picture, &side_looks[i].dot, (double)k + 0.25 + 0.5 * (double)i,
                                        json_number_or(process, "median_ns", NAN), NULL);
        }
}

void picture_pair_distribution(const json_t *pair, const PlotSamples sides[static 2], const SamplesRange *range,
                Picture *picture) {
        picture->x = pair_axis(range);
        for (size_t i = 0; i < N_ELEMENTS(side_looks); i++) {
                picture->sides[i] = &sides[i];
                if (sides[i].n > 0)
                        picture_add_row(picture, side_looks[i].side, NAN);
                else
                        add_histogram(picture, json_at(pair, side_looks[i].side));
                if (picture->n_rows == i) /* it has no histogram either */
                        picture_add_row(picture, side_looks[i].side, NAN);
        }
}

/* ---- a sweep */

static void add_fit(Picture *picture, const json_t *sweep) {
        for (size_t i = 0; i <= FIT_STEPS; i++) {
                const double size = picture->x.low * pow(picture->x.high / picture->x.low, (double)i / FIT_STEPS);

                picture_add_curve(picture, &picture_look_fit, size, report_sweep_time_ns(sweep, size));
        }
}

size_t picture_sweep(const json_t *result, const json_t *sweep, const AmountTimeUnit *unit, Picture *picture) {
        const char *argument = json_text_at(sweep, "arg");
        const json_t *benchmark;
        size_t n = 0;

        picture->name = argument;
        picture->x.kind = AXIS_LOG_NUMBERS;
        picture->y = (Axis){ AXIS_LOG_TIMES, .unit = unit };
        picture->n_lines = SWEEP_LINES;
        result_each_row(i, benchmark, result) {
                const RowEstimate time = row_time(benchmark);
                const size_t before = picture->n_shapes;
                double size;

                if (!argument || !report_sweep_is_same(sweep, benchmark))
                        continue;
                size = json_number_value(json_object_get(json_at(benchmark, "args"), argument));
                picture_add_dot(picture, &picture_look_point, size, time.point, NULL);
                n += picture->n_shapes - before;
                picture_add_reach(picture, &picture_look_whisker, size, size, time.low, time.high);
        }
        picture_fit(picture, &picture->x);
        picture_fit(picture, &picture->y);
        add_fit(picture, sweep);
        return n;
}

/* ---- ratios */

static void add_ratio(Picture *picture, const json_t *result, const json_t *comparison) {
        const json_t *new = result_side(result, comparison, "new");
        const char *verdict = json_text_at(comparison, "verdict");
        const VerdictLook *look = look_of_verdict(verdict);
        const double margin = json_number_or(comparison, "margin", NAN);
        const RowEstimate ratio = row_ratio(comparison);
        _cleanup_(text_stream_clear) TextStream name = {};
        FILE *out = text_stream_open(&name);
        PictureRow *row;

        if (row_is_command(new))
                fputs(json_text_or(new, "title", ""), out);
        else
                fprintf(out, "%s%s%s", row_area(comparison), *row_area(comparison) ? "/" : "", row_name(comparison));
        arguments_print(comparison, out);
        picture->failed |= text_stream_close(&name) != 0;
        row = picture_add_row(picture, name.text, NAN);
        row->look = &look->dot;
        row->tail = ratio.point > 0 ? verdict : NULL;
        picture_add_area(picture, &picture_look_margin, false, 1 / (1 + margin), 1 + margin);
        picture_add_rule(picture, &picture_look_one, false, 1, NULL);
        picture_add_reach(picture, &look->reach, ratio.low, ratio.high, ROW_MIDDLE, ROW_MIDDLE);
        picture_add_dot(picture, &look->dot, ratio.point, ROW_MIDDLE, NULL);
}

void picture_ratios(const json_t *result, Picture *picture) {
        const json_t *comparison;

        picture->name = result_has_reference(result) ? "× reference" : "new / old";
        picture->is_named = true;
        picture->x.kind = AXIS_RATIOS;
        result_each_comparison(i, comparison, result)
                add_ratio(picture, result, comparison);
        picture_fit(picture, &picture->x);
}
