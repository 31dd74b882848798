/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A program of the build: prints the tables of benchctl that also appear in its manual, as JSON, for scripts/fill-template.
 */

#include <jansson.h>
#include <stdio.h>

#include "ctl/app/command-options.h"
#include "ctl/app/verbs.h"
#include "ctl/model/columns.h"

static json_t *verbs(void) {
        json_t *rows = json_array();
        const Verb *verb;

        for (size_t i = 0; (verb = verb_at(i)); i++)
                json_array_append_new(rows, json_pack("{ss ss ss sb}", "name", verb->name, "operands", verb->operands,
                                                            "about", verb->about, "options", verb->traits != 0));
        return rows;
}

/* The options with their own entry in the manual. */
static json_t *options(void) {
        json_t *rows = json_array();
        const CommandOption *option;

        for (size_t i = 0; (option = command_option_at(i)); i++)
                if (option->section)
                        json_array_append_new(rows, json_pack("{ss ss% ss* ss* ss ss}", "name", option->name, "letter",
                                                                    &option->letter, (size_t)(option->letter != 0),
                                                                    "value", option->value, "values", option->values,
                                                                    "section", option->section, "text", option->text));
        return rows;
}

/* The columns of a table that have a name, each with its title. */
static json_t *columns_of(ColumnTableKind kind) {
        const ColumnTable *table = columns_table(kind);
        json_t *rows = json_array();

        for (size_t i = 0; i < table->n; i++) {
                const Column *column = &table->columns[i];

                if (column->name)
                        json_array_append_new(rows, json_pack("{ss ss ss?}", "name", column->name, "title",
                                                                    *column->title ? column->title : column->name,
                                                                    "about", column->about));
        }
        return rows;
}

static json_t *columns(void) {
        return json_pack("{so so so so so so}", "run", columns_of(TABLE_RUN), "comparison",
                        columns_of(TABLE_COMPARISON), "commands", columns_of(TABLE_COMMANDS), "commands compared",
                        columns_of(TABLE_COMMAND_COMPARISON), "machines", columns_of(TABLE_FLEET),
                        "comparison-on-machines", columns_of(TABLE_FLEET_COMPARISON));
}

int main(void) {
        json_t *tables = json_pack("{so so so}", "columns", columns(), "command options", options(), "verbs", verbs());
        const int r = json_dumpf(tables, stdout, JSON_INDENT(1));

        json_decref(tables);
        return r < 0;
}
