/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/trust/front-link.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "launch/base/say.h"
#include "launch/base/thread.h"
#include "ops/loop.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"

#define FRONT_RECEIVER_PATIENCE_US 1000000u

_Static_assert(sizeof(OpsRecord) <= RECEIVER_DATA_MAX, "a record is received at once");

/* ---- those that are left behind */

static void left_forget(FrontReceiverLeft *left) {
        left->source = sd_event_source_disable_unref(left->source);
        left->pidfd = fd_close(left->pidfd);
        *left = (FrontReceiverLeft){};
}

static int left_on_death(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        FrontReceiverLeft *left = userdata;

        waitpid(left->pid, NULL, 0);
        left_forget(left);
        return 0;
}

/* A free place, or NULL. */
static FrontReceiverLeft *front_receiver_place(FrontReceiver *front) {
        for (size_t i = 0; i < FRONT_RECEIVER_LEFT_MAX; i++)
                if (front->left[i].pid == 0)
                        return &front->left[i];
        return NULL;
}

/*
 * A place is free: no receiver is started without one. The receiver dies at once, or after the close in which it hangs.
 */
static void front_receiver_leave(FrontReceiver *front) {
        FrontReceiverLeft *left = front_receiver_place(front);

        front->source = sd_event_source_disable_unref(front->source);
        kill(front->receiver.pid, SIGKILL);
        *left = (FrontReceiverLeft){ .pid = front->receiver.pid, .pidfd = pidfd_open(front->receiver.pid, 0) };
        receiver_dismiss(&front->receiver);
        if (left->pidfd >= 0)
                (void)sd_event_add_io(front->config.event, &left->source, left->pidfd, EPOLLIN, left_on_death, left);
}

/* ---- tasks */

static void front_receiver_rest(FrontReceiver *front) {
        (void)sd_event_source_set_enabled(front->patience_source, SD_EVENT_OFF);
        front->config.rests(front->config.userdata);
}

/* Gives up the receiver's tasks: a packet that it held is lost, and with it the connection. */
static void front_receiver_abandon(FrontReceiver *front) {
        const bool receiving = front->receiving;

        front_receiver_leave(front);
        front->n_owed = 0;
        front->receiving = false;
        front->packet.n_fds = 0;
        if (receiving) {
                say(SD_ERR, "a question of benchd's was lost with the process that received it: the connection to benchd is closed");
                front->config.tell(front->config.userdata, OPS_E_CLOSED, &front->packet);
        }
        front_receiver_rest(front);
}

/* An unread report is the launcher's delay, and a missing CPU the machine's: neither counts as hanging. */
static bool front_receiver_waits(const FrontReceiver *front) {
        struct pollfd report = { .fd = front->receiver.fd, .events = POLLIN };

        return poll(&report, 1, 0) == 0 && !thread_wants_cpu(front->config.root, front->receiver.pid);
}

static int patience_begin(sd_event_source *source) {
        int r = sd_event_source_set_time_relative(source, FRONT_RECEIVER_PATIENCE_US);

        return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int front_receiver_on_patience(sd_event_source *source, uint64_t usec, void *userdata) {
        FrontReceiver *front = userdata;
        const pid_t pid = front->receiver.pid;

        if (!front_receiver_waits(front))
                return patience_begin(source);
        say(SD_ERR,
                        "process %d (benchd-receive) waits to close a file that benchd or a client sent. It is left behind; another one "
                        "takes its place. /proc/%d/stack shows what it waits for",
                        pid, pid);
        front_receiver_abandon(front);
        return 0;
}

static void front_receiver_tell(FrontReceiver *front, const SocketFds *fds) {
        const ReceiverReport *report = &front->report;
        SocketFds came = *fds;
        OpsPacket *packet = &front->packet;
        int r = report->outcome;

        came.lost |= report->lost;
        memcpy(&packet->record, report->data, sizeof packet->record);
        if (r > 0)
                r = r == SOCKET_E_CLOSED ? OPS_E_CLOSED : OPS_E_INVALID;
        if (r == 0)
                r = ops_packet_complete(packet, report->n_data, &came);
        if (r)
                packet->n_fds = 0;
        if (front->receiving) {
                front->receiving = false;
                front->config.tell(front->config.userdata, r, packet);
        }
        for (size_t i = 0; i < (r ? came.n : packet->n_fds); i++)
                front_receiver_close(front, r ? came.fds[i] : packet->fds[i]);
}

static int front_receiver_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        FrontReceiver *front = userdata;
        SocketFds fds;
        int r;

        r = receiver_hear(&front->receiver, &front->report, &fds);
        if (r == SOCKET_E_AGAIN)
                return 0;
        if (r) {
                front_receiver_abandon(front);
                return 0;
        }
        if (front->report.came)
                front_receiver_tell(front, &fds);
        if (front->report.done)
                front->n_owed--;
        if (front->n_owed == 0)
                front_receiver_rest(front);
        else
                (void)patience_begin(front->patience_source); /* it has just got on; else the second before stands */
        return 0;
}

static bool front_receiver_may_start(FrontReceiver *front) {
        return !loop_is_over(front->config.event) && front_receiver_place(front);
}

static int front_receiver_start(FrontReceiver *front) {
        int r;

        if (front->receiver.pid > 0)
                return 0;
        if (!front_receiver_may_start(front))
                return FRONT_RECEIVER_E_FULL;
        r = receiver_start("benchd-receive", front->config.calls, &front->receiver);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(front->config.event, &front->source, front->receiver.fd, EPOLLIN, front_receiver_on_io,
                        front);
        if (r < 0) {
                front_receiver_leave(front);
                return error_origin(r);
        }
        return 0;
}

