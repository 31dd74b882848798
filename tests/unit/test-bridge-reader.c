/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The two ends of a bridge's wire: the files of a frame arrive as sealed memfds, however the stream is cut; each number that is beyond
 * its limit ends the stream at once; announced bytes take no memory.
 */

#include "proto/bridge-reader.h"

#include "pair.h"
#include "proto/benchd.pb-c.h"
#include "proto/bridge.h"
#include "proto/frame-queue.h"
#include "proto/frame.h"

#define STREAM_MAX (1u << 20)

static BridgeReader *new_reader(void) {
        BridgeReader *reader;

        assert_int_equal(bridge_reader_new(&reader), 0);
        return reader;
}

/* Byte @i of the file @number. */
static uint8_t file_byte(unsigned number, size_t i) {
        return (uint8_t)(number * 37 + i * 11 + (i >> 8));
}

static void check_file(int fd, unsigned number, size_t n) {
        uint8_t *bytes = malloc(n);
        size_t size, n_read;

        assert_non_null(bytes);
        assert_int_equal(fd_check_sealed(fd, BRIDGE_FILE_MAX, &size), 0);
        assert_int_equal(size, n);
        assert_int_equal(fd_read_start(fd, bytes, n, &n_read), 0);
        assert_int_equal(n_read, n);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(bytes[i], file_byte(number, i));
        free(bytes);
}

/* ---- a stream as bytes */

typedef struct Stream {
        uint8_t *data;
        size_t n;
} Stream;

static void add_number(Stream *stream, size_t number) {
        for (; number >= 0x80; number >>= 7)
                stream->data[stream->n++] = number | 0x80;
        stream->data[stream->n++] = number;
}

static size_t size_of_file(unsigned frame, size_t file) {
        return 1 + (frame * 131 + file * 17) % 900;
}

/* A frame of @n_data bytes with @n_files files. */
static void add_frame(Stream *stream, unsigned frame, size_t n_files, size_t n_data) {
        add_number(stream, n_files);
        for (size_t i = 0; i < n_files; i++)
                add_number(stream, size_of_file(frame, i));
        for (size_t i = 0; i < n_files; i++)
                for (size_t k = 0; k < size_of_file(frame, i); k++)
                        stream->data[stream->n++] = file_byte(frame + i, k);
        add_number(stream, n_data);
        memset(stream->data + stream->n, 'a' + frame % 26, n_data);
        stream->n += n_data;
}

static void check_frame(const BridgeFrame *bridged, unsigned frame, size_t n_files, size_t n_data) {
        const size_t n_header = n_data < 0x80 ? 1 : n_data < 0x4000 ? 2 : 3;

        assert_int_equal(bridged->n_data, n_header + n_data);
        for (size_t i = 0; i < n_data; i++)
                assert_int_equal(bridged->data[n_header + i], 'a' + frame % 26);
        assert_int_equal(bridged->n_fds, n_files);
        for (size_t i = 0; i < n_files; i++)
                check_file(bridged->fds[i], frame + i, size_of_file(frame, i));
}

static const struct {
        size_t n_files, n_data;
} frames[] = { { 0, 19 }, { 1, 100 }, { 32, 5 }, { 0, 0 }, { 2, FRAME_REQUEST_MAX }, { 1, 0 }, { 0, 200 }, { 32, 1 } };

/* Feeds the stream @most bytes at a time, 0: as many as chance will, and checks all frames. */
static void feed_in_pieces(const Stream *stream, size_t most) {
        _cleanup_(bridge_reader_freep) BridgeReader *reader = new_reader();
        unsigned n_frames = 0;

        for (size_t at = 0; at < stream->n;) {
                size_t n = most ? most : 1 + (size_t)rand() % 5000;
                size_t n_taken;
                BridgeFrame frame;
                int r;

                n = n < stream->n - at ? n : stream->n - at;
                r = bridge_reader_feed(reader, stream->data + at, n, &n_taken, &frame);
                assert_true(r == 0 || (r == BRIDGE_E_AGAIN && n_taken == n));
                at += n_taken;
                if (r == 0) {
                        check_frame(&frame, n_frames, frames[n_frames].n_files, frames[n_frames].n_data);
                        n_frames++;
                }
        }
        assert_int_equal(n_frames, N_ELEMENTS(frames));
}

