/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The jobs of a history, one row each.
 */

#include <jansson.h>
#include <stdio.h>

#include "ctl/html/markup.h"
#include "ctl/html/part.h"
#include "ctl/instant.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

static int print_entry(const json_t *entry, FILE *out) {
        const char *submitted = json_text_at(entry, "submitted_at"), *verdict = json_text_at(entry, "verdict");
        char date[INSTANT_TEXT_MAX] = "", count[UNIT_TEXT_MAX] = "";
        double n = -1;
        FILE *text;
        int r;

        fputs("<tr class=\"row\"><th scope=\"row\">", out);
        markup_text(json_text_at(entry, "run_id"), out);
        if (submitted)
                instant_local(submitted, "%Y-%m-%d %H:%M:%S", date);
        fprintf(out, "</th><td>%s</td><td><bdi>", date);
        markup_text(json_text_at(entry, "module_name"), out);
        fputs("</bdi></td><td class=\"verdict ", out);
        markup_text(verdict, out);
        fputs("\">", out);
        r = markup_open(out, &text);
        if (r)
                return error_trace(r);
        report_print_state(entry, text);
        fclose(text);
        if (json_number_at(entry, "benchmarks", &n))
                unit_count(n, count);
        fprintf(out, "</td><td class=\"number\" data-v=\"%g\">%s</td><td>", n, count);
        r = markup_open(out, &text);
        if (r)
                return error_trace(r);
        report_print_job_notes(entry, text);
        fclose(text);
        fputs("</td></tr>\n", out);
        return 0;
}

int history_print(const json_t *history, FILE *out) {
        static const char *const titles[] = { "job", "submitted", "module", "state", "benchmarks", "note" };
        const json_t *entries = json_at(history, "entries");
        int r = 0;

        if (json_array_size(entries) == 0) {
                fputs("<p>No jobs.</p>\n", out);
                return 0;
        }
        fputs("<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table class=\"sortable jobs\"><thead><tr>",
                        out);
        for (size_t i = 0; i < N_ELEMENTS(titles); i++)
                fprintf(out, "<th scope=\"col\"%s>%s</th>", i == 4 ? " class=\"number\"" : "", titles[i]);
        fputs("</tr></thead><tbody>", out);
        for (size_t i = 0; r == 0 && i < json_array_size(entries); i++)
                r = print_entry(json_array_get(entries, i), out);
        fputs("</tbody></table></div>\n", out);
        return error_trace(r);
}
