/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Jobs, in a whole front-end between a client and a launcher that are both played here: what is asked of the launcher, in
 * which order, and that whatever happens its tickets are closed and its processes killed.
 */

#include "front/job.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <cmocka.h>

#include "front/manager.h"
#include "front/record.h"
#include "front/store.h"
#include "ops/ops.h"
#include "proto/frame.h"
#include "util/fd.h"
#include "util/socket.h"

#define TICKET  7u
#define PROCESS 90u

static char directory[] = "benchd-test-XXXXXX", path[64];
static Manager *manager;
static int launcher;
static ListingBlock *listing;
static SampleBlock *samples;

/* A client with one request under way. */
typedef struct Client {
        int fd;
        FrameReader *reader;
        FrameQueue *queue;
} Client;

static void turn(void) {
        while (sd_event_run(manager->event, 0) > 0) {
        }
}

/* ---- the launcher */

static OpsPacket expect(OpsKind kind) {
        OpsPacket packet;

        turn();
        assert_int_equal(ops_receive(launcher, &packet), 0);
        assert_int_equal(packet.record.kind, kind);
        ops_packet_close(&packet);
        return packet;
}

static void expect_nothing(void) {
        OpsPacket packet;

        turn();
        assert_int_equal(ops_receive(launcher, &packet), OPS_E_AGAIN);
}

static void answer(const OpsPacket *question, OpsRecord record, const int *fds, size_t n_fds) {
        record.serial = question ? question->record.serial : 0;
        assert_int_equal(ops_send(launcher, &record, fds, n_fds), 0);
        turn();
}

static void tell_machine(bool calibrated) {
        OpsRecord record = { .kind = OPS_MACHINE, .machine = { .brand = "A CPU", .n_cpus = 1, .threads_max = 1 } };

        record.machine.cpus[0] =
                        (OpsCpu){ .cpu = 1, .calibrated = calibrated, .clock = { .hz = calibrated ? 1e9 : 0 } };
        answer(NULL, record, NULL, 0);
}

static void answer_opened(const OpsPacket *question) {
        answer(question, (OpsRecord){ .kind = OPS_TICKET_OPENED, .ticket_opened = { .ticket = TICKET } }, NULL, 0);
}

static void answer_started(const OpsPacket *question) {
        answer(question, (OpsRecord){ .kind = OPS_STARTED, .started = { .process = PROCESS, .cpu = 1 } }, NULL, 0);
}

static void answer_busy(const OpsPacket *question) {
        answer(question, (OpsRecord){ .kind = OPS_REFUSED, .refused = { .reason = OPS_REFUSAL_BUSY } }, NULL, 0);
}

static void answer_ended(const OpsPacket *question, const void *block, size_t n_block) {
        OpsRecord record = { .kind = OPS_ENDED, .ended = { .process = PROCESS, .cpu = 1, .elapsed_ns = 1000 } };
        int fds[2];

        assert_int_equal(fd_memfd_sealed("block", block, n_block, &fds[0]), 0);
        assert_int_equal(fd_memfd_sealed("output", "", 0, &fds[1]), 0);
        answer(question, record, fds, 2);
        fd_close(fds[0]);
        fd_close(fds[1]);
}

static void answer_killed(const OpsPacket *question) {
        OpsRecord record = { .kind = OPS_ENDED };
        int fds[2] = { STDIN_FILENO, STDIN_FILENO };

        record.ended = (OpsEnded){ .process = PROCESS, .exit_signal = SIGKILL, .killed = OPS_KILLED_REQUEST };
        answer(question, record, fds, 2);
}

/* ---- the client */

static void send_request(Client *client, const Benchd__Request *request, const int *fds, size_t n_fds) {
        assert_int_equal(frame_queue_push(client->queue, &request->base, FRAME_REQUEST_MAX, fds, n_fds), 0);
        assert_int_equal(frame_queue_send(client->queue, client->fd), 0);
        turn();
}

/* The next reply, if not @progress without such and acceptance; unpacked; NULL if there is none now. */
static Benchd__Reply *next_reply(Client *client, bool progress) {
        Benchd__Reply *reply;
        Frame frame;

        turn();
        while (frame_reader_pop(client->reader, &frame) != 0)
                if (frame_reader_receive(client->reader, client->fd) != 0)
                        return NULL;
        reply = benchd__reply__unpack(NULL, frame.n_data, frame.data);
        assert_non_null(reply);
        if (progress || !(reply->progress || reply->accepted))
                return reply;
        benchd__reply__free_unpacked(reply, NULL);
        return next_reply(client, progress);
}

