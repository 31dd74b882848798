/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Several machines: the table of what holds over them, with a dot for each machine on one axis of ratios; then the number of each
 * machine, and the machines themselves.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/table.h"
#include "ctl/show/plots/picture.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

#define TICK_GAP  160
#define LABEL_MAX 128

typedef struct FleetPage {
        const json_t *document;
        json_t *rows;
        json_t *names; /* of the machines that have a part in the numbers */
        const Times *times;
        Columns columns;
        Column head; /* of a machine's number */
        Picture picture;
        FILE *out;
} FleetPage;

static void page_clear(FleetPage *page) {
        json_decref(page->rows);
        json_decref(page->names);
        picture_clear(&page->picture);
}

/* ---- the drawing: machines as multiples of the number over them, of a comparison their ratios */

/* The value drawn at 1; 0: nothing can be drawn. */
static double center_of(const json_t *row) {
        const json_t *machines = json_at(row, "machines");
        double sum = 0, point;
        size_t n = 0;

        if (json_at(row, "ratio"))
                return 1;
        if (json_number_at(row, "time_ns.point", &point))
                return fmax(point, 0);
        for (size_t i = 0; i < json_array_size(machines); i++)
                if (json_number_at(json_array_get(machines, i), "point", &point) && point > 0) {
                        sum += log(point);
                        n++;
                }
        return n > 0 ? exp(sum / (double)n) : 0;
}

/* The number at @path of @json as a multiple of @center; NAN where that is none. */
static double multiple_at(const json_t *json, const char *path, double center) {
        return center > 0 ? json_number_or(json, path, NAN) / center : NAN;
}

/* The odd machine's dot is a ring, since not every reader can distinguish colours. */
static void add_dot(FleetPage *page, const json_t *row, size_t index, double center) {
        static const PictureLook usual = { .class = "dot first", .ringed = true };
        static const PictureLook odd = { .class = "dot second", .ringed = true, .hollow = true };
        _cleanup_(json_decrefp) json_t *machine = fleet_machine_row(row, index);
        _cleanup_(freep) char *text = machine ? column_text(&page->head, machine) : NULL;
        char label[LABEL_MAX];

        if (!text)
                return;
        snprintf(label, sizeof label, "%s %s", json_text_or(machine, "name", "?"), text);
        picture_add_dot(&page->picture, json_flag_at(machine, "odd") ? &odd : &usual,
                        multiple_at(json_array_get(json_at(row, "machines"), index), "point", center), ROW_MIDDLE,
                        label);
}

/* The cells, and the table of the machines below, say the same. */
static void add_row(FleetPage *page, const json_t *row) {
        static const PictureLook band = { .class = "band" };
        const double center = center_of(row), margin = json_number_or(row, "margin", 0);
        const char *path = json_at(row, "ratio") ? "ratio" : "time_ns";

        picture_add_row(&page->picture, "", NAN);
        if (margin > 0)
                picture_add_area(&page->picture, &picture_look_margin, false, 1 / (1 + margin), 1 + margin);
        picture_add_rule(&page->picture, &picture_look_one, false, 1, NULL);
        picture_add_reach(&page->picture, &band, multiple_at(json_at(row, path), "low", center),
                        multiple_at(json_at(row, path), "high", center), ROW_MIDDLE, ROW_MIDDLE);
        for (size_t i = 0; i < json_array_size(json_at(row, "machines")); i++)
                add_dot(page, row, i, center);
}

static int page_draw(FleetPage *page) {
        const json_t *row;

        page->picture.x.kind = AXIS_RATIOS;
        json_each(i, row, page->rows)
                add_row(page, row);
        picture_fit(&page->picture, &page->picture.x);
        return error_trace(picture_finish(&page->picture));
}

/* ---- the table */

/* The drawing has the range of the machines already. */
static int choose_columns(FleetPage *page, const View *view) {
        page->head = *columns_head(columns_kind(page->document));
        page->head.times = page->times;
        columns_choose(page->document, view->columns, false, &page->columns);
        columns_tell(&page->columns, page->times);
        if (!view->columns)
                columns_leave_out(&page->columns, cell_machines_range);
        page->columns.columns[0].title = result_compares(page->document) ? "pair" : "benchmark";
        return error_trace(table_leave_out(&page->columns, page->rows));
}

