/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/plots/characters.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/typeset.h"
#include "ctl/model/view.h"
#include "ctl/show/plots/canvas.h"
#include "ctl/show/plots/picture.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define LABELS      20u /* columns of the words, if they need no more; the next is the axis */
#define INDENT      2u
#define PLACES_MIN  16u
#define NAME_MOST   0.4 /* of the width */
#define TAIL_GAP    2u
#define SPOT_SPARSE 3 /* samples at one place: up to as many are dots, more are shades */
#define BARS_SAMPLES                                                                                                   \
 5 /* per place, on average: with fewer, several places share a bar, since each would show only chance */
#define BARS_WIDEST 4 /* places */

typedef struct Sheet {
        const Picture *picture;
        Canvas *canvas;
        Axis x, y;
        size_t width;
        size_t n_places;
        long labels;     /* the column of the axis; that of the first place is the next */
        long line;       /* the next one */
        double *heights; /* a bar for each place */
        double *all;
} Sheet;

size_t characters_width(const View *view) {
        const size_t width = view->width > 0 ? view->width : VIEW_WIDTH;

        return width > LABELS + 1 + PLACES_MIN ? width : LABELS + 1 + PLACES_MIN;
}

static void put(const Sheet *sheet, long place, long line, const PictureLook *look, const char *glyph) {
        if (place >= 0 && (size_t)place < sheet->n_places)
                canvas_put(sheet->canvas, sheet->labels + 1 + place, line, look->style, glyph);
}

/* The place of a value on the axis x, at its ends for what lies beyond. */
static long place_of(const Sheet *sheet, double value) {
        const double place = axis_place(&sheet->x, value);

        return lround(fmin(fmax(place, 0), (double)sheet->n_places - 1));
}

static bool is_beyond(const Axis *axis, double value) {
        return value < axis->low || value > axis->high;
}

/* ---- bars */

/* The bar of a share of one line: a blank for 0. */
static const char *bar_of(double share) {
        static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
        const double level = ceil(share * (N_ELEMENTS(bars) - 1));

        return bars[level > 0 ? (size_t)fmin(level, N_ELEMENTS(bars) - 1) : 0];
}

/* Bars over all lines of @row; @most fills them. */
static void draw_bars(const Sheet *sheet, const PictureRow *row, double most) {
        for (size_t place = 0; place < sheet->n_places && most > 0; place++) {
                const double height = sheet->heights[place] / most * (double)row->n_lines;

                for (size_t line = 0; line < row->n_lines; line++)
                        put(sheet, (long)place, sheet->line + (long)line, row->look,
                                        bar_of(height - (double)(row->n_lines - 1 - line)));
        }
}

static double highest(const Sheet *sheet) {
        double most = 0;

        for (size_t i = 0; i < sheet->n_places; i++)
                most = fmax(most, sheet->heights[i]);
        return most;
}

/* Gives @n_wide places at a time the sum of their heights. */
static void join_heights(const Sheet *sheet, size_t n_wide) {
        for (size_t first = 0; n_wide > 1 && first < sheet->n_places; first += n_wide) {
                const size_t left = sheet->n_places - first, n = left < n_wide ? left : n_wide;
                double sum = 0;

                for (size_t i = 0; i < n; i++)
                        sum += sheet->heights[first + i];
                for (size_t i = 0; i < n; i++)
                        sheet->heights[first + i] = sum * (double)n_wide / (double)n;
        }
}

/* Arrows show that samples lie beyond the axis. */
static void draw_class(const Sheet *sheet, const PictureRow *row) {
        const PlotSamples *samples = sheet->picture->samples;
        const size_t wanted = BARS_SAMPLES * sheet->n_places / samples->n_of_class[row->class] + 1;
        const long last_line = sheet->line + (long)row->n_lines - 1;
        bool below = false, above = false;

        for (size_t i = 0; i < samples->n; i++) {
                const double time_ns = samples->samples[i].time_ns;

                if (samples->samples[i].class != row->class)
                        continue;
                below |= time_ns < sheet->x.low;
                above |= time_ns > sheet->x.high;
                if (!is_beyond(&sheet->x, time_ns))
                        sheet->heights[place_of(sheet, time_ns)]++;
        }
        if (row->n_lines > 1)
                join_heights(sheet, wanted < BARS_WIDEST ? wanted : BARS_WIDEST);
        draw_bars(sheet, row, highest(sheet));
        if (below)
                put(sheet, 0, last_line, row->look, "◂");
        if (above)
                put(sheet, (long)sheet->n_places - 1, last_line, row->look, "▸");
}

