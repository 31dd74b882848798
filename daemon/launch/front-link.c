/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/front-link.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include "launch/say.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

void front_link_init(FrontLink *link, const FrontLinkConfig *config) {
        *link = (FrontLink){ .config = *config, .fd = -1 };
        record_queue_init(&link->records);
}

bool front_link_is_attached(const FrontLink *link) {
        return link->fd >= 0;
}

void front_link_cut(FrontLink *link) {
        shutdown(link->fd, SHUT_RDWR);
}

/* ---- out */

/* One that is gone, or does not read, is noticed where it is read from. */
int front_link_send(FrontLink *link, const OpsRecord *record, const int *fds, size_t n_fds) {
        int r;

        if (link->fd < 0)
                return 0;
        r = link->records.n < FRONT_LINK_RECORDS_MAX ? record_queue_send(&link->records, link->fd, record, fds, n_fds)
                                                     : (int)OPS_E_CLOSED;
        if (r == OPS_E_CLOSED) {
                front_link_cut(link);
                return 0;
        }
        if (r == 0 && link->records.n > 0)
                r = sd_event_source_set_io_events(link->source, EPOLLOUT);
        return r < 0 ? error_trace(r) : 0;
}

static int front_link_flush(FrontLink *link) {
        int r;

        r = record_queue_flush(&link->records, link->fd);
        if (r == OPS_E_CLOSED)
                front_link_cut(link);
        return r < 0 ? error_trace(r) : 0;
}

/* ---- in */

static int front_link_receive(FrontLink *link) {
        OpsPacket packet;
        int r;

        r = ops_receive(link->fd, &packet);
        if (r == OPS_E_AGAIN)
                return 0;
        if (r == 0) {
                r = link->config.asked(&packet, link->config.userdata);
                ops_packet_close(&packet);
                return r < 0 ? sd_event_exit(link->config.event, 1) : 0;
        }

        if (r == OPS_E_FDS_LOST && packet.record.kind == OPS_TICKET_OPEN) {
                const OpsRecord refusal = ops_refusal(packet.record.serial, OPS_REFUSAL_FILES, 0);

                return front_link_send(link, &refusal, NULL, 0) < 0 ? sd_event_exit(link->config.event, 1) : 0;
        }
        if (r != OPS_E_CLOSED)
                say(SD_ERR, "benchd sent an invalid record: its connection is closed");
        link->config.gone(link->config.userdata);
        return 0;
}

/* No question is taken while answers wait: benchd asks in bursts, and reads when it has asked. */
static int front_link_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        FrontLink *link = userdata;
        int r;

        if (events & EPOLLOUT && front_link_flush(link) < 0)
                return sd_event_exit(link->config.event, 1);
        if (events & (EPOLLHUP | EPOLLERR))
                return front_link_receive(link);
        if (link->records.n > 0)
                return 0;
        r = sd_event_source_set_io_events(source, EPOLLIN);
        return r < 0 ? r : front_link_receive(link);
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
        record_queue_clear(&link->records);
}
