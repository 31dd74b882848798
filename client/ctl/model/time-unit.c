/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/time-unit.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define TIME_UNIT_AUTO "auto"

/* Members that hold rows, or what has some: those of a result, of several machines, of a history and of two results. */
static const char *const holders[] = { "benchmarks", "comparisons", "complexity", "empty", "fleet", "machines",
        "result", "results", "runs" };

bool time_unit_is_known(const char *word) {
        return strcmp(word, TIME_UNIT_AUTO) == 0 || unit_find_time(word);
}

static int note(json_t *json, json_t *word) {
        int r = 0;

        for (size_t i = 0; r == 0 && json_is_array(json) && i < json_array_size(json); i++)
                r = note(json_array_get(json, i), word);
        if (r || !json_is_object(json))
                return error_trace(r);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(holders); i++)
                r = note(json_object_get(json, holders[i]), word);
        if (r)
                return error_trace(r);
        return json_object_set(json, TIME_UNIT_KEY, word) < 0 ? error_origin(-ENOMEM) : 0;
}

int time_unit_apply(json_t *json, const char *word) {
        _cleanup_(json_decrefp) json_t *text = NULL;

        if (!word || strcmp(word, TIME_UNIT_AUTO) == 0)
                return 0;
        text = json_string(word);
        return text ? error_trace(note(json, text)) : error_origin(-ENOMEM);
}

const TimeUnit *time_unit_of(const json_t *row) {
        const char *word = json_text_at(row, TIME_UNIT_KEY);

        return word ? unit_find_time(word) : NULL;
}
