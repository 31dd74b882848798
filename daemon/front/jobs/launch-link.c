/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/launch-link.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "ops/loop.h"
#include "ops/record-queue.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

typedef struct LaunchQuestion {
        LIST_ENTRY(LaunchQuestion) questions;
        uint64_t serial;
        LaunchAnswer answer;
        void *userdata;
} LaunchQuestion;

struct LaunchLink {
        int fd;
        sd_event_source *source;
        LaunchLinkHandlers handlers;
        uint64_t last_serial;
        LIST_HEAD(, LaunchQuestion) questions;
        RecordQueue records; /* that wait for room */
        bool greeted;        /* the launcher is of this build */
};

DEFINE_CLEANUP(LaunchLink *, launch_link_free)

/* ---- out */

static int launch_link_watch(LaunchLink *link) {
        if (loop_is_over(sd_event_source_get_event(link->source)))
                return 0;
        return error_trace(sd_event_source_set_io_events(link->source, EPOLLIN | (link->records.n > 0 ? EPOLLOUT : 0)));
}

/* One that is closed is noticed by the loop, which ends. */
static int launch_link_send(LaunchLink *link, const OpsRecord *record, const int *fds, size_t n_fds) {
        int r;

        r = record_queue_send(&link->records, link->fd, record, fds, n_fds);
        return r == OPS_E_CLOSED ? 0 : r ? error_trace(r) : launch_link_watch(link);
}

static int launch_link_flush(LaunchLink *link) {
        int r;

        r = record_queue_flush(&link->records, link->fd);
        if (r == OPS_E_CLOSED)
                record_queue_clear(&link->records);
        return r < 0 ? error_trace(r) : launch_link_watch(link);
}

int launch_link_ask(LaunchLink *link, OpsRecord *record, const int *fds, size_t n_fds, LaunchAnswer answer,
                void *userdata) {
        LaunchQuestion *question;
        int r;

        question = malloc(sizeof *question);
        if (!question)
                return error_origin(-ENOMEM);
        record->serial = ++link->last_serial;
        r = launch_link_send(link, record, fds, n_fds);
        if (r) {
                free(question);
                return error_trace(r);
        }
        *question = (LaunchQuestion){ .serial = record->serial, .answer = answer, .userdata = userdata };
        LIST_INSERT_HEAD(&link->questions, question, questions);
        return 0;
}

static int launch_link_tell(LaunchLink *link, OpsKind kind, uint64_t number) {
        OpsRecord record;

        memset(&record, 0, sizeof record);
        record.kind = kind;
        record.serial = ++link->last_serial;
        if (kind == OPS_KILL)
                record.kill = number;
        else
                record.ticket_close = number;
        return error_trace(launch_link_send(link, &record, NULL, 0));
}

int launch_link_ready(LaunchLink *link) {
        return launch_link_tell(link, OPS_READY, 0);
}

int launch_link_close_ticket(LaunchLink *link, uint64_t ticket) {
        return launch_link_tell(link, OPS_TICKET_CLOSE, ticket);
}

int launch_link_kill(LaunchLink *link, uint64_t process) {
        return launch_link_tell(link, OPS_KILL, process);
}

/* ---- in */

static void launch_link_answer(LaunchLink *link, OpsPacket *packet) {
        LaunchQuestion *question, copy;

        LIST_FOREACH(question, &link->questions, questions) {
                if (question->serial == packet->record.serial)
                        break;
        }
        if (!question)
                return;
        copy = *question;
        if (packet->record.kind != OPS_STARTED) {
                LIST_REMOVE(question, questions);
                free(question);
        }
        copy.answer(copy.userdata, packet);
}

/* The launcher's greeting, or what comes in the place of one. */
static int launch_link_meet(LaunchLink *link) {
        char text[BUILD_TEXT_MAX], words[BUILD_WORDS_MAX];
        int r;

        r = record_greeting_receive(link->fd, text);
        link->greeted = r == 0;
        if (r <= 0 || r == RECORD_GREETING_E_AGAIN)
                return r < 0 ? error_trace(r) : 0;
        sd_event_source_set_enabled(link->source, SD_EVENT_OFF);
        if (r == RECORD_GREETING_E_OTHER) {
                build_complain("benchd", "benchd-launch", text, words);
                link->handlers.other_build(link->handlers.userdata, words);
        } else {
                link->handlers.closed(link->handlers.userdata);
        }
        return 0;
}

bool launch_link_is_greeted(const LaunchLink *link) {
        return link->greeted;
}

static int launch_link_receive(LaunchLink *link) {
        OpsPacket packet;
        int r;

        if (!link->greeted)
                return launch_link_meet(link);
        r = ops_receive(link->fd, &packet);
        if (r == OPS_E_AGAIN)
                return 0;
        if (r == OPS_E_CLOSED || r == OPS_E_INVALID) {
                sd_event_source_set_enabled(link->source, SD_EVENT_OFF);
                link->handlers.closed(link->handlers.userdata);
                return 0;
        }
        if (r && r != OPS_E_FDS_LOST)
                return error_trace(r);
        if (packet.record.kind == OPS_MACHINE)
                link->handlers.machine(link->handlers.userdata, &packet.record.machine);
        else
                launch_link_answer(link, &packet);
        ops_packet_close(&packet);
        return 0;
}

static int launch_link_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        LaunchLink *link = userdata;
        int r;

        if (events & EPOLLOUT) {
                r = launch_link_flush(link);
                if (r)
                        return error_trace(r);
        }
        if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
                return error_trace(launch_link_receive(link));
        return 0;
}

int launch_link_new(sd_event *event, int fd, const LaunchLinkHandlers *handlers, LaunchLink **ret_link) {
        _cleanup_(launch_link_freep) LaunchLink *link = NULL;
        int r;

        link = calloc(1, sizeof *link);
        if (!link) {
                fd_close(fd);
                return error_origin(-ENOMEM);
        }
        link->fd = fd;
        link->handlers = *handlers;
        LIST_INIT(&link->questions);
        record_queue_init(&link->records);
        r = fd_set_nonblock(fd, true);
        if (!r)
                r = record_greeting_send(fd);
        if (r < 0)
                return error_trace(r);
        r = sd_event_add_io(event, &link->source, fd, EPOLLIN, launch_link_on_io, link);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_exit_on_failure(link->source, true);
        if (r < 0)
                return error_origin(r);
        *ret_link = take_pointer(link);
        return 0;
}

LaunchLink *launch_link_free(LaunchLink *link) {
        if (!link)
                return NULL;
        while (!LIST_EMPTY(&link->questions)) {
                LaunchQuestion *question = LIST_FIRST(&link->questions);

                LIST_REMOVE(question, questions);
                free(question);
        }
        record_queue_clear(&link->records);
        sd_event_source_disable_unref(link->source);
        fd_close(link->fd);
        free(link);
        return NULL;
}