static Client connect_client(void) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__HelloRequest hello = BENCHD__HELLO_REQUEST__INIT;
        Benchd__Reply *reply;
        Client client;

        assert_int_equal(socket_connect(path, &client.fd), 0);
        assert_int_equal(fd_set_nonblock(client.fd, true), 0);
        assert_int_equal(frame_reader_new(FRAME_REPLY_MAX, &client.reader), 0);
        assert_int_equal(frame_queue_new(FRAME_QUEUE_MAX, &client.queue), 0);
        request.id = 1, request.has_id = 1;
        request.hello = &hello;
        send_request(&client, &request, NULL, 0);
        reply = next_reply(&client, false);
        assert_non_null(reply->hello);
        benchd__reply__free_unpacked(reply, NULL);
        return client;
}

static void leave(Client *client) {
        client->fd = fd_close(client->fd);
        client->reader = frame_reader_free(client->reader);
        client->queue = frame_queue_free(client->queue);
        turn();
}

/* Asks for a run of two processes under the id 2. */
static void ask_run_as(Client *client, bool detach) {
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

static void ask_run(Client *client) {
        ask_run_as(client, false);
}

/* Asks under the id 4 what becomes of a job, or what it gave. */
static void ask_about(Client *client, const char *run_id, bool wait) {
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

/* ... and answers until its first measuring process is asked for, which is returned. */
static OpsPacket bring_to_measuring(Client *client) {
        OpsPacket question;

        ask_run(client);
        question = expect(OPS_TICKET_OPEN);
        answer_opened(&question);
        question = expect(OPS_SPAWN);
        assert_int_equal(question.record.spawn.ticket, TICKET);
        assert_int_equal(question.record.spawn.plan.mode, RUNNER_MODE_LIST);
        answer_started(&question);
        answer_ended(&question, listing, sizeof *listing);
        question = expect(OPS_SPAWN);
        assert_int_equal(question.record.spawn.plan.mode, RUNNER_MODE_RUN);
        return question;
}

static void cancel(Client *client) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__CancelRequest of = BENCHD__CANCEL_REQUEST__INIT;
        Benchd__Reply *reply;

        of.request_id = 2, of.has_request_id = 1;
        request.id = 3, request.has_id = 1;
        request.cancel = &of;
        send_request(client, &request, NULL, 0);
        reply = next_reply(client, false);
        assert_non_null(reply->cancel);
        assert_true(reply->cancel->found);
        benchd__reply__free_unpacked(reply, NULL);
}

/* ---- around each test */

static void make_blocks(void) {
        listing = calloc(1, sizeof *listing);
        samples = calloc(1, sizeof *samples);
        assert_true(listing && samples);
        listing->head = (BlockHead){ .magic = SAMPLE_BLOCK_MAGIC, .end = RUNNER_END_COMPLETE };
        listing->n_entries = 1;
        strcpy(listing->entries[0].area, "area");
        strcpy(listing->entries[0].name, "name");
        samples->head = listing->head;
        samples->ops_per_iteration = 1;
        samples->n_samples = 1;
        samples->samples[0] = (Sample){ .ticks = 500, .iterations = 100 };
}

static int set_up(void **state) {
        int clients, sockets[2];
        Config config;
        sigset_t signals;

        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        sigprocmask(SIG_BLOCK, &signals, NULL);
        strcpy(directory + strlen(directory) - 6, "XXXXXX");
        assert_non_null(mkdtemp(directory));
        snprintf(path, sizeof path, "%s/socket", directory);
        assert_int_equal(socket_listen(path, 0600, &clients), 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets), 0);
        launcher = sockets[1];
        make_blocks();
        config_init(&config);
        assert_int_equal(manager_new(&(ManagerConfig){ clients, sockets[0], NULL, &config }, &manager), 0);
        tell_machine(true);
        return 0;
}

static int tear_down(void **state) {
        manager = manager_free(manager);
        launcher = fd_close(launcher);
        unlink(path);
        rmdir(directory);
        free(listing);
        free(samples);
        return 0;
}

static void expect_no_jobs(void) {
        assert_true(TAILQ_EMPTY(&manager->jobs));
        expect_nothing();
}

/* ---- the tests */

