/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Prints the document that fleet_pool() makes of the machines in the document of the JSON file that is named.
 */

#include <jansson.h>
#include <stdio.h>

#include "ctl/fleet/pool.h"
#include "ctl/json-path.h"

int main(int argc, char **argv) {
        json_t *told = argc == 2 ? json_load_file(argv[1], 0, NULL) : NULL, *fleet = json_object_get(told, "fleet");
        const FleetRun run = {
                .run_id = json_text_at(fleet, "run_id"),
                .seed = (uint64_t)json_integer_value(json_object_get(fleet, "seed")),
                .asked = json_array_size(json_object_get(fleet, "machines")),
                .started_at = json_text_at(told, "started_at"),
                .machines = json_object_get(fleet, "machines"),
        };
        json_t *document = NULL;
        int failed;

        if (!run.machines || fleet_pool(&run, &document) != 0)
                return 1;
        failed = json_dumpf(document, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
        json_decref(document);
        json_decref(told);
        return failed ? 1 : 0;
}
