/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Prints the table of the result, or of the reply to set-governor, in the JSON file that is named; with colours if "--color"
 * follows.
 */

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ctl/scale.h"
#include "ctl/show.h"

static ShowKind kind_of(const json_t *result) {
        return json_object_get(result, "changes") ? SHOW_GOVERNOR : SHOW_RESULT;
}

int main(int argc, char **argv) {
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
        r = r ? r : show_find("table")->print(kind, result, argc > 2 && strcmp(argv[2], "--color") == 0, stdout);
        json_decref(result);
        return r ? 1 : 0;
}