static void a_run_goes_its_way_and_leaves_nothing(void **state) {
        Client client = connect_client();
        OpsPacket question = bring_to_measuring(&client);
        Benchd__Reply *reply;

        for (int i = 0; i < 2; i++) {
                if (i > 0)
                        question = expect(OPS_SPAWN);
                assert_string_equal(question.record.spawn.plan.sides[0].benchmark, "name");
                answer_started(&question);
                answer_ended(&question, samples, sizeof *samples);
        }
        assert_int_equal(expect(OPS_TICKET_CLOSE).record.ticket_close, TICKET);
        expect_no_jobs();

        reply = next_reply(&client, false);
        assert_non_null(reply->benchmark);
        assert_false(reply->last);
        assert_int_equal(reply->id, 2);
        assert_true(reply->benchmark->time_ns->point > 4.999 && reply->benchmark->time_ns->point < 5.001);
        benchd__reply__free_unpacked(reply, NULL);
        reply = next_reply(&client, false);
        assert_true(reply->last);
        assert_int_equal(reply->result->verdict, BENCHD__RUN_RESULT__VERDICT__FIT);
        /* SHA-256 of "text" */
        assert_string_equal(reply->result->module->sha256,
                        "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1");
        benchd__reply__free_unpacked(reply, NULL);
        leave(&client);
}

static void a_list_needs_no_turn_and_no_clock(void **state) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__ListRequest list = BENCHD__LIST_REQUEST__INIT;
        Client other = connect_client(), client = connect_client();
        Benchd__Reply *reply;
        OpsPacket question;
        int fd;

        bring_to_measuring(&other);
        tell_machine(false);
        assert_int_equal(fd_memfd_sealed("module", "text", 4, &fd), 0);
        request.id = 2, request.has_id = 1;
        request.list = &list;
        send_request(&client, &request, &fd, 1);
        fd_close(fd);
        question = expect(OPS_TICKET_OPEN);
        answer_opened(&question);
        question = expect(OPS_SPAWN);
        answer_started(&question);
        answer_ended(&question, listing, sizeof *listing);
        reply = next_reply(&client, false);
        assert_true(reply->last);
        assert_int_equal(reply->listing->n_benchmarks, 1);
        assert_string_equal(reply->listing->benchmarks[0]->name, "name");
        benchd__reply__free_unpacked(reply, NULL);
        expect(OPS_TICKET_CLOSE);
        leave(&client);
        leave(&other);
}

static void nothing_is_measured_before_the_clock_is_known(void **state) {
        Client client = connect_client();
        OpsPacket question;

        tell_machine(false);
        ask_run(&client);
        question = expect(OPS_TICKET_OPEN);
        answer_opened(&question);
        question = expect(OPS_SPAWN);
        answer_started(&question);
        answer_ended(&question, listing, sizeof *listing);
        expect_nothing();
        tell_machine(true);
        assert_int_equal(expect(OPS_SPAWN).record.spawn.plan.mode, RUNNER_MODE_RUN);
        leave(&client);
}

static void one_is_measured_while_the_others_wait_and_are_told_so(void **state) {
        Client first = connect_client(), second = connect_client();
        OpsPacket running = bring_to_measuring(&first), question;
        Benchd__Reply *reply;
        bool queued = false;

        ask_run(&second);
        question = expect(OPS_TICKET_OPEN);
        answer_opened(&question);
        question = expect(OPS_SPAWN);
        answer_started(&question);
        answer_ended(&question, listing, sizeof *listing);
        expect_nothing();
        while ((reply = next_reply(&second, true))) {
                queued |= reply->progress && reply->progress->stage == BENCHD__PROGRESS__STAGE__QUEUED &&
                          reply->progress->queue_position == 1;
                benchd__reply__free_unpacked(reply, NULL);
        }
        assert_true(queued);

        answer_started(&running);
        leave(&first);
        assert_int_equal(expect(OPS_KILL).record.kill, PROCESS);
        expect_nothing(); /* the CPU is not free before the process is dead */
        answer_killed(&running);
        expect(OPS_TICKET_CLOSE);
        assert_int_equal(expect(OPS_SPAWN).record.spawn.plan.mode, RUNNER_MODE_RUN);
        leave(&second);
}

