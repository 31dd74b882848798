/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/cell-birth.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/birth/birth.h"
#include "launch/birth/cell-view.h"
#include "ops/confine.h"
#include "ops/outcome.h"
#include "util/cleanup.h"
#include "util/fd.h"

#define CELL_NAMESPACES (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS | CLONE_NEWNET)

#define MAP_BYTES_MAX 4096u /* the kernel takes no more than a page */

/* One word from the scaffold to the zygote, or back. */
typedef struct ScaffoldWord {
        int32_t error; /* negative errno, or 0 */
        int32_t first;
        pid_t runners[RUNNER_SIDES_MAX];
} ScaffoldWord;

static pid_t sibling_fork(void) {
        return syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0ul);
}

/*
 * Forks a sibling of the caller into the control group of v2 whose directory is *@group_fd. If that is -1, or takes no process, the
 * sibling is in the caller's group and *@group_fd is -1. Its exit signal is the caller's own.
 *
 * Joining a group of v2 later would wait until no process of the machine forks or exits, at least a grace period of RCU: 4 to 20 ms.
 */
static pid_t sibling_fork_into(int *group_fd) {
        struct clone_args arguments = { .flags = CLONE_PARENT | CLONE_INTO_CGROUP, .cgroup = *group_fd };
        pid_t pid = *group_fd < 0 ? -1 : syscall(SYS_clone3, &arguments, sizeof arguments);

        if (pid >= 0)
                return pid;
        *group_fd = -1;
        return sibling_fork();
}

/* ---- the runners */

int cell_fork_runners(CellSides *sides, int *group_fd, pid_t pids[static RUNNER_SIDES_MAX]) {
        int error = 0;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sides->turns) < 0)
                return -errno;
        for (uint32_t side = 0; side < sides->n && !error; side++) {
                pids[side] = sibling_fork_into(group_fd);
                if (pids[side] == 0) {
                        sides->own = side;
                        fd_close(sides->turns[1 - side]);
                        return CELL_BIRTH_E_RUNNER;
                }
                error = pids[side] < 0 ? -errno : 0;
        }
        fd_close(sides->turns[0]);
        fd_close(sides->turns[1]);
        return error;
}

/* ---- the first process */

/*
 * The command line is still the launcher's, with the path of its socket, and /proc shows it to the cell. This process has its own copy
 * of the bytes, so they can be overwritten.
 */
static void forget_command_line(void) {
        _cleanup_(fd_closep) int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
        char *line = program_invocation_name, bytes[512];
        ssize_t n;

        while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0) {
                memset(line, 0, (size_t)n);
                line += n;
        }
}

/*
 * Sleeps until the launcher is gone or kills it. The lifeline is a socket, which cannot be opened again through /proc as a pipe can. Orphans in the
 * cell become its children, and vanish without waking it. Signals from within the cell do not reach it, SIGKILL included, since it has no handlers.
 */
static void __attribute__((noreturn)) first_main(int lifeline_fd, BirthFault *fault) {
        struct pollfd lifeline = { .fd = STDIN_FILENO };

        (void)prctl(PR_SET_NAME, "benchd-cell");
        forget_command_line();
        (void)sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
        if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || !confine_drop_capabilities() ||
                        dup2(lifeline_fd, STDIN_FILENO) < 0 || close_range(STDIN_FILENO + 1, ~0u, 0) < 0)
                birth_fail(fault, "the first process of its cell");
        while (!(lifeline.revents & (POLLHUP | POLLERR | POLLNVAL)))
                (void)poll(&lifeline, 1, -1);
        _exit(0);
}

/* ---- the scaffold */

static int scaffold_enter(int zygote_fd) {
        ScaffoldWord word = {};

        if (unshare(CELL_NAMESPACES) < 0)
                return -errno;
        if (write(zygote_fd, &word, sizeof word) != sizeof word || read(zygote_fd, &word, sizeof word) != sizeof word)
                return -EPIPE;
        return word.error ? word.error : cell_view_detach();
}

/* Returns in a runner only. */
static void scaffold_main(int zygote_fd, int lifeline_fd, int *group_fd, CellSides *sides, BirthFault *fault) {
        ScaffoldWord word = {};

        birth_offer_to_oom_killer();
        word.error = scaffold_enter(zygote_fd);
        if (word.error == 0) {
                word.first = sibling_fork();
                if (word.first == 0)
                        first_main(lifeline_fd, fault);
                word.error = word.first < 0 ? -errno : 0;
        }
        if (word.error == 0)
                word.error = cell_fork_runners(sides, group_fd, word.runners);
        if (word.error == CELL_BIRTH_E_RUNNER)
                return;
        (void)!write(zygote_fd, &word, sizeof word);
        _exit(0);
}

