/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The launcher's side of the connection to benchd: what is asked is told, what is answered arrives, and who breaks the rules or
 * does not read is cut off.
 */

#include "launch/trust/front-link.h"

#include <poll.h>

#include "ops/record-queue.h"
#include "pair.h"
#include "util/remove-tree.h"
#include "util/root-dir.h"

#define RECORDS_MANY   10000u /* more than a socket takes */
#define QUESTIONS_MANY 500u
#define ENDS_MANY      100u

typedef struct Fixture {
        sd_event *event;
        RootDir *root;
        FrontLink link;
        int front; /* the other end */
        OpsRecord asked;
        size_t n_asked_fds;
        bool is_memory[3]; /* each of the first descriptors that were asked with */
        unsigned n_asked, n_gone;
        bool answers; /* what it is asked */
} Fixture;

static Fixture *fixture;

static int on_asked(OpsPacket *packet, void *userdata) {
        fixture->asked = packet->record;
        fixture->n_asked++;
        fixture->n_asked_fds = packet->n_fds;
        for (size_t i = 0; i < packet->n_fds && i < N_ELEMENTS(fixture->is_memory); i++)
                fixture->is_memory[i] = fcntl(packet->fds[i], F_GET_SEALS) >= 0;
        if (fixture->answers) {
                const OpsRecord answer = ops_refusal(packet->record.serial, OPS_REFUSAL_BUSY, 0);

                return front_link_send(&fixture->link, &answer, NULL, 0);
        }
        return 0;
}

static void on_gone(void *userdata) {
        fixture->n_gone++;
        front_link_detach(&fixture->link);
}

/* Until all that came is closed, but for what was kept. */
static void settle(void) {
        while (fixture->link.receiver.n_owed > 0)
                assert_true(sd_event_run(fixture->event, UINT64_MAX) > 0);
}

/* True if anything was to be done. */
static bool turn(void) {
        return sd_event_run(fixture->event, 0) > 0;
}

/* The receiver is a fork, with all that is open here until it has begun. */
static int set_up(void **state) {
        static Fixture the_fixture;
        Pair pair = pair_new(SOCK_SEQPACKET);
        char text[BUILD_TEXT_MAX];

        fixture = &the_fixture;
        *fixture = (Fixture){ .front = pair.there };
        assert_true(sd_event_new(&fixture->event) >= 0);
        assert_int_equal(root_dir_new("/", &fixture->root), 0);
        front_link_init(&fixture->link, &(FrontLinkConfig){ fixture->event, fixture->root, on_asked, on_gone, NULL });
        assert_false(front_link_is_attached(&fixture->link));
        assert_int_equal(front_link_attach(&fixture->link, pair.here), 0);
        front_link_close_received(&fixture->link, fcntl(fixture->front, F_DUPFD_CLOEXEC, 0));
        settle();
        assert_int_equal(record_greeting_receive(fixture->front, text), 0);
        assert_int_equal(record_greeting_send(fixture->front), 0);
        while (!fixture->link.greeted)
                assert_true(turn());
        return 0;
}

static int tear_down(void **state) {
        front_link_detach(&fixture->link);
        front_link_clear(&fixture->link);
        fd_close(fixture->front);
        sd_event_unref(fixture->event);
        root_dir_free(fixture->root);
        return 0;
}

TEST_EACH(set_up, tear_down)

TEST(what_is_asked_is_told_and_its_answer_arrives) {
        static const OpsRecord question = { .kind = OPS_KILL, .serial = 7, .kill = 11 };
        const OpsRecord answer = ops_refusal(7, OPS_REFUSAL_BUSY, 0);
        OpsPacket packet;

        assert_int_equal(ops_send(fixture->front, &question, NULL, 0), 0);
        assert_true(turn());
        assert_int_equal(fixture->n_asked, 1);
        assert_int_equal(fixture->asked.kill, 11);
        assert_int_equal(front_link_send(&fixture->link, &answer, NULL, 0), 0);
        assert_int_equal(ops_receive(fixture->front, &packet), 0);
        assert_int_equal(packet.record.refused.reason, OPS_REFUSAL_BUSY);
}

