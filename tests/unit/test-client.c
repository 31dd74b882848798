/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A connection to a daemon: its greeting, a run, and what a daemon may not say. */

#include <jansson.h>
#include <poll.h>

#include "fake-daemon.h"
#include "lib/event.h"

/* ---- greeting */

/* Connects to a daemon with @script, and returns what that returned. */
static int connect_to(Script script) {
        int r;

        fake_start(script);
        r = fake_connect();
        assert_int_equal(fake_stop(), 0);
        return r;
}

static void greet_as_newer(int fd) {
        greet_with(fd, 1);
}

/* As one does that turns a connection away: it reads nothing. */
static void greet_busy(int fd) {
        write_error(fd, 0, BENCHD__ERROR__CODE__BUSY, "full", "go away");
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

TEST(each_greeting_has_its_outcome) {
        assert_int_equal(connect_to(greet), 0);
        assert_int_equal(connect_to(greet_as_newer), BENCHD_E_VERSION);
        assert_int_equal(connect_to(greet_busy), BENCHD_E_BUSY);
        assert_int_equal(connect_to(greet_with_silence), BENCHD_E_CLOSED);
        assert_int_equal(connect_to(greet_with_noise), BENCHD_E_PROTOCOL);
        assert_int_equal(connect_to(greet_with_no_message), BENCHD_E_PROTOCOL);
}

TEST(where_nobody_listens_there_is_no_daemon) {
        strcpy(fake.socket, "/tmp/benchd-test-client-none/s");
        assert_int_equal(fake_connect(), BENCHD_E_NO_DAEMON);
        memset(fake.socket, 'x', sizeof fake.socket - 1);
        assert_int_equal(fake_connect(), BENCHD_E_NO_DAEMON);
}

/* ---- a run */

/* A reply that holds nothing which this library knows: a newer daemon's. */
static void write_newer(int fd, uint64_t id) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        write_reply(fd, id, &reply);
}

static void serve_run(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        if (!request || !request->run || strcmp(request->run->module_name, "/etc/passwd") != 0 ||
                        request->run->seed != 7 || request->run->n_filters != 1)
                abort();
        write_progress(fd, request->id);
        write_newer(fd, request->id);
        write_benchmark(fd, request->id, "two");
        write_benchmark(fd, request->id, "one");
        write_result(fd, request->id);
        read_request(fd); /* until the client is gone */
}

static uint64_t start_run(void) {
        _cleanup_(benchd_module_freep) benchd_module *module = some_module();
        benchd_options *options;
        uint64_t id = 0;

        assert_int_equal(benchd_options_new(&options), 0);
        assert_int_equal(benchd_options_set(options, "seed", "7"), 0);
        assert_int_equal(benchd_options_add_filter(options, "a/*"), 0);
        assert_int_equal(benchd_client_run(fake.client, module, options, &id), 0);
        benchd_options_free(options); /* a request holds what it needs */
        assert_true(id > 0);
        return id;
}

TEST(a_results_benchmarks_are_those_that_came_before) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        benchd_event *event;
        uint64_t id;

        fake_serve(serve_run);
        id = start_run();

        event = next(BENCHD_EVENT_PROGRESS, id);
        assert_string_equal(benchd_event_progress(event)->stage, "measuring");
        assert_string_equal(benchd_event_progress(event)->benchmark_name, "one");
        assert_int_equal(benchd_event_progress(event)->process, 3);
        assert_null(benchd_event_json(event));
        benchd_event_free(event);

        event = next(BENCHD_EVENT_BENCHMARK, id);
        assert_false(benchd_event_last(event));
        assert_non_null(strstr(benchd_event_json(event), "\"name\": \"two\""));
        benchd_event_free(event);
        benchd_event_free(next(BENCHD_EVENT_BENCHMARK, id));

        event = next(BENCHD_EVENT_RESULT, id);
        assert_true(benchd_event_last(event));
        json = json_loads(benchd_event_json(event), 0, NULL);
        assert_true(json_equal(json, event_json(event)));
        assert_ptr_equal(benchd_event_json(event), benchd_event_json(event));
        assert_int_equal(json_array_size(json_object_get(json, "benchmarks")), 2);
        assert_string_equal(json_string_value(json_object_get(json, "verdict")), "fit");
        benchd_event_free(event);
        assert_null(benchd_client_pop_event(fake.client));
}

