/* SPDX-License-Identifier: MIT */
#include "lib/bridge-command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define END_PATIENCE_MS         2000 /* for a private daemon to restore the machine, before the transport is told to end */
#define END_REQUEST_PATIENCE_MS 200 /* at least, for a transport to do so */

/*
 * Signals that tell a transport to end, sent together: SIGTERM for one that unblocks signals; SIGALRM for ssh, which SIGTERM does not
 * reach, and which then also restores the terminal after a password prompt.
 */
static const int end_requests[] = { SIGTERM, SIGALRM };

/*
 * In the child of what may be a program with threads: calls that are safe there only. Tells through @failed_fd why nothing was executed.
 * Signals to a whole job are ignored, and blocked too: ssh over a shared connection handles what it finds ignored.
 */
static _Noreturn void command_execute(char *const *argv, int fd, int failed_fd) {
        const struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
        sigset_t deaf;
        int error;

        /* A caller may have closed its stdin or stdout. */
        failed_fd = fcntl(failed_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        end_signals_fill(&deaf);
        for (size_t i = 0; i < END_SIGNALS_N; i++)
                (void)sigaction(end_signals[i], &ignore, NULL);
        (void)sigaction(SIGPIPE, &usual, NULL);
        (void)sigprocmask(SIG_SETMASK, &deaf, NULL);
        if (fd >= 0 && dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
                execvp(argv[0], argv);
        error = errno;
        (void)!write(failed_fd, &error, sizeof error);
        _exit(127);
}

/* Returns the child's report: 0 when it executes, or a negative errno. */
static int command_await_execution(int failed_fd) {
        int error;
        ssize_t n;

        do
                n = read(failed_fd, &error, sizeof error);
        while (n < 0 && errno == EINTR);
        return n == sizeof error ? -error : 0;
}

static int command_wait(pid_t pid) {
        while (waitpid(pid, NULL, 0) < 0)
                if (errno != EINTR)
                        return error_origin(-errno);
        return 0;
}

int bridge_command_start(char *const *argv, BridgeCommand *ret_command) {
        _cleanup_(fd_closep) int near = -1, far = -1, told = -1, failed = -1;
        int ends[2];
        pid_t pid;
        int r;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
                return error_origin(-errno);
        near = ends[0];
        far = ends[1];
        if (pipe2(ends, O_CLOEXEC) < 0)
                return error_origin(-errno);
        told = ends[0];
        failed = ends[1];
        r = fd_set_nonblock(near, true);
        if (r)
                return error_trace(r);
        pid = fork();
        if (pid < 0)
                return error_origin(-errno);
        if (pid == 0)
                command_execute(argv, far, failed);
        failed = fd_close(failed);
        r = command_await_execution(told);
        if (r) {
                (void)command_wait(pid);
                return error_trace(r);
        }
        *ret_command = (BridgeCommand){ .pid = pid, .fd = fd_take(&near) };
        return 0;
}

/* A caller that ignores SIGCHLD has no child left by that number, which may be another's by now. */
static bool command_ends_within(pid_t pid, int patience_ms) {
        _cleanup_(fd_closep) int fd = pidfd_open(pid, 0);
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        int r;

        if (fd < 0 && errno == ESRCH)
                return true;
        do
                r = poll(&poll_fd, 1, patience_ms);
        while (r < 0 && errno == EINTR);
        return r > 0;
}

void bridge_command_hang_up(BridgeCommand *command) {
        if (command->fd < 0 || command->hung_up_ns)
                return;
        (void)shutdown(command->fd, SHUT_RDWR);
        command->hung_up_ns = time_monotonic_ns();
}

/* Time that is left of @patience_ms from the hang-up, or @least_ms if that is more. */
static int patience_left_ms(const BridgeCommand *command, int patience_ms, int least_ms) {
        const uint64_t waited_ms = (time_monotonic_ns() - command->hung_up_ns) / NS_PER_MS;
        const int left_ms = waited_ms < (uint64_t)patience_ms ? patience_ms - (int)waited_ms : 0;

        return left_ms > least_ms ? left_ms : least_ms;
}

void bridge_command_end(BridgeCommand *command) {
        bridge_command_hang_up(command);
        command->fd = fd_close(command->fd);
        if (command->pid < 0)
                return;
        if (!command_ends_within(command->pid, patience_left_ms(command, END_PATIENCE_MS, 0))) {
                for (size_t i = 0; i < N_ELEMENTS(end_requests); i++)
                        (void)kill(command->pid, end_requests[i]);
                if (!command_ends_within(command->pid,
                                    patience_left_ms(command, 2 * END_PATIENCE_MS, END_REQUEST_PATIENCE_MS)))
                        (void)kill(command->pid, SIGKILL);
        }
        (void)command_wait(command->pid);
        *command = BRIDGE_COMMAND_NULL;
}
