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
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define JSON_DIGITS 15 /* decimal digits that every double keeps in text */

/* ---- the formats */

static const ShowFormat formats[] = {
        { "table", show_table },
        { "details", show_details },
        { "json", show_json },
        { "mark", show_mark },
};

const ShowFormat *show_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(formats); i++)
                if (strcmp(formats[i].name, name) == 0)
                        return &formats[i];
        return NULL;
}

const ShowFormat *show_format_at(size_t index) {
        return index < N_ELEMENTS(formats) ? &formats[index] : NULL;
}

typedef struct FileSuffix {
        const char *suffix;
        const char *format;
} FileSuffix;

/* Files of other names take any format. Formats that do not exist are here so that nobody finds a table in their file. */
static const FileSuffix file_suffixes[] = {
        { ".json", "json" },
        { ".csv", "csv" },
        { ".md", "markdown" },
        { ".html", "html" },
};

const char *show_format_of_file(const char *path) {
        const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

        for (size_t i = 0; dot && i < N_ELEMENTS(file_suffixes); i++)
                if (strcasecmp(file_suffixes[i].suffix, dot) == 0)
                        return file_suffixes[i].format;
        return NULL;
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

static const TablePrint prints[] = {
        [SHOW_RESULT] = report_result,
        [SHOW_LISTING] = report_listing,
        [SHOW_STATUS] = report_status,
        [SHOW_HISTORY] = report_history,
        [SHOW_TREND] = report_trend,
        [SHOW_ACCEPTED] = show_accepted,
        [SHOW_CHANGE] = show_change,
        [SHOW_GOVERNOR] = report_governor,
        [SHOW_SOURCE] = report_source,
        [SHOW_CODE] = report_code,
        [SHOW_SIDE_BY_SIDE] = report_side_by_side,
};

static int print_printable(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        int r;

        r = printable_json(json, &printable);
        if (r)
                return error_trace(r);
        return error_trace(prints[kind](printable, view, out));
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