TEST(a_stream_cut_anywhere_gives_the_same_frames_and_files) {
        const size_t n_open = open_fds();
        Stream stream = { .data = malloc(STREAM_MAX) };

        seed_random();
        assert_non_null(stream.data);
        for (size_t i = 0; i < N_ELEMENTS(frames); i++)
                add_frame(&stream, i, frames[i].n_files, frames[i].n_data);
        feed_in_pieces(&stream, 1);
        feed_in_pieces(&stream, STREAM_MAX);
        for (int trial = 0; trial < 20; trial++)
                feed_in_pieces(&stream, 0);
        free(stream.data);
        assert_int_equal(open_fds(), n_open);
}

/* Feeds byte by byte, as nothing is known of the next: the last byte decides. */
static int feed_bytes(BridgeReader *reader, const uint8_t *bytes, size_t n) {
        BridgeFrame frame;
        size_t n_taken;
        int r = BRIDGE_E_AGAIN;

        for (size_t i = 0; i < n; i++) {
                assert_int_equal(r, BRIDGE_E_AGAIN);
                r = bridge_reader_feed(reader, bytes + i, 1, &n_taken, &frame);
        }
        return r;
}

TEST(a_number_beyond_its_limit_is_refused_with_its_last_byte) {
        static const struct {
                uint8_t bytes[8];
                size_t n;
                int r;
        } cases[] = {
                { { 32 }, 1, BRIDGE_E_AGAIN }, { { 33 }, 1, BRIDGE_E_FILES },
                { { 0xff, 0xff, 0xff, 0x7f }, 4, BRIDGE_E_FILES }, { { 0x80, 0x80, 0x80, 0x80 }, 4, BRIDGE_E_NUMBER },
                { { 1, 0 }, 2, BRIDGE_E_EMPTY }, { { 2, 5, 0 }, 3, BRIDGE_E_EMPTY },
                { { 1, 0x80, 0x80, 0x80, 0x20 }, 5, BRIDGE_E_AGAIN }, /* 64 MiB */
                { { 1, 0x81, 0x80, 0x80, 0x20 }, 5, BRIDGE_E_FILE },  /* ... and a byte */
                { { 1, 0xff, 0xff, 0xff, 0x7f }, 5, BRIDGE_E_FILE },
                { { 1, 0xff, 0xff, 0xff, 0xff }, 5, BRIDGE_E_NUMBER },
                { { 0, 0x80, 0x80, 0x04 }, 4, BRIDGE_E_AGAIN }, /* 64 KiB */
                { { 0, 0x81, 0x80, 0x04 }, 4, BRIDGE_E_FRAME }, /* ... and a byte */
                { { 0, 0xff, 0xff, 0xff, 0x7f }, 5, BRIDGE_E_FRAME },
                { { 0, 0xff, 0xff, 0xff, 0xff }, 5, BRIDGE_E_NUMBER }, { { 0, 0 }, 2, 0 },
                { { 0x80, 0, 0 }, 3, 0 }, /* longer than need be, and yet a number */
        };
        const size_t n_open = open_fds();

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                _cleanup_(bridge_reader_freep) BridgeReader *reader = new_reader();

                print_message("case %zu\n", i);
                assert_int_equal(feed_bytes(reader, cases[i].bytes, cases[i].n), cases[i].r);
        }
        assert_int_equal(open_fds(), n_open);
}

/* The memory of all memfds of this process is that of the one that is open. */
static size_t memory_of(int fd) {
        struct stat status;

        assert_int_equal(fstat(fd, &status), 0);
        return (size_t)status.st_blocks * 512;
}

