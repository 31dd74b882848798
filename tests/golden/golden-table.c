/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Prints the table of the result in the JSON file that is named, with colours if "--color" follows.
 */

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ctl/scale.h"
#include "ctl/show.h"

int main(int argc, char **argv) {
        json_t *result;
        int r;

        if (argc < 2)
                return 2;
        result = json_load_file(argv[1], 0, NULL);
        if (!result)
                return 1;
        r = scale_apply(result, NULL);
        r = r ? r : show_find("table")->print(SHOW_RESULT, result, argc > 2 && strcmp(argv[2], "--color") == 0, stdout);
        json_decref(result);
        return r ? 1 : 0;
}
