/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/show.h"

#include <jansson.h>
#include <string.h>

#include "ctl/base/printable.h"
#include "ctl/model/scale.h"
#include "ctl/model/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define SHOW_SUFFIX_MAX 5u /* letters and digits after the dot */

/* Rows of benchmarks, comparisons, times or jobs. */
#define SHOW_TABULAR                                                                                                   \
 (SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_LISTING) | SHOW_BIT(SHOW_HISTORY) | SHOW_BIT(SHOW_TREND) |                     \
                 SHOW_BIT(SHOW_SIDE_BY_SIDE) | SHOW_BIT(SHOW_FLEET))

/* clang-format off */
static const ShowFormat formats[] = {
        { "table", NULL, SHOW_ANY, SHOW_PARTED, show_table, "the default: columns that fit the terminal" },
        { "details", NULL, SHOW_ANY, 0, show_details, "every column and figure, as wide as it comes" },
        { "json", ".json", SHOW_ANY, SHOW_AS_MEASURED | SHOW_ESCAPES, show_json, "every value, by the installed JSON schema" },
        { "mark", NULL, SHOW_BIT(SHOW_RESULT), 0, show_mark, "Sestoft's lines: name, arguments, mean, deviation, count" },
        { "csv", ".csv", SHOW_TABULAR, SHOW_AS_MEASURED | SHOW_DOCUMENT, show_csv, "RFC 4180: a row a benchmark, plain numbers, for spreadsheets" },
        { "markdown", ".md|.markdown", SHOW_TABULAR, SHOW_PARTED, show_markdown, "the table as Markdown, for a comment on a change" },
        { "gnuplot", ".gp|.gnuplot|.plt", SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_TREND), SHOW_AS_MEASURED | SHOW_DOCUMENT, show_gnuplot, "a script with its data, which gnuplot draws" },
        { "svg", ".svg", SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_TREND), SHOW_AS_MEASURED | SHOW_DOCUMENT | SHOW_DRAWN, show_svg, "the same drawn by gnuplot; so are the next three" },
        { "png", ".png", SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_TREND), SHOW_AS_MEASURED | SHOW_DOCUMENT | SHOW_DRAWN, show_png, "a picture in pixels" },
        { "pdf", ".pdf", SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_TREND), SHOW_AS_MEASURED | SHOW_DOCUMENT | SHOW_DRAWN, show_pdf, "a picture for print" },
        { "eps", ".eps|.ps", SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_TREND), SHOW_AS_MEASURED | SHOW_DOCUMENT | SHOW_DRAWN, show_eps, "the same as PostScript" },
        { "gbench", NULL, SHOW_BIT(SHOW_RESULT), SHOW_AS_MEASURED | SHOW_DOCUMENT | SHOW_ESCAPES, show_gbench, "Google Benchmark's JSON, for compare.py and what else reads it" },
        { "go", NULL, SHOW_BIT(SHOW_RESULT), SHOW_AS_MEASURED | SHOW_DOCUMENT | SHOW_ESCAPES, show_go, "Go's benchmark lines, one a process, for benchstat" },
        { "hyperfine", ".hyperfine.json", SHOW_BIT(SHOW_RESULT), SHOW_AS_MEASURED | SHOW_DOCUMENT | SHOW_SAMPLES | SHOW_ESCAPES, show_hyperfine, "hyperfine's JSON with every run, for its scripts" },
        { "bmf", NULL, SHOW_BIT(SHOW_RESULT), SHOW_AS_MEASURED | SHOW_DOCUMENT | SHOW_ESCAPES, show_bmf, "Bencher Metric Format: values with their bounds, by benchmark" },
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

/* The bytes of the longest suffix of @format that ends @file; 0: none. */
static size_t suffix_length(const ShowFormat *format, const char *file) {
        const size_t n_file = strlen(file);
        size_t longest = 0;

        for (const char *own = format->suffixes; own && *own;) {
                const size_t n = strcspn(own, "|");

                if (n <= n_file && n > longest && strncasecmp(own, file + n_file - n, n) == 0)
                        longest = n;
                own += n + (own[n] == '|');
        }
        return longest;
}

static const char *file_of(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

static const char *suffix_of(const char *path) {
        return strrchr(file_of(path), '.');
}

/* The suffix of a temporary file (mktemp(1)) is longer, and that of a version is a number. */
bool show_lacks_suffix(const char *path) {
        static const char *const texts[] = { ".txt", ".text", ".out", ".log" };
        const char *suffix = suffix_of(path);
        const size_t n = suffix ? strspn(suffix + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
                                : 0;

        if (n == 0 || n > SHOW_SUFFIX_MAX || strspn(suffix + 1, "0123456789") == n || suffix[1 + n] ||
                        show_find_suffix(path))
                return false;
        for (size_t i = 0; i < N_ELEMENTS(texts); i++)
                if (strcasecmp(suffix, texts[i]) == 0)
                        return false;
        return true;
}

const ShowFormat *show_find_suffix(const char *path) {
        const ShowFormat *found = NULL;
        size_t longest = 0;

        for (size_t i = 0; i < N_ELEMENTS(formats); i++) {
                const size_t n = suffix_length(&formats[i], file_of(path));

                if (n > longest) {
                        longest = n;
                        found = &formats[i];
                }
        }
        return found;
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

int show_print(const ShowFormat *format, ShowKind kind, const json_t *json, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        View own = *view;
        int r = 0;

        if (!(format->flags & SHOW_ESCAPES))
                r = printable_json(json, &printable);
        json = printable ? printable : json;
        if (r == 0 && show_is_result(kind) && !(format->flags & (SHOW_AS_MEASURED | SHOW_DOCUMENT)))
                r = scale_find(&own.times, json, view->scale);
        return r < 0 ? error_trace(r) : error_trace(format->print(kind, json, &own, out));
}
