/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/html/figure.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/cell.h"
#include "ctl/html/markup.h"
#include "ctl/html/plot.h"
#include "ctl/html/sample-set.h"
#include "ctl/json-path.h"
#include "ctl/time-unit.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define HEIGHT       264.0
#define FOOT         25.0 /* below the axis of times, for the processes' numbers */
#define HEAD         16.0
#define STRIP        62.0 /* of slower times than the axis has, on a scale of powers */
#define STRIP_BELOW  22.0
#define GUTTER       8.0 /* between strip and axis */
#define BINS_MAX     68u
#define BIN_HEIGHT   4.0
#define CELL_X       4 /* units of a panel, and pixels: dots in one cell touch each other */
#define CELL_Y       3
#define CELL_COLUMNS (1000 / CELL_X + 1)
#define CELL_ROWS    (264 / CELL_Y)
#define SLOT_GAP     0.12
#define TICK_GAP     28u
#define TEXT_HEIGHT  16u
#define BAR_LEAST    6.0  /* units of a panel: one sample is seen */
#define BARS_BESIDE  0.64 /* share of the panel that they have where the modes are told beside them */
#define NUMBERED_MAX 14u
#define FENCE        4.0   /* middle halves beyond which quiet samples are off the axis */
#define FENCE_LEAST  0.002 /* share of a time: a middle half has at least that */
#define QUIET_LEAST  0.1   /* share of the samples from which the quiet ones choose the axis */
#define MODES_MAX    6u
#define LABEL_HEIGHT 13.0

typedef struct Figure {
        const char *id;
        const json_t *benchmark;
        double unit_ns;
        const TimeUnit *unit; /* that all times are shown in; NULL: each in its own */
        SampleSet set;
        FigureRange range;
        PlotAxis axis;           /* of times, downwards */
        PlotAxis above, below;   /* the strips; logarithmic and linear; of no length: there is none */
        double point, low, high; /* the headline in nanoseconds; NaN */
        FILE *out;
} Figure;

/* ---- the range */

static double at_share(const double *sorted, size_t n, double share) {
        return sorted[(size_t)lround(share * (double)(n - 1))];
}

static void range_take(FigureRange *range, double ns) {
        if (!isfinite(ns))
                return;
        range->low = fmin(range->low, ns);
        range->high = fmax(range->high, ns);
}

static double ns_at(const json_t *benchmark, const char *path, double unit_ns) {
        double value;

        return json_number_at(benchmark, path, &value) ? value * unit_ns : NAN;
}

/* Medians, modes and the headline have their place whatever the samples are. */
static void range_take_processes(const json_t *benchmark, FigureRange *range) {
        const json_t *processes = json_at(benchmark, "processes");

        for (size_t i = 0; i < json_array_size(processes); i++)
                range_take(range, ns_at(json_array_get(processes, i), "median_ns", 1));
}

static void range_take_headline(const json_t *benchmark, double unit_ns, FigureRange *range) {
        static const char *const paths[] = { "time_ns.point", "time_ns.low", "time_ns.high" };
        const json_t *modes = json_at(benchmark, "modes");

        for (size_t i = 0; i < N_ELEMENTS(paths); i++)
                range_take(range, ns_at(benchmark, paths[i], unit_ns));
        for (size_t i = 0; i < json_array_size(modes); i++)
                range_take(range, ns_at(json_array_get(modes, i), "center_ns", 1));
}

/* The bulk of @n ascending times: without the slowest and fastest hundredth, and without what lies far from the middle half. */
static void range_take_bulk(const double *sorted, size_t n, FigureRange *range) {
        const double lower = at_share(sorted, n, 0.25), upper = at_share(sorted, n, 0.75);
        const double reach = FENCE * fmax(upper - lower, FENCE_LEAST * upper);

        range_take(range, fmax(at_share(sorted, n, 0.01), lower - reach));
        range_take(range, fmin(at_share(sorted, n, 0.99), upper + reach));
}

/* The axis is that of quiet samples, however much slower the others are; where they are few, that of all. */
static int range_take_samples(const SampleSet *set, FigureRange *range) {
        _cleanup_(freep) double *quiet = sample_set_sorted(set, MARK_CLASS_QUIET);
        const size_t n = set->n_by_class[MARK_CLASS_QUIET];

        if (!quiet)
                return error_origin(-ENOMEM);
        if (n > 0 && (double)n >= QUIET_LEAST * (double)set->n)
                range_take_bulk(quiet, n, range);
        else
                for (size_t i = 0; i < set->n; i++)
                        range_take(range, set->samples[i].ns);
        return 0;
}

