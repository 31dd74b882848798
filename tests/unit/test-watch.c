/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A job does not need who asked for it, if it is detached, nor who waits for it; and tells all that watch. A client that reads slowly
 * gets the rest of its results when the job is over.
 */

#include "front/jobs/watch.h"

#include "front-end.h"
#include "front/history/job-record.h"

/* The run_id of a detached run, whose client has left. */
static char *detach_and_leave(OpsPacket *ret_question) {
        Client *client = connect_client();
        Benchd__Reply *reply;
        OpsPacket question;
        char *run_id;

        ask_run_as(client, true);
        question = expect(OPS_TICKET_OPEN);
        assert_null(next_reply(client, true));
        answer_opened(&question);
        *ret_question = expect(OPS_SPAWN);
        reply = next_reply(client, true);
        assert_non_null(reply->accepted);
        assert_true(reply->last);
        run_id = strdup(reply->accepted->run_id);
        assert_null(next_reply(client, true));
        leave(client);
        return run_id;
}

TEST(a_detached_run_goes_on_and_is_told_to_who_waits) {
        OpsPacket question;
        char *run_id = detach_and_leave(&question);
        Client *waiting = connect_client();
        Benchd__Reply *reply;

        ask_about(waiting, run_id, true);
        reply = next_reply(waiting, true);
        assert_string_equal(reply->accepted->run_id, run_id);
        assert_false(reply->last);
        answer_started(&question);
        answer_ended(&question, listing, sizeof *listing);
        answer_inspecting();
        for (int i = 0; i < 2; i++) {
                question = expect(OPS_SPAWN);
                answer_measured(&question);
        }
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
        for (int again = 0; again < 2; again++) {
                reply = next_reply(waiting, false);
                assert_int_equal(reply->id, 4);
                assert_string_equal(reply->benchmark->name, "name");
                reply = next_reply(waiting, false);
                assert_true(reply->last);
                assert_string_equal(reply->result->run_id, run_id);
                ask_about(waiting, run_id, false);
        }
        free(run_id);
}

TEST(who_waits_and_leaves_leaves_the_job_alone) {
        Client *first = connect_client(), *waiting = connect_client();
        OpsPacket question = bring_to_measuring(first);

        ask_about(waiting, job_view(TAILQ_FIRST(&the_daemon->services.jobs)).record->run_id, true);
        leave(waiting);
        expect_nothing();
        answer_measured(&question);
        expect(OPS_SPAWN);
}

/* A client that lags where the test says so, and notes what it is told. */
typedef struct SlowClient {
        WatchClient watcher;
        bool lags;
        size_t n_benchmarks;
        size_t n_last;
        Benchd__Error__Code code; /* of an error; 0: none came */
        size_t replayed_from;     /* SIZE_MAX: nothing was */
} SlowClient;

static void slow_tell(void *userdata, uint64_t ticket, uint64_t id, bool last, Benchd__Reply *reply) {
        SlowClient *client = userdata;

        client->n_benchmarks += reply->benchmark != NULL;
        client->n_last += last;
        client->code = reply->error ? reply->error->code : client->code;
}

static bool slow_lags(void *userdata) {
        return ((SlowClient *)userdata)->lags;
}

static int slow_replay(void *userdata, uint64_t id, const char *run_id, size_t n_told) {
        ((SlowClient *)userdata)->replayed_from = n_told;
        return 0;
}

/*
 * Tells @client of four benchmarks, where it lags at the third, and of the end: of a job that the history has or has not; with @dropped the
 * record let go of all before that.
 */
static void tell_slow_client(SlowClient *client, bool in_history, bool dropped) {
        const JobServices *services = &the_daemon->services;
        Watches watches = {};
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        Watch *watch;

        *client = (SlowClient){
                .watcher = { .tell = slow_tell, .lags = slow_lags, .replay = slow_replay, .userdata = client },
                .replayed_from = SIZE_MAX,
        };
        assert_int_equal(
                        job_record_new(services->history, services->shares, getuid(), "m.so", NULL, 0, &watches.record),
                        0);
        watches.record->in_history = in_history;
        assert_int_equal(watches_add(&watches, NULL, &client->watcher, 7, &watch), 0);
        assert_true(watch_client_has_open(&client->watcher, 7));
        reply.benchmark = &benchmark;
        for (size_t i = 0; i < 4; i++) {
                client->lags = i == 2;
                assert_int_equal(watches_tell_benchmark(&watches, &reply), 0);
        }
        watches.record->dropped = dropped;
        reply.benchmark = NULL;
        reply.result = &result;
        watches_end(&watches, &reply);
        assert_true(LIST_EMPTY(&watches.list));
        assert_false(watch_client_has_open(&client->watcher, 7));
        job_record_free(watches.record);
}

TEST(a_client_that_lags_gets_the_rest_at_the_end_in_order) {
        SlowClient client;

        tell_slow_client(&client, true, false);
        assert_int_equal(client.n_benchmarks, 2);
        assert_int_equal(client.replayed_from, 2);
        assert_int_equal(client.n_last, 0);
}

TEST(without_a_history_all_is_told_at_once) {
        SlowClient client;

        tell_slow_client(&client, false, false);
        assert_int_equal(client.n_benchmarks, 4);
        assert_int_equal(client.replayed_from, SIZE_MAX);
        assert_int_equal(client.n_last, 1);
}

TEST(results_that_nobody_kept_meanwhile_are_an_error_in_words) {
        SlowClient client;

        tell_slow_client(&client, true, true);
        assert_int_equal(client.n_benchmarks, 2);
        assert_int_equal(client.code, BENCHD__ERROR__CODE__BUSY);
        assert_int_equal(client.n_last, 1);
}
