/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/front.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "launch/base/identity.h"
#include "launch/base/say.h"
#include "launch/launcher.h"
#include "util/cleanup.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/fd.h"

#define FRONT_FD_CLIENTS 3 /* SD_LISTEN_FDS_START */
#define FRONT_FD_LAUNCH  4
#define FRONT_FDS_FLOOR  10

#define FRONT_KINDNESS_MS 5000 /* from SIGTERM to SIGKILL */
#define FRONT_REPEAT_MS   50   /* from SIGTERM to SIGTERM */
#define FRONT_DEATH_MS    1000 /* after it: a process that hangs in a close is left behind */

static bool front_drop_identity(const Identities *identities) {
        const Identity *front = &identities->front;

        if (!identities->privileged)
                return true;
        return setgroups(0, NULL) == 0 && setresgid(front->gid, front->gid, front->gid) == 0 &&
               setresuid(front->uid, front->uid, front->uid) == 0;
}

static bool front_place_fds(int *program_fd, int clients_fd, int launch_fd) {
        *program_fd = fcntl(*program_fd, F_DUPFD_CLOEXEC, FRONT_FDS_FLOOR);
        clients_fd = fcntl(clients_fd, F_DUPFD_CLOEXEC, FRONT_FDS_FLOOR);
        launch_fd = fcntl(launch_fd, F_DUPFD_CLOEXEC, FRONT_FDS_FLOOR);
        return *program_fd >= 0 && clients_fd >= 0 && launch_fd >= 0 && dup2(clients_fd, FRONT_FD_CLIENTS) >= 0 &&
               dup2(launch_fd, FRONT_FD_LAUNCH) >= 0 &&
               syscall(SYS_close_range, FRONT_FD_LAUNCH + 1, ~0u, CLOSE_RANGE_CLOEXEC) == 0;
}

static void front_announce_fds(void) {
        char pid[16];

        snprintf(pid, sizeof pid, "%d", getpid());
        setenv("LISTEN_PID", pid, 1);
        setenv("LISTEN_FDS", "2", 1);
        setenv("LISTEN_FDNAMES", "clients:launch", 1);
}

static void __attribute__((noreturn)) front_become(int program_fd, char *const *argv, const Identities *identities,
                int clients_fd, int launch_fd, pid_t launcher) {
        sigset_t ends;

        end_signals_fill(&ends); /* they stay pending until it unblocks them */
        sigprocmask(SIG_SETMASK, &ends, NULL);
        if (front_place_fds(&program_fd, clients_fd, launch_fd) && front_drop_identity(identities) &&
                        prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == launcher &&
                        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && chdir("/") == 0) {
                front_announce_fds();
                execveat(program_fd, "", argv, environ, AT_EMPTY_PATH);
        }
        dprintf(STDERR_FILENO, "benchd-launch: benchd could not be started: %m\n");
        _exit(1);
}

int front_start(int program_fd, char *const *argv, const Identities *identities, int clients_fd, Front *ret_front) {
        _cleanup_(fd_closep) int ours = -1, theirs = -1;
        pid_t launcher = getpid(), pid;
        int pair[2];

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
                return error_origin(-errno);
        ours = pair[0];
        theirs = pair[1];

        pid = fork();
        if (pid < 0)
                return error_origin(-errno);
        if (pid == 0)
                front_become(program_fd, argv, identities, clients_fd, theirs, launcher);
        *ret_front = (Front){ .pid = pid, .fd = fd_take(&ours) };
        return 0;
}

/* Repeated, since one that comes while a stranger's waits is lost, and --until-launch tells them apart by their sender. */
static bool front_end_kindly(const Front *front, struct pollfd *death) {
        for (int ms = 0; death->fd >= 0 && ms < FRONT_KINDNESS_MS; ms += FRONT_REPEAT_MS) {
                kill(front->pid, SIGTERM);
                if (poll(death, 1, FRONT_REPEAT_MS) > 0)
                        return true;
        }
        return false;
}

void front_stop(Front *front) {
        struct pollfd death = { .fd = -1, .events = POLLIN };

        if (front->pid > 0) {
                death.fd = pidfd_open(front->pid, 0);
                if (!front_end_kindly(front, &death)) {
                        kill(front->pid, SIGKILL);
                        (void)poll(&death, 1, FRONT_DEATH_MS);
                }
                waitpid(front->pid, NULL, WNOHANG);
        }
        fd_close(death.fd);
        fd_close(front->fd);
        *front = FRONT_NULL;
}

struct FrontDoor {
        int fd;
        const Identities *identities;
        Launcher *launcher;
        sd_event_source *source;
};

static void strvp(char ***strings) {
        for (char **s = *strings; s && *s; s++)
                free(*s);
        free(*strings);
}

int front_door_find(int *ret_fd) {
        _cleanup_(strvp) char **names = NULL;
        int n;

        n = sd_listen_fds_with_names(1, &names);
        if (n < 0)
                return error_origin(n);
        for (int i = 0; i < n; i++)
                if (strcmp(names[i], "launch") == 0) {
                        *ret_fd = SD_LISTEN_FDS_START + i;
                        return 0;
                }
        return FRONT_DOOR_E_NO_SOCKET;
}

static bool door_admits(const FrontDoor *door, int fd) {
        SocketPeer peer = SOCKET_PEER_NULL;

        if (socket_peer_read(fd, &peer) != 0 || peer.uid != door->identities->front.uid) {
                say(SD_WARNING, "refused a connection to the launcher's socket: uid %d is not benchd's", (int)peer.uid);
                return false;
        }
        if (launcher_is_attached(door->launcher)) {
                say(SD_WARNING, "refused a second connection of benchd: one is served at a time");
                return false;
        }
        return true;
}

static int door_on_knock(sd_event_source *source, int listening_fd, uint32_t events, void *userdata) {
        _cleanup_(fd_close_receivedp) int fd = -1;
        FrontDoor *door = userdata;

        fd = accept4(listening_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 || !door_admits(door, fd))
                return 0;
        return launcher_attach(door->launcher, fd_take(&fd)) ? sd_event_exit(sd_event_source_get_event(source), 1) : 0;
}

int front_door_new(sd_event *event, int fd, const Identities *identities, Launcher *launcher, FrontDoor **ret_door) {
        FrontDoor *door;
        int r;

        door = malloc(sizeof *door);
        if (!door)
                return error_origin(-ENOMEM);
        *door = (FrontDoor){ .fd = fd, .identities = identities, .launcher = launcher };
        r = sd_event_add_io(event, &door->source, fd, EPOLLIN, door_on_knock, door);
        if (r < 0) {
                front_door_free(door);
                return error_origin(r);
        }
        *ret_door = door;
        return 0;
}

FrontDoor *front_door_free(FrontDoor *door) {
        if (!door)
                return NULL;
        sd_event_source_disable_unref(door->source);
        fd_close(door->fd);
        free(door);
        return NULL;
}
