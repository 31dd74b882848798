/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * source: the text of a benchmark, as its module carries it (BENCH_EMBED_SOURCE) or from the file that it was compiled from, which
 * may have changed since.
 */

#include <jansson.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/source-span.h"
#include "ctl/ask/subject.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

/* ---- what is missing */

static int complain_missing(const Subject *subject, const json_t *benchmark, const json_t *source) {
        const char *name = json_text_at(benchmark, "name"), *path = json_text_at(source, "path"),
                   *file = json_text_at(source, "name"), *outside = json_text_at(source, "outside");

        name = name ? name : "?";
        if (outside) {
                subject_complain_outside(subject, outside);
                complain_hint("Or write BENCH_EMBED_SOURCE; into the source, and the module carries it.");
                return EXIT_BENCHMARK;
        }
        if (path)
                complain("The source of %s is not at hand: %s does not carry it, and %s, which its debug information names, "
                         "cannot be read.",
                                name, subject->module_name, path);
        else
                complain("The source of %s is not at hand: %s does not carry it, and %s; %s is neither beside it nor here.",
                                name, subject->module_name, json_text_or(source, "no_path", "names no file"),
                                file ? file : "its file");
        complain_hint("%s Or write BENCH_EMBED_SOURCE; into it, and the module carries it.",
                        path ? "If it was moved, or its path mapped (-ffile-prefix-map), go to the directory of the file, or name it: --source-dir=DIRECTORY."
                             : "With debug information in the module (-g), the file is found by its path.");
        return EXIT_BENCHMARK;
}

static void complain_changed(const Subject *subject, const json_t *source) {
        if (!json_flag_at(source, "changed"))
                return;
        complain("%s is newer than %s: it may have changed since it was compiled.",
                        json_text_or(source, "path", "The source"), subject->path ? subject->module_name : "the job");
}

/* ---- the document */

/* Lines @span of the text of @source. */
static json_t *text_of_lines(const char *text, const SourceSpan *span) {
        const char *first, *last;
        size_t n;

        first = source_line(text, span->first, &n);
        last = source_line(text, span->last, &n);
        if (!first)
                return json_string("");
        return last ? json_stringn(first, (size_t)(last - first) + n) : json_string(first);
}

/* The lines of the benchmark, of all of the file with @all; what it is in and where. NULL: memory ran out. */
static json_t *source_document(const json_t *inspection, bool all) {
        const json_t *benchmark = json_array_get(result_rows(inspection), 0);
        const json_t *source = json_array_get(json_at(inspection, "sources"), 0);
        const char *text = json_text_at(source, "text");
        SourceSpan span = { .first = 1, .last = source_count_lines(text) };
        const double line = json_number_or(benchmark, "line", 0);
        const double first = json_number_or(source, "first_line", 1);

        if (!all && line >= first)
                (void)source_span_find(text, (size_t)(line - first) + 1, &span);
        return json_pack("{s:O?, s:O?, s:O?, s:O?, s:O?, s:O?, s:O?, s:O?, s:I, s:I, s:o, s:O?}", "module",
                        json_at(inspection, "module"), "area", json_at(benchmark, "area"), "name",
                        json_at(benchmark, "name"), "file", json_at(source, "name"), "path", json_at(source, "path"),
                        "origin", json_at(source, "origin"), "changed", json_at(source, "changed"), "line",
                        json_at(benchmark, "line"), "first_line", (json_int_t)(span.first + first - 1), "last_line",
                        (json_int_t)(span.last + first - 1), "source", text_of_lines(text, &span), "cuts",
                        json_at(inspection, "cuts"));
}

static int source(const Settings *settings, Connection *connection, Output *output) {
        _cleanup_(json_decrefp) json_t *inspection = NULL, *document = NULL;
        _cleanup_(subject_clear) Subject subject = {};
        const json_t *own;
        int r;

        r = subject_load(settings, &subject);
        if (r == 0)
                r = subject_inspect(&subject, connection, BENCHD_INSPECT_SOURCE, &inspection);
        if (r)
                return r;
        own = json_array_get(json_at(inspection, "sources"), 0);
        if (!json_text_at(own, "text"))
                return complain_missing(&subject, json_array_get(result_rows(inspection), 0), own);
        complain_changed(&subject, own);
        document = source_document(inspection, settings->all);
        if (!document) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        return output_print(output, SHOW_SOURCE, document);
}

int verb_source(const Settings *settings) {
        int r;

        r = subject_check(settings);
        return r ? r : connection_use(settings, source);
}
