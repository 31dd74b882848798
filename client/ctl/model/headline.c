/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/headline.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"

/* The interval @from in the place of the one in @to. */
static int interval_put(json_t *to, const json_t *from) {
        static const char *const members[] = { "point", "low", "high" };

        for (size_t i = 0; i < N_ELEMENTS(members); i++)
                if (json_object_set(to, members[i], json_object_get(from, members[i])) < 0)
                        return error_origin(-ENOMEM);
        return 0;
}

static bool has_point(const json_t *row, const char *path) {
        return json_is_number(json_at(row, path));
}

/* A comparison without any ratio of means, as with a baseline: its columns stay what it is of. */
static bool is_of_medians(const json_t *comparisons) {
        const json_t *comparison;

        json_each(i, comparison, comparisons)
                if (has_point(comparison, "mean_ratio.point"))
                        return false;
        return json_array_size(comparisons) > 0;
}

bool headline_is_known(const char *word) {
        return strcmp(word, "median") == 0 || strcmp(word, "mean") == 0;
}

int headline_apply(json_t *result, const char *word) {
        const json_t *benchmarks = result_rows(result), *comparisons = result_comparisons(result);
        int r = 0;

        if (!word || strcmp(word, "mean") != 0 || is_of_medians(comparisons))
                return 0;
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++) {
                json_t *row = json_array_get(benchmarks, i);

                if (has_point(row, "amortised.point"))
                        r = interval_put(json_object_get(row, "time_ns"), json_object_get(row, "amortised"));
        }
        for (size_t i = 0; r == 0 && i < json_array_size(comparisons); i++) {
                json_t *row = json_array_get(comparisons, i);

                if (!has_point(row, "mean_ratio.point"))
                        continue;
                r = interval_put(json_object_get(row, "ratio"), json_object_get(row, "mean_ratio"));
                if (r == 0 && json_object_set(row, "verdict", json_object_get(row, "mean_verdict")) < 0)
                        r = error_origin(-ENOMEM);
        }
        return error_trace(r);
}
