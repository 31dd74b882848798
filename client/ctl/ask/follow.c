/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/follow.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/explain.h"
#include "ctl/ask/here-hint.h"
#include "ctl/ask/live-line.h"
#include "ctl/ask/private-results.h"
#include "ctl/ask/shown-rows.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/cell.h"
#include "ctl/model/fail-on.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/result.h"
#include "ctl/model/standing.h"
#include "ctl/show/output.h"
#include "lib/event.h"
#include "util/cleanup.h"
#include "util/text-stream.h"
#include "util/time.h"

#define PROGRESS_TEXT_MAX 320u

DEFINE_CLEANUP(benchd_event *, benchd_event_free)

/* ---- the live line */

typedef struct Progress {
        const char *module;
        const char *unit;
        double process_ns; /* as in Follow */
        LiveLine line;
        bool announced;
} Progress;

#define PROCESSES_TEXT_MAX sizeof "4294967295 to 4294967295"

/* The processes of a job, such as "8", or "8 to 32" where a comparison ends by itself. */
static const char *processes_words(const benchd_progress *state, char text[static PROCESSES_TEXT_MAX]) {
        if (state->processes_most > state->processes)
                snprintf(text, PROCESSES_TEXT_MAX, "%u to %u", state->processes, state->processes_most);
        else
                snprintf(text, PROCESSES_TEXT_MAX, "%u", state->processes);
        return text;
}

/* A run between two turns reports its progress, too. A daemon without turns counts jobs. */
static void queued_text(const benchd_progress *state, char text[static PROGRESS_TEXT_MAX]) {
        const Standing standing = {
                .known = state->wait_ns != UINT64_MAX,
                .wait_ns = state->wait_ns,
                .turns_before = state->turns_before,
                .own_before = state->own_before,
                .over_budget = state->over_budget,
        };
        char words[STANDING_TEXT_MAX], processes[PROCESSES_TEXT_MAX], done[64] = "";

        if (state->process > 0)
                snprintf(done, sizeof done, "process %u of %s · ", state->process, processes_words(state, processes));
        if (state->queue_position == 0)
                snprintf(text, PROGRESS_TEXT_MAX, "%swaiting for a CPU", done);
        else if (state->turns_before + state->own_before > 0)
                snprintf(text, PROGRESS_TEXT_MAX, "%swaiting: %s", done, standing_words(&standing, words));
        else
                snprintf(text, PROGRESS_TEXT_MAX, "waiting for %u earlier job%s", state->queue_position,
                                state->queue_position == 1 ? "" : "s");
}

/* Steady parts come first: processes are interleaved, so the benchmark changes with each. */
static void progress_text(const Progress *progress, const benchd_progress *state, char text[static PROGRESS_TEXT_MAX]) {
        uint32_t process = state->process < state->processes ? state->process + 1 : state->processes;
        const char *name = state->benchmark_name ? state->benchmark_name : "";
        char left[UNIT_TEXT_MAX], processes[PROCESSES_TEXT_MAX], place[64] = "";

        if (state->benchmark > 0)
                snprintf(place, sizeof place, "%s %u of %u%s", progress->unit, state->benchmark, state->benchmarks,
                                *name ? ": " : "");
        if (strcmp(state->stage, "measuring") == 0)
                snprintf(text, PROGRESS_TEXT_MAX, "process %u of %s · %s left · %s%s", process,
                                processes_words(state, processes), unit_wait(state->left_ns, left), place, name);
        else if (strcmp(state->stage, "queued") == 0)
                queued_text(state, text);
        else if (strcmp(state->stage, "resting") == 0)
                snprintf(text, PROGRESS_TEXT_MAX, "process %u of %s · resting, %s until the next part", state->process,
                                processes_words(state, processes), unit_wait(state->rest_ns, left));
        else
                snprintf(text, PROGRESS_TEXT_MAX, "%s %s", state->stage, progress->module);
}

