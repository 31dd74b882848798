/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The course of the samples: each in its place in time and of its time, process after process, darker where many meet, and arrows where
 * some lie beyond the axis; below them a line for each cause, with the share of samples that it marked.
 */

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/plot.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define COURSE_LINES     7
#define COURSE_SPARSE    3 /* samples at one place: up to as many are dots, more are shades */
#define COURSE_TICK_GAP  2 /* lines between times */
#define COURSE_LABEL_GAP 4 /* columns between numbers of processes */

DEFINE_CLEANUP(Canvas *, canvas_free)

typedef struct Spot {
        size_t n_of_class[_MARK_CLASS_N];
        bool beyond; /* some of them lie beyond the axis, whose end this is */
} Spot;

typedef struct Course {
        const PlotSamples *samples;
        const Axis *times;
        size_t n_places;
        Canvas *canvas;
        Spot *spots; /* by line, then by place */
        long y;
} Course;

static const long first_place = PLOT_LABELS + 1;

/* ---- spots */

static size_t place_of(const Course *course, const PlotSample *sample) {
        return (size_t)(sample->at / (double)course->samples->n_processes * (double)course->n_places);
}

/* The line of a time: those beyond the axis are at its ends. */
static size_t line_of(const Course *course, double time_ns) {
        const Axis lines = { .low = course->times->low, .high = course->times->high, .n_places = COURSE_LINES };
        const long line = axis_place(&lines, time_ns);

        return COURSE_LINES - 1 - (size_t)(line < 0 ? 0 : line >= COURSE_LINES ? COURSE_LINES - 1 : line);
}

static size_t spot_count(const Spot *spot) {
        size_t n = 0;

        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++)
                n += spot->n_of_class[class];
        return n;
}

/* A class other than quiet that has at least half of the samples there. */
static MarkClass spot_class(const Spot *spot) {
        for (MarkClass class = _MARK_CLASS_N - 1; class > MARK_CLASS_QUIET; class --)
                if (spot->n_of_class[class] > 0 && 2 * spot->n_of_class[class] >= spot_count(spot))
                        return class;
        return MARK_CLASS_QUIET;
}

static void draw_spot(const Course *course, const Spot *spot, size_t most, long x, long y) {
        static const char *const shades[] = { "░", "▒", "▓", "█" };
        const size_t n = spot_count(spot);
        const PlotClass *of = plot_class(spot_class(spot));

        if (n == 0)
                return;
        if (spot->beyond)
                canvas_put(course->canvas, x, y, of->style, y == course->y ? "▴" : "▾");
        else if (most <= COURSE_SPARSE || spot_class(spot) != MARK_CLASS_QUIET)
                canvas_put(course->canvas, x, y, of->style, of->glyph);
        else
                canvas_put(course->canvas, x, y, of->style, shades[(n * N_ELEMENTS(shades) - 1) / most]);
}

static void draw_spots(Course *course) {
        size_t most = 0;

        for (size_t i = 0; i < course->samples->n; i++) {
                const PlotSample *sample = &course->samples->samples[i];
                Spot *spot = &course->spots[line_of(course, sample->time_ns) * course->n_places +
                                            place_of(course, sample)];

                spot->n_of_class[sample->class]++;
                spot->beyond |= sample->time_ns < course->times->low || sample->time_ns > course->times->high;
                most = spot_count(spot) > most ? spot_count(spot) : most;
        }
        for (size_t line = 0; line < COURSE_LINES; line++)
                for (size_t place = 0; place < course->n_places; place++)
                        draw_spot(course, &course->spots[line * course->n_places + place], most,
                                        first_place + (long)place, course->y + (long)line);
}

/* The times at some of the lines. */
static void draw_times(Course *course) {
        const Axis lines = { .low = course->times->low,
                .high = course->times->high,
                .n_places = COURSE_LINES,
                .unit = course->times->unit };
        AxisTicks ticks;
        const char *unit;

        (void)unit_time_size(lines.unit, fmax(fabs(lines.low), fabs(lines.high)), &unit);
        for (long line = 0; line < COURSE_LINES; line++)
                canvas_put(course->canvas, PLOT_LABELS, course->y + line, GRID_DIM, "│");
        axis_tick_times(&lines, COURSE_TICK_GAP, &ticks);
        if (ticks.n < 2) /* one time tells no distance */
                axis_tick_times(&lines, 1, &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const long y = course->y + COURSE_LINES - 1 - axis_place(&lines, ticks.ticks[i].value);
                char text[UNIT_TEXT_MAX + 8];

                snprintf(text, sizeof text, "%s%s%s", ticks.ticks[i].text, i + 1 == ticks.n ? "" : " ",
                                i + 1 == ticks.n ? "" : unit);
                canvas_write_before(course->canvas, PLOT_LABELS - 1, y, GRID_DIM, text);
                canvas_put(course->canvas, PLOT_LABELS, y, GRID_DIM, "┼");
        }
        course->y += COURSE_LINES;
}

