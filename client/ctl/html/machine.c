/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The machine of a result: first its warnings, then all that must be equal for numbers to be comparable, then the settings that were
 * made for the run.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/html/markup.h"
#include "ctl/html/part.h"
#include "ctl/instant.h"
#include "ctl/json-path.h"
#include "ctl/machine-words.h"
#include "ctl/platform.h"
#include "ctl/preloaded.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* ---- attributes: a name and the function that prints its value, or nothing */

typedef struct Attribute {
        const char *name;
        void (*print)(const json_t *result, const char *path, FILE *out);
        const char *path;
        bool wide; /* has a line of its own, below the others */
} Attribute;

static void print_text(const json_t *result, const char *path, FILE *out) {
        fputs(json_text_or(result, path, ""), out);
}

static void print_number(const json_t *result, const char *path, FILE *out) {
        double number;

        if (json_is_integer(json_at(result, path)))
                fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(json_at(result, path)));
        else if (json_number_at(result, path, &number))
                fprintf(out, "%.15g", number);
}

static void print_clock(const json_t *result, const char *path, FILE *out) {
        char text[PLATFORM_CLOCK_MAX];

        if (platform_describe_clock(json_at(result, path), text))
                fputs(text, out);
}

static void print_date(const json_t *result, const char *path, FILE *out) {
        const char *iso = json_text_at(result, path);
        char date[INSTANT_TEXT_MAX];

        if (iso && instant_local(iso, "%Y-%m-%d %H:%M:%S %Z", date))
                fputs(date, out);
}

static void print_list(const json_t *result, const char *path, FILE *out) {
        const json_t *item;

        json_each(i, item, json_at(result, path)) {
                fputs(i ? ", " : "", out);
                if (json_is_string(item))
                        fputs(json_string_value(item), out);
                else
                        fprintf(out, "%.15g", json_number_value(item));
        }
}

static void print_load(const json_t *result, const char *path, FILE *out) {
        double load;

        if (json_number_at(result, path, &load))
                fprintf(out, "%.2f", load);
}

static const Attribute attributes[] = {
        { "machine", print_text, "environment.machine.name" },
        { "machine class", print_text, "environment.machine.class" },
        { "processor", print_text, "environment.cpu.brand" },
        { "model", machine_words_model, "environment.cpu" },
        { "processors", machine_words_count, "environment.processors" },
        { "caches", machine_words_caches, "environment.cpu.caches" },
        { "memory", machine_words_memory, "environment.memory_bytes" },
        { "microcode", print_text, "environment.cpu.microcode" },
        { "hypervisor", print_text, "environment.hypervisor" },
        { "system", print_text, "environment.system" },
        { "kernel", print_text, "environment.kernel" },
        { "C library", print_text, "environment.libc" },
        { "clock", print_clock, "environment.tsc" },
        { "governor", print_text, "environment.governor" },
        { "power", print_text, "environment.power_source" },
        { "load", print_load, "environment.load" },
        { "measured on CPU", print_list, "environment.cpus" },
        { "isolation", print_text, "environment.isolation" },
        { "scheduler", print_text, "environment.scheduler" },
        { "module", print_text, "module.name" },
        { "old module", print_text, "old_module.name" },
        { "compiler", print_text, "module.compiler" },
        { "preloaded", preloaded_print, "" },
        { "flags", print_text, "module.flags", true },
        { "SHA-256", print_text, "module.sha256", true },
        { "method", print_text, "method" },
        { "seed", print_number, "seed" },
        { "started", print_date, "started_at" },
        { "job", print_text, "run_id", true },
        { "comparability key", print_text, "comparability_key", true },
};

/* The value's text, which is the caller's; NULL if memory ran out. */
static char *attribute_text(const Attribute *attribute, const json_t *result) {
        _cleanup_(text_stream_clear) TextStream text = {};

        attribute->print(result, attribute->path, text_stream_open(&text));
        return text_stream_take(&text);
}

static int print_attributes(const json_t *result, bool wide, FILE *out) {
        fprintf(out, "<dl class=\"attributes%s\">", wide ? " wide" : "");
        for (size_t i = 0; i < N_ELEMENTS(attributes); i++) {
                _cleanup_(freep) char *text = attribute_text(&attributes[i], result);

                if (!text)
                        return error_origin(-ENOMEM);
                if (!*text || attributes[i].wide != wide)
                        continue;
                fprintf(out, "<div><dt>%s</dt><dd>", attributes[i].name);
                markup_text(text, out);
                fputs("</dd></div>", out);
        }
        fputs("</dl>\n", out);
        return 0;
}

/* ---- warnings and settings */

static void print_warnings(const json_t *result, FILE *out) {
        const json_t *warnings = json_at(result, "warnings");

        if (json_array_size(warnings) == 0) {
                fputs("<p class=\"calm\">No warning about the machine or the run.</p>\n", out);
                return;
        }
        fputs("<ul class=\"warnings\">", out);
        for (size_t i = 0; i < json_array_size(warnings); i++)
                (void)part_print_item(out, json_string_value(json_array_get(warnings, i)));
        fputs("</ul>\n", out);
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

int machine_print(const json_t *result, const char *title, FILE *out) {
        int r;

        fputs("<section class=\"machine\"><h2>", out);
        markup_text(title, out);
        fputs("</h2>\n", out);
        print_warnings(result, out);
        r = print_attributes(result, false, out);
        if (r == 0)
                r = print_attributes(result, true, out);
        if (r == 0)
                print_controls(result, out);
        fputs("</section>\n", out);
        return error_trace(r);
}

/* ---- two machines */

static int print_pair(const Attribute *attribute, const json_t *const results[static 2], FILE *out) {
        _cleanup_(freep) char *first = attribute_text(attribute, results[0]);
        _cleanup_(freep) char *second = attribute_text(attribute, results[1]);
        bool differ;

        if (!first || !second)
                return error_origin(-ENOMEM);
        if (!*first && !*second)
                return 0;
        differ = strcmp(first, second) != 0;
        fprintf(out, "<tr%s><th scope=\"row\">%s</th><td>", differ ? " class=\"differs\"" : "", attribute->name);
        markup_text(first, out);
        fputs("</td><td>", out);
        markup_text(second, out);
        fprintf(out, "</td><td>%s</td></tr>", differ ? "≠" : "");
        return 0;
}

int machine_print_two(const json_t *const results[static 2], const char *const titles[static 2], FILE *out) {
        int r = 0;

        fputs("<section class=\"machine\"><h2>Machines</h2><div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table class=\"plain two\"><thead><tr>"
              "<th scope=\"col\">attribute</th><th scope=\"col\">",
                        out);
        markup_text(titles[0], out);
        fputs("</th><th scope=\"col\">", out);
        markup_text(titles[1], out);
        fputs("</th><th scope=\"col\">differs</th></tr></thead><tbody>", out);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(attributes); i++)
                r = print_pair(&attributes[i], results, out);
        fputs("</tbody></table></div></section>\n", out);
        return error_trace(r);
}
