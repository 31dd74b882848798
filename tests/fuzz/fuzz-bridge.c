/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The bytes that reach a bridge in pieces: the same frames come out, with the same files, as when they come at once. Each file is a
 * sealed memfd, numbers are within their limits, every byte is accounted for, and no descriptor stays open.
 *
 * The input is its seed, a byte, and the stream.
 */

#include <stdbool.h>

#include "fuzz.h"
#include "proto/bridge-reader.h"
#include "proto/bridge.h"
#include "proto/frame.h"
#include "util/cleanup.h"
#include "util/fd.h"

#define PIECE_MAX 199u

/* All frames so far: their number, and a sum over their bytes and those of their files. */
typedef struct Seen {
        size_t n_frames;
        uint64_t sum;
        size_t n_frame; /* bytes since the last frame */
        int end;        /* BRIDGE_E_AGAIN as long as more may come */
} Seen;

static void see_bytes(Seen *seen, const uint8_t *data, size_t n_data) {
        seen->sum = seen->sum * 31 + n_data;
        for (size_t i = 0; i < n_data; i++)
                seen->sum = seen->sum * 31 + data[i];
}

/* Returns the file's size. */
static size_t see_file(Seen *seen, int fd) {
        uint8_t data[4096];
        size_t size, n;

        HOLD(fd_check_sealed(fd, BRIDGE_FILE_MAX, &size) == 0 && size > 0);
        for (size_t at = 0; at < size; at += n) {
                HOLD(fd_read_at(fd, (off_t)at, data, sizeof data, &n) == 0 && n > 0);
                see_bytes(seen, data, n);
        }
        return size;
}

/* The length of @frame as its first bytes have it, and how many these are. */
static size_t frame_length(const BridgeFrame *frame, size_t *ret_n_header) {
        size_t length = 0, n = 0;

        do
                length |= (size_t)(frame->data[n] & 0x7f) << (7 * n);
        while (frame->data[n++] & 0x80);
        *ret_n_header = n;
        return length;
}

static void see_frame(Seen *seen, const BridgeFrame *frame) {
        size_t n_bytes = frame->n_data, n_header, n_head;

        HOLD(frame->n_fds <= BRIDGE_FILES_MAX && frame->n_data > 0);
        HOLD(frame_length(frame, &n_header) == frame->n_data - n_header);
        HOLD(n_header <= FRAME_HEADER_MAX && frame->n_data - n_header <= FRAME_REQUEST_MAX);
        see_bytes(seen, frame->data, frame->n_data);
        for (size_t i = 0; i < frame->n_fds; i++)
                n_bytes += see_file(seen, frame->fds[i]);
        HOLD(n_bytes < seen->n_frame);
        n_head = seen->n_frame - n_bytes;
        HOLD(n_head >= 1 + frame->n_fds && n_head <= (1 + frame->n_fds) * BRIDGE_VARINT_MAX);
        seen->n_frame = 0;
        seen->n_frames++;
}

static void feed(BridgeReader *reader, const uint8_t *data, size_t n_data, Seen *seen) {
        while (seen->end == BRIDGE_E_AGAIN && n_data > 0) {
                BridgeFrame frame;
                size_t n;
                int r;

                r = bridge_reader_feed(reader, data, n_data, &n, &frame);
                HOLD(r >= 0);
                if (r == 0 || r == BRIDGE_E_AGAIN) {
                        HOLD(n > 0 && n <= n_data && (r == 0 || n == n_data));
                        seen->n_frame += n;
                        data += n;
                        n_data -= n;
                } else
                        seen->end = r;
                if (r == 0)
                        see_frame(seen, &frame);
        }
}

static Seen read_in_pieces(const uint8_t *data, size_t n_data, uint64_t chance, size_t max) {
        _cleanup_(bridge_reader_freep) BridgeReader *reader = NULL;
        Seen seen = { .end = BRIDGE_E_AGAIN };

        HOLD(bridge_reader_new(&reader) == 0);
        for (size_t i = 0, n; i < n_data; i += n) {
                chance = chance * 6364136223846793005u + 1442695040888963407u;
                n = 1 + (chance >> 33) % max;
                n = n < n_data - i ? n : n_data - i;
                feed(reader, data + i, n, &seen);
        }
        return seen;
}

static Seen read_at_once(const uint8_t *data, size_t n_data) {
        _cleanup_(bridge_reader_freep) BridgeReader *reader = NULL;
        Seen seen = { .end = BRIDGE_E_AGAIN };

        HOLD(bridge_reader_new(&reader) == 0);
        feed(reader, data, n_data, &seen);
        return seen;
}

/* The number that the next descriptor gets, which tells of any that stays open. */
static int next_fd(void) {
        int fd = fcntl(0, F_DUPFD_CLOEXEC, 0);

        HOLD(fd >= 0);
        close(fd);
        return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        int next = next_fd();
        Seen at_once, in_pieces;
        uint8_t chance;

        if (n_data == 0)
                return 0;
        chance = *data++;
        n_data--;
        at_once = read_at_once(data, n_data);
        in_pieces = read_in_pieces(data, n_data, chance, chance & 1 ? PIECE_MAX : 3);
        HOLD(in_pieces.n_frames == at_once.n_frames && in_pieces.sum == at_once.sum);
        HOLD(in_pieces.end == at_once.end);
        HOLD(in_pieces.end != BRIDGE_E_AGAIN || in_pieces.n_frame == at_once.n_frame);
        HOLD(next_fd() == next);
        return 0;
}
