/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A whole front-end within a test, between a client and a launcher that are both played: questions are expected and answered
 * one by one. Each test has one of its own, from set_up() to tear_down().
 */

#include <systemd/sd-event.h>

#include "directory.h"
#include "front/clients/clients.h"
#include "front/clients/receivers.h"
#include "front/clients/session.h"
#include "front/daemon.h"
#include "front/jobs/job.h"
#include "ops/ops.h"
#include "ops/record-queue.h"
#include "pair.h"
#include "proto/frame-queue.h"
#include "proto/frame-reader.h"
#include "test.h"
#include "util/end-signals.h"
#include "util/socket.h"

#define TICKET  7u
#define PROCESS 90u

static char directory[] = "benchd-test-XXXXXX", path[64];
static Daemon *the_daemon;
static int launcher;
static ListingBlock *listing;
static SampleBlock *samples;
static Benchd__Reply **replies; /* all that came */
static size_t n_replies;

/* A client with one request under way. */
typedef struct Client {
        int fd;
        FrameReader *reader;
        FrameQueue *queue;
} Client;

/* All that connected; those that have not left are closed after the test. */
static Client all_clients[128];
static size_t n_clients;

/* Runs until nothing is left to do, not even for the receivers. */
static inline void turn(void) {
        while (sd_event_run(the_daemon->services.event, 0) > 0 ||
                        receivers_count_tasks(the_daemon->clients->receivers) > 0) {
        }
}

/* ---- the launcher */

static inline OpsPacket expect(OpsKind kind) {
        OpsPacket packet;

        turn();
        assert_int_equal(ops_receive(launcher, &packet), 0);
        assert_int_equal(packet.record.kind, kind);
        ops_packet_close(&packet);
        return packet;
}

static inline void expect_nothing(void) {
        OpsPacket packet;

        turn();
        assert_int_equal(ops_receive(launcher, &packet), OPS_E_AGAIN);
}

static inline void answer(const OpsPacket *question, OpsRecord record, const int *fds, size_t n_fds) {
        record.serial = question ? question->record.serial : 0;
        assert_int_equal(ops_send(launcher, &record, fds, n_fds), 0);
        turn();
}

static inline void tell_machine(bool calibrated) {
        OpsRecord record = { .kind = OPS_MACHINE,
                .machine = { .brand = "A CPU", .n_cpus = 1, .threads_max = 1, .ticket_files = 4096 } };

        record.machine.cpus[0] = (OpsCpu){ .cpu = 1,
                .calibrated = calibrated,
                .clock = { .hz = calibrated ? 1e9 : 0, .port_chains = 4 } };
        answer(NULL, record, NULL, 0);
}

static inline void answer_opened(const OpsPacket *question) {
        answer(question, (OpsRecord){ .kind = OPS_TICKET_OPENED, .ticket_opened = { .ticket = TICKET } }, NULL, 0);
}

static inline void answer_started(const OpsPacket *question) {
        OpsRecord record = { .kind = OPS_STARTED, .started = { .process = PROCESS, .cpu = 1 } };

        CPU_SET(1, &record.started.cpus);
        answer(question, record, NULL, 0);
}

static inline void answer_busy(const OpsPacket *question) {
        answer(question, (OpsRecord){ .kind = OPS_REFUSED, .refused = { .reason = OPS_REFUSAL_BUSY } }, NULL, 0);
}

static inline void answer_ended_after(const OpsPacket *question, const void *block, size_t n_block,
                uint64_t elapsed_ns) {
        OpsRecord record = { .kind = OPS_ENDED, .ended = { .process = PROCESS, .cpu = 1, .elapsed_ns = elapsed_ns } };
        int fds[2];

        assert_int_equal(fd_memfd_sealed("block", block, n_block, &fds[0]), 0);
        assert_int_equal(fd_memfd_sealed("output", "", 0, &fds[1]), 0);
        answer(question, record, fds, 2);
        fd_close(fds[0]);
        fd_close(fds[1]);
}

static inline void answer_ended(const OpsPacket *question, const void *block, size_t n_block) {
        answer_ended_after(question, block, n_block, 1000);
}