int figure_range(const json_t *benchmark, double unit_ns, FigureRange *ret_range) {
        FigureRange range = { .low = INFINITY, .high = -INFINITY };
        _cleanup_(sample_set_clear) SampleSet set = {};
        PlotAxis axis;
        int r;

        r = sample_set_read(benchmark, &set);
        if (r == 0)
                r = range_take_samples(&set, &range);
        if (r)
                return error_trace(r);
        if (set.n == 0) {
                range_take(&range, ns_at(benchmark, "time_ns.histogram.low", unit_ns));
                range_take(&range, ns_at(benchmark, "time_ns.histogram.high", unit_ns));
        }
        range_take_processes(benchmark, &range);
        if (!(range.high >= range.low))
                return FIGURE_E_NOTHING;
        range_take_headline(benchmark, unit_ns, &range);
        axis = (PlotAxis){ .low = range.low, .high = range.high };
        plot_axis_widen(&axis, range.high > range.low ? 0.12 : 0.01);
        if (range.low >= 0)
                axis.low = fmax(axis.low, 0);
        range.least = range.low = axis.low;
        range.most = range.high = axis.high;
        for (size_t i = 0; i < set.n; i++) {
                range.least = fmin(range.least, set.samples[i].ns);
                range.most = fmax(range.most, set.samples[i].ns);
        }
        *ret_range = range;
        return 0;
}

FigureRange figure_range_join(const FigureRange *a, const FigureRange *b) {
        return (FigureRange){
                .low = fmin(a->low, b->low),
                .high = fmax(a->high, b->high),
                .least = fmin(a->least, b->least),
                .most = fmax(a->most, b->most),
        };
}

/* ---- places */

static void figure_lay_out(Figure *figure) {
        const FigureRange *range = &figure->range;
        const bool above = range->most > range->high, below = range->least < range->low;

        figure->axis = (PlotAxis){
                .low = range->low,
                .high = range->high,
                .from = HEIGHT - FOOT - (below ? STRIP_BELOW + GUTTER : 0),
                .to = HEAD + (above ? STRIP + GUTTER : 0),
                .unit = figure->unit,
        };
        if (above)
                figure->above = (PlotAxis){
                        .low = range->high,
                        .high = range->most,
                        .from = HEAD + STRIP,
                        .to = HEAD,
                        .log = range->high > 0,
                        .unit = figure->unit,
                };
        if (below)
                figure->below = (PlotAxis){
                        .low = range->least,
                        .high = range->low,
                        .from = HEIGHT - FOOT,
                        .to = HEIGHT - FOOT - STRIP_BELOW,
                };
}

static double figure_y(const Figure *figure, double ns) {
        if (ns > figure->range.high)
                return plot_place(&figure->above, ns);
        if (ns < figure->range.low)
                return plot_place(&figure->below, ns);
        return plot_place(&figure->axis, ns);
}

static double slot_width(const Figure *figure) {
        return PLOT_WIDTH / (double)(figure->set.n_processes ? figure->set.n_processes : 1);
}

static double slot_place(const Figure *figure, unsigned process, double at) {
        return slot_width(figure) * (process + SLOT_GAP / 2 + at * (1 - SLOT_GAP));
}

/* ---- the axis of times */

/* The places of the lines across a panel, which are one path, behind all else. */
typedef struct Lines {
        double y[3 * AXIS_TICKS_MAX];
        size_t n;
} Lines;

static void print_tick(const Figure *figure, double y, const char *text, Lines *lines) {
        lines->y[lines->n++] = y;
        fprintf(figure->out, "<text class=\"y\" y=\"%.0f\">%s</text>", y - 3, text);
}

static void print_ticks(const Figure *figure, Lines *lines) {
        AxisTicks ticks;

        plot_ticks(&figure->axis, axis_tick_times, TICK_GAP, &ticks);
        for (size_t i = 0; i < ticks.n; i++)
                print_tick(figure, plot_place(&figure->axis, ticks.ticks[i].value), ticks.ticks[i].text, lines);
}

