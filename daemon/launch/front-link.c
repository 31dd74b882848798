/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/front-link.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include "launch/say.h"
#include "ops/record-queue.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"

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

static int front_link_refuse_files(FrontLink *link, uint64_t serial) {
        const OpsRecord refusal = ops_refusal(serial, OPS_REFUSAL_FILES, 0);

        return front_link_send(link, &refusal, NULL, 0);
}

/* Acts on a packet, or on the reason why there is none. */
static int front_link_do(FrontLink *link, int r, OpsPacket *packet) {
        if (r == 0)
                r = link->config.asked(packet, link->config.userdata);
        else if (r == OPS_E_FDS_LOST)
                r = front_link_refuse_files(link, packet->record.serial);
        else {
                if (r != OPS_E_CLOSED)
                        say(SD_ERR, "benchd sent an invalid record: its connection is closed");
                link->config.gone(link->config.userdata);
                return 0;
        }
        return r < 0 ? sd_event_exit(link->config.event, 1) : 0;
}

/* Its greeting, or what comes in the place of one. Returns 0 or a negative errno. */
static int front_link_meet(FrontLink *link) {
        char text[BUILD_TEXT_MAX], words[BUILD_WORDS_MAX];
        int r;

        r = greeting_receive(link->fd, text);
        link->greeted = r == 0;
        if (r <= 0 || r == GREETING_E_AGAIN)
                return r < 0 ? error_trace(r) : 0;
        if (r == GREETING_E_OTHER) {
                build_complain("benchd-launch", "benchd", text, words);
                say(SD_ERR, "%s. Its connection is closed. Restart both: systemctl restart benchd benchd-launch",
                                words);
        }
        link->config.gone(link->config.userdata);
        return 0;
}

/* Descriptors that nobody can receive are dropped, and their question is refused. */
static int front_link_receive(FrontLink *link) {
        OpsPacket packet;
        bool with_fds;
        size_t n;
        char byte;
        int r;

        if (!link->greeted)
                return front_link_meet(link);
        r = socket_peek(link->fd, &byte, 1, &n, &with_fds);
        if (r == SOCKET_E_AGAIN)
                return 0;
        if (r == 0 && with_fds) {
                r = front_receiver_receive(&link->receiver, link->fd);
                if (r == 0 || r == FRONT_RECEIVER_E_BUSY)
                        return sd_event_source_set_enabled(link->source, SD_EVENT_OFF);
        }
        r = ops_receive_bare(link->fd, &packet);
        return r == OPS_E_AGAIN ? 0 : front_link_do(link, r, &packet);
}

static void front_link_go_on(FrontLink *link) {
        if (link->source && sd_event_source_set_enabled(link->source, SD_EVENT_ON) < 0)
                sd_event_exit(link->config.event, 1);
}

static void front_link_on_packet(void *userdata, int r, OpsPacket *packet) {
        FrontLink *link = userdata;

        (void)front_link_do(link, r, packet);
        front_link_go_on(link);
}

static void front_link_on_rest(void *userdata) {
        front_link_go_on(userdata);
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

void front_link_close_received(FrontLink *link, int fd) {
        front_receiver_close(&link->receiver, fd);
}

/* ---- life */

void front_link_init(FrontLink *link, const FrontLinkConfig *config) {
        *link = (FrontLink){ .config = *config, .fd = -1 };
        record_queue_init(&link->records);
        front_receiver_init(&link->receiver, &(FrontReceiverConfig){
                                                             .event = config->event,
                                                             .root = config->root,
                                                             .tell = front_link_on_packet,
                                                             .rests = front_link_on_rest,
                                                             .userdata = link,
                                                             .calls = config->calls,
                                             });
}

void front_link_clear(FrontLink *link) {
        front_receiver_clear(&link->receiver);
}

int front_link_attach(FrontLink *link, int fd) {
        int r;

        link->fd = fd;
        link->greeted = false;
        front_receiver_prepare(&link->receiver);
        r = fd_set_nonblock(fd, true);
        if (!r)
                r = greeting_send(fd);
        if (r < 0)
                return error_trace(r);
        r = sd_event_add_io(link->config.event, &link->source, fd, EPOLLIN, front_link_on_io, link);
        return r < 0 ? error_origin(r) : 0;
}

/* The last words of benchd may lie in the socket. */
void front_link_detach(FrontLink *link) {
        link->source = sd_event_source_disable_unref(link->source);
        front_receiver_forget(&link->receiver);
        if (link->fd >= 0) {
                shutdown(link->fd, SHUT_RDWR);
                front_receiver_close(&link->receiver, fd_take(&link->fd));
        }
        record_queue_clear(&link->records);
}
