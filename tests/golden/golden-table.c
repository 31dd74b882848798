/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Prints the table of the JSON file that is named, of whatever kind: [details|plot] [--width=N] [--color] [--ascii] [--unit=UNIT].
 * With the word "pool", the document that fleet_pool() makes of the machines in that file's.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/fleet/pool.h"
#include "ctl/model/view.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"

/* Only a result has both benchmarks and a verdict. */
static ShowKind kind_of(const json_t *json) {
        static const struct {
                const char *key;
                ShowKind kind;
        } rows[] = {
                { "changes", SHOW_GOVERNOR },
                { "functions", SHOW_CODE },
                { "first_line", SHOW_SOURCE },
                { "entries", SHOW_HISTORY },
                { "uptime_ns", SHOW_STATUS },
                { "fleet", SHOW_FLEET },
                { "verdict", SHOW_RESULT },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (json_object_get(json, rows[i].key))
                        return rows[i].kind;
        return SHOW_LISTING;
}

static View view_of(int argc, char **argv) {
        View view = { .width = VIEW_WIDTH };

        for (int i = 2; i < argc; i++) {
                view.color |= strcmp(argv[i], "--color") == 0;
                view.ascii |= strcmp(argv[i], "--ascii") == 0;
                if (strncmp(argv[i], "--width=", strlen("--width=")) == 0)
                        view.width = atoi(argv[i] + strlen("--width="));
                if (strncmp(argv[i], "--unit=", strlen("--unit=")) == 0)
                        view.times.unit = unit_find_time(argv[i] + strlen("--unit="));
        }
        return view;
}

static int print_pooled(const json_t *told) {
        json_t *fleet = json_object_get(told, "fleet"), *document = NULL;
        const FleetRun run = {
                .run_id = json_text_at(fleet, "run_id"),
                .seed = (uint64_t)json_integer_value(json_object_get(fleet, "seed")),
                .asked = json_array_size(json_object_get(fleet, "machines")),
                .started_at = json_text_at(told, "started_at"),
                .machines = json_object_get(fleet, "machines"),
        };
        int failed;

        if (!run.machines || fleet_pool(&run, &document) != 0)
                return 1;
        failed = json_dumpf(document, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
        json_decref(document);
        return failed ? 1 : 0;
}

/* The name of a format may follow the file's, or "plot" for a result's pictures in place of its table. */
int main(int argc, char **argv) {
        const char *name = argc > 2 && argv[2][0] != '-' ? argv[2] : "table";
        const bool plot = strcmp(name, "plot") == 0, pool = strcmp(name, "pool") == 0;
        const ShowFormat *format = show_find(plot || pool ? "table" : name);
        const View view = view_of(argc, argv);
        json_t *json;
        ShowKind kind;
        int r;

        if (argc < 2 || !format)
                return 2;
        json = json_load_file(argv[1], 0, NULL);
        if (!json)
                return 1;
        if (pool) {
                r = print_pooled(json);
                json_decref(json);
                return r;
        }
        kind = plot ? SHOW_PLOT : kind_of(json);
        if (format->flags & SHOW_DOCUMENT)
                json = json_pack("[o]", json);
        r = show_print(format, kind, json, &view, stdout);
        json_decref(json);
        return r ? 1 : 0;
}
