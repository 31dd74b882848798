/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/baseline-file.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/base/json-path.h"
#include "ctl/model/baseline.h"
#include "ctl/model/result.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/text-stream.h"

#define JSON_DIGITS 15 /* decimal digits that every double keeps in text */
#define PERCENT     100
#define NAMES_MAX   8u /* of rows in a warning */

/* A pipe or a device keeps nothing to compare with. */
static int open_to_save(const char *path, FileDraft *draft) {
        struct stat status;
        int r;

        if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
                complain("Cannot write the baseline %s: it is not a regular file.", path);
                return EXIT_USAGE;
        }
        r = file_draft_open(path, draft);
        return r ? complain_unwritten("the baseline ", path, r) : 0;
}

static int refuse_no_result(const BaselineFile *file) {
        complain("The baseline %s does not hold the result of a run.", file->path);
        complain_hint("--save-baseline=%s writes one; --brief and comparisons cannot be one.", file->path);
        return EXIT_USAGE;
}

/* The document of several machines has the result of each that was not lost, unless it is brief. */
static int refuse_several_machines(const BaselineFile *file) {
        const bool modules = json_is_array(file->results);
        const json_t *document = modules ? json_array_get(file->results, 0) : file->results;
        const json_t *machines = json_at(document, "fleet.machines");
        char quoted[HINT_WORD_MAX];
        size_t i = 0;

        while (i < json_array_size(machines) && !json_is_object(json_at(json_array_get(machines, i), "result")))
                i++;
        complain("The baseline %s holds the results of several machines, not of one.", file->path);
        if (i == json_array_size(machines))
                complain_hint("--save-baseline=%s writes one.", file->path);
        else
                complain_hint("Take out that of one machine: jq '%s.fleet.machines[%zu].result%s' %s >one.json",
                                modules ? "map(" : "", i, modules ? ")" : "", hint_quote(file->path, quoted));
        return EXIT_USAGE;
}

int baseline_file_open(const Settings *settings, BaselineFile *ret_file) {
        BaselineFile file = {
                .path = settings->baseline,
                .save_path = settings->save_baseline,
                .margin = settings->margin ? strtod(settings->margin, NULL) / PERCENT : BASELINE_MARGIN,
        };
        json_error_t error;
        int r = 0;

        if (file.path && access(file.path, R_OK) < 0) {
                complain("Cannot read the baseline %s: %s.", file.path, benchd_error_string(-errno));
                if (errno == ENOENT)
                        complain_hint("--save-baseline=%s writes one.", file.path);
                return EXIT_USAGE;
        }
        file.results = file.path ? json_load_file(file.path, 0, &error) : NULL;
        if (file.path && !file.results) {
                complain("The baseline %s is not JSON: %s (line %d).", file.path, error.text, error.line);
                return EXIT_USAGE;
        }
        if (file.path && !baseline_check(file.results))
                r = refuse_no_result(&file);
        else if (file.path && baseline_is_of_several_machines(file.results))
                r = refuse_several_machines(&file);
        if (r == 0 && file.save_path)
                r = open_to_save(file.save_path, &file.draft);
        if (r) {
                json_decref(file.results);
                return r;
        }
        file.saved = json_array();
        *ret_file = file;
        return 0;
}

void baseline_file_clear(BaselineFile *file) {
        if (file->save_path)
                file_draft_clear(&file->draft);
        json_decref(file->results);
        json_decref(file->saved);
}

/* ---- one result */

static int refuse_conditions(const BaselineFile *file, const json_t *result) {
        const char *remedy = baseline_remedy(file->results, result);
        _cleanup_(json_decrefp) json_t *clauses = NULL;

        complain("The baseline %s was measured under other conditions:", file->path);
        if (baseline_differences(file->results, result, &clauses) == 0)
                for (size_t i = 0; i < json_array_size(clauses); i++)
                        complain_hint("%s", json_string_value(json_array_get(clauses, i)));
        if (remedy && json_array_size(clauses) == 1)
                complain_hint("%s", remedy);
        else
                complain_hint("Save a new one (--save-baseline=%s), or measure both sides in turns: 'benchctl compare "
                              "OLD NEW' needs no baseline.",
                                file->path);
        return EXIT_MACHINE;
}