/* ---- causes */

/* The samples of a place that are marked, over all of them. */
static void draw_cause(Course *course, const Mark *mark, double *marked, double *all) {
        double n = 0;

        memset(marked, 0, course->n_places * sizeof *marked);
        memset(all, 0, course->n_places * sizeof *all);
        for (size_t i = 0; i < course->samples->n; i++) {
                const PlotSample *sample = &course->samples->samples[i];
                const size_t place = place_of(course, sample);

                all[place]++;
                marked[place] += (sample->marks & mark->bit) != 0;
                n += (sample->marks & mark->bit) != 0;
        }
        if (n == 0)
                return;
        plot_draw_label(course->canvas, course->y, mark->word, n);
        for (size_t place = 0; place < course->n_places; place++)
                if (marked[place] > 0)
                        canvas_put(course->canvas, first_place + (long)place, course->y, plot_class(mark->class)->style,
                                        plot_bar(marked[place] / all[place]));
        course->y++;
}

static int draw_causes(Course *course) {
        _cleanup_(freep) double *marked = calloc(course->n_places, sizeof *marked);
        _cleanup_(freep) double *all = calloc(course->n_places, sizeof *all);
        const Mark *mark;

        if (!marked || !all)
                return error_origin(-ENOMEM);
        for (size_t i = 0; (mark = mark_at(i)); i++)
                draw_cause(course, mark, marked, all);
        return 0;
}

/* ---- the axis of processes */

/* Each process has its number at its beginning, or every second, or every fifth. */
static void draw_processes(Course *course) {
        static const size_t everies[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 };
        const double each = (double)course->n_places / (double)course->samples->n_processes;
        size_t every = everies[N_ELEMENTS(everies) - 1];
        char text[32];

        for (size_t i = N_ELEMENTS(everies); i-- > 0;)
                if (each * (double)everies[i] >= COURSE_LABEL_GAP)
                        every = everies[i];
        canvas_write(course->canvas, 2, course->y, GRID_PLAIN, "process");
        canvas_put(course->canvas, PLOT_LABELS, course->y, GRID_DIM, "└");
        for (size_t i = 0; i < course->n_places; i++)
                canvas_put(course->canvas, first_place + (long)i, course->y, GRID_DIM, "─");
        for (size_t i = 0; i < course->samples->n_processes; i++) {
                const long x = first_place + (long)ceil((double)i * each);

                if (i != 0 && (i + 1) % every != 0)
                        continue;
                snprintf(text, sizeof text, "%zu", i + 1);
                canvas_put(course->canvas, x, course->y, GRID_DIM, "┬");
                if (x + (long)strlen(text) <= first_place + (long)course->n_places)
                        canvas_write(course->canvas, x, course->y + 1, GRID_DIM, text);
        }
        course->y += 2;
}

int plot_course(const PlotSamples *samples, const Axis *axis, const View *view, FILE *out) {
        const size_t n_places = plot_places(view);
        _cleanup_(freep) Spot *spots = calloc(n_places * COURSE_LINES, sizeof *spots);
        _cleanup_(canvas_freep) Canvas *canvas = NULL;
        Course course = { .samples = samples, .times = axis, .n_places = n_places, .spots = spots };
        size_t n_causes = 0;
        const Mark *mark;
        int r;

        if (!spots)
                return error_origin(-ENOMEM);
        for (size_t i = 0; (mark = mark_at(i)); i++)
                for (size_t j = 0; j < samples->n; j++)
                        if (samples->samples[j].marks & mark->bit) {
                                n_causes++;
                                break;
                        }
        r = canvas_new(plot_width(view), COURSE_LINES + n_causes + 2, &canvas);
        if (r)
                return error_trace(r);
        course.canvas = canvas;
        draw_spots(&course);
        draw_times(&course);
        r = draw_causes(&course);
        if (r)
                return error_trace(r);
        draw_processes(&course);
        canvas_print(canvas, view, out);
        return 0;
}
