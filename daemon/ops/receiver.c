/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ops/loop.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

static const CallRule receiver_rules[] = {
        { SYS_recvmsg },
        { SYS_sendmsg },
        { SYS_read, 0, UINT32_MAX, RECEIVER_TOKENS_FD },
        { SYS_fcntl, 1, UINT32_MAX, F_GET_SEALS }, /* a memory file has some */
        { SYS_fstat },                             /* and a size: libc uses one of these two calls */
        { SYS_newfstatat, 3, UINT32_MAX, AT_EMPTY_PATH },
        { SYS_getsockopt },
        { SYS_setsockopt }, /* no socket lingers */
        { SYS_close },
        { SYS_exit_group },
};

int receiver_calls_limit(CallFilterMode mode) {
        return error_trace(call_filter_install_only(receiver_rules, N_ELEMENTS(receiver_rules), mode));
}

/* ---- in the receiver: errors go to its owner only, so nothing here is traced */

#define RECEIVER_FD 3

typedef struct ReceiverSelf {
        int stand_ins[FD_E_TOO_LARGE + 1]; /* for descriptors that are not passed on, by the reason */
        ReceiverReport report;
} ReceiverSelf;

/* Makes a memory file without one of the seals; the others keep it constant, since it is the stand-in for all. */
static int make_unsealed(void) {
        const int fd = memfd_create("benchd-unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);

        return fd >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0 ? fd : -1;
}

/* The file is one hole. */
static int make_too_large(void) {
        const int fd = memfd_create("benchd-too-large", MFD_CLOEXEC | MFD_ALLOW_SEALING);

        return fd >= 0 && ftruncate(fd, RECEIVER_FILE_MAX + 1) == 0 && fd_seal(fd) == 0 ? fd : -1;
}

static bool self_make_stand_ins(ReceiverSelf *self) {
        self->stand_ins[FD_E_NOT_MEMFD] = eventfd(0, EFD_CLOEXEC);
        self->stand_ins[FD_E_UNSEALED] = make_unsealed();
        self->stand_ins[FD_E_TOO_LARGE] = make_too_large();
        return self->stand_ins[FD_E_NOT_MEMFD] >= 0 && self->stand_ins[FD_E_UNSEALED] >= 0 &&
               self->stand_ins[FD_E_TOO_LARGE] >= 0;
}

static bool is_unix_socket(int fd) {
        int domain = -1;

        return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &(socklen_t){ sizeof domain }) == 0 && domain == AF_UNIX;
}

/* Returns the descriptor that the owner gets for @fd: itself or a stand-in. */
static int self_judge(const ReceiverSelf *self, const ReceiverTask *task, int fd) {
        size_t size;
        int r;

        r = fd_check_sealed(fd, RECEIVER_FILE_MAX, &size);
        if (r == 0 || r == FD_E_EMPTY || (task->with_sockets && is_unix_socket(fd)))
                return fd;
        return self->stand_ins[r > 0 ? r : FD_E_NOT_MEMFD];
}

/* A report that cannot be sent means that the owner is gone. */
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

/* Receives and reports, and only then closes, so the owner never waits for a close. */
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
                fds[i] = self_judge(self, task, came.fds[i]);
                all &= fds[i] == came.fds[i];
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

/* Without a token the owner is gone. */
static void self_close(ReceiverSelf *self, const SocketFds *given, bool reports) {
        uint64_t token;

        if (read(RECEIVER_TOKENS_FD, &token, sizeof token) != sizeof token)
                _exit(0);
        fds_close_received(given->fds, given->n);
        if (reports)
                self_report_done(self);
}

static void self_do(ReceiverSelf *self, const ReceiverTask *task, const SocketFds *given) {
        if (task->kind == RECEIVER_TASK_RECEIVE)
                self_receive(self, given->n > 0 ? given->fds[0] : -1, task);
        else
                self_close(self, given, task->kind == RECEIVER_TASK_CLOSE);
}

