/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A receiver hands on memory files and, where it is told so, sockets, closes all else, and ends with its owner's interest.
 */

#include "ops/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "pair.h"
#include "util/cleanup.h"

static Receiver receiver;
static ReceiverReport report;
static SocketFds came;

static int set_up(void **state) {
        return receiver_start(CALL_FILTER_REFUSE, &receiver);
}

static int tear_down(void **state) {
        const pid_t pid = receiver.pid;

        receiver_dismiss(&receiver);
        return waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

static void hear(void) {
        struct pollfd ready = { .fd = receiver.fd, .events = POLLIN };

        assert_int_equal(poll(&ready, 1, -1), 1);
        assert_int_equal(receiver_hear(&receiver, &report, &came), 0);
}

static void ask(uint32_t kind, int fd, uint32_t n_fds, bool with_sockets) {
        const ReceiverTask task = { .kind = kind,
                .n_data = RECEIVER_DATA_MAX,
                .n_fds = n_fds,
                .with_sockets = with_sockets };

        assert_int_equal(receiver_ask(&receiver, &task, fd), 0);
}

static bool has_seals(int fd) {
        return fcntl(fd, F_GET_SEALS) >= 0;
}

static void memory_files_alone_are_handed_on(void **state) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        _cleanup_(fd_closep) int memory = -1;
        size_t n, before = open_fds();
        int pipes[2];

        assert_int_equal(fd_memfd_sealed("test", "text", 4, &memory), 0);
        assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
        assert_int_equal(socket_send(pair.here, "bytes", 5, (int[]){ memory, pipes[1], pair.here }, 3, &n), 0);
        fd_close(pipes[1]);
        ask(RECEIVER_TASK_RECEIVE, pair.there, 3, false);
        hear();
        assert_true(report.came && !report.done && !report.lost && report.outcome == 0);
        assert_int_equal(report.n_data, 5);
        assert_memory_equal(report.data, "bytes", 5);
        assert_int_equal(came.n, 3);
        assert_true(has_seals(came.fds[0]) && !has_seals(came.fds[1]) && !has_seals(came.fds[2]));
        fds_close_received(came.fds, came.n);
        hear();
        assert_true(report.done && !report.came);
        assert_int_equal(read(pipes[0], &(char){ 0 }, 1), 0); /* nobody has the other end any more */
        fd_close(pipes[0]);
        fd_close(memory);
        memory = -1;
        assert_int_equal(open_fds(), before);
}

static void with_memory_files_only_one_report_is_all(void **state) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        _cleanup_(fd_closep) int memory = -1;
        size_t n;

        assert_int_equal(fd_memfd_sealed("test", "text", 4, &memory), 0);
        assert_int_equal(socket_send(pair.here, "x", 1, &memory, 1, &n), 0);
        ask(RECEIVER_TASK_RECEIVE, pair.there, 3, false);
        hear();
        assert_true(report.came && report.done);
        assert_int_equal(came.n, 1);
        fds_close_received(came.fds, came.n);
}

static void what_finds_no_room_is_lost_and_the_bytes_are_not(void **state) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        size_t n;

        assert_int_equal(socket_send(pair.here, "x", 1, (int[]){ 0, 1 }, 2, &n), 0);
        ask(RECEIVER_TASK_RECEIVE, pair.there, 0, false);
        hear();
        assert_true(report.came && report.done && report.lost);
        assert_int_equal(report.n_data, 1);
        assert_int_equal(came.n, 0);

        ask(RECEIVER_TASK_RECEIVE, pair.there, 0, false);
        hear();
        assert_true(report.done);
        assert_int_equal(report.outcome, SOCKET_E_AGAIN);
}

static void a_socket_goes_on_where_it_may_and_is_given_back_to_be_closed(void **state) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET), other = pair_new(SOCK_STREAM);
        size_t n;
        char byte;

        assert_int_equal(socket_send(pair.here, "x", 1, &other.there, 1, &n), 0);
        other.there = fd_close(other.there);
        ask(RECEIVER_TASK_RECEIVE, pair.there, 3, true);
        hear();
        assert_true(report.came && report.done);
        assert_int_equal(send(came.fds[0], "y", 1, 0), 1); /* it is the socket itself */
        assert_int_equal(recv(other.here, &byte, 1, 0), 1);

        ask(RECEIVER_TASK_CLOSE, came.fds[0], 0, false);
        fds_close_received(came.fds, came.n);
        hear();
        assert_true(report.done && !report.came);
        assert_int_equal(recv(other.here, &byte, 1, 0), 0);
}

static void it_has_no_capability(void **state) {
        char path[64], line[256];
        unsigned n_sets = 0;
        FILE *status;

        ask(RECEIVER_TASK_CLOSE, receiver.fd, 0, false); /* it serves, so it has given them up */
        hear();
        snprintf(path, sizeof path, "/proc/%d/status", receiver.pid);
        status = fopen(path, "re");
        assert_non_null(status);
        while (fgets(line, sizeof line, status)) {
                if (strncmp(line, "CapInh", 6) && strncmp(line, "CapPrm", 6) && strncmp(line, "CapEff", 6))
                        continue;
                assert_string_equal(line + 6, ":\t0000000000000000\n");
                n_sets++;
        }
        assert_int_equal(n_sets, 3);
        fclose(status);
}

static void a_socket_is_closed_with_what_is_unread(void **state) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        size_t n;
        int pipes[2];

        assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
        assert_int_equal(socket_send(pair.here, "x", 1, &pipes[1], 1, &n), 0);
        fd_close(pipes[1]);
        ask(RECEIVER_TASK_CLOSE, pair.there, 0, false);
        pair.there = fd_close(pair.there);
        hear();
        assert_true(report.done && !report.came);
        assert_int_equal(read(pipes[0], &(char){ 0 }, 1), 0);
        fd_close(pipes[0]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(memory_files_alone_are_handed_on, set_up, tear_down),
                cmocka_unit_test_setup_teardown(with_memory_files_only_one_report_is_all, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_finds_no_room_is_lost_and_the_bytes_are_not, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_socket_goes_on_where_it_may_and_is_given_back_to_be_closed, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(it_has_no_capability, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_socket_is_closed_with_what_is_unread, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
