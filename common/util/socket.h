/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Unix sockets: the peer's identity, and bytes sent with file descriptors.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

enum {
        _SOCKET_E_SUCCESS,

        SOCKET_E_AGAIN,     /* nothing to read, or no room to write, now */
        SOCKET_E_CLOSED,    /* the peer is gone */
        SOCKET_E_TRUNCATED, /* a packet is too long; its descriptors were closed */
        SOCKET_E_FDS_LOST,  /* bytes came with more descriptors than there was room for; all descriptors were closed */
        SOCKET_E_TOO_LONG,  /* a path that does not fit a socket address (107 bytes) */
};

#define SOCKET_FDS_MAX    32u
#define SOCKET_GROUPS_MAX 256u

/* The peer of a connection. The ids start as -1, never 0: an unread identity authorises nothing. */
typedef struct SocketPeer {
        uid_t uid;
        gid_t gid;
        pid_t pid;
        gid_t groups[SOCKET_GROUPS_MAX];
        size_t n_groups;
} SocketPeer;

#define SOCKET_PEER_NULL ((SocketPeer){ .uid = (uid_t)-1, .gid = (gid_t)-1, .pid = -1 })

/* Reads the identity of the process that connected @fd, as the kernel took it at connect. Returns 0 or a negative errno. */
int socket_peer_read(int fd, SocketPeer *ret_peer);

/*
 * Binds a listening stream socket at @path, created with @mode, replacing a stale one. The caller must have no other thread, whose files
 * would get that mode, too. Returns 0, E_TOO_LONG, or a negative errno.
 */
int socket_listen(const char *path, mode_t mode, int *ret_fd);

/* Connects a stream socket to @path. Returns 0, E_TOO_LONG, or a negative errno (the caller may show it). */
int socket_connect(const char *path, int *ret_fd);

/*
 * Sends @n_data bytes, with @n_fds descriptors beside the first; the descriptors stay the caller's. On a stream less may
 * be sent than asked. Returns 0, E_AGAIN, E_CLOSED, or a negative errno.
 */
int socket_send(int fd, const void *data, size_t n_data, const int *fds, size_t n_fds, size_t *ret_n);

/* Received descriptors, which the holder must close. */
typedef struct SocketFds {
        int fds[SOCKET_FDS_MAX];
        size_t n;
        bool lost; /* the kernel dropped more, beyond the room or the limit of open files */
} SocketFds;

/*
 * Receives up to @n_data bytes and up to @n_fds descriptors (at most SOCKET_FDS_MAX), O_CLOEXEC. Returns 0, E_AGAIN, E_CLOSED,
 * E_TRUNCATED, or a negative errno.
 */
int socket_receive_some(int fd, void *data, size_t n_data, size_t n_fds, size_t *ret_n, SocketFds *ret_fds);

/*
 * Receives up to @n_data bytes and up to SOCKET_FDS_MAX descriptors, which are then the caller's, O_CLOEXEC. Returns 0,
 * E_AGAIN, E_CLOSED, E_TRUNCATED, E_FDS_LOST (with @ret_n, and no descriptor), or a negative errno.
 */
int socket_receive(int fd, void *data, size_t n_data, size_t *ret_n, int fds[static SOCKET_FDS_MAX], size_t *ret_n_fds);

/*
 * Peeks at up to @n_data bytes without receiving them, and reports if descriptors may come with them, without touching any. If it reports
 * none, these bytes come alone; the kernel may also report descriptors that come just after them. Returns 0, E_AGAIN, E_CLOSED, or a
 * negative errno.
 */
int socket_peek(int fd, void *data, size_t n_data, size_t *ret_n, bool *ret_with_fds);
