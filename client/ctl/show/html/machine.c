/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The machine of a result: its warnings, which a page has above the numbers; below them, folded, all that must be equal for numbers to be
 * comparable, and the settings that were made for the run.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/machine-facts.h"
#include "ctl/model/platform.h"
#include "ctl/model/view.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/term.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* ---- facts */

static int print_facts(const json_t *result, unsigned uses, FILE *out) {
        const MachineFact *fact;

        fprintf(out, "<dl class=\"attributes%s\">", uses & FACT_IS_LONG ? " wide" : "");
        for (size_t i = 0; (fact = machine_fact_at(i)); i++) {
                _cleanup_(freep) char *text = machine_fact_text(fact, result);

                if (!text)
                        return error_origin(-ENOMEM);
                if (!*text || (fact->uses & (FACT_ON_PAGE | FACT_IS_LONG)) != uses)
                        continue;
                fputs("<div><dt>", out);
                term_print_machine(fact->title, out);
                fputs("</dt><dd>", out);
                markup_text(text, out);
                fputs("</dd></div>", out);
        }
        fputs("</dl>\n", out);
        return 0;
}

/* ---- warnings and settings */

void machine_print_warnings(const json_t *result, FILE *out) {
        _cleanup_(json_decrefp) json_t *sentences = json_array();
        const json_t *warnings = json_at(result, "warnings");

        for (size_t i = 0; i < json_array_size(warnings); i++) {
                _cleanup_(freep) char *text = part_sentence(json_string_value(json_array_get(warnings, i)));

                (void)json_array_append_new(sentences, json_string(text));
        }
        part_print_notices(sentences, out);
}

static bool is_in_force(const char *outcome) {
        return strcmp(outcome, "applied") == 0 || strcmp(outcome, "already") == 0;
}

static void print_control(const json_t *control, FILE *out) {
        const char *outcome = json_text_or(control, "outcome", "unknown");

        fprintf(out, "<tr><th scope=\"row\">");
        markup_text(json_text_at(control, "name"), out);
        fprintf(out, "</th><td class=\"%s\">", is_in_force(outcome) ? "in-force" : "not-in-force");
        markup_text(outcome, out);
        fputs("</td><td>", out);
        markup_text(json_text_at(control, "was"), out);
        fputs("</td><td>", out);
        markup_text(json_text_at(control, "is"), out);
        fputs("</td></tr>", out);
}

static void print_controls(const json_t *result, FILE *out) {
        const json_t *controls = json_at(result, "environment.controls"), *control;
        size_t n_in_force = 0;

        if (json_array_size(controls) == 0)
                return;
        json_each(i, control, controls)
                n_in_force += is_in_force(json_text_or(control, "outcome", ""));
        fprintf(out,
                        "<details><summary>%zu of %zu settings of the machine in force</summary><div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">"
                        "<table class=\"plain\"><thead><tr><th scope=\"col\">setting</th><th scope=\"col\">outcome</th>"
                        "<th scope=\"col\">was</th><th scope=\"col\">is</th></tr></thead><tbody>",
                        n_in_force, json_array_size(controls));
        json_each(i, control, controls)
                print_control(control, out);
        fputs("</tbody></table></div></details>\n", out);
}

static int print_contents(const json_t *result, FILE *out) {
        int r;

        r = print_facts(result, FACT_ON_PAGE, out);
        if (r == 0)
                r = print_facts(result, FACT_ON_PAGE | FACT_IS_LONG, out);
        if (r == 0)
                print_controls(result, out);
        return error_trace(r);
}

/* The line of the summary is the one that a terminal has above its table, without the "# ". */
int machine_print(const json_t *result, FILE *out) {
        _cleanup_(text_stream_clear) TextStream line = {};
        int r;

        platform_print(result, &(View){}, text_stream_open(&line));
        r = text_stream_close(&line);
        if (r)
                return error_trace(r);
        fputs("<section class=\"machine\"><details><summary><h2>Machine</h2> ", out);
        markup_text(line.text + strspn(line.text, "# "), out);
        fputs("</summary>\n", out);
        r = print_contents(result, out);
        fputs("</details></section>\n", out);
        return error_trace(r);
}

int machine_print_of(const json_t *result, const char *title, FILE *out) {
        int r;

        fputs("<section class=\"machine\"><h2>", out);
        markup_text(title, out);
        fputs("</h2>\n", out);
        machine_print_warnings(result, out);
        r = print_contents(result, out);
        fputs("</section>\n", out);
        return error_trace(r);
}

/* ---- two machines */

/* Prints the row of @fact, if it differs as @differing says. */
static int print_pair(const MachineFact *fact, const json_t *const results[static 2], bool differing, FILE *out) {
        _cleanup_(freep) char *first = machine_fact_text(fact, results[0]);
        _cleanup_(freep) char *second = machine_fact_text(fact, results[1]);
        bool differ;

        if (!first || !second)
                return error_origin(-ENOMEM);
        if (!*first && !*second)
                return 0;
        differ = strcmp(first, second) != 0;
        if (differ != differing)
                return 0;
        fprintf(out, "<tr%s><th scope=\"row\">", differ ? " class=\"differs\"" : "");
        term_print_machine(fact->title, out);
        fputs("</th><td>", out);
        markup_text(first, out);
        fputs("</td><td>", out);
        markup_text(second, out);
        fputs("</td></tr>", out);
        return 0;
}

/* The facts that differ, or those that do not. */
static int print_pairs(const json_t *const results[static 2], const char *const titles[static 2], bool differing,
                FILE *out) {
        const MachineFact *fact;
        int r = 0;

        fputs("<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table class=\"plain two\"><thead><tr>"
              "<th scope=\"col\">attribute</th>",
                        out);
        for (size_t i = 0; i < 2; i++) {
                fputs("<th scope=\"col\">", out);
                markup_text(titles[i], out);
                fputs("</th>", out);
        }
        fputs("</tr></thead><tbody>", out);
        for (size_t i = 0; r == 0 && (fact = machine_fact_at(i)); i++)
                r = fact->uses & FACT_ON_PAGE ? print_pair(fact, results, differing, out) : 0;
        fputs("</tbody></table></div>\n", out);
        return error_trace(r);
}

int machine_print_two(const json_t *const results[static 2], const char *const titles[static 2], FILE *out) {
        int r;

        fputs("<section class=\"machine\"><h2>Differences</h2>\n", out);
        r = print_pairs(results, titles, true, out);
        fputs("<details><summary>Equal in both</summary>\n", out);
        if (r == 0)
                r = print_pairs(results, titles, false, out);
        fputs("</details></section>\n", out);
        return error_trace(r);
}