/* False: some are left. benchd has none, and its filter does not allow the call. */
static bool give_up_capabilities(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = {};
        static const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

        if (syscall(SYS_capget, &header, held) < 0)
                return false;
        return memcmp(held, none, sizeof held) == 0 || syscall(SYS_capset, &header, none) == 0;
}

/* Moves the two descriptors to their places, and closes all others. */
static bool take_places(int fd, int tokens_fd) {
        const int away = fcntl(tokens_fd, F_DUPFD, RECEIVER_TOKENS_FD + 1);

        return away >= 0 && dup2(fd, RECEIVER_FD) >= 0 && dup2(away, RECEIVER_TOKENS_FD) >= 0 &&
               syscall(SYS_close_range, RECEIVER_TOKENS_FD + 1, ~0u, 0) == 0;
}

static void __attribute__((noreturn))
receiver_main(const char *name, int fd, int tokens_fd, pid_t owner, CallFilterMode calls) {
        static ReceiverSelf self;
        SocketFds given;
        ReceiverTask task;
        size_t n;

        prctl(PR_SET_NAME, name);
        fd_set_closer(NULL, NULL);
        if (!take_places(fd, tokens_fd) || !give_up_capabilities() || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
                        getppid() != owner || !self_make_stand_ins(&self))
                _exit(0);
        (void)receiver_calls_limit(calls); /* the owner reports a kernel that refuses a filter */
        while (socket_receive_some(RECEIVER_FD, &task, sizeof task, SOCKET_FDS_MAX, &n, &given) == 0 &&
                        n == sizeof task)
                self_do(&self, &task, &given);
        _exit(0);
}

/* ---- in its owner */

int receiver_start(const char *name, CallFilterMode calls, Receiver *ret_receiver) {
        _cleanup_(fd_closep) int ours = -1, theirs = -1, tokens = -1;
        const pid_t owner = getpid();
        int pair[2], r;
        pid_t pid;

        tokens = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
        if (tokens < 0)
                return error_origin(-errno);
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
                receiver_main(name, theirs, tokens, owner, calls);
        *ret_receiver = (Receiver){ .pid = pid, .fd = fd_take(&ours), .tokens_fd = fd_take(&tokens) };
        return 0;
}

void receiver_dismiss(Receiver *receiver) {
        receiver->fd = fd_close_received(receiver->fd); /* may hold reported files that the owner did not read */
        receiver->tokens_fd = fd_close(receiver->tokens_fd);
        receiver->pid = -1;
}

int receiver_ask(const Receiver *receiver, const ReceiverTask *task, int fd) {
        size_t n;

        return error_trace(socket_send(receiver->fd, task, sizeof *task, &fd, 1, &n));
}

/* The last close frees the file, so the receiver waits for the token before its own. */
int receiver_hand_over(const Receiver *receiver, ReceiverTaskKind kind, const int *fds, size_t n_fds) {
        const ReceiverTask task = { .kind = kind };
        const uint64_t token = 1;
        size_t n;
        int r;

        r = socket_send(receiver->fd, &task, sizeof task, fds, n_fds, &n);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < n_fds; i++)
                fd_close(fds[i]);
        return write(receiver->tokens_fd, &token, sizeof token) == sizeof token ? 0 : error_origin(-errno);
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

struct ReceiverCloser {
        sd_event *event;
        CallFilterMode calls;
        Receiver receiver; /* null: there is none */
        sd_event_source *source;
        int *waiting;
        size_t n_waiting, n_allocated;
};

static void closer_dismiss(ReceiverCloser *closer) {
        closer->source = sd_event_source_disable_unref(closer->source);
        fd_close(closer->receiver.fd); /* nothing is ever read from it */
        closer->receiver.fd = -1;
        receiver_dismiss(&closer->receiver);
}

/* ---- those that wait */

static void closer_close_here(ReceiverCloser *closer) {
        for (size_t i = 0; i < closer->n_waiting; i++)
                fd_close(closer->waiting[i]);
        closer->n_waiting = 0;
}

