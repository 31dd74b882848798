/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A stream that comes over a socket in pieces, some with descriptors: it has the same frames, and ends in the same way, as when it
 * comes at once, and no descriptor stays open.
 *
 * The input is its seed, a byte, and the stream.
 */

#include <sys/socket.h>

#include "fuzz.h"
#include "proto/frame-reader.h"
#include "util/cleanup.h"
#include "util/fd.h"

#define PIECE_MAX 199u

/* All frames so far: their number, and a sum over their bytes. */
typedef struct Seen {
        size_t n_frames;
        uint64_t sum;
        int end; /* FRAME_E_AGAIN as long as more may come */
} Seen;

static void take_frames(FrameReader *reader, Seen *seen) {
        Frame frame;

        while (seen->end == FRAME_E_AGAIN && (seen->end = frame_reader_pop(reader, &frame)) == 0) {
                seen->n_frames++;
                seen->sum = seen->sum * 31 + frame.n_data;
                for (size_t i = 0; i < frame.n_data; i++)
                        seen->sum = seen->sum * 31 + frame.data[i];
                frame_close(&frame);
                seen->end = FRAME_E_AGAIN;
        }
}

static Seen read_at_once(const uint8_t *data, size_t n_data) {
        _cleanup_(frame_reader_freep) FrameReader *reader = NULL;
        Seen seen = { .end = FRAME_E_AGAIN };

        HOLD(frame_reader_new(FRAME_REQUEST_MAX, &reader) == 0);
        if (n_data > 0)
                HOLD(frame_reader_feed(reader, data, n_data, NULL, 0) == 0);
        take_frames(reader, &seen);
        return seen;
}

/* Writes a piece with @n_fds descriptors. */
static void send_piece(int fd, const uint8_t *data, size_t n_data, size_t n_fds) {
        union {
                struct cmsghdr head;
                char room[CMSG_SPACE(8 * sizeof(int))];
        } control = {};
        struct iovec piece = { (void *)data, n_data };
        struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };

        if (n_fds > 0) {
                control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
                        .cmsg_type = SCM_RIGHTS,
                        .cmsg_len = CMSG_LEN(n_fds * sizeof(int)) };
                for (size_t i = 0; i < n_fds; i++)
                        memcpy(CMSG_DATA(&control.head) + i * sizeof(int), &fd, sizeof fd);
                message.msg_control = &control;
                message.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
        }
        HOLD(sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)n_data);
}

/* @with_fds: some pieces have descriptors, and a reader may refuse them where they belong to no frame. */
static Seen read_in_pieces(const int pair[2], const uint8_t *data, size_t n_data, uint64_t chance, bool with_fds) {
        _cleanup_(frame_reader_freep) FrameReader *reader = NULL;
        Seen seen = { .end = FRAME_E_AGAIN };
        size_t n;
        int r;

        HOLD(frame_reader_new(FRAME_REQUEST_MAX, &reader) == 0);
        for (size_t i = 0; seen.end == FRAME_E_AGAIN && i < n_data; i += n) {
                chance = chance * 6364136223846793005u + 1442695040888963407u;
                n = 1 + (chance >> 33) % PIECE_MAX;
                n = n < n_data - i ? n : n_data - i;
                send_piece(pair[0], data + i, n, with_fds && (chance >> 60) == 0 ? 1 + (chance >> 50) % 8 : 0);
                r = frame_reader_receive(reader, pair[1]);
                if (r == 0)
                        take_frames(reader, &seen);
                else
                        seen.end = r;
        }
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
        int pair[2], next = next_fd();
        Seen at_once, in_pieces;
        uint8_t chance;

        if (n_data == 0)
                return 0;
        chance = *data++;
        n_data--;
        HOLD(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
        at_once = read_at_once(data, n_data);
        in_pieces = read_in_pieces(pair, data, n_data, chance, chance & 1);
        HOLD(in_pieces.n_frames <= at_once.n_frames);
        if (!(chance & 1)) {
                HOLD(in_pieces.n_frames == at_once.n_frames && in_pieces.sum == at_once.sum);
                HOLD(in_pieces.end == at_once.end);
        }
        close(pair[0]);
        close(pair[1]);
        HOLD(next_fd() == next);
        return 0;
}
