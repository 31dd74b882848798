/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/plots/svg.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/show/html/markup.h"
#include "ctl/show/plots/picture.h"
#include "ctl/show/plots/svg-path.h"
#include "util/cleanup.h"
#include "util/error.h"

#define FOOT         25.0 /* below an upright axis, for the texts of the other */
#define HEAD         16.0
#define MARGIN       0.12 /* of the length of an axis of times, at both ends */
#define STRIP        62.0 /* of slower times than the axis has, on a scale of powers */
#define STRIP_BELOW  22.0
#define GUTTER       8.0 /* between strip and axis */
#define BINS         66u
#define CELL_X       4 /* units of a panel, and pixels: dots in one cell touch each other */
#define CELL_Y       3
#define CELL_COLUMNS (1000 / CELL_X + 1)
#define CELL_ROWS    (264 / CELL_Y)
#define SLOT_GAP     0.12 /* between two processes, of the width of one */
#define TICK_GAP     28.0
#define TEXT_HEIGHT  16.0
#define BAR_LEAST    6.0  /* units of a panel: one sample is seen */
#define BARS_BESIDE  62.0 /* percent of the panel that bars and lines have if words are beside them */
#define LABEL_HEIGHT 13.0
#define MINOR_FROM   4u /* ticks, of which all have a text in any window */
#define LABELS_MAX   6u
#define SPARK_HEIGHT 20.0

typedef struct Panel {
        const Picture *picture;
        Axis x;
        SvgHeight y;
        bool upright; /* its axis x is shown upwards */
        FILE *out;
} Panel;

/* ---- places */

static void height_add(SvgHeight *to, const PlotSamples *samples) {
        for (size_t i = 0; samples && i < samples->n; i++) {
                const double time_ns = samples->samples[i].time_ns;

                to->least = fmin(to->least, time_ns);
                to->most = fmax(to->most, time_ns);
                to->n_above += time_ns > to->axis.high;
                to->n_below += time_ns < to->axis.low;
        }
}

SvgHeight svg_height(const Picture *picture, double height) {
        const Axis *axis = &picture->y;
        SvgHeight to = { .axis = *axis, .least = INFINITY, .most = -INFINITY, .height = height };

        if (axis->kind == AXIS_TIMES || picture->sides[0])
                axis_widen(&to.axis, MARGIN);
        if (axis->kind == AXIS_TIMES)
                to.axis.low = axis->low >= 0 ? fmax(to.axis.low, 0) : to.axis.low;
        height_add(&to, picture->samples);
        for (size_t i = 0; i < N_ELEMENTS(picture->sides); i++)
                height_add(&to, picture->sides[i]);
        to.axis.from = height - FOOT;
        to.axis.to = HEAD;
        if (to.most > to.axis.high) {
                to.above = axis_new(to.axis.high > 0 ? AXIS_LOG_TIMES : AXIS_TIMES, to.axis.high, to.most);
                to.above.from = HEAD + STRIP;
                to.above.to = HEAD;
                to.above.unit = axis->unit;
                to.axis.to = to.above.from + GUTTER;
        }
        if (to.least < to.axis.low) {
                to.below = axis_new(AXIS_TIMES, to.least, to.axis.low);
                to.below.from = height - FOOT;
                to.below.to = height - FOOT - STRIP_BELOW;
                to.axis.from = to.below.to - GUTTER;
        }
        return to;
}

static double height_of(const SvgHeight *to, double value) {
        if (to->above.kind && value > to->axis.high)
                return axis_place(&to->above, value);
        if (to->below.kind && value < to->axis.low)
                return axis_place(&to->below, value);
        return axis_place(&to->axis, value);
}

/* Between two things of an order there is a gap; a value beyond the ends is at them. */
static double width_of(const Panel *panel, double value) {
        const double whole = floor(value);

        if (panel->x.kind == AXIS_ORDER)
                value = whole + SLOT_GAP / 2 + (value - whole) * (1 - SLOT_GAP);
        return fmin(fmax(axis_place(&panel->x, value), 0), SVG_WIDTH);
}

