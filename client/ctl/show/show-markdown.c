/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The default table as Markdown, for a comment on a change: the outcome first, then the table and its findings, and last, folded, the
 * conditions. Other answers are their tables. UTF-8 whatever the terminal shows, since a web page reads it.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/markdown.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/sort.h"
#include "ctl/model/view.h"
#include "ctl/show/report.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define NAMED_MOST 5u /* rows that the outcome of a comparison names */

/* ---- lines of a report */

typedef int (*Report)(const json_t *json, const View *view, FILE *out);

/* The text of @report. Returns 0 or a negative errno. */
static int report_text(Report report, const json_t *json, const View *view, char **ret_text) {
        _cleanup_(text_stream_clear) TextStream text = {};
        int r;

        r = report(json, view, text_stream_open(&text));
        if (r == 0)
                r = text_stream_close(&text);
        if (r)
                return error_trace(r);
        *ret_text = take_pointer(text.text);
        return 0;
}

static void print_escaped(const char *text, FILE *out) {
        markdown_print(text, strlen(text), out);
}

/* A line of a table is Markdown already; any other is an item, with or without its mark. */
static void print_line(const char *line, FILE *out) {
        const bool marked = strncmp(line, "- ", 2) == 0 || strncmp(line, "# ", 2) == 0;

        if (*line == '|')
                fputs(line, out);
        else {
                fputs("- ", out);
                print_escaped(line + (marked ? 2 : strspn(line, " ")), out);
        }
        fputc('\n', out);
}

/* Prints the lines of @report, with an empty one where a table begins or ends. */
static int print_report(Report report, const json_t *json, const View *view, FILE *out) {
        _cleanup_(freep) char *text = NULL;
        char *line, *rest;
        bool table = false, first = true;
        int r;

        r = report_text(report, json, view, &text);
        if (r)
                return error_trace(r);
        for (rest = text; (line = strsep(&rest, "\n"));) {
                if (!*line)
                        continue;
                if (!first && table != (*line == '|'))
                        fputc('\n', out);
                table = *line == '|';
                first = false;
                print_line(line, out);
        }
        fputs(first ? "" : "\n", out);
        return 0;
}

/* ---- a result */

static void print_commands(const json_t *result, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};

        report_print_commands(result, text_stream_open(&text));
        if (text_stream_close(&text) == 0)
                print_escaped(text.text, out);
}

static void print_modules(const json_t *result, FILE *out) {
        const char *name = json_text_at(result, "module.name"), *old = json_text_at(result, "old_module.name");

        if (result_is_of_commands(result)) {
                print_commands(result, out);
                return;
        }
        print_escaped(name ? name : "module", out);
        if (result_compares(result)) {
                fputs(" against ", out);
                print_escaped(old ? old : "module", out);
        }
}

static bool has_verdict(const json_t *comparison, const char *verdict) {
        const char *own = json_text_at(comparison, "verdict");

        return own ? strcmp(own, verdict) == 0 : !*verdict;
}

/* "1 slower (sorting/quicksort n=1600)"; names are printed if there are few. Returns true if there were any. */
static bool print_count(const json_t *comparisons, const char *verdict, const char *words, bool named,
                const char *separator, FILE *out) {
        size_t n = 0, n_named = 0;

        for (size_t i = 0; i < json_array_size(comparisons); i++)
                n += has_verdict(json_array_get(comparisons, i), verdict);
        if (n == 0)
                return false;
        fprintf(out, "%s%s%zu %s%s", separator, named ? "**" : "", n, words, named ? "**" : "");
        for (size_t i = 0; named && n <= NAMED_MOST && i < json_array_size(comparisons); i++) {
                const json_t *comparison = json_array_get(comparisons, i);
                _cleanup_(text_stream_clear) TextStream text = {};
                FILE *stream;

                if (!has_verdict(comparison, verdict))
                        continue;
                stream = text_stream_open(&text);
                cell_path(NULL, comparison, NULL, NULL, stream);
                if (text_stream_close(&text) < 0)
                        continue;
                fputs(n_named++ == 0 ? " (" : ", ", out);
                print_escaped(text.text, out);
        }
        fputs(n_named > 0 ? ")" : "", out);
        return true;
}