static bool closer_add(ReceiverCloser *closer, int fd) {
        if (closer->n_waiting == closer->n_allocated) {
                const size_t n = closer->n_allocated ? 2 * closer->n_allocated : SOCKET_FDS_MAX;
                int *waiting = reallocarray(closer->waiting, n, sizeof *waiting);

                if (!waiting)
                        return false;
                closer->waiting = waiting;
                closer->n_allocated = n;
        }
        closer->waiting[closer->n_waiting++] = fd;
        return true;
}

/* ---- the process */

static int closer_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata);

/* Returns 0, a negative errno, or SOCKET_E_CLOSED after the end of the loop, which then watches nothing. */
static int closer_start(ReceiverCloser *closer) {
        int r;

        if (closer->receiver.pid > 0)
                return 0;
        if (loop_is_over(closer->event))
                return SOCKET_E_CLOSED;
        r = receiver_start("benchd-close", closer->calls, &closer->receiver);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(closer->event, &closer->source, closer->receiver.fd, 0, closer_on_io, closer);
        return r < 0 ? error_origin(r) : 0;
}

/* Returns 0 if all were sent, SOCKET_E_AGAIN, SOCKET_E_CLOSED, or a negative errno. */
static int closer_send(ReceiverCloser *closer) {
        int r;

        r = closer_start(closer);
        while (r == 0 && closer->n_waiting > 0) {
                const size_t n = closer->n_waiting < SOCKET_FDS_MAX ? closer->n_waiting : SOCKET_FDS_MAX;

                r = receiver_hand_over(&closer->receiver, RECEIVER_TASK_DROP, closer->waiting, n);
                if (r == 0) {
                        closer->n_waiting -= n;
                        memmove(closer->waiting, closer->waiting + n, closer->n_waiting * sizeof *closer->waiting);
                }
        }
        return r;
}

/* If the closer was killed, another one is started. */
static void closer_flush(ReceiverCloser *closer) {
        int r;

        r = closer_send(closer);
        if (r == SOCKET_E_CLOSED) {
                closer_dismiss(closer);
                r = closer_send(closer);
        }
        if (r && r != SOCKET_E_AGAIN) {
                closer_dismiss(closer);
                closer_close_here(closer);
        }
        if (closer->source)
                (void)sd_event_source_set_io_events(closer->source, closer->n_waiting > 0 ? EPOLLOUT : 0);
}

static int closer_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ReceiverCloser *closer = userdata;

        if (events & (EPOLLHUP | EPOLLERR))
                closer_dismiss(closer);
        if (closer->n_waiting > 0)
                closer_flush(closer);
        return 0;
}

static void closer_take(void *userdata, int fd) {
        ReceiverCloser *closer = userdata;

        if (!closer_add(closer, fd)) {
                fd_close(fd);
                return;
        }
        if (closer->n_waiting == 1 || closer->receiver.pid < 0)
                closer_flush(closer);
}

/* ---- life */

int receiver_closer_new(sd_event *event, CallFilterMode calls, ReceiverCloser **ret_closer) {
        _cleanup_(receiver_closer_freep) ReceiverCloser *closer = NULL;
        int r;

        closer = calloc(1, sizeof *closer);
        if (!closer)
                return error_origin(-ENOMEM);
        *closer = (ReceiverCloser){ .event = event, .calls = calls, .receiver = RECEIVER_NULL };
        r = closer_start(closer);
        if (r)
                return error_fold(r);
        fd_set_closer(closer_take, closer);
        *ret_closer = take_pointer(closer);
        return 0;
}

ReceiverCloser *receiver_closer_free(ReceiverCloser *closer) {
        if (!closer)
                return NULL;
        fd_set_closer(NULL, NULL);
        closer_dismiss(closer);
        closer_close_here(closer);
        free(closer->waiting);
        free(closer);
        return NULL;
}

pid_t receiver_closer_pid(const ReceiverCloser *closer) {
        return closer->receiver.pid;
}

size_t receiver_closer_count_waiting(const ReceiverCloser *closer) {
        return closer->n_waiting;
}
