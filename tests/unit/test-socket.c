/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Unix sockets: the identity is the kernel's, descriptors arrive once and closed on exec, and nothing that was not
 * expected stays open.
 */

#include "util/socket.h"

#include <sys/inotify.h>

#include "pair.h"

static char directory[] = "/tmp/test-socket-XXXXXX";
static char path[sizeof directory + 8];

static int directory_make(void **state) {
        if (!mkdtemp(directory))
                return -1;
        snprintf(path, sizeof path, "%s/socket", directory);
        return 0;
}

static int directory_remove(void **state) {
        unlink(path);
        return rmdir(directory);
}

TEST(a_peer_is_who_the_kernel_says) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        gid_t groups[SOCKET_GROUPS_MAX];
        SocketPeer peer = SOCKET_PEER_NULL;
        int n;

        assert_int_equal(peer.uid, (uid_t)-1);
        assert_int_equal(socket_peer_read(pair.here, &peer), 0);
        assert_int_equal(peer.uid, geteuid());
        assert_int_equal(peer.gid, getegid());
        assert_int_equal(peer.pid, getpid());

        n = getgroups(SOCKET_GROUPS_MAX, groups);
        assert_int_equal(peer.n_groups, n);
        assert_memory_equal(peer.groups, groups, n * sizeof(gid_t));
}

TEST(what_is_no_socket_has_no_peer) {
        _cleanup_(fd_closep) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        SocketPeer peer = SOCKET_PEER_NULL;

        assert_int_equal(socket_peer_read(null, &peer), -ENOTSOCK);
        assert_int_equal(peer.uid, (uid_t)-1);
}

/* A change of the mode would be an event of its own: between the two anybody could connect, or put another file there. */
TEST(a_listener_is_born_with_its_mode) {
        _cleanup_(fd_closep) int listener = -1, notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        char events[1024] __attribute__((aligned(__alignof__(struct inotify_event))));
        const struct inotify_event *event = (const struct inotify_event *)events;
        const mode_t mask = umask(027);
        struct stat status;
        ssize_t n;

        assert_true(inotify_add_watch(notify, directory, IN_CREATE | IN_ATTRIB) >= 0);
        assert_int_equal(socket_listen(path, 0666, &listener), 0);
        assert_int_equal(umask(mask), 027);
        n = read(notify, events, sizeof events);
        assert_true(n >= (ssize_t)sizeof *event);
        assert_int_equal(event->mask, IN_CREATE);
        assert_int_equal(n, sizeof *event + event->len);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0666);
}

TEST(a_listener_is_reached_at_its_path) {
        _cleanup_(fd_closep) int listener = -1, client = -1, accepted = -1;
        struct stat status;

        assert_int_equal(socket_listen(path, 0640, &listener), 0);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0640);
        assert_int_equal(socket_connect(path, &client), 0);
        accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        assert_true(accepted >= 0);
        assert_true(fcntl(client, F_GETFD) & FD_CLOEXEC);
}

TEST(a_stale_socket_is_replaced_a_living_one_stays) {
        _cleanup_(fd_closep) int first = -1, second = -1;

        assert_int_equal(socket_listen(path, 0600, &first), 0);
        assert_int_equal(socket_listen(path, 0600, &second), -EADDRINUSE);
        first = fd_close(first);
        assert_int_equal(socket_connect(path, &second), -ECONNREFUSED);
        assert_int_equal(socket_listen(path, 0600, &second), 0);
}

TEST(a_file_that_is_no_socket_is_left_alone) {
        _cleanup_(fd_closep) int file = -1, listener = -1;
        struct stat status;

        unlink(path);
        file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(file >= 0);
        assert_int_equal(socket_listen(path, 0600, &listener), -EEXIST);
        assert_int_equal(stat(path, &status), 0);
        assert_true(S_ISREG(status.st_mode));
        unlink(path);
}

TEST(a_path_that_does_not_fit_is_too_long) {
        char longest[108 + 1];
        int fd = -1;

        memset(longest, 'x', sizeof longest);
        longest[108] = 0;
        assert_int_equal(socket_connect(longest, &fd), SOCKET_E_TOO_LONG);
        assert_int_equal(socket_listen(longest, 0600, &fd), SOCKET_E_TOO_LONG);
        longest[107] = 0;
        assert_int_equal(socket_connect(longest, &fd), -ENOENT);
        assert_int_equal(fd, -1);
}

TEST(descriptors_travel_with_the_bytes) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        int sent[SOCKET_FDS_MAX], received[SOCKET_FDS_MAX];
        char back[16];
        size_t n, n_fds;

        for (size_t i = 0; i < SOCKET_FDS_MAX; i++) {
                char digit = 'A' + i;

                assert_int_equal(fd_memfd_sealed("test", &digit, 1, &sent[i]), 0);
        }
        assert_int_equal(socket_send(pair.here, "hello", 5, sent, SOCKET_FDS_MAX, &n), 0);
        assert_int_equal(n, 5);
        assert_int_equal(socket_receive(pair.there, back, sizeof back, &n, received, &n_fds), 0);
        assert_int_equal(n, 5);
        assert_memory_equal(back, "hello", 5);
        assert_int_equal(n_fds, SOCKET_FDS_MAX);

        for (size_t i = 0; i < SOCKET_FDS_MAX; i++) {
                char digit;

                assert_true(fcntl(received[i], F_GETFD) & FD_CLOEXEC);
                assert_int_equal(fd_read_start(received[i], &digit, 1, &n), 0);
                assert_int_equal(digit, 'A' + i);
                fd_close(received[i]);
                fd_close(sent[i]);
        }
}

