/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/closer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "ops/loop.h"
#include "ops/receiver.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

struct Closer {
        sd_event *event;
        CallFilterMode calls;
        Receiver receiver; /* null: there is none */
        sd_event_source *source;
        int *waiting;
        size_t n_waiting, n_allocated;
};

DEFINE_CLEANUP(Closer *, closer_free)

static void closer_dismiss(Closer *closer) {
        closer->source = sd_event_source_disable_unref(closer->source);
        fd_close(closer->receiver.fd); /* of which nothing is ever read */
        closer->receiver.fd = -1;
        receiver_dismiss(&closer->receiver);
}

/* ---- those that wait */

static void closer_forget(Closer *closer, size_t n) {
        closer->n_waiting -= n;
        memmove(closer->waiting, closer->waiting + n, closer->n_waiting * sizeof *closer->waiting);
}

static void closer_close_here(Closer *closer) {
        for (size_t i = 0; i < closer->n_waiting; i++)
                fd_close(closer->waiting[i]);
        closer->n_waiting = 0;
}

static bool closer_add(Closer *closer, int fd) {
        if (closer->n_waiting == closer->n_allocated) {
                const size_t n = closer->n_allocated ? 2 * closer->n_allocated : SOCKET_FDS_MAX;
                int *waiting = reallocarray(closer->waiting, n, sizeof *waiting);

                if (!waiting)
                        return false;
                closer->waiting = waiting;
                closer->n_allocated = n;
        }
        closer->waiting[closer->n_waiting++] = fd;
        return true;
}

/* ---- the process */

static int closer_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata);

/* Returns 0, a negative errno, or SOCKET_E_CLOSED where the loop is over, which watches nothing any more. */
static int closer_start(Closer *closer) {
        int r;

        if (closer->receiver.pid > 0)
                return 0;
        if (loop_is_over(closer->event))
                return SOCKET_E_CLOSED;
        r = receiver_start("benchd-close", closer->calls, &closer->receiver);
        if (r)
                return error_trace(r);
        r = sd_event_add_io(closer->event, &closer->source, closer->receiver.fd, 0, closer_on_io, closer);
        return r < 0 ? error_origin(r) : 0;
}

/* Returns 0 where all found room, SOCKET_E_AGAIN, SOCKET_E_CLOSED, or a negative errno. */
static int closer_send(Closer *closer) {
        int r;

        r = closer_start(closer);
        while (r == 0 && closer->n_waiting > 0) {
                const size_t n = closer->n_waiting < SOCKET_FDS_MAX ? closer->n_waiting : SOCKET_FDS_MAX;

                r = receiver_hand_over(&closer->receiver, RECEIVER_TASK_DROP, closer->waiting, n);
                if (r == 0)
                        closer_forget(closer, n);
        }
        return r;
}

/* One that was killed has another one take its place. */
static void closer_flush(Closer *closer) {
        int r;

        r = closer_send(closer);
        if (r == SOCKET_E_CLOSED) {
                closer_dismiss(closer);
                r = closer_send(closer);
        }
        if (r && r != SOCKET_E_AGAIN) {
                closer_dismiss(closer);
                closer_close_here(closer);
        }
        if (closer->source)
                (void)sd_event_source_set_io_events(closer->source, closer->n_waiting > 0 ? EPOLLOUT : 0);
}

static int closer_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Closer *closer = userdata;

        if (events & (EPOLLHUP | EPOLLERR))
                closer_dismiss(closer);
        if (closer->n_waiting > 0)
                closer_flush(closer);
        return 0;
}

static void closer_take(void *userdata, int fd) {
        Closer *closer = userdata;

        if (!closer_add(closer, fd)) {
                fd_close(fd);
                return;
        }
        if (closer->n_waiting == 1 || closer->receiver.pid < 0)
                closer_flush(closer);
}

/* ---- life */

int closer_new(sd_event *event, CallFilterMode calls, Closer **ret_closer) {
        _cleanup_(closer_freep) Closer *closer = NULL;
        int r;

        closer = calloc(1, sizeof *closer);
        if (!closer)
                return error_origin(-ENOMEM);
        *closer = (Closer){ .event = event, .calls = calls, .receiver = RECEIVER_NULL };
        r = closer_start(closer);
        if (r)
                return error_fold(r);
        fd_set_closer(closer_take, closer);
        *ret_closer = take_pointer(closer);
        return 0;
}

Closer *closer_free(Closer *closer) {
        if (!closer)
                return NULL;
        fd_set_closer(NULL, NULL);
        closer_dismiss(closer);
        closer_close_here(closer);
        free(closer->waiting);
        free(closer);
        return NULL;
}

pid_t closer_pid(const Closer *closer) {
        return closer->receiver.pid;
}

size_t closer_count_waiting(const Closer *closer) {
        return closer->n_waiting;
}
