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
#include "ctl/model/commit.h"
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
        _cleanup_(freep) char *name = commit_module_words(json_at(result, "module"));
        _cleanup_(freep) char *old = commit_module_words(json_at(result, "old_module"));

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

/* A line for a commit whose subject is known. */
static void print_subject(const char *title, const json_t *commit, FILE *out) {
        const char *subject = json_text_at(commit, "subject");

        if (!subject)
                return;
        fprintf(out, "- %s: ", title);
        commit_print(commit, out);
        fputs(" (", out);
        print_escaped(subject, out);
        fputs(")\n\n", out);
}

/* "1 slower (sorting/quicksort n=1600)"; names are printed if there are few. Returns true if there were any. */
static bool print_count(const json_t *pairs, const ReportOutcome *outcome, const char *separator, FILE *out) {
        const char *mark = outcome->named ? "**" : "";
        size_t n = 0, n_named = 0;
        const json_t *pair;

        json_each(i, pair, pairs) {
                n += report_row_has_verdict(pair, outcome->verdict);
        }
        if (n == 0)
                return false;
        fprintf(out, "%s%s%zu %s%s", separator, mark, n, outcome->words, mark);
        json_each(i, pair, pairs) {
                _cleanup_(freep) char *name = NULL;

                if (!outcome->named || n > NAMED_MOST || !report_row_has_verdict(pair, outcome->verdict))
                        continue;
                name = cell_make(cell_path, NULL, pair, NULL);
                fputs(n_named++ == 0 ? " (" : ", ", out);
                print_escaped(name ? name : "?", out);
        }
        fputs(n_named > 0 ? ")" : "", out);
        return true;
}

/* The number of each verdict of a comparison, the most important first. */
static void print_counts(const json_t *pairs, FILE *out) {
        bool any = false;

        for (size_t i = 0; i < REPORT_OUTCOMES; i++)
                any |= print_count(pairs, &report_outcomes[i], any ? ", " : "", out);
        fputs(any ? ".\n\n" : "", out);
}

/* "**OK**: 3 benchmarks. Job 00112233." */
static int print_verdict(ReportDescribeVerdict describe, const json_t *result, FILE *out) {
        _cleanup_(text_stream_clear) TextStream title = {}, text = {};
        int r, r_title, r_text;

        r = describe(result, text_stream_open(&title), text_stream_open(&text));
        r_title = text_stream_close(&title);
        r_text = text_stream_close(&text);
        if (r || r_title || r_text)
                return error_trace(r ? r : r_title ? r_title : r_text);
        fprintf(out, "**%s**", title.text);
        print_escaped(text.text, out);
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
        ReportDescribeVerdict verdict;
        Report body, head;
        int (*pairs)(const json_t *json, json_t **ret_pairs); /* of a comparison */
} MarkdownParts;

static int pairs_of_result(const json_t *result, json_t **ret_pairs) {
        int r;

        r = rows_of_pairs(result, ret_pairs);
        if (r == 0)
                rows_shorten_names(result, *ret_pairs);
        return error_trace(r);
}

static const MarkdownParts result_parts = {
        print_modules,
        report_describe_reliability,
        report_body,
        report_result_head,
        pairs_of_result,
};

static int print_parts(const MarkdownParts *parts, const json_t *json, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *pairs = NULL;
        int r;

        r = parts->pairs(json, &pairs);
        if (r)
                return error_trace(r);
        fputs("### ", out);
        parts->print_title(json, out);
        fputs("\n\n", out);
        print_counts(pairs, out);
        r = print_verdict(parts->verdict, json, out);
        if (r == 0)
                r = print_report(parts->body, json, view, out);
        fputs("<details><summary>Machine and run</summary>\n\n", out);
        if (r == 0)
                r = print_report(parts->head, json, view, out);
        print_subject(result_compares(json) ? "new commit" : "commit", json_at(json, "module.commit"), out);
        print_subject("old commit", json_at(json, "old_module.commit"), out);
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

static int pairs_of_fleet(const json_t *document, json_t **ret_pairs) {
        *ret_pairs = json_incref((json_t *)result_comparisons(document));
        return 0;
}

static const MarkdownParts fleet_parts = {
        print_fleet_title,
        report_fleet_describe_reliability,
        report_fleet_body,
        report_fleet_head,
        pairs_of_fleet,
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
