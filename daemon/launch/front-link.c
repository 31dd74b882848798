/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/front-link.h"

#include <stdio.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "util/error.h"
#include "util/fd.h"

void front_link_init(FrontLink *link, const FrontLinkConfig *config) {
        *link = (FrontLink){ .config = *config, .fd = -1 };
}

bool front_link_is_attached(const FrontLink *link) {
        return link->fd >= 0;
}

void front_link_cut(FrontLink *link) {
        shutdown(link->fd, SHUT_RDWR);
}

/* One that is gone, or does not read, is noticed where it is read from. */
int front_link_send(FrontLink *link, const OpsRecord *record, const int *fds, size_t n_fds) {
        int r;

        if (link->fd < 0)
                return 0;
        r = ops_send(link->fd, record, fds, n_fds);
        if (r == OPS_E_CLOSED || r == OPS_E_AGAIN) {
                front_link_cut(link);
                return 0;
        }
        return error_fold(r);
}

static int front_link_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        FrontLink *link = userdata;
        OpsPacket packet;
        int r;

        r = ops_receive(fd, &packet);
        if (r == OPS_E_AGAIN)
                return 0;
        if (r == 0) {
                r = link->config.asked(&packet, link->config.userdata);
                ops_packet_close(&packet);
                return r < 0 ? sd_event_exit(link->config.event, 1) : 0;
        }

        if (r != OPS_E_CLOSED)
                fprintf(stderr, SD_ERR "benchd sent an invalid record: its connection is closed\n");
        link->config.gone(link->config.userdata);
        return 0;
}

int front_link_attach(FrontLink *link, int fd) {
        int r;

        link->fd = fd;
        r = fd_set_nonblock(fd, true);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(link->config.event, &link->source, fd, EPOLLIN, front_link_on_io, link);
        return r < 0 ? error_origin(r) : 0;
}

void front_link_detach(FrontLink *link) {
        link->source = sd_event_source_disable_unref(link->source);
        link->fd = fd_close(link->fd);
}
