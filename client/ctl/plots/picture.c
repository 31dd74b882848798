/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/plots/picture.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/arguments.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/result.h"
#include "ctl/time-unit.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define COURSE_LINES 7
#define SWEEP_LINES  12
#define BARS_LINES   5 /* of the largest class */
#define SWEEP_BESIDE 1.15
#define FIT_STEPS    48u
#define RATIO_BESIDE 1.02 /* an axis of ratios goes on so far beyond all that it shows */
#define RATIO_MOST   8.0  /* ... and at most so far from 1: farther intervals end at its ends */

const Look look_median = { .class = "median", .glyph = "•", .style = GRID_BOLD, .counted = true, .ringed = true };
const Look look_point = { .class = "median", .glyph = "●", .style = GRID_BOLD, .ringed = true };
const Look look_interval = { .class = "interval", .glyph = "─", .has_ends = true };
const Look look_headline = { .class = "point", .glyph = "●", .style = GRID_BOLD };
const Look look_whisker = { .class = "whisker", .glyph = "─" };
const Look look_fit = { .class = "fit", .glyph = "·", .style = GRID_DIM };
const Look look_mode = { .class = "mode", .glyph = "▲", .style = GRID_CAUTION };
const Look look_mode_between = { .class = "mode", .glyph = "△", .style = GRID_CAUTION };
const Look look_margin = { .class = "margin", .glyph = "░", .style = GRID_DIM };
const Look look_one = { .class = "one", .glyph = "│", .style = GRID_DIM };

const Look *look_of_class(MarkClass class) {
        static const Look looks[_MARK_CLASS_N] = {
                [MARK_CLASS_QUIET] = { .class = "bar quiet", .glyph = "•", .style = GRID_GOOD },
                [MARK_CLASS_SHARED] = { .class = "bar shared", .glyph = "○", .style = GRID_CAUTION },
                [MARK_CLASS_DISTURBED] = { .class = "bar disturbed", .glyph = "×", .style = GRID_BAD },
        };

        return &looks[class];
}

/* The interval of a ratio, by its verdict. */
static const Look *look_of_verdict(const char *verdict) {
        static const Look looks[] = {
                { .class = "reach faster", .glyph = "─", .style = GRID_GOOD, .has_ends = true },
                { .class = "reach slower", .glyph = "─", .style = GRID_BAD, .has_ends = true },
                { .class = "reach unresolved", .glyph = "─", .style = GRID_CAUTION, .has_ends = true },
                { .class = "reach", .glyph = "─", .has_ends = true },
        };

        for (size_t i = 0; verdict && i < N_ELEMENTS(looks) - 1; i++)
                if (strcmp(looks[i].class + strlen("reach "), verdict) == 0)
                        return &looks[i];
        return &looks[N_ELEMENTS(looks) - 1];
}

static const Look *look_of_dot(const char *verdict) {
        static const Look looks[] = {
                { .class = "dot faster", .glyph = "●", .style = GRID_GOOD, .ringed = true },
                { .class = "dot slower", .glyph = "●", .style = GRID_BAD, .ringed = true },
                { .class = "dot unresolved", .glyph = "●", .style = GRID_CAUTION, .ringed = true },
                { .class = "dot", .glyph = "●", .ringed = true },
        };

        for (size_t i = 0; verdict && i < N_ELEMENTS(looks) - 1; i++)
                if (strcmp(looks[i].class + strlen("dot "), verdict) == 0)
                        return &looks[i];
        return &looks[N_ELEMENTS(looks) - 1];
}

/* ---- the whole */

void picture_clear(Picture *picture) {
        for (size_t i = 0; i < picture->n_rows; i++)
                free((char *)picture->rows[i].label);
        for (size_t i = 0; i < picture->n_shapes; i++)
                free((char *)picture->shapes[i].label);
        for (size_t i = 0; i < picture->n_texts; i++)
                free(picture->texts[i]);
        free(picture->rows);
        free(picture->shapes);
        free(picture->texts);
        *picture = (Picture){};
}

static char *copy_of(Picture *picture, const char *label) {
        char *copy = label ? strdup(label) : NULL;

        picture->failed |= label && !copy;
        return copy;
}

void picture_add_row(Picture *picture, PictureRow row) {
        PictureRow *grown = reallocarray(picture->rows, picture->n_rows + 1, sizeof *grown);

        picture->failed |= !grown;
        if (!grown)
                return;
        row.label = copy_of(picture, row.label);
        picture->rows = grown;
        picture->rows[picture->n_rows++] = row;
}

