/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/html/plot.h"

#include <math.h>

#include "ctl/html/markup.h"

/* ---- axes */

double plot_place(const PlotAxis *axis, double value) {
        const double share = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                                       : (value - axis->low) / (axis->high - axis->low);

        return axis->from + share * (axis->to - axis->from);
}

/* The round step, 1, 2 or 5 times a power of ten, of which @most fit into @length. */
static double round_step(double length, size_t most) {
        const double least = length / (double)most, power = pow(10, floor(log10(least)));
        static const double steps[] = { 1, 2, 5 };

        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
                if (steps[i] * power >= least * (1 - 1e-9))
                        return steps[i] * power;
        return 10 * power;
}

static size_t linear_ticks(const PlotAxis *axis, size_t most, double ret_ticks[static PLOT_TICKS_MAX]) {
        const double step = round_step(axis->high - axis->low, most);
        size_t n = 0;

        for (double k = ceil(axis->low / step - 1e-9); n < PLOT_TICKS_MAX && k * step <= axis->high + 1e-9 * step; k++)
                ret_ticks[n++] = k * step + 0.0; /* no -0 */
        return n;
}

/* Every power of ten of which @every counts, times each of @n_of factors. */
static size_t log_ticks_of(const PlotAxis *axis, int every, const double *of, size_t n_of,
                double ret_ticks[static PLOT_TICKS_MAX]) {
        const int first = (int)floor(log10(axis->low) + 1e-9), last = (int)floor(log10(axis->high) + 1e-9);
        size_t n = 0;

        for (int power = first; power <= last; power++)
                for (size_t i = 0; i < n_of; i++) {
                        const double tick = of[i] * pow(10, power);

                        if (power % every == 0 && n < PLOT_TICKS_MAX && tick >= axis->low * (1 - 1e-9) &&
                                        tick <= axis->high * (1 + 1e-9))
                                ret_ticks[n++] = tick;
                }
        return n;
}

static size_t log_ticks(const PlotAxis *axis, size_t most, double ret_ticks[static PLOT_TICKS_MAX]) {
        static const double ones[] = { 1 }, threes[] = { 1, 2, 5 };
        const double decades = log10(axis->high / axis->low);

        if (decades * 3 <= (double)most) {
                const size_t n = log_ticks_of(axis, 1, threes, 3, ret_ticks);

                return n >= 2 ? n : linear_ticks(axis, most, ret_ticks);
        }
        return log_ticks_of(axis, (int)fmax(1, ceil(decades / (double)most)), ones, 1, ret_ticks);
}

size_t plot_ticks(const PlotAxis *axis, size_t most, double ret_ticks[static PLOT_TICKS_MAX]) {
        if (!(axis->high > axis->low) || !isfinite(axis->high - axis->low) || (axis->log && !(axis->low > 0)))
                return 0;
        return axis->log ? log_ticks(axis, most, ret_ticks) : linear_ticks(axis, most, ret_ticks);
}

void plot_axis_widen(PlotAxis *axis, double share) {
        double by = share * (axis->high - axis->low);

        if (!(by > 0))
                by = axis->low != 0 ? share * fabs(axis->low) : 1;
        axis->low -= by;
        axis->high += by;
}

/* ---- the frame */

void plot_begin(const char *id, const char *class, double height, const char *title, const char *description,
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

void plot_end(FILE *out) {
        fputs("</svg>\n", out);
}

void plot_panel_begin(const char *class, double x, double width, double height, FILE *out) {
        fprintf(out, "<svg class=\"panel %s\" x=\"%g%%\" y=\"0\" width=\"%g%%\" height=\"%g\">", class, x, width,
                        height);
}

void plot_panel_end(FILE *out) {
        fputs("</svg>", out);
}

void plot_field_begin(double height, FILE *out) {
        fprintf(out, "<svg class=\"field\" viewBox=\"0 0 %g %g\" height=\"%g\" preserveAspectRatio=\"none\">",
                        PLOT_WIDTH, height, height);
}

void plot_field_end(FILE *out) {
        fputs("</svg>", out);
}

/* ---- paths */

static void path_begin(PlotPath *path) {
        if (path->n++ == 0)
                fprintf(path->out, "<path class=\"%s\" d=\"M0 0", path->class);
}

/* A minus separates two numbers as well as a space does. */
static void path_step(PlotPath *path, char command, double x, double y) {
        const long to_x = lround(x), to_y = lround(y);

        fprintf(path->out, to_y < path->y ? "%c%ld%ld" : "%c%ld %ld", command, to_x - path->x, to_y - path->y);
        path->x = to_x;
        path->y = to_y;
}

void plot_path_dot(PlotPath *path, double x, double y, double length) {
        path_begin(path);
        path_step(path, 'm', x, y);
        if (length == 0) {
                fputc('z', path->out); /* a path that is closed at once is a dot, where its stroke has round ends */
                return;
        }
        fprintf(path->out, "v%g", length);
        path->y += lround(length);
}

void plot_path_across(PlotPath *path, double y) {
        path_begin(path);
        path_step(path, 'm', 0, y);
        fprintf(path->out, "h%g", PLOT_WIDTH);
        path->x = lround(PLOT_WIDTH);
}

void plot_path_bar(PlotPath *path, double x, double y, double width, double height) {
        path_begin(path);
        path_step(path, 'm', x, y);
        fprintf(path->out, "h%ldv%ldH%ld", lround(width), lround(height), path->x);
        path->y += lround(height);
}

void plot_path_line(PlotPath *path, double x, double y) {
        const char command = path->n == 0 ? 'M' : 'L';

        path_begin(path);
        fprintf(path->out, "%c%.4g %.4g", command, x, y);
}

void plot_path_end(PlotPath *path) {
        if (path->n == 0)
                return;
        fputs("\"", path->out);
        if (path->title) {
                fputs("><title>", path->out);
                markup_text(path->title, path->out);
                fputs("</title></path>", path->out);
        } else
                fputs("/>", path->out);
}
