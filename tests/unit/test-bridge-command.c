/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The command behind a bridge: why it did not start is known at once, signals to the whole job are not its business, and its end is
 * awaited but not for ever.
 */

#include "lib/bridge-command.h"

#include <linux/close_range.h>
#include <poll.h>

#include "pair.h"
#include "util/end-signals.h"

#define ARGV(...) ((char *const *)(const char *const[]){ __VA_ARGS__, NULL })

static BridgeCommand start(char *const *argv) {
        BridgeCommand command;

        assert_int_equal(bridge_command_start(argv, &command), 0);
        return command;
}

/* All that the command prints until it ends. */
static const char *hear(const BridgeCommand *command) {
        static char text[4096];
        size_t n = 0;

        for (;;) {
                struct pollfd poll_fd = { .fd = command->fd, .events = POLLIN };
                ssize_t n_read;

                assert_int_equal(poll(&poll_fd, 1, -1), 1);
                n_read = read(command->fd, text + n, sizeof text - 1 - n);
                if (n_read <= 0)
                        break;
                n += n_read;
        }
        text[n] = '\0';
        return text;
}

static void end(BridgeCommand *command) {
        const pid_t pid = command->pid;

        bridge_command_end(command);
        assert_int_equal(command->pid, -1);
        assert_int_equal(command->fd, -1);
        assert_int_equal(kill(pid, 0), -1);
        assert_int_equal(errno, ESRCH);
}

TEST(a_program_that_cannot_be_executed_is_its_errno) {
        const size_t n_open = open_fds();
        BridgeCommand command;

        assert_int_equal(bridge_command_start(ARGV("/no-such-program-anywhere", "x"), &command), -ENOENT);
        assert_int_equal(bridge_command_start(ARGV("/"), &command), -EACCES);
        assert_int_equal(open_fds(), n_open);
}

TEST(bytes_pass_both_ways_and_a_hang_up_ends_it) {
        const size_t n_open = open_fds();
        BridgeCommand command = start(ARGV("cat"));
        struct pollfd poll_fd = { .fd = command.fd, .events = POLLIN };
        char text[8];

        assert_int_equal(read(command.fd, text, sizeof text), -1); /* it does not block */
        assert_int_equal(errno, EAGAIN);
        assert_int_equal(write(command.fd, "hello", 5), 5);
        assert_int_equal(poll(&poll_fd, 1, -1), 1);
        assert_int_equal(read(command.fd, text, sizeof text), 5);
        assert_memory_equal(text, "hello", 5);
        end(&command);
        assert_int_equal(open_fds(), n_open);
}

static unsigned long long signals_of(const char *status, const char *name) {
        const char *line = strstr(status, name);

        assert_non_null(line);
        return strtoull(line + strlen(name), NULL, 16);
}

/* The caller decides what ends. Its own arrangements do not reach the command. */
TEST(it_is_deaf_to_signals_to_a_whole_job_and_to_nothing_else) {
        sigset_t blocked, before;
        BridgeCommand command;
        unsigned long long ends = 0;
        const char *status;

        sigemptyset(&blocked);
        sigaddset(&blocked, SIGUSR1);
        assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, &before), 0);
        signal(SIGPIPE, SIG_IGN);
        command = start(ARGV("grep", "^Sig", "/proc/self/status"));
        status = hear(&command);
        for (size_t i = 0; i < END_SIGNALS_N; i++)
                ends |= 1ull << (end_signals[i] - 1);
        assert_true(signals_of(status, "SigBlk:") == ends);
        assert_true((signals_of(status, "SigIgn:") & ends) == ends);
        assert_false(signals_of(status, "SigIgn:") & 1ull << (SIGPIPE - 1));
        assert_false(signals_of(status, "SigIgn:") & 1ull << (SIGUSR1 - 1));
        end(&command);
        signal(SIGPIPE, SIG_DFL);
        assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
}

TEST(no_other_descriptor_reaches_it) {
        BridgeCommand command;

        assert_int_equal(close_range(3, ~0u, CLOSE_RANGE_CLOEXEC), 0); /* those that this test was started with */
        command = start(ARGV("ls", "/proc/self/fd"));
        assert_string_equal(hear(&command), "0\n1\n2\n3\n"); /* the last is that of the directory */
        end(&command);
}

/* The hang-up and the requests are of no use here. */
TEST(one_that_does_not_end_is_killed) {
        BridgeCommand command = start(ARGV("sh", "-c", "trap '' TERM ALRM; echo deaf; exec sleep 1000"));
        struct pollfd poll_fd = { .fd = command.fd, .events = POLLIN };

        assert_int_equal(poll(&poll_fd, 1, -1), 1);
        end(&command);
}

/* ssh, which SIGTERM does not reach, restores the terminal on SIGALRM. */
TEST(one_that_ignores_the_hang_up_may_put_things_back) {
        BridgeCommand command;
        char text[8] = "";
        int ends[2];

        assert_int_equal(pipe(ends), 0);
        assert_int_equal(dup2(ends[1], 9), 9);
        command = start(ARGV("sh", "-c", "trap 'echo back >&9; exit' ALRM; echo asks; while :; do sleep 0.1; done"));
        assert_int_equal(poll(&(struct pollfd){ .fd = command.fd, .events = POLLIN }, 1, -1), 1);
        end(&command);
        close(9);
        close(ends[1]);
        assert_int_equal(read(ends[0], text, sizeof text), 5);
        assert_memory_equal(text, "back\n", 5);
        close(ends[0]);
}

TEST(the_first_hang_up_is_that_from_which_patience_counts) {
        BridgeCommand commands[3];

        for (size_t i = 0; i < N_ELEMENTS(commands); i++)
                commands[i] = start(ARGV("sh", "-c", "echo deaf; exec sleep 1000"));
        for (size_t i = 0; i < N_ELEMENTS(commands); i++)
                assert_int_equal(poll(&(struct pollfd){ .fd = commands[i].fd, .events = POLLIN }, 1, -1), 1);
        for (size_t i = 0; i < N_ELEMENTS(commands); i++)
                bridge_command_hang_up(&commands[i]);
        for (size_t i = 0; i < N_ELEMENTS(commands); i++) {
                const uint64_t hung_up_ns = commands[i].hung_up_ns;

                bridge_command_hang_up(&commands[i]); /* the first counts */
                assert_int_equal(commands[i].hung_up_ns, hung_up_ns);
        }
        for (size_t i = 0; i < N_ELEMENTS(commands); i++)
                end(&commands[i]);
}

TEST(one_that_ended_long_ago_is_awaited_too) {
        BridgeCommand command = start(ARGV("true"));

        assert_string_equal(hear(&command), "");
        end(&command);
        bridge_command_end(&command); /* nothing is left to do */
}

TEST(a_caller_that_awaits_no_children_is_not_held_up) {
        BridgeCommand command;

        signal(SIGCHLD, SIG_IGN);
        command = start(ARGV("cat"));
        end(&command);
        signal(SIGCHLD, SIG_DFL);
}

/* A daemon's way to be: numbers 0 and 1 are the next that the caller opens. */
TEST(a_caller_without_stdin_and_stdout_has_a_command_too) {
        int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
        BridgeCommand command;
        char text[8];
        int r;

        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        r = bridge_command_start(ARGV("echo", "heard"), &command);
        snprintf(text, sizeof text, "%.6s", r == 0 ? hear(&command) : "");
        bridge_command_end(&command);
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        close(in);
        close(out);
        assert_int_equal(r, 0);
        assert_string_equal(text, "heard\n");
}