/* ---- the zygote */

static int write_file(const char *path, const char *text, size_t n_text) {
        _cleanup_(fd_closep) int fd = open(path, O_WRONLY | O_CLOEXEC);

        return fd < 0 || write(fd, text, n_text) != (ssize_t)n_text ? -errno : 0;
}

/* All ids from @least on that this process has names for, each for itself. */
static int map_all(const char *own_path, unsigned long least, const char *path) {
        FILE *own = fopen(own_path, "re");
        char text[MAP_BYTES_MAX];
        unsigned long inside, outside, count;
        size_t n = 0;

        if (!own)
                return -errno;
        while (fscanf(own, "%lu %lu %lu", &inside, &outside, &count) == 3 && n < sizeof text) {
                const unsigned long first = inside > least ? inside : least;

                if (first < inside + count)
                        n += (size_t)snprintf(text + n, sizeof text - n, "%lu %lu %lu\n", first, first,
                                        inside + count - first);
        }
        fclose(own);
        return n < sizeof text ? write_file(path, text, n) : -E2BIG;
}

/*
 * The kernel lets a process without rights map only its own user id, and its own group id after setgroups() is denied.
 */
static int map_own(unsigned id, const char *path) {
        char text[64];
        int n = snprintf(text, sizeof text, "%u %u 1", id, id);

        return write_file(path, text, n);
}

/* User 0 is left out: mapping it takes CAP_SETFCAP, which would let the launcher do more than it should. */
static int map_users(pid_t pid) {
        const bool root = geteuid() == 0;
        char uids[64], gids[64], groups[64];
        int r = 0;

        snprintf(uids, sizeof uids, "/proc/%d/uid_map", pid);
        snprintf(gids, sizeof gids, "/proc/%d/gid_map", pid);
        snprintf(groups, sizeof groups, "/proc/%d/setgroups", pid);
        if (!root)
                r = write_file(groups, "deny", 4);
        if (r == 0)
                r = root ? map_all("/proc/self/uid_map", 1, uids) : map_own(geteuid(), uids);
        if (r == 0)
                r = root ? map_all("/proc/self/gid_map", 0, gids) : map_own(getegid(), gids);
        return r;
}

static int zygote_tend(int scaffold_fd, CellPids *pids) {
        ScaffoldWord word;

        if (read(scaffold_fd, &word, sizeof word) != sizeof word)
                return -EPIPE;
        if (word.error)
                return word.error;
        word.error = map_users(pids->scaffold);
        if (write(scaffold_fd, &word, sizeof word) != sizeof word ||
                        read(scaffold_fd, &word, sizeof word) != sizeof word)
                return -EPIPE;
        pids->first = word.first > 0 ? word.first : 0;
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                pids->runners[i] = word.runners[i] > 0 ? word.runners[i] : 0;
        return word.error;
}

int cell_bear(int lifeline_fd, int *group_fd, CellSides *sides, BirthFault *fault, CellPids *ret_pids) {
        _cleanup_(fd_closep) int ours = -1, theirs = -1;
        int pair[2];

        *ret_pids = (CellPids){};
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
                return -errno;
        ours = pair[0];
        theirs = pair[1];
        ret_pids->scaffold = sibling_fork();
        if (ret_pids->scaffold < 0)
                return -errno;
        if (ret_pids->scaffold == 0) {
                ours = fd_close(ours); /* else it would wait for ever for a zygote that was killed, and the launcher for this process */
                scaffold_main(theirs, lifeline_fd, group_fd, sides, fault);
                return CELL_BIRTH_E_RUNNER;
        }
        theirs = fd_close(theirs);
        return zygote_tend(ours, ret_pids);
}

uint32_t cell_refusal(int error) {
        static const struct {
                int error;
                OpsOutcome outcome;
        } rows[] = {
                { -EPERM, OPS_OUTCOME_DENIED },
                { -EACCES, OPS_OUTCOME_DENIED },
                { -ENOSPC, OPS_OUTCOME_DENIED }, /* the limit on namespaces is 0 */
                { -EUSERS, OPS_OUTCOME_DENIED }, /* or namespaces are nested too deep */
                { -ENOSYS, OPS_OUTCOME_UNSUPPORTED },
                { -EINVAL, OPS_OUTCOME_UNSUPPORTED },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (rows[i].error == error)
                        return rows[i].outcome;
        return OPS_OUTCOME_PENDING;
}