/* In the place of its greeting comes whatever a front-end of another build, or no front-end, sends. */
TEST(one_that_does_not_greet_as_this_build_is_cut_off) {
        static const OpsRecord question = { .kind = OPS_KILL, .serial = 7, .kill = 11 };
        char text[BUILD_TEXT_MAX];
        Pair pair = pair_new(SOCK_SEQPACKET);

        front_link_detach(&fixture->link);
        settle();
        assert_int_equal(front_link_attach(&fixture->link, pair.here), 0);
        assert_int_equal(record_greeting_receive(pair.there, text), 0);
        assert_int_equal(ops_send(pair.there, &question, NULL, 0), 0);
        assert_int_equal(record_greeting_send(pair.there), 0); /* too late */
        while (fixture->n_gone == 0)
                assert_true(turn());
        assert_int_equal(fixture->n_asked, 0);
        assert_false(front_link_is_attached(&fixture->link));
        settle();
        fd_close(pair.there);
}

/* A memory file, a pipe and a socket, of which the other end is @ret_other. */
static void send_files(uint64_t serial, int *ret_other) {
        const OpsRecord question = { .kind = OPS_TICKET_OPEN, .serial = serial, .ticket_open.n_inputs = 1 };
        Pair socket = pair_new(SOCK_STREAM);
        int memory, pipes[2];

        assert_int_equal(fd_memfd_sealed("test", "text", 4, &memory), 0);
        assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
        assert_int_equal(ops_send(fixture->front, &question, (int[]){ socket.there, memory, pipes[0] }, 3), 0);
        fd_close(socket.there);
        fd_close(memory);
        fd_close(pipes[0]);
        fd_close(pipes[1]);
        *ret_other = socket.here;
}

static void await_turns(unsigned n_asked) {
        while (fixture->n_asked < n_asked)
                assert_true(sd_event_run(fixture->event, UINT64_MAX) > 0);
}

TEST(memory_files_and_sockets_come_and_all_else_is_a_stand_in) {
        int other;

        send_files(7, &other);
        await_turns(1);
        assert_int_equal(fixture->asked.serial, 7);
        assert_int_equal(fixture->n_asked_fds, 3);
        assert_true(!fixture->is_memory[0] && fixture->is_memory[1] && !fixture->is_memory[2]);
        settle();
        assert_int_equal(read(other, &(char){ 0 }, 1), 0); /* nobody keeps the socket */
        fd_close(other);
}

TEST(questions_with_and_without_descriptors_keep_their_order) {
        OpsRecord question = { .kind = OPS_KILL };
        int other;

        for (uint64_t serial = 1; serial <= 6; serial++) {
                question.serial = serial;
                if (serial % 3 == 0) {
                        assert_int_equal(ops_send(fixture->front, &question, NULL, 0), 0);
                        continue;
                }
                send_files(serial, &other);
                fd_close(other);
        }
        for (unsigned n = 1; n <= 6; n++) {
                await_turns(n);
                assert_int_equal(fixture->n_asked, n);
                assert_int_equal(fixture->asked.serial, n);
        }
}

TEST(one_that_goes_while_its_files_are_received_is_told_once_and_leaves_none) {
        size_t before;
        int others[2];

        before = open_fds() - 2; /* the two ends of the connection */
        send_files(7, &others[0]);
        send_files(8, &others[1]);
        assert_true(turn()); /* the first is being received */
        fixture->front = fd_close(fixture->front);
        front_link_detach(&fixture->link);
        settle();
        assert_int_equal(fixture->n_asked, 0);
        for (size_t i = 0; i < N_ELEMENTS(others); i++) {
                assert_int_equal(read(others[i], &(char){ 0 }, 1), 0);
                fd_close(others[i]);
        }
        assert_int_equal(open_fds(), before);
}

static void await_end(void) {
        while (fixture->link.receiver.receiver.pid > 0)
                assert_true(sd_event_run(fixture->event, UINT64_MAX) > 0);
}

TEST(a_receiver_that_dies_is_followed_by_another) {
        int other;

        assert_int_equal(kill(fixture->link.receiver.receiver.pid, SIGKILL), 0);
        await_end();
        send_files(7, &other);
        await_turns(1);
        assert_int_equal(fixture->asked.serial, 7);
        assert_int_equal(fixture->n_gone, 0);
        settle();
        fd_close(other);
}