TEST(bytes_alone_bring_no_descriptors) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET);
        int received[SOCKET_FDS_MAX];
        char back[16];
        size_t n, n_fds = 77;

        assert_int_equal(socket_send(pair.here, "x", 1, NULL, 0, &n), 0);
        assert_int_equal(socket_receive(pair.there, back, sizeof back, &n, received, &n_fds), 0);
        assert_int_equal(n_fds, 0);
}

/* A sender of another kind than socket_send() may pass more than we take: none of them may stay open. */
TEST(too_many_descriptors_are_all_closed) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE((SOCKET_FDS_MAX + 1) * sizeof(int))];
        } control = { .header = { .cmsg_level = SOL_SOCKET,
                                      .cmsg_type = SCM_RIGHTS,
                                      .cmsg_len = CMSG_LEN((SOCKET_FDS_MAX + 1) * sizeof(int)) } };
        struct iovec vector = { .iov_base = (char[]){ 'x' }, .iov_len = 1 };
        struct msghdr message = {
                .msg_iov = &vector,
                .msg_iovlen = 1,
                .msg_control = &control,
                .msg_controllen = sizeof control,
        };
        int received[SOCKET_FDS_MAX];
        size_t n, n_fds, before;
        char back;

        for (size_t i = 0; i < SOCKET_FDS_MAX + 1; i++)
                ((int *)CMSG_DATA(&control.header))[i] = pair.here;
        assert_int_equal(sendmsg(pair.here, &message, 0), 1);
        before = open_fds();
        assert_int_equal(socket_receive(pair.there, &back, 1, &n, received, &n_fds), SOCKET_E_FDS_LOST);
        assert_int_equal(n, 1);
        assert_int_equal(n_fds, 0);
        assert_int_equal(open_fds(), before);
        assert_int_equal(socket_send(pair.here, "x", 1, received, SOCKET_FDS_MAX + 1, &n), -E2BIG);
}

/* The three ways in which an owner that counts its descriptors receives: looking first, without room, with some. */
TEST(descriptors_come_only_where_there_is_room_for_them) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        size_t n, before = open_fds();
        SocketFds fds;
        char back[8];
        bool with;

        assert_int_equal(socket_send(pair.here, "bare", 4, NULL, 0, &n), 0);
        assert_int_equal(socket_peek(pair.there, back, sizeof back, &n, &with), 0);
        assert_int_equal(n, 4);
        assert_false(with);
        for (int i = 0; i < 3; i++)
                assert_int_equal(socket_send(pair.here, "with", 4, (int[]){ 0, 1, 2 }, 3, &n), 0);
        assert_int_equal(socket_peek(pair.there, back, sizeof back, &n, &with), 0);
        assert_int_equal(n, 8);
        assert_true(with);
        assert_int_equal(open_fds(), before);

        assert_int_equal(socket_receive_some(pair.there, back, sizeof back, 0, &n, &fds), 0);
        assert_int_equal(n, 8);
        assert_true(fds.lost && fds.n == 0);
        assert_int_equal(socket_receive_some(pair.there, back, sizeof back, 1, &n, &fds), 0);
        assert_true(fds.lost && fds.n == 1);
        fds_close_received(fds.fds, fds.n);
        assert_int_equal(socket_receive_some(pair.there, back, sizeof back, 3, &n, &fds), 0);
        assert_true(!fds.lost && fds.n == 3);
        fds_close_received(fds.fds, fds.n);
        assert_int_equal(open_fds(), before);
}

TEST(a_packet_longer_than_asked_is_truncated) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET);
        int received[SOCKET_FDS_MAX];
        size_t n, n_fds, before;
        char back[4];

        assert_int_equal(socket_send(pair.here, "hello", 5, &pair.here, 1, &n), 0);
        before = open_fds();
        assert_int_equal(socket_receive(pair.there, back, 4, &n, received, &n_fds), SOCKET_E_TRUNCATED);
        assert_int_equal(open_fds(), before);
}

TEST(nothing_to_read_and_no_room_are_both_again) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET);
        int received[SOCKET_FDS_MAX];
        char bytes[1024] = {};
        size_t n, n_fds;
        int r;

        assert_int_equal(socket_receive(pair.there, bytes, sizeof bytes, &n, received, &n_fds), SOCKET_E_AGAIN);
        do
                r = socket_send(pair.here, bytes, sizeof bytes, NULL, 0, &n);
        while (r == 0);
        assert_int_equal(r, SOCKET_E_AGAIN);
}

TEST(a_peer_that_is_gone_is_closed_without_a_signal) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_STREAM);
        int received[SOCKET_FDS_MAX];
        char byte = 'x';
        size_t n, n_fds;

        pair.there = fd_close(pair.there);
        assert_int_equal(socket_send(pair.here, &byte, 1, NULL, 0, &n), SOCKET_E_CLOSED);
        assert_int_equal(socket_receive(pair.here, &byte, 1, &n, received, &n_fds), SOCKET_E_CLOSED);
}

TEST_FILE(directory_make, directory_remove)
