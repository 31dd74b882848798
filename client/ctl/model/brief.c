/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/brief.h"

#include <errno.h>
#include <jansson.h>

#include "ctl/model/fleet-row.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef struct BriefField {
        const char *name;
        const struct BriefField *fields; /* of the object, or of each object of the array; NULL: the value as it is */
} BriefField;

/* Each list ends with an empty row. */
static const BriefField interval[] = { { "point" }, { "low" }, { "high" }, {} };
static const BriefField benchmark[] = { { "area" }, { "name" }, { "args" }, { "threads" }, { "side" },
        { "time_ns", interval }, { "cycles", interval }, { "failed" }, {} };
static const BriefField comparison[] = { { "area" }, { "name" }, { "args" }, { "ratio", interval }, { "verdict" }, {} };
static const BriefField result_fields[] = { { "run_id" }, { "started_at" }, { "verdict" }, { "quick" },
        { "comparability_key" }, { "benchmarks", benchmark }, { "comparisons", comparison }, {} };

static json_t *pick(const json_t *json, const BriefField *fields);

/* A new reference; NULL if memory ran out. */
static json_t *pick_value(json_t *value, const BriefField *fields) {
        _cleanup_(json_decrefp) json_t *list = NULL;

        if (!value)
                return json_null();
        if (!fields || !(json_is_object(value) || json_is_array(value)))
                return json_incref(value);
        if (json_is_object(value))
                return pick(value, fields);
        list = json_array();
        for (size_t i = 0; list && i < json_array_size(value); i++)
                if (json_array_append_new(list, pick(json_array_get(value, i), fields)) < 0)
                        return NULL;
        return take_pointer(list);
}

static json_t *pick(const json_t *json, const BriefField *fields) {
        _cleanup_(json_decrefp) json_t *picked = json_object();

        for (; picked && fields->name; fields++)
                if (json_object_set_new(picked, fields->name,
                                    pick_value(json_object_get(json, fields->name), fields->fields)) < 0)
                        return NULL;
        return take_pointer(picked);
}

static const BriefField fleet_machine[] = { { "name" }, { "state" }, { "error" }, {} };
static const BriefField fleet[] = { { "run_id" }, { "asked" }, { "measured" }, { "machines", fleet_machine }, {} };
static const BriefField fleet_benchmark[] = { { "area" }, { "name" }, { "args" }, { "threads" }, { "side" },
        { "machine_class" }, { "over" }, { "time_ns", interval }, { "cycles", interval }, { "failed" }, {} };
static const BriefField fleet_comparison[] = { { "area" }, { "name" }, { "args" }, { "machine_class" }, { "over" },
        { "ratio", interval }, { "verdict" }, {} };
static const BriefField fleet_fields[] = { { "fleet", fleet }, { "started_at" }, { "verdict" },
        { "benchmarks", fleet_benchmark }, { "comparisons", fleet_comparison }, {} };

int brief_make(const json_t *result, json_t **ret_brief) {
        json_t *brief = pick(result, fleet_is(result) ? fleet_fields : result_fields);

        if (!brief)
                return error_origin(-ENOMEM);
        *ret_brief = brief;
        return 0;
}
