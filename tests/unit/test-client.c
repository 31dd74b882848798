/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The client library against a daemon that says what a test tells it to, over a real socket: each line of the script is
 * written once the client's next frame was read, so nothing waits for time.
 */

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "benchd.pb-c.h"
#include "benchd/client.h"
#include "proto/frame-queue.h"
#include "proto/frame-reader.h"
#include "util/cleanup.h"
#include "util/fd.h"
#include "util/socket.h"

DEFINE_CLEANUP(benchd_config *, benchd_config_free)
DEFINE_CLEANUP(benchd_client *, benchd_client_free)
DEFINE_CLEANUP(benchd_module *, benchd_module_free)
DEFINE_CLEANUP(benchd_event *, benchd_event_free)
DEFINE_CLEANUP(FrameQueue *, frame_queue_free)
DEFINE_CLEANUP(FrameReader *, frame_reader_free)

/* What the daemon does with the connection @fd; it runs in a process of its own, and returns to close. */
typedef void (*Script)(int fd);

typedef struct Fake {
        char directory[64];
        char socket[96];
        pid_t pid;
        benchd_client *client;
} Fake;

/* ---- the daemon's side */

/* The client's next request; NULL where it is gone. */
static Benchd__Request *read_request(int fd) {
        static FrameReader *reader;
        Benchd__Request *request;
        Frame frame;
        int r;

        if (!reader && frame_reader_new(FRAME_REQUEST_MAX, &reader) != 0)
                abort();
        while ((r = frame_reader_pop(reader, &frame)) == FRAME_E_AGAIN)
                if (frame_reader_receive(reader, fd) != 0)
                        return NULL;
        if (r)
                abort();
        request = benchd__request__unpack(NULL, frame.n_data, frame.data);
        frame_close(&frame);
        if (!request)
                abort();
        return request;
}

static void write_reply(int fd, uint64_t id, Benchd__Reply *reply) {
        FrameQueue *queue;

        reply->has_id = true;
        reply->id = id;
        reply->has_last = true;
        if (frame_queue_new(FRAME_QUEUE_MAX, &queue) != 0 ||
                        frame_queue_push(queue, &reply->base, FRAME_REPLY_MAX, NULL, 0) != 0 ||
                        frame_queue_send(queue, fd) != 0)
                abort();
        frame_queue_free(queue);
}

static void greet_with(int fd, unsigned version) {
        Benchd__Request *request = read_request(fd);
        Benchd__HelloReply hello = BENCHD__HELLO_REPLY__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        if (!request || !request->hello || !request->hello->client || strcmp(request->hello->client, "test 1") != 0)
                abort();
        hello.has_protocol_version = hello.has_module_max_bytes = hello.has_libraries_max = true;
        hello.protocol_version = version;
        hello.module_max_bytes = 1 << 20;
        hello.libraries_max = 16;
        reply.hello = &hello;
        reply.last = true;
        write_reply(fd, request->id, &reply);
        benchd__request__free_unpacked(request, NULL);
}

static void greet(int fd) {
        greet_with(fd, 0);
}

static void write_error(int fd, uint64_t id, int code, const char *message, const char *hint) {
        Benchd__Error error = BENCHD__ERROR__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        error.has_code = true;
        error.code = code;
        error.message = (char *)message;
        error.hint = (char *)hint;
        reply.error = &error;
        reply.last = true;
        write_reply(fd, id, &reply);
}

/* ---- the test's side */

static int serve(int listen_fd, Script script) {
        int fd;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        do
                fd = accept(listen_fd, NULL, NULL);
        while (fd < 0 && errno == EAGAIN);
        if (fd < 0)
                return 1;
        script(fd);
        close(fd);
        return 0;
}

static void fake_start(Fake *fake, Script script) {
        int fd;

        strcpy(fake->directory, "/tmp/benchd-test-client-XXXXXX");
        assert_non_null(mkdtemp(fake->directory));
        snprintf(fake->socket, sizeof fake->socket, "%s/s", fake->directory);
        assert_int_equal(socket_listen(fake->socket, 0600, &fd), 0);
        assert_int_equal(fd_set_nonblock(fd, false), 0);
        fflush(NULL);
        fake->client = NULL;
        fake->pid = fork();
        assert_true(fake->pid >= 0);
        if (fake->pid == 0)
                _exit(serve(fd, script));
        close(fd);
}

static int fake_connect(Fake *fake) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;

        assert_int_equal(benchd_config_new(&config), 0);
        assert_int_equal(benchd_config_set_socket(config, fake->socket), 0);
        assert_int_equal(benchd_config_set_name(config, "test 1"), 0);
        return benchd_client_new(config, &fake->client);
}

