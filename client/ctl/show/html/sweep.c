/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A sweep: the times of a benchmark by the size of its argument, with the growth that was fitted.
 */

#include <errno.h>
#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/plots/picture.h"
#include "ctl/show/plots/svg.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

#define HEIGHT 260.0

static int print_drawing(const char *id, const Picture *picture, size_t count, FILE *out) {
        const SvgHeight height = svg_height(&picture->y, NULL, HEIGHT);
        char own[PART_ID_MAX + 8], description[160];
        int r;

        snprintf(own, sizeof own, "%s-n", id);
        snprintf(description, sizeof description,
                        "%zu sizes on logarithmic axes, each a dot with its interval; the line is the fit. The table has the figures.",
                        count);
        svg_begin(own, "sweep", HEIGHT, "Time by size", description, out);
        r = svg_plane(picture, &height, "whole", 0, 99, out);
        svg_end(out);
        return error_trace(r);
}

int sweep_print(const char *id, const json_t *result, size_t index, const View *view, FILE *out) {
        const json_t *fit = report_sweep_ending(result, index);
        _cleanup_(picture_clear) Picture picture = {};
        size_t count;
        FILE *text;
        int r;

        if (!fit || !json_text_at(fit, "arg"))
                return 0;
        count = picture_sweep(result, fit, view->times.unit, &picture);
        r = picture_finish(&picture);
        if (r || count < 2)
                return error_trace(r);
        fprintf(out, "<article class=\"growth\"><h3>Growth of <bdi>");
        markup_format(out, "%s/%s", row_area(fit), row_name(fit));
        fputs("</bdi> with <bdi>", out);
        markup_text(json_text_at(fit, "arg"), out);
        fputs("</bdi></h3><figure>", out);
        r = print_drawing(id, &picture, count, out);
        fputs("<figcaption>", out);
        if (markup_open(out, &text) == 0) {
                report_print_sweep(fit, view->times.unit, text);
                fclose(text);
        }
        fputs("</figcaption></figure></article>\n", out);
        return error_trace(r);
}
