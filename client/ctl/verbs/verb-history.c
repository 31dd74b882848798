/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * history: the jobs that the daemon knows, or the private runs that are kept, the latest first; with a filter the times of the
 * benchmarks that match it.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/private-results.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/instant.h"
#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/settings.h"
#include "ctl/model/trend.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"
#include "util/file-name.h"
#include "util/glob.h"
#include "util/time.h"

#define LIMIT_DEFAULT 100u
#define LIMIT_MAX     1000u

/* ---- the words typed → a query: each function returns 0 or an exit code, having said why */

/* A word that is the name of a module's file was one before there was --module, and can hardly be a benchmark's. */
static bool is_module(const char *word) {
        const char *dot = strrchr(word, '.');

        return dot && strcmp(dot, ".so") == 0;
}

/* The word typed as a filter; NULL without one. */
static const char *history_word(const Settings *settings) {
        const SettingsWords *words = settings->filters.n > 0 ? &settings->filters : &settings->arguments;

        return words->n > 0 ? words->words[0] : NULL;
}

static const char *history_module(const Settings *settings) {
        const char *word = history_word(settings);

        return settings->module || !word || !is_module(word) ? settings->module : word;
}

/* The filter of benchmarks; NULL: jobs are asked for. */
static const char *history_filter(const Settings *settings) {
        const char *word = history_word(settings);

        return word && (settings->module || !is_module(word)) ? word : NULL;
}

static int query_module(const Settings *settings, benchd_query *query) {
        const char *module = history_module(settings);

        if (!module || benchd_query_set_module(query, module) == 0)
                return 0;
        complain("Out of memory.");
        return EXIT_MACHINE;
}

/* Reads --since as seconds since 1970; 0 without it. */
static int read_since(const Settings *settings, int64_t *ret_seconds) {
        *ret_seconds = 0;
        if (!settings->since || (instant_parse(settings->since, time(NULL), ret_seconds) == 0 && *ret_seconds >= 0))
                return 0;
        complain("--since takes a date or an age, not '%s'.", settings->since);
        complain_hint("Examples: --since=2h, --since=3d, --since=yesterday, --since='2026-05-01 14:30'.");
        return EXIT_USAGE;
}

/* Reads --limit; LIMIT_DEFAULT without it. */
static int read_limit(const Settings *settings, uint32_t *ret_limit) {
        const char *text = settings->limit;
        unsigned long limit;

        *ret_limit = LIMIT_DEFAULT;
        if (!text)
                return 0;
        errno = 0;
        limit = strspn(text, "0123456789") == strlen(text) ? strtoul(text, NULL, 10) : 0;
        if (errno == 0 && limit >= 1 && limit <= LIMIT_MAX) {
                *ret_limit = (uint32_t)limit;
                return 0;
        }
        complain("--limit takes a whole number from 1 to %u, not '%s'.", LIMIT_MAX, text);
        return EXIT_USAGE;
}

static int query_fill(const Settings *settings, benchd_query *query) {
        uint32_t limit;
        int64_t since;
        int r;

        if (settings->all_users)
                benchd_query_set_all_users(query, true);
        r = query_module(settings, query);
        if (r == 0)
                r = read_since(settings, &since);
        if (r == 0)
                r = read_limit(settings, &limit);
        if (r)
                return r;
        if (settings->since)
                benchd_query_set_since(query, (uint64_t)since * NS_PER_S);
        if (settings->limit)
                (void)benchd_query_set_limit(query, limit);
        if (!settings->state || benchd_query_set_state(query, settings->state) == 0)
                return 0;
        complain("unknown state '%s'; states are queued, running, done, failed, cancelled and lost.", settings->state);
        return EXIT_USAGE;
}

/* ---- times of benchmarks */

static int history_failed(int r) {
        complain("Cannot read the results: %s.", benchd_error_string(r));
        return EXIT_MACHINE;
}

/* @options: for a command to ask for the same history. */
static int trend_print_marked(const Settings *settings, json_t *trend, const char *options, Output *output) {
        const double margin = settings->margin ? strtod(settings->margin, NULL) / 100 : TREND_MARGIN;
        int r;

        r = trend_mark(trend, margin);
        if (r)
                return history_failed(r);
        if (json_array_size(result_rows(trend)) > 0)
                return output_print(output, SHOW_TREND, trend);
        complain("No benchmark of these runs matches %s.", history_filter(settings));
        complain_hint_to(options,
                        "'benchctl history' lists the runs; --limit=N and --since=TIME say how far back to look.");
        return EXIT_USAGE;
}

/* Adds the result of the job @entry, if it has one. */
static int trend_add_job(Connection *connection, const json_t *entry, const char *filter, json_t *trend) {
        const char *job = json_text_at(entry, "run_id");
        _cleanup_(json_decrefp) json_t *result = NULL;
        uint64_t id;
        int r;

        if (!job || !json_text_at(entry, "verdict"))
                return 0;
        r = benchd_client_show(connection->client, job, &id);
        if (r)
                return connection_unsent(r);
        r = connection_answer(connection, id, &result);
        if (r)
                return r;
        r = trend_add(trend, result, filter);
        return r ? history_failed(r) : 0;
}

