/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A receiver hands on sealed memory files of a bounded size and, where it is told so, sockets, closes all else, does the last close of
 * what is given back, and ends with its owner's interest.
 */

#include <poll.h>
#include <systemd/sd-event.h>

#include "ops/receiver.h"
#include "util/socket.h"

#include "forbidden.h"
#include "pair.h"

static Receiver receiver;
static ReceiverReport report;
static SocketFds came;

static int set_up(void **state) {
        return receiver_start("benchd-receive", CALL_FILTER_REFUSE, &receiver);
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

/* Hands a duplicate over: the test keeps @fd. */
static void hand_over(ReceiverTaskKind kind, int fd) {
        const int given = dup(fd);

        assert_true(given >= 0);
        assert_int_equal(receiver_hand_over(&receiver, kind, &given, 1), 0);
        assert_int_equal(fcntl(given, F_GETFD), -1);
}

static bool has_seals(int fd) {
        return fcntl(fd, F_GET_SEALS) >= 0;
}

TEST(memory_files_alone_are_handed_on, set_up, tear_down) {
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

TEST(with_memory_files_only_one_report_is_all, set_up, tear_down) {
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

/* Takes @fd. Returns the outcome of fd_check_sealed() for what the receiver hands on in its place, and in @ret_same if that is the file itself. */
static int judge(int fd, bool *ret_same) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        struct stat sent, got;
        size_t n;
        int r;

        assert_int_equal(fstat(fd, &sent), 0);
        assert_int_equal(socket_send(pair.here, "x", 1, &fd, 1, &n), 0);
        fd_close(fd);
        ask(RECEIVER_TASK_RECEIVE, pair.there, 1, false);
        hear();
        assert_int_equal(came.n, 1);
        r = fd_check_sealed(came.fds[0], RECEIVER_FILE_MAX, &n);
        assert_int_equal(fstat(came.fds[0], &got), 0);
        *ret_same = sent.st_dev == got.st_dev && sent.st_ino == got.st_ino;
        fds_close_received(came.fds, came.n);
        if (!report.done) {
                hear();
                assert_true(report.done && !report.came);
        }
        return r;
}

static int memory_of(off_t size, off_t behind, int seals) {
        const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

        assert_true(fd >= 0);
        assert_int_equal(ftruncate(fd, size), 0);
        assert_int_equal(behind > 0 ? fallocate(fd, FALLOC_FL_KEEP_SIZE, size, behind) : 0, 0);
        assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
        return fd;
}

/* Its owner is told the same of it as if it had the file. */
TEST(what_does_not_go_on_has_a_stand_in_with_the_same_fault, set_up, tear_down) {
        static const int all = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
        const struct {
                int fd, r;
                bool goes_on;
        } rows[] = {
                { memory_of(6, 0, all), 0, true },
                { memory_of(0, 0, all), FD_E_EMPTY, true },
                { memory_of(RECEIVER_FILE_MAX, 0, all), 0, true },
                { memory_of(RECEIVER_FILE_MAX + 1, 0, all), FD_E_TOO_LARGE, false },
                { memory_of(INT64_MAX, 0, all), FD_E_TOO_LARGE, false },
                { memory_of(6, 8 << 20, all), FD_E_TOO_LARGE, false },
                { memory_of(0, 8 << 20, all), FD_E_TOO_LARGE, false },
                { memory_of(6, 0, 0), FD_E_UNSEALED, false },
                { memory_of(6, 0, all & ~F_SEAL_SEAL), FD_E_UNSEALED, false },
                { memory_of(6, 8 << 20, all & ~F_SEAL_GROW), FD_E_UNSEALED, false },
                { open("/proc/self/exe", O_RDONLY | O_CLOEXEC), FD_E_NOT_MEMFD, false },
                { open("/proc/self/exe", O_PATH | O_CLOEXEC), FD_E_NOT_MEMFD, false },
                { open("/dev/null", O_RDWR | O_CLOEXEC), FD_E_NOT_MEMFD, false },
        };
        const size_t before = open_fds() - N_ELEMENTS(rows);

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                bool same;

                assert_int_equal(judge(rows[i].fd, &same), rows[i].r);
                assert_int_equal(same, rows[i].goes_on);
        }
        assert_int_equal(open_fds(), before);
}

static bool is_open_for_writing(int read_fd) {
        struct pollfd end = { .fd = read_fd };

        assert_int_not_equal(poll(&end, 1, 0), -1);
        return !(end.revents & POLLHUP);
}

/* A receiver that is quicker than its owner would leave the last close to it. */
TEST(what_is_given_back_is_closed_when_its_owner_has_closed_it, set_up, tear_down) {
        const ReceiverTask task = { .kind = RECEIVER_TASK_CLOSE };
        const uint64_t token = 1;
        size_t n;
        int pipes[2];

        assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
        assert_int_equal(socket_send(receiver.fd, &task, sizeof task, &pipes[1], 1, &n), 0);
        fd_close(pipes[1]);
        assert_int_equal(kill(receiver.pid, 0), 0);
        assert_int_equal(poll(&(struct pollfd){ .fd = receiver.fd, .events = POLLIN }, 1, 20), 0);
        assert_true(is_open_for_writing(pipes[0]));
        assert_int_equal(write(receiver.tokens_fd, &token, sizeof token), sizeof token);
        hear();
        assert_true(report.done && !report.came);
        assert_false(is_open_for_writing(pipes[0]));
        fd_close(pipes[0]);
}

TEST(many_are_closed_at_once_and_those_that_are_dropped_are_not_reported, set_up, tear_down) {
        int pipes[SOCKET_FDS_MAX], ends[SOCKET_FDS_MAX];

        for (size_t i = 0; i < N_ELEMENTS(pipes); i++) {
                int pair[2];

                assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
                ends[i] = pair[0];
                pipes[i] = pair[1];
        }
        assert_int_equal(receiver_hand_over(&receiver, RECEIVER_TASK_DROP, pipes, N_ELEMENTS(pipes)), 0);
        hand_over(RECEIVER_TASK_CLOSE, receiver.fd);
        hear(); /* of the second task */
        assert_true(report.done);
        for (size_t i = 0; i < N_ELEMENTS(pipes); i++) {
                assert_false(is_open_for_writing(ends[i]));
                fd_close(ends[i]);
        }
}

TEST(what_finds_no_room_is_lost_and_the_bytes_are_not, set_up, tear_down) {
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

TEST(a_socket_goes_on_where_it_may_and_is_given_back_to_be_closed, set_up, tear_down) {
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

        assert_int_equal(receiver_hand_over(&receiver, RECEIVER_TASK_CLOSE, came.fds, came.n), 0);
        hear();
        assert_true(report.done && !report.came);
        assert_int_equal(recv(other.here, &byte, 1, 0), 0);
}

TEST(it_has_no_capability, set_up, tear_down) {
        char path[64], line[256];
        unsigned n_sets = 0;
        FILE *status;

        hand_over(RECEIVER_TASK_CLOSE, receiver.fd); /* it serves, so it has given them up */
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

TEST(a_socket_is_closed_with_what_is_unread, set_up, tear_down) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        size_t n;
        int pipes[2];

        assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
        assert_int_equal(socket_send(pair.here, "x", 1, &pipes[1], 1, &n), 0);
        fd_close(pipes[1]);
        assert_int_equal(receiver_hand_over(&receiver, RECEIVER_TASK_CLOSE, &pair.there, 1), 0);
        pair.there = -1;
        hear();
        assert_true(report.done && !report.came);
        assert_int_equal(read(pipes[0], &(char){ 0 }, 1), 0);
        fd_close(pipes[0]);
}

/* A receiver makes no call but those that receive, pass on and close; a trap names another one. */

TEST(what_no_daemon_needs_is_refused) {
        assert_forbidden_calls(receiver_calls_limit);
}

#if !CALL_FILTER_SANITIZED

/* Calls that both daemons may make. */
static int idle_child(void) {
        if (receiver_calls_limit(CALL_FILTER_REFUSE))
                return 1;
        if (open("/proc/self/status", O_RDONLY) >= 0 || errno != EPERM)
                return 2;
        if (socket(AF_UNIX, SOCK_DGRAM, 0) >= 0 || errno != EPERM)
                return 3;
        if (fork() >= 0 || errno != EPERM)
                return 4;
        if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED || errno != EPERM)
                return 5;
        if (kill(getppid(), 0) == 0 || errno != EPERM)
                return 6;
        if (write(STDERR_FILENO, "", 0) >= 0 || errno != EPERM)
                return 7;
        if (read(STDIN_FILENO, (char[1]){ 0 }, 1) >= 0 || errno != EPERM)
                return 8;
        return fcntl(STDERR_FILENO, F_GETFL) >= 0 || errno != EPERM ? 9 : 0;
}

TEST(it_opens_makes_and_starts_nothing) {
        int signal;

        assert_int_equal(in_child(idle_child, &signal), 0);
}

#endif

static Pair pair;

static int working_child(void) {
        const struct linger none = { .l_onoff = 1 };
        struct stat status;
        SocketFds arrived;
        char text[8];
        size_t n;
        int domain;

        if (receiver_calls_limit(CALL_FILTER_TRAP))
                return 1;
        if (socket_receive_some(pair.there, text, sizeof text, 1, &n, &arrived) != 0 || arrived.n != 1)
                return 2;
        if (fcntl(arrived.fds[0], F_GET_SEALS) >= 0 || errno != EINVAL)
                return 3;
        if (fstat(arrived.fds[0], &status) < 0 || !S_ISSOCK(status.st_mode))
                return 8;
        if (getsockopt(arrived.fds[0], SOL_SOCKET, SO_DOMAIN, &domain, &(socklen_t){ sizeof domain }) < 0)
                return 4;
        if (setsockopt(arrived.fds[0], SOL_SOCKET, SO_LINGER, &none, sizeof none) < 0)
                return 5;
        if (socket_send(pair.there, "back", 4, arrived.fds, 1, &n) != 0)
                return 6;
        return close(arrived.fds[0]) < 0 ? 7 : 0;
}

TEST(what_it_needs_is_done) {
        int signal;
        size_t n;

        pair = pair_new(SOCK_STREAM);
        assert_int_equal(socket_send(pair.here, "forth", 5, &pair.here, 1, &n), 0);
        assert_int_equal(in_child(working_child, &signal), 0);
        assert_int_equal(signal, 0);
        pair_close(&pair);
}

TEST(a_trap_names_the_call_and_ends_the_process) {
        assert_trap(receiver_calls_limit);
}

/*
 * What was received is closed by a process of its own, which the loop never waits for, and in the end in any case: the end of a pipe tells when.
 */

#define MANY 20000u /* more than a socket takes */

static sd_event *event;
static ReceiverCloser *closer;
static pid_t pid;

static int closer_set_up(void **state) {
        assert_true(sd_event_new(&event) >= 0);
        assert_int_equal(receiver_closer_new(event, CALL_FILTER_REFUSE, &closer), 0);
        pid = receiver_closer_pid(closer);
        return 0;
}

static int closer_tear_down(void **state) {
        closer = receiver_closer_free(closer);
        event = sd_event_unref(event);
        while (waitpid(-1, NULL, 0) > 0) {
        }
        return 0;
}

static int pipe_end(int *ret_end) {
        int pipes[2];

        assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
        *ret_end = pipes[0];
        return pipes[1];
}

static bool is_open(int end) {
        struct pollfd pipe = { .fd = end };

        assert_int_not_equal(poll(&pipe, 1, 0), -1);
        return !(pipe.revents & POLLHUP);
}

static void await_close(int end) {
        assert_int_equal(poll(&(struct pollfd){ .fd = end }, 1, -1), 1);
        fd_close(end);
}

TEST(the_process_closes_and_not_who_hands_over, closer_set_up, closer_tear_down) {
        int end, fd = pipe_end(&end);

        assert_int_equal(kill(pid, SIGSTOP), 0);
        assert_int_equal(fd_close_received(fd), -1);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
        assert_true(is_open(end));
        assert_int_equal(kill(pid, SIGCONT), 0);
        await_close(end);
}

TEST(what_finds_no_room_waits_and_is_closed_in_the_end, closer_set_up, closer_tear_down) {
        int end, fd = pipe_end(&end);
        const size_t before = open_fds();

        assert_int_equal(kill(pid, SIGSTOP), 0);
        for (unsigned i = 0; i < MANY && receiver_closer_count_waiting(closer) < 100; i++)
                fd_close_received(fcntl(fd, F_DUPFD_CLOEXEC, 0));
        assert_int_equal(receiver_closer_count_waiting(closer), 100);
        assert_int_equal(open_fds(), before + 100);
        fd_close_received(fd);
        assert_int_equal(kill(pid, SIGCONT), 0);
        while (receiver_closer_count_waiting(closer) > 0)
                assert_true(sd_event_run(event, UINT64_MAX) >= 0);
        await_close(end);
        assert_int_equal(open_fds(), before - 2);
        assert_int_equal(sd_event_run(event, 0), 0); /* nothing is watched any more */
}

TEST(another_takes_the_place_of_one_that_is_killed, closer_set_up, closer_tear_down) {
        int end, fd = pipe_end(&end);

        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        fd_close_received(fd);
        assert_int_not_equal(receiver_closer_pid(closer), pid);
        await_close(end);
}

TEST(what_one_had_that_is_killed_is_closed, closer_set_up, closer_tear_down) {
        int end, fd = pipe_end(&end), later_end, later;

        assert_int_equal(kill(pid, SIGSTOP), 0);
        fd_close_received(fd);
        assert_int_equal(kill(pid, SIGKILL), 0);
        await_close(end);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_true(sd_event_run(event, UINT64_MAX) > 0); /* its end is heard of */
        assert_int_equal(receiver_closer_pid(closer), -1);
        later = pipe_end(&later_end);
        fd_close_received(later);
        await_close(later_end);
}

static int on_exit_request(sd_event_source *source, void *userdata) {
        return sd_event_exit(event, 0);
}

/* Nobody is watched then, and nothing is started. */
TEST(a_loop_that_is_over_hands_over_still, closer_set_up, closer_tear_down) {
        int end, fd = pipe_end(&end), later_end, later = pipe_end(&later_end);

        assert_true(sd_event_add_defer(event, NULL, on_exit_request, NULL) >= 0);
        assert_true(sd_event_loop(event) >= 0);
        fd_close_received(fd);
        await_close(end);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        fd_close_received(later);
        assert_int_equal(receiver_closer_pid(closer), -1);
        await_close(later_end);
}
