/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/interrupt.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define STOP_MS 3000 /* from SIGTERM to SIGKILL */

/* ---- a second Ctrl-C quits at once, and takes the child along */

static volatile pid_t running;
static void (*leave_before)(void);

static void child_leave(void) {
        if (running > 0)
                (void)kill(-running, SIGKILL);
        if (leave_before)
                leave_before();
}

static void child_begins(pid_t pid) {
        running = pid;
        leave_before = interrupt_on_leave(child_leave);
}

static void child_ended(void) {
        (void)interrupt_on_leave(leave_before);
        running = 0;
}

/* ---- its life */

static int child_actions(const Child *child, posix_spawn_file_actions_t *actions) {
        int r;

        r = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (r == 0)
                r = posix_spawn_file_actions_adddup2(actions, child->output_fd, STDOUT_FILENO);
        if (r == 0)
                r = posix_spawn_file_actions_adddup2(actions, child->error_fd, STDERR_FILENO);
        if (r == 0 && child->directory)
                r = posix_spawn_file_actions_addchdir_np(actions, child->directory);
        return r;
}

static int child_spawn(const Child *child, pid_t *ret_pid) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t none, all;
        int r;

        sigemptyset(&none);
        sigfillset(&all);
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        r = posix_spawnattr_setflags(&attributes,
                        POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        if (r == 0)
                r = posix_spawnattr_setsigmask(&attributes, &none);
        if (r == 0)
                r = posix_spawnattr_setsigdefault(&attributes, &all);
        if (r == 0)
                r = child_actions(child, &actions);
        if (r == 0)
                r = posix_spawnp(ret_pid, child->words[0], &actions, &attributes, (char *const *)child->words,
                                child->environment);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        return -r;
}

/* Waits until the child has ended or benchctl is asked to. True: it has ended. */
static bool child_await(const Child *child, int pidfd) {
        const uint64_t begin_ns = time_monotonic_ns();

        while (!interrupt_came()) {
                struct pollfd fds[] = {
                        { .fd = pidfd, .events = POLLIN },
                        { .fd = interrupt_fd(), .events = POLLIN },
                };

                if (poll(fds, N_ELEMENTS(fds), child->on_second ? 1000 : -1) == 0)
                        child->on_second(child->userdata, (unsigned)((time_monotonic_ns() - begin_ns) / NS_PER_S));
                if (fds[0].revents)
                        return true;
        }
        return false;
}

/* The leader may end before others of its group do. */
static void child_stop(pid_t pid, int pidfd) {
        struct pollfd ended = { .fd = pidfd, .events = POLLIN };

        (void)kill(-pid, SIGTERM);
        while (poll(&ended, 1, STOP_MS) < 0 && errno == EINTR)
                ;
        (void)kill(-pid, SIGKILL);
}

int child_run(const Child *child, int *ret_status) {
        _cleanup_(fd_closep) int pidfd = -1;
        bool ended = false;
        int status = 0, r;
        pid_t pid;

        r = child_spawn(child, &pid);
        if (r)
                return r;
        child_begins(pid);
        pidfd = pidfd_open(pid, 0);
        if (pidfd >= 0)
                ended = child_await(child, pidfd);
        if (!ended)
                child_stop(pid, pidfd);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        child_ended();
        if (!ended)
                return pidfd < 0 ? error_origin(-ECHILD) : CHILD_E_STOPPED;
        *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return 0;
}
