/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/html/figure.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/cell.h"
#include "ctl/model/times.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/plots/picture.h"
#include "ctl/show/plots/svg.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define HEIGHT 264.0

typedef struct Figure {
        const json_t *benchmark;
        PlotSamples samples;
        Picture course, distribution;
        SvgHeight height;
        FILE *out;
} Figure;

static void figure_clear(Figure *figure) {
        picture_clear(&figure->course);
        picture_clear(&figure->distribution);
        samples_clear(&figure->samples);
}

int figure_range(const json_t *benchmark, SamplesRange *range) {
        _cleanup_(samples_clear) PlotSamples samples = {};
        int r;

        r = samples_read(benchmark, &samples);
        return r ? error_trace(r) : error_trace(samples_range_add(range, benchmark, &samples));
}

/* ---- words */

/* Prints @words with the number at @path as a time before it, where there is one. */
static bool describe_time(const Figure *figure, const char *words, const char *path, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double time;

        if (!json_number_at(figure->benchmark, path, &time))
                return false;
        fprintf(out, "%s%s", words, unit_time_in(figure->height.axis.unit, time, text));
        return true;
}

static void describe(const Figure *figure, FILE *out) {
        const PlotSamples *samples = &figure->samples;
        char text[UNIT_TEXT_MAX];

        describe_time(figure, "The headline is ", "time_ns.point", out);
        if (describe_time(figure, ", its interval ", "time_ns.low", out))
                describe_time(figure, " to ", "time_ns.high", out);
        fprintf(out, ". %zu process%s", samples->n_processes, samples->n_processes == 1 ? "" : "es");
        for (MarkClass class = 0; samples->n > 0 && class < _MARK_CLASS_N; class ++)
                fprintf(out, ", %s samples %s", unit_count((double)samples->n_of_class[class], text),
                                sample_class_word(class));
        fputc('.', out);
        if (json_array_size(json_at(figure->benchmark, "modes")) > 0) {
                fputs(" Modes: ", out);
                cell_modes(NULL, figure->benchmark, &(Times){ .unit = figure->height.axis.unit }, NULL, out);
                fputc('.', out);
        }
}

static int print_begin(const Figure *figure, const char *id) {
        _cleanup_(text_stream_clear) TextStream words = {};
        int r;

        describe(figure, text_stream_open(&words));
        r = text_stream_close(&words);
        if (r)
                return error_trace(r);
        svg_begin(id, "figure", HEIGHT,
                        figure->samples.n > 0 ? "Samples over time and their distribution"
                                              : "Medians of the processes and the distribution of the samples",
                        words.text, figure->out);
        return 0;
}

/* "● 1,930 quiet (14 interrupted)" for each class that there is. */
static void print_legend(const Figure *figure) {
        const PlotSamples *samples = &figure->samples;
        char text[UNIT_TEXT_MAX];

        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++) {
                const char *separator = " (";

                if (samples->n_of_class[class] == 0)
                        continue;
                fprintf(figure->out, "<span class=\"key\"><i class=\"%s\"></i>%s %s", sample_class_word(class),
                                unit_count((double)samples->n_of_class[class], text), sample_class_word(class));
                for (size_t i = 0; i < MARKS_N; i++) {
                        const Mark *mark = mark_by_weight(i);

                        if (marks_class(mark->bit) != class || samples->n_of_first[i] == 0)
                                continue;
                        fprintf(figure->out, "%s<i class=\"%s %s\"></i>%s %s", separator, sample_class_word(class),
                                        mark->word, unit_count((double)samples->n_of_first[i], text), mark->drawn);
                        separator = ", ";
                }
                fputs(*separator == ',' ? ")</span> " : "</span> ", figure->out);
        }
}

