/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A benchmark's source: the file and the line, then the text as it was written.
 */

#include <jansson.h>
#include <string.h>

#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/view.h"

int report_source(const json_t *source, const View *view, FILE *out) {
        const char *path = json_text_at(source, "path"), *file = json_text_at(source, "file");
        const char *origin = json_text_at(source, "origin"), *text = json_text_at(source, "source");
        double first;

        path = origin && strcmp(origin, "file") == 0 && path ? path : file;
        grid_print_styled(GRID_BOLD, view->color, path ? path : "?", out);
        if (json_number_at(source, "first_line", &first))
                fprintf(out, ":%.0f", first);
        fprintf(out, "%s\n%s\n", origin && strcmp(origin, "module") == 0 ? " (kept in the module)" : "",
                        text ? text : "");
        report_warnings(json_at(source, "cuts"), view, out);
        return 0;
}
