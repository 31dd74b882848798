/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The table, and of a result below it how the times spread.
 */

#include <jansson.h>

#include "ctl/printable.h"
#include "ctl/report-spread.h"
#include "ctl/show.h"
#include "util/cleanup.h"
#include "util/error.h"

int show_details(ShowKind kind, const json_t *json, bool color, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        int r;

        r = show_table(kind, json, color, out);
        if (r || kind != SHOW_RESULT)
                return error_trace(r);
        r = printable_json(json, &printable);
        if (r)
                return error_trace(r);
        fputc('\n', out);
        return error_trace(report_spread(printable, color, out));
}
