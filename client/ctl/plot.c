/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/plot.h"

#include <math.h>
#include <string.h>

#include "ctl/typeset.h"
#include "ctl/view.h"
#include "util/cleanup.h"

const PlotClass *plot_class(MarkClass class) {
        static const PlotClass classes[_MARK_CLASS_N] = {
                [MARK_CLASS_QUIET] = { "quiet", "•", GRID_GOOD },
                [MARK_CLASS_SHARED] = { "shared", "○", GRID_CAUTION },
                [MARK_CLASS_DISTURBED] = { "disturbed", "×", GRID_BAD },
        };

        return &classes[class];
}

size_t plot_width(const View *view) {
        const size_t width = view->width > 0 ? view->width : VIEW_WIDTH;

        return width > PLOT_LABELS + 1 + PLOT_PLACES_MIN ? width : PLOT_LABELS + 1 + PLOT_PLACES_MIN;
}

size_t plot_places(const View *view) {
        return plot_width(view) - PLOT_LABELS - 1;
}

/* A text begins at its tick, or ends at the picture's end. */
void plot_draw_axis(Canvas *canvas, long y, size_t width, const Axis *axis, const AxisTicks *ticks) {
        const long first = PLOT_LABELS + 1;

        canvas_put(canvas, PLOT_LABELS, y, GRID_DIM, "└");
        for (size_t i = 0; i < axis->n_places; i++)
                canvas_put(canvas, first + (long)i, y, GRID_DIM, "─");
        for (size_t i = 0; i < ticks->n; i++) {
                const AxisTick *tick = &ticks->ticks[i];
                const long x = first + axis_place(axis, tick->value), n = (long)typeset_width(tick->text);
                const long last = (long)width - n;

                canvas_put(canvas, x, y, GRID_DIM, "┬");
                canvas_write(canvas, x < last ? x : last, y + 1, GRID_DIM, tick->text);
        }
}

void plot_draw_label(Canvas *canvas, long y, const char *word, double count) {
        char text[UNIT_TEXT_MAX];

        canvas_write(canvas, 2, y, GRID_PLAIN, word);
        canvas_write_before(canvas, PLOT_LABELS - 1, y, GRID_DIM, unit_count(count, text));
        canvas_put(canvas, PLOT_LABELS, y, GRID_DIM, "│");
}

const char *plot_bar(double share) {
        static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
        const double level = ceil(share * (N_ELEMENTS(bars) - 1));

        return bars[level > 0 ? (size_t)fmin(level, N_ELEMENTS(bars) - 1) : 0];
}
