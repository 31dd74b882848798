/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The default format: for eyes, at 120 to 160 columns. What each kind of report looks like stands in a file of its own.
 */

#include <jansson.h>

#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/show.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef int (*TablePrint)(const json_t *json, bool color, FILE *out);

static const TablePrint prints[] = {
        [SHOW_RESULT] = report_result,
        [SHOW_LISTING] = report_listing,
        [SHOW_STATUS] = report_status,
        [SHOW_HISTORY] = report_history,
        [SHOW_ACCEPTED] = report_accepted,
        [SHOW_CHANGE] = report_change,
        [SHOW_GOVERNOR] = report_governor,
};

int show_table(ShowKind kind, const json_t *json, bool color, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        int r;

        r = printable_json(json, &printable);
        if (r)
                return error_trace(r);
        return error_trace(prints[kind](printable, color, out));
}
