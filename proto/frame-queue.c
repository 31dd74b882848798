/* SPDX-License-Identifier: MIT */
#include "proto/frame-queue.h"

#include <fcntl.h>
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/bridge.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define FRAME_FILE_CHUNK (64u << 10) /* bytes of a file that are read at a time */

/* The files of an item as a bridge takes them. */
typedef struct FrameFiles {
        size_t sizes[SOCKET_FDS_MAX];
        uint8_t head[BRIDGE_HEAD_MAX]; /* their number and sizes, as they go before the bytes */
        size_t n_head;
} FrameFiles;

typedef struct FrameItem {
        struct FrameItem *next;
        FrameFiles *files; /* NULL: they go as descriptors */
        uint64_t ticket;   /* waits for its release; 0: for nothing */
        unsigned kind;
        int fds[SOCKET_FDS_MAX];
        size_t n_fds;
        size_t n_sent; /* of the bytes before the data too, if there are any */
        size_t n_data;
        uint8_t data[];
} FrameItem;

struct FrameQueue {
        bool bridged;
        size_t max;
        size_t n_bytes;
        FrameItem *first;
        FrameItem **end;
};

static FrameItem *frame_item_free(FrameItem *item) {
        if (!item)
                return NULL;
        fds_close_received(item->fds, item->n_fds);
        free(item->files);
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
        item->files = NULL;
        item->ticket = 0;
        item->kind = 0;
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

static int frame_item_size_files(FrameItem *item) {
        FrameFiles *files = item->files = malloc(sizeof *files);

        if (!files)
                return error_origin(-ENOMEM);
        files->n_head = frame_header_write(files->head, item->n_fds);
        for (size_t i = 0; i < item->n_fds; i++) {
                struct stat status;

                if (fstat(item->fds[i], &status) < 0)
                        return error_origin(-errno);
                if (status.st_size > BRIDGE_FILE_MAX)
                        return FRAME_E_TOO_LARGE;
                files->sizes[i] = status.st_size;
                files->n_head += frame_header_write(files->head + files->n_head, files->sizes[i]);
        }
        return 0;
}

/* Sends the next part of @n bytes at @data, the first @offset of which are sent. */
static int frame_item_send_bytes(FrameItem *item, int fd, const uint8_t *data, size_t n, size_t offset) {
        size_t n_sent;
        int r;

        r = socket_send(fd, data + offset, n - offset, NULL, 0, &n_sent);
        if (r)
                return error_trace(r);
        item->n_sent += n_sent;
        return 0;
}

static int frame_item_send_file(FrameItem *item, int fd, size_t i, size_t offset) {
        const size_t left = item->files->sizes[i] - offset;
        uint8_t data[FRAME_FILE_CHUNK];
        size_t n;
        int r;

        r = fd_read_at(item->fds[i], (off_t)offset, data, left < sizeof data ? left : sizeof data, &n);
        if (r)
                return error_trace(r);
        if (n == 0)
                return error_origin(-EIO);
        return error_trace(frame_item_send_bytes(item, fd, data, n, 0));
}

/* Over a bridge the files are bytes of the stream, read as they are sent. */
static int frame_item_send_bridged(FrameItem *item, int fd) {
        size_t offset = item->n_sent;

        if (offset < item->files->n_head)
                return error_trace(frame_item_send_bytes(item, fd, item->files->head, item->files->n_head, offset));
        offset -= item->files->n_head;
        for (size_t i = 0; i < item->n_fds; i++) {
                if (offset < item->files->sizes[i])
                        return error_trace(frame_item_send_file(item, fd, i, offset));
                offset -= item->files->sizes[i];
        }
        return error_trace(frame_item_send_bytes(item, fd, item->data, item->n_data, offset));
}

static size_t frame_item_size(const FrameItem *item) {
        size_t n = item->n_data + (item->files ? item->files->n_head : 0);

        for (size_t i = 0; item->files && i < item->n_fds; i++)
                n += item->files->sizes[i];
        return n;
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

void frame_queue_set_bridged(FrameQueue *queue) {
        queue->bridged = true;
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
        if (r == 0 && queue->bridged)
                r = frame_item_size_files(item);
        if (r)
                return error_trace(r);

        queue->n_bytes += sizeof *item + item->n_data;
        *queue->end = item;
        queue->end = &item->next;
        take_pointer(item);
        return 0;
}

/* ---- frames that wait */

void frame_queue_hold(FrameQueue *queue, uint64_t ticket, unsigned kind) {
        FrameItem *last = queue->first;

        while (last && last->next)
                last = last->next;
        if (!last)
                return;
        last->ticket = ticket;
        last->kind = kind;
}

/*
 * Merges the item at @place with @message. A message appended to another merges with it, so only the end of the frame and its length
 * change.
 */
static int frame_item_merge(FrameQueue *queue, FrameItem **place, const ProtobufCMessage *message) {
        const size_t n_more = protobuf_c_message_get_packed_size(message);
        const FrameItem *item = *place;
        uint8_t header[FRAME_HEADER_MAX];
        size_t n_header = 0, n_data, n_new;
        FrameItem *merged;

        while (item->data[n_header++] & 0x80)
                ;
        n_data = item->n_data - n_header;
        n_new = frame_header_write(header, n_data + n_more);
        merged = malloc(sizeof *merged + n_new + n_data + n_more);
        if (!merged)
                return error_origin(-ENOMEM);
        *merged = (FrameItem){ .next = item->next, .n_data = n_new + n_data + n_more };
        memcpy(merged->data, header, n_new);
        memcpy(merged->data + n_new, item->data + n_header, n_data);
        protobuf_c_message_pack(message, merged->data + n_new + n_data);
        queue->n_bytes += merged->n_data - item->n_data;
        if (queue->end == &(*place)->next)
                queue->end = &merged->next;
        frame_item_free(*place);
        *place = merged;
        return 0;
}

int frame_queue_release(FrameQueue *queue, uint64_t until, const ProtobufCMessage *const *if_lost) {
        for (FrameItem **place = &queue->first; *place; place = &(*place)->next) {
                const bool lost = if_lost && (*place)->ticket > until;

                if ((*place)->ticket > until && !lost)
                        continue;
                if (lost && if_lost[(*place)->kind] && frame_item_merge(queue, place, if_lost[(*place)->kind]))
                        return error_origin(-ENOMEM);
                (*place)->ticket = 0;
        }
        return 0;
}

bool frame_queue_is_held(const FrameQueue *queue) {
        return queue->first && queue->first->ticket > 0;
}

int frame_queue_send(FrameQueue *queue, int fd) {
        while (queue->first && !frame_queue_is_held(queue)) {
                int r = queue->first->files ? frame_item_send_bridged(queue->first, fd)
                                            : frame_item_send(queue->first, fd);

                if (r == SOCKET_E_AGAIN)
                        return FRAME_E_AGAIN;
                if (r == SOCKET_E_CLOSED)
                        return FRAME_E_CLOSED;
                if (r)
                        return error_fold(r);
                if (queue->first->n_sent == frame_item_size(queue->first))
                        frame_queue_drop_first(queue);
        }
        return 0;
}

size_t frame_queue_pending(const FrameQueue *queue) {
        return queue->n_bytes;
}
