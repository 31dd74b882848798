/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/benchmark-path.h"

#include <jansson.h>
#include <stdlib.h>

#include "ctl/arguments.h"
#include "ctl/json-path.h"
#include "util/cleanup.h"

bool benchmark_is_same(const json_t *a, const json_t *b) {
        static const char *const members[] = { "area", "name", "args", "threads" };

        for (size_t i = 0; i < N_ELEMENTS(members); i++) {
                const json_t *left = json_at(a, members[i]), *right = json_at(b, members[i]);

                if (left != right && !json_equal(left, right))
                        return false;
        }
        return true;
}

void benchmark_path_print(const json_t *row, FILE *out) {
        const char *area = json_text_at(row, "area"), *name = json_text_at(row, "name"), *key;
        json_t *args = (json_t *)json_at(row, "args"), *value;

        fprintf(out, "%s/%s", area ? area : "", name ? name : "");
        json_object_foreach(args, key, value) {
                fprintf(out, "/%s=", key);
                arguments_print_value(value, out);
        }
}

char *benchmark_path_whole(const json_t *row) {
        _cleanup_(freep) char *text = NULL;
        double threads;
        size_t n;
        FILE *out;

        out = open_memstream(&text, &n);
        if (!out)
                return NULL;
        benchmark_path_print(row, out);
        if (json_number_at(row, "threads", &threads) && threads > 1)
                fprintf(out, "/threads=%.0f", threads);
        return fclose(out) == 0 ? take_pointer(text) : NULL;
}