static int front_receiver_wait(FrontReceiver *front) {
        int r;

        if (loop_is_over(front->config.event))
                return 0;
        r = front->patience_source
                            ? patience_begin(front->patience_source)
                            : sd_event_add_time_relative(front->config.event, &front->patience_source, CLOCK_MONOTONIC,
                                              FRONT_RECEIVER_PATIENCE_US, 0, front_receiver_on_patience, front);
        return r < 0 ? error_origin(r) : 0;
}

/* Makes ready for one more task. Returns 0, E_FULL, or a negative errno. */
static int front_receiver_prepare_task(FrontReceiver *front) {
        int r;

        r = front_receiver_start(front);
        if (r)
                return r;
        return front->n_owed == 0 ? error_trace(front_receiver_wait(front)) : 0;
}

/* ---- for the connection */

/*
 * Has a packet received from @fd, which must have no other reader meanwhile. Returns 0, E_BUSY, E_FULL, or a negative
 * errno.
 */
static int front_receiver_receive(FrontReceiver *front, int fd) {
        static const ReceiverTask task = {
                .kind = RECEIVER_TASK_RECEIVE,
                .n_data = sizeof(OpsRecord),
                .n_fds = SOCKET_FDS_MAX,
                .with_sockets = 1,
        };
        int r;

        if (front->n_owed > 0)
                return FRONT_RECEIVER_E_BUSY;
        r = front_receiver_prepare_task(front);
        if (r)
                return r;
        r = receiver_ask(&front->receiver, &task, fd);
        if (r)
                return error_fold(r);
        front->n_owed++;
        front->receiving = true;
        return 0;
}

void front_receiver_close(FrontReceiver *front, int fd) {
        const bool is_memory = fd >= 0 && fcntl(fd, F_GET_SEALS) >= 0;

        if (fd >= 0 && !is_memory && front_receiver_prepare_task(front) == 0 &&
                        receiver_hand_over(&front->receiver, RECEIVER_TASK_CLOSE, &fd, 1) == 0)
                front->n_owed++;
        else
                fd_close_received(fd);
}

size_t front_receiver_pids(const FrontReceiver *front, pid_t *pids) {
        size_t n = 0;

        if (front->receiver.pid > 0)
                pids[n++] = front->receiver.pid;
        for (size_t i = 0; i < FRONT_RECEIVER_LEFT_MAX; i++)
                if (front->left[i].pid > 0)
                        pids[n++] = front->left[i].pid;
        return n;
}

bool front_link_is_attached(const FrontLink *link) {
        return link->fd >= 0;
}

void front_link_cut(FrontLink *link) {
        shutdown(link->fd, SHUT_RDWR);
}

/* ---- out */

/* A front-end that is gone or does not read is noticed where its questions are read. */
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

/* Acts on a packet, or on the error in its place. */
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

/* Reads the greeting, or the packet in its place. Returns 0 or a negative errno. */
static int front_link_meet(FrontLink *link) {
        char text[BUILD_TEXT_MAX], words[BUILD_WORDS_MAX];
        int r;

        r = record_greeting_receive(link->fd, text);
        link->greeted = r == 0;
        if (r <= 0 || r == RECORD_GREETING_E_AGAIN)
                return r < 0 ? error_trace(r) : 0;
        if (r == RECORD_GREETING_E_OTHER) {
                build_complain("benchd-launch", "benchd", text, words);
                say(SD_ERR, "%s. Its connection is closed. Restart both: systemctl restart benchd benchd-launch",
                                words);
        }
        link->config.gone(link->config.userdata);
        return 0;
}

/* If no receiver can be had, descriptors are dropped and their question is refused. */
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

/* No question is read while answers wait: benchd sends questions in bursts and reads the answers afterwards. */
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
        link->receiver = (FrontReceiver){
                .config = {
                        .event = config->event,
                        .root = config->root,
                        .tell = front_link_on_packet,
                        .rests = front_link_on_rest,
                        .userdata = link,
                        .calls = config->calls,
                },
                .receiver = RECEIVER_NULL,
        };
}

void front_link_clear(FrontLink *link) {
        FrontReceiver *front = &link->receiver;

        front->source = sd_event_source_disable_unref(front->source);
        front->patience_source = sd_event_source_disable_unref(front->patience_source);
        receiver_dismiss(&front->receiver);
        for (size_t i = 0; i < FRONT_RECEIVER_LEFT_MAX; i++)
                if (front->left[i].pid > 0)
                        left_forget(&front->left[i]);
}

int front_link_attach(FrontLink *link, int fd) {
        int r;

        link->fd = fd;
        link->greeted = false;
        /* Started early, for the first packet; if that fails now, the first packet starts it. */
        (void)front_receiver_start(&link->receiver);
        r = fd_set_nonblock(fd, true);
        if (!r)
                r = record_greeting_send(fd);
        if (r < 0)
                return error_trace(r);
        r = sd_event_add_io(link->config.event, &link->source, fd, EPOLLIN, front_link_on_io, link);
        return r < 0 ? error_origin(r) : 0;
}

/* The last records of benchd may still lie in the socket. */
void front_link_detach(FrontLink *link) {
        link->source = sd_event_source_disable_unref(link->source);
        /* The packet that is being received is closed without a report. */
        link->receiver.receiving = false;
        if (link->fd >= 0) {
                shutdown(link->fd, SHUT_RDWR);
                front_receiver_close(&link->receiver, fd_take(&link->fd));
        }
        record_queue_clear(&link->records);
}
