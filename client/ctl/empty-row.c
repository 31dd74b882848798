/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/empty-row.h"

#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "ctl/json-path.h"
#include "ctl/result.h"
#include "util/cleanup.h"
#include "util/error.h"

#define EMPTY_NAME   "EMPTY"
#define EMPTY_METHOD "benchd" /* whose rows include the loop; it may be followed by " cold" or " unprimed" */

static bool includes_loop(const json_t *result) {
        const char *method = json_text_at(result, "method");
        const size_t n = strlen(EMPTY_METHOD);

        return method && strncmp(method, EMPTY_METHOD, n) == 0 && (method[n] == '\0' || method[n] == ' ');
}

static bool has_finding(const json_t *benchmark, const char *kind) {
        const json_t *findings = json_at(benchmark, "findings");

        for (size_t i = 0; i < json_array_size(findings); i++) {
                const char *of = json_text_at(json_array_get(findings, i), "kind");

                if (of && strcmp(of, kind) == 0)
                        return true;
        }
        return false;
}

/* True if a row is so short that the reader asks how long the loop itself takes. */
static bool any_is_short(const json_t *benchmarks) {
        const json_t *benchmark;

        json_each(i, benchmark, benchmarks) {
                if (json_flag_at(benchmark, "below_noise_floor") || json_flag_at(benchmark, "within_loop_cost") ||
                                has_finding(benchmark, "dubious"))
                        return true;
        }
        return false;
}

int empty_row(const json_t *result, const View *view, json_t **ret_row) {
        const json_t *empty = json_at(result, "empty");
        _cleanup_(json_decrefp) json_t *row = NULL;

        *ret_row = NULL;
        if (!json_is_object(empty) || !includes_loop(result) ||
                        !(view->details || json_at(result, "scale") || any_is_short(result_rows(result))))
                return 0;
        row = json_copy((json_t *)empty);
        if (!row || json_object_set_new(row, "name", json_string(EMPTY_NAME)) < 0)
                return error_origin(-ENOMEM);
        *ret_row = take_pointer(row);
        return 0;
}