/* The axis is broken at a dotted line. */
static void print_break(const SvgHeight *height, FILE *out) {
        if (!height->above.kind && !height->below.kind)
                return;
        fprintf(out, "<span class=\"key\"><i class=\"break\"></i>%s the dotted line: %s</span> ",
                        !height->below.kind  ? "above"
                        : height->above.kind ? "beyond"
                                             : "below",
                        height->above.kind == AXIS_LOG_TIMES && height->axis.kind == AXIS_TIMES
                                        ? "the few samples far away, on a logarithmic scale"
                                        : "the few samples far away, on a scale of their own");
}

/* A process whose samples were hardly ever quiet has no median. */
static void print_medians(const Figure *figure) {
        const json_t *processes = json_at(figure->benchmark, "processes"), *process;
        const size_t n = json_array_size(processes);
        size_t n_without = 0;

        if (n == 0)
                return;
        fputs("<span class=\"key\"><i class=\"median\"></i>median of a process", figure->out);
        json_each(i, process, processes)
                n_without += !json_is_number(json_at(process, "median_ns"));
        if (n_without > 0)
                fprintf(figure->out, " (%zu of %zu had the core alone too seldom, and so %s no dot)", n_without, n,
                                n_without == 1 ? "has" : "have");
        fputs("</span> ", figure->out);
}

static void print_caption(const Figure *figure) {
        double low;

        fputs("<figcaption>", figure->out);
        if (figure->samples.n > 0)
                print_legend(figure);
        else
                fputs("<span class=\"key\"><i class=\"quiet\"></i>samples of the headline</span> ", figure->out);
        print_medians(figure);
        if (json_number_at(figure->benchmark, "time_ns.low", &low))
                fputs("<span class=\"key\"><i class=\"interval\"></i>95 % interval</span> ", figure->out);
        print_break(&figure->height, figure->out);
        fputs("</figcaption></figure>\n", figure->out);
}

/* The places that the script needs to show the time under the pointer. */
static void print_data(const SvgHeight *to, size_t n_processes, FILE *out) {
        fprintf(out,
                        "<figure%s data-low=\"%.9g\" data-high=\"%.9g\" data-least=\"%.9g\" data-most=\"%.9g\" data-top=\"%g\" "
                        "data-bottom=\"%g\" data-above=\"%g\" data-strip=\"%g\" data-processes=\"%zu\">",
                        to->axis.kind == AXIS_LOG_TIMES ? " data-log=\"1\"" : "", to->axis.low, to->axis.high,
                        fmin(to->least, to->axis.low), fmax(to->most, to->axis.high), to->axis.to, to->axis.from,
                        to->above.from, to->above.from - to->above.to, n_processes);
}

/* ---- the drawing */

static int figure_make(Figure *figure, const SamplesRange *range) {
        int r;

        r = samples_read(figure->benchmark, &figure->samples);
        if (r)
                return error_trace(r);
        picture_course(figure->benchmark, &figure->samples, range, &figure->course);
        picture_distribution(figure->benchmark, &figure->samples, range, &figure->distribution);
        figure->height = svg_height(&figure->course, HEIGHT);
        r = picture_finish(&figure->course);
        return r ? r : picture_finish(&figure->distribution);
}

/* True if there is no more than the headline, which the table has. */
static bool is_empty(const Picture *course, const Picture *distribution) {
        const Picture *pictures[] = { course, distribution };

        for (size_t i = 0; i < N_ELEMENTS(pictures); i++)
                for (size_t k = 0; k < pictures[i]->n_shapes; k++)
                        if (pictures[i]->shapes[k].kind == SHAPE_DOT || pictures[i]->shapes[k].kind == SHAPE_BIN)
                                return false;
        return true;
}

