/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/plots/svg-path.h"

#include <math.h>

#include "ctl/show/html/markup.h"

/* A place on an axis that is too long for a double is none. */
static long whole(double place) {
        return isfinite(place) ? lround(place) : 0;
}

static void path_begin(SvgPath *path) {
        if (path->n++ == 0)
                fprintf(path->out, "<path class=\"%s\" d=\"M0 0", path->class);
}

/* A minus separates two numbers as well as a space does. */
static void path_step(SvgPath *path, char command, double x, double y) {
        const long to_x = whole(x), to_y = whole(y);

        fprintf(path->out, to_y < path->y ? "%c%ld%ld" : "%c%ld %ld", command, to_x - path->x, to_y - path->y);
        path->x = to_x;
        path->y = to_y;
}

/* A path that is closed at once is a dot. */
void svg_path_dot(SvgPath *path, double x, double y, double length) {
        path_begin(path);
        path_step(path, 'm', x, y - length / 2);
        if (length == 0) {
                fputc('z', path->out);
                return;
        }
        fprintf(path->out, "v%g", length);
        path->y += whole(length);
}

void svg_path_stroke(SvgPath *path, double x, double y, double to_x, double to_y) {
        path_begin(path);
        path_step(path, 'm', x, y);
        path_step(path, 'l', to_x, to_y);
}

void svg_path_bar(SvgPath *path, double x, double y, double width, double height) {
        path_begin(path);
        path_step(path, 'm', x, y);
        fprintf(path->out, "h%ldv%ldH%ld", whole(width), whole(height), path->x);
        path->y += whole(height);
}

void svg_path_point(SvgPath *path, double x, double y) {
        const char command = path->n == 0 ? 'M' : 'L';

        path_begin(path);
        fprintf(path->out, "%c%.4g %.4g", command, x, y);
}

void svg_path_end(SvgPath *path) {
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
