/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/output.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/terminal.h"
#include "ctl/base/unit.h"
#include "ctl/model/brief.h"
#include "ctl/model/headline.h"
#include "ctl/model/scale.h"
#include "ctl/model/settings.h"
#include "ctl/show/browser.h"
#include "ctl/show/raw.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

/* A reader that closes early, as head does, is not an error. */
static int output_failed(const Output *output, int error) {
        if (error == EPIPE && !output->path)
                return EXIT_DONE;
        if (error == EBADF && !output->path)
                complain("Cannot write the result: standard output is closed.");
        else
                complain("Cannot write %s: %s.", output->path ? output->path : "the result",
                                benchd_error_string(-error));
        return EXIT_USAGE;
}

static bool wants_color(const Settings *settings, bool terminal) {
        const char *no_color = getenv("NO_COLOR"), *name = getenv("TERM");

        return terminal && !settings->no_color && !(no_color && *no_color) && !(name && strcmp(name, "dumb") == 0);
}

static View view_of(const Settings *settings) {
        const bool terminal = !settings->output && isatty(STDOUT_FILENO);

        return (View){
                .width = terminal ? terminal_columns(STDOUT_FILENO) : 0,
                .color = wants_color(settings, terminal),
                .ascii = terminal_is_ascii(),
                .elsewhere = settings->host && !settings->several_hosts,
                .columns = settings->columns,
                .sort = settings->sort,
                .times.unit = settings->unit ? unit_find_time(settings->unit) : NULL,
                .scale = settings->scale,
        };
}

/* Drops what was begun and not written. */
static void output_clear(Output *output) {
        file_draft_clear(&output->draft);
        for (size_t i = 0; i < _EXEC_EXPORTS_N; i++)
                file_draft_clear(&output->exported[i]);
}

int output_open(const Settings *settings, Output *ret_output) {
        Output output = {
                .path = settings->output,
                .draft = FILE_DRAFT_NONE,
                .raw = RAW_FILE_NONE,
                .format = show_find(settings->format),
                .headline = settings->headline,
                .brief = settings->brief,
                .plot = settings->plot,
                .view = view_of(settings),
                .opens = settings->open,
                .exports = settings->exec.exports,
        };
        const char *fails = output.path;
        int r = 0;

        for (size_t i = 0; i < _EXEC_EXPORTS_N; i++)
                output.exported[i] = FILE_DRAFT_NONE;
        if (output.opens && !output.path) {
                r = browser_make_page(&output.page);
                if (r)
                        return r;
                fails = output.path = output.page;
        }
        if (output.path)
                r = file_draft_open(output.path, &output.draft);
        else
                output.file = stdout;
        if (r == 0 && settings->raw) {
                fails = settings->raw;
                r = raw_file_open(settings->raw, &output.raw);
        }
        for (size_t i = 0; r == 0 && i < _EXEC_EXPORTS_N; i++)
                if (output.exports[i]) {
                        fails = output.exports[i];
                        r = file_draft_open(fails, &output.exported[i]);
                }
        if (r) {
                complain_unwritten("", fails, r);
                (void)raw_file_close(&output.raw);
                output_clear(&output);
                free(output.page);
                return EXIT_USAGE;
        }
        *ret_output = output;
        return 0;
}

void output_expect(Output *output, size_t n_results) {
        output->array = output->format->print == show_json && n_results > 1;
}

static int output_begin(Output *output) {
        int r;

        if (!output->path)
                return 0;
        r = file_draft_begin(&output->draft);
        if (r)
                return output_failed(output, -r);
        output->file = fdopen(output->draft.fd, "w");
        if (!output->file)
                return output_failed(output, errno);
        (void)fd_take(&output->draft.fd);
        return 0;
}

static void complain_of_scale(const char *scale, int outcome) {
        if (outcome == SCALE_E_SEVERAL)
                complain("Several benchmarks go by '%s': times are shown as measured. Name one with its arguments.",
                                scale);
        else if (*scale)
                complain("No benchmark '%s' has a time to scale by: times are shown as measured.", scale);
        else
                complain("No reference has a time to scale by: times are shown as measured. Name one: "
                         "--scale=BENCHMARK");
}