/* ---- an inspection */

static void serve_inspection(int fd) {
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Inspection inspection = BENCHD__INSPECTION__INIT;
        Benchd__InspectedBenchmark benchmark = BENCHD__INSPECTED_BENCHMARK__INIT;
        Benchd__InspectedBenchmark *benchmarks[] = { &benchmark };
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        if (!request || !request->inspect || strcmp(request->inspect->benchmark, "a/one") != 0 ||
                        !request->inspect->code || request->inspect->source ||
                        strcmp(request->inspect->module_name, "/etc/passwd") != 0)
                abort();
        benchmark.name = (char *)"one";
        inspection.benchmarks = benchmarks;
        inspection.n_benchmarks = 1;
        reply.inspection = &inspection;
        reply.has_last = reply.last = true;
        write_reply(fd, request->id, &reply);
        read_request(fd); /* until the client is gone */
}

TEST(an_inspection_has_all_fields_and_no_loop_is_null) {
        _cleanup_(benchd_module_freep) benchd_module *module = some_module();
        _cleanup_(json_decrefp) json_t *json = NULL;
        const json_t *benchmark;
        benchd_event *event;
        uint64_t id = 0;

        fake_serve(serve_inspection);
        assert_int_equal(benchd_client_inspect(fake.client, module, "a/one", BENCHD_INSPECT_CODE, &id), 0);
        event = next(BENCHD_EVENT_INSPECTION, id);
        assert_true(benchd_event_last(event));
        json = json_loads(benchd_event_json(event), 0, NULL);
        benchmark = json_array_get(json_object_get(json, "benchmarks"), 0);
        assert_string_equal(json_string_value(json_object_get(benchmark, "name")), "one");
        assert_true(json_is_null(json_object_get(benchmark, "loop")));
        assert_true(json_is_array(json_object_get(json, "functions")));
        assert_true(json_is_null(json_object_get(json_object_get(json, "module"), "build_id")));
        benchd_event_free(event);
}

/* ---- other ends of a request */

static void serve_refusal(int fd) {
        Benchd__Request *request;

        greet(fd);
        request = read_request(fd);
        write_error(fd, request->id, BENCHD__ERROR__CODE__BAD_MODULE, "It is a text.", "Compile it.");
}

TEST(an_error_has_a_word_a_sentence_and_a_hint) {
        _cleanup_(benchd_event_freep) benchd_event *event = NULL, *none = NULL;
        uint64_t id;

        fake_serve(serve_refusal);
        id = start_run();
        event = next(BENCHD_EVENT_ERROR, id);
        assert_true(benchd_event_last(event));
        assert_string_equal(benchd_event_error_code(event), "bad-module");
        assert_string_equal(benchd_event_error_message(event), "It is a text.");
        assert_string_equal(benchd_event_error_hint(event), "Compile it.");
        assert_int_equal(benchd_client_wait_event(fake.client, &none), BENCHD_E_CLOSED);
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
        int r;

        fake_serve(script);
        assert_int_equal(benchd_client_status(fake.client, NULL), 0);
        r = benchd_client_wait_event(fake.client, &event);
        assert_int_equal(fake_stop(), 0);
        return r;
}

TEST(what_a_daemon_may_not_say_ends_the_connection) {
        assert_int_equal(ask_status(serve_strange_id), BENCHD_E_PROTOCOL);
        assert_int_equal(ask_status(serve_benchmark_of_status), BENCHD_E_PROTOCOL);
        assert_int_equal(ask_status(serve_newer_end), BENCHD_E_PROTOCOL);
        assert_int_equal(ask_status(greet), BENCHD_E_CLOSED);
}

/* ---- through a command */

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static benchd_config *config_of_command(const char *const *argv) {
        benchd_config *config;

        assert_int_equal(benchd_config_new(&config), 0);
        assert_int_equal(benchd_config_set_command(config, argv), 0);
        return config;
}

