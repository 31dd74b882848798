/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Frames: whatever way the stream is cut, the same messages come out; descriptors reach the frame that they were sent
 * with; what a peer may not send is refused; what a peer does not read is bounded.
 */

#include "proto/frame.h"

#include "proto/benchd.pb-c.h"
#include "proto/frame-queue.h"
#include "proto/frame-reader.h"
#include "test.h"

static FrameReader *new_reader(size_t max) {
        FrameReader *reader;

        assert_int_equal(frame_reader_new(max, &reader), 0);
        return reader;
}

static FrameQueue *new_queue(size_t max) {
        FrameQueue *queue;

        assert_int_equal(frame_queue_new(max, &queue), 0);
        return queue;
}

static void fill_name(char *name, size_t n, unsigned i) {
        memset(name, 'a' + i % 26, n);
        name[n] = 0;
}

/* Pushes a request with a name of @n bytes, and descriptors. */
static int push(FrameQueue *queue, unsigned i, size_t n, const int *fds, size_t n_fds) {
        static char name[FRAME_REQUEST_MAX + 1];
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__HelloRequest hello = BENCHD__HELLO_REQUEST__INIT;

        fill_name(name, n, i);
        hello.client = name;
        request.hello = &hello;
        return frame_queue_push(queue, &request.base, FRAME_REQUEST_MAX, fds, n_fds);
}

static void check_frame(const Frame *frame, unsigned i, size_t n) {
        static char name[FRAME_REQUEST_MAX + 1];
        Benchd__Request *request = benchd__request__unpack(NULL, frame->n_data, frame->data);

        assert_non_null(request);
        fill_name(name, n, i);
        assert_string_equal(request->hello->client, name);
        benchd__request__free_unpacked(request, NULL);
}

static size_t write_stream(uint8_t *stream, size_t *lengths, unsigned n) {
        size_t at = 0;

        for (unsigned i = 0; i < n; i++) {
                char name[600];
                Benchd__Request request = BENCHD__REQUEST__INIT;
                Benchd__HelloRequest hello = BENCHD__HELLO_REQUEST__INIT;
                size_t n_packed;

                lengths[i] = rand() % 500;
                fill_name(name, lengths[i], i);
                hello.client = name;
                request.hello = &hello;
                n_packed = benchd__request__get_packed_size(&request);
                if (n_packed >= 0x80)
                        stream[at++] = n_packed | 0x80;
                stream[at++] = n_packed >= 0x80 ? n_packed >> 7 : n_packed;
                at += benchd__request__pack(&request, stream + at);
        }
        return at;
}

TEST(a_stream_cut_anywhere_gives_the_same_messages) {
        static uint8_t stream[200 * 600];
        size_t lengths[200];

        seed_random();
        for (int trial = 0; trial < 50; trial++) {
                _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
                size_t n_stream = write_stream(stream, lengths, N_ELEMENTS(lengths));
                unsigned n_popped = 0;
                Frame frame;

                for (size_t at = 0, n; at < n_stream; at += n) {
                        n = 1 + rand() % (trial % 2 ? 7 : 3000);
                        n = n < n_stream - at ? n : n_stream - at;
                        assert_int_equal(frame_reader_feed(reader, stream + at, n, NULL, 0), 0);
                        for (; frame_reader_pop(reader, &frame) == 0; n_popped++)
                                check_frame(&frame, n_popped, lengths[n_popped]);
                }
                assert_int_equal(n_popped, N_ELEMENTS(lengths));
                assert_int_equal(frame_reader_pending(reader), 0);
        }
}

static ino_t inode_of(int fd) {
        struct stat status;

        assert_int_equal(fstat(fd, &status), 0);
        return status.st_ino;
}

TEST(descriptors_reach_the_frame_they_were_sent_with) {
        _cleanup_(frame_queue_freep) FrameQueue *queue = new_queue(FRAME_QUEUE_MAX);
        _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
        ino_t inodes[200][3] = {};
        size_t n_fds[200], lengths[200];
        unsigned n_popped = 0;
        int sockets[2], r;

        seed_random();
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
        for (unsigned i = 0; i < N_ELEMENTS(lengths); i++) {
                int fds[3];

                lengths[i] = rand() % 4 ? rand() % 100 : rand() % 40000;
                n_fds[i] = rand() % 3 ? 0 : 1 + rand() % 3;
                for (size_t j = 0; j < n_fds[i]; j++) {
                        assert_int_equal(fd_memfd_sealed("x", &i, sizeof i, &fds[j]), 0);
                        inodes[i][j] = inode_of(fds[j]);
                }
                assert_int_equal(push(queue, i, lengths[i], fds, n_fds[i]), 0);
                for (size_t j = 0; j < n_fds[i]; j++)
                        fd_close(fds[j]);
        }

        do {
                Frame frame;

                r = frame_queue_send(queue, sockets[0]);
                assert_true(r == 0 || r == FRAME_E_AGAIN);
                while (frame_reader_receive(reader, sockets[1]) == 0) {
                        for (; frame_reader_pop(reader, &frame) == 0; n_popped++) {
                                check_frame(&frame, n_popped, lengths[n_popped]);
                                assert_int_equal(frame.n_fds, n_fds[n_popped]);
                                for (size_t j = 0; j < frame.n_fds; j++)
                                        assert_int_equal(inode_of(frame.fds[j]), inodes[n_popped][j]);
                                frame_close(&frame);
                        }
                }
        } while (r == FRAME_E_AGAIN);
        assert_int_equal(n_popped, N_ELEMENTS(lengths));
        assert_int_equal(frame_queue_pending(queue), 0);
        fd_close(sockets[0]);
        fd_close(sockets[1]);
}

