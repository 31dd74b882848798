/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A program of the build: prints the tables of benchctl that its manual tells too, as JSON. scripts/fill-template makes their lists of it.
 */

#include <jansson.h>
#include <stdio.h>

#include "ctl/verb.h"

static json_t *verbs(void) {
        json_t *rows = json_array();
        const Verb *verb;

        for (size_t i = 0; (verb = verb_at(i)); i++)
                json_array_append_new(rows, json_pack("{ss ss ss sb}", "name", verb->name, "operands", verb->operands,
                                                            "about", verb->about, "options", verb->traits != 0));
        return rows;
}

int main(void) {
        json_t *tables = json_pack("{so}", "verbs", verbs());
        const int r = json_dumpf(tables, stdout, JSON_INDENT(1));

        json_decref(tables);
        return r < 0;
}
