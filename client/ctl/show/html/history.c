/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The jobs of a history, one row each.
 */

#include <jansson.h>
#include <stdio.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/table.h"
#include "util/error.h"

int history_print(const json_t *history, const View *view, FILE *out) {
        const json_t *entries = json_at(history, "entries");
        Columns columns;
        int r;

        if (json_array_size(entries) == 0) {
                fputs("<p>No jobs.</p>\n", out);
                return 0;
        }
        columns_choose_all(TABLE_HISTORY, &columns);
        columns_leave_out(&columns, cell_user);
        r = table_leave_out(&columns, entries);
        return r ? error_trace(r) : error_trace(table_print("sortable jobs", &columns, entries, out));
}