/* ---- shapes */

/* @shape with its x along the width of the drawing. */
static PictureShape turned(const Panel *panel, const PictureShape *shape) {
        PictureShape turned = *shape;

        if (panel->upright) {
                turned.x = shape->y, turned.to_x = shape->to_y;
                turned.y = shape->x, turned.to_y = shape->to_x;
        }
        return turned;
}

static void print_area(const Panel *panel, const PictureShape *shape, SvgPath *path) {
        const bool upwards = isfinite(shape->y);
        const double left = upwards ? 0 : width_of(panel, shape->x);
        const double right = upwards ? SVG_WIDTH : width_of(panel, shape->to_x);
        const double top = upwards ? fmax(height_of(&panel->y, shape->to_y), 0) : 0;
        const double bottom = upwards ? fmin(height_of(&panel->y, shape->y), panel->y.height) : panel->y.height;

        svg_path_bar(path, left, top, fmax(right - left, 1), fmax(bottom - top, 1));
}

static void print_rule(const Panel *panel, const PictureShape *shape, SvgPath *path) {
        const double x = width_of(panel, shape->x), y = height_of(&panel->y, shape->y);

        if (isfinite(shape->y))
                svg_path_stroke(path, 0, y, SVG_WIDTH, y);
        else
                svg_path_stroke(path, x, 0, x, panel->y.height);
}

static void print_shape(const Panel *panel, const PictureShape *shape, SvgPath *path) {
        const double x = width_of(panel, shape->x), y = height_of(&panel->y, shape->y);

        if (shape->kind == SHAPE_AREA)
                print_area(panel, shape, path);
        else if (shape->kind == SHAPE_RULE)
                print_rule(panel, shape, path);
        else if (shape->kind == SHAPE_REACH)
                svg_path_stroke(path, x, y, width_of(panel, shape->to_x), height_of(&panel->y, shape->to_y));
        else if (shape->kind == SHAPE_DOT)
                svg_path_dot(path, x, y, shape->look->length);
        else if (y >= 0 && y <= panel->y.height)
                svg_path_point(path, x, y);
}

/* Shapes of one kind and look form one path, except shapes with a label. Returns the number of shapes passed. */
static size_t print_group(const Panel *panel, const PictureShape *shapes, size_t n, const char *class) {
        const bool alone = shapes->kind == SHAPE_DOT && shapes->label;
        SvgPath path = { .out = panel->out,
                .class = class,
                .title = alone && class == shapes->look->class ? shapes->label : NULL };
        size_t i;

        for (i = 0; i < n; i++) {
                const PictureShape shape = turned(panel, &shapes[i]);

                if (shape.kind != shapes->kind)
                        continue;
                if (i > 0 && (alone || shape.look != shapes->look))
                        break;
                print_shape(panel, &shape, &path);
        }
        svg_path_end(&path);
        return i;
}

/* A ring lies below its dots, and a hole above them. */
static void print_kind(const Panel *panel, PictureShapeKind kind, const PictureShape *shapes, size_t n) {
        for (size_t i = 0, n_group; i < n; i += n_group) {
                const PictureLook *look = shapes[i].look;

                n_group = 1;
                if (shapes[i].kind != kind)
                        continue;
                if (look->ringed)
                        print_group(panel, &shapes[i], n - i, "ring");
                n_group = print_group(panel, &shapes[i], n - i, look->class);
                if (look->hollow)
                        print_group(panel, &shapes[i], n - i, "hole");
        }
}

/* The kinds from @first to @last. */
static void print_shapes(const Panel *panel, PictureShapeKind first, PictureShapeKind last, const PictureShape *shapes,
                size_t n) {
        for (PictureShapeKind kind = first; kind <= last; kind++)
                print_kind(panel, kind, shapes, n);
}

