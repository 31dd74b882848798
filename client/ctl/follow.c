/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/follow.h"

#include <jansson.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/complain.h"
#include "ctl/connection.h"
#include "ctl/exit.h"
#include "ctl/json-path.h"
#include "ctl/output.h"
#include "ctl/progress.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_event *, benchd_event_free)

typedef struct Follower {
        const Follow *follow;
        Progress progress;
        bool cancelled;
} Follower;

/* ---- the end */

/* A benchmark that skipped itself has not failed. */
static bool any_failed(const json_t *result) {
        const json_t *benchmarks = json_at(result, "benchmarks");

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const char *code = json_text_at(json_array_get(benchmarks, i), "failed.code");

                if (code && strcmp(code, "skipped") != 0)
                        return true;
        }
        return false;
}

static bool any_slower(const json_t *result) {
        const json_t *comparisons = json_at(result, "comparisons");

        for (size_t i = 0; i < json_array_size(comparisons); i++) {
                const char *verdict = json_text_at(json_array_get(comparisons, i), "verdict");

                if (verdict && strcmp(verdict, "slower") == 0)
                        return true;
        }
        return false;
}

static int follower_take_result(Follower *follower, const json_t *result) {
        const char *verdict = json_text_at(result, "verdict");
        int r;

        r = output_print(follower->follow->output, SHOW_RESULT, result);
        if (r)
                return r;
        if (follower->cancelled)
                return EXIT_CANCELLED;
        if (any_failed(result))
                return EXIT_BENCHMARK;
        if (verdict && strcmp(verdict, "partial") == 0) /* nothing failed, so somebody else cancelled the job */
                return EXIT_CANCELLED;
        return follower->follow->fail_on_slower && any_slower(result) ? EXIT_REGRESSION : EXIT_DONE;
}

static int follower_take_last(Follower *follower, const benchd_event *event) {
        _cleanup_(json_decrefp) json_t *json = NULL;

        progress_clear(&follower->progress);
        if (benchd_event_type(event) == BENCHD_EVENT_ERROR)
                return complain_event(event);
        json = benchd_event_json(event) ? json_loads(benchd_event_json(event), 0, NULL) : NULL;
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

/* ---- before the end */

static void follower_cancel(Follower *follower) {
        follower->cancelled = true;
        progress_clear(&follower->progress);
        if (benchd_client_cancel(follower->follow->connection->client, follower->follow->id, NULL) == 0)
                complain("Cancelling… press Ctrl-C again to quit now.");
}

static int follower_leave(Follower *follower) {
        const char *job = follower->follow->goes_on;

        progress_clear(&follower->progress);
        if (job) {
                complain("Stopped waiting; the job continues.");
                complain_hint("'benchctl wait %s' waits again, 'benchctl cancel %s' cancels it.", job, job);
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
                /* request 0: the daemon could not read the request */
                if (benchd_event_last(event) && (benchd_event_request(event) == follower->follow->id ||
                                                                benchd_event_request(event) == 0))
                        return follower_take_last(follower, event);
        }
}

int follow_job(const Follow *follow) {
        Follower follower = { .follow = follow };
        int r;

        progress_init(&follower.progress, follow->name, follow->quiet);
        r = follower_await(&follower);
        progress_clear(&follower.progress);
        return r;
}
