/* SPDX-License-Identifier: MIT */
#include "lib/benchmark-order.h"

#include <jansson.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/error.h"

static int compare_benchmarks(const void *a, const void *b) {
        json_int_t index_a = json_integer_value(json_object_get(*(json_t *const *)a, "index"));
        json_int_t index_b = json_integer_value(json_object_get(*(json_t *const *)b, "index"));

        return (index_a > index_b) - (index_a < index_b);
}

int benchmark_order(json_t *benchmarks) {
        _cleanup_(freep) json_t **sorted = NULL;
        size_t n = json_array_size(benchmarks);

        sorted = calloc(n + 1, sizeof *sorted);
        if (!sorted)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                sorted[i] = json_incref(json_array_get(benchmarks, i));
        qsort(sorted, n, sizeof *sorted, compare_benchmarks);
        for (size_t i = 0; i < n; i++)
                json_array_set_new(benchmarks, i, sorted[i]);
        return 0;
}