static void a_process_without_a_place_is_asked_for_again(void **state) {
        Client client = connect_client();
        OpsPacket question = bring_to_measuring(&client);

        answer_busy(&question);
        expect_nothing();
        tell_machine(true);
        question = expect(OPS_SPAWN);
        assert_int_equal(question.record.spawn.plan.mode, RUNNER_MODE_RUN);
        answer_started(&question);
        answer_ended(&question, samples, sizeof *samples);
        expect(OPS_SPAWN);
        leave(&client);
}

static void a_client_that_leaves_early_leaves_no_ticket(void **state) {
        Client client = connect_client();
        OpsPacket question;

        ask_run(&client);
        question = expect(OPS_TICKET_OPEN);
        leave(&client);
        expect_nothing();
        answer_opened(&question);
        assert_int_equal(expect(OPS_TICKET_CLOSE).record.ticket_close, TICKET);
        expect_no_jobs();
}

static void a_client_that_leaves_before_its_process_started_leaves_no_process(void **state) {
        Client client = connect_client();
        OpsPacket question = bring_to_measuring(&client);

        leave(&client);
        expect_nothing();
        answer_started(&question);
        assert_int_equal(expect(OPS_KILL).record.kill, PROCESS);
        answer_killed(&question);
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
}

static void a_cancelled_run_tells_what_it_has_at_once(void **state) {
        Client client = connect_client();
        OpsPacket question = bring_to_measuring(&client);
        Benchd__Reply *reply;

        answer_started(&question);
        answer_ended(&question, samples, sizeof *samples);
        question = expect(OPS_SPAWN);
        answer_started(&question);
        cancel(&client);
        assert_int_equal(expect(OPS_KILL).record.kill, PROCESS);
        reply = next_reply(&client, false);
        assert_int_equal(reply->benchmark->n_processes, 1);
        benchd__reply__free_unpacked(reply, NULL);
        reply = next_reply(&client, false);
        assert_true(reply->last);
        assert_int_equal(reply->result->verdict, BENCHD__RUN_RESULT__VERDICT__PARTIAL);
        benchd__reply__free_unpacked(reply, NULL);
        answer_killed(&question);
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
        assert_null(next_reply(&client, false));
        leave(&client);
}

static void a_run_cancelled_before_it_measured_is_an_error(void **state) {
        Client client = connect_client();
        OpsPacket question;
        Benchd__Reply *reply;

        ask_run(&client);
        question = expect(OPS_TICKET_OPEN);
        cancel(&client);
        reply = next_reply(&client, false);
        assert_true(reply->last);
        assert_int_equal(reply->error->code, BENCHD__ERROR__CODE__CANCELLED);
        benchd__reply__free_unpacked(reply, NULL);
        answer_opened(&question);
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
        leave(&client);
}

static void a_listing_that_is_none_is_the_modules_fault(void **state) {
        Client client = connect_client();
        OpsPacket question;
        Benchd__Reply *reply;

        ask_run(&client);
        question = expect(OPS_TICKET_OPEN);
        answer_opened(&question);
        question = expect(OPS_SPAWN);
        answer_started(&question);
        answer_ended(&question, "short", 5);
        reply = next_reply(&client, false);
        assert_int_equal(reply->error->code, BENCHD__ERROR__CODE__BAD_MODULE);
        assert_string_equal(reply->error->message, "m.so: The module overwrote the runner's results.");
        benchd__reply__free_unpacked(reply, NULL);
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
        leave(&client);
}

/* The run_id of a detached run, whose client has left. */
static char *detach_and_leave(OpsPacket *ret_question) {
        Client client = connect_client();
        Benchd__Reply *reply;
        OpsPacket question;
        char *run_id;

        ask_run_as(&client, true);
        question = expect(OPS_TICKET_OPEN);
        assert_null(next_reply(&client, true));
        answer_opened(&question);
        *ret_question = expect(OPS_SPAWN);
        reply = next_reply(&client, true);
        assert_non_null(reply->accepted);
        assert_true(reply->last);
        run_id = strdup(reply->accepted->run_id);
        benchd__reply__free_unpacked(reply, NULL);
        assert_null(next_reply(&client, true));
        leave(&client);
        return run_id;
}

