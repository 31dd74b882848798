/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * disasm: the machine code of a benchmark, its timed loop marked, its source between. With --static-limit also the fewest cycles that an
 * iteration of the loop can take, and the cycles of a quick run at the same time: an earlier job's may come from another machine or load.
 */

#include <jansson.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/source-text.h"
#include "ctl/ask/static-limit.h"
#include "ctl/ask/subject.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_options *, benchd_options_free)

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_USAGE;
}

/* ---- the document */

/* Gives each source the lines that @function comes from, by number, without their indentation. */
static void add_lines(json_t *sources, const json_t *function) {
        const json_t *instructions = json_at(function, "instructions");
        const json_t *instruction;

        json_each(i, instruction, instructions) {
                json_t *source, *lines;
                double index, line;
                char key[32];

                if (!json_number_at(instruction, "source", &index) || !json_number_at(instruction, "line", &line))
                        continue;
                source = json_array_get(sources, (size_t)index);
                lines = json_object_get(source, "lines");
                snprintf(key, sizeof key, "%.0f", line);
                if (lines && !json_object_get(lines, key)) {
                        _cleanup_(freep) char *text = source_text_line(source, (uint64_t)line);

                        if (text)
                                json_object_set_new(lines, key, json_string(text + strspn(text, " \t")));
                }
        }
}

/* One benchmark, and of each source the lines that are shown in place of its text. NULL: memory ran out. */
static json_t *code_document(const json_t *inspection) {
        json_t *functions = (json_t *)json_at(inspection, "functions"),
               *sources = (json_t *)json_at(inspection, "sources"), *source, *function;

        json_each(i, source, sources)
                json_object_set_new(source, "lines", json_object());
        json_each(i, function, functions)
                add_lines(sources, function);
        json_each(i, source, sources) {
                json_object_del(source, "text");
                json_object_del(source, "first_line");
                json_object_del(source, "outside");
        }
        return json_pack("{s:O?, s:O?, s:O?, s:O?, s:O?, s:n}", "module", json_at(inspection, "module"), "benchmark",
                        json_array_get(result_rows(inspection), 0), "functions", functions, "sources", sources, "cuts",
                        json_at(inspection, "cuts"), "limit");
}

static void complain_changed(const Subject *subject, const json_t *sources) {
        const json_t *source;

        json_each(i, source, sources) {
                if (json_flag_at(source, "changed"))
                        complain("%s is newer than %s: its lines may have changed since it was compiled.",
                                        json_text_or(source, "path", "A source"),
                                        subject->path ? subject->module_name : "the job");
        }
}

/* Says which file was not opened, once: others of its directory are not either. */
static void complain_outside(const Subject *subject, const json_t *sources) {
        const json_t *source;

        json_each(i, source, sources) {
                const char *path = json_text_at(source, "outside");

                if (path && !json_text_at(source, "text")) {
                        subject_complain_outside(subject, path);
                        return;
                }
        }
}

/* ---- the cycles */

/* A row of "measured": the cycles of an iteration, which may be several operations. NULL: memory ran out. */
static json_t *measured_row(const json_t *benchmark) {
        static const char *const figures[] = { "point", "low", "high" };
        static const char *const names[] = { "cycles", "low", "high" };
        json_t *row = json_pack("{s:O?, s:O?, s:O?, s:n, s:n, s:n}", "args", json_at(benchmark, "args"), "threads",
                        json_at(benchmark, "threads"), "source", json_at(benchmark, "cycles.source"), "cycles", "low",
                        "high");
        const double ops = json_number_or(benchmark, "ops_per_iteration", 1);
        double value;

        for (size_t i = 0; row && i < N_ELEMENTS(names); i++)
                if (json_number_at(json_at(benchmark, "cycles"), figures[i], &value))
                        json_object_set_new(row, names[i], json_real(value * ops));
        return row;
}

static int measure_options(const json_t *benchmark, benchd_options **ret_options) {
        _cleanup_(benchd_options_freep) benchd_options *options = NULL;
        _cleanup_(freep) char *filter = NULL;

        if (asprintf(&filter, "%s/%s", json_text_or(benchmark, "area", "*"), json_text_or(benchmark, "name", "*")) <
                                        0 ||
                        benchd_options_new(&options) != 0 || benchd_options_set(options, "quick", NULL) != 0 ||
                        benchd_options_add_filter(options, filter) != 0)
                return out_of_memory();
        *ret_options = take_pointer(options);
        return 0;
}

/* Runs the benchmark quickly, and adds what it took to @limit. */
static int add_measured(const Subject *subject, Connection *connection, const json_t *benchmark, json_t *limit) {
        _cleanup_(benchd_options_freep) benchd_options *options = NULL;
        _cleanup_(json_decrefp) json_t *result = NULL;
        json_t *measured = json_array();
        const json_t *rows;
        uint64_t id;
        int r;

        if (json_object_set_new(limit, "measured", measured) < 0)
                return out_of_memory();
        r = measure_options(benchmark, &options);
        if (r)
                return r;
        r = benchd_client_run(connection->client, subject->module, options, &id);
        if (r)
                return connection_unsent(r);
        r = connection_answer(connection, id, &result);
        if (r)
                return r;
        rows = result_rows(result);
        for (size_t i = 0; i < json_array_size(rows); i++)
                if (json_array_append_new(measured, measured_row(json_array_get(rows, i))) < 0)
                        return out_of_memory();
        return 0;
}

static int add_limit(const Subject *subject, Connection *connection, json_t *code) {
        json_t *limit = static_limit_new(code);

        if (!limit || json_object_set_new(code, "limit", limit) < 0)
                return out_of_memory();
        return add_measured(subject, connection, json_at(code, "benchmark"), limit);
}

static int disasm(const Settings *settings, Connection *connection, Output *output) {
        _cleanup_(json_decrefp) json_t *inspection = NULL, *code = NULL;
        _cleanup_(subject_clear) Subject subject = {};
        int r;

        r = subject_load(settings, &subject);
        if (r == 0)
                r = subject_inspect(&subject, connection, BENCHD_INSPECT_CODE | BENCHD_INSPECT_SOURCE, &inspection);
        if (r)
                return r;
        complain_outside(&subject, json_at(inspection, "sources"));
        code = code_document(inspection);
        if (!code)
                return out_of_memory();
        complain_changed(&subject, json_at(code, "sources"));
        if (settings->static_limit)
                r = add_limit(&subject, connection, code);
        return r ? r : output_print(output, SHOW_CODE, code);
}

int verb_disasm(const Settings *settings) {
        int r;

        r = subject_check(settings);
        return r ? r : connection_use(settings, disasm);
}