/* A strip has a scale of its own: its end is told, and a dotted line parts it from the axis. */
static void print_strip(const Figure *figure, const PlotAxis *strip, double extreme, double line_y, Lines *lines) {
        const double end_y = plot_place(strip, extreme);
        char text[UNIT_TEXT_MAX];
        AxisTicks ticks = {};

        if (strip->from == strip->to)
                return;
        fprintf(figure->out,
                        "<line class=\"break\" x2=\"100%%\" y1=\"%.0f\" y2=\"%.0f\"/><text class=\"y\" y=\"%.0f\">%s</text>",
                        line_y, line_y, end_y - 3, unit_time_in(figure->unit, extreme, text));
        if (strip->log)
                plot_ticks(strip, axis_tick_log_times, TEXT_HEIGHT, &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const double y = plot_place(strip, ticks.ticks[i].value);

                if (fabs(y - end_y) >= TEXT_HEIGHT && fabs(y - strip->from) >= TEXT_HEIGHT)
                        print_tick(figure, y, ticks.ticks[i].text, lines);
        }
}

static void print_axis(const Figure *figure, Lines *lines) {
        print_ticks(figure, lines);
        print_strip(figure, &figure->above, figure->range.most, figure->above.from + GUTTER / 2, lines);
        print_strip(figure, &figure->below, figure->range.least, figure->below.to - GUTTER / 2, lines);
}

static void print_lines(const Figure *figure, const Lines *lines) {
        PlotPath path = { .out = figure->out, .class = "grid" };

        for (size_t i = 0; i < lines->n; i++)
                plot_path_across(&path, lines->y[i]);
        plot_path_end(&path);
}

/* ---- processes: samples, medians, and the interval behind them */