static void print_titles(const FleetPage *page) {
        table_begin("sortable compared", page->out);
        table_print_name_title(page->columns.columns[0].title, page->out);
        table_print_scale(&page->picture, TICK_GAP, page->out);
        for (size_t i = 1; i < page->columns.n; i++)
                table_print_title(&page->columns.columns[i], page->out);
        fputs("</tr></thead>\n", page->out);
}

/* The words in place of a row's numbers. */
static void print_words(const FleetPage *page, const json_t *row) {
        FILE *text;

        fprintf(page->out, "<td class=\"%s\" colspan=\"%zu\">",
                        json_at(row, "failed") ? part_failure_class(row) : "skipped", page->columns.n - 1);
        if (markup_open(page->out, &text) == 0) {
                fleet_print_words(row, page->times, text);
                fclose(text);
        }
        fputs("</td>", page->out);
}

static int print_row(const FleetPage *page, size_t index) {
        const json_t *row = json_array_get(page->rows, index);
        const bool words = json_at(row, "failed") || !json_at(row, "over");
        int r;

        r = table_print_name(&page->columns.columns[0], row, page->out);
        table_print_drawing(&page->picture, index, page->out);
        if (words)
                print_words(page, row);
        else if (r == 0)
                r = table_print_cells(&page->columns, row, page->out);
        fputs("</tr>\n", page->out);
        return error_trace(r);
}

static void print_class_words(const json_t *class, FILE *out) {
        fprintf(out, "%s: ", json_text_or(class, "brand", "unknown processor"));
        fleet_print_names(json_at(class, "machines"), 0, out);
}

static void print_class(const json_t *class, size_t n_columns, FILE *out) {
        fprintf(out, "<tr class=\"area\"><th scope=\"rowgroup\" colspan=\"%zu\"><bdi>", n_columns);
        markup_print(print_class_words, class, out);
        fputs("</bdi></th></tr>\n", out);
}

/* Calls @print for each row, with a group of rows and a heading for each class. */
static int print_rows(const FleetPage *page, size_t n_columns, int (*print)(const FleetPage *page, size_t index)) {
        const json_t *last = NULL;
        int r = 0;

        fputs("<tbody>", page->out);
        for (size_t i = 0; r == 0 && i < json_array_size(page->rows); i++) {
                const json_t *row = json_array_get(page->rows, i), *class = fleet_class_of(page->document, row);

                if (i > 0 && class != last)
                        fputs("</tbody><tbody>", page->out);
                if (class && (i == 0 || class != last))
                        print_class(class, n_columns, page->out);
                last = class;
                r = print(page, i);
        }
        fputs("</tbody>", page->out);
        table_end(page->out);
        return error_trace(r);
}

static int print_table(const FleetPage *page) {
        int r;

        print_titles(page);
        r = print_rows(page, page->columns.n + 1, print_row);
        fputs(result_compares(page->document)
                                        ? "<p class=\"legend wide\">A dot is the ratio, new / old, of one machine, a ring that of a machine that "
                                          "differs from the others; the blue band is the 95 % interval, the grey one the margin within which "
                                          "both sides count as the same. Left of it is faster.</p>\n"
                                        : "<p class=\"legend wide\">A dot is the time of one machine as a multiple of that over all of its class, a "
                                          "ring that of a machine that differs from the others; the band is the 95 % interval.</p>\n",
                        page->out);
        return error_trace(r);
}

/* ---- each machine */

static const char *machine_name(const json_t *machine) {
        return json_text_or(machine, "name", "?");
}

/* The names of all machines that have a part in the numbers; a new reference, or NULL if memory ran out. */
static json_t *measured_names(const json_t *document) {
        const json_t *classes = json_at(document, "fleet.classes");
        _cleanup_(json_decrefp) json_t *names = json_array();

        for (size_t i = 0; names && i < json_array_size(classes); i++) {
                const json_t *of_class = json_at(json_array_get(classes, i), "machines");

                for (size_t k = 0; k < json_array_size(of_class); k++)
                        if (json_is_string(json_array_get(of_class, k)) &&
                                        json_array_append(names, json_array_get(of_class, k)) < 0)
                                return NULL;
        }
        return take_pointer(names);
}

/* The row of the machine called @name beneath @row; a new reference, or NULL if it has none. */
static json_t *find_machine(const json_t *row, const char *name) {
        const json_t *machines = json_at(row, "machines");

        for (size_t i = 0; i < json_array_size(machines); i++)
                if (strcmp(machine_name(json_array_get(machines, i)), name) == 0)
                        return fleet_machine_row(row, i);
        return NULL;
}