static int refuse(const BaselineFile *file, const json_t *result, int outcome) {
        if (outcome == BASELINE_E_OTHER)
                return refuse_conditions(file, result);
        if (outcome == BASELINE_E_NONE)
                complain("The baseline %s has no result of this module.", file->path);
        else if (outcome == BASELINE_E_NO_PAIRS)
                complain("The baseline %s has none of these benchmarks, by area, name, arguments and threads.",
                                file->path);
        else
                complain("Cannot compare with the baseline: %s.", benchd_error_string(outcome));
        complain_hint("--save-baseline=%s writes a new one.", file->path);
        return EXIT_USAGE;
}

/* Takes the samples, which no comparison reads, out of the copy @result. */
static void drop_samples(json_t *result) {
        const json_t *row;
        json_t *process;

        result_each_row(i, row, result)
                json_each(k, process, json_at(row, "processes"))
                        if (json_object_get(process, "samples"))
                                (void)json_object_set_new(process, "samples", json_null());
}

static int keep(BaselineFile *file, const json_t *json) {
        json_t *copy = json_deep_copy(json);

        drop_samples(copy);
        if (json_array_append_new(file->saved, copy) == 0)
                return 0;
        complain("Out of memory.");
        return EXIT_MACHINE;
}

int baseline_file_take(BaselineFile *file, json_t *json, json_t **ret_shown) {
        int r = 0;

        *ret_shown = NULL;
        if (file->save_path)
                r = keep(file, json);
        if (r)
                return r;
        if (file->path)
                r = baseline_compare(file->results, json, file->margin, ret_shown);
        if (!file->path || r)
                *ret_shown = json_incref(json);
        return r ? refuse(file, json, r) : 0;
}

/* ---- saving */

/* True if the time of @row is known not to be that of the code alone. */
static bool is_doubtful(const json_t *row) {
        return json_number_at(row, "time_ns.point", &(double){ 0 }) &&
               (row_is_shared(row) || json_flag_at(row, "disturbed.unfit"));
}

/* Prints the names of the doubtful rows of @result after the @n already in @out. Returns the new number. */
static size_t print_doubtful(const json_t *result, size_t n, FILE *out) {
        const json_t *row;

        result_each_row(i, row, result) {
                _cleanup_(freep) char *path = NULL;

                if (!is_doubtful(row))
                        continue;
                if (n++ >= NAMES_MAX)
                        continue;
                path = row_path(row);
                fprintf(out, "%s%s", n > 1 ? ", " : "", path ? path : "?");
        }
        return n;
}

/* A baseline of such rows hides a change, or makes one, until it is saved again. */
static void warn_of_doubtful(const BaselineFile *file) {
        _cleanup_(text_stream_clear) TextStream names = {};
        FILE *out = text_stream_open(&names);
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(file->saved); i++)
                n = print_doubtful(json_array_get(file->saved, i), n, out);
        if (n > NAMES_MAX)
                fprintf(out, " and %zu more", n - NAMES_MAX);
        if (text_stream_close(&names) < 0 || n == 0)
                return;
        complain("The baseline %s has times that are not reliable, or beside a busy neighbour: %s.", file->save_path,
                        names.text);
        complain_hint("A later time is compared only with one of its kind: save these rows again on a quieter machine.");
}

static int write_json(const json_t *json, FileDraft *draft) {
        FILE *out;
        bool failed;
        int r;

        r = file_draft_begin(draft);
        if (r)
                return error_trace(r);
        out = fdopen(draft->fd, "w");
        if (!out)
                return error_origin(-errno);
        (void)fd_take(&draft->fd);
        failed = json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS)) < 0 || fputc('\n', out) < 0;
        if (fclose(out) != 0 || failed)
                return error_origin(errno ? -errno : -EIO);
        return error_trace(file_draft_commit(draft));
}

int baseline_file_save(BaselineFile *file) {
        const json_t *json = json_array_size(file->saved) == 1 ? json_array_get(file->saved, 0) : file->saved;
        int r;

        if (!file->save_path || json_array_size(file->saved) == 0)
                return 0;
        r = write_json(json, &file->draft);
        if (r)
                return complain_unwritten("the baseline ", file->save_path, r);
        warn_of_doubtful(file);
        return 0;
}