/* The view of @kind: a result has a width even without a terminal; the lines of other reports stay whole for scripts. */
static View output_view(const Output *output, ShowKind kind) {
        View view = output->view;

        if (show_is_result(kind) && view.width == 0)
                view.width = VIEW_WIDTH;
        return view;
}

/* Says that @result has no such yardstick as is asked for: its times are then shown as measured. Returns 0 or a negative errno. */
static int output_check_scale(const Output *output, const json_t *result) {
        Times times = {};
        const int r = scale_find(&times, result, output->view.scale);

        if (r > 0)
                complain_of_scale(output->view.scale, r);
        return r > 0 ? 0 : error_trace(r);
}

/*
 * A new reference to @json; for a result, its brief form, or unless a program reads it, converted to the headline. Returns 0 or a negative
 * errno.
 */
static int output_prepare(const Output *output, ShowKind kind, const json_t *json, json_t **ret_json) {
        int r;

        if (show_is_result(kind) && output->brief)
                return error_trace(brief_make(json, ret_json));
        if (!show_is_result(kind) || output->format->flags & SHOW_AS_MEASURED) {
                *ret_json = json_incref((json_t *)json);
                return 0;
        }
        r = headline_of(json, output->headline, ret_json);
        return r ? error_trace(r) : error_trace(output_check_scale(output, *ret_json));
}

/* Keeps @json for the one document. Returns 0 or a negative errno. */
static int output_gather(Output *output, ShowKind kind, json_t *json) {
        if (!output->gathered)
                output->gathered = json_array();
        output->kind = kind;
        return json_array_append(output->gathered, json) < 0 ? error_origin(-ENOMEM) : 0;
}

/* A run without any measurement says so itself. */
static int output_write_raw(Output *output, const json_t *result) {
        const int r = raw_file_write(&output->raw, result);

        if (r == RAW_E_NOT_KEPT) {
                complain("This run kept no samples, so there is nothing to write into %s.", output->raw.path);
                complain_hint("'run' and 'compare' keep them with --keep-samples, --raw or --plot.");
                return EXIT_USAGE;
        }
        return r < 0 ? complain_unwritten("", output->raw.path, r) : 0;
}

/* Prints @json, which is prepared. Returns 0 or an exit code. */
static int output_write(Output *output, ShowKind kind, const json_t *json) {
        const View view = output_view(output, kind);
        int r = 0;

        if (!output->begun)
                r = output_begin(output);
        else if (output->format->flags & SHOW_PARTED && kind != SHOW_ACCEPTED)
                fputc('\n', output->file);
        if (r)
                return r;
        if (output->array)
                fputs(output->begun ? "," : "[", output->file);
        output->begun = true;
        r = show_print(output->format, kind, json, &view, output->file);
        if (r < 0)
                return output_failed(output, -r);
        return fflush(output->file) == 0 ? 0 : output_failed(output, errno);
}

static int output_draw(Output *output, const json_t *result) {
        const View view = output_view(output, SHOW_RESULT);
        int r;

        r = show_print(show_find("table"), SHOW_PLOT, result, &view, output->file);
        if (r < 0)
                return output_failed(output, -r);
        return fflush(output->file) == 0 ? 0 : output_failed(output, errno);
}

/* Samples are of one machine. */
static int output_refuse_samples(const Output *output) {
        complain("--%s is for the result of one machine, not for %s.", output->raw.path ? "raw" : "plot",
                        show_kind_words(SHOW_FLEET));
        complain_hint("--format=json has the result of each machine in fleet.machines; save one, and show that.");
        return EXIT_USAGE;
}