static int connect_by(const char *const *argv) {
        _cleanup_(benchd_config_freep) benchd_config *config = config_of_command(argv);
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;

        return benchd_client_new(config, &client);
}

TEST(each_end_of_a_command_has_its_outcome) {
        _cleanup_(benchd_config_freep) benchd_config *config = config_of_command(ARGV("true"));

        assert_int_equal(benchd_config_set_command(config, ARGV(NULL)), -EINVAL);
        assert_int_equal(connect_by(ARGV("/no-such-program-anywhere")), -ENOENT);
        assert_int_equal(connect_by(ARGV("true")), BENCHD_E_BRIDGE_ENDED);
        assert_int_equal(connect_by(ARGV("echo", "hello")), BENCHD_E_NO_BRIDGE);
        assert_int_equal(connect_by(ARGV("printf", "benchd-bri")), BENCHD_E_NO_BRIDGE);
        assert_int_equal(connect_by(ARGV("printf", "benchd-bridge 1\\n")), BENCHD_E_CLOSED);
        assert_int_equal(connect_by(ARGV("printf", "benchd-bridge 1\\n\\377\\377\\377\\377\\377")), BENCHD_E_PROTOCOL);
}

/* Returns as the library does, 0 where the client is ready. */
static int dispatch_until_ready(benchd_client *client) {
        int r = 0;

        while (r == 0 && !benchd_client_ready(client)) {
                struct pollfd poll_fd = { benchd_client_fd(client), benchd_client_poll_events(client), 0 };

                assert_int_equal(poll(&poll_fd, 1, -1), 1);
                r = benchd_client_dispatch(client);
        }
        return r;
}

/* The client is there before anything answers, and tells later why nothing will. */
TEST(a_client_begins_without_waiting) {
        _cleanup_(benchd_config_freep) benchd_config *config = config_of_command(ARGV("sh", "-c",
                        "read -r go; printf '\\n\\r\\nWelcome \\377\\033back\\n'; exec cat >/dev/null"));
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;

        assert_int_equal(benchd_client_begin(config, &client), 0);
        assert_false(benchd_client_ready(client));
        assert_int_equal(benchd_client_poll_events(client), POLLIN | POLLOUT);
        assert_null(benchd_client_pop_event(client));
        assert_string_equal(benchd_client_heard(client), "");
        assert_int_equal(write(benchd_client_fd(client), "\n", 1), 1);
        assert_int_equal(dispatch_until_ready(client), BENCHD_E_NO_BRIDGE);
        assert_string_equal(benchd_client_heard(client), "Welcome ??back");
        assert_false(benchd_client_ready(client));
}

TEST(a_refusal_comes_with_the_daemons_words) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;
        benchd_event *event;

        fake_start(greet_busy);
        assert_int_equal(benchd_config_new(&config), 0);
        assert_int_equal(benchd_config_set_socket(config, fake.socket), 0);
        assert_int_equal(benchd_client_begin(config, &client), 0);
        assert_int_equal(dispatch_until_ready(client), BENCHD_E_BUSY);
        event = benchd_client_pop_event(client);
        assert_non_null(event);
        assert_int_equal(benchd_event_type(event), BENCHD_EVENT_ERROR);
        assert_string_equal(benchd_event_error_code(event), "busy");
        assert_string_equal(benchd_event_error_message(event), "full");
        assert_string_equal(benchd_event_error_hint(event), "go away");
        benchd_event_free(event);
        assert_null(benchd_client_pop_event(client));
}

TEST(every_outcome_has_words_of_its_own) {
        for (int i = 0; i <= BENCHD_E_NO_BRIDGE; i++)
                for (int j = 0; j < i; j++)
                        assert_string_not_equal(benchd_error_string(i), benchd_error_string(j));
        assert_string_equal(benchd_error_string(-ENOENT), "No such file or directory");
        assert_string_equal(benchd_error_string(12345), "unknown error");
        assert_string_equal(benchd_error_string(-12345), "unknown error");
}
