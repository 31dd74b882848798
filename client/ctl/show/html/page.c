/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * --format=html: one file that needs no other, from JSON to text. Its policy (Content-Security-Policy) blocks all loading, and allows only
 * the built-in script and style, by their hashes: a name that became markup in spite of markup.h could do nothing.
 */

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/json-path.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/result.h"
#include "ctl/model/scale.h"
#include "ctl/model/sort.h"
#include "ctl/model/view.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/term.h"
#include "ctl/show/html/title.h"
#include "ctl/show/report.h"
#include "ctl/show/show.h"
#include "html-assets.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* ---- head and foot */

static void print_head(const char *title, FILE *out) {
        fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '" ASSET_REPORT_CSS_HASH
              "'; script-src '" ASSET_REPORT_JS_HASH "'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n"
              "<meta name=\"generator\" content=\"benchctl " BENCHD_VERSION "\">\n<title>",
                        out);
        markup_text(title, out);
        fputs("</title>\n<style>", out);
        fwrite(asset_report_css, 1, sizeof asset_report_css, out);
        fputs("</style>\n</head>\n<body>\n", out);
}

static void print_foot(FILE *out) {
        fputs("</main>\n<footer>Written by benchctl " BENCHD_VERSION ". Times are of one operation.</footer>\n<script>",
                        out);
        fwrite(asset_report_js, 1, sizeof asset_report_js, out);
        fputs("</script>\n</body>\n</html>\n", out);
}

static void print_header(const char *kind, const char *title, FILE *out) {
        fprintf(out, "<header><p class=\"kind\">%s</p><h1><bdi>", kind);
        markup_text(title, out);
        fputs("</bdi></h1>\n", out);
}

/* ---- a result */

static int print_verdict(const json_t *result, ReportDescribeVerdict describe, FILE *out) {
        static const char *const classes[] = {
                [GRID_GOOD] = "good",
                [GRID_CAUTION] = "caution",
                [GRID_BAD] = "bad",
        };
        _cleanup_(text_stream_clear) TextStream title = {}, text = {};
        int r, r_title, r_text;

        r = describe(result, text_stream_open(&title), text_stream_open(&text));
        r_title = text_stream_close(&title);
        r_text = text_stream_close(&text);
        if (r || r_title || r_text)
                return error_trace(r ? r : r_title ? r_title : r_text);
        fprintf(out, "<p class=\"verdict-line\"><span class=\"badge %s\">%s</span> ",
                        classes[report_verdict_style(result)], title.text);
        markup_text(text.text + strspn(text.text, ":, "), out);
        fputs("</p>\n", out);
        return 0;
}

typedef void (*DescribePlan)(const json_t *result, const View *view, FILE *out);

/* None where @describe prints nothing. */
static int print_plan_line(const json_t *result, DescribePlan describe, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        int r;

        describe(result, &(View){}, text_stream_open(&text));
        r = text_stream_close(&text);
        if (r || text.n == 0)
                return error_trace(r);
        fputs("<p class=\"plan\">", out);
        markup_text(text.text, out);
        fputs("</p>\n", out);
        return 0;
}

static int print_plan(const json_t *result, DescribePlan describe, FILE *out) {
        const char *started = json_text_at(result, "started_at");
        char date[INSTANT_TEXT_MAX];
        FILE *text;
        int r;

        fputs("<p class=\"plan\">", out);
        r = markup_open(out, &text);
        if (r)
                return error_trace(r);
        describe(result, &(View){ .details = true }, text);
        if (started && instant_local(started, "%Y-%m-%d %H:%M %Z", date))
                fprintf(text, ", %s", date);
        fclose(text);
        fputs("</p>\n", out);
        if (result_is_of_commands(result))
                r = print_plan_line(result, report_describe_reference, out);
        if (r == 0 && result_is_of_commands(result))
                r = print_plan_line(result, report_describe_starts, out);
        fputs("</header>\n", out);
        return error_trace(r);
}

/* A report of benchctl's that is text, if it prints any. */
static int print_text(const json_t *result, const char *title,
                int (*report)(const json_t *result, const View *view, FILE *out), FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        int r;

        r = report(result, &(View){}, text_stream_open(&text));
        if (r == 0)
                r = text_stream_close(&text);
        if (r || text.n == 0)
                return error_trace(r);
        fprintf(out, "<section><h2>%s</h2><div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><pre>",
                        title);
        markup_text(text.text + strspn(text.text, "\n"), out);
        fputs("</pre></div></section>\n", out);
        return 0;
}

static int print_benchmarks(const char *id, const json_t *result, const View *view, FILE *out) {
        int r;

        fputs("<section><h2>Results</h2>\n", out);
        r = result_table_print(id, result, view, out);
        if (r)
                return error_trace(r);
        fputs("</section>\n", out);
        r = sweeps_print(id, result, view, out);
        if (r)
                return error_trace(r);
        fputs("<section><h2>Benchmarks</h2>\n", out);
        part_print_no_samples(result, out);
        r = benchmarks_print(id, result, view, out);
        fputs("</section>\n", out);
        return error_trace(r);
}