/* The daemon's own checks count: it ends with 0 or the test fails. */
static void fake_stop(Fake *fake) {
        int status;

        fake->client = benchd_client_free(fake->client);
        assert_int_equal(waitpid(fake->pid, &status, 0), fake->pid);
        assert_int_equal(status, 0);
        unlink(fake->socket);
        rmdir(fake->directory);
}

/* Connects to a daemon with @script, and returns what that returned. */
static int connect_to(Script script) {
        Fake fake;
        int r;

        fake_start(&fake, script);
        r = fake_connect(&fake);
        fake_stop(&fake);
        return r;
}

static benchd_event *next(Fake *fake, int type, uint64_t id) {
        benchd_event *event;

        assert_int_equal(benchd_client_wait_event(fake->client, &event), 0);
        assert_int_equal(benchd_event_type(event), type);
        assert_int_equal(benchd_event_request(event), id);
        return event;
}

/* ---- greeting */

static void greet_as_newer(int fd) {
        greet_with(fd, 1);
}

static void greet_busy(int fd) {
        write_error(fd, 1, BENCHD__ERROR__CODE__BUSY, "full", NULL);
        read_request(fd);
}

static void greet_with_silence(int fd) {
        read_request(fd);
}

static void greet_with_noise(int fd) {
        static const uint8_t noise[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

        read_request(fd);
        if (write(fd, noise, sizeof noise) != sizeof noise)
                abort();
}

static void greet_with_no_message(int fd) {
        static const uint8_t no_message[] = { 2, 0x0f, 0x0f };

        read_request(fd);
        if (write(fd, no_message, sizeof no_message) != sizeof no_message)
                abort();
}

static void each_greeting_has_its_outcome(void **state) {
        assert_int_equal(connect_to(greet), 0);
        assert_int_equal(connect_to(greet_as_newer), BENCHD_E_VERSION);
        assert_int_equal(connect_to(greet_busy), BENCHD_E_BUSY);
        assert_int_equal(connect_to(greet_with_silence), BENCHD_E_CLOSED);
        assert_int_equal(connect_to(greet_with_noise), BENCHD_E_PROTOCOL);
        assert_int_equal(connect_to(greet_with_no_message), BENCHD_E_PROTOCOL);
}

static void where_nobody_listens_there_is_no_daemon(void **state) {
        Fake fake = { .socket = "/tmp/benchd-test-client-none/s" };

        assert_int_equal(fake_connect(&fake), BENCHD_E_NO_DAEMON);
        memset(fake.socket, 'x', sizeof fake.socket - 1);
        assert_int_equal(fake_connect(&fake), BENCHD_E_NO_DAEMON);
}

/* ---- a run */

static void write_benchmark(int fd, uint64_t id, const char *name) {
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        benchmark.name = (char *)name;
        reply.benchmark = &benchmark;
        write_reply(fd, id, &reply);
}

static void write_progress(int fd, uint64_t id) {
        Benchd__Progress progress = BENCHD__PROGRESS__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        progress.has_stage = progress.has_process = progress.has_processes = true;
        progress.stage = BENCHD__PROGRESS__STAGE__MEASURING;
        progress.process = 3;
        progress.processes = 20;
        progress.benchmark_name = (char *)"one";
        reply.progress = &progress;
        write_reply(fd, id, &reply);
}

static void write_result(int fd, uint64_t id) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        result.has_verdict = true;
        result.verdict = BENCHD__RUN_RESULT__VERDICT__FIT;
        reply.result = &result;
        reply.last = true;
        write_reply(fd, id, &reply);
}

/* A reply that holds nothing which this library knows: a newer daemon's. */
static void write_newer(int fd, uint64_t id) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        write_reply(fd, id, &reply);
}

static void serve_run(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        if (!request || !request->run || strcmp(request->run->module_name, "passwd") != 0 || request->run->seed != 7 ||
                        request->run->n_filters != 1)
                abort();
        write_progress(fd, request->id);
        write_newer(fd, request->id);
        write_benchmark(fd, request->id, "two");
        write_benchmark(fd, request->id, "one");
        write_result(fd, request->id);
        read_request(fd); /* until the client is gone */
}

static benchd_module *some_module(void) {
        benchd_module *module;

        assert_int_equal(benchd_module_new(&module), 0);
        assert_int_equal(benchd_module_open(module, "/etc/passwd"), 0);
        return module;
}

static uint64_t start_run(Fake *fake) {
        _cleanup_(benchd_module_freep) benchd_module *module = some_module();
        benchd_options *options;
        uint64_t id = 0;

        assert_int_equal(benchd_options_new(&options), 0);
        assert_int_equal(benchd_options_set(options, "seed", "7"), 0);
        assert_int_equal(benchd_options_add_filter(options, "a/*"), 0);
        assert_int_equal(benchd_client_run(fake->client, module, options, &id), 0);
        benchd_options_free(options); /* a request holds what it needs */
        assert_true(id > 0);
        return id;
}

