/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Prints the table of the JSON file that is named, of whatever kind: [details] [--width=N] [--color] [--ascii].
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/scale.h"
#include "ctl/show.h"
#include "ctl/view.h"
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
        }
        return view;
}

/* "details" after the file's name asks for that format. */
int main(int argc, char **argv) {
        const bool details = argc > 2 && strcmp(argv[2], "details") == 0;
        const View view = view_of(argc, argv);
        json_t *result;
        ShowKind kind;
        int r;

        if (argc < 2)
                return 2;
        result = json_load_file(argv[1], 0, NULL);
        if (!result)
                return 1;
        kind = kind_of(result);
        r = kind == SHOW_RESULT ? scale_apply(result, NULL) : 0;
        r = r ? r : show_find(details ? "details" : "table")->print(kind, result, &view, stdout);
        json_decref(result);
        return r ? 1 : 0;
}