static void print_interval(const Figure *figure) {
        if (isfinite(figure->low) && isfinite(figure->high)) {
                const double top = figure_y(figure, figure->high), bottom = figure_y(figure, figure->low);

                fprintf(figure->out, "<rect class=\"interval\" x=\"0\" width=\"100%%\" y=\"%.1f\" height=\"%.1f\"/>",
                                top, fmax(bottom - top, 1));
        }
        if (isfinite(figure->point)) {
                const double y = figure_y(figure, figure->point);

                fprintf(figure->out, "<line class=\"point\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
        }
}

/* The cells of a panel, each with the place of the first dot in it; others would touch it. */
typedef struct Cell {
        bool taken;
        double x, y;
} Cell;

typedef Cell Cells[CELL_COLUMNS][CELL_ROWS];

static void cell_take(Cells cells, double x, double y) {
        Cell *cell = &cells[(size_t)fmin(fmax(x / CELL_X, 0), CELL_COLUMNS - 1)]
                           [(size_t)fmin(fmax(y / CELL_Y, 0), CELL_ROWS - 1)];

        if (!cell->taken)
                *cell = (Cell){ true, x, y };
}

/* Column by column, since near dots take few bytes; every other column upwards. */
static void print_cells(const Cells cells, PlotPath *path) {
        for (size_t column = 0; column < CELL_COLUMNS; column++)
                for (size_t i = 0; i < CELL_ROWS; i++) {
                        const Cell *cell = &cells[column][column % 2 ? CELL_ROWS - 1 - i : i];

                        if (cell->taken)
                                plot_path_dot(path, cell->x, cell->y, 0);
                }
}

static bool is_beyond(const Figure *figure, double ns) {
        return ns > figure->range.high || ns < figure->range.low;
}

/* Disturbed samples and those beyond the axis are all drawn; of quiet ones, and of those of a shared core, one in each cell. */
static int print_cause(const Figure *figure, unsigned index) {
        _cleanup_(freep) Cells *cells = calloc(1, sizeof *cells);
        const SampleCause *cause = sample_cause_at(index);
        char title[96], count[UNIT_TEXT_MAX], class[64];
        PlotPath path = { .out = figure->out, .class = class, .title = title };

        if (!cells)
                return error_origin(-ENOMEM);
        snprintf(class, sizeof class, "s %s", cause->class);
        snprintf(title, sizeof title, "%s %s", unit_count((double)figure->set.n_by_cause[index], count), cause->word);
        for (size_t i = 0; i < figure->set.n; i++) {
                const DrawnSample *sample = &figure->set.samples[i];
                const double x = slot_place(figure, sample->process, sample->at), y = figure_y(figure, sample->ns);

                if (sample->cause != index)
                        continue;
                if (cause->length > 0 || sample_cause_class(index) == MARK_CLASS_DISTURBED ||
                                (!cause->bit && is_beyond(figure, sample->ns)))
                        plot_path_dot(&path, x, y - cause->length / 2, cause->length);
                else
                        cell_take(*cells, x, y);
        }
        print_cells(*cells, &path);
        plot_path_end(&path);
        return 0;
}

/* Plain samples are the last cause, and below all others. */
static int print_samples(const Figure *figure) {
        size_t n = 0;
        int r = 0;

        while (sample_cause_at(n))
                n++;
        for (size_t i = n; r == 0 && i-- > 0;)
                if (figure->set.n_by_cause[i] > 0)
                        r = print_cause(figure, (unsigned)i);
        return error_trace(r);
}

/* Twice: a ring of the ground's colour parts a dot from the samples behind it. */
static void print_medians(const Figure *figure, const char *class) {
        const json_t *processes = json_at(figure->benchmark, "processes");
        PlotPath path = { .out = figure->out, .class = class };

        for (size_t i = 0; i < json_array_size(processes); i++) {
                const double ns = ns_at(json_array_get(processes, i), "median_ns", 1);

                if (isfinite(ns))
                        plot_path_dot(&path, slot_place(figure, (unsigned)i, 0.5), figure_y(figure, ns), 0);
        }
        plot_path_end(&path);
}

static void print_numbers(const Figure *figure) {
        const size_t n = figure->set.n_processes, every = n <= NUMBERED_MAX ? 1 : (n + 9) / 10;

        for (size_t i = 0; i < n; i += every)
                fprintf(figure->out, "<text class=\"x\" x=\"%.1f%%\" y=\"%g\">%zu</text>",
                                100 * slot_place(figure, (unsigned)i, 0.5) / PLOT_WIDTH, HEIGHT - 6, i + 1);
}

static int print_processes(const Figure *figure) {
        Lines lines = {};
        int r;

        plot_panel_begin("over-time", 0, 72, HEIGHT, figure->out);
        print_axis(figure, &lines);
        print_interval(figure);
        plot_field_begin(HEIGHT, figure->out);
        print_lines(figure, &lines);
        r = print_samples(figure);
        print_medians(figure, "ring");
        print_medians(figure, "median");
        plot_field_end(figure->out);
        print_numbers(figure);
        fprintf(figure->out, "<text class=\"y\" y=\"%g\">process</text>", HEIGHT - 13);
        plot_panel_end(figure->out);
        return error_trace(r);
}

/* ---- the distribution */

typedef struct Bins {
        double counts[BINS_MAX][_MARK_CLASS_N]; /* upwards */
        size_t n;
        double most; /* in one bin */
} Bins;

static void bins_weigh(Bins *bins) {
        for (size_t i = 0; i < bins->n; i++) {
                double sum = 0;

                for (size_t class = 0; class < _MARK_CLASS_N; class ++)
                        sum += bins->counts[i][class];
                bins->most = fmax(bins->most, sum);
        }
}

/* Bins of equal heights over the whole drawing, strips too. */
static Bins bins_of_samples(const Figure *figure) {
        Bins bins = { .n = (size_t)(HEIGHT / BIN_HEIGHT) };

        for (size_t i = 0; i < figure->set.n; i++) {
                const DrawnSample *sample = &figure->set.samples[i];
                const double y = fmin(fmax(figure_y(figure, sample->ns), 0), HEIGHT - 1);

                bins.counts[(size_t)((HEIGHT - y) / BIN_HEIGHT)][sample_class(sample)]++;
        }
        bins_weigh(&bins);
        return bins;
}

static Bins bins_of_histogram(const Figure *figure) {
        const json_t *counts = json_at(figure->benchmark, "time_ns.histogram.counts");
        Bins bins = { .n = (size_t)fmin((double)json_array_size(counts), BINS_MAX) };

        for (size_t i = 0; i < bins.n; i++)
                bins.counts[i][MARK_CLASS_QUIET] = json_number_value(json_array_get(counts, i));
        bins_weigh(&bins);
        return bins;
}

/* The bars of @class, each right of those of the classes before it; @from and @to are the ends of all bins. */
static void print_bars(const Figure *figure, const Bins *bins, MarkClass class, double from, double to) {
        const bool modes = json_array_size(json_at(figure->benchmark, "modes")) > 0;
        const double height = (from - to) / (double)bins->n;
        const double unit = PLOT_WIDTH * (modes ? BARS_BESIDE : 1) / bins->most;
        char style[32];
        PlotPath path = { .out = figure->out, .class = style };

        snprintf(style, sizeof style, "bar %s", sample_class_word(class));
        for (size_t i = 0; i < bins->n; i++) {
                double before = 0;

                for (size_t k = 0; k < class; k++)
                        before += bins->counts[i][k];
                if (bins->counts[i][class] > 0)
                        plot_path_bar(&path, unit * before, from - height * (double)(i + 1),
                                        fmax(BAR_LEAST, unit * bins->counts[i][class]),
                                        fmax(1, round(height) - (height >= 3)));
        }
        plot_path_end(&path);
}

/* True if the label at @y would cover one of the @n before it. */
static bool is_covered(const double *labels, size_t n, double y) {
        for (size_t i = 0; i < n; i++)
                if (fabs(labels[i] - y) < LABEL_HEIGHT)
                        return true;
        return false;
}

/* Each has its line; of labels that would cover each other the first is printed, and the figures below have them all. */
static void print_modes(const Figure *figure) {
        const json_t *modes = json_at(figure->benchmark, "modes");
        double labels[MODES_MAX];
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(modes) && i < MODES_MAX; i++) {
                const json_t *mode = json_array_get(modes, i);
                const double ns = ns_at(mode, "center_ns", 1), y = isfinite(ns) ? figure_y(figure, ns) : NAN;
                char share[UNIT_TEXT_MAX], center[UNIT_TEXT_MAX];
                double weight;

                if (!isfinite(y) || !json_number_at(mode, "weight", &weight))
                        continue;
                fprintf(figure->out, "<line class=\"mode\" x2=\"100%%\" y1=\"%.0f\" y2=\"%.0f\"/>", y, y);
                if (is_covered(labels, n, y))
                        continue;
                labels[n++] = y;
                fprintf(figure->out, "<text class=\"mode\" x=\"100%%\" y=\"%.0f\">%s at %s</text>", y - 3,
                                unit_share(weight, share), unit_time_in(figure->unit, ns, center));
        }
}

