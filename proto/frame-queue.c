/* SPDX-License-Identifier: MIT */
#include "proto/frame-queue.h"

#include <fcntl.h>
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

typedef struct FrameItem {
        struct FrameItem *next;
        int fds[SOCKET_FDS_MAX];
        size_t n_fds;
        size_t n_sent;
        size_t n_data;
        uint8_t data[];
} FrameItem;

struct FrameQueue {
        size_t max;
        size_t n_bytes;
        FrameItem *first;
        FrameItem **end;
};

static FrameItem *frame_item_free(FrameItem *item) {
        if (!item)
                return NULL;
        fds_close_received(item->fds, item->n_fds);
        free(item);
        return NULL;
}

DEFINE_CLEANUP(FrameItem *, frame_item_free)

static size_t frame_header_write(uint8_t *header, size_t n_data) {
        size_t n = 0;

        for (; n_data >= 0x80; n_data >>= 7)
                header[n++] = n_data | 0x80;
        header[n++] = n_data;
        return n;
}

static int frame_item_new(const ProtobufCMessage *message, size_t n_packed, FrameItem **ret_item) {
        uint8_t header[FRAME_HEADER_MAX];
        FrameItem *item;
        size_t n_header;

        n_header = frame_header_write(header, n_packed);
        item = malloc(sizeof *item + n_header + n_packed);
        if (!item)
                return error_origin(-ENOMEM);
        item->next = NULL;
        item->n_fds = item->n_sent = 0;
        item->n_data = n_header + n_packed;
        memcpy(item->data, header, n_header);
        protobuf_c_message_pack(message, item->data + n_header);
        *ret_item = item;
        return 0;
}

static int frame_item_duplicate_fds(FrameItem *item, const int *fds, size_t n_fds) {
        if (n_fds > SOCKET_FDS_MAX)
                return error_origin(-E2BIG);
        for (size_t i = 0; i < n_fds; i++) {
                int fd = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);

                if (fd < 0)
                        return error_origin(-errno);
                item->fds[item->n_fds++] = fd;
        }
        return 0;
}

static int frame_item_send(FrameItem *item, int fd) {
        size_t n;
        int r;

        r = socket_send(fd, item->data + item->n_sent, item->n_data - item->n_sent, item->fds, item->n_fds, &n);
        if (r)
                return r;
        fds_close_received(item->fds, item->n_fds);
        item->n_fds = 0;
        item->n_sent += n;
        return 0;
}

int frame_queue_new(size_t max_bytes, FrameQueue **ret_queue) {
        FrameQueue *queue;

        queue = calloc(1, sizeof *queue);
        if (!queue)
                return error_origin(-ENOMEM);
        queue->max = max_bytes;
        queue->end = &queue->first;
        *ret_queue = queue;
        return 0;
}

static void frame_queue_drop_first(FrameQueue *queue) {
        FrameItem *item = queue->first;

        queue->n_bytes -= sizeof *item + item->n_data;
        queue->first = item->next;
        if (!queue->first)
                queue->end = &queue->first;
        frame_item_free(item);
}

void frame_queue_clear(FrameQueue *queue) {
        while (queue->first)
                frame_queue_drop_first(queue);
}

FrameQueue *frame_queue_free(FrameQueue *queue) {
        if (!queue)
                return NULL;
        frame_queue_clear(queue);
        free(queue);
        return NULL;
}

int frame_queue_push(FrameQueue *queue, const ProtobufCMessage *message, size_t max, const int *fds, size_t n_fds) {
        _cleanup_(frame_item_freep) FrameItem *item = NULL;
        size_t n_packed;
        int r;

        n_packed = protobuf_c_message_get_packed_size(message);
        if (n_packed > max)
                return FRAME_E_TOO_LARGE;
        if (queue->n_bytes + sizeof *item + n_packed > queue->max)
                return FRAME_E_FULL;

        r = frame_item_new(message, n_packed, &item);
        if (r)
                return error_trace(r);
        r = frame_item_duplicate_fds(item, fds, n_fds);
        if (r)
                return error_trace(r);

        queue->n_bytes += sizeof *item + item->n_data;
        *queue->end = item;
        queue->end = &item->next;
        take_pointer(item);
        return 0;
}

int frame_queue_send(FrameQueue *queue, int fd) {
        while (queue->first) {
                int r = frame_item_send(queue->first, fd);

                if (r == SOCKET_E_AGAIN)
                        return FRAME_E_AGAIN;
                if (r == SOCKET_E_CLOSED)
                        return FRAME_E_CLOSED;
                if (r)
                        return error_fold(r);
                if (queue->first->n_sent == queue->first->n_data)
                        frame_queue_drop_first(queue);
        }
        return 0;
}

size_t frame_queue_pending(const FrameQueue *queue) {
        return queue->n_bytes;
}
