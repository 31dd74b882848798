/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verbs/show-two.h"
#include "ctl/base/job-id.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/load.h"
#include "ctl/ask/private-results.h"
#include "ctl/ask/shown-rows.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/settings.h"
#include "ctl/model/side-by-side.h"
#include "ctl/show/output.h"
#include "util/cleanup.h"

typedef struct Two {
        json_t *results[2];         /* NULL: the daemon has it */
        char jobs[2][JOB_ID_BYTES]; /* empty: a file */
} Two;

static void two_clear(Two *two) {
        json_decref(two->results[0]);
        json_decref(two->results[1]);
}

/* A result of one module, not of a comparison. Returns 0 or an exit code. */
static int check_result(const char *word, const json_t *json) {
        if (json_at(json, "fleet"))
                complain("%s holds the results of several machines, not of one.", word);
        else if (!json_is_array(result_rows(json)) || !json_text_at(json, "verdict"))
                complain("%s does not hold the result of one run.", word);
        else if (result_compares(json))
                complain("%s is a comparison, which has two sides itself.", word);
        else
                return 0;
        complain_hint("Save one with: benchctl run ... -o FILE.json, or: benchctl show JOB -o FILE.json");
        return EXIT_USAGE;
}

/* Reads files and private results, but not the daemon's results. */
static int find_one(const Settings *settings, size_t index, Two *two) {
        const char *word = settings->arguments.words[index];
        int r;

        if (strpbrk(word, "./"))
                return load_json(word, &two->results[index]);
        if (load_job(word, two->jobs[index])) {
                complain("'%s' is neither a file nor a job id (%u to %u hexadecimal digits).", word, JOB_ID_MIN,
                                JOB_ID_MAX);
                return EXIT_USAGE;
        }
        r = private_results_find(two->jobs[index], &two->results[index]);
        if (r == 0 || (r == PRIVATE_RESULTS_E_NONE && !settings->private_daemon))
                return 0;
        complain("%s private run has an id that begins with %s.", r == PRIVATE_RESULTS_E_NONE ? "No" : "More than one",
                        word);
        complain_hint("'benchctl history --private' lists them.");
        return EXIT_USAGE;
}

static int print_two(const Settings *settings, Two *two, Output *output) {
        _cleanup_(json_decrefp) json_t *json = NULL, *both = NULL;
        const char *ids[2];
        int r;

        for (size_t i = 0; i < 2; i++) {
                r = check_result(settings->arguments.words[i], two->results[i]);
                if (r)
                        return r;
                ids[i] = json_text_at(two->results[i], "run_id");
        }
        if (ids[0] && ids[1] && strcmp(ids[0], ids[1]) == 0) {
                complain("%s and %s are the same run.", settings->arguments.words[0], settings->arguments.words[1]);
                return EXIT_USAGE;
        }
        both = json_pack("[O, O]", two->results[0], two->results[1]);
        r = shown_rows_choose(settings, both);
        if (r)
                return r;
        r = side_by_side(two->results[0], two->results[1], &json);
        if (r == SIDE_BY_SIDE_E_NOTHING)
                complain("The two results have no benchmark in common, by area, name, arguments and threads.");
        else if (r)
                complain("Out of memory.");
        return r ? EXIT_USAGE : output_print(output, SHOW_SIDE_BY_SIDE, json);
}

static int ask_daemon(const Settings *settings, Connection *connection, Output *output) {
        Two *two = (Two *)connection->subject;
        uint64_t id;
        int r;

        for (size_t i = 0; i < 2; i++) {
                if (two->results[i])
                        continue;
                r = benchd_client_show(connection->client, two->jobs[i], &id);
                if (r)
                        return connection_unsent(r);
                r = connection_answer(connection, id, &two->results[i]);
                if (r)
                        return r;
        }
        return print_two(settings, two, output);
}

/* Options of one result have nothing to act on. Returns 0 or an exit code. */
static int check_options(const Settings *settings) {
        static const char *const of_one[] = { "fail-on", "columns", "sort", "scale", "raw", "plot", "baseline",
                "save-baseline", "margin" };

        for (size_t i = 0; i < settings->n_given; i++)
                for (size_t k = 0; k < N_ELEMENTS(of_one); k++)
                        if (strcmp(settings->given[i].name, of_one[k]) == 0) {
                                complain("--%s is for one result, not for two side by side.", of_one[k]);
                                complain_hint("Omit it, or name one job: benchctl show JOB --%s", of_one[k]);
                                return EXIT_USAGE;
                        }
        return 0;
}

int show_two(const Settings *settings) {
        _cleanup_(two_clear) Two two = {};
        Output output;
        int r, r_close;

        r = check_options(settings);
        for (size_t i = 0; r == 0 && i < 2; i++)
                r = find_one(settings, i, &two);
        if (r)
                return r;
        if (!two.results[0] || !two.results[1])
                return connection_use_for(settings, ask_daemon, &two);
        r = output_open(settings, &output);
        if (r)
                return r;
        r = print_two(settings, &two, &output);
        r_close = output_close(&output);
        return r ? r : r_close;
}