/* The place of a sample over time. */
static size_t time_place(const Sheet *sheet, const PlotSample *sample) {
        return (size_t)axis_place(&sheet->x, sample->at);
}

/* The samples of a place that are marked, over all of them. */
static void draw_marked(const Sheet *sheet, const PictureRow *row) {
        const PlotSamples *samples = sheet->picture->samples;

        memset(sheet->all, 0, sheet->n_places * sizeof *sheet->all);
        for (size_t i = 0; i < samples->n; i++) {
                const size_t place = time_place(sheet, &samples->samples[i]);

                sheet->all[place]++;
                sheet->heights[place] += (samples->samples[i].marks & row->mark) != 0;
        }
        for (size_t i = 0; i < sheet->n_places; i++)
                sheet->heights[i] /= fmax(sheet->all[i], 1);
        draw_bars(sheet, row, 1);
}

/* ---- rows */

/* A bin is as wide as several places. */
static void add_bin(const Sheet *sheet, const PictureShape *shape) {
        for (size_t place = 0; place < sheet->n_places; place++) {
                const double value = axis_value(&sheet->x, (double)place);

                if (value >= shape->x && value < shape->to_x)
                        sheet->heights[place] = shape->y;
        }
}

static void draw_reach(const Sheet *sheet, const PictureShape *shape) {
        const PictureLook *look = shape->look;
        const long low = place_of(sheet, shape->x), high = place_of(sheet, shape->to_x);

        for (long place = low; place <= high; place++)
                put(sheet, place, sheet->line, look, look->glyph);
        if (look->has_ends) {
                put(sheet, low, sheet->line, look, "├");
                put(sheet, high, sheet->line, look, "┤");
        }
}

static void draw_point(const Sheet *sheet, const PictureShape *shape) {
        const long place = place_of(sheet, shape->x);
        const double n = ++sheet->heights[place];
        const char digit[] = { (char)('0' + (int)fmin(n, 9)), '\0' };

        put(sheet, place, sheet->line, shape->look, shape->look->counted && n > 1 ? digit : shape->look->glyph);
}

static void draw_shape(const Sheet *sheet, const PictureShape *shape) {
        if (shape->kind == SHAPE_BIN)
                add_bin(sheet, shape);
        else if (shape->kind == SHAPE_AREA || shape->kind == SHAPE_REACH)
                draw_reach(sheet, shape);
        else
                draw_point(sheet, shape);
}

static void draw_shapes(const Sheet *sheet, size_t index) {
        const Picture *picture = sheet->picture;

        for (PictureShapeKind kind = 0; kind < _SHAPE_KINDS_N; kind++) {
                for (size_t i = 0; i < picture->n_shapes; i++)
                        if (picture->shapes[i].row == index && picture->shapes[i].kind == kind)
                                draw_shape(sheet, &picture->shapes[i]);
                if (kind == SHAPE_BIN && highest(sheet) > 0)
                        draw_bars(sheet, &picture->rows[index], highest(sheet));
        }
}

/* The middle of a long name gives way. */
static int write_label(const Sheet *sheet, const PictureRow *row) {
        const size_t indent = sheet->picture->is_named ? 0 : INDENT;
        _cleanup_(text_stream_clear) TextStream shown = {};
        char text[UNIT_TEXT_MAX];
        int r;

        typeset_print(row->label, (size_t)sheet->labels - 1 - indent, text_stream_open(&shown));
        r = text_stream_close(&shown);
        if (r)
                return error_trace(r);
        canvas_write(sheet->canvas, (long)indent, sheet->line, GRID_PLAIN, shown.text);
        if (isfinite(row->count))
                canvas_write_before(sheet->canvas, sheet->labels - 1, sheet->line, GRID_DIM,
                                unit_count(row->count, text));
        if (row->tail)
                canvas_write(sheet->canvas, sheet->labels + 1 + (long)sheet->n_places + (long)TAIL_GAP, sheet->line,
                                row->look->style, row->tail);
        return 0;
}

static int draw_row(Sheet *sheet, size_t index) {
        const PictureRow *row = &sheet->picture->rows[index];
        const int r = write_label(sheet, row);

        for (size_t line = 0; line < row->n_lines; line++)
                canvas_put(sheet->canvas, sheet->labels, sheet->line + (long)line, GRID_DIM, "│");
        memset(sheet->heights, 0, sheet->n_places * sizeof *sheet->heights);
        if (row->of_class)
                draw_class(sheet, row);
        else if (row->mark)
                draw_marked(sheet, row);
        else
                draw_shapes(sheet, index);
        sheet->line += (long)row->n_lines;
        return error_trace(r);
}

/* ---- the plane */