/* ---- samples */

/* Squares of a panel. Only the first dot in a square is drawn: a second would overlap it. */
typedef struct DrawnCell {
        bool taken;
        double x, y;
} DrawnCell;

typedef DrawnCell Cells[CELL_COLUMNS][CELL_ROWS];

static void cell_take(Cells cells, double x, double y) {
        DrawnCell *cell = &cells[(size_t)fmin(fmax(x / CELL_X, 0), CELL_COLUMNS - 1)]
                                [(size_t)fmin(fmax(y / CELL_Y, 0), CELL_ROWS - 1)];

        if (!cell->taken)
                *cell = (DrawnCell){ true, x, y };
}

/* Column by column, since near dots take few bytes; every other column upwards. */
static void print_cells(const Cells cells, SvgPath *path) {
        for (size_t column = 0; column < CELL_COLUMNS; column++)
                for (size_t i = 0; i < CELL_ROWS; i++) {
                        const DrawnCell *cell = &cells[column][column % 2 ? CELL_ROWS - 1 - i : i];

                        if (cell->taken)
                                svg_path_dot(path, cell->x, cell->y, 0);
                }
}

/* Draws all disturbed samples; of the quiet ones, and of those on a shared core, one dot per cell. */
static int print_marked(const Panel *panel, size_t index) {
        const PlotSamples *samples = panel->picture->samples;
        const Mark *mark = mark_by_weight(index);
        const MarkClass of_class = marks_class(mark->bit);
        const bool all = mark->stroke > 0 || of_class == MARK_CLASS_DISTURBED;
        _cleanup_(freep) Cells *cells = calloc(1, sizeof *cells);
        char title[96], class[64], count[UNIT_TEXT_MAX];
        SvgPath path = { .out = panel->out, .class = class, .title = title };

        if (!cells)
                return error_origin(-ENOMEM);
        snprintf(class, sizeof class, "s %s %s", sample_class_word(of_class), mark->word);
        snprintf(title, sizeof title, "%s %s", unit_count((double)samples->n_of_first[index], count), mark->drawn);
        for (size_t i = 0; i < samples->n; i++) {
                const PlotSample *sample = &samples->samples[i];
                const double x = width_of(panel, sample->at), y = height_of(&panel->y, sample->time_ns);

                if (sample->first == index && all)
                        svg_path_dot(&path, x, y, mark->stroke);
                else if (sample->first == index)
                        cell_take(*cells, x, y);
        }
        print_cells(*cells, &path);
        svg_path_end(&path);
        return 0;
}

/* Samples without a mark are the last, and below all others. */
static int print_samples(const Panel *panel) {
        int r = 0;

        for (size_t i = MARKS_N + 1; r == 0 && i-- > 0;)
                if (panel->picture->samples->n_of_first[i] > 0)
                        r = print_marked(panel, i);
        return error_trace(r);
}

/* The samples of both sides of a pair, one dot per cell. */
static int print_sides(const Panel *panel) {
        static const char *const classes[] = { "s old", "s new" };

        for (size_t side = 0; side < N_ELEMENTS(classes); side++) {
                const PlotSamples *samples = panel->picture->sides[side];
                _cleanup_(freep) Cells *cells = calloc(1, sizeof *cells);
                SvgPath path = { .out = panel->out, .class = classes[side] };

                if (!cells)
                        return error_origin(-ENOMEM);
                for (size_t i = 0; samples && i < samples->n; i++)
                        cell_take(*cells, width_of(panel, samples->samples[i].at),
                                        height_of(&panel->y, samples->samples[i].time_ns));
                print_cells(*cells, &path);
                svg_path_end(&path);
        }
        return 0;
}

/* ---- bars */

typedef struct Bins {
        double counts[BINS][_MARK_CLASS_N]; /* upwards */
        size_t n;
        double most; /* in one bin */
        double from, to;
} Bins;