TEST(a_length_beyond_the_limit_is_malformed) {
        static const struct {
                uint8_t bytes[5];
                size_t n;
                int r;
        } cases[] = {
                { { 0x80, 0x80, 0x04 }, 3, FRAME_E_AGAIN },     /* 65536: as long as may be */
                { { 0x81, 0x80, 0x04 }, 3, FRAME_E_MALFORMED }, /* 65537 */
                { { 0xff, 0xff, 0xff, 0x7f }, 4, FRAME_E_MALFORMED },
                { { 0x80, 0x80, 0x80, 0x80 }, 4, FRAME_E_MALFORMED }, /* a length of more than four bytes */
                { { 0x80, 0x80, 0x80 }, 3, FRAME_E_AGAIN },
                { { 0x00 }, 1, 0 },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
                Frame frame;

                assert_int_equal(frame_reader_feed(reader, cases[i].bytes, cases[i].n, NULL, 0), 0);
                assert_int_equal(frame_reader_pop(reader, &frame), cases[i].r);
        }
}

TEST(descriptors_that_belong_to_no_frame_are_malformed_and_closed) {
        _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        Frame frame;

        assert_int_equal(frame_reader_feed(reader, (uint8_t[]){ 4, 1 }, 2, NULL, 0), 0);
        assert_int_equal(frame_reader_pop(reader, &frame), FRAME_E_AGAIN);
        assert_int_equal(frame_reader_feed(reader, (uint8_t[]){ 1, 1, 1 }, 3, &fd, 1), 0);
        assert_int_equal(frame_reader_pop(reader, &frame), FRAME_E_MALFORMED);
        reader = frame_reader_free(reader);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
}

TEST(a_frame_has_the_descriptors_of_one_sending) {
        _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
        int fds[] = { open("/dev/null", O_RDONLY | O_CLOEXEC), open("/dev/null", O_RDONLY | O_CLOEXEC) };

        assert_int_equal(frame_reader_wants(reader), FRAME_RECEIVE_MAX);
        assert_int_equal(frame_reader_feed(reader, (uint8_t[]){ 0x84 }, 1, &fds[0], 1), 0);
        assert_int_equal(frame_reader_wants(reader), 1); /* its length is not known yet */
        assert_int_equal(frame_reader_feed(reader, (uint8_t[]){ 0x01 }, 1, NULL, 0), 0);
        assert_int_equal(frame_reader_wants(reader), 132);
        assert_int_equal(frame_reader_feed(reader, (uint8_t[]){ 1 }, 1, &fds[1], 1), FRAME_E_MALFORMED);
        assert_int_equal(fcntl(fds[1], F_GETFD), -1);
        reader = frame_reader_free(reader);
        assert_int_equal(fcntl(fds[0], F_GETFD), -1);
}

TEST(a_frame_whose_descriptors_found_no_room_says_so) {
        _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
        Frame frame;

        assert_int_equal(frame_reader_feed(reader, (uint8_t[]){ 1, 7 }, 2, NULL, 0), 0);
        assert_int_equal(frame_reader_pop(reader, &frame), 0);
        assert_false(frame.lost);
        assert_int_equal(frame_reader_feed_lost(reader, (uint8_t[]){ 2, 7 }, 2), 0);
        assert_int_equal(frame_reader_pop(reader, &frame), FRAME_E_AGAIN);
        assert_int_equal(frame_reader_feed(reader, (uint8_t[]){ 7, 1, 7 }, 3, NULL, 0), 0);
        assert_int_equal(frame_reader_pop(reader, &frame), 0);
        assert_true(frame.lost);
        assert_int_equal(frame.n_fds, 0);
        assert_int_equal(frame_reader_pop(reader, &frame), 0);
        assert_false(frame.lost);
}

TEST(a_peer_that_does_not_read_is_bounded) {
        _cleanup_(frame_queue_freep) FrameQueue *queue = new_queue(100000);
        size_t n = 0;
        int r;

        while ((r = push(queue, n, 1000, NULL, 0)) == 0)
                n++;
        assert_int_equal(r, FRAME_E_FULL);
        assert_in_range(n, 70, 100);
        assert_true(frame_queue_pending(queue) <= 100000);
        assert_int_equal(push(queue, 0, FRAME_REQUEST_MAX, NULL, 0), FRAME_E_TOO_LARGE);
}

