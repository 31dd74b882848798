/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Output formats, one table row each. A format is a pure function of the daemon's JSON.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SHOW_NAMES_MAX 256u
#define SHOW_GNUPLOT   "gnuplot"

typedef struct View View;
typedef struct json_t json_t;

typedef enum ShowKind {
        SHOW_RESULT,
        SHOW_PLOT, /* of a result */
        SHOW_LISTING,
        SHOW_STATUS,
        SHOW_HISTORY,
        SHOW_TREND,        /* times over earlier runs */
        SHOW_ACCEPTED,     /* a detached run */
        SHOW_CHANGE,       /* a job was cancelled or pinned */
        SHOW_GOVERNOR,     /* changes made by set-governor */
        SHOW_SOURCE,       /* of a benchmark */
        SHOW_CODE,         /* its machine code */
        SHOW_SIDE_BY_SIDE, /* two results */
        SHOW_BISECT,       /* the answer of a search for a commit */
        SHOW_FLEET,        /* results of several machines, with the numbers over them */
        _SHOW_KIND_N,
} ShowKind;

#define SHOW_BIT(kind) (1u << (kind))
#define SHOW_ANY       (SHOW_BIT(_SHOW_KIND_N) - 1)

/* Prints @json of @kind for @view. Returns 0 or a negative errno. */
typedef int (*ShowPrint)(ShowKind kind, const json_t *json, const View *view, FILE *out);

/* True of a result, of one machine or of several. */
static inline bool show_is_result(ShowKind kind) {
        return kind == SHOW_RESULT || kind == SHOW_FLEET;
}

typedef enum ShowFlag {
        SHOW_AS_MEASURED = 1u << 0, /* ignores --scale: a program reads it */
        SHOW_DOCUMENT = 1u << 1,    /* printed once, at the end: @json is an array of everything to print */
        SHOW_PARTED = 1u << 2,      /* an empty line separates two answers */
        SHOW_SAMPLES = 1u << 3,     /* needs every sample, so a run asks the daemon for them */
        SHOW_ESCAPES = 1u << 4,     /* escapes control characters itself, so it gets texts unchanged */
        SHOW_DRAWN = 1u << 5,       /* drawn by SHOW_GNUPLOT, a program that may be missing */
} ShowFlag;

typedef struct ShowFormat {
        const char *name;
        const char *suffixes; /* of its files, joined by |; the longest that fits counts; NULL: none */
        unsigned kinds;       /* that it can print, as bits */
        unsigned flags;       /* ShowFlag */
        ShowPrint print;
        const char *help; /* a line, without a full stop */
} ShowFormat;

/* NULL past the last. */
const ShowFormat *show_format_at(size_t index);

/* NULL if there is none of that name. */
const ShowFormat *show_find(const char *name);

/* The format for the suffix of @path; NULL: none. */
const ShowFormat *show_find_suffix(const char *path);

/* True if the suffix of @path looks like a format's but is unknown. Text files (.txt, .out, .log) are tables. */
bool show_lacks_suffix(const char *path);

/* The words for a kind: "a list of benchmarks". */
const char *show_kind_words(ShowKind kind);

/* True if @format prints one of @kinds. */
bool show_has(const ShowFormat *format, unsigned kinds);

/* Writes the names of the formats that print one of @kinds, as an enumeration. Returns @ret_names. */
const char *show_names(unsigned kinds, char ret_names[static SHOW_NAMES_MAX]);

/*
 * Prints @json in @format. All JSON reaches a terminal or a file through this function: it removes control characters from the texts of
 * modules and daemons, unless the format escapes them. For a single result it sets the yardstick in the view; for several, the format finds
 * each yardstick itself. Returns 0 or a negative errno.
 */
int show_print(const ShowFormat *format, ShowKind kind, const json_t *json, const View *view, FILE *out);

/* The formats, for show_print(). */
int show_table(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_details(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_mark(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_csv(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_markdown(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_gnuplot(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_svg(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_png(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_pdf(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_eps(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_gbench(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_hyperfine(ShowKind kind, const json_t *results, const View *view, FILE *out);
int show_go(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_bmf(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_html(ShowKind kind, const json_t *documents, const View *view, FILE *out);
int show_json(ShowKind kind, const json_t *json, const View *view, FILE *out);