static int print_result(size_t index, const json_t *whole, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *result = NULL;
        _cleanup_(freep) char *title = title_of_result(whole);
        char id[PART_ID_MAX];
        int r;

        r = title ? sort_result(whole, view->sort, &result) : error_origin(-ENOMEM);
        if (r)
                return error_trace(r);
        snprintf(id, sizeof id, "b%zu", index);
        print_header(result_compares(result) ? "Comparison" : "Result", title, out);
        r = print_verdict(result, report_describe_verdict, out);
        if (r == 0)
                r = print_plan(result, report_describe_plan, out);
        if (r == 0)
                machine_print_warnings(result, out);
        if (r == 0)
                r = result_compares(result) ? comparison_print(id, result, view, out)
                                            : print_benchmarks(id, result, view, out);
        if (r == 0)
                r = print_text(result, "Trace", report_trace, out);
        if (r == 0)
                r = print_text(result, "Machine code", report_explain, out);
        return r ? error_trace(r) : error_trace(machine_print(result, out));
}

/* ---- several machines */

/* "mybench.so on 4 machines"; the caller's, or NULL if memory ran out. */
static char *fleet_title(const json_t *document) {
        const size_t n = fleet_count(document, "fleet.measured");
        _cleanup_(freep) char *module = title_of_result(fleet_result(document, NULL));
        char *title;

        return module && asprintf(&title, "%s on %zu machine%s", module, n, n == 1 ? "" : "s") >= 0 ? title : NULL;
}

static int print_fleet(const json_t *document, const View *view, FILE *out) {
        _cleanup_(freep) char *title = fleet_title(document);
        int r;

        if (!title)
                return error_origin(-ENOMEM);
        print_header(result_compares(document) ? "Comparison on several machines" : "Result of several machines", title,
                        out);
        r = print_verdict(document, report_fleet_describe_verdict, out);
        if (r == 0)
                r = print_plan(document, report_fleet_describe_plan, out);
        return r ? error_trace(r) : error_trace(fleet_print(document, view, out));
}

/* ---- the page */

static char *title_of_jobs(const json_t *history) {
        return strdup("Jobs");
}

static int print_other(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        static const struct {
                const char *kind;
                char *(*title)(const json_t *json);
                int (*print)(const json_t *json, const View *view, FILE *out);
        } others[_SHOW_KIND_N] = {
                [SHOW_HISTORY] = { "History", title_of_jobs, history_print },
                [SHOW_TREND] = { "History", title_of_history, trend_print },
                [SHOW_SIDE_BY_SIDE] = { "Side by side", title_of_two, side_by_side_print },
        };
        _cleanup_(freep) char *title = others[kind].title(json);

        if (!title)
                return error_origin(-ENOMEM);
        print_header(others[kind].kind, title, out);
        fputs("</header>\n", out);
        return error_trace(others[kind].print(json, view, out));
}

static int print_document(ShowKind kind, size_t index, const json_t *json, const View *view, FILE *out) {
        View own = *view;
        int r;

        if (!show_is_result(kind))
                return error_trace(print_other(kind, json, view, out));
        r = scale_find(&own.times, json, view->scale);
        if (r < 0)
                return error_trace(r);
        return error_trace(kind == SHOW_FLEET ? print_fleet(json, &own, out) : print_result(index, json, &own, out));
}

/* The glossary is of the words that the documents have. */
static int print_documents(ShowKind kind, const json_t *documents, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream body = {};
        FILE *stream = text_stream_open(&body);
        int r = 0, closed;

        for (size_t i = 0; r == 0 && i < json_array_size(documents); i++)
                r = print_document(kind, i, json_array_get(documents, i), view, stream);
        closed = text_stream_close(&body);
        if (r || closed)
                return error_trace(r ? r : closed);
        fwrite(body.text, 1, body.n, out);
        return error_trace(term_print_glossary(body.text, out));
}

static char *page_name(ShowKind kind, const json_t *first) {
        if (kind == SHOW_FLEET)
                return fleet_title(first);
        return kind == SHOW_RESULT ? title_of_result(first) : strdup(show_kind_words(kind));
}

int show_html(ShowKind kind, const json_t *documents, const View *view, FILE *out) {
        const json_t *first = json_array_get(documents, 0);
        _cleanup_(freep) char *name = page_name(kind, first);
        _cleanup_(freep) char *title = NULL;
        int r;

        if (!name || asprintf(&title, "%s%s · benchd", name, json_array_size(documents) > 1 ? " and others" : "") < 0) {
                title = NULL;
                return error_origin(-ENOMEM);
        }
        print_head(title, out);
        fputs("<a class=\"skip\" href=\"#main\">Skip to the result</a>\n<main id=\"main\">\n", out);
        r = print_documents(kind, documents, view, out);
        print_foot(out);
        return error_trace(r);
}
