/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/receivers.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "front/base/share.h"
#include "ops/loop.h"
#include "ops/receiver.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

typedef struct Worker Worker;

struct ReceiversTask {
        STAILQ_ENTRY(ReceiversTask) tasks;
        ReceiverTask ask;
        int fds[SOCKET_FDS_MAX]; /* the client's socket, or what is to be closed */
        size_t n_fds;            /* 0 once they were sent */
        ReceiversTell tell;      /* NULL: forgotten */
        void *userdata;
        ShareHold hold; /* of what is to be closed */
        bool sent;
};

/* A receiver with its tasks, all of one user, in the order in which it does them. */
struct Worker {
        LIST_ENTRY(Worker) workers;
        Receivers *receivers;
        Receiver receiver;
        sd_event_source *source;
        uid_t uid;
        STAILQ_HEAD(, ReceiversTask) tasks;
};

struct Receivers {
        sd_event *event;
        CallFilterMode calls; /* of each */
        LIST_HEAD(, Worker) workers;
        size_t n_workers;
        ReceiverReport report;
};

DEFINE_CLEANUP(Receivers *, receivers_free)

static bool worker_is_idle(const Worker *worker) {
        return STAILQ_EMPTY(&worker->tasks);
}

/* ---- tasks */

static void worker_remove(Worker *worker, ReceiversTask *task) {
        STAILQ_REMOVE(&worker->tasks, task, ReceiversTask, tasks);
        fds_close_received(task->fds, task->n_fds);
        share_release(&task->hold);
        free(task);
}

/* Returns 0, SOCKET_E_AGAIN, SOCKET_E_CLOSED, or a negative errno. */
static int worker_send(const Worker *worker, ReceiversTask *task) {
        int r;

        r = task->ask.kind == RECEIVER_TASK_RECEIVE
                            ? receiver_ask(&worker->receiver, &task->ask, task->fds[0])
                            : receiver_hand_over(&worker->receiver, task->ask.kind, task->fds, task->n_fds);
        if (r)
                return r;
        if (task->ask.kind == RECEIVER_TASK_RECEIVE && task->tell) /* the owner of the callback has the socket open */
                fd_close(task->fds[0]);
        else if (task->ask.kind == RECEIVER_TASK_RECEIVE)
                fd_close_received(task->fds[0]);
        task->n_fds = 0;
        return 0;
}

/* Sends the tasks that find room. The end of a receiver is noticed where it is heard. */
static int worker_flush(Worker *worker) {
        ReceiversTask *task;
        int r;

        STAILQ_FOREACH(task, &worker->tasks, tasks) {
                if (task->sent)
                        continue;
                r = worker_send(worker, task);
                if (r == SOCKET_E_AGAIN)
                        return 0; /* each report makes room */
                if (r && r != SOCKET_E_CLOSED)
                        return error_fold(r);
                task->sent = true;
        }
        return 0;
}

static ReceiversTask *worker_add(Worker *worker, const ReceiverTask *ask, const int *fds, size_t n_fds) {
        ReceiversTask *task = calloc(1, sizeof *task);

        if (!task)
                return NULL;
        task->ask = *ask;
        memcpy(task->fds, fds, n_fds * sizeof *fds);
        task->n_fds = n_fds;
        STAILQ_INSERT_TAIL(&worker->tasks, task, tasks);
        return task;
}

/* ---- workers */

static Worker *worker_free(Worker *worker) {
        while (!worker_is_idle(worker)) {
                ReceiversTask *task = STAILQ_FIRST(&worker->tasks);

                if (task->tell)
                        task->tell(task->userdata, &(ReceiverArrivals){ .outcome = -EPIPE });
                worker_remove(worker, task);
        }
        LIST_REMOVE(worker, workers);
        worker->receivers->n_workers--;
        sd_event_source_disable_unref(worker->source);
        receiver_dismiss(&worker->receiver);
        free(worker);
        return NULL;
}

/* One is kept for the next user; what is more than that ends. */
static void worker_rest(Worker *worker) {
        const Worker *other;

        LIST_FOREACH(other, &worker->receivers->workers, workers) {
                if (other != worker && worker_is_idle(other)) {
                        worker_free(worker);
                        return;
                }
        }
}

static void worker_tell(Worker *worker, const ReceiverReport *report, const SocketFds *fds) {
        ReceiversTask *task = STAILQ_FIRST(&worker->tasks);
        const ReceiversTell tell = task->tell;
        ReceiverArrivals received = {
                .outcome = report->outcome,
                .data = report->data,
                .n_data = report->n_data,
                .fds = *fds,
        };

        received.fds.lost |= report->lost;
        task->tell = NULL;
        if (tell)
                tell(task->userdata, &received);
        else
                fds_close_received(fds->fds, fds->n);
}

static int worker_on_io(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Worker *worker = userdata;
        ReceiverReport *report = &worker->receivers->report;
        SocketFds fds;
        int r;

        r = receiver_hear(&worker->receiver, report, &fds);
        if (r == SOCKET_E_AGAIN)
                return 0;
        if (r || worker_is_idle(worker)) {
                worker_free(worker);
                return 0;
        }
        if (report->came)
                worker_tell(worker, report, &fds);
        if (!report->done)
                return 0;
        worker_remove(worker, STAILQ_FIRST(&worker->tasks));
        if (worker_flush(worker))
                worker_free(worker);
        else if (worker_is_idle(worker))
                worker_rest(worker);
        return 0;
}