static void a_detached_run_goes_on_and_is_told_to_who_waits(void **state) {
        OpsPacket question;
        char *run_id = detach_and_leave(&question);
        Client waiting = connect_client();
        Benchd__Reply *reply;

        ask_about(&waiting, run_id, true);
        reply = next_reply(&waiting, true);
        assert_string_equal(reply->accepted->run_id, run_id);
        assert_false(reply->last);
        benchd__reply__free_unpacked(reply, NULL);
        answer_started(&question);
        answer_ended(&question, listing, sizeof *listing);
        for (int i = 0; i < 2; i++) {
                question = expect(OPS_SPAWN);
                answer_started(&question);
                answer_ended(&question, samples, sizeof *samples);
        }
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
        for (int again = 0; again < 2; again++) {
                reply = next_reply(&waiting, false);
                assert_int_equal(reply->id, 4);
                assert_string_equal(reply->benchmark->name, "name");
                benchd__reply__free_unpacked(reply, NULL);
                reply = next_reply(&waiting, false);
                assert_true(reply->last);
                assert_string_equal(reply->result->run_id, run_id);
                benchd__reply__free_unpacked(reply, NULL);
                ask_about(&waiting, run_id, false);
        }
        leave(&waiting);
        free(run_id);
}

static void who_waits_and_leaves_leaves_the_job_alone(void **state) {
        Client first = connect_client(), waiting = connect_client();
        OpsPacket question = bring_to_measuring(&first);

        ask_about(&waiting, TAILQ_FIRST(&manager->jobs)->record->run_id, true);
        leave(&waiting);
        expect_nothing();
        answer_started(&question);
        answer_ended(&question, samples, sizeof *samples);
        expect(OPS_SPAWN);
        leave(&first);
}

#define LONG_RESULTS 200u
#define LONG_BYTES   (50u << 10)

/* A job in the history with more results than a connection may leave unread. */
static char *record_long_job(void) {
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        char *text = malloc(LONG_BYTES), *run_id;
        StoredModule *module;
        Complaint complaint;
        Record *record;
        Arena *arena;
        int fd;

        memset(text, 'x', LONG_BYTES);
        text[LONG_BYTES - 1] = 0;
        benchmark.output = text;
        assert_int_equal(fd_memfd_sealed("module", "text", 4, &fd), 0);
        assert_int_equal(stored_module_new(&fd, 1, &module, &complaint), 0);
        assert_int_equal(stored_module_hash(module), 0);
        assert_int_equal(record_new(manager->history, getuid(), "m.so", 0, &record), 0);
        record_accept(record, module);
        for (uint32_t i = 0; i < LONG_RESULTS; i++) {
                benchmark.index = i, benchmark.has_index = 1;
                assert_int_equal(record_add(record, &benchmark), 0);
        }
        assert_int_equal(arena_new(&arena), 0);
        assert_int_equal(record_end_result(record, arena, &result, false, 0), 0);
        run_id = strdup(record->run_id);
        arena_free(arena);
        record_free(record);
        stored_module_free(module);
        free(text);
        return run_id;
}

static void what_is_shown_comes_no_faster_than_it_is_read(void **state) {
        char *run_id = record_long_job();
        Client client = connect_client();
        Benchd__Reply *reply;

        assert_true(LONG_RESULTS * LONG_BYTES > 2 * FRAME_QUEUE_MAX);
        ask_about(&client, run_id, false);
        turn();
        assert_true(manager_count_unread(manager, getuid()) < (256u << 10));
        for (uint32_t i = 0; i < LONG_RESULTS; i++) {
                reply = next_reply(&client, false);
                assert_int_equal(reply->benchmark->index, i);
                benchd__reply__free_unpacked(reply, NULL);
        }
        reply = next_reply(&client, false);
        assert_non_null(reply->result);
        assert_true(reply->last);
        benchd__reply__free_unpacked(reply, NULL);
        leave(&client);
        free(run_id);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_run_goes_its_way_and_leaves_nothing, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_list_needs_no_turn_and_no_clock, set_up, tear_down),
                cmocka_unit_test_setup_teardown(nothing_is_measured_before_the_clock_is_known, set_up, tear_down),
                cmocka_unit_test_setup_teardown(one_is_measured_while_the_others_wait_and_are_told_so, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(a_process_without_a_place_is_asked_for_again, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_client_that_leaves_early_leaves_no_ticket, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_client_that_leaves_before_its_process_started_leaves_no_process,
                                set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_cancelled_run_tells_what_it_has_at_once, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_run_cancelled_before_it_measured_is_an_error, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_detached_run_goes_on_and_is_told_to_who_waits, set_up, tear_down),
                cmocka_unit_test_setup_teardown(who_waits_and_leaves_leaves_the_job_alone, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_shown_comes_no_faster_than_it_is_read, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_listing_that_is_none_is_the_modules_fault, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