/* The plan and its end are shown only before anything was measured: a job that is joined later has long begun. */
static void progress_announce(Progress *progress, const benchd_progress *state) {
        const time_t end = time(NULL) + (time_t)(state->left_ns / NS_PER_S);
        char left[UNIT_TEXT_MAX], processes[PROCESSES_TEXT_MAX], clock[16], until[64] = "", words[PROGRESS_TEXT_MAX];
        struct tm fields;

        if (progress->announced || strcmp(state->stage, "measuring") != 0)
                return;
        progress->announced = true;
        if (state->process > 0)
                return;
        if (!localtime_r(&end, &fields) || strftime(clock, sizeof clock, "%H:%M:%S", &fields) == 0)
                clock[0] = '\0';
        if (state->users > 1)
                snprintf(until, sizeof until, ", in turns with %u other user%s", state->users - 1,
                                state->users == 2 ? "" : "s");
        else if (clock[0])
                snprintf(until, sizeof until, ", until %s", clock);
        snprintf(words, sizeof words, ": %u %s%s in %s process%s, about %s%s", state->benchmarks, progress->unit,
                        state->benchmarks == 1 ? "" : "s", processes_words(state, processes),
                        state->processes == 1 ? "" : "es", unit_wait(state->left_ns, left), until);
        live_line_keep(&progress->line, progress->module, words);
}

static void progress_show(Progress *progress, const benchd_progress *state) {
        const double expected_ns = state->process == 0 ? progress->process_ns * state->processes : 0;
        char text[PROGRESS_TEXT_MAX];
        benchd_progress told = *state;

        if (!progress->line.live)
                return;
        if ((double)told.left_ns < expected_ns)
                told.left_ns = (uint64_t)expected_ns;
        progress_announce(progress, &told);
        progress_text(progress, &told, text);
        live_line_show(&progress->line, text);
}

/* ---- the job */

typedef struct Follower {
        const Follow *follow;
        Progress progress;
        bool cancelled;
} Follower;

/* A benchmark that skipped itself has not failed. */
static bool any_failed(const json_t *result) {
        const json_t *row;

        result_each_row(i, row, result) {
                if (row_failure(row) && strcmp(row_failure(row), "skipped") != 0)
                        return true;
        }
        return false;
}

/* No table shows limits, so the first row above one is named. */
static void complain_limit(const json_t *result, const FailOn *fail_on) {
        const FailOnLimit *limit;
        const json_t *benchmark = fail_on_over(fail_on, result, &limit);
        _cleanup_(text_stream_clear) TextStream name = {};
        char time[UNIT_TEXT_MAX];

        cell_print_name(benchmark, text_stream_open(&name));
        if (text_stream_close(&name) == 0)
                complain("%s/%s takes longer than %s (--fail-on).", json_text_or(benchmark, "area", "?"), name.text,
                                unit_time(limit->limit_ns, time));
}

static int judge_conditions(const json_t *result, const FailOn *fail_on) {
        const size_t n = fail_on_compares(fail_on) ? fail_on_unjudged(result) : 0;
        const int r = fail_on_judge(fail_on, result);

        if (n > 0)
                complain("--fail-on did not judge %zu row%s, which cannot be compared with the baseline.", n,
                                n == 1 ? "" : "s");
        if (r == EXIT_LIMIT)
                complain_limit(result, fail_on);
        return r;
}

int follow_judge(const json_t *result, const FailOn *fail_on) {
        if (any_failed(result))
                return EXIT_BENCHMARK;
        if (json_text_is(result, "verdict", "partial")) /* nothing failed, so it was cancelled */
                return EXIT_CANCELLED;
        return judge_conditions(result, fail_on);
}

/* True if a row that was not skipped has no number over machines: its class has too few of them, or no time had a logarithm. */
static bool lacks_number(const json_t *document) {
        const json_t *row;

        json_each(i, row, result_judged(document)) {
                if (!json_text_at(row, "over") && !row_has_failed(row))
                        return true;
        }
        return false;
}

int follow_judge_fleet(const json_t *document, const FailOn *fail_on) {
        int r;

        if (fleet_count_left_out(document) > 0)
                return EXIT_DAEMON;
        if (any_failed(document))
                return EXIT_BENCHMARK;
        if (fleet_count_state(document, "partial") > 0)
                return EXIT_CANCELLED;
        if (json_text_is(document, "verdict", "failed"))
                return EXIT_BENCHMARK;
        r = judge_conditions(document, fail_on);
        if (r || (fail_on->words == 0 && fail_on->n_limits == 0) || !lacks_number(document))
                return r;
        complain("--fail-on cannot judge a row that has no number over machines; the warnings say why it has none.");
        return EXIT_MACHINE;
}

