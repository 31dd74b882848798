/* SPDX-License-Identifier: MIT */

/*
 * A program of the build: prints the options of the daemon that it is linked with, as JSON, for its manual page (scripts/fill-template).
 */

#include <jansson.h>

#include "util/program-options.h"

int main(void) {
        json_t *rows = json_array(), *tables = json_object();
        int r;

        for (size_t i = 0; i < program_options.n; i++) {
                const ProgramOption *row = &program_options.rows[i];

                json_array_append_new(rows,
                                json_pack("{ss ss* ss}", "name", row->name, "value", row->value, "text", row->text));
        }
        json_object_set_new(tables, program_options.name, rows);
        r = json_dumpf(tables, stdout, JSON_INDENT(1));
        json_decref(tables);
        return r < 0;
}
