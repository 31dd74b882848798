/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/row-filter.h"

#include <jansson.h>
#include <string.h>

#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/glob.h"
#include "util/text-stream.h"

/* A filter without a slash may be an argument of @path, which begins with area and name. */
static bool matches_argument(const char *filter, const char *path) {
        const char *at = strchr(filter, '/') ? NULL : strchr(strchr(path, '/') + 1, '/');

        for (; at; at = strchr(at + 1, '/'))
                if (glob_pattern_matches_leading(filter, at + 1))
                        return true;
        return false;
}

bool row_filter_matches(const char *filter, const json_t *row) {
        _cleanup_(text_stream_clear) TextStream path = {};

        row_print_path(row, text_stream_open(&path));
        return text_stream_close(&path) == 0 &&
               (glob_pattern_matches_leading(filter, path.text) ||
                               glob_pattern_matches_leading(filter, strchr(path.text, '/') + 1) ||
                               matches_argument(filter, path.text));
}

/* All filters are tried even after the decision, since those that match nothing are named. */
static bool is_chosen(const char *const *filters, size_t n, const json_t *row, bool *matched) {
        bool selected = false, excluded = false, any = false;

        for (size_t i = 0; i < n; i++) {
                const bool excludes = *filters[i] == '!', matches = row_filter_matches(filters[i] + excludes, row);

                any |= !excludes;
                matched[i] |= matches;
                if (matches)
                        *(excludes ? &excluded : &selected) = true;
        }
        return !excluded && (selected || !any);
}

size_t row_filter_apply(const char *const *filters, size_t n, json_t *result, bool *matched) {
        static const char *const arrays[] = { "benchmarks", "comparisons" };
        size_t n_left = 0;

        for (size_t k = 0; k < N_ELEMENTS(arrays); k++) {
                json_t *rows = json_object_get(result, arrays[k]);

                for (size_t i = json_array_size(rows); i-- > 0;)
                        if (!is_chosen(filters, n, json_array_get(rows, i), matched))
                                json_array_remove(rows, i);
                n_left += json_array_size(rows);
        }
        return n_left;
}