static int worker_new(Receivers *receivers, Worker **ret_worker) {
        Worker *worker;
        int r;

        worker = calloc(1, sizeof *worker);
        if (!worker)
                return error_origin(-ENOMEM);
        *worker = (Worker){ .receivers = receivers, .receiver = RECEIVER_NULL };
        STAILQ_INIT(&worker->tasks);
        LIST_INSERT_HEAD(&receivers->workers, worker, workers);
        receivers->n_workers++;
        r = receiver_start("benchd-receive", receivers->calls, &worker->receiver);
        if (r == 0)
                r = sd_event_add_io(receivers->event, &worker->source, worker->receiver.fd, EPOLLIN, worker_on_io,
                                worker);
        if (r < 0) {
                worker_free(worker);
                return error_trace(r);
        }
        *ret_worker = worker;
        return 0;
}

/* The one that serves @uid, else one that rests, else a new one. Returns 0, E_FULL, or a negative errno. */
static int receivers_find(Receivers *receivers, uid_t uid, Worker **ret_worker) {
        Worker *worker, *idle = NULL;
        int r;

        LIST_FOREACH(worker, &receivers->workers, workers) {
                if (worker_is_idle(worker)) {
                        idle = worker;
                } else if (worker->uid == uid) {
                        *ret_worker = worker;
                        return 0;
                }
        }
        if (!idle && receivers->n_workers >= RECEIVERS_MAX)
                return RECEIVERS_E_FULL;
        r = idle ? 0 : worker_new(receivers, &idle);
        if (r)
                return error_trace(r);
        idle->uid = uid;
        *ret_worker = idle;
        return 0;
}

/* ---- for sessions */

int receivers_receive(Receivers *receivers, uid_t uid, int fd, size_t n_data, size_t n_fds, ReceiversTell tell,
                void *userdata, ReceiversTask **ret_task) {
        const ReceiverTask ask = {
                .kind = RECEIVER_TASK_RECEIVE,
                .n_data = n_data < RECEIVER_DATA_MAX ? n_data : RECEIVER_DATA_MAX,
                .n_fds = n_fds,
        };
        ReceiversTask *task;
        Worker *worker;
        int own_fd, r;

        r = receivers_find(receivers, uid, &worker);
        if (r)
                return r;
        own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (own_fd < 0)
                return error_origin(-errno);
        task = worker_add(worker, &ask, &own_fd, 1);
        if (!task) {
                fd_close(own_fd);
                return error_origin(-ENOMEM);
        }
        task->tell = tell;
        task->userdata = userdata;
        r = worker_flush(worker);
        if (r) {
                worker_remove(worker, task);
                return error_trace(r);
        }
        *ret_task = task;
        return 0;
}

void receivers_forget(ReceiversTask *task) {
        if (task)
                task->tell = NULL;
}

/* False: there is no receiver for them, since too many users have one or the loop is over. */
static bool receivers_hand_over(Receivers *receivers, uid_t uid, const int *fds, size_t n_fds, ShareHold *hold) {
        const ReceiverTask ask = { .kind = RECEIVER_TASK_CLOSE };
        ReceiversTask *task;
        Worker *worker;

        if (loop_is_over(receivers->event) || receivers_find(receivers, uid, &worker) != 0)
                return false;
        task = worker_add(worker, &ask, fds, n_fds);
        if (!task)
                return false;
        task->hold = share_move(hold);
        if (worker_flush(worker))
                worker_remove(worker, task);
        return true;
}

void receivers_close_files(void *userdata, uid_t uid, const int *fds, size_t n_fds, ShareHold *hold) {
        if (receivers_hand_over(userdata, uid, fds, n_fds, hold))
                return;
        fds_close_received(fds, n_fds);
        share_release(hold);
}

/* A peer that cannot send any more cannot add to what is unread. */
void receivers_close(Receivers *receivers, uid_t uid, int fd, ShareHold *place) {
        bool with_fds;
        size_t n;
        char byte;

        if (shutdown(fd, SHUT_RDWR) == 0 && socket_peek(fd, &byte, 1, &n, &with_fds) == 0 &&
                        receivers_hand_over(receivers, uid, &fd, 1, place))
                return;
        share_release(place);
        fd_close_received(fd);
}

size_t receivers_count_tasks(const Receivers *receivers) {
        const ReceiversTask *task;
        const Worker *worker;
        size_t n = 0;

        LIST_FOREACH(worker, &receivers->workers, workers) {
                STAILQ_FOREACH(task, &worker->tasks, tasks) {
                        n++;
                }
        }
        return n;
}

/* ---- life */

int receivers_new(sd_event *event, CallFilterMode calls, Receivers **ret_receivers) {
        _cleanup_(receivers_freep) Receivers *receivers = NULL;
        Worker *first;
        int r;

        receivers = calloc(1, sizeof *receivers);
        if (!receivers)
                return error_origin(-ENOMEM);
        receivers->event = event;
        receivers->calls = calls;
        LIST_INIT(&receivers->workers);
        r = worker_new(receivers, &first);
        if (r)
                return error_trace(r);
        *ret_receivers = take_pointer(receivers);
        return 0;
}

Receivers *receivers_free(Receivers *receivers) {
        if (!receivers)
                return NULL;
        while (!LIST_EMPTY(&receivers->workers))
                worker_free(LIST_FIRST(&receivers->workers));
        free(receivers);
        return NULL;
}
