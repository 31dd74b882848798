/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/cache-drop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"
#include "util/time.h"

#define ALL "3\n" /* pages of files, and directory entries with inodes: proc_sys_vm(5) */

static _Noreturn void drop_child(int fd) {
        (void)prctl(PR_SET_NAME, "benchd-drop");
        if (dup2(fd, STDIN_FILENO) < 0)
                _exit(errno);
        (void)close_range(STDIN_FILENO + 1, ~0u, 0);
        _exit(write(STDIN_FILENO, ALL, sizeof ALL - 1) < 0 ? errno : 0);
}

static int on_end(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        CacheDrop *drop = userdata;
        const uint64_t elapsed_ns = time_monotonic_ns() - drop->begun_ns;
        siginfo_t end = {};
        int error;

        if (waitid(P_PIDFD, (id_t)drop->pidfd, &end, WEXITED) < 0)
                error = errno;
        else
                error = end.si_code == CLD_EXITED ? end.si_status : EINTR;
        cache_drop_clear(drop);
        if (drop->serial > 0)
                drop->told(drop->userdata, drop->serial, error, elapsed_ns);
        return 0;
}

static int await(CacheDrop *drop, pid_t pid) {
        int r;

        drop->pidfd = pidfd_open(pid, 0);
        if (drop->pidfd < 0)
                return error_origin(-errno);
        r = sd_event_add_io(drop->event, &drop->source, drop->pidfd, EPOLLIN, on_end, drop);
        if (r >= 0)
                return 0;
        fd_close(drop->pidfd);
        return error_origin(r);
}

int cache_drop_start(CacheDrop *drop, RootDir *root, uint64_t serial) {
        pid_t pid;
        int fd, r;

        if (drop->source)
                return CACHE_DROP_E_BUSY;
        fd = openat(root_dir_fd(root), "proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
        if (fd < 0)
                return error_origin(-errno);
        drop->serial = serial;
        drop->begun_ns = time_monotonic_ns();
        pid = fork();
        if (pid == 0)
                drop_child(fd);
        r = pid < 0 ? error_origin(-errno) : await(drop, pid);
        fd_close(fd);
        return error_trace(r);
}

void cache_drop_forget(CacheDrop *drop) {
        drop->serial = 0;
}

void cache_drop_clear(CacheDrop *drop) {
        if (!drop->source)
                return;
        drop->source = sd_event_source_disable_unref(drop->source);
        fd_close(drop->pidfd);
}