typedef struct Spot {
        size_t n, n_of_class[_MARK_CLASS_N];
        bool beyond; /* some of them lie beyond the axis, whose end this is */
} Spot;

/* The line of a value; values beyond the axis are at its ends. */
static long line_of(const Sheet *sheet, double value) {
        const double last = (double)sheet->picture->n_lines - 1;

        return lround(fmin(fmax(axis_place(&sheet->y, value), 0), last));
}

/* A class other than quiet that has at least half of the samples there. */
static MarkClass spot_class(const Spot *spot) {
        for (MarkClass class = _MARK_CLASS_N - 1; class > MARK_CLASS_QUIET; class --)
                if (spot->n_of_class[class] > 0 && 2 * spot->n_of_class[class] >= spot->n)
                        return class;
        return MARK_CLASS_QUIET;
}

/* Quiet ones are the darker the more of them meet. */
static void draw_spot(const Sheet *sheet, const Spot *spot, size_t most, long place, long line) {
        static const char *const shades[] = { "░", "▒", "▓", "█" };
        const MarkClass class = spot_class(spot);
        const PictureLook *look = picture_look_of_class(class);

        if (spot->n == 0)
                return;
        if (spot->beyond)
                put(sheet, place, line, look, line == 0 ? "▴" : "▾");
        else if (most <= SPOT_SPARSE || class != MARK_CLASS_QUIET)
                put(sheet, place, line, look, look->glyph);
        else
                put(sheet, place, line, look, shades[(spot->n * N_ELEMENTS(shades) - 1) / most]);
}

static int draw_samples(const Sheet *sheet) {
        const PlotSamples *samples = sheet->picture->samples;
        const size_t n_spots = sheet->n_places * sheet->picture->n_lines;
        _cleanup_(freep) Spot *spots = calloc(n_spots, sizeof *spots);
        size_t most = 0;

        if (!spots)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < samples->n; i++) {
                const PlotSample *sample = &samples->samples[i];
                Spot *spot = &spots[(size_t)line_of(sheet, sample->time_ns) * sheet->n_places +
                                    time_place(sheet, sample)];

                spot->n_of_class[sample->class]++;
                spot->beyond |= is_beyond(&sheet->y, sample->time_ns);
                most = ++spot->n > most ? spot->n : most;
        }
        for (size_t i = 0; i < n_spots; i++)
                draw_spot(sheet, &spots[i], most, (long)(i % sheet->n_places), (long)(i / sheet->n_places));
        return 0;
}

/* From the point before it to @shape, in each column. */
static void draw_curve(const Sheet *sheet, const PictureShape *from, const PictureShape *shape) {
        const double x = axis_place(&sheet->x, from->x), to_x = axis_place(&sheet->x, shape->x);
        const double y = axis_place(&sheet->y, from->y), to_y = axis_place(&sheet->y, shape->y);

        for (double place = ceil(x); place <= to_x; place++) {
                const double line = y + (to_y - y) * (place - x) / (to_x - x);

                if (line > -0.5 && line < (double)sheet->picture->n_lines - 0.5)
                        put(sheet, (long)place, lround(line), shape->look, shape->look->glyph);
        }
}

static void draw_times(const Sheet *sheet) {
        AxisTicks ticks;

        for (long line = 0; line < (long)sheet->picture->n_lines; line++)
                canvas_put(sheet->canvas, sheet->labels, line, GRID_DIM, "│");
        axis_ticks(&sheet->y, sheet->y.kind == AXIS_LOG_TIMES ? 3 : 2, &ticks);
        if (ticks.n < 2) /* a single time has no distance */
                axis_ticks(&sheet->y, 1, &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const long line = line_of(sheet, ticks.ticks[i].value);

                canvas_write_before(sheet->canvas, sheet->labels - 1, line, GRID_DIM, ticks.ticks[i].text);
                canvas_put(sheet->canvas, sheet->labels, line, GRID_DIM, "┼");
        }
}

/* The medians of processes have a row of another picture, and would hide the samples. */
static int draw_plane(Sheet *sheet) {
        const Picture *picture = sheet->picture;
        const int r = picture->samples ? draw_samples(sheet) : 0;

        for (PictureShapeKind kind = SHAPE_CURVE; kind < _SHAPE_KINDS_N && !picture->samples; kind++)
                for (size_t i = 0; i < picture->n_shapes; i++) {
                        const PictureShape *shape = &picture->shapes[i];

                        if (shape->kind != kind)
                                continue;
                        if (kind == SHAPE_CURVE && i > 0 && shape[-1].kind == SHAPE_CURVE)
                                draw_curve(sheet, &shape[-1], shape);
                        if (kind == SHAPE_DOT)
                                put(sheet, place_of(sheet, shape->x), line_of(sheet, shape->y), shape->look,
                                                shape->look->glyph);
                }
        draw_times(sheet);
        sheet->line = (long)picture->n_lines;
        return error_trace(r);
}