static int print_machine_cells(const FleetPage *page, size_t index) {
        const json_t *row = json_array_get(page->rows, index);
        int r;

        r = table_print_name(&page->columns.columns[0], row, page->out);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < json_array_size(page->names); i++) {
                _cleanup_(json_decrefp) json_t *machine =
                                find_machine(row, json_string_value(json_array_get(page->names, i)));
                _cleanup_(freep) char *text = machine ? column_text(&page->head, machine) : strdup("–");

                if (!text)
                        return error_origin(-ENOMEM);
                fprintf(page->out, "<td class=\"number%s\">", json_flag_at(machine, "odd") ? " unresolved" : "");
                markup_format(page->out, json_flag_at(machine, "odd") ? "%s (odd)" : "%s", *text ? text : "–");
                fputs("</td>", page->out);
        }
        fputs("</tr>\n", page->out);
        return 0;
}

static int print_machine_table(const FleetPage *page) {
        const size_t n = json_array_size(page->names);

        fputs("<section><h2>Machine by machine</h2>\n", page->out);
        table_begin("compared", page->out);
        fprintf(page->out, "<th scope=\"col\">%s</th>", page->head.title);
        for (size_t i = 0; i < n; i++) {
                fputs("<th scope=\"col\" class=\"number\"><bdi>", page->out);
                markup_text(json_string_value(json_array_get(page->names, i)), page->out);
                fputs("</bdi></th>", page->out);
        }
        fputs("</tr></thead>\n", page->out);
        return error_trace(print_rows(page, n + 1, print_machine_cells));
}

static int print_machine(const json_t *machine, FILE *out) {
        const json_t *result = json_at(machine, "result");
        int r = 0;

        if (!json_is_object(result))
                return 0;
        fputs("<details><summary>", out);
        markup_format(out, "%s: %s", machine_name(machine), json_text_or(machine, "state", "unknown"));
        fputs("</summary>\n", out);
        r = machine_print_of(result, machine_name(machine), out);
        fputs("</details>\n", out);
        return error_trace(r);
}

typedef struct WarningList {
        const json_t *machines;
        json_t *warnings;
} WarningList;

/* A warning that begins with the name of a machine is left as it is. */
static int take_warning(void *where, const char *sentence) {
        const WarningList *list = where;
        _cleanup_(freep) char *capital = part_sentence(sentence);
        const json_t *machine;
        const char *text = capital;

        if (!capital)
                return error_origin(-ENOMEM);
        json_each(i, machine, list->machines) {
                if (strncmp(sentence, machine_name(machine), strlen(machine_name(machine))) == 0)
                        text = sentence;
        }
        return json_array_append_new(list->warnings, json_string(text)) == 0 ? 0 : error_origin(-ENOMEM);
}

static int print_warnings(const json_t *document, FILE *out) {
        _cleanup_(json_decrefp) json_t *warnings = json_array();
        WarningList list = { json_at(document, "fleet.machines"), warnings };
        int r;

        r = warnings ? report_fleet_each_warning(document, take_warning, &list) : error_origin(-ENOMEM);
        if (r == 0)
                part_print_notices(warnings, out);
        return error_trace(r);
}

int fleet_print(const json_t *document, const View *view, FILE *out) {
        const json_t *machines = json_at(document, "fleet.machines");
        _cleanup_(page_clear) FleetPage page = { .document = document, .times = &view->times, .out = out };
        int r;

        page.names = measured_names(document);
        r = page.names ? fleet_rows(document, view->sort, &page.rows) : error_origin(-ENOMEM);
        if (r == 0)
                r = choose_columns(&page, view);
        if (r == 0)
                r = page_draw(&page);
        if (r)
                return error_trace(r);
        r = print_warnings(document, out);
        fputs("<section><h2>Over the machines</h2>\n", out);
        if (r == 0)
                r = print_table(&page);
        comparison_print_unpaired(fleet_result(document, NULL), out);
        fputs("<ul class=\"findings\">", out);
        if (r == 0)
                r = report_fleet_each_finding(document, &(View){}, part_print_sentence, out);
        fputs("</ul></section>\n", out);
        if (r == 0)
                r = print_machine_table(&page);
        fputs("</section>\n<section><h2>Machines</h2>\n", out);
        for (size_t i = 0; r == 0 && i < json_array_size(machines); i++)
                r = print_machine(json_array_get(machines, i), out);
        fputs("</section>\n", out);
        return error_trace(r);
}
