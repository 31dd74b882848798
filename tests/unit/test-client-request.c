/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Requests about jobs: detached, followed, shown, changed and listed, and what a daemon says where that cannot be. */

#include <jansson.h>

#include "fake-daemon.h"
#include "lib/event.h"

static const char job[] = "0123456789abcdef0123456789abcdef";

static void write_accepted(int fd, uint64_t id, bool last) {
        Benchd__Accepted accepted = BENCHD__ACCEPTED__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        accepted.run_id = (char *)job;
        accepted.has_stored = accepted.stored = true;
        reply.accepted = &accepted;
        reply.last = last;
        write_reply(fd, id, &reply);
}

static void write_history(int fd, uint64_t id) {
        Benchd__HistoryEntry entry = BENCHD__HISTORY_ENTRY__INIT;
        Benchd__History history = BENCHD__HISTORY__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        entry.run_id = (char *)job;
        entry.has_state = true;
        entry.state = BENCHD__JOB_STATE__JOB_RUNNING;
        history.n_entries = 1;
        history.entries = (Benchd__HistoryEntry *[]){ &entry };
        reply.history = &history;
        reply.last = true;
        write_reply(fd, id, &reply);
}

static void write_pinned(int fd, uint64_t id, bool pinned) {
        Benchd__PinReply pin = BENCHD__PIN_REPLY__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        pin.has_pinned = pin.has_stored = true;
        pin.pinned = pinned;
        reply.pin = &pin;
        reply.last = true;
        write_reply(fd, id, &reply);
}

static void write_cancelled(int fd, uint64_t id) {
        Benchd__CancelReply cancel = BENCHD__CANCEL_REPLY__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        cancel.has_found = true;
        reply.cancel = &cancel;
        reply.last = true;
        write_reply(fd, id, &reply);
}

static void serve_detached(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        if (!request->run || !request->run->has_detach || !request->run->detach)
                abort();
        write_accepted(fd, request->id, true);
        read_request(fd);
}

TEST(a_detached_run_ends_when_it_is_accepted) {
        _cleanup_(benchd_module_freep) benchd_module *module = some_module();
        _cleanup_(benchd_event_freep) benchd_event *event = NULL;
        benchd_options *options;
        uint64_t id;

        fake_serve(serve_detached);
        assert_int_equal(benchd_options_new(&options), 0);
        assert_int_equal(benchd_options_set(options, "detach", NULL), 0);
        assert_int_equal(benchd_client_run(fake.client, module, options, &id), 0);
        benchd_options_free(options);
        event = next(BENCHD_EVENT_ACCEPTED, id);
        assert_true(benchd_event_last(event));
        assert_string_equal(benchd_event_run_id(event), job);
        assert_non_null(strstr(benchd_event_json(event), "\"stored\": true"));
}

static void serve_wait_and_show(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        if (!request->wait || strcmp(request->wait->run_id, "01234") != 0)
                abort();
        write_accepted(fd, request->id, false);
        write_progress(fd, request->id);
        write_benchmark(fd, request->id, "one");
        write_result(fd, request->id);
        request = read_request(fd);
        if (!request->show || strcmp(request->show->run_id, job) != 0)
                abort();
        write_benchmark(fd, request->id, "one");
        write_result(fd, request->id);
        read_request(fd);
}

/* Takes what a run sends, up to its result, and returns how many benchmarks that has. */
static size_t take_result(uint64_t id) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        benchd_event *event;

        do {
                assert_int_equal(benchd_client_wait_event(fake.client, &event), 0);
                assert_int_equal(benchd_event_request(event), id);
                if (benchd_event_last(event)) {
                        assert_int_equal(benchd_event_type(event), BENCHD_EVENT_RESULT);
                        json = json_loads(benchd_event_json(event), 0, NULL);
                }
                benchd_event_free(event);
        } while (!json);
        return json_array_size(json_object_get(json, "benchmarks"));
}

