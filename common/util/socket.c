/* SPDX-License-Identifier: MIT */
#include "util/socket.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

int socket_peer_read(int fd, SocketPeer *ret_peer) {
        SocketPeer peer = SOCKET_PEER_NULL;
        struct ucred credentials = { .pid = -1, .uid = (uid_t)-1, .gid = (gid_t)-1 };
        socklen_t n = sizeof credentials;

        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &n) < 0)
                return error_origin(-errno);
        if (credentials.uid == (uid_t)-1 || credentials.gid == (gid_t)-1)
                return error_origin(-EPERM);

        n = sizeof peer.groups;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, peer.groups, &n) < 0)
                return error_origin(-errno);

        peer.uid = credentials.uid;
        peer.gid = credentials.gid;
        peer.pid = credentials.pid;
        peer.n_groups = n / sizeof(gid_t);
        *ret_peer = peer;
        return 0;
}

static int socket_address(const char *path, struct sockaddr_un *ret_address) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        if (strlen(path) >= sizeof address.sun_path)
                return SOCKET_E_TOO_LONG;
        memcpy(address.sun_path, path, strlen(path) + 1);
        *ret_address = address;
        return 0;
}

/* A socket file is stale if no process accepts on it; one that answers belongs to a live daemon and stays. */
static int socket_remove_stale(const char *path) {
        _cleanup_(fd_closep) int fd = -1;
        struct stat status;

        if (lstat(path, &status) < 0)
                return errno == ENOENT ? 0 : error_origin(-errno);
        if (!S_ISSOCK(status.st_mode))
                return error_origin(-EEXIST);
        if (socket_connect(path, &fd) == 0)
                return error_origin(-EADDRINUSE);
        return unlink(path) < 0 && errno != ENOENT ? error_origin(-errno) : 0;
}

int socket_listen(const char *path, mode_t mode, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        struct sockaddr_un address;
        mode_t mask;
        int r;

        r = socket_address(path, &address);
        if (r)
                return r;
        r = socket_remove_stale(path);
        if (r)
                return error_trace(r);

        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
                return error_origin(-errno);
        mask = umask(~mode & 0777);
        r = bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
        umask(mask);
        if (r)
                return error_origin(r);
        if (listen(fd, SOMAXCONN) < 0)
                return error_origin(-errno);

        *ret_fd = fd_take(&fd);
        return 0;
}

int socket_connect(const char *path, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        struct sockaddr_un address;
        int r;

        r = socket_address(path, &address);
        if (r)
                return r;

        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return error_origin(-errno);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
                return error_negative(-errno);

        *ret_fd = fd_take(&fd);
        return 0;
}

int socket_send(int fd, const void *data, size_t n_data, const int *fds, size_t n_fds, size_t *ret_n) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(SOCKET_FDS_MAX * sizeof(int))];
        } control = {};
        struct iovec vector = { .iov_base = (void *)data, .iov_len = n_data };
        struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
        ssize_t n;

        if (n_fds > SOCKET_FDS_MAX)
                return error_origin(-E2BIG);
        if (n_fds > 0) {
                message.msg_control = &control;
                message.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
                control.header.cmsg_level = SOL_SOCKET;
                control.header.cmsg_type = SCM_RIGHTS;
                control.header.cmsg_len = CMSG_LEN(n_fds * sizeof(int));
                memcpy(CMSG_DATA(&control.header), fds, n_fds * sizeof(int));
        }

        do
                n = sendmsg(fd, &message, MSG_NOSIGNAL);
        while (n < 0 && errno == EINTR);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
                return SOCKET_E_AGAIN;
        if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
                return SOCKET_E_CLOSED;
        if (n < 0)
                return error_origin(-errno);

        *ret_n = n;
        return 0;
}

static void socket_take_fds(struct msghdr *message, SocketFds *fds) {
        for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
                if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
                        continue;
                fds->n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
                memcpy(fds->fds, CMSG_DATA(c), fds->n * sizeof(int));
        }
}

/* Returns 0, E_AGAIN, E_CLOSED, or a negative errno. */
static int socket_receive_message(int fd, struct msghdr *message, int flags, size_t *ret_n) {
        ssize_t n;

        do
                n = recvmsg(fd, message, MSG_CMSG_CLOEXEC | flags);
        while (n < 0 && errno == EINTR);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
                return SOCKET_E_AGAIN;
        if (n < 0 && errno == ECONNRESET)
                return SOCKET_E_CLOSED;
        if (n < 0)
                return error_origin(-errno);
        *ret_n = n;
        return 0;
}

int socket_receive_some(int fd, void *data, size_t n_data, size_t n_fds, size_t *ret_n, SocketFds *ret_fds) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(SOCKET_FDS_MAX * sizeof(int))];
        } control;
        struct iovec vector = { .iov_base = data, .iov_len = n_data };
        struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
        SocketFds fds = {};
        size_t n;
        int r;

        if (n_fds > SOCKET_FDS_MAX)
                return error_origin(-E2BIG);
        if (n_fds > 0) {
                message.msg_control = &control;
                message.msg_controllen = CMSG_LEN(n_fds * sizeof(int));
        }
        r = socket_receive_message(fd, &message, 0, &n);
        if (r)
                return error_trace(r);

        socket_take_fds(&message, &fds);
        fds.lost = message.msg_flags & MSG_CTRUNC;
        if (n == 0 || message.msg_flags & MSG_TRUNC) {
                fds_close_received(fds.fds, fds.n);
                return n == 0 ? SOCKET_E_CLOSED : SOCKET_E_TRUNCATED;
        }
        *ret_n = n;
        *ret_fds = fds;
        return 0;
}

int socket_receive(int fd, void *data, size_t n_data, size_t *ret_n, int fds[static SOCKET_FDS_MAX],
                size_t *ret_n_fds) {
        SocketFds came;
        size_t n;
        int r;

        r = socket_receive_some(fd, data, n_data, SOCKET_FDS_MAX, &n, &came);
        if (r)
                return error_trace(r);
        *ret_n = n;
        *ret_n_fds = 0;
        if (came.lost) {
                fds_close_received(came.fds, came.n);
                return SOCKET_E_FDS_LOST;
        }
        memcpy(fds, came.fds, came.n * sizeof(int));
        *ret_n_fds = came.n;
        return 0;
}

int socket_peek(int fd, void *data, size_t n_data, size_t *ret_n, bool *ret_with_fds) {
        struct iovec vector = { .iov_base = data, .iov_len = n_data };
        struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
        size_t n;
        int r;

        r = socket_receive_message(fd, &message, MSG_PEEK, &n);
        if (r)
                return error_trace(r);
        if (n == 0)
                return SOCKET_E_CLOSED;
        *ret_n = n;
        *ret_with_fds = message.msg_flags & MSG_CTRUNC;
        return 0;
}