static void a_results_benchmarks_are_those_that_came_before(void **state) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        benchd_event *event;
        Fake fake;
        uint64_t id;

        fake_start(&fake, serve_run);
        assert_int_equal(fake_connect(&fake), 0);
        id = start_run(&fake);

        event = next(&fake, BENCHD_EVENT_PROGRESS, id);
        assert_string_equal(benchd_event_progress(event)->stage, "measuring");
        assert_string_equal(benchd_event_progress(event)->benchmark_name, "one");
        assert_int_equal(benchd_event_progress(event)->process, 3);
        assert_null(benchd_event_json(event));
        benchd_event_free(event);

        event = next(&fake, BENCHD_EVENT_BENCHMARK, id);
        assert_false(benchd_event_last(event));
        assert_non_null(strstr(benchd_event_json(event), "\"name\": \"two\""));
        benchd_event_free(event);
        benchd_event_free(next(&fake, BENCHD_EVENT_BENCHMARK, id));

        event = next(&fake, BENCHD_EVENT_RESULT, id);
        assert_true(benchd_event_last(event));
        json = json_loads(benchd_event_json(event), 0, NULL);
        assert_int_equal(json_array_size(json_object_get(json, "benchmarks")), 2);
        assert_string_equal(json_string_value(json_object_get(json, "verdict")), "fit");
        benchd_event_free(event);
        assert_null(benchd_client_pop_event(fake.client));

        fake_stop(&fake);
}

/* ---- other ends of a request */

static void serve_refusal(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        write_error(fd, request->id, BENCHD__ERROR__CODE__BAD_MODULE, "It is a text.", "Compile it.");
}

static void an_error_has_a_word_a_sentence_and_a_hint(void **state) {
        _cleanup_(benchd_event_freep) benchd_event *event = NULL, *none = NULL;
        Fake fake;
        uint64_t id;

        fake_start(&fake, serve_refusal);
        assert_int_equal(fake_connect(&fake), 0);
        id = start_run(&fake);
        event = next(&fake, BENCHD_EVENT_ERROR, id);
        assert_true(benchd_event_last(event));
        assert_string_equal(benchd_event_error_code(event), "bad-module");
        assert_string_equal(benchd_event_error_message(event), "It is a text.");
        assert_string_equal(benchd_event_error_hint(event), "Compile it.");
        assert_int_equal(benchd_client_wait_event(fake.client, &none), BENCHD_E_CLOSED);
        fake_stop(&fake);
}

static void serve_strange_id(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        write_result(fd, request->id + 1);
}

static void serve_benchmark_of_status(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        write_benchmark(fd, request->id, "one");
}

static void serve_newer_end(int fd) {
        Benchd__Request *request;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        greet(fd);
        request = read_request(fd);
        reply.last = true;
        write_reply(fd, request->id, &reply);
}

/* A request for the status, and what waiting for its answer returns. */
static int ask_status(Script script) {
        _cleanup_(benchd_event_freep) benchd_event *event = NULL;
        Fake fake;
        int r;

        fake_start(&fake, script);
        assert_int_equal(fake_connect(&fake), 0);
        assert_int_equal(benchd_client_status(fake.client, NULL), 0);
        r = benchd_client_wait_event(fake.client, &event);
        fake_stop(&fake);
        return r;
}

static void what_a_daemon_may_not_say_ends_the_connection(void **state) {
        assert_int_equal(ask_status(serve_strange_id), BENCHD_E_PROTOCOL);
        assert_int_equal(ask_status(serve_benchmark_of_status), BENCHD_E_PROTOCOL);
        assert_int_equal(ask_status(serve_newer_end), BENCHD_E_PROTOCOL);
        assert_int_equal(ask_status(greet), BENCHD_E_CLOSED);
}

/* ---- jobs */

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

static void a_detached_run_ends_when_it_is_accepted(void **state) {
        _cleanup_(benchd_module_freep) benchd_module *module = some_module();
        _cleanup_(benchd_event_freep) benchd_event *event = NULL;
        benchd_options *options;
        Fake fake;
        uint64_t id;

        fake_start(&fake, serve_detached);
        assert_int_equal(fake_connect(&fake), 0);
        assert_int_equal(benchd_options_new(&options), 0);
        assert_int_equal(benchd_options_set(options, "detach", NULL), 0);
        assert_int_equal(benchd_client_run(fake.client, module, options, &id), 0);
        benchd_options_free(options);
        event = next(&fake, BENCHD_EVENT_ACCEPTED, id);
        assert_true(benchd_event_last(event));
        assert_string_equal(benchd_event_run_id(event), job);
        assert_non_null(strstr(benchd_event_json(event), "\"stored\": true"));
        fake_stop(&fake);
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
static size_t take_result(Fake *fake, uint64_t id) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        benchd_event *event;

        do {
                assert_int_equal(benchd_client_wait_event(fake->client, &event), 0);
                assert_int_equal(benchd_event_request(event), id);
                if (benchd_event_last(event)) {
                        assert_int_equal(benchd_event_type(event), BENCHD_EVENT_RESULT);
                        json = json_loads(benchd_event_json(event), 0, NULL);
                }
                benchd_event_free(event);
        } while (!json);
        return json_array_size(json_object_get(json, "benchmarks"));
}