/* Doubles the room when it is full: there can be as many shapes as runs or processes. */
void picture_add(Picture *picture, Shape shape) {
        const size_t n = picture->n_shapes;
        Shape *grown = picture->shapes;

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

int picture_finish(const Picture *picture) {
        return picture->failed ? error_origin(-ENOMEM) : 0;
}

/* ---- a benchmark */

static bool has_interval(const RowEstimate *estimate) {
        return isfinite(estimate->low) && isfinite(estimate->high);
}

/* The time of @row in nanoseconds, where it counts units of @unit_ns. */
static RowEstimate time_of(const json_t *row, double unit_ns) {
        const RowEstimate time = row_time(row);

        return (RowEstimate){ .point = time.point * unit_ns, .low = time.low * unit_ns, .high = time.high * unit_ns };
}

/* The headline and its interval, across the picture: on the axis y if @upright, else on x. */
static void add_headline(Picture *picture, const RowEstimate *time, bool upright) {
        const Shape interval = { SHAPE_AREA, &look_interval, .x = time->low, .to_x = time->high, .y = NAN,
                .to_y = NAN };
        const Shape point = { SHAPE_RULE, &look_headline, .x = time->point, .to_x = NAN, .y = NAN, .to_y = NAN };

        if (has_interval(time))
                picture_add(picture, upright ? (Shape){ SHAPE_AREA, &look_interval, .x = NAN, .to_x = NAN,
                                                               .y = interval.x, .to_y = interval.to_x }
                                             : interval);
        if (isfinite(time->point))
                picture_add(picture, upright ? (Shape){ SHAPE_RULE, &look_headline, .x = NAN, .to_x = NAN, .y = point.x,
                                                               .to_y = NAN }
                                             : point);
}

static Axis time_axis(const json_t *benchmark, const TimeRange *range) {
        Axis axis = axis_new(AXIS_TIMES, range->low, range->high);

        axis.unit = time_unit_of(benchmark);
        return axis;
}

static size_t count_marked(const PictureSamples *samples, uint32_t bit) {
        size_t n = 0;

        for (size_t i = 0; i < samples->n; i++)
                n += (samples->samples[i].marks & bit) != 0;
        return n;
}

void picture_course(const json_t *benchmark, const PictureSamples *samples, const TimeRange *range, Picture *picture) {
        const json_t *processes = json_at(benchmark, "processes"), *process;
        const RowEstimate time = time_of(benchmark, range->unit_ns);
        const Mark *mark;

        picture->name = "process";
        picture->x = axis_new(AXIS_ORDER, 0, (double)json_array_size(processes));
        picture->y = time_axis(benchmark, range);
        picture->n_lines = COURSE_LINES;
        picture->samples = samples;
        add_headline(picture, &time, true);
        json_each(i, process, processes) {
                const double median_ns = json_number_or(process, "median_ns", NAN);

                if (isfinite(median_ns))
                        picture_add(picture, (Shape){ SHAPE_DOT, &look_median, .x = (double)i + 0.5, .y = median_ns });
        }
        for (size_t i = 0; (mark = mark_at(i)); i++) {
                const size_t n = count_marked(samples, mark->bit);

                if (n > 0)
                        picture_add_row(picture, (PictureRow){ .label = mark->word,
                                                                 .count = (double)n,
                                                                 .n_lines = 1,
                                                                 .look = look_of_class(mark->class),
                                                                 .mark = mark->bit });
        }
}

/* The largest class, mostly the quiet one, has high bars; the others have a line each, to their own height, since they are few. */
static void add_classes(Picture *picture, const PictureSamples *samples) {
        const size_t *n = samples->n_of_class;
        MarkClass largest = MARK_CLASS_QUIET;

        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++)
                if (n[class] > n[largest])
                        largest = class;
        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++) {
                char label[32];

                snprintf(label, sizeof label, "%s %s", sample_class_word(class), look_of_class(class)->glyph);
                if (n[class] > 0)
                        picture_add_row(picture, (PictureRow){ .label = label,
                                                                 .count = (double)n[class],
                                                                 .n_lines = class == largest ? BARS_LINES : 1,
                                                                 .look = look_of_class(class),
                                                                 .of_class = true,
                                                                 .class = class });
        }
}

static void add_histogram(Picture *picture, const json_t *benchmark, double unit_ns) {
        const json_t *histogram = json_at(benchmark, "time_ns.histogram"), *counts = json_at(histogram, "counts");
        const double low = json_number_or(histogram, "low", NAN) * unit_ns,
                     high = json_number_or(histogram, "high", NAN) * unit_ns;
        const double width = (high - low) / (double)json_array_size(counts);
        double sum = json_number_or(histogram, "below", 0) + json_number_or(histogram, "above", 0);

        if (json_array_size(counts) == 0)
                return;
        for (size_t i = 0; i < json_array_size(counts); i++)
                sum += json_number_value(json_array_get(counts, i));
        picture_add_row(picture, (PictureRow){ .label = "samples",
                                                 .count = sum,
                                                 .n_lines = BARS_LINES,
                                                 .look = look_of_class(MARK_CLASS_QUIET) });
        for (size_t i = 0; i < json_array_size(counts); i++)
                picture_add(picture, (Shape){ SHAPE_BIN, look_of_class(MARK_CLASS_QUIET), .x = low + width * (double)i,
                                                     .to_x = low + width * (double)(i + 1),
                                                     .y = json_number_value(json_array_get(counts, i)) });
}