static int follower_take_result(Follower *follower, json_t *result) {
        _cleanup_(json_decrefp) json_t *shown = NULL;
        int r, r_explain = 0, r_baseline;

        if (follower->follow->connection->private)
                private_results_keep(result);

        if (follower->follow->ret_result) {
                *follower->follow->ret_result = json_incref(result);
                return follower->cancelled ? EXIT_CANCELLED : follow_judge(result, follower->follow->fail_on);
        }
        if (follower->follow->old_explained)
                r_explain = explain_add(follower->follow->connection, follower->follow->old_explained,
                                follower->follow->new_explained, result);
        if (follower->follow->shown) {
                _cleanup_(json_decrefp) json_t *results = json_pack("[O]", result);
                int r_rows = shown_rows_choose(follower->follow->shown, results);

                if (r_rows)
                        return r_rows;
        }
        r_baseline = baseline_file_take(&follower->follow->connection->baseline, result, &shown);
        if (!shown)
                return r_baseline;
        r = output_print(follower->follow->output, SHOW_RESULT, shown);
        if (r)
                return r;
        if (follower->follow->settings)
                here_hint_result(follower->follow->settings, follower->follow->name, result);
        if (follower->cancelled)
                return EXIT_CANCELLED;
        if (r_explain || r_baseline)
                return r_explain ? r_explain : r_baseline;
        return follow_judge(shown, follower->follow->fail_on);
}

static int follower_take_error(Follower *follower, const benchd_event *event) {
        int r = complain_event(event, follower->follow->connection->options);

        if (follower->follow->settings)
                here_hint_error(follower->follow->settings, follower->follow->name, event);
        /* A benchmark need not exist at every commit. */
        if (follower->follow->fail_on->bisects && strcmp(benchd_event_error_code(event), "no-match") == 0)
                return EXIT_BENCHMARK;
        return r;
}

static int follower_take_last(Follower *follower, const benchd_event *event) {
        json_t *json = event_json(event);

        live_line_clear(&follower->progress.line);
        if (benchd_event_type(event) == BENCHD_EVENT_ERROR)
                return follower_take_error(follower, event);
        if (json && benchd_event_type(event) == BENCHD_EVENT_RESULT)
                return follower_take_result(follower, json);
        if (json && benchd_event_type(event) == BENCHD_EVENT_ACCEPTED) {
                if (!json_flag_at(json, "stored"))
                        complain("This daemon keeps no history: the result is lost when the job ends.");
                return output_print(follower->follow->output, SHOW_ACCEPTED, json);
        }
        complain("The daemon ended the run without a result.");
        return EXIT_DAEMON;
}

static void follower_cancel(Follower *follower) {
        follower->cancelled = true;
        live_line_clear(&follower->progress.line);
        if (benchd_client_cancel(follower->follow->connection->client, follower->follow->id, NULL) == 0)
                complain("Cancelling… press Ctrl-C again to quit now.");
}

static int follower_leave(Follower *follower) {
        const char *job = follower->follow->goes_on;

        live_line_clear(&follower->progress.line);
        if (job) {
                complain("Stopped waiting; the job continues.");
                complain_hint_to(follower->follow->connection->options,
                                "'benchctl wait %s' waits again, 'benchctl cancel %s' cancels it.", job, job);
        }
        return EXIT_CANCELLED;
}

static int follower_await(Follower *follower) {
        for (;;) {
                _cleanup_(benchd_event_freep) benchd_event *event = NULL;
                int r;

                r = connection_next(follower->follow->connection, !follower->cancelled, &event);
                if (r == CONNECTION_E_INTERRUPTED && follower->follow->interrupt_leaves)
                        return follower_leave(follower);
                if (r == CONNECTION_E_INTERRUPTED) {
                        follower_cancel(follower);
                        continue;
                }
                if (r)
                        return follower->cancelled ? EXIT_CANCELLED : EXIT_DAEMON;
                if (benchd_event_type(event) == BENCHD_EVENT_PROGRESS && !follower->cancelled)
                        progress_show(&follower->progress, benchd_event_progress(event));
                if (benchd_event_type(event) == BENCHD_EVENT_ACCEPTED && follower->follow->accepted)
                        follower->follow->accepted(follower->follow->accepted_userdata, benchd_event_run_id(event));
                /* request 0: the daemon could not read the request */
                if (benchd_event_last(event) && (benchd_event_request(event) == follower->follow->id ||
                                                                benchd_event_request(event) == 0))
                        return follower_take_last(follower, event);
        }
}

int follow_job(const Follow *follow) {
        Follower follower = { .follow = follow,
                .progress = { .module = follow->name,
                                .unit = follow->unit ? follow->unit : "benchmark",
                                .process_ns = follow->process_ns,
                                .line = live_line(follow->quiet) } };
        int r;

        r = follower_await(&follower);
        live_line_clear(&follower.progress.line);
        return r;
}
