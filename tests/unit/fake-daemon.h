/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A daemon that says what a test tells it to, over a real socket: each line of the script is written once the client's next
 * frame was read, so nothing waits for time.
 */

#include <sys/prctl.h>

#include "benchd.pb-c.h"
#include "benchd/client.h"
#include "proto/frame-queue.h"
#include "proto/frame-reader.h"
#include "test.h"
#include "util/socket.h"

DEFINE_CLEANUP(benchd_config *, benchd_config_free)
DEFINE_CLEANUP(benchd_client *, benchd_client_free)
DEFINE_CLEANUP(benchd_module *, benchd_module_free)
DEFINE_CLEANUP(benchd_event *, benchd_event_free)

/* What the daemon does with the connection @fd; it runs in a process of its own, and returns to close. */
typedef void (*Script)(int fd);

typedef struct Fake {
        char directory[64];
        char socket[96];
        pid_t pid;
        benchd_client *client;
} Fake;

static Fake fake;

/* ---- the daemon's side */

/* The client's next request; NULL where it is gone. */
static inline Benchd__Request *read_request(int fd) {
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

static inline void write_reply(int fd, uint64_t id, Benchd__Reply *reply) {
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

static inline void greet_with(int fd, unsigned version) {
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

static inline void greet(int fd) {
        greet_with(fd, 0);
}

static inline void write_error(int fd, uint64_t id, int code, const char *message, const char *hint) {
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

static inline void write_benchmark(int fd, uint64_t id, const char *name) {
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        benchmark.name = (char *)name;
        reply.benchmark = &benchmark;
        write_reply(fd, id, &reply);
}

static inline void write_progress(int fd, uint64_t id) {
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

static inline void write_result(int fd, uint64_t id) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;

        result.has_verdict = true;
        result.verdict = BENCHD__RUN_RESULT__VERDICT__FIT;
        reply.result = &result;
        reply.last = true;
        write_reply(fd, id, &reply);
}

/* ---- the test's side */

static inline int serve(int listen_fd, Script script) {
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

static inline void fake_start(Script script) {
        int fd;

        strcpy(fake.directory, "/tmp/benchd-test-client-XXXXXX");
        assert_non_null(mkdtemp(fake.directory));
        snprintf(fake.socket, sizeof fake.socket, "%s/s", fake.directory);
        assert_int_equal(socket_listen(fake.socket, 0600, &fd), 0);
        assert_int_equal(fd_set_nonblock(fd, false), 0);
        fflush(NULL);
        fake.client = NULL;
        fake.pid = fork();
        assert_true(fake.pid >= 0);
        if (fake.pid == 0)
                _exit(serve(fd, script));
        close(fd);
}

static inline int fake_connect(void) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;

        assert_int_equal(benchd_config_new(&config), 0);
        assert_int_equal(benchd_config_set_socket(config, fake.socket), 0);
        assert_int_equal(benchd_config_set_name(config, "test 1"), 0);
        return benchd_client_new(config, &fake.client);
}

/* ... and connects to it. */
static inline void fake_serve(Script script) {
        fake_start(script);
        assert_int_equal(fake_connect(), 0);
}

/* The daemon's own checks count: it ends with 0, which is returned, or the test fails. */
static inline int fake_stop(void) {
        int status = -1;

        fake.client = benchd_client_free(fake.client);
        waitpid(fake.pid, &status, 0);
        fake.pid = 0;
        unlink(fake.socket);
        rmdir(fake.directory);
        return status;
}

static inline int fake_tear_down(void **state) {
        return fake.pid > 0 ? fake_stop() : 0;
}

TEST_EACH(NULL, fake_tear_down)

static inline benchd_event *next(int type, uint64_t id) {
        benchd_event *event;

        assert_int_equal(benchd_client_wait_event(fake.client, &event), 0);
        assert_int_equal(benchd_event_type(event), type);
        assert_int_equal(benchd_event_request(event), id);
        return event;
}

static inline benchd_module *some_module(void) {
        benchd_module *module;

        assert_int_equal(benchd_module_new(&module), 0);
        assert_int_equal(benchd_module_open(module, "/etc/passwd"), 0);
        return module;
}