/* As answer_ended(), to a front-end that may open no file at that moment. */
static inline void answer_ended_without_room(const OpsPacket *question) {
        OpsRecord record = { .kind = OPS_ENDED, .ended = { .process = PROCESS, .cpu = 1, .elapsed_ns = 1000 } };

        record.serial = question->record.serial;
        assert_int_equal(ops_send(launcher, &record, (int[]){ STDIN_FILENO, STDIN_FILENO }, 2), 0);
        limit_files(0);
        turn();
        limit_files(RLIM_INFINITY);
}

static inline void answer_killed(const OpsPacket *question) {
        OpsRecord record = { .kind = OPS_ENDED };
        int fds[2] = { STDIN_FILENO, STDIN_FILENO };

        record.ended = (OpsEnded){ .process = PROCESS, .exit_signal = SIGKILL, .killed = OPS_KILLED_REQUEST };
        answer(question, record, fds, 2);
}

static inline OpsPacket expect_spawn(RunnerMode mode) {
        OpsPacket question = expect(OPS_SPAWN);

        assert_int_equal(question.record.spawn.plan.mode, mode);
        return question;
}

/* The process of @question measured. */
static inline void answer_measured(const OpsPacket *question) {
        answer_started(question);
        answer_ended(question, samples, sizeof *samples);
}

static inline void expect_kill(void) {
        assert_int_equal(expect(OPS_KILL).record.kill, PROCESS);
}

/* ---- the client */

static inline void send_request(Client *client, const Benchd__Request *request, const int *fds, size_t n_fds) {
        assert_int_equal(frame_queue_push(client->queue, &request->base, FRAME_REQUEST_MAX, fds, n_fds), 0);
        assert_int_equal(frame_queue_send(client->queue, client->fd), 0);
        turn();
}

/* Unpacks @frame. A reply lives until the test is over. */
static inline Benchd__Reply *reply_of(const Frame *frame) {
        Benchd__Reply *reply = benchd__reply__unpack(NULL, frame->n_data, frame->data);

        assert_non_null(reply);
        replies = realloc(replies, (n_replies + 1) * sizeof *replies);
        return replies[n_replies++] = reply;
}

/* The reply that @client has by now; NULL: none. */
static inline Benchd__Reply *reply_so_far(Client *client) {
        Frame frame;

        while (frame_reader_pop(client->reader, &frame) != 0)
                if (frame_reader_receive(client->reader, client->fd) != 0)
                        return NULL;
        return reply_of(&frame);
}

/* The next reply, if not @progress without such and acceptance; NULL if there is none now. */
static inline Benchd__Reply *next_reply(Client *client, bool progress) {
        Benchd__Reply *reply;

        turn();
        do {
                reply = reply_so_far(client);
        } while (reply && !progress && (reply->progress || reply->accepted));
        return reply;
}

static inline Client *connect_client(void) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__HelloRequest hello = BENCHD__HELLO_REQUEST__INIT;
        Client *client = &all_clients[n_clients++];

        assert_true(n_clients <= N_ELEMENTS(all_clients));
        assert_int_equal(socket_connect(path, &client->fd), 0);
        assert_int_equal(fd_set_nonblock(client->fd, true), 0);
        assert_int_equal(frame_reader_new(FRAME_REPLY_MAX, &client->reader), 0);
        assert_int_equal(frame_queue_new(FRAME_QUEUE_MAX, &client->queue), 0);
        request.id = 1, request.has_id = 1;
        request.hello = &hello;
        send_request(client, &request, NULL, 0);
        assert_non_null(next_reply(client, false)->hello);
        return client;
}

/* ... as another user, as the daemon sees it. */
static inline Client *connect_other(uid_t uid) {
        Client *client = connect_client();
        Session *session, *last = NULL;

        TAILQ_FOREACH(session, &the_daemon->clients->sessions, sessions) {
                last = session;
        }
        last->client.uid = uid;
        return client;
}

static inline void close_client(Client *client) {
        client->fd = fd_close(client->reader ? client->fd : -1);
        client->reader = frame_reader_free(client->reader);
        client->queue = frame_queue_free(client->queue);
}

static inline void leave(Client *client) {
        close_client(client);
        turn();
}

/* Asks for a run of two processes under the id 2. */
static inline void ask_run_as(Client *client, bool detach) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__RunRequest run = BENCHD__RUN_REQUEST__INIT;
        int fd;

        assert_int_equal(fd_memfd_sealed("module", "text", 4, &fd), 0);
        run.module_name = (char *)"m.so";
        run.processes = 2, run.has_processes = 1;
        run.samples = 1, run.has_samples = 1;
        request.id = 2, request.has_id = 1;
        run.detach = run.has_detach = detach;
        request.run = &run;
        send_request(client, &request, &fd, 1);
        fd_close(fd);
}