int figure_print(const char *id, const json_t *benchmark, const SamplesRange *range, FILE *out) {
        _cleanup_(figure_clear) Figure figure = { .benchmark = benchmark, .out = out };
        int r;

        r = range->high >= range->low ? figure_make(&figure, range) : 0;
        if (r || (figure.samples.n == 0 && is_empty(&figure.course, &figure.distribution)))
                return error_trace(r);
        print_data(&figure.height, figure.samples.n_processes, out);
        r = print_begin(&figure, id);
        if (r == 0)
                r = svg_plane(&figure.course, &figure.height, "over-time", 0, 72, out);
        if (r == 0)
                r = svg_upright(&figure.distribution, &figure.height, "distribution", 75, 25, out);
        svg_end(out);
        print_caption(&figure);
        return error_trace(r);
}

/* ---- a pair */

typedef struct PairFigure {
        const json_t *pair;
        const char *const *names; /* of its sides, for a reader */
        PlotSamples sides[2];     /* the old one first */
        Picture course, distribution;
        SvgHeight height;
        FILE *out;
} PairFigure;

static const char *const side_words[] = { "old", "new" };

static void pair_figure_clear(PairFigure *figure) {
        picture_clear(&figure->course);
        picture_clear(&figure->distribution);
        for (size_t i = 0; i < N_ELEMENTS(figure->sides); i++)
                samples_clear(&figure->sides[i]);
}

static int pair_figure_make(PairFigure *figure, const SamplesRange *range) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < N_ELEMENTS(figure->sides); i++) {
                r = samples_read(json_at(figure->pair, side_words[i]), &figure->sides[i]);
                samples_keep_half(&figure->sides[i], i == 1);
        }
        if (r)
                return error_trace(r);
        picture_pair_course(figure->pair, figure->sides, range, &figure->course);
        picture_pair_distribution(figure->pair, figure->sides, range, &figure->distribution);
        figure->height = svg_height(&figure->course, HEIGHT);
        r = picture_finish(&figure->course);
        return r ? r : picture_finish(&figure->distribution);
}

/* "○ old, 2.242 ns: 3,523 samples" */
static void print_side_key(const PairFigure *figure, size_t side) {
        const json_t *benchmark = json_at(figure->pair, side_words[side]);
        char text[UNIT_TEXT_MAX];
        double time;

        fprintf(figure->out, "<span class=\"key\"><i class=\"%s\"></i>", side == 0 ? "circle old" : "disc new");
        markup_text(figure->names[side], figure->out);
        if (json_number_at(benchmark, "time_ns.point", &time))
                fprintf(figure->out, ", %s", unit_time_in(figure->height.axis.unit, time, text));
        if (figure->sides[side].n > 0)
                fprintf(figure->out, ": %s samples of the headline", unit_count((double)figure->sides[side].n, text));
        fputs("</span> ", figure->out);
}

int figure_print_pair(const char *id, const json_t *pair, const char *const names[static 2], const SamplesRange *range,
                FILE *out) {
        _cleanup_(pair_figure_clear) PairFigure figure = { .pair = pair, .names = names, .out = out };
        int r;

        r = range->high >= range->low ? pair_figure_make(&figure, range) : 0;
        if (r || (figure.sides[0].n + figure.sides[1].n == 0 && is_empty(&figure.course, &figure.distribution)))
                return error_trace(r);
        print_data(&figure.height, (size_t)figure.course.x.high, out);
        svg_begin(id, "figure", HEIGHT, "Both sides over their processes, and their distributions",
                        "The first side on the left and the second on the right of each process, and of the middle of the "
                        "distribution. The table has the figures.",
                        out);
        r = svg_plane(&figure.course, &figure.height, "over-time", 0, 72, out);
        svg_mirrored(&figure.distribution, &figure.height, "distribution", 75, 25, out);
        svg_end(out);
        fputs("<figcaption>", out);
        for (size_t i = 0; i < N_ELEMENTS(side_words); i++)
                print_side_key(&figure, i);
        fputs("<span class=\"key\">a large mark is the median of a process, a band the 95 % interval</span> ", out);
        print_break(&figure.height, out);
        fputs("</figcaption></figure>\n", out);
        return error_trace(r);
}
