/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/modes.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stats/quantile.h"

#define STEP_MAX       0.02 /* relative: a wider step between values is no clock's */
#define VALLEY_DENSITY 0.25 /* of that of the middle half beside it */
#define TRIM_SHARE     5    /* one in this many at the far end of a side is left out of its spacings: stragglers */
#define VALLEY_SHARE   20   /* one in this many may lie in a valley */

const ModesRule modes_of_processes = { .n_min = 1 };
const ModesRule modes_of_samples = { .n_min = 3 };

/* ---- from values to points: logs, without ties, no more than can be looked at */

/* How many of @sorted are under @value, or not over it. */
static size_t count_under(const double *sorted, size_t n, double value, bool or_equal) {
        size_t low = 0, high = n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (sorted[middle] < value || (or_equal && sorted[middle] == value))
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static double step_of(const double *sorted, size_t n, double resolution) {
        double step = STEP_MAX * quantile_sorted(sorted, n, 0.5);

        for (size_t i = 1; i < n; i++)
                if (sorted[i] > sorted[i - 1])
                        step = fmin(step, sorted[i] - sorted[i - 1]);
        return fmax(step, resolution);
}

/* The value at @i, moved to its share of the step if others are equal to it. */
static double value_spread(const double *sorted, size_t n, size_t i, double step) {
        size_t first = count_under(sorted, n, sorted[i], false);
        size_t run = count_under(sorted, n, sorted[i], true) - first;

        return fmax(sorted[i] + step * ((i - first + 0.5) / run - 0.5), sorted[i] / 2);
}

static size_t points_fill(const double *sorted, size_t n, double resolution, double *points) {
        double step = step_of(sorted, n, resolution);
        size_t n_points = n < MODES_POINTS_MAX ? n : MODES_POINTS_MAX;

        for (size_t i = 0; i < n_points; i++) {
                size_t rank = (i + 0.5) * n / n_points;

                points[i] = log(value_spread(sorted, n, rank, step));
        }
        return n_points;
}

/* ---- a valley in a part */

typedef struct Part {
        const double *points;
        size_t n;
} Part;

/* Between points[@at] and points[@at + @width]. */
typedef struct Valley {
        size_t at;
        size_t width;
} Valley;

typedef struct Split {
        size_t n_left;  /* points before it; 0: there is none */
        double p_value; /* of one valley, from the larger side */
        double spacing; /* in the valley */
} Split;

/* The fixed part of a search. */
typedef struct Search {
        size_t n_points; /* of the whole */
        size_t n_min;    /* points in a mode */
} Search;

static Part part_left(const Part *part, const Valley *valley) {
        return (Part){ part->points, valley->at + 1 };
}

static Part part_right(const Part *part, const Valley *valley) {
        size_t from = valley->at + valley->width;

        return (Part){ part->points + from, part->n - from };
}

static double valley_spacing(const Part *part, const Valley *valley) {
        return (part->points[valley->at + valley->width] - part->points[valley->at]) / valley->width;
}

/* True if the valley is thin beside @side. */
static bool valley_is_deep(double spacing, const Part *side) {
        double quartiles = quantile_sorted(side->points, side->n, 0.75) - quantile_sorted(side->points, side->n, 0.25);

        return quartiles <= VALLEY_DENSITY * spacing * side->n / 2;
}

/* Sums of normalised spacings up to each point, from the left and from the right. */
typedef struct Spacings {
        double left[MODES_POINTS_MAX];
        double right[MODES_POINTS_MAX];
} Spacings;

static void spacings_fill(const Part *part, Spacings *spacings) {
        size_t n = part->n;

        spacings->left[0] = spacings->right[n - 1] = 0;
        for (size_t i = 1; i < n; i++) {
                spacings->left[i] = spacings->left[i - 1] + (n - i) * (part->points[i] - part->points[i - 1]);
                spacings->right[n - 1 - i] =
                                spacings->right[n - i] + (n - i) * (part->points[n - i] - part->points[n - 1 - i]);
        }
}

/* How often an exponential tail has a valley like this behind @n spacings that come to @sum. */
static double tail_p(double valley_sum, size_t width, double sum, size_t n) {
        if (n == 0)
                return 1;
        if (sum <= 0)
                return valley_sum > 0 ? 0 : 1;
        return gsl_cdf_fdist_Q(valley_sum / width / (sum / n), 2 * width, 2 * n);
}

static double p_from_left(const Spacings *spacings, const Valley *valley) {
        size_t trim = (valley->at + 1) / TRIM_SHARE, end = valley->at + valley->width;
        const double *left = spacings->left;

        if (valley->at <= trim)
                return 1;
        return tail_p(left[end] - left[valley->at], valley->width, left[valley->at] - left[trim], valley->at - trim);
}

static double p_from_right(const Part *part, const Spacings *spacings, const Valley *valley) {
        size_t end = valley->at + valley->width, last = part->n - 1 - (part->n - end) / TRIM_SHARE;
        const double *right = spacings->right;

        if (end >= last)
                return 1;
        return tail_p(right[valley->at] - right[end], valley->width, right[end] - right[last], last - end);
}

static size_t valley_width_max(size_t n_points) {
        return n_points / VALLEY_SHARE > 1 ? n_points / VALLEY_SHARE : 1;
}

static size_t valleys_tried(size_t n_points) {
        size_t n_widths = 0;

        for (size_t width = 1; width <= valley_width_max(n_points); width *= 2)
                n_widths++;
        return n_widths * (n_points - 1);
}

/* The p value of the valley from the larger side; 1 where the smaller side has enough values and denies it. */
static double valley_p(const Part *part, const Spacings *spacings, const Valley *valley) {
        Part left = part_left(part, valley), right = part_right(part, valley);
        double from_left = p_from_left(spacings, valley), from_right = p_from_right(part, spacings, valley);
        double p = left.n >= right.n ? from_left : from_right, other = left.n >= right.n ? from_right : from_left;
        size_t n_other = left.n >= right.n ? right.n : left.n;

        return n_other >= MODES_N_MIN && other * (n_other - 1) > MODES_P_OTHER_MAX ? 1 : p;
}

static bool valley_splits(const Part *part, const Valley *valley, const Search *search) {
        Part left = part_left(part, valley), right = part_right(part, valley);
        double spacing = valley_spacing(part, valley);
        double distance = quantile_sorted(right.points, right.n, 0.5) - quantile_sorted(left.points, left.n, 0.5);

        return fmin(left.n, right.n) >= search->n_min && valley_is_deep(spacing, &left) &&
               valley_is_deep(spacing, &right) && distance >= log1p(MODES_DISTANCE_MIN);
}

/* The clearer of two: the less likely, then the emptier. */
static bool split_is_better(const Split *split, const Split *best) {
        if (best->n_left == 0 || split->p_value != best->p_value)
                return best->n_left == 0 || split->p_value < best->p_value;
        return split->spacing > best->spacing;
}

/* Tries one valley, and keeps it in @best if it splits @part and none before it did so better. */
static void split_try(const Part *part, const Spacings *spacings, const Valley *valley, const Search *search,
                Split *best) {
        double middle = (part->points[valley->at] + part->points[valley->at + valley->width]) / 2;
        Split split = {
                .n_left = count_under(part->points, part->n, middle, true),
                .spacing = valley_spacing(part, valley),
        };

        if (!valley_splits(part, valley, search))
                return;
        split.p_value = valley_p(part, spacings, valley);
        if (split.p_value * valleys_tried(search->n_points) <= MODES_P_MAX && split_is_better(&split, best))
                *best = split;
}

static Split split_find(const Part *part, const Search *search) {
        Spacings spacings;
        Split best = {};

        if (part->n < 2)
                return best;
        spacings_fill(part, &spacings);
        for (size_t width = 1; width <= valley_width_max(search->n_points); width *= 2)
                for (size_t at = 0; at + width < part->n; at++)
                        split_try(part, &spacings, &(Valley){ at, width }, search, &best);
        return best;
}

/* ---- all parts */

/* Splits the part whose valley is the clearest. Returns whether there was one. */
static bool parts_split(Part *parts, size_t *n_parts, const Search *search) {
        Split best = {};
        size_t which = 0;

        for (size_t i = 0; i < *n_parts; i++) {
                Split split = split_find(&parts[i], search);

                if (split.n_left && split_is_better(&split, &best)) {
                        best = split;
                        which = i;
                }
        }
        if (!best.n_left)
                return false;
        memmove(&parts[which + 1], &parts[which], (*n_parts - which) * sizeof *parts);
        parts[which].n = best.n_left;
        parts[which + 1].points += best.n_left;
        parts[which + 1].n -= best.n_left;
        (*n_parts)++;
        return true;
}

int modes_find(const double *sorted, size_t n, const ModesRule *rule, Modes *ret_modes) {
        double points[MODES_POINTS_MAX];
        Part parts[MODES_MAX];
        Search search;
        Modes modes = { .n = 1 };

        if (n == 0)
                return MODES_E_EMPTY;
        if (sorted[0] <= 0)
                return MODES_E_NOT_POSITIVE;
        search.n_points = points_fill(sorted, n, rule->resolution, points);
        search.n_min = fmax(ceil(MODES_WEIGHT_MIN * search.n_points), rule->n_min);
        parts[0] = (Part){ points, search.n_points };
        while (modes.n < MODES_MAX && parts_split(parts, &modes.n, &search))
                ;
        for (size_t i = 0; i < modes.n; i++)
                modes.modes[i] = (Mode){
                        .center = exp(quantile_sorted(parts[i].points, parts[i].n, 0.5)),
                        .weight = (double)parts[i].n / search.n_points,
                };
        *ret_modes = modes;
        return 0;
}