TEST(a_job_that_is_followed_or_shown_gives_what_its_run_did) {
        uint64_t id;

        fake_serve(serve_wait_and_show);
        assert_int_equal(benchd_client_wait(fake.client, "01234", &id), 0);
        assert_int_equal(take_result(id), 1);
        assert_int_equal(benchd_client_show(fake.client, job, &id), 0);
        assert_int_equal(take_result(id), 1);
}

static void serve_changes(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        if (!request->pin || strcmp(request->pin->run_id, job) != 0 || !request->pin->pinned)
                abort();
        write_pinned(fd, request->id, true);
        request = read_request(fd);
        if (!request->pin || !request->pin->has_pinned || request->pin->pinned)
                abort();
        write_pinned(fd, request->id, false);
        request = read_request(fd);
        if (!request->cancel || request->cancel->has_request_id || strcmp(request->cancel->run_id, job) != 0)
                abort();
        write_cancelled(fd, request->id);
        read_request(fd);
}

static void assert_answer(int type, uint64_t id, const char *mentions) {
        _cleanup_(benchd_event_freep) benchd_event *event = next(type, id);

        assert_true(benchd_event_last(event));
        if (!strstr(benchd_event_json(event), mentions))
                fail_msg("no %s in %s", mentions, benchd_event_json(event));
}

TEST(what_is_changed_about_a_job_is_answered) {
        uint64_t id;

        fake_serve(serve_changes);
        assert_int_equal(benchd_client_pin(fake.client, job, true, &id), 0);
        assert_answer(BENCHD_EVENT_PIN, id, "\"pinned\": true");
        assert_int_equal(benchd_client_pin(fake.client, job, false, &id), 0);
        assert_answer(BENCHD_EVENT_PIN, id, "\"pinned\": false");
        assert_int_equal(benchd_client_cancel_job(fake.client, job, &id), 0);
        assert_answer(BENCHD_EVENT_CANCEL, id, "\"found\": false");
}

static void serve_histories(int fd) {
        Benchd__HistoryRequest *history;
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        history = request->history;
        if (!history || history->module_glob || history->has_since_unix_ns || history->has_state ||
                        history->has_limit || history->has_all_users)
                abort();
        write_history(fd, request->id);
        request = read_request(fd);
        history = request->history;
        if (!history || strcmp(history->module_glob, "b*") != 0 || history->since_unix_ns != 12 ||
                        history->state != BENCHD__JOB_STATE__JOB_LOST || history->limit != 1000 || !history->all_users)
                abort();
        write_history(fd, request->id);
        read_request(fd);
}

TEST(a_history_is_asked_for_as_its_query_says) {
        benchd_query *query;
        uint64_t id;

        fake_serve(serve_histories);
        assert_int_equal(benchd_client_history(fake.client, NULL, &id), 0);
        assert_answer(BENCHD_EVENT_HISTORY, id, "\"state\": \"running\"");

        assert_int_equal(benchd_query_new(&query), 0);
        assert_int_equal(benchd_query_set_module(query, "a*"), 0);
        assert_int_equal(benchd_query_set_module(query, "b*"), 0);
        benchd_query_set_since(query, 12);
        assert_int_equal(benchd_query_set_state(query, "lost"), 0);
        assert_int_equal(benchd_query_set_state(query, "LOST"), BENCHD_E_BAD_OPTION);
        assert_int_equal(benchd_query_set_limit(query, 1000), 0);
        assert_int_equal(benchd_query_set_limit(query, 1001), BENCHD_E_BAD_OPTION);
        assert_int_equal(benchd_query_set_limit(query, 0), BENCHD_E_BAD_OPTION);
        benchd_query_set_all_users(query, true);
        assert_int_equal(benchd_client_history(fake.client, query, &id), 0);
        benchd_query_free(query);
        assert_answer(BENCHD_EVENT_HISTORY, id, job);
}