static void add_modes(Picture *picture, const json_t *benchmark) {
        const json_t *modes = json_at(benchmark, "modes"), *mode;

        if (json_array_size(modes) == 0)
                return;
        picture_add_row(picture,
                        (PictureRow){ .label = "modes", .count = (double)json_array_size(modes), .n_lines = 1 });
        json_each(i, mode, modes) {
                const double center_ns = json_number_or(mode, "center_ns", NAN),
                             weight = json_number_or(mode, "weight", NAN);
                char share[UNIT_TEXT_MAX], center[UNIT_TEXT_MAX], label[2 * UNIT_TEXT_MAX + 8];

                if (!isfinite(center_ns) || !isfinite(weight))
                        continue;
                snprintf(label, sizeof label, "%s at %s", unit_share(weight, share),
                                unit_time_in(picture->x.unit, center_ns, center));
                picture_add(picture,
                                (Shape){ SHAPE_RULE,
                                                json_text_is(mode, "kind", "between") ? &look_mode_between : &look_mode,
                                                .x = center_ns, .to_x = NAN, .y = NAN, .to_y = NAN, .label = label });
        }
}

static void add_medians(Picture *picture, const json_t *benchmark) {
        const json_t *processes = json_at(benchmark, "processes"), *process;

        picture_add_row(picture, (PictureRow){ .label = "medians", .n_lines = 1 });
        json_each(i, process, processes) {
                const double median_ns = json_number_or(process, "median_ns", NAN);

                if (!isfinite(median_ns))
                        continue;
                picture_add(picture, (Shape){ SHAPE_DOT, &look_median, .x = median_ns, .y = NAN });
                picture->rows[picture->n_rows - 1].count++;
        }
}

void picture_distribution(const json_t *benchmark, const PictureSamples *samples, const TimeRange *range,
                Picture *picture) {
        const RowEstimate time = time_of(benchmark, range->unit_ns);

        picture->x = time_axis(benchmark, range);
        picture->samples = samples;
        if (samples->n > 0)
                add_classes(picture, samples);
        else
                add_histogram(picture, benchmark, range->unit_ns);
        add_modes(picture, benchmark);
        add_medians(picture, benchmark);
        if (!isfinite(time.point))
                return;
        picture_add_row(picture, (PictureRow){ .label = (has_interval(&time) ? "95 % interval" : "time"),
                                                 .count = NAN,
                                                 .n_lines = 1 });
        add_headline(picture, &time, false);
}

/* ---- a sweep */

/* The size and the time of @benchmark, as a row of @sweep; false if it has none that a logarithmic axis can show. */
static bool sweep_point(const json_t *sweep, const json_t *benchmark, double unit_ns, double *ret_size,
                RowEstimate *ret_time) {
        const char *argument = json_text_at(sweep, "arg");
        const json_t *size = argument ? json_object_get(json_at(benchmark, "args"), argument) : NULL;

        *ret_size = json_number_value(size);
        *ret_time = time_of(benchmark, unit_ns);
        return report_sweep_is_same(sweep, benchmark) && *ret_size > 0 && ret_time->point > 0;
}

static void add_fit(Picture *picture, const json_t *sweep) {
        for (size_t i = 0; i <= FIT_STEPS; i++) {
                const double share = (double)i / FIT_STEPS;
                const double size = picture->x.low * pow(picture->x.high / picture->x.low, share);
                const double time_ns = report_sweep_time_ns(sweep, size);

                if (time_ns > 0)
                        picture_add(picture, (Shape){ SHAPE_CURVE, &look_fit, .x = size, .y = time_ns });
        }
}

/* Adds the intervals, or the dots, which lie over all intervals. */
static void add_points(Picture *picture, const json_t *benchmarks, const json_t *sweep, double unit_ns, bool dots) {
        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                RowEstimate time;
                double size;

                if (!sweep_point(sweep, json_array_get(benchmarks, i), unit_ns, &size, &time))
                        continue;
                if (dots)
                        picture_add(picture, (Shape){ SHAPE_DOT, &look_point, .x = size, .y = time.point });
                else if (time.low > 0 && has_interval(&time))
                        picture_add(picture, (Shape){ SHAPE_REACH, &look_whisker, .x = size, .to_x = size,
                                                             .y = time.low, .to_y = time.high });
        }
}