static int trend_of_jobs(const Settings *settings, Connection *connection, const json_t *history, Output *output) {
        const json_t *entries = json_at(history, "entries");
        _cleanup_(json_decrefp) json_t *trend = trend_new();
        const char *filter = history_filter(settings);
        int r = trend ? 0 : history_failed(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(entries); i++)
                r = trend_add_job(connection, json_array_get(entries, i), filter, trend);
        return r ? r : trend_print_marked(settings, trend, connection->options, output);
}

/* ---- private runs */

static bool is_wanted(const json_t *result, const char *module, const char *since) {
        const char *name = json_text_at(result, "module.name"), *started = json_text_at(result, "started_at");

        if (started && strcmp(started, since) < 0)
                return false;
        return !module ||
               (name && (glob_pattern_matches(module, name) || glob_pattern_matches(module, file_name_of(name))));
}

/* True if Ctrl-C ended the run, which is then not complete: a warning begins with that. */
static bool was_cancelled(const json_t *result) {
        const json_t *warning;

        json_each(i, warning, json_at(result, "warnings")) {
                const char *text = json_string_value(warning);

                if (text && strncmp(text, "cancelled", strlen("cancelled")) == 0)
                        return true;
        }
        return false;
}

/* The benchmarks, or pairs of a comparison. */
static int count_benchmarks(const json_t *result) {
        _cleanup_(json_decrefp) json_t *rows = rows_without_empty_loop(result_judged(result));

        return (int)json_array_size(rows);
}

/* The fields of an entry of the daemon's history. */
static json_t *entry_of_result(const json_t *result) {
        return json_pack("{s:O?, s:s, s:O?, s:n, s:i, s:O?, s:O?, s:b, s:b, s:O?, s:i, s:n, s:n, s:O?}", "run_id",
                        json_at(result, "run_id"), "state", was_cancelled(result) ? "cancelled" : "done",
                        "submitted_at", json_at(result, "started_at"), "ended_at", "uid", (int)geteuid(), "module_name",
                        json_at(result, "module.name"), "module_sha256", json_at(result, "module.sha256"),
                        "module_stored", 0, "pinned", 0, "verdict", json_at(result, "verdict"), "benchmarks",
                        count_benchmarks(result), "error", "standing", "commit", json_at(result, "module.commit"));
}

/* The private runs that are asked for, the latest first. */
static int private_select(const Settings *settings, json_t **ret_results) {
        _cleanup_(json_decrefp) json_t *all = NULL, *results = json_array();
        char since[INSTANT_TEXT_MAX];
        time_t seconds;
        uint32_t limit;
        int64_t typed;
        struct tm utc;
        int r;

        r = read_since(settings, &typed);
        if (r == 0)
                r = read_limit(settings, &limit);
        if (r)
                return r;
        r = private_results_read(&all);
        if (r || !results)
                return history_failed(r ? r : -ENOMEM);
        seconds = (time_t)typed;
        if (!gmtime_r(&seconds, &utc) || strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
                return history_failed(-EOVERFLOW);
        for (size_t i = 0; i < json_array_size(all) && json_array_size(results) < limit; i++)
                if (is_wanted(json_array_get(all, i), history_module(settings), since) &&
                                json_array_append(results, json_array_get(all, i)) < 0)
                        return history_failed(-ENOMEM);
        *ret_results = take_pointer(results);
        return 0;
}

static int private_print_jobs(const json_t *results, Output *output) {
        _cleanup_(json_decrefp) json_t *history = json_pack("{s:[]}", "entries");

        for (size_t i = 0; i < json_array_size(results); i++)
                if (json_array_append_new(json_object_get(history, "entries"),
                                    entry_of_result(json_array_get(results, i))) < 0)
                        return history_failed(-ENOMEM);
        return output_print(output, SHOW_HISTORY, history);
}

static int private_print(const Settings *settings, const json_t *results, Output *output) {
        _cleanup_(json_decrefp) json_t *trend = trend_new();
        const char *filter = history_filter(settings);
        int r = 0;

        if (!filter)
                return private_print_jobs(results, output);
        for (size_t i = 0; r == 0 && i < json_array_size(results); i++)
                r = trend_add(trend, json_array_get(results, i), filter);
        return r ? history_failed(r) : trend_print_marked(settings, trend, " --private", output);
}

static int history_of_private(const Settings *settings) {
        _cleanup_(json_decrefp) json_t *results = NULL;
        Output output;
        int r, r_close;

        if (settings->state || settings->all_users) {
                complain("--private cannot be combined with --state or --all-users: private runs are this user's, and over.");
                return EXIT_USAGE;
        }
        r = private_select(settings, &results);
        if (r == 0)
                r = output_open(settings, &output);
        if (r)
                return r;
        r = private_print(settings, results, &output);
        r_close = output_close(&output);
        return r ? r : r_close;
}

/* ---- the verb */

static int history_print(const Settings *settings, Connection *connection, Output *output) {
        _cleanup_(json_decrefp) json_t *history = NULL;
        uint64_t id;
        int r;

        r = benchd_client_history(connection->client, settings->query, &id);
        if (r)
                return connection_unsent(r);
        r = connection_answer(connection, id, &history);
        if (r)
                return r;
        if (history_filter(settings))
                return trend_of_jobs(settings, connection, history, output);
        return output_print(output, SHOW_HISTORY, history);
}

int verb_history(const Settings *settings) {
        int r;

        r = query_fill(settings, settings->query);
        if (r)
                return r;
        return settings->private_daemon ? history_of_private(settings) : connection_use(settings, history_print);
}