static void serve_questions(int fd) {
        Benchd__SetGovernorRequest *governor;
        Benchd__HistoryRequest *history;
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        history = request->history;
        if (!history || strcmp(history->module_glob, "b*") != 0 || history->since_unix_ns != 12 ||
                        history->state != BENCHD__JOB_STATE__JOB_LOST || history->limit != 1000 ||
                        !history->has_all_users || history->all_users)
                abort();
        write_history(fd, request->id);
        request = read_request(fd);
        governor = request->set_governor;
        if (!governor || governor->name || !governor->restore || governor->n_cpus != 2 || governor->cpus[1] != 7)
                abort();
        write_cancelled(fd, request->id);
        read_request(fd);
}

TEST(any_question_is_asked_by_its_name_and_fields) {
        uint64_t id;

        fake_serve(serve_questions);
        assert_int_equal(benchd_client_ask(fake.client, "history",
                                         "{\"module_glob\": \"b*\", \"since_unix_ns\": 12, \"state\": \"lost\", "
                                         "\"limit\": 1000, \"all_users\": false}",
                                         &id),
                        0);
        assert_answer(BENCHD_EVENT_HISTORY, id, job);
        assert_int_equal(benchd_client_ask(fake.client, "set_governor", "{\"restore\": true, \"cpus\": [0, 7]}", &id),
                        0);
        assert_answer(BENCHD_EVENT_CANCEL, id, "\"found\": false");
}

static void serve_none(int fd) {
        greet(fd);
        read_request(fd);
}

TEST(a_question_that_the_protocol_lacks_is_not_sent) {
        static const char *const wrong[][2] = {
                { "frobnicate", NULL },
                { "id", "1" },
                { "pin", "{" },
                { "pin", "[]" },
                { "pin", "{\"frob\": 1}" },
                { "pin", "{\"run_id\": 1}" },
                { "pin", "{\"run_id\": null}" },
                { "pin", "{\"pinned\": 1}" },
                { "history", "{\"limit\": -1}" },
                { "history", "{\"limit\": 4294967296}" },
                { "history", "{\"limit\": 1.5}" },
                { "history", "{\"state\": \"LOST\"}" },
                { "history", "{\"state\": 1}" },
                { "set_governor", "{\"cpus\": 1}" },
                { "set_governor", "{\"cpus\": [0, \"1\"]}" },
                { "run", "{\"precision\": \"1\"}" },
                { "run", "{\"comparison\": {}}" },
        };

        fake_serve(serve_none);
        for (size_t i = 0; i < N_ELEMENTS(wrong); i++)
                if (benchd_client_ask(fake.client, wrong[i][0], wrong[i][1], NULL) != BENCHD_E_BAD_OPTION)
                        fail_msg("%s %s", wrong[i][0], wrong[i][1]);
}

TEST(an_answer_without_a_type_of_its_own_has_that_of_answers) {
        assert_int_equal(event_type_of("pin"), BENCHD_EVENT_PIN);
        assert_int_equal(event_type_of("forecast"), BENCHD_EVENT_ANSWER);
}

static void serve_job_errors(int fd) {
        static const int codes[] = { BENCHD__ERROR__CODE__NOT_FOUND, BENCHD__ERROR__CODE__NOT_DONE,
                BENCHD__ERROR__CODE__LOST };
        Benchd__Request *request;

        greet(fd);
        for (size_t i = 0; i < N_ELEMENTS(codes); i++) {
                request = read_request(fd);
                write_error(fd, request->id, codes[i], "It is so.", NULL);
        }
        read_request(fd);
}

TEST(a_job_that_cannot_be_shown_has_a_word_for_why) {
        static const char *const words[] = { "not-found", "not-done", "lost" };
        uint64_t id;

        fake_serve(serve_job_errors);
        for (size_t i = 0; i < N_ELEMENTS(words); i++) {
                _cleanup_(benchd_event_freep) benchd_event *event = NULL;

                assert_int_equal(benchd_client_show(fake.client, job, &id), 0);
                event = next(BENCHD_EVENT_ERROR, id);
                assert_string_equal(benchd_event_error_code(event), words[i]);
                assert_null(benchd_event_run_id(event));
        }
}
