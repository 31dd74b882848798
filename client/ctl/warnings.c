/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/warnings.h"

#include <jansson.h>

#include "ctl/grid.h"

void warnings_print(const json_t *warnings, bool color, FILE *out) {
        for (size_t i = 0; i < json_array_size(warnings); i++) {
                const char *text = json_string_value(json_array_get(warnings, i));

                grid_print_styled(GRID_CAUTION, color, "warning:", out);
                fprintf(out, " %s\n", text ? text : "?");
        }
}
