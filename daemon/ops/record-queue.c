/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/record-queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/socket.h"

struct QueuedRecord {
        STAILQ_ENTRY(QueuedRecord) records;
        OpsPacket packet;
};

static QueuedRecord *queued_record_free(QueuedRecord *queued) {
        if (!queued)
                return NULL;
        ops_packet_close(&queued->packet);
        free(queued);
        return NULL;
}

DEFINE_CLEANUP(QueuedRecord *, queued_record_free)

void record_queue_init(RecordQueue *queue) {
        *queue = (RecordQueue){};
        STAILQ_INIT(&queue->records);
}

static int record_queue_add(RecordQueue *queue, const OpsRecord *record, const int *fds, size_t n_fds) {
        _cleanup_(queued_record_freep) QueuedRecord *queued = NULL;

        queued = calloc(1, sizeof *queued);
        if (!queued)
                return error_origin(-ENOMEM);
        queued->packet.record = *record;
        for (size_t i = 0; i < n_fds; i++) {
                int fd = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);

                if (fd < 0)
                        return error_origin(-errno);
                queued->packet.fds[queued->packet.n_fds++] = fd;
        }
        STAILQ_INSERT_TAIL(&queue->records, queued, records);
        queue->n++;
        take_pointer(queued);
        return 0;
}

static void record_queue_drop_first(RecordQueue *queue) {
        QueuedRecord *first = STAILQ_FIRST(&queue->records);

        STAILQ_REMOVE_HEAD(&queue->records, records);
        queue->n--;
        queued_record_free(first);
}

int record_queue_send(RecordQueue *queue, int fd, const OpsRecord *record, const int *fds, size_t n_fds) {
        int r = queue->n > 0 ? (int)OPS_E_AGAIN : ops_send(fd, record, fds, n_fds);

        if (r == OPS_E_AGAIN)
                return error_trace(record_queue_add(queue, record, fds, n_fds));
        return r == OPS_E_CLOSED ? r : error_fold(r);
}

int record_queue_flush(RecordQueue *queue, int fd) {
        while (queue->n > 0) {
                const OpsPacket *first = &STAILQ_FIRST(&queue->records)->packet;
                int r;

                r = ops_send(fd, &first->record, first->fds, first->n_fds);
                if (r == OPS_E_AGAIN)
                        return 0;
                if (r)
                        return r == OPS_E_CLOSED ? r : error_fold(r);
                record_queue_drop_first(queue);
        }
        return 0;
}

void record_queue_clear(RecordQueue *queue) {
        while (queue->n > 0)
                record_queue_drop_first(queue);
}

int record_greeting_send(int fd) {
        const Build build = build_own();
        size_t n;
        int r;

        r = socket_send(fd, &build, sizeof build, NULL, 0, &n);
        if (r == SOCKET_E_AGAIN)
                return RECORD_GREETING_E_AGAIN;
        return r == SOCKET_E_CLOSED ? (int)RECORD_GREETING_E_CLOSED : error_fold(r);
}

int record_greeting_receive(int fd, char ret_text[static BUILD_TEXT_MAX]) {
        SocketFds none;
        Build build;
        size_t n;
        int r;

        r = socket_receive_some(fd, &build, sizeof build, 0, &n, &none);
        if (r == SOCKET_E_AGAIN)
                return RECORD_GREETING_E_AGAIN;
        if (r == SOCKET_E_CLOSED)
                return RECORD_GREETING_E_CLOSED;
        if (r < 0)
                return error_trace(r);
        if (r > 0 || n != sizeof build)
                build = (Build){};
        return build_judge(&build, ret_text) == 0 ? 0 : RECORD_GREETING_E_OTHER;
}
