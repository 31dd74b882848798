/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A detached job: its id, alone on a line, for scripts. A change of one: nothing, as long as it went well.
 */

#include <jansson.h>

#include "ctl/json-path.h"
#include "ctl/report.h"

int report_accepted(const json_t *accepted, bool color, FILE *out) {
        const char *job = json_text_at(accepted, "run_id");

        fprintf(out, "%s\n", job ? job : "?");
        return 0;
}

int report_change(const json_t *change, bool color, FILE *out) {
        return 0;
}
