/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/json-path.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/typeset.h"
#include "ctl/verb.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define JSON_DIGITS 15 /* decimal digits that every double keeps in text */

/* ---- the formats */

/* Rows of benchmarks, comparisons, times or jobs. */
#define SHOW_TABULAR                                                                                                   \
 (SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_LISTING) | SHOW_BIT(SHOW_HISTORY) | SHOW_BIT(SHOW_TREND) |                     \
                 SHOW_BIT(SHOW_SIDE_BY_SIDE) | SHOW_BIT(SHOW_FLEET))

/* clang-format off */
static const ShowFormat formats[] = {
        { "table", NULL, SHOW_ANY, SHOW_PARTED, show_table, "the default: columns that fit the terminal" },
        { "details", NULL, SHOW_ANY, 0, show_details, "every column and figure, as wide as it comes" },
        { "json", ".json", SHOW_ANY, SHOW_AS_MEASURED, show_json, "every value, by the installed JSON schema" },
        { "mark", NULL, SHOW_BIT(SHOW_RESULT), 0, show_mark, "Sestoft's lines: name, arguments, mean, deviation, count" },
        { "csv", ".csv", SHOW_TABULAR, SHOW_AS_MEASURED | SHOW_DOCUMENT, show_csv, "RFC 4180: a row a benchmark, plain numbers, for spreadsheets" },
        { "markdown", ".md|.markdown", SHOW_TABULAR, SHOW_PARTED, show_markdown, "the table as Markdown, for a comment on a change" },
        { "gnuplot", ".gp|.gnuplot|.plt", SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_TREND), SHOW_AS_MEASURED | SHOW_DOCUMENT, show_gnuplot, "a script with its data, which gnuplot draws" },
        { "gbench", NULL, SHOW_BIT(SHOW_RESULT), SHOW_AS_MEASURED | SHOW_DOCUMENT, show_gbench, "Google Benchmark's JSON, for compare.py and what else reads it" },
        { "go", NULL, SHOW_BIT(SHOW_RESULT), SHOW_AS_MEASURED | SHOW_DOCUMENT, show_go, "Go's benchmark lines, one a process, for benchstat" },
        { "bmf", NULL, SHOW_BIT(SHOW_RESULT), SHOW_AS_MEASURED | SHOW_DOCUMENT, show_bmf, "Bencher Metric Format: values with their bounds, by benchmark" },
        { "html", ".html|.htm", SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_HISTORY) | SHOW_BIT(SHOW_TREND) | SHOW_BIT(SHOW_SIDE_BY_SIDE) | SHOW_BIT(SHOW_FLEET),
          SHOW_DOCUMENT | SHOW_SAMPLES, show_html, "one page with drawings, which needs no other file; --open shows it" },
};
/* clang-format on */

const ShowFormat *show_format_at(size_t index) {
        return index < N_ELEMENTS(formats) ? &formats[index] : NULL;
}

const ShowFormat *show_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(formats); i++)
                if (strcmp(formats[i].name, name) == 0)
                        return &formats[i];
        return NULL;
}

static bool format_has_suffix(const ShowFormat *format, const char *suffix) {
        const size_t n_suffix = strlen(suffix);

        for (const char *own = format->suffixes; own && *own;) {
                const size_t n = strcspn(own, "|");

                if (n == n_suffix && strncasecmp(own, suffix, n) == 0)
                        return true;
                own += n + (own[n] == '|');
        }
        return false;
}

const ShowFormat *show_find_suffix(const char *path) {
        const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

        for (size_t i = 0; dot && i < N_ELEMENTS(formats); i++)
                if (format_has_suffix(&formats[i], dot))
                        return &formats[i];
        return NULL;
}

bool show_has(const ShowFormat *format, unsigned kinds) {
        return format->kinds & kinds;
}

