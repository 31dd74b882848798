/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/record-queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/error.h"

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
