/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/door.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "launch/identity.h"
#include "launch/launcher.h"
#include "launch/say.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

struct Door {
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

int door_find(int *ret_fd) {
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
        return DOOR_E_NO_SOCKET;
}

static bool door_admits(const Door *door, int fd) {
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
        Door *door = userdata;

        fd = accept4(listening_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 || !door_admits(door, fd))
                return 0;
        return launcher_attach(door->launcher, fd_take(&fd)) ? sd_event_exit(sd_event_source_get_event(source), 1) : 0;
}

int door_new(sd_event *event, int fd, const Identities *identities, Launcher *launcher, Door **ret_door) {
        Door *door;
        int r;

        door = malloc(sizeof *door);
        if (!door)
                return error_origin(-ENOMEM);
        *door = (Door){ .fd = fd, .identities = identities, .launcher = launcher };
        r = sd_event_add_io(event, &door->source, fd, EPOLLIN, door_on_knock, door);
        if (r < 0) {
                door_free(door);
                return error_origin(r);
        }
        *ret_door = door;
        return 0;
}

Door *door_free(Door *door) {
        if (!door)
                return NULL;
        sd_event_source_disable_unref(door->source);
        fd_close(door->fd);
        free(door);
        return NULL;
}