/* As after a long call of the launcher's: the receiver's report and the end of the patience with it wait side by side. */
TEST(a_receiver_that_was_quick_is_heard_by_a_launcher_that_was_not) {
        const Receiver *receiver = &fixture->link.receiver.receiver;
        const pid_t pid = receiver->pid;
        int other;

        send_files(7, &other);
        assert_true(turn());
        assert_int_equal(poll(&(struct pollfd){ .fd = receiver->fd, .events = POLLIN }, 1, -1), 1);
        assert_true(sd_event_source_set_time(fixture->link.receiver.patience_source, 0) >= 0);
        await_turns(1);
        settle();
        assert_int_equal(fixture->n_gone, 0);
        assert_int_equal(receiver->pid, pid);
        fd_close(other);
}

/* One that has just reported may sleep for a moment: it is not left behind for that. */
TEST(a_receiver_that_reports_has_its_second_again) {
        const uint64_t far_us = UINT64_MAX / 2;
        sd_event_source *patience;
        uint64_t until_us;
        int other;

        send_files(7, &other);
        assert_true(turn());
        patience = fixture->link.receiver.patience_source;
        assert_true(sd_event_source_set_time(patience, far_us) >= 0);
        await_turns(1);
        assert_true(fixture->link.receiver.n_owed > 0); /* it has the socket to close */
        assert_true(sd_event_source_get_time(patience, &until_us) >= 0);
        assert_true(until_us < far_us);
        settle();
        fd_close(other);
}

static void tell_state(const char *root, pid_t pid, char state) {
        char path[128];
        FILE *file;

        snprintf(path, sizeof path, "%s/proc/%d/task/%d/stat", root, pid, pid);
        file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%d (benchd-receive) %c 1 7 7 0 -1\n", pid, state);
        assert_int_equal(fclose(file), 0);
}

static void make_process(const char *root, pid_t pid) {
        char path[128];
        int n = snprintf(path, sizeof path, "%s/proc/%d/task/%d", root, pid, pid);

        for (int i = strlen(root) + 1; i <= n; i++)
                if (path[i] == '/' || path[i] == '\0') {
                        path[i] = '\0';
                        assert_int_equal(mkdir(path, 0700), 0);
                        path[i] = i < n ? '/' : '\0';
                }
}

/* It is stopped, and the machine's word about it is the test's. */
TEST(a_receiver_without_a_cpu_is_waited_for_and_one_that_waits_is_left_behind) {
        FrontReceiver *front = &fixture->link.receiver;
        char directory[] = "/tmp/benchd-test-XXXXXX";
        const pid_t pid = front->receiver.pid;
        RootDir *root;
        int other;

        assert_non_null(mkdtemp(directory));
        make_process(directory, pid);
        tell_state(directory, pid, 'R');
        assert_int_equal(root_dir_new(directory, &root), 0);
        front->config.root = root;
        assert_int_equal(kill(pid, SIGSTOP), 0);
        send_files(7, &other);
        assert_true(turn());
        for (unsigned i = 0; i < 2; i++) {
                assert_true(sd_event_run(fixture->event, UINT64_MAX) > 0); /* the patience is at its end */
                assert_int_equal(front->receiver.pid, pid);
                assert_int_equal(fixture->n_gone, 0);
        }
        tell_state(directory, pid, 'D');
        assert_true(sd_event_run(fixture->event, UINT64_MAX) > 0);
        assert_int_equal(front->left[0].pid, pid);
        assert_int_equal(fixture->n_gone, 1);
        while (front->left[0].pid > 0)
                assert_true(sd_event_run(fixture->event, UINT64_MAX) > 0);
        front->config.root = fixture->root;
        root_dir_free(root);
        assert_int_equal(remove_tree(AT_FDCWD, directory), 0);
        fd_close(other);
}

TEST(where_all_receivers_are_left_behind_files_are_refused) {
        FrontReceiverLeft *left;
        OpsPacket packet;
        int other;

        left = fixture->link.receiver.left;
        assert_int_equal(kill(fixture->link.receiver.receiver.pid, SIGKILL), 0);
        await_end();
        while (left->pid)
                assert_true(sd_event_run(fixture->event, UINT64_MAX) > 0);
        for (size_t i = 0; i < FRONT_RECEIVER_LEFT_MAX; i++)
                left[i] = (FrontReceiverLeft){ .pid = getpid(), .pidfd = -1 };
        send_files(7, &other);
        assert_true(turn());
        assert_int_equal(ops_receive(fixture->front, &packet), 0);
        assert_int_equal(packet.record.serial, 7);
        assert_int_equal(packet.record.refused.reason, OPS_REFUSAL_FILES);
        assert_int_equal(fixture->n_asked, 0);
        assert_int_equal(fixture->n_gone, 0);
        assert_int_equal(read(other, &(char){ 0 }, 1), 0);
        fd_close(other);
}