/* Samples beyond the axis: how many there are is told beside them. */
static void print_beyond(const Figure *figure) {
        char count[UNIT_TEXT_MAX];
        size_t n_above = 0, n_below = 0;

        for (size_t i = 0; i < figure->set.n; i++) {
                n_above += figure->set.samples[i].ns > figure->range.high;
                n_below += figure->set.samples[i].ns < figure->range.low;
        }
        if (n_above > 0)
                fprintf(figure->out, "<text class=\"beyond\" x=\"100%%\" y=\"%g\">%s slower</text>", HEAD + 8,
                                unit_count((double)n_above, count));
        if (n_below > 0)
                fprintf(figure->out, "<text class=\"beyond\" x=\"100%%\" y=\"%g\">%s faster</text>",
                                HEIGHT - FOOT - STRIP_BELOW / 2 + 4, unit_count((double)n_below, count));
}

static void print_distribution(const Figure *figure) {
        const Bins bins = figure->set.n > 0 ? bins_of_samples(figure) : bins_of_histogram(figure);
        double from = HEIGHT, to = 0;

        if (figure->set.n == 0) {
                from = figure_y(figure, ns_at(figure->benchmark, "time_ns.histogram.low", figure->unit_ns));
                to = figure_y(figure, ns_at(figure->benchmark, "time_ns.histogram.high", figure->unit_ns));
        }
        if (bins.n == 1 && from - to < BIN_HEIGHT)
                from += BIN_HEIGHT / 2, to = from - BIN_HEIGHT;
        plot_panel_begin("distribution", 75, 25, HEIGHT, figure->out);
        print_interval(figure);
        plot_field_begin(HEIGHT, figure->out);
        for (MarkClass class = 0; bins.most > 0 && class < _MARK_CLASS_N; class ++)
                print_bars(figure, &bins, class, from, to);
        plot_field_end(figure->out);
        print_modes(figure);
        print_beyond(figure);
        plot_panel_end(figure->out);
}

/* ---- words */