TEST(memory_is_taken_only_for_bytes_that_came) {
        _cleanup_(bridge_reader_freep) BridgeReader *reader = new_reader();
        const uint8_t head[] = { 2, 0x80, 0x80, 0x80, 0x20, 0x80, 0x80, 0x80, 0x20 };
        const size_t n_open = open_fds();
        uint8_t bytes[5000] = {};
        BridgeFrame frame;
        size_t n_taken;
        int next;

        next = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3); /* the reader's file will have this number */
        assert_true(next > 0);
        fd_close(next);
        assert_int_equal(feed_bytes(reader, head, sizeof head), BRIDGE_E_AGAIN);
        assert_int_equal(open_fds(), n_open + 1); /* the second file is not begun */
        assert_int_equal(memory_of(next), 0);
        assert_int_equal(bridge_reader_feed(reader, bytes, sizeof bytes, &n_taken, &frame), BRIDGE_E_AGAIN);
        assert_int_equal(n_taken, sizeof bytes);
        assert_in_range(memory_of(next), sizeof bytes, sizeof bytes + 3 * 4096);
        reader = bridge_reader_free(reader);
        assert_int_equal(open_fds(), n_open);
}

TEST(the_descriptors_are_the_reader_s_until_it_is_fed_again) {
        _cleanup_(bridge_reader_freep) BridgeReader *reader = new_reader();
        const uint8_t first[] = { 2, 1, 1, 'x', 'y', 0 }, second[] = { 0 };
        const size_t n_open = open_fds();
        BridgeFrame frame;
        size_t n_taken;

        assert_int_equal(bridge_reader_feed(reader, first, sizeof first, &n_taken, &frame), 0);
        assert_int_equal(frame.n_fds, 2);
        assert_int_equal(open_fds(), n_open + 2);
        assert_int_equal(bridge_reader_feed(reader, second, sizeof second, &n_taken, &frame), BRIDGE_E_AGAIN);
        assert_int_equal(open_fds(), n_open);
}

TEST(bytes_behind_a_frame_are_left) {
        _cleanup_(bridge_reader_freep) BridgeReader *reader = new_reader();
        const uint8_t bytes[] = { 0, 2, 'a', 'b', 0, 1, 'c' };
        BridgeFrame frame;
        size_t n_taken;

        assert_int_equal(bridge_reader_feed(reader, bytes, sizeof bytes, &n_taken, &frame), 0);
        assert_int_equal(n_taken, 4);
        assert_memory_equal(frame.data, bytes + 1, 3);
        assert_int_equal(bridge_reader_feed(reader, bytes + 4, sizeof bytes - 4, &n_taken, &frame), 0);
        assert_int_equal(n_taken, 3);
        assert_memory_equal(frame.data, bytes + 5, 2);
}

/* ---- both ends */

static int new_file(unsigned number, size_t n) {
        uint8_t *bytes = malloc(n);
        int fd;

        assert_non_null(bytes);
        for (size_t i = 0; i < n; i++)
                bytes[i] = file_byte(number, i);
        assert_int_equal(fd_memfd_sealed("x", bytes, n, &fd), 0);
        free(bytes);
        return fd;
}

static int push(FrameQueue *queue, unsigned i, const int *fds, size_t n_fds) {
        Benchd__Request request = BENCHD__REQUEST__INIT;

        request.has_id = true;
        request.id = i;
        return frame_queue_push(queue, &request.base, FRAME_REQUEST_MAX, fds, n_fds);
}

typedef struct Sent {
        size_t n_files;
        size_t sizes[SOCKET_FDS_MAX];
} Sent;

static void push_files(FrameQueue *queue, unsigned i, Sent *sent) {
        int fds[SOCKET_FDS_MAX];

        sent->n_files = i % 5 == 0 ? SOCKET_FDS_MAX : (size_t)rand() % 3;
        for (size_t k = 0; k < sent->n_files; k++) {
                sent->sizes[k] = 1 + rand() % (i % 7 == 1 ? 300000 : 2000);
                fds[k] = new_file(i + k, sent->sizes[k]);
        }
        assert_int_equal(push(queue, i, fds, sent->n_files), 0);
        for (size_t k = 0; k < sent->n_files; k++)
                fd_close(fds[k]);
}

static void check_sent(const BridgeFrame *frame, unsigned i, const Sent *sent) {
        Benchd__Request *request = benchd__request__unpack(NULL, frame->n_data - 1, frame->data + 1);

        assert_non_null(request);
        assert_int_equal(request->id, i);
        benchd__request__free_unpacked(request, NULL);
        assert_int_equal(frame->n_fds, sent->n_files);
        for (size_t k = 0; k < sent->n_files; k++)
                check_file(frame->fds[k], i + k, sent->sizes[k]);
}