TEST(a_ticket_whose_descriptors_find_no_room_is_refused_as_busy) {
        static const OpsRecord question = { .kind = OPS_TICKET_OPEN, .serial = 7 };
        OpsPacket packet;

        assert_int_equal(ops_send(fixture->front, &question, (int[]){ 0, 1 }, 2), 0);
        limit_files(0);
        while (ops_receive(fixture->front, &packet) != 0)
                assert_true(sd_event_run(fixture->event, UINT64_MAX) > 0);
        limit_files(RLIM_INFINITY);
        assert_int_equal(fixture->n_asked, 0);
        assert_int_equal(fixture->n_gone, 0);
        assert_int_equal(packet.record.kind, OPS_REFUSED);
        assert_int_equal(packet.record.serial, 7);
        assert_int_equal(packet.record.refused.reason, OPS_REFUSAL_FILES);
}

TEST(questions_in_a_burst_are_all_answered) {
        OpsRecord question = { .kind = OPS_KILL };
        unsigned n_sent = 0, n_answered = 0;
        OpsPacket packet;

        fixture->answers = true;
        assert_int_equal(fd_set_nonblock(fixture->front, true), 0);
        while (n_answered < QUESTIONS_MANY) {
                /* As many as there is room for, while the launcher answers, before it looks at an answer. */
                while (n_sent < QUESTIONS_MANY) {
                        question.serial = question.kill = n_sent + 1;
                        if (ops_send(fixture->front, &question, NULL, 0) != 0)
                                break;
                        n_sent++;
                        turn();
                }
                while (turn())
                        ;
                assert_int_equal(fixture->n_gone, 0);
                for (; ops_receive(fixture->front, &packet) == 0; n_answered++)
                        assert_int_equal(packet.record.serial, n_answered + 1);
        }
        assert_int_equal(fixture->n_asked, QUESTIONS_MANY);
}

/* The ends of processes come whether benchd reads or not. */
TEST(what_finds_no_room_waits_with_its_descriptors) {
        OpsRecord end = { .kind = OPS_ENDED };
        unsigned n_read = 0;
        OpsPacket packet;

        for (unsigned i = 0; i < ENDS_MANY; i++) {
                end.ended.process = i;
                assert_int_equal(front_link_send(&fixture->link, &end, (int[]){ 0, 1 }, 2), 0);
        }
        assert_int_equal(fd_set_nonblock(fixture->front, true), 0);
        do {
                while (ops_receive(fixture->front, &packet) == 0) {
                        assert_int_equal(packet.record.ended.process, n_read++);
                        assert_int_equal(packet.n_fds, 2);
                        ops_packet_close(&packet);
                }
        } while (turn());
        assert_int_equal(n_read, ENDS_MANY);
        assert_int_equal(fixture->n_gone, 0);
}

TEST(one_that_is_gone_is_told_once) {
        const OpsRecord answer = ops_refusal(7, OPS_REFUSAL_BUSY, 0);
        fixture->front = fd_close(fixture->front);
        assert_int_equal(front_link_send(&fixture->link, &answer, NULL, 0), 0);
        assert_true(turn());
        assert_int_equal(fixture->n_gone, 1);
        assert_false(front_link_is_attached(&fixture->link));
        settle();
        assert_false(turn());
        assert_int_equal(front_link_send(&fixture->link, &answer, NULL, 0), 0);
        assert_int_equal(fixture->n_gone, 1);
}

TEST(what_is_no_operation_is_not_told_and_ends_it) {
        assert_int_equal(send(fixture->front, "noise", 5, 0), 5);
        assert_true(turn());
        assert_int_equal(fixture->n_asked, 0);
        assert_int_equal(fixture->n_gone, 1);
}

TEST(one_that_does_not_read_is_cut_off) {
        const OpsRecord answer = ops_refusal(7, OPS_REFUSAL_BUSY, 0);
        for (unsigned i = 0; i < RECORDS_MANY && !turn(); i++)
                assert_int_equal(front_link_send(&fixture->link, &answer, NULL, 0), 0);
        assert_int_equal(fixture->n_gone, 1);
}