static inline void ask_run(Client *client) {
        ask_run_as(client, false);
}

/* Answers until the module of what was asked for is listed. */
static inline void answer_listing(void) {
        OpsPacket question = expect(OPS_TICKET_OPEN);

        answer_opened(&question);
        question = expect_spawn(RUNNER_MODE_LIST);
        assert_int_equal(question.record.spawn.ticket, TICKET);
        answer_started(&question);
        answer_ended(&question, listing, sizeof *listing);
}

/* Answers the question that inspects the module with an end by a signal: nothing is known of it. */
static inline void answer_inspecting(void) {
        OpsPacket question = expect_spawn(RUNNER_MODE_INSPECT);

        assert_int_equal(question.record.spawn.ticket, TICKET);
        answer_started(&question);
        answer_ended(&question, "", 1);
}

/* Answers until the module of a run is listed and inspected. */
static inline void answer_loading(void) {
        answer_listing();
        answer_inspecting();
}

/* Asks for a run, and answers until its first measuring process is asked for, which is returned. */
static inline OpsPacket bring_to_measuring(Client *client) {
        ask_run(client);
        answer_loading();
        return expect_spawn(RUNNER_MODE_RUN);
}

/* Asks under the id 4 what becomes of a job, or what it gave. */
static inline void ask_about(Client *client, const char *run_id, bool wait) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__WaitRequest to_wait = BENCHD__WAIT_REQUEST__INIT;
        Benchd__ShowRequest to_show = BENCHD__SHOW_REQUEST__INIT;

        request.id = 4, request.has_id = 1;
        to_wait.run_id = to_show.run_id = (char *)run_id;
        if (wait)
                request.wait = &to_wait;
        else
                request.show = &to_show;
        send_request(client, &request, NULL, 0);
}

/* ---- around each test */

static inline void make_blocks(void) {
        listing = calloc(1, sizeof *listing);
        samples = calloc(1, sizeof *samples);
        assert_true(listing && samples);
        listing->head = (BlockHead){ .magic = SAMPLE_BLOCK_MAGIC, .end = RUNNER_END_COMPLETE };
        listing->n_entries = 1;
        strcpy(listing->entries[0].area, "area");
        strcpy(listing->entries[0].name, "name");
        samples->head = listing->head;
        samples->n_threads = 1;
        samples->probes = SAMPLE_PROBES_ON;
        samples->threads[0].ops_per_iteration = 1;
        samples->n_samples = 1;
        samples->samples[0] = (Sample){ .ticks = 500, .iterations = 100 };
}

static inline int set_up(void **state) {
        int clients, sockets[2];
        Config config;
        sigset_t signals;

        end_signals_fill(&signals);
        sigprocmask(SIG_BLOCK, &signals, NULL);
        directory_make(directory);
        snprintf(path, sizeof path, "%s/socket", directory);
        assert_int_equal(socket_listen(path, 0600, &clients), 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets), 0);
        launcher = sockets[1];
        make_blocks();
        config_init(&config);
        assert_int_equal(daemon_new(&(DaemonConfig){ clients, sockets[0], NULL, &config, {} }, &the_daemon), 0);
        assert_int_equal(record_greeting_receive(launcher, (char[BUILD_TEXT_MAX]){}), 0);
        assert_int_equal(record_greeting_send(launcher), 0);
        tell_machine(true);
        return 0;
}

static inline int tear_down(void **state) {
        for (; n_clients > 0; n_clients--)
                close_client(&all_clients[n_clients - 1]);
        turn();
        for (; n_replies > 0; n_replies--)
                benchd__reply__free_unpacked(replies[n_replies - 1], NULL);
        free(replies);
        replies = NULL;
        the_daemon = daemon_free(the_daemon);
        launcher = fd_close(launcher);
        unlink(path);
        rmdir(directory);
        free(listing);
        free(samples);
        return 0;
}

TEST_EACH(set_up, tear_down)

static inline void expect_no_jobs(void) {
        assert_true(TAILQ_EMPTY(&the_daemon->services.jobs));
        expect_nothing();
}