static void describe(const Figure *figure, FILE *out) {
        const json_t *modes = json_at(figure->benchmark, "modes");
        char text[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];

        if (isfinite(figure->point))
                fprintf(out, "The headline is %s", unit_time_in(figure->unit, figure->point, text));
        if (isfinite(figure->low) && isfinite(figure->high))
                fprintf(out, ", its interval %s to %s", unit_time_in(figure->unit, figure->low, text),
                                unit_time_in(figure->unit, figure->high, text_high));
        fprintf(out, ". %zu process%s", figure->set.n_processes, figure->set.n_processes == 1 ? "" : "es");
        for (MarkClass class = 0; figure->set.n > 0 && class < _MARK_CLASS_N; class ++)
                fprintf(out, ", %s samples %s", unit_count((double)figure->set.n_by_class[class], text),
                                sample_class_word(class));
        fputc('.', out);
        if (json_array_size(modes) > 0) {
                fputs(" Modes: ", out);
                cell_modes(NULL, figure->benchmark, NULL, out);
                fputc('.', out);
        }
}

static int print_begin(const Figure *figure) {
        _cleanup_(freep) char *words = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&words, &n);
        if (!stream)
                return error_origin(-errno);
        describe(figure, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        plot_begin(figure->id, "figure", HEIGHT,
                        figure->set.n > 0 ? "Samples over time and their distribution"
                                          : "Medians of the processes and the distribution of the samples",
                        words, figure->out);
        return 0;
}

/* "● 1,930 quiet (14 interrupted)" for each class that there is. */
static void print_legend(const Figure *figure) {
        char text[UNIT_TEXT_MAX];

        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++) {
                const char *separator = " (";

                if (figure->set.n_by_class[class] == 0)
                        continue;
                fprintf(figure->out, "<span class=\"key\"><i class=\"%s\"></i>%s %s", sample_class_word(class),
                                unit_count((double)figure->set.n_by_class[class], text), sample_class_word(class));
                for (unsigned i = 0; sample_cause_at(i); i++) {
                        const SampleCause *cause = sample_cause_at(i);

                        if (sample_cause_class(i) != class || !cause->bit || figure->set.n_by_cause[i] == 0)
                                continue;
                        fprintf(figure->out, "%s<i class=\"%s\"></i>%s %s", separator, cause->class,
                                        unit_count((double)figure->set.n_by_cause[i], text), cause->word);
                        separator = ", ";
                }
                fputs(*separator == ',' ? ")</span> " : "</span> ", figure->out);
        }
}

static void print_caption(const Figure *figure) {
        fputs("<figcaption>", figure->out);
        if (figure->set.n > 0)
                print_legend(figure);
        else
                fputs("<span class=\"key\"><i class=\"quiet\"></i>samples of the headline</span> ", figure->out);
        if (json_array_size(json_at(figure->benchmark, "processes")) > 0)
                fputs("<span class=\"key\"><i class=\"median\"></i>median of a process</span> ", figure->out);
        if (isfinite(figure->low))
                fputs("<span class=\"key\"><i class=\"interval\"></i>95 % interval</span>", figure->out);
        fputs("</figcaption>", figure->out);
}

/* The places that the script needs to tell the time under the pointer. */
static void print_data(const Figure *figure) {
        fprintf(figure->out,
                        "<figure data-low=\"%.9g\" data-high=\"%.9g\" data-least=\"%.9g\" data-most=\"%.9g\" data-top=\"%g\" "
                        "data-bottom=\"%g\" data-above=\"%g\" data-strip=\"%g\" data-processes=\"%zu\">",
                        figure->range.low, figure->range.high, figure->range.least, figure->range.most, figure->axis.to,
                        figure->axis.from, figure->above.from, STRIP, figure->set.n_processes);
}

int figure_print(const char *id, const json_t *benchmark, double unit_ns, const FigureRange *range, FILE *out) {
        Figure figure = {
                .id = id,
                .benchmark = benchmark,
                .unit_ns = unit_ns,
                .unit = time_unit_of(benchmark),
                .range = *range,
                .point = ns_at(benchmark, "time_ns.point", unit_ns),
                .low = ns_at(benchmark, "time_ns.low", unit_ns),
                .high = ns_at(benchmark, "time_ns.high", unit_ns),
                .out = out,
        };
        int r;

        r = sample_set_read(benchmark, &figure.set);
        if (r)
                return error_trace(r);
        figure_lay_out(&figure);
        print_data(&figure);
        r = print_begin(&figure);
        if (r == 0)
                r = print_processes(&figure);
        if (r == 0) {
                print_distribution(&figure);
                plot_end(out);
                print_caption(&figure);
        }
        fputs("</figure>\n", out);
        sample_set_clear(&figure.set);
        return error_trace(r);
}
