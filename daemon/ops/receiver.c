/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ops/receiver-calls.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

/* ---- in the receiver: nothing here reports errors, since the process has nobody to tell but its owner */

#define RECEIVER_FD 3

typedef struct ReceiverSelf {
        int stand_in; /* for what does not go on: an eventfd */
        ReceiverReport report;
} ReceiverSelf;

static bool is_memory_file(int fd) {
        return fcntl(fd, F_GET_SEALS) >= 0;
}

static bool is_unix_socket(int fd) {
        int domain = -1;

        return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &(socklen_t){ sizeof domain }) == 0 && domain == AF_UNIX;
}

/* The owner is gone where it cannot be told. */
static void self_report(ReceiverSelf *self, const int *fds, size_t n_fds) {
        const size_t n_report = offsetof(ReceiverReport, data) + self->report.n_data;
        size_t n;

        if (socket_send(RECEIVER_FD, &self->report, n_report, fds, n_fds, &n) != 0)
                _exit(0);
}

static void self_report_done(ReceiverSelf *self) {
        self->report = (ReceiverReport){ .done = 1 };
        self_report(self, NULL, 0);
}

/* Receives, and reports. Only then it closes what came: the owner waits for no close. */
static void self_receive(ReceiverSelf *self, int fd, const ReceiverTask *task) {
        int fds[SOCKET_FDS_MAX];
        SocketFds came = {};
        size_t n_data = 0;
        bool all = true;
        int r;

        r = task->n_data > RECEIVER_DATA_MAX
                            ? -EINVAL
                            : socket_receive_some(fd, self->report.data, task->n_data, task->n_fds, &n_data, &came);
        fd_close(fd);
        for (size_t i = 0; i < came.n; i++) {
                const bool goes_on = is_memory_file(came.fds[i]) || (task->with_sockets && is_unix_socket(came.fds[i]));

                fds[i] = goes_on ? came.fds[i] : self->stand_in;
                all &= goes_on;
        }
        self->report.outcome = r;
        self->report.came = 1;
        self->report.done = all;
        self->report.lost = came.lost;
        self->report.n_data = n_data;
        self_report(self, fds, came.n);
        fds_close_received(came.fds, came.n);
        if (!all)
                self_report_done(self);
}

static void self_do(ReceiverSelf *self, const ReceiverTask *task, int fd) {
        if (task->kind == RECEIVER_TASK_RECEIVE) {
                self_receive(self, fd, task);
        } else {
                fd_close_received(fd);
                self_report_done(self);
        }
}

/* False: some are left. benchd has none, and may not make the call. */
static bool give_up_capabilities(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = {};
        static const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

        if (syscall(SYS_capget, &header, held) < 0)
                return false;
        return memcmp(held, none, sizeof held) == 0 || syscall(SYS_capset, &header, none) == 0;
}

static void __attribute__((noreturn)) receiver_main(int fd, pid_t owner, CallFilterMode calls) {
        static ReceiverSelf self;
        SocketFds came;
        ReceiverTask task;
        size_t n;

        prctl(PR_SET_NAME, "benchd-receive");
        if (dup2(fd, RECEIVER_FD) < 0 || syscall(SYS_close_range, RECEIVER_FD + 1, ~0u, 0) < 0 ||
                        !give_up_capabilities() || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != owner)
                _exit(0);
        self.stand_in = eventfd(0, EFD_CLOEXEC);
        (void)receiver_calls_limit(calls); /* a kernel that takes no filter is the owner's to tell */
        while (self.stand_in >= 0 && socket_receive_some(RECEIVER_FD, &task, sizeof task, 1, &n, &came) == 0 &&
                        n == sizeof task)
                self_do(&self, &task, came.n > 0 ? came.fds[0] : -1);
        _exit(0);
}

/* ---- in its owner */

int receiver_start(CallFilterMode calls, Receiver *ret_receiver) {
        _cleanup_(fd_closep) int ours = -1, theirs = -1;
        const pid_t owner = getpid();
        int pair[2], r;
        pid_t pid;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
                return error_origin(-errno);
        ours = pair[0];
        theirs = pair[1];
        r = fd_set_nonblock(ours, true);
        if (r)
                return error_trace(r);
        pid = fork();
        if (pid < 0)
                return error_origin(-errno);
        if (pid == 0)
                receiver_main(theirs, owner, calls);
        *ret_receiver = (Receiver){ .pid = pid, .fd = fd_take(&ours) };
        return 0;
}

void receiver_dismiss(Receiver *receiver) {
        receiver->fd = fd_close(receiver->fd);
        receiver->pid = -1;
}

int receiver_ask(const Receiver *receiver, const ReceiverTask *task, int fd) {
        size_t n;

        return error_trace(socket_send(receiver->fd, task, sizeof *task, &fd, 1, &n));
}

int receiver_hear(const Receiver *receiver, ReceiverReport *ret_report, SocketFds *ret_fds) {
        size_t n;
        int r;

        r = socket_receive_some(receiver->fd, ret_report, sizeof *ret_report, SOCKET_FDS_MAX, &n, ret_fds);
        if (r)
                return error_trace(r);
        if (n < offsetof(ReceiverReport, data) || n != offsetof(ReceiverReport, data) + ret_report->n_data) {
                fds_close_received(ret_fds->fds, ret_fds->n);
                return SOCKET_E_CLOSED;
        }
        return 0;
}
