/* SPDX-License-Identifier: MIT */
#include "proto/frame-reader.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/error.h"
#include "util/fd.h"

/* Descriptors that came with the bytes of the stream from @begin to before @end, where @end is not 0. */
typedef struct FrameBatch {
        uint64_t begin;
        uint64_t end;
        int fds[SOCKET_FDS_MAX];
        size_t n_fds;
        bool lost;
} FrameBatch;

struct FrameReader {
        size_t max;
        uint8_t *data; /* what was fed and not popped, from @start to before @end */
        size_t start;
        size_t end;
        size_t n_allocated;
        uint64_t position; /* in the stream, of @start */
        FrameBatch batch;  /* of one frame, which is incomplete or not popped yet */
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
        fds_close_received(reader->batch.fds, reader->batch.n_fds);
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

size_t frame_reader_wants(const FrameReader *reader) {
        const size_t n_data = reader->end - reader->start;
        size_t n_header, n_frame;

        if (!reader->batch.end)
                return FRAME_RECEIVE_MAX;
        if (frame_reader_header(reader, &n_header, &n_frame) != 0)
                return 1; /* of a header that is cut */
        if (n_header + n_frame <= n_data)
                return FRAME_RECEIVE_MAX;
        n_frame += n_header - n_data;
        return n_frame < FRAME_RECEIVE_MAX ? n_frame : FRAME_RECEIVE_MAX;
}

static int frame_reader_append(FrameReader *reader, const void *data, size_t n_data) {
        int r;

        r = frame_reader_reserve(reader, n_data);
        if (r)
                return error_trace(r);
        memcpy(reader->data + reader->end, data, n_data);
        reader->end += n_data;
        return 0;
}

/* Notes that descriptors come with the next @n_data bytes. */
static int frame_reader_begin_batch(FrameReader *reader, size_t n_data) {
        const uint64_t begin = reader->position + (reader->end - reader->start);

        if (reader->batch.end)
                return FRAME_E_MALFORMED;
        reader->batch = (FrameBatch){ .begin = begin, .end = begin + n_data };
        return 0;
}

int frame_reader_feed(FrameReader *reader, const void *data, size_t n_data, const int *fds, size_t n_fds) {
        if (n_fds == 0)
                return frame_reader_append(reader, data, n_data);
        if (n_fds > SOCKET_FDS_MAX || frame_reader_begin_batch(reader, n_data) != 0) {
                fds_close_received(fds, n_fds);
                return FRAME_E_MALFORMED;
        }
        memcpy(reader->batch.fds, fds, n_fds * sizeof(int));
        reader->batch.n_fds = n_fds;
        return frame_reader_append(reader, data, n_data);
}

int frame_reader_feed_lost(FrameReader *reader, const void *data, size_t n_data) {
        int r;

        r = frame_reader_begin_batch(reader, n_data);
        if (r)
                return r;
        reader->batch.lost = true;
        return frame_reader_append(reader, data, n_data);
}

int frame_reader_receive(FrameReader *reader, int fd) {
        uint8_t data[FRAME_RECEIVE_MAX];
        int fds[SOCKET_FDS_MAX];
        size_t n_data, n_fds;
        int r;

        r = socket_receive(fd, data, frame_reader_wants(reader), &n_data, fds, &n_fds);
        if (r == SOCKET_E_AGAIN)
                return FRAME_E_AGAIN;
        if (r == SOCKET_E_CLOSED)
                return FRAME_E_CLOSED;
        if (r == SOCKET_E_FDS_LOST)
                return FRAME_E_MALFORMED;
        if (r)
                return error_fold(r);
        return frame_reader_feed(reader, data, n_data, fds, n_fds);
}

/* Gives @frame, the bytes of the stream from @begin to before @end, the descriptors that are its own. */
static int frame_reader_assign_fds(FrameReader *reader, uint64_t begin, uint64_t end, Frame *frame) {
        FrameBatch *batch = &reader->batch;

        if (!batch->end || end < batch->end)
                return 0;
        if (begin < batch->begin)
                return FRAME_E_MALFORMED;
        memcpy(frame->fds, batch->fds, batch->n_fds * sizeof(int));
        frame->n_fds = batch->n_fds;
        frame->lost = batch->lost;
        *batch = (FrameBatch){};
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

size_t frame_reader_take_fds(FrameReader *reader, int fds[static SOCKET_FDS_MAX]) {
        const size_t n = reader->batch.n_fds;

        memcpy(fds, reader->batch.fds, n * sizeof *fds);
        reader->batch.n_fds = 0;
        return n;
}

size_t frame_reader_pending(const FrameReader *reader) {
        return reader->end - reader->start;
}
