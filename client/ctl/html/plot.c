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

void plot_ticks(const PlotAxis *axis, PlotTicks ticks, size_t gap, AxisTicks *ret_ticks) {
        const Axis whole = {
                .low = axis->low,
                .high = axis->high,
                .is_log = axis->log,
                .n_places = (size_t)fabs(axis->to - axis->from) + 1,
                .unit = axis->unit,
        };

        ret_ticks->n = 0;
        if (whole.n_places >= 2 && axis->high > axis->low && isfinite(axis->high - axis->low) &&
                        (!axis->log || axis->low > 0))
                ticks(&whole, gap, ret_ticks);
}

double plot_percent(const PlotAxis *axis, double value) {
        return plot_place(axis, fmin(fmax(value, axis->low), axis->high)) / PLOT_WIDTH * 100;
}

void plot_print_scale(const PlotAxis *axis, PlotTicks ticks, size_t gap, FILE *out) {
        AxisTicks found;

        plot_ticks(axis, ticks, gap, &found);
        fputs("<svg class=\"scale-of-ratios\" width=\"100%\" height=\"16\" aria-hidden=\"true\">", out);
        for (size_t i = 0; i < found.n; i++)
                fprintf(out, "<text class=\"x\" x=\"%.2f%%\" y=\"12\">%s</text>",
                                plot_percent(axis, found.ticks[i].value), found.ticks[i].text);
        fputs("</svg>", out);
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