size_t picture_sweep(const json_t *result, const json_t *sweep, double unit_ns, Picture *picture) {
        const json_t *benchmarks = json_at(result, "benchmarks");
        Axis x = { .low = INFINITY }, y = { .low = INFINITY };
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                RowEstimate time;
                double size;

                if (!sweep_point(sweep, json_array_get(benchmarks, i), unit_ns, &size, &time))
                        continue;
                x = (Axis){ .low = fmin(x.low, size), .high = fmax(x.high, size) };
                y = (Axis){ .low = fmin(y.low, time.low > 0 ? fmin(time.low, time.point) : time.point),
                        .high = fmax(y.high, fmax(time.high, time.point)) };
                n++;
        }
        if (n == 0)
                return 0;
        picture->name = json_text_at(sweep, "arg");
        picture->x = axis_new(AXIS_LOG_NUMBERS, x.low / SWEEP_BESIDE, x.high * SWEEP_BESIDE);
        picture->y = axis_new(AXIS_LOG_TIMES, y.low / SWEEP_BESIDE, y.high * SWEEP_BESIDE);
        picture->y.unit = time_unit_of(sweep);
        picture->n_lines = SWEEP_LINES;
        add_fit(picture, sweep);
        add_points(picture, benchmarks, sweep, unit_ns, false);
        add_points(picture, benchmarks, sweep, unit_ns, true);
        return n;
}

/* ---- ratios */

Axis picture_ratio_axis(double low, double high) {
        return axis_new(AXIS_RATIOS, fmax(low / RATIO_BESIDE, 1 / RATIO_MOST), fmin(high * RATIO_BESIDE, RATIO_MOST));
}

/* Over all intervals, and the margin. Returns how many ratios there are. */
static size_t ratio_axis(const json_t *comparisons, Axis *ret_axis) {
        double low = 1, high = 1;
        const json_t *comparison;
        size_t n = 0;

        json_each(i, comparison, comparisons) {
                const double margin = fmax(json_number_or(comparison, "margin", 0), 0);
                const RowEstimate ratio = row_ratio(comparison);

                low = fmin(low, fmin(1 / (1 + margin), ratio.low > 0 ? fmin(ratio.low, ratio.point) : ratio.point));
                high = fmax(high, fmax(1 + margin, fmax(ratio.high, ratio.point)));
                n += ratio.point > 0;
        }
        *ret_axis = picture_ratio_axis(low > 0 ? low : 1, high);
        return n;
}

/* The name of a pair; NULL if memory ran out. */
static char *name_of(const json_t *comparison) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        fprintf(out, "%s%s%s", row_area(comparison), *row_area(comparison) ? "/" : "", row_name(comparison));
        arguments_print(comparison, out);
        return text_stream_take(&text);
}

static void add_ratio(Picture *picture, const json_t *comparison) {
        _cleanup_(freep) char *name = name_of(comparison);
        const char *verdict = json_text_at(comparison, "verdict");
        const double margin = json_number_or(comparison, "margin", NAN);
        const RowEstimate ratio = row_ratio(comparison);

        picture->failed |= !name;
        picture_add_row(picture, (PictureRow){ .label = name,
                                                 .count = NAN,
                                                 .n_lines = 1,
                                                 .look = look_of_dot(verdict),
                                                 .tail = ratio.point > 0 ? verdict : NULL });
        if (margin > 0)
                picture_add(picture, (Shape){ SHAPE_AREA, &look_margin, .x = 1 / (1 + margin), .to_x = 1 + margin,
                                                     .y = NAN, .to_y = NAN });
        picture_add(picture, (Shape){ SHAPE_RULE, &look_one, .x = 1, .to_x = NAN, .y = NAN, .to_y = NAN });
        if (ratio.low > 0 && has_interval(&ratio))
                picture_add(picture, (Shape){ SHAPE_REACH, look_of_verdict(verdict), .x = ratio.low, .to_x = ratio.high,
                                                     .y = 0.5, .to_y = 0.5 });
        if (ratio.point > 0)
                picture_add(picture, (Shape){ SHAPE_DOT, look_of_dot(verdict), .x = ratio.point, .y = 0.5 });
}

bool picture_ratios(const json_t *result, Picture *picture) {
        const json_t *comparisons = json_at(result, "comparisons");
        const size_t n = ratio_axis(comparisons, &picture->x);

        picture->name = "new / old";
        picture->is_named = true;
        for (size_t i = 0; i < json_array_size(comparisons); i++)
                add_ratio(picture, json_array_get(comparisons, i));
        return n > 0;
}
