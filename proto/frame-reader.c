/* SPDX-License-Identifier: MIT */
#include "proto/frame-reader.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/error.h"
#include "util/fd.h"

#define FRAME_RECEIVE_MAX (16u << 10)
#define FRAME_BATCHES_MAX 2u /* of descriptors: of the frame that is incomplete, and of the bytes just read */

/* Descriptors that came with the bytes of the stream from @begin to before @end. */
typedef struct FrameBatch {
        uint64_t begin;
        uint64_t end;
        int fds[SOCKET_FDS_MAX];
        size_t n_fds;
} FrameBatch;

struct FrameReader {
        size_t max;
        uint8_t *data; /* what was fed and not popped, from @start to before @end */
        size_t start;
        size_t end;
        size_t n_allocated;
        uint64_t position; /* in the stream, of @start */
        FrameBatch batches[FRAME_BATCHES_MAX];
        size_t n_batches;
};

int frame_reader_new(size_t max, FrameReader **ret_reader) {
        FrameReader *reader;

        reader = calloc(1, sizeof *reader);
        if (!reader)
                return error_origin(-ENOMEM);
        reader->max = max;
        *ret_reader = reader;
        return 0;
}

FrameReader *frame_reader_free(FrameReader *reader) {
        if (!reader)
                return NULL;
        for (size_t i = 0; i < reader->n_batches; i++)
                fds_close_received(reader->batches[i].fds, reader->batches[i].n_fds);
        free(reader->data);
        free(reader);
        return NULL;
}

/* Makes room for @n more bytes; what was popped makes way first. */
static int frame_reader_reserve(FrameReader *reader, size_t n) {
        size_t n_data = reader->end - reader->start;
        size_t n_allocated;
        uint8_t *data;

        if (n_data > 0)
                memmove(reader->data, reader->data + reader->start, n_data);
        reader->start = 0;
        reader->end = n_data;
        if (n_data + n <= reader->n_allocated)
                return 0;

        n_allocated = n_data + n > 2 * reader->n_allocated ? n_data + n : 2 * reader->n_allocated;
        data = realloc(reader->data, n_allocated);
        if (!data)
                return error_origin(-ENOMEM);
        reader->data = data;
        reader->n_allocated = n_allocated;
        return 0;
}

static int frame_reader_keep_fds(FrameReader *reader, size_t n_data, const int *fds, size_t n_fds) {
        FrameBatch *batch;
        uint64_t end = reader->position + (reader->end - reader->start);

        if (reader->n_batches == FRAME_BATCHES_MAX || n_fds > SOCKET_FDS_MAX) {
                fds_close_received(fds, n_fds);
                return FRAME_E_MALFORMED;
        }
        batch = &reader->batches[reader->n_batches++];
        *batch = (FrameBatch){ .begin = end, .end = end + n_data, .n_fds = n_fds };
        memcpy(batch->fds, fds, n_fds * sizeof(int));
        return 0;
}

int frame_reader_feed(FrameReader *reader, const void *data, size_t n_data, const int *fds, size_t n_fds) {
        int r;

        if (n_fds > 0) {
                r = frame_reader_keep_fds(reader, n_data, fds, n_fds);
                if (r)
                        return r;
        }
        r = frame_reader_reserve(reader, n_data);
        if (r)
                return error_trace(r);
        memcpy(reader->data + reader->end, data, n_data);
        reader->end += n_data;
        return 0;
}

int frame_reader_receive(FrameReader *reader, int fd) {
        uint8_t data[FRAME_RECEIVE_MAX];
        int fds[SOCKET_FDS_MAX];
        size_t n_data, n_fds;
        int r;

        r = socket_receive(fd, data, sizeof data, &n_data, fds, &n_fds);
        if (r == SOCKET_E_AGAIN)
                return FRAME_E_AGAIN;
        if (r == SOCKET_E_CLOSED)
                return FRAME_E_CLOSED;
        if (r == SOCKET_E_TRUNCATED)
                return FRAME_E_MALFORMED;
        if (r)
                return error_fold(r);
        return frame_reader_feed(reader, data, n_data, fds, n_fds);
}

/* Reads the length at the reader's start. Returns 0, E_AGAIN, or E_MALFORMED. */
static int frame_reader_header(const FrameReader *reader, size_t *ret_n_header, size_t *ret_n_data) {
        size_t n_data = 0;

        for (size_t i = 0; i < FRAME_HEADER_MAX; i++) {
                uint8_t byte;

                if (reader->start + i == reader->end)
                        return FRAME_E_AGAIN;
                byte = reader->data[reader->start + i];
                n_data |= (size_t)(byte & 0x7f) << (7 * i);
                if (byte & 0x80)
                        continue;
                if (n_data > reader->max)
                        return FRAME_E_MALFORMED;
                *ret_n_header = i + 1;
                *ret_n_data = n_data;
                return 0;
        }
        return FRAME_E_MALFORMED;
}

/* Gives @frame, the bytes of the stream from @begin to before @end, the descriptors that are its own. */
static int frame_reader_assign_fds(FrameReader *reader, uint64_t begin, uint64_t end, Frame *frame) {
        FrameBatch *batch = &reader->batches[0];

        if (reader->n_batches == 0 || begin < batch->begin)
                return reader->n_batches > 0 && end >= batch->end ? FRAME_E_MALFORMED : 0;
        if (end < batch->end)
                return 0;

        memcpy(frame->fds, batch->fds, batch->n_fds * sizeof(int));
        frame->n_fds = batch->n_fds;
        reader->n_batches--;
        memmove(batch, batch + 1, reader->n_batches * sizeof *batch);
        if (reader->n_batches > 0 && end >= batch->end) {
                frame_close(frame);
                return FRAME_E_MALFORMED;
        }
        return 0;
}

static void frame_reader_release(FrameReader *reader) {
        if (reader->start < reader->end)
                return;
        reader->data = (free(reader->data), NULL);
        reader->start = reader->end = reader->n_allocated = 0;
}

int frame_reader_pop(FrameReader *reader, Frame *ret_frame) {
        Frame frame = {};
        size_t n_header, n_whole;
        int r;

        r = frame_reader_header(reader, &n_header, &frame.n_data);
        n_whole = r ? 0 : n_header + frame.n_data;
        if (r == 0 && reader->end - reader->start < n_whole)
                r = FRAME_E_AGAIN;
        if (r == FRAME_E_AGAIN)
                frame_reader_release(reader);
        if (r)
                return r;

        r = frame_reader_assign_fds(reader, reader->position, reader->position + n_whole, &frame);
        if (r)
                return r;
        frame.data = reader->data + reader->start + n_header;
        reader->start += n_whole;
        reader->position += n_whole;
        *ret_frame = frame;
        return 0;
}

size_t frame_reader_pending(const FrameReader *reader) {
        return reader->end - reader->start;
}