/* Writes @result to @draft as @format. Returns 0, a negative errno, or an outcome of file-draft.h. */
static int output_export_to(const Output *output, FileDraft *draft, const ShowFormat *format, const json_t *result) {
        _cleanup_(json_decrefp) json_t *document =
                        format->flags & SHOW_DOCUMENT ? json_pack("[O]", result) : json_incref((json_t *)result);
        FILE *file = NULL;
        int r;

        r = document ? file_draft_begin(draft) : -ENOMEM;
        if (r == 0)
                file = fdopen(draft->fd, "w");
        if (file) {
                (void)fd_take(&draft->fd);
                r = show_print(format, SHOW_RESULT, document, &output->view, file);
                if (fclose(file) != 0 && r == 0)
                        r = -EIO;
        }
        if (r == 0)
                r = file ? file_draft_commit(draft) : -ENOMEM;
        return r;
}

static int output_export(Output *output, const json_t *result) {
        static const char *const formats[_EXEC_EXPORTS_N] = { "hyperfine", "csv", "markdown" };

        for (size_t i = 0; output->exports && i < _EXEC_EXPORTS_N; i++) {
                int r = 0;

                if (output->exports[i])
                        r = output_export_to(output, &output->exported[i], show_find(formats[i]), result);
                if (r)
                        return complain_unwritten("", output->exports[i], r);
        }
        return 0;
}

int output_print(Output *output, ShowKind kind, const json_t *json) {
        _cleanup_(json_decrefp) json_t *prepared = NULL;
        const bool gathers = output->format->flags & SHOW_DOCUMENT;
        int r;

        if (kind == SHOW_FLEET && (output->raw.path || output->plot))
                return output_refuse_samples(output);
        if (!show_has(output->format, SHOW_BIT(kind))) {
                char names[SHOW_NAMES_MAX];

                complain("Cannot print %s as %s; its formats are %s.", show_kind_words(kind), output->format->name,
                                show_names(SHOW_BIT(kind), names));
                return EXIT_USAGE;
        }
        r = output_prepare(output, kind, json, &prepared);
        if (r == 0 && gathers)
                r = output_gather(output, kind, prepared);
        if (r)
                return output_failed(output, -r);
        if (!gathers)
                r = output_write(output, kind, prepared);
        if (r == 0 && kind == SHOW_RESULT && output->plot)
                r = output_draw(output, json);
        if (r == 0 && kind == SHOW_RESULT)
                r = output_export(output, json);
        return r == 0 && kind == SHOW_RESULT && output->raw.path ? output_write_raw(output, json) : r;
}

/* Closes the file that was begun; what was written takes its place unless some is missing. */
static int output_close_file(Output *output, bool failed) {
        int r;

        if (fclose(output->file) != 0 && !failed)
                return output_failed(output, errno);
        r = failed ? 0 : file_draft_commit(&output->draft);
        return r ? output_failed(output, -r) : 0;
}

/* Writes what is left, and closes the file. */
static int output_finish(Output *output) {
        bool failed = output->file && ferror(output->file);
        int r = 0;

        if (output->gathered && !failed)
                r = output_write(output, output->kind, output->gathered);
        json_decref(output->gathered);
        output->gathered = NULL;
        if (output->array && output->begun && !failed) {
                fputs("]\n", output->file);
                if (!output->path && fflush(output->file) != 0)
                        return output_failed(output, errno);
        }
        if (output->path && output->file) {
                const int r_close = output_close_file(output, failed || r);

                r = r ? r : r_close;
        }
        output_clear(output);
        return r;
}

int output_close(Output *output) {
        const int r_raw = raw_file_close(&output->raw);
        int r = output_finish(output);

        if (output->opens && r == 0 && output->begun)
                r = browser_open(output->path);
        else if (output->page)
                (void)unlink(output->page);
        free(output->page);
        return r || !r_raw ? r : complain_unwritten("", output->raw.path, r_raw);
}

int output_check_stdout(void) {
        const Output output = { .file = stdout };

        return fflush(stdout) == 0 ? EXIT_DONE : output_failed(&output, errno);
}