static void bins_weigh(Bins *bins) {
        for (size_t i = 0; i < bins->n; i++) {
                double sum = 0;

                for (size_t class = 0; class < _MARK_CLASS_N; class ++)
                        sum += bins->counts[i][class];
                bins->most = fmax(bins->most, sum);
        }
}

/* Bins of equal height over the whole drawing including strips; without samples, the bins of the picture's row @row. */
static Bins bins_of(const Panel *panel, const PlotSamples *samples, size_t row) {
        Bins bins = { .n = samples->n > 0 ? BINS : 0, .from = panel->y.height };

        for (size_t i = 0; i < samples->n; i++) {
                const double y = height_of(&panel->y, samples->samples[i].time_ns);
                const double share = fmin(fmax(1 - y / panel->y.height, 0), 1 - 1e-9);

                bins.counts[(size_t)(share * BINS)][samples->samples[i].class]++;
        }
        for (size_t i = 0; i < panel->picture->n_shapes && bins.n < BINS; i++) {
                const PictureShape *shape = &panel->picture->shapes[i];

                if (shape->kind != SHAPE_BIN || shape->row != row)
                        continue;
                if (bins.n == 0)
                        bins.from = height_of(&panel->y, shape->x);
                bins.to = height_of(&panel->y, shape->to_x);
                bins.counts[bins.n++][MARK_CLASS_QUIET] = shape->y;
        }
        if (bins.from - bins.to < 1)
                bins.from += 2, bins.to -= 2;
        bins_weigh(&bins);
        return bins;
}

/* The bars of @class, each to the right of the previous classes' bars. */
static void print_class(const Panel *panel, const Bins *bins, MarkClass class, double width) {
        const double height = (bins->from - bins->to) / (double)bins->n, unit = width / bins->most;
        SvgPath path = { .out = panel->out, .class = picture_look_of_class(class)->class };

        for (size_t i = 0; i < bins->n; i++) {
                double before = 0;

                for (size_t k = 0; k < class; k++)
                        before += bins->counts[i][k];
                if (bins->counts[i][class] > 0)
                        svg_path_bar(&path, unit * before, bins->from - height * (double)(i + 1),
                                        fmax(BAR_LEAST, unit * bins->counts[i][class]),
                                        fmax(1, round(height) - (height >= 3)));
        }
        svg_path_end(&path);
}

static void print_bars(const Panel *panel) {
        const Bins bins = bins_of(panel, panel->picture->samples, 0);

        for (MarkClass class = 0; bins.most > 0 && class < _MARK_CLASS_N; class ++)
                print_class(panel, &bins, class, SVG_WIDTH);
}

/* Bars of one side of a pair, from the middle to the left or to the right. */
static void print_side_bars(const Panel *panel, const Bins *bins, bool to_right) {
        const double height = (bins->from - bins->to) / (double)bins->n, unit = SVG_WIDTH / 2 / bins->most;
        SvgPath path = { .out = panel->out, .class = to_right ? "bar new" : "bar old" };

        for (size_t i = 0; i < bins->n; i++) {
                double sum = 0;

                for (size_t class = 0; class < _MARK_CLASS_N; class ++)
                        sum += bins->counts[i][class];
                if (sum > 0) {
                        const double width = fmax(BAR_LEAST, unit * sum);

                        svg_path_bar(&path, SVG_WIDTH / 2 - (to_right ? 0 : width),
                                        bins->from - height * (double)(i + 1), width,
                                        fmax(1, round(height) - (height >= 3)));
                }
        }
        svg_path_end(&path);
}