/* Takes some of what waits in the socket, and checks the frames that it completes. */
static void receive(BridgeReader *reader, int fd, const Sent *sent, unsigned *n_received) {
        uint8_t data[3000];
        const ssize_t n = read(fd, data, 1 + rand() % sizeof data);

        for (size_t at = 0, n_taken; n > 0 && at < (size_t)n; at += n_taken) {
                BridgeFrame frame;
                int r;

                r = bridge_reader_feed(reader, data + at, n - at, &n_taken, &frame);
                assert_in_range(r, 0, BRIDGE_E_AGAIN);
                if (r == 0) {
                        check_sent(&frame, *n_received, &sent[*n_received]);
                        ++*n_received;
                }
        }
}

TEST(what_a_bridged_queue_sends_is_what_the_reader_reads) {
        _cleanup_(bridge_reader_freep) BridgeReader *reader = new_reader();
        const size_t n_open = open_fds();
        FrameQueue *queue;
        Pair pair = pair_new(SOCK_STREAM);
        unsigned n_received = 0;
        Sent sent[30];
        int r;

        seed_random();
        assert_int_equal(setsockopt(pair.here, SOL_SOCKET, SO_SNDBUF, &(int){ 1 }, sizeof(int)), 0);
        assert_int_equal(frame_queue_new(FRAME_QUEUE_MAX, &queue), 0);
        frame_queue_set_bridged(queue);
        for (unsigned i = 0; i < N_ELEMENTS(sent); i++)
                push_files(queue, i, &sent[i]);
        do {
                r = frame_queue_send(queue, pair.here);
                assert_true(r == 0 || r == FRAME_E_AGAIN);
                receive(reader, pair.there, sent, &n_received);
        } while (r == FRAME_E_AGAIN);
        while (n_received < N_ELEMENTS(sent))
                receive(reader, pair.there, sent, &n_received);
        assert_int_equal(frame_queue_pending(queue), 0);
        frame_queue_free(queue);
        reader = bridge_reader_free(reader);
        pair_close(&pair);
        assert_int_equal(open_fds(), n_open);
}

TEST(a_file_that_the_far_end_would_refuse_is_not_queued) {
        _cleanup_(frame_queue_freep) FrameQueue *queue = NULL;
        _cleanup_(fd_closep) int fd = memfd_create("x", MFD_CLOEXEC);
        const size_t n_open = open_fds();

        assert_int_equal(frame_queue_new(FRAME_QUEUE_MAX, &queue), 0);
        frame_queue_set_bridged(queue);
        assert_int_equal(ftruncate(fd, BRIDGE_FILE_MAX + 1), 0);
        assert_int_equal(push(queue, 1, &fd, 1), FRAME_E_TOO_LARGE);
        assert_int_equal(frame_queue_pending(queue), 0);
        assert_int_equal(ftruncate(fd, BRIDGE_FILE_MAX), 0);
        assert_int_equal(push(queue, 1, &fd, 1), 0);
        assert_int_equal(open_fds(), n_open + 1);
        frame_queue_clear(queue);
        assert_int_equal(open_fds(), n_open);
}

/* A file of somebody else's who cuts it: the stream cannot be gone on with, and nobody is sent other bytes. */
TEST(a_file_that_became_shorter_ends_the_sending) {
        _cleanup_(frame_queue_freep) FrameQueue *queue = NULL;
        _cleanup_(fd_closep) int fd = memfd_create("x", MFD_CLOEXEC);
        Pair pair = pair_new(SOCK_STREAM);

        assert_int_equal(frame_queue_new(FRAME_QUEUE_MAX, &queue), 0);
        frame_queue_set_bridged(queue);
        assert_int_equal(ftruncate(fd, 4096), 0);
        assert_int_equal(push(queue, 1, &fd, 1), 0);
        assert_int_equal(ftruncate(fd, 10), 0);
        assert_int_equal(frame_queue_send(queue, pair.here), -EIO);
        pair_close(&pair);
}
