/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What was received is closed by a process of its own, which the loop never waits for, and in the end in any case: the end of a pipe tells when.
 */

#include "ops/closer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>

#include "pair.h"
#include "test.h"
#include "util/fd.h"

#define MANY 20000u /* more than a socket takes */

static sd_event *event;
static Closer *closer;
static pid_t pid;

static int set_up(void **state) {
        assert_true(sd_event_new(&event) >= 0);
        assert_int_equal(closer_new(event, CALL_FILTER_REFUSE, &closer), 0);
        pid = closer_pid(closer);
        return 0;
}

static int tear_down(void **state) {
        closer = closer_free(closer);
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

TEST(the_process_closes_and_not_who_hands_over, set_up, tear_down) {
        int end, fd = pipe_end(&end);

        assert_int_equal(kill(pid, SIGSTOP), 0);
        assert_int_equal(fd_close_received(fd), -1);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
        assert_true(is_open(end));
        assert_int_equal(kill(pid, SIGCONT), 0);
        await_close(end);
}

TEST(what_finds_no_room_waits_and_is_closed_in_the_end, set_up, tear_down) {
        int end, fd = pipe_end(&end);
        const size_t before = open_fds();

        assert_int_equal(kill(pid, SIGSTOP), 0);
        for (unsigned i = 0; i < MANY && closer_count_waiting(closer) < 100; i++)
                fd_close_received(fcntl(fd, F_DUPFD_CLOEXEC, 0));
        assert_int_equal(closer_count_waiting(closer), 100);
        assert_int_equal(open_fds(), before + 100);
        fd_close_received(fd);
        assert_int_equal(kill(pid, SIGCONT), 0);
        while (closer_count_waiting(closer) > 0)
                assert_true(sd_event_run(event, UINT64_MAX) >= 0);
        await_close(end);
        assert_int_equal(open_fds(), before - 2);
        assert_int_equal(sd_event_run(event, 0), 0); /* nothing is watched any more */
}

TEST(another_takes_the_place_of_one_that_is_killed, set_up, tear_down) {
        int end, fd = pipe_end(&end);

        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        fd_close_received(fd);
        assert_int_not_equal(closer_pid(closer), pid);
        await_close(end);
}

TEST(what_one_had_that_is_killed_is_closed, set_up, tear_down) {
        int end, fd = pipe_end(&end), later_end, later;

        assert_int_equal(kill(pid, SIGSTOP), 0);
        fd_close_received(fd);
        assert_int_equal(kill(pid, SIGKILL), 0);
        await_close(end);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_true(sd_event_run(event, UINT64_MAX) > 0); /* its end is heard of */
        assert_int_equal(closer_pid(closer), -1);
        later = pipe_end(&later_end);
        fd_close_received(later);
        await_close(later_end);
}

static int on_exit_request(sd_event_source *source, void *userdata) {
        return sd_event_exit(event, 0);
}

/* Nobody is watched then, and nothing is started. */
TEST(a_loop_that_is_over_hands_over_still, set_up, tear_down) {
        int end, fd = pipe_end(&end), later_end, later = pipe_end(&later_end);

        assert_true(sd_event_add_defer(event, NULL, on_exit_request, NULL) >= 0);
        assert_true(sd_event_loop(event) >= 0);
        fd_close_received(fd);
        await_close(end);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        fd_close_received(later);
        assert_int_equal(closer_pid(closer), -1);
        await_close(later_end);
}