void svg_spark(const json_t *counts, FILE *out) {
        const size_t n = json_array_size(counts);
        SvgPath path = { .out = out, .class = "bar quiet" };
        double most = 0;

        for (size_t i = 0; i < n; i++)
                most = fmax(most, json_number_value(json_array_get(counts, i)));
        if (!(most > 0))
                return;
        fprintf(out, "<svg class=\"spark\" viewBox=\"0 0 %zu %g\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                        n * 4, SPARK_HEIGHT);
        for (size_t i = 0; i < n; i++) {
                const double height = ceil(SPARK_HEIGHT * json_number_value(json_array_get(counts, i)) / most);

                if (height > 0)
                        svg_path_bar(&path, (double)i * 4, SPARK_HEIGHT - height, 3, height);
        }
        svg_path_end(&path);
        fputs("</svg>", out);
}

/* ---- axes and words */

/* A line across, behind everything else, with its text. */
static void print_tick(const Panel *panel, const char *class, double y, const char *text) {
        fprintf(panel->out,
                        "<line class=\"%s\" x2=\"100%%\" y1=\"%.0f\" y2=\"%.0f\"/><text class=\"y\" y=\"%.0f\">%s</text>",
                        class, y, y, y - 3, text);
}

/* A strip has a separate scale: its end is labelled, and a dotted line separates it from the axis. */
static void print_strip(const Panel *panel, const Axis *strip, double extreme) {
        const double end_y = axis_place(strip, extreme);
        char text[UNIT_TEXT_MAX];
        AxisTicks ticks = {};

        if (!strip->kind)
                return;
        fprintf(panel->out, "<text class=\"y\" y=\"%.0f\">%s</text>", end_y - 3,
                        unit_time_in(panel->y.axis.unit, extreme, text));
        print_tick(panel, "break",
                        (strip->high > panel->y.axis.high ? panel->y.axis.to - GUTTER / 2
                                                          : panel->y.axis.from + GUTTER / 2),
                        "");
        if (strip->kind == AXIS_LOG_TIMES) {
                if (panel->y.axis.kind == AXIS_TIMES)
                        fprintf(panel->out, "<text class=\"log\" x=\"4\" y=\"%.0f\">log</text>", strip->from - 3);
                axis_ticks(strip, TEXT_HEIGHT, &ticks);
        }
        for (size_t i = 0; i < ticks.n; i++) {
                const double y = axis_place(strip, ticks.ticks[i].value);

                if (fabs(y - end_y) >= TEXT_HEIGHT && fabs(y - strip->from) >= TEXT_HEIGHT)
                        print_tick(panel, "grid", y, ticks.ticks[i].text);
        }
}

static void print_height(const Panel *panel) {
        AxisTicks ticks;

        axis_ticks(&panel->y.axis, TICK_GAP, &ticks);
        for (size_t i = 0; i < ticks.n; i++)
                print_tick(panel, "grid", axis_place(&panel->y.axis, ticks.ticks[i].value), ticks.ticks[i].text);
        print_strip(panel, &panel->y.above, panel->y.most);
        print_strip(panel, &panel->y.below, panel->y.least);
}

/* True if the text of the tick at @index may be left out where there is room for a third of them. */
static bool is_minor(const Axis *axis, const AxisTicks *ticks, size_t index) {
        const double decade = log10(fmax(ticks->ticks[index].value, 1));

        if (ticks->n <= MINOR_FROM || axis->kind == AXIS_ORDER)
                return false;
        return axis->kind == AXIS_LOG_NUMBERS ? fabs(decade - round(decade)) > 1e-9 : index % 3 != 0;
}

/* Texts of an order are centred on its things; other ticks have lines. */
static void print_width(const Panel *panel) {
        static const double gaps[] = { [AXIS_LOG_NUMBERS] = 110, [AXIS_DATES] = 150, [AXIS_ORDER] = 66 };
        const Picture *picture = panel->picture;
        const bool order = panel->x.kind == AXIS_ORDER;
        AxisTicks ticks;

        axis_ticks(&panel->x, gaps[panel->x.kind], &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const AxisTick *tick = &ticks.ticks[i];
                const double x = axis_place(&panel->x, tick->value + (order ? 0.5 : 0)) / SVG_WIDTH * 100;

                if (!order)
                        fprintf(panel->out, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%g\" y2=\"%g\"/>", x,
                                        x, HEAD, panel->y.height - FOOT);
                fprintf(panel->out, "<text class=\"x%s\" x=\"%.2f%%\" y=\"%g\">%s</text>",
                                is_minor(&panel->x, &ticks, i) ? " minor" : "", x, panel->y.height - 7, tick->text);
        }
        if (order && picture->name)
                fprintf(panel->out, "<text class=\"y\" y=\"%g\">%s</text>", panel->y.height - 14, picture->name);
}

/* True if the label at @y would cover one of the @n before it. */
static bool is_covered(const double *labels, size_t n, double y) {
        for (size_t i = 0; i < n; i++)
                if (fabs(labels[i] - y) < LABEL_HEIGHT)
                        return true;
        return false;
}

static bool has_labels(const Picture *picture) {
        for (size_t i = 0; i < picture->n_shapes; i++)
                if (picture->shapes[i].label)
                        return true;
        return false;
}

/* At the ends of their lines. The first is printed of labels that would cover each other. */
static void print_labels(const Panel *panel) {
        double labels[LABELS_MAX];
        size_t n = 0;

        for (size_t i = 0; i < panel->picture->n_shapes && n < LABELS_MAX; i++) {
                const PictureShape *shape = &panel->picture->shapes[i];
                const double y = height_of(&panel->y, shape->x);

                if (!shape->label || is_covered(labels, n, y))
                        continue;
                labels[n++] = y;
                fprintf(panel->out, "<text class=\"%s\" x=\"100%%\" y=\"%.0f\">%s</text>", shape->look->class, y + 4,
                                shape->label);
        }
}

/* Samples beyond the axis, with their number beside them. */
static void print_beyond(const Panel *panel) {
        const SvgHeight *y = &panel->y;
        char count[UNIT_TEXT_MAX], end[UNIT_TEXT_MAX];

        if (y->n_above > 0)
                fprintf(panel->out, "<text class=\"beyond\" x=\"100%%\" y=\"%g\">%s over %s</text>", HEAD + 8,
                                unit_count((double)y->n_above, count), unit_time_in(y->axis.unit, y->axis.high, end));
        if (y->n_below > 0)
                fprintf(panel->out, "<text class=\"beyond\" x=\"100%%\" y=\"%g\">%s under %s</text>",
                                y->height - FOOT - STRIP_BELOW / 2 + 4, unit_count((double)y->n_below, count),
                                unit_time_in(y->axis.unit, y->axis.low, end));
}

/* ---- drawings */

void svg_begin(const char *id, const char *class, double height, const char *title, const char *description,
                FILE *out) {
        fprintf(out,
                        "<svg class=\"plot %s\" width=\"100%%\" height=\"%g\" role=\"img\" aria-labelledby=\"%s-t %s-d\">"
                        "<title id=\"%s-t\">",
                        class, height, id, id, id);
        markup_text(title, out);
        fprintf(out, "</title><desc id=\"%s-d\">", id);
        markup_text(description, out);
        fputs("</desc>", out);
}

void svg_end(FILE *out) {
        fputs("</svg>\n", out);
}

static void panel_begin(const Panel *panel, const char *class, double x, double width) {
        fprintf(panel->out, "<svg class=\"panel %s\" x=\"%g%%\" y=\"0\" width=\"%g%%\" height=\"%g\">", class, x, width,
                        panel->y.height);
}

/* Begins the place of shapes, @width percent of the panel; their coordinates are its own. */
static void field_begin(const Panel *panel, double width) {
        fprintf(panel->out,
                        "<svg class=\"field\" width=\"%g%%\" viewBox=\"0 0 %g %g\" height=\"%g\" preserveAspectRatio=\"none\">",
                        width, SVG_WIDTH, panel->y.height, panel->y.height);
}

static Panel panel_of(const Picture *picture, FILE *out) {
        Panel panel = { .picture = picture, .x = picture->x, .out = out };

        panel.x.to = SVG_WIDTH;
        return panel;
}

int svg_plane(const Picture *picture, const SvgHeight *height, const char *class, double x, double width, FILE *out) {
        Panel panel = panel_of(picture, out);
        int r = 0;

        panel.y = *height;
        panel_begin(&panel, class, x, width);
        print_height(&panel);
        print_width(&panel);
        field_begin(&panel, 100);
        print_shapes(&panel, SHAPE_AREA, SHAPE_RULE, picture->shapes, picture->n_shapes);
        if (picture->samples)
                r = print_samples(&panel);
        if (r == 0 && picture->sides[0])
                r = print_sides(&panel);
        print_shapes(&panel, SHAPE_CURVE, SHAPE_DOT, picture->shapes, picture->n_shapes);
        fputs("</svg></svg>", out);
        return error_trace(r);
}

int svg_upright(const Picture *picture, const SvgHeight *height, const char *class, double x, double width, FILE *out) {
        Panel panel = panel_of(picture, out);

        panel.y = *height;
        panel.upright = true;
        panel_begin(&panel, class, x, width);
        field_begin(&panel, has_labels(picture) ? BARS_BESIDE : 100);
        print_bars(&panel);
        print_shapes(&panel, SHAPE_AREA, SHAPE_RULE, picture->shapes, picture->n_shapes);
        fputs("</svg>", out);
        print_labels(&panel);
        print_beyond(&panel);
        fputs("</svg>", out);
        return 0;
}

void svg_mirrored(const Picture *picture, const SvgHeight *height, const char *class, double x, double width,
                FILE *out) {
        Panel panel = panel_of(picture, out);

        panel.y = *height;
        panel.upright = true;
        panel_begin(&panel, class, x, width);
        field_begin(&panel, 100);
        for (size_t side = 0; side < N_ELEMENTS(picture->sides); side++) {
                const Bins bins = bins_of(&panel, picture->sides[side], side);

                if (bins.most > 0)
                        print_side_bars(&panel, &bins, side == 1);
        }
        fputs("</svg>", out);
        print_beyond(&panel);
        fputs("</svg>", out);
}

void svg_row(const Picture *picture, size_t index, FILE *out) {
        Panel panel = panel_of(picture, out);
        size_t from = 0, to;

        panel.y = (SvgHeight){ .axis = { .high = 1, .from = SVG_ROW_HEIGHT }, .height = SVG_ROW_HEIGHT };
        while (from < picture->n_shapes && picture->shapes[from].row < index)
                from++;
        for (to = from; to < picture->n_shapes && picture->shapes[to].row == index;)
                to++;
        fprintf(out, "<svg class=\"ratio\" width=\"100%%\" height=\"%g\" aria-hidden=\"true\">", SVG_ROW_HEIGHT);
        field_begin(&panel, 100);
        print_shapes(&panel, SHAPE_AREA, SHAPE_DOT, picture->shapes + from, to - from);
        fputs("</svg></svg>", out);
}

void svg_scale(const Picture *picture, double gap, FILE *out) {
        const Panel panel = panel_of(picture, out);
        AxisTicks ticks;

        axis_ticks(&panel.x, gap, &ticks);
        fputs("<svg class=\"scale-of-ratios\" width=\"100%\" height=\"16\" aria-hidden=\"true\">", out);
        for (size_t i = 0; i < ticks.n; i++)
                fprintf(out, "<text class=\"x\" x=\"%.2f%%\" y=\"12\">%s</text>",
                                width_of(&panel, ticks.ticks[i].value) / SVG_WIDTH * 100, ticks.ticks[i].text);
        fputs("</svg>", out);
}