TEST(a_peer_that_is_gone_is_told) {
        _cleanup_(frame_queue_freep) FrameQueue *queue = new_queue(FRAME_QUEUE_MAX);
        _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
        int sockets[2];

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
        assert_int_equal(frame_reader_receive(reader, sockets[0]), FRAME_E_AGAIN);
        fd_close(sockets[1]);
        assert_int_equal(frame_reader_receive(reader, sockets[0]), FRAME_E_CLOSED);
        assert_int_equal(push(queue, 0, 10, NULL, 0), 0);
        assert_int_equal(frame_queue_send(queue, sockets[0]), FRAME_E_CLOSED);
        fd_close(sockets[0]);
}

/* Reads the next request from @fd. */
static Benchd__Request *next_request(FrameReader *reader, int fd) {
        Benchd__Request *request;
        Frame frame;
        int r;

        r = frame_reader_pop(reader, &frame);
        if (r == FRAME_E_AGAIN && frame_reader_receive(reader, fd) == 0)
                r = frame_reader_pop(reader, &frame);
        if (r == FRAME_E_AGAIN)
                return NULL;
        assert_int_equal(r, 0);
        request = benchd__request__unpack(NULL, frame.n_data, frame.data);
        assert_non_null(request);
        frame_close(&frame);
        return request;
}

static void push_cancel(FrameQueue *queue, uint64_t id, uint64_t ticket, unsigned kind) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__CancelRequest cancel = BENCHD__CANCEL_REQUEST__INIT;

        request.has_id = true;
        request.id = id;
        cancel.run_id = (char *)"abcd";
        request.cancel = &cancel;
        assert_int_equal(frame_queue_push(queue, &request.base, FRAME_REQUEST_MAX, NULL, 0), 0);
        if (ticket > 0)
                frame_queue_hold(queue, ticket, kind);
}

/* Expects the requests @first to @last at @fd, and no more. */
static void expect_ids(FrameQueue *queue, FrameReader *reader, const int sockets[2], uint64_t first, uint64_t last) {
        assert_int_equal(frame_queue_send(queue, sockets[0]), 0);
        for (uint64_t id = first; id <= last; id++) {
                Benchd__Request *request = next_request(reader, sockets[1]);

                assert_non_null(request);
                assert_int_equal(request->id, id);
                benchd__request__free_unpacked(request, NULL);
        }
        assert_null(next_request(reader, sockets[1]));
}

TEST(a_frame_that_is_held_holds_those_behind_it) {
        _cleanup_(frame_queue_freep) FrameQueue *queue = new_queue(FRAME_QUEUE_MAX);
        _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
        int sockets[2];

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
        push_cancel(queue, 1, 0, 0);
        push_cancel(queue, 2, 10, 0);
        push_cancel(queue, 3, 0, 0);
        push_cancel(queue, 4, 20, 0);
        expect_ids(queue, reader, sockets, 1, 1);
        assert_true(frame_queue_is_held(queue));
        assert_int_equal(frame_queue_release(queue, 9, NULL), 0);
        expect_ids(queue, reader, sockets, 2, 1);
        assert_int_equal(frame_queue_release(queue, 19, NULL), 0);
        expect_ids(queue, reader, sockets, 2, 3);
        assert_int_equal(frame_queue_release(queue, 20, NULL), 0);
        expect_ids(queue, reader, sockets, 4, 4);
        assert_int_equal(frame_queue_pending(queue), 0);
        fd_close(sockets[0]);
        fd_close(sockets[1]);
}

/* Also the last one, behind which another is pushed. */
TEST(a_frame_that_is_lost_is_merged_with_its_other_message) {
        _cleanup_(frame_queue_freep) FrameQueue *queue = new_queue(FRAME_QUEUE_MAX);
        _cleanup_(frame_reader_freep) FrameReader *reader = new_reader(FRAME_REQUEST_MAX);
        Benchd__Request lost = BENCHD__REQUEST__INIT, *request;
        Benchd__CancelRequest cancel = BENCHD__CANCEL_REQUEST__INIT;
        const ProtobufCMessage *if_lost[FRAME_KINDS_MAX] = { [2] = &lost.base };
        char name[200];
        int sockets[2];

        memset(name, 'x', sizeof name - 1);
        name[sizeof name - 1] = 0; /* so that the length takes a byte more */
        cancel.run_id = name;
        lost.cancel = &cancel;
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets), 0);
        push_cancel(queue, 1, 10, 2);
        push_cancel(queue, 2, 20, 2);
        assert_int_equal(frame_queue_release(queue, 10, if_lost), 0);
        push_cancel(queue, 3, 0, 0);
        assert_int_equal(frame_queue_send(queue, sockets[0]), 0);
        for (uint64_t id = 1; id <= 3; id++) {
                request = next_request(reader, sockets[1]);
                assert_int_equal(request->id, id);
                assert_string_equal(request->cancel->run_id, id == 2 ? name : "abcd");
                benchd__request__free_unpacked(request, NULL);
        }
        assert_int_equal(frame_queue_pending(queue), 0);
        fd_close(sockets[0]);
        fd_close(sockets[1]);
}
