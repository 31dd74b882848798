/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/ask/private-directory.h"
#include "ctl/base/installed.h"
#include "ctl/base/interrupt.h"
#include "util/cleanup.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define PRIVATE_SOCKET_ARGUMENT 4
#define LAUNCH_LOCK_FD          3
#define LAUNCH_STOP_MS          10000
#define LAUNCH_READY            "ready\n"
#define LAUNCH_COMPLAINT_MAX    4096u

struct PrivateDaemon {
        char *directory;
        char *socket;
        char *lock;
        pid_t pid;   /* -1: not running */
        int life_fd; /* its stdin: closing this ends it */
        int said_fd; /* its stdout */
        int log_fd;  /* a memfd, its stderr */
        int lock_fd; /* of its directory, which it inherits */
};

DEFINE_CLEANUP(PrivateDaemon *, private_daemon_free)

extern char **environ;

/* A second Ctrl-C removes these names and nothing else, since the daemon ends by itself. */
static const char *left_socket, *left_lock, *left_directory;

static void private_leave(void) {
        unlink(left_socket);
        unlink(left_lock);
        rmdir(left_directory);
}

const char *private_daemon_socket(const PrivateDaemon *daemon) {
        return daemon->socket;
}

/* Signals that are sent to all processes of a job wait from the birth of a launcher on: benchctl decides. */
static int private_spawn_attributes(posix_spawnattr_t *attributes, short flags) {
        sigset_t ends, all;
        int r;

        end_signals_fill(&ends);
        sigfillset(&all);
        r = posix_spawnattr_setflags(attributes, flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        if (r == 0)
                r = posix_spawnattr_setsigmask(attributes, &ends);
        return r ? r : posix_spawnattr_setsigdefault(attributes, &all);
}

/* A launcher that was killed leaves its restore journal, from which a new launcher puts everything back. */
static void private_restore(const char *socket) {
        _cleanup_(freep) char *option = NULL;
        posix_spawnattr_t attributes;
        char path[PATH_MAX];
        pid_t pid;

        if (asprintf(&option, "--journal=%s.restore", socket) < 0) {
                option = NULL;
                return;
        }
        if (access(strchr(option, '=') + 1, F_OK) < 0 || installed_find(INSTALLED_LAUNCH, path))
                return;
        posix_spawnattr_init(&attributes);
        if (private_spawn_attributes(&attributes, 0) == 0 &&
                        posix_spawn(&pid, path, NULL, &attributes,
                                        (char *const[]){ (char *)installed_name(INSTALLED_LAUNCH), (char *)"--restore",
                                                        option, NULL },
                                        environ) == 0)
                while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                        ;
        posix_spawnattr_destroy(&attributes);
}

/* ---- the directory of its socket */

static int private_make_directory(PrivateDaemon *daemon) {
        const char *parent = secure_getenv("XDG_RUNTIME_DIR");
        int r;

        if (!parent || access(parent, W_OK) < 0)
                parent = "/tmp";
        private_directory_sweep(parent, time_realtime_ns(), private_restore);
        r = private_directory_make(parent, &daemon->directory, &daemon->lock_fd);
        if (r)
                return error_trace(r);
        if (asprintf(&daemon->socket, "%s/" PRIVATE_DIRECTORY_SOCKET, daemon->directory) < 0) {
                daemon->socket = NULL;
                return error_origin(-ENOMEM);
        }
        if (asprintf(&daemon->lock, "%s/" PRIVATE_DIRECTORY_LOCK, daemon->directory) < 0) {
                daemon->lock = NULL;
                return error_origin(-ENOMEM);
        }
        left_socket = daemon->socket;
        left_lock = daemon->lock;
        left_directory = daemon->directory;
        interrupt_on_leave(private_leave);
        return 0;
}

static void private_remove_directory(PrivateDaemon *daemon) {
        interrupt_on_leave(NULL);
        if (daemon->directory)
                private_directory_remove(daemon->directory);
        daemon->lock_fd = fd_close(daemon->lock_fd);
}

/* ---- the launcher */

typedef struct PrivatePipes {
        int life[2];
        int said[2];
} PrivatePipes;

static void private_pipes_clear(PrivatePipes *pipes) {
        for (size_t i = 0; i < 2; i++) {
                pipes->life[i] = fd_close(pipes->life[i]);
                pipes->said[i] = fd_close(pipes->said[i]);
        }
}

static int private_spawn(PrivateDaemon *daemon, const char *path, const PrivatePipes *pipes) {
        _cleanup_(freep) char *socket = NULL;
        const char *arguments[] = { installed_name(INSTALLED_LAUNCH), "--with-front-end", "--until-eof",
                "--socket-mode=0600", NULL, "--", "--alone", NULL };
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        int r;

        if (asprintf(&socket, "--socket=%s", daemon->socket) < 0)
                return error_origin(-ENOMEM);
        arguments[PRIVATE_SOCKET_ARGUMENT] = socket;
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        /* A separate process group keeps the terminal's Ctrl-C from the daemon, so that benchctl can cancel first. */
        r = private_spawn_attributes(&attributes, POSIX_SPAWN_SETPGROUP);
        if (r == 0)
                r = posix_spawn_file_actions_adddup2(&actions, pipes->life[0], STDIN_FILENO);
        if (r == 0)
                r = posix_spawn_file_actions_adddup2(&actions, pipes->said[1], STDOUT_FILENO);
        if (r == 0)
                r = posix_spawn_file_actions_adddup2(&actions, daemon->log_fd, STDERR_FILENO);
        if (r == 0)
                r = posix_spawn_file_actions_adddup2(&actions, daemon->lock_fd, LAUNCH_LOCK_FD);
        if (r == 0)
                r = posix_spawn(&daemon->pid, path, &actions, &attributes, (char *const *)arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        return error_trace(-r);
}

static int private_start(PrivateDaemon *daemon, const char *path) {
        _cleanup_(private_pipes_clear) PrivatePipes pipes = { { -1, -1 }, { -1, -1 } };
        int r;

        if (pipe2(pipes.life, O_CLOEXEC) < 0 || pipe2(pipes.said, O_CLOEXEC) < 0)
                return error_origin(-errno);
        daemon->log_fd = memfd_create("benchd-log", MFD_CLOEXEC);
        if (daemon->log_fd < 0)
                return error_origin(-errno);
        r = private_spawn(daemon, path, &pipes);
        if (r)
                return error_trace(r);
        daemon->life_fd = fd_take(&pipes.life[1]);
        daemon->said_fd = fd_take(&pipes.said[0]);
        return 0;
}

/* Waits for the launcher's line that says that clients can connect. */
static int private_await_ready(PrivateDaemon *daemon) {
        char line[sizeof LAUNCH_READY] = "";
        size_t n_line = 0;

        while (strcmp(line, LAUNCH_READY) != 0) {
                struct pollfd fds[] = {
                        { .fd = daemon->said_fd, .events = POLLIN },
                        { .fd = interrupt_fd(), .events = POLLIN },
                };
                ssize_t n;

                if (poll(fds, N_ELEMENTS(fds), -1) < 0 && errno != EINTR)
                        return error_origin(-errno);
                if (interrupt_came())
                        return PRIVATE_E_INTERRUPTED;
                if (!fds[0].revents)
                        continue;
                n = read(daemon->said_fd, line + n_line, sizeof line - 1 - n_line);
                if (n <= 0)
                        return PRIVATE_E_ENDED;
                n_line += n;
        }
        return 0;
}

int private_daemon_new(PrivateDaemon **ret_daemon) {
        _cleanup_(private_daemon_freep) PrivateDaemon *daemon = NULL;
        char path[PATH_MAX];
        int r;

        r = installed_find(INSTALLED_LAUNCH, path);
        if (r > 0)
                return PRIVATE_E_MISSING;
        if (r)
                return error_trace(r);
        daemon = calloc(1, sizeof *daemon);
        if (!daemon)
                return error_origin(-ENOMEM);
        *daemon = (PrivateDaemon){ .pid = -1, .life_fd = -1, .said_fd = -1, .log_fd = -1, .lock_fd = -1 };
        r = private_make_directory(daemon);
        if (r)
                return error_trace(r);
        r = private_start(daemon, path);
        if (r)
                return error_trace(r);
        r = private_await_ready(daemon);
        if (r == PRIVATE_E_ENDED)
                private_daemon_complain(daemon);
        if (r)
                return error_trace(r);
        *ret_daemon = take_pointer(daemon);
        return 0;
}

/* ---- its end */

void private_daemon_complain(PrivateDaemon *daemon) {
        char text[LAUNCH_COMPLAINT_MAX];
        size_t n;

        if (fd_read_start(daemon->log_fd, text, sizeof text, &n) == 0)
                fwrite(text, 1, n, stderr);
}

/* Closing its stdin ends it. If it does not end in time, its process group is killed. */
static void private_stop(PrivateDaemon *daemon) {
        _cleanup_(fd_closep) int pid_fd = pidfd_open(daemon->pid, 0);
        struct pollfd poll_fd = { .fd = pid_fd, .events = POLLIN };

        daemon->life_fd = fd_close(daemon->life_fd);
        while (poll(&poll_fd, 1, LAUNCH_STOP_MS) < 0 && errno == EINTR)
                ;
        if (!poll_fd.revents)
                kill(-daemon->pid, SIGKILL);
        while (waitpid(daemon->pid, NULL, 0) < 0 && errno == EINTR)
                ;
        daemon->pid = -1;
}

PrivateDaemon *private_daemon_free(PrivateDaemon *daemon) {
        if (!daemon)
                return NULL;
        if (daemon->pid > 0)
                private_stop(daemon);
        if (daemon->socket)
                private_restore(daemon->socket);
        private_remove_directory(daemon);
        fd_close(daemon->life_fd);
        fd_close(daemon->said_fd);
        fd_close(daemon->log_fd);
        free(daemon->socket);
        free(daemon->lock);
        free(daemon->directory);
        free(daemon);
        return NULL;
}
