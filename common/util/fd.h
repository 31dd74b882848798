/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * File descriptors: owned by scope, created with O_CLOEXEC, and memfds whose seals prove that they cannot change.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
        _FD_E_SUCCESS,

        FD_E_NOT_MEMFD, /* a file, pipe or socket, which could block, shrink or change while it is read */
        FD_E_UNSEALED,  /* it could still be written or resized */
        FD_E_EMPTY,
        FD_E_TOO_LARGE, /* its size, or the memory allocated beyond its end */
        FD_E_STOPPED,   /* stopped before everything was read */
};

/* Closes @fd unless it is negative. Returns -1, so that the owner can be overwritten in the same line. */
int fd_close(int fd);
void fd_closep(int *fd);

/*
 * As fd_close(), for a descriptor received from an untrusted client, or of a file whose size the client chose. A socket that would linger
 * on close, for a time that the client chose, is reset instead; a process that must not wait for the last close of a file hands it over
 * (fd_set_closer()).
 */
int fd_close_received(int fd);
void fd_close_receivedp(int *fd);
void fds_close_received(const int *fds, size_t n_fds); /* does not change @fds */

/*
 * Makes fd_close_received() pass each descriptor, in this process and its forks, to @take, which takes it and never blocks. NULL: close it
 * here.
 */
typedef void (*FdTake)(void *userdata, int fd);
void fd_set_closer(FdTake take, void *userdata);

/* Returns the descriptor in @fd, and leaves -1. */
int fd_take(int *fd);

/* Makes a memfd that holds @n_data bytes of @data and is sealed against every change. Returns 0 or a negative errno. */
int fd_memfd_sealed(const char *name, const void *data, size_t n_data, int *ret_fd);

/* Makes an empty memfd, to be written and then sealed with fd_seal(). Return 0 or a negative errno. */
int fd_memfd_new(const char *name, int *ret_fd);
int fd_seal(int fd);

/* Copies @n bytes from @offset of one file to the same place in another. Returns 0 or a negative errno: -EIO where @from ends before. */
int fd_copy(int from, int to, size_t offset, size_t n);

/* Makes a memfd of @size zero bytes that can be written but never resized. Returns 0 or a negative errno. */
int fd_memfd_sized(const char *name, size_t size, int *ret_fd);

/*
 * Checks that @fd is a memfd fully sealed (write, shrink, grow, seal) of 1 to @max bytes, so that it needs no copy, and that it has no more
 * memory than that, but for a last page. It has none later either. Returns 0, FD_E_*, or a negative errno.
 */
int fd_check_sealed(int fd, size_t max, size_t *ret_size);

/* Reads up to @n bytes from @offset of @fd without moving it. Returns 0 or a negative errno. */
int fd_read_at(int fd, off_t offset, void *buffer, size_t n, size_t *ret_n);

/* The same from offset 0. */
int fd_read_start(int fd, void *buffer, size_t n, size_t *ret_n);

/*
 * As fd_read_start() into a @zeroed buffer, but does not touch the buffer where the file has a hole: a mostly unwritten memfd takes little
 * time and memory. Moves the file's offset.
 */
int fd_read_sparse(int fd, void *zeroed, size_t n, size_t *ret_n);

/* As fd_read_start(), for an expected failure: it is not reported. */
int fd_try_read_start(int fd, void *buffer, size_t n, size_t *ret_n);

/* Writes all @n_data bytes to @fd, which must be blocking. Returns 0 or a negative errno. */
int fd_write_all(int fd, const void *data, size_t n_data);

/* Sets O_NONBLOCK on @fd to @on. Returns 0 or a negative errno. */
int fd_set_nonblock(int fd, bool on);

/*
 * Reads @fd, usually a pipe, to its end into a sealed memfd of at most @max bytes. Stops when @stop_fd becomes readable (-1: on a signal,
 * with -EINTR). Returns 0, FD_E_EMPTY, FD_E_TOO_LARGE, FD_E_STOPPED, or a negative errno.
 */
int fd_memfd_from_pipe(int fd, int stop_fd, size_t max, int *ret_fd);

/* Opens @path, reads it whole into a sealed memfd of at most @max bytes. Returns 0, FD_E_EMPTY, FD_E_TOO_LARGE, or a negative errno. */
int fd_memfd_from_path(const char *path, size_t max, int *ret_fd);
