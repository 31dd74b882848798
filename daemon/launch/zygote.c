/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/zygote.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/birth.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"

typedef struct ZygoteAnswer {
        int32_t pid;
        int32_t error; /* negative errno, or 0 */
} ZygoteAnswer;

/* fork(), but the child is the caller's sibling. */
static pid_t fork_sibling(void) {
        return syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0ul);
}

static ZygoteAnswer zygote_bear(const BirthPrograms *programs, const ZygoteBirth *birth, const int *fds, size_t n_fds) {
        pid_t pid = fork_sibling();

        if (pid == 0)
                birth_become_runner(programs, birth, fds, n_fds);
        return (ZygoteAnswer){ .pid = pid, .error = pid < 0 ? -errno : 0 };
}

/* Who stops the service signals all of it; the launcher needs its zygote until it ends itself, which closes the socket. */
static void zygote_outlive_stop(void) {
        (void)sigaction(SIGTERM, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
        (void)sigaction(SIGINT, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
}

static int __attribute__((noreturn)) zygote_main(int fd, const BirthPrograms *programs) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "benchd-zygote");
        zygote_outlive_stop();
        for (;;) {
                int fds[SOCKET_FDS_MAX];
                ZygoteAnswer answer;
                ZygoteBirth birth;
                size_t n, n_fds;

                if (socket_receive(fd, &birth, sizeof birth, &n, fds, &n_fds) || n != sizeof birth)
                        _exit(0);
                answer = zygote_bear(programs, &birth, fds, n_fds);
                for (size_t i = 0; i < n_fds; i++)
                        fd_close(fds[i]);
                if (socket_send(fd, &answer, sizeof answer, NULL, 0, &n))
                        _exit(0);
        }
}

int zygote_start(const BirthPrograms *programs, Zygote *ret_zygote) {
        _cleanup_(fd_closep) int ours = -1, theirs = -1;
        int pair[2];
        pid_t pid;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
                return error_origin(-errno);
        ours = pair[0];
        theirs = pair[1];

        pid = fork();
        if (pid < 0)
                return error_origin(-errno);
        if (pid == 0) {
                ours = fd_close(ours);
                zygote_main(theirs, programs);
        }
        *ret_zygote = (Zygote){ .pid = pid, .fd = fd_take(&ours) };
        return 0;
}

void zygote_stop(Zygote *zygote) {
        zygote->fd = fd_close(zygote->fd);
        if (zygote->pid > 0)
                waitpid(zygote->pid, NULL, 0);
        *zygote = ZYGOTE_NULL;
}

int zygote_spawn(Zygote *zygote, const ZygoteBirth *birth, const int *fds, size_t n_fds, pid_t *ret_pid) {
        ZygoteAnswer answer;
        size_t n, n_none;
        int none[SOCKET_FDS_MAX];
        int r;

        r = socket_send(zygote->fd, birth, sizeof *birth, fds, n_fds, &n);
        if (r)
                return error_fold(r);
        r = socket_receive(zygote->fd, &answer, sizeof answer, &n, none, &n_none);
        if (r)
                return error_fold(r);
        if (answer.error)
                return error_origin(answer.error);
        *ret_pid = answer.pid;
        return 0;
}
