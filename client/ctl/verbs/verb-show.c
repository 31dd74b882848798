/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * show: prints the result of a job that has ended, of the latest where none is named, or those that a file holds. Results of private
 * runs are looked at first, since they need no daemon.
 */

#include <jansson.h>

#include "benchd/client.h"
#include "ctl/ask/baseline-file.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/load.h"
#include "ctl/ask/private-results.h"
#include "ctl/ask/shown-rows.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/job-id.h"
#include "ctl/base/json-path.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/show-two.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

static int show_job(const Settings *settings, Connection *connection, Output *output) {
        Follow follow = {
                .connection = connection,
                .output = output,
                .interrupt_leaves = true,
                .shown = settings,
                .fail_on = &settings->fail_on,
                .quiet = settings->quiet,
        };
        char latest[JOB_ID_BYTES];
        int r = 0;

        follow.name = *settings->job ? settings->job : latest;
        if (!*settings->job)
                r = connection_latest_job(connection, latest);
        if (r)
                return r;
        r = benchd_client_show(connection->client, follow.name, &follow.id);
        return r ? connection_unsent(r) : follow_job(&follow);
}

static int show_result(const Settings *settings, BaselineFile *baseline, Output *output, json_t *result) {
        _cleanup_(json_decrefp) json_t *shown = NULL;
        int r, r_baseline;

        if (fleet_is(result)) {
                r = output_print(output, SHOW_FLEET, result);
                return r ? r : follow_judge_fleet(result, &settings->fail_on);
        }

        r_baseline = baseline_file_take(baseline, result, &shown);
        r = shown ? output_print(output, SHOW_RESULT, shown) : 0;
        r = r ? r : r_baseline;
        return r ? r : follow_judge(shown, &settings->fail_on);
}

/* Shows results that no daemon is asked for. The exit code is that of the first that did not end well. */
static int show_results(const Settings *settings, json_t *results) {
        _cleanup_(baseline_file_clear) BaselineFile baseline = {};
        int r, r_close, first = EXIT_DONE;
        Output output;

        r = shown_rows_choose(settings, results);
        if (r == 0)
                r = baseline_file_open(settings, &baseline);
        if (r == 0)
                r = output_open(settings, &output);
        if (r)
                return r;
        output_expect(&output, json_array_size(results));
        for (size_t i = 0; i < json_array_size(results); i++) {
                r = show_result(settings, &baseline, &output, json_array_get(results, i));
                first = first ? first : r;
        }
        r_close = output_close(&output);
        first = first ? first : r_close;
        return first ? first : baseline_file_save(&baseline);
}

static int show_private(const Settings *settings, json_t *result) {
        _cleanup_(json_decrefp) json_t *results = json_pack("[O]", result);

        return show_results(settings, results);
}

static bool are_results(const json_t *results) {
        for (size_t i = 0; i < json_array_size(results); i++)
                if (!json_is_array(json_at(json_array_get(results, i), "benchmarks")) ||
                                !json_text_at(json_array_get(results, i), "verdict"))
                        return false;
        return json_array_size(results) > 0;
}

/* One document has no rows of both kinds. */
static bool are_of_one_kind(const json_t *results) {
        for (size_t i = 1; i < json_array_size(results); i++)
                if (fleet_is(json_array_get(results, i)) != fleet_is(json_array_get(results, 0)))
                        return false;
        return true;
}

/* A baseline is of one machine. */
static int refuse_baseline(const char *path) {
        complain("A baseline is the result of one machine; %s holds the results of several.", path);
        complain_hint("'benchctl compare --host=... OLD NEW' compares on several.");
        return EXIT_USAGE;
}

/* A result, or an array of results of several modules, as --format=json wrote it; of one machine or of several. */
static int show_file(const Settings *settings, const char *path) {
        _cleanup_(json_decrefp) json_t *json = NULL, *results = NULL;
        int r;

        r = load_json(path, &json);
        if (r)
                return r;
        results = json_is_array(json) ? json_incref(json) : json_pack("[O]", json);
        if (are_results(results) && fleet_is(json_array_get(results, 0)) &&
                        (settings->baseline || settings->save_baseline))
                return refuse_baseline(path);
        if (are_results(results) && are_of_one_kind(results))
                return show_results(settings, results);
        complain("%s does not hold the result of a run.", path);
        complain_hint("Save one with: benchctl run ... -o FILE.json, or: benchctl show JOB -o FILE.json");
        return EXIT_USAGE;
}

int verb_show(const Settings *settings) {
        _cleanup_(json_decrefp) json_t *result = NULL;
        int r = PRIVATE_RESULTS_E_NONE;

        if (settings->arguments.n == 2)
                return show_two(settings);
        if (settings->arguments.n == 1 && !*settings->job)
                return show_file(settings, settings->arguments.words[0]);
        if (settings->private_daemon || (*settings->job && !settings->host))
                r = private_results_find(settings->job, &result);
        if (r == 0)
                return show_private(settings, result);
        if (r == PRIVATE_RESULTS_E_AMBIGUOUS) {
                complain("Several private runs have ids that begin with %s.", settings->job);
                complain_hint("'benchctl history --private' lists them.");
                return EXIT_USAGE;
        }
        if (!settings->private_daemon)
                return connection_use(settings, show_job);
        if (*settings->job)
                complain("No private run has the id %s.", settings->job);
        else
                complain("There are no private runs yet.");
        complain_hint("'benchctl history --private' lists those that are kept.");
        return EXIT_USAGE;
}
