/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * run: measures modules, one after the other.
 */

#include <jansson.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/exit.h"
#include "ctl/interrupt.h"
#include "ctl/json-path.h"
#include "ctl/load.h"
#include "ctl/message.h"
#include "ctl/output.h"
#include "ctl/progress.h"
#include "ctl/session.h"
#include "ctl/settings.h"
#include "ctl/verb.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_event *, benchd_event_free)
DEFINE_CLEANUP(benchd_module *, benchd_module_free)

typedef struct Run {
        Session *session;
        Output *output;
        Progress progress;
        uint64_t id;
        bool cancelled;
} Run;

/* ---- what comes back */

/* A benchmark that skipped itself did what it was told. */
static bool any_failed(const json_t *result) {
        const json_t *benchmarks = json_at(result, "benchmarks");

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const char *code = json_text_at(json_array_get(benchmarks, i), "failed.code");

                if (code && strcmp(code, "skipped") != 0)
                        return true;
        }
        return false;
}

static int run_take_result(Run *run, const benchd_event *event) {
        _cleanup_(json_decrefp) json_t *result = json_loads(benchd_event_json(event), 0, NULL);
        int r;

        if (!result) {
                complain("The result cannot be read.");
                return EXIT_DAEMON;
        }
        r = output_print(run->output, SHOW_RESULT, result);
        if (r)
                return r;
        if (run->cancelled)
                return EXIT_CANCELLED;
        return any_failed(result) ? EXIT_BENCHMARK : EXIT_DONE;
}

static int run_take_last(Run *run, const benchd_event *event) {
        progress_clear(&run->progress);
        if (benchd_event_type(event) == BENCHD_EVENT_RESULT)
                return run_take_result(run, event);
        if (benchd_event_type(event) == BENCHD_EVENT_ERROR)
                return complain_event(event);
        complain("The daemon ended the run without a result.");
        return EXIT_DAEMON;
}

static void run_cancel(Run *run) {
        run->cancelled = true;
        progress_clear(&run->progress);
        if (benchd_client_cancel(run->session->client, run->id, NULL) == 0)
                complain("Cancelling; once more leaves at once.");
}

/* The daemon answers 0 where it could not read what was asked. */
static bool run_is_asked(const Run *run, const benchd_event *event) {
        return benchd_event_request(event) == run->id || benchd_event_request(event) == 0;
}

static int run_await(Run *run) {
        for (;;) {
                _cleanup_(benchd_event_freep) benchd_event *event = NULL;
                int r;

                r = session_next(run->session, !run->cancelled, &event);
                if (r == SESSION_E_INTERRUPTED) {
                        run_cancel(run);
                        continue;
                }
                if (r)
                        return run->cancelled ? EXIT_CANCELLED : EXIT_DAEMON;
                if (benchd_event_type(event) == BENCHD_EVENT_PROGRESS && !run->cancelled)
                        progress_show(&run->progress, benchd_event_progress(event));
                if (benchd_event_last(event) && run_is_asked(run, event))
                        return run_take_last(run, event);
        }
}

/* ---- the verb */

static int run_module(const Settings *settings, Session *session, Output *output, const char *path) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        Run run = { .session = session, .output = output };
        int r;

        r = load_module(settings, path, &module);
        if (r)
                return r;
        r = benchd_client_run(session->client, module, settings->options, &run.id);
        if (r) {
                complain("Cannot send %s: %s.", path, benchd_error_string(r));
                return EXIT_USAGE;
        }
        progress_init(&run.progress, path, settings->quiet);
        r = run_await(&run);
        progress_clear(&run.progress);
        return r;
}

/* The exit code tells of the first module that did not end well. */
static int run_modules(const Settings *settings, Session *session, Output *output) {
        int first = EXIT_DONE, r = EXIT_DONE;

        for (size_t i = 0; i < settings->arguments.n; i++) {
                if (interrupt_came() || r == EXIT_DAEMON)
                        break;
                r = run_module(settings, session, output, settings->arguments.words[i]);
                first = first ? first : r;
        }
        return interrupt_came() ? EXIT_CANCELLED : first;
}

int verb_run(const Settings *settings) {
        Session session;
        Output output;
        int r, r_close;

        r = load_check(settings);
        if (r == 0)
                r = load_options(settings);
        if (r == 0)
                r = output_open(settings, &output);
        if (r)
                return r;
        r = session_open(settings, &session);
        if (r == 0) {
                r = run_modules(settings, &session, &output);
                session_close(&session);
        }
        r_close = output_close(&output);
        return r ? r : r_close;
}