/* ---- the axis below */

/* A text begins at its tick, or ends at the picture's end. */
static void draw_axis(const Sheet *sheet) {
        static const double gaps[] = { [AXIS_TIMES] = 12,
                [AXIS_LOG_NUMBERS] = 12,
                [AXIS_RATIOS] = 8,
                [AXIS_DATES] = 20,
                [AXIS_ORDER] = 4 };
        AxisTicks ticks;

        canvas_put(sheet->canvas, sheet->labels, sheet->line, GRID_DIM, "└");
        for (size_t i = 0; i < sheet->n_places; i++)
                put(sheet, (long)i, sheet->line, &picture_look_fit, "─");
        axis_ticks(&sheet->x, gaps[sheet->x.kind], &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const AxisTick *tick = &ticks.ticks[i];
                const double place = axis_place(&sheet->x, tick->value);
                const long at = sheet->x.kind == AXIS_ORDER ? (long)ceil(place) : lround(place);
                const long last = (long)(sheet->width - typeset_width(tick->text));

                put(sheet, at, sheet->line, &picture_look_fit, "┬");
                canvas_write(sheet->canvas, sheet->labels + 1 + at < last ? sheet->labels + 1 + at : last,
                                sheet->line + 1, GRID_DIM, tick->text);
        }
        if (sheet->picture->name)
                canvas_write(sheet->canvas, sheet->picture->is_named ? 0 : 2, sheet->line + 1, GRID_PLAIN,
                                sheet->picture->name);
}

/* ---- the whole */

/* The columns that the word of @row needs, with its count and a blank before the axis. */
static size_t columns_of_words(const PictureRow *row) {
        char count[UNIT_TEXT_MAX];
        const size_t n_count = isfinite(row->count) ? strlen(unit_count(row->count, count)) + 1 : 0;

        return INDENT + typeset_width(row->label) + n_count + 1;
}

/* Words and names on the left, tails on the right, and the axes between them. Returns the number of lines. */
static size_t lay_out(Sheet *sheet) {
        const Picture *picture = sheet->picture;
        const size_t most = (size_t)(NAME_MOST * (double)sheet->width);
        size_t n_lines = picture->n_lines, name = picture->name ? typeset_width(picture->name) : 0, tail = 0;
        size_t words = LABELS;

        for (size_t i = 0; i < picture->n_rows; i++) {
                const PictureRow *row = &picture->rows[i];
                const size_t n = typeset_width(row->label), n_tail = row->tail ? TAIL_GAP + strlen(row->tail) : 0;

                words = columns_of_words(row) > words ? columns_of_words(row) : words;
                name = n > name ? n : name;
                tail = n_tail > tail ? n_tail : tail;
                n_lines += row->n_lines;
        }
        sheet->labels = picture->is_named ? (long)(name < most ? name : most) + 1 : (long)words;
        sheet->n_places = sheet->width - (size_t)sheet->labels - 1 - tail;
        sheet->x = picture->x;
        sheet->x.to = (double)sheet->n_places - (picture->x.kind != AXIS_ORDER);
        sheet->y = picture->y;
        sheet->y.from = (double)picture->n_lines - 1;
        sheet->y.each_unit = true;
        return n_lines + 2;
}

int characters_print(const Picture *picture, const View *view, FILE *out) {
        Sheet sheet = { .picture = picture, .width = characters_width(view) };
        const size_t n_lines = lay_out(&sheet);
        _cleanup_(freep) double *heights = calloc(sheet.n_places, sizeof *heights);
        _cleanup_(freep) double *all = calloc(sheet.n_places, sizeof *all);
        _cleanup_(canvas_freep) Canvas *canvas = NULL;
        int r;

        if (!heights || !all)
                return error_origin(-ENOMEM);
        r = canvas_new(sheet.width, n_lines, &canvas);
        if (r)
                return error_trace(r);
        sheet.heights = heights;
        sheet.all = all;
        sheet.canvas = canvas;
        if (picture->y.kind != AXIS_NONE)
                r = draw_plane(&sheet);
        for (size_t i = 0; r == 0 && i < picture->n_rows; i++)
                r = draw_row(&sheet, i);
        if (r)
                return error_trace(r);
        draw_axis(&sheet);
        canvas_print(canvas, view, out);
        return 0;
}