const char *show_names(unsigned kinds, char ret_names[static SHOW_NAMES_MAX]) {
        const char *last = NULL;
        size_t n = 0;

        *ret_names = '\0';
        for (size_t i = 0; i < N_ELEMENTS(formats); i++) {
                if (!show_has(&formats[i], kinds))
                        continue;
                if (last)
                        n += (size_t)snprintf(ret_names + n, SHOW_NAMES_MAX - n, "%s%s", n ? ", " : "", last);
                last = formats[i].name;
        }
        snprintf(ret_names + n, SHOW_NAMES_MAX - n, "%s%s", n ? " and " : "", last ? last : "none");
        return ret_names;
}

/* ---- the default: a report for eyes, within their terminal */

/* A detached job's id stands alone on its line, for scripts. */
static int show_accepted(const json_t *accepted, const View *view, FILE *out) {
        const char *job = json_text_at(accepted, "run_id");

        fprintf(out, "%s\n", job ? job : "?");
        return 0;
}

/* A change that went well needs no words. */
static int show_change(const json_t *change, const View *view, FILE *out) {
        return 0;
}

typedef int (*TablePrint)(const json_t *json, const View *view, FILE *out);

static const struct {
        TablePrint print;
        unsigned verbs; /* that print the kind */
        const char *words;
} kinds[_SHOW_KIND_N] = {
        [SHOW_RESULT] = { report_result, VERB_RESULT | VERB_COMPARE, "a result" },
        [SHOW_PLOT] = { report_plot, 0, "the pictures of a result" },
        [SHOW_LISTING] = { report_listing, VERB_LIST, "a list of benchmarks" },
        [SHOW_STATUS] = { report_status, VERB_STATUS, "the state of the daemon" },
        [SHOW_HISTORY] = { report_history, VERB_HISTORY, "a list of jobs" },
        [SHOW_TREND] = { report_trend, VERB_HISTORY, "a history of times" },
        [SHOW_ACCEPTED] = { show_accepted, VERB_MEASURE, "the id of a detached job" },
        [SHOW_CHANGE] = { show_change, VERB_CANCEL | VERB_PIN, "a change of a job" },
        [SHOW_GOVERNOR] = { report_governor, VERB_GOVERNOR, "a change of governors" },
        [SHOW_SOURCE] = { report_source, VERB_SOURCE, "source code" },
        [SHOW_CODE] = { report_code, VERB_DISASM, "machine code" },
        [SHOW_SIDE_BY_SIDE] = { report_side_by_side, VERB_SHOW, "a view of two results" },
        [SHOW_FLEET] = { report_fleet, VERB_RUN | VERB_COMPARE | VERB_SHOW, "a result of several machines" },
};

unsigned show_kinds_of(unsigned verb) {
        unsigned bits = 0;

        for (ShowKind kind = 0; kind < _SHOW_KIND_N; kind++)
                if (kinds[kind].verbs & verb)
                        bits |= SHOW_BIT(kind);
        return bits;
}

const char *show_kind_words(ShowKind kind) {
        return kinds[kind].words;
}

static int print_printable(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        int r;

        r = printable_json(json, &printable);
        if (r)
                return error_trace(r);
        return error_trace(kinds[kind].print(printable, view, out));
}

static int print_ascii(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;
        int r;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        r = print_printable(kind, json, view, stream);
        if (fclose(stream) != 0 && r == 0)
                r = error_origin(-errno);
        if (r)
                return error_trace(r);
        typeset_to_ascii(text);
        fputs(text, out);
        return 0;
}

int show_table(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        return error_trace(view->ascii ? print_ascii(kind, json, view, out) : print_printable(kind, json, view, out));
}

/* ---- everything, as wide as it comes */

int show_details(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        View detailed = *view;

        detailed.details = true;
        detailed.width = 0;
        return error_trace(show_table(kind, json, &detailed, out));
}

/* ---- JSON as the library made it, in two-space steps */

int show_json(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        errno = 0; /* jansson leaves that of a write as it is, and sets none of its own */
        if (json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS)) < 0)
                return error_origin(errno ? -errno : -EIO);
        fputc('\n', out);
        return 0;
}
