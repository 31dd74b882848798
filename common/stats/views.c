/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/views.h"

#include <math.h>

static double view_at(const View *view, size_t i) {
        double value = view->first[(ptrdiff_t)i * view->step];

        return view->step > 0 ? value - view->center : view->center - value;
}

/* The place of the first value from @from to @to that is over @value, or, unless @or_equal, not under it. */
static size_t view_count(const View *view, size_t from, size_t to, double value, bool or_equal) {
        while (from < to) {
                size_t middle = from + (to - from) / 2;
                double there = view_at(view, middle);

                if (there < value || (or_equal && there == value))
                        from = middle + 1;
                else
                        to = middle;
        }
        return from;
}

size_t views_count(const Views *views, double value, bool or_equal) {
        size_t n = 0;

        for (size_t i = 0; i < views->n; i++)
                n += view_count(&views->views[i], 0, views->views[i].n, value, or_equal);
        return n;
}

/* A value that is left, with many on either side: the middle of what is left of the longest. */
static double views_pivot(const Views *views) {
        const View *longest = views->views;

        for (const View *view = longest; view < views->views + views->n; view++)
                if (view->to - view->from > longest->to - longest->from)
                        longest = view;
        return view_at(longest, longest->from + (longest->to - longest->from) / 2);
}

/* Leaves the values over @value if @above, else those under it. */
static void views_narrow(Views *views, double value, bool above) {
        for (size_t i = 0; i < views->n; i++) {
                View *view = &views->views[i];

                if (above)
                        view->from = view_count(view, view->from, view->to, value, true);
                else
                        view->to = view_count(view, view->from, view->to, value, false);
        }
}

static size_t views_count_left(const Views *views, double value, bool or_equal) {
        size_t n = 0;

        for (size_t i = 0; i < views->n; i++)
                n += view_count(&views->views[i], views->views[i].from, views->views[i].to, value, or_equal);
        return n;
}

double views_select(Views *views, size_t rank) {
        for (size_t i = 0; i < views->n; i++) {
                views->views[i].from = 0;
                views->views[i].to = views->views[i].n;
        }
        for (;;) {
                double pivot = views_pivot(views);

                if (views_count_left(views, pivot, true) <= rank)
                        views_narrow(views, pivot, true);
                else if (views_count_left(views, pivot, false) > rank)
                        views_narrow(views, pivot, false);
                else
                        return pivot;
        }
}

/* The least value that is over @value, which is not the largest. */
static double views_next(const Views *views, double value) {
        double next = INFINITY;

        for (size_t i = 0; i < views->n; i++) {
                const View *view = &views->views[i];
                size_t at = view_count(view, 0, view->n, value, true);

                if (at < view->n)
                        next = fmin(next, view_at(view, at));
        }
        return next;
}

double views_quantile(Views *views, double p) {
        double place = p * (views->n_values - 1), low, high;
        size_t rank = place;

        low = views_select(views, rank);
        if (place == rank)
                return low;
        high = views_count(views, low, true) > rank + 1 ? low : views_next(views, low);
        return low + (place - rank) * (high - low);
}

/* Each view becomes two: the values before the centre, from the last to the first, and the others. */
void views_center(Views *views, double center) {
        for (size_t i = 0, n = views->n; i < n; i++) {
                View *view = &views->views[i];
                size_t at = view_count(view, 0, view->n, center, false);

                views->views[views->n++] = (View){
                        .first = view->first + at,
                        .step = 1,
                        .center = center,
                        .n = view->n - at,
                };
                *view = (View){
                        .first = at > 0 ? view->first + at - 1 : view->first,
                        .step = -1,
                        .center = center,
                        .n = at,
                };
        }
}