static void a_job_that_is_followed_or_shown_gives_what_its_run_did(void **state) {
        Fake fake;
        uint64_t id;

        fake_start(&fake, serve_wait_and_show);
        assert_int_equal(fake_connect(&fake), 0);
        assert_int_equal(benchd_client_wait(fake.client, "01234", &id), 0);
        assert_int_equal(take_result(&fake, id), 1);
        assert_int_equal(benchd_client_show(fake.client, job, &id), 0);
        assert_int_equal(take_result(&fake, id), 1);
        fake_stop(&fake);
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

static void assert_answer(Fake *fake, int type, uint64_t id, const char *mentions) {
        _cleanup_(benchd_event_freep) benchd_event *event = next(fake, type, id);

        assert_true(benchd_event_last(event));
        if (!strstr(benchd_event_json(event), mentions))
                fail_msg("no %s in %s", mentions, benchd_event_json(event));
}

static void what_is_changed_about_a_job_is_answered(void **state) {
        Fake fake;
        uint64_t id;

        fake_start(&fake, serve_changes);
        assert_int_equal(fake_connect(&fake), 0);
        assert_int_equal(benchd_client_pin(fake.client, job, true, &id), 0);
        assert_answer(&fake, BENCHD_EVENT_PIN, id, "\"pinned\": true");
        assert_int_equal(benchd_client_pin(fake.client, job, false, &id), 0);
        assert_answer(&fake, BENCHD_EVENT_PIN, id, "\"pinned\": false");
        assert_int_equal(benchd_client_cancel_job(fake.client, job, &id), 0);
        assert_answer(&fake, BENCHD_EVENT_CANCEL, id, "\"found\": false");
        fake_stop(&fake);
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

static void a_history_is_asked_for_as_its_query_says(void **state) {
        benchd_query *query;
        Fake fake;
        uint64_t id;

        fake_start(&fake, serve_histories);
        assert_int_equal(fake_connect(&fake), 0);
        assert_int_equal(benchd_client_history(fake.client, NULL, &id), 0);
        assert_answer(&fake, BENCHD_EVENT_HISTORY, id, "\"state\": \"running\"");

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
        assert_answer(&fake, BENCHD_EVENT_HISTORY, id, job);
        fake_stop(&fake);
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

static void a_job_that_cannot_be_shown_has_a_word_for_why(void **state) {
        static const char *const words[] = { "not-found", "not-done", "lost" };
        Fake fake;
        uint64_t id;

        fake_start(&fake, serve_job_errors);
        assert_int_equal(fake_connect(&fake), 0);
        for (size_t i = 0; i < N_ELEMENTS(words); i++) {
                _cleanup_(benchd_event_freep) benchd_event *event = NULL;

                assert_int_equal(benchd_client_show(fake.client, job, &id), 0);
                event = next(&fake, BENCHD_EVENT_ERROR, id);
                assert_string_equal(benchd_event_error_code(event), words[i]);
                assert_null(benchd_event_run_id(event));
        }
        fake_stop(&fake);
}

static void every_outcome_has_words_of_its_own(void **state) {
        for (int i = 0; i <= BENCHD_E_BAD_OPTION; i++)
                for (int j = 0; j < i; j++)
                        assert_string_not_equal(benchd_error_string(i), benchd_error_string(j));
        assert_string_equal(benchd_error_string(-ENOENT), "No such file or directory");
        assert_string_equal(benchd_error_string(12345), "an unknown error");
        assert_string_equal(benchd_error_string(-12345), "an unknown error");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_greeting_has_its_outcome),
                cmocka_unit_test(where_nobody_listens_there_is_no_daemon),
                cmocka_unit_test(a_results_benchmarks_are_those_that_came_before),
                cmocka_unit_test(an_error_has_a_word_a_sentence_and_a_hint),
                cmocka_unit_test(what_a_daemon_may_not_say_ends_the_connection),
                cmocka_unit_test(a_detached_run_ends_when_it_is_accepted),
                cmocka_unit_test(a_job_that_is_followed_or_shown_gives_what_its_run_did),
                cmocka_unit_test(what_is_changed_about_a_job_is_answered),
                cmocka_unit_test(a_history_is_asked_for_as_its_query_says),
                cmocka_unit_test(a_job_that_cannot_be_shown_has_a_word_for_why),
                cmocka_unit_test(every_outcome_has_words_of_its_own),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