/* The number of each verdict of a comparison, the most important first. */
static int print_counts(const json_t *result, FILE *out) {
        _cleanup_(json_decrefp) json_t *pairs = NULL;
        static const struct {
                const char *verdict;
                const char *words;
                bool named;
        } verdicts[] = {
                { "slower", "slower", true },
                { "faster", "faster", true },
                { "same", "same", false },
                { "unresolved", "unresolved", false },
                { "", "without a ratio", false },
        };
        bool any = false;
        int r;

        r = rows_of_pairs(result, &pairs);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(verdicts); i++)
                any |= print_count(pairs, verdicts[i].verdict, verdicts[i].words, verdicts[i].named, any ? ", " : "",
                                out);
        fputs(any ? ".\n\n" : "", out);
        return error_trace(r);
}

/* "**OK**: 3 benchmarks. Job 00112233." */
static int print_verdict(Report report, const json_t *result, const View *view, FILE *out) {
        _cleanup_(freep) char *text = NULL;
        size_t n;
        int r;

        r = report_text(report, result, view, &text);
        if (r)
                return error_trace(r);
        text[strcspn(text, "\n")] = '\0';
        n = strcspn(text, ":,");
        fprintf(out, "**%.*s**", (int)n, text);
        print_escaped(text + n, out);
        fputs("\n\n", out);
        return 0;
}

/* In one go, so that all items below the table are one list. */
static int report_body(const json_t *result, const View *view, FILE *out) {
        const json_t *warnings = json_at(result, "warnings");
        int r;

        r = report_result_table(result, view, NULL, out);
        if (r == 0)
                r = report_result_findings(result, view, out);
        for (size_t i = 0; r == 0 && i < json_array_size(warnings); i++)
                fprintf(out, "- warning: %s\n", json_string_value(json_array_get(warnings, i)));
        return error_trace(r);
}

/* The parts of a document, in their order; its head is folded at the end. */
typedef struct MarkdownParts {
        void (*print_title)(const json_t *json, FILE *out);
        Report verdict, body, head;
} MarkdownParts;

static const MarkdownParts result_parts = {
        print_modules,
        report_result_verdict,
        report_body,
        report_result_head,
};

static int print_parts(const MarkdownParts *parts, const json_t *json, const View *view, FILE *out) {
        int r;

        fputs("### ", out);
        parts->print_title(json, out);
        fputs("\n\n", out);
        r = print_verdict(parts->verdict, json, view, out);
        if (r == 0)
                r = print_counts(json, out);
        if (r == 0)
                r = print_report(parts->body, json, view, out);
        fputs("<details><summary>Machine and run</summary>\n\n", out);
        if (r == 0)
                r = print_report(parts->head, json, view, out);
        fputs("</details>\n", out);
        return error_trace(r);
}

/* ---- several machines */

static void print_fleet_title(const json_t *document, FILE *out) {
        const size_t n = fleet_count(document, "fleet.measured");

        print_modules(fleet_result(document, NULL), out);
        fprintf(out, " on %zu machine%s", n, n == 1 ? "" : "s");
}

static int report_fleet_body(const json_t *document, const View *view, FILE *out) {
        int r;

        r = report_fleet_table(document, view, out);
        return r ? error_trace(r) : error_trace(report_fleet_findings(document, view, out));
}

static const MarkdownParts fleet_parts = {
        print_fleet_title,
        report_fleet_verdict,
        report_fleet_body,
        report_fleet_head,
};

int show_markdown(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *sorted = NULL;
        const View markdown = { .markdown = true, .columns = view->columns, .sort = view->sort, .times = view->times };
        static const Report reports[_SHOW_KIND_N] = {
                [SHOW_LISTING] = report_listing,
                [SHOW_HISTORY] = report_history,
                [SHOW_TREND] = report_trend,
                [SHOW_SIDE_BY_SIDE] = report_side_by_side,
        };
        int r;

        if (kind == SHOW_FLEET)
                return error_trace(print_parts(&fleet_parts, json, &markdown, out));
        if (kind != SHOW_RESULT)
                return error_trace(print_report(reports[kind], json, &markdown, out));
        r = sort_result(json, view->sort, &sorted);
        return r ? error_trace(r) : error_trace(print_parts(&result_parts, sorted, &markdown, out));
}
