/* SPDX-License-Identifier: MIT */
#include "util/fd.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"

#define FD_COPY_BYTES (64u << 10)
#define FD_SEALS      (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
#define FD_BLOCK      512u       /* bytes of a block of struct stat */
#define FD_HUGE_PAGE  (2u << 20) /* of x86: the end of a small file may lie in one */

int fd_close(int fd) {
        if (fd >= 0)
                close(fd);
        return -1;
}

void fd_closep(int *fd) {
        *fd = fd_close(*fd);
}

static struct {
        FdTake take;
        void *userdata;
} fd_closer;

void fd_set_closer(FdTake take, void *userdata) {
        fd_closer.take = take;
        fd_closer.userdata = userdata;
}

int fd_close_received(int fd) {
        const struct linger none = { .l_onoff = 1, .l_linger = 0 };

        if (fd < 0)
                return -1;
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        if (!fd_closer.take)
                return fd_close(fd);
        fd_closer.take(fd_closer.userdata, fd);
        return -1;
}

void fd_close_receivedp(int *fd) {
        *fd = fd_close_received(*fd);
}

void fds_close_received(const int *fds, size_t n_fds) {
        for (size_t i = 0; i < n_fds; i++)
                fd_close_received(fds[i]);
}

int fd_take(int *fd) {
        int taken = *fd;

        *fd = -1;
        return taken;
}

int fd_write_all(int fd, const void *data, size_t n_data) {
        const char *bytes = data;

        while (n_data > 0) {
                ssize_t n = write(fd, bytes, n_data);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return error_origin(-errno);
                bytes += n;
                n_data -= n;
        }
        return 0;
}

int fd_memfd_sealed(const char *name, const void *data, size_t n_data, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        int r;

        r = fd_memfd_new(name, &fd);
        if (r)
                return error_trace(r);
        r = fd_write_all(fd, data, n_data);
        if (r)
                return error_trace(r);
        r = fd_seal(fd);
        if (r)
                return error_trace(r);

        *ret_fd = fd_take(&fd);
        return 0;
}

int fd_memfd_new(const char *name, int *ret_fd) {
        int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

        if (fd < 0)
                return error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

int fd_seal(int fd) {
        return fcntl(fd, F_ADD_SEALS, FD_SEALS) < 0 ? error_origin(-errno) : 0;
}

int fd_copy(int from, int to, size_t offset, size_t n) {
        uint8_t buffer[FD_COPY_BYTES];

        while (n > 0) {
                ssize_t got = pread(from, buffer, n < sizeof buffer ? n : sizeof buffer, offset), put;

                if (got <= 0)
                        return error_origin(got < 0 ? -errno : -EIO);
                put = pwrite(to, buffer, got, offset);
                if (put <= 0)
                        return error_origin(put < 0 ? -errno : -EIO);
                offset += put;
                n -= put;
        }
        return 0;
}

int fd_memfd_sized(const char *name, size_t size, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;

        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (fd < 0)
                return error_origin(-errno);
        if (ftruncate(fd, size) < 0)
                return error_origin(-errno);
        if (fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
                return error_origin(-errno);

        *ret_fd = fd_take(&fd);
        return 0;
}

/* Memory beyond the end, allocated by fallocate(), is not part of the size. The kernel reports the page size. */
static bool is_larger_than(const struct stat *status, size_t max) {
        const uint64_t page = (uint64_t)status->st_blksize > FD_HUGE_PAGE ? (uint64_t)status->st_blksize : FD_HUGE_PAGE;

        return (uint64_t)status->st_size > max ||
               (uint64_t)status->st_blocks > ((uint64_t)status->st_size + page) / FD_BLOCK;
}

/* Checks the seals first: from then on neither the size nor the memory beyond it can grow. */
int fd_check_sealed(int fd, size_t max, size_t *ret_size) {
        struct stat status;
        int seals;

        seals = fcntl(fd, F_GET_SEALS);
        if (seals < 0)
                return errno == EINVAL || errno == EBADF ? FD_E_NOT_MEMFD : error_origin(-errno); /* EBADF: O_PATH */
        if ((seals & FD_SEALS) != FD_SEALS)
                return FD_E_UNSEALED;

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (is_larger_than(&status, max))
                return FD_E_TOO_LARGE;
        if (status.st_size == 0)
                return FD_E_EMPTY;

        *ret_size = status.st_size;
        return 0;
}

static int fd_try_read_at(int fd, off_t offset, void *buffer, size_t n, size_t *ret_n) {
        size_t done = 0;

        while (done < n) {
                ssize_t k = pread(fd, (char *)buffer + done, n - done, offset + done);

                if (k < 0 && errno == EINTR)
                        continue;
                if (k < 0)
                        return error_negative(-errno);
                if (k == 0)
                        break;
                done += k;
        }
        *ret_n = done;
        return 0;
}

int fd_try_read_start(int fd, void *buffer, size_t n, size_t *ret_n) {
        return fd_try_read_at(fd, 0, buffer, n, ret_n);
}

int fd_read_start(int fd, void *buffer, size_t n, size_t *ret_n) {
        return error_trace(fd_read_at(fd, 0, buffer, n, ret_n));
}

int fd_read_at(int fd, off_t offset, void *buffer, size_t n, size_t *ret_n) {
        int r = fd_try_read_at(fd, offset, buffer, n, ret_n);

        return r ? error_origin(r) : 0;
}

/* Returns 1 with the next data from @offset on, 0 where only a hole is left, or a negative errno. */
static int fd_find_data(int fd, off_t offset, off_t *ret_begin, off_t *ret_end) {
        const off_t begin = lseek(fd, offset, SEEK_DATA);
        off_t end;

        if (begin < 0)
                return errno == ENXIO ? 0 : error_origin(-errno);
        end = lseek(fd, begin, SEEK_HOLE);
        if (end < 0)
                return error_origin(-errno);
        *ret_begin = begin;
        *ret_end = end;
        return 1;
}

int fd_read_sparse(int fd, void *zeroed, size_t n, size_t *ret_n) {
        struct stat status;
        off_t begin, end = 0;
        size_t n_file, n_read;
        int r;

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        n_file = (size_t)status.st_size < n ? (size_t)status.st_size : n;
        while ((r = fd_find_data(fd, end, &begin, &end)) > 0 && (size_t)begin < n_file) {
                if ((size_t)end > n_file)
                        end = n_file;
                r = fd_read_at(fd, begin, (char *)zeroed + begin, end - begin, &n_read);
                if (r)
                        return error_trace(r);
        }
        if (r < 0)
                return error_trace(r);
        *ret_n = n_file;
        return 0;
}

int fd_set_nonblock(int fd, bool on) {
        int flags = fcntl(fd, F_GETFL);

        if (flags < 0)
                return error_origin(-errno);
        flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
        return fcntl(fd, F_SETFL, flags) < 0 ? error_origin(-errno) : 0;
}

static int fd_await(int fd, int stop_fd) {
        struct pollfd fds[] = {
                { .fd = fd, .events = POLLIN },
                { .fd = stop_fd, .events = POLLIN },
        };

        while (poll(fds, N_ELEMENTS(fds), -1) < 0)
                if (errno != EINTR || stop_fd < 0)
                        return error_origin(-errno);
        return fds[1].revents ? FD_E_STOPPED : 0;
}

/* Reads up to @n bytes; none at the end. */
static int fd_read_pipe(int fd, int stop_fd, void *buffer, size_t n, size_t *ret_n) {
        for (;;) {
                ssize_t k;
                int r;

                r = fd_await(fd, stop_fd);
                if (r)
                        return error_trace(r);
                k = read(fd, buffer, n);
                if (k >= 0) {
                        *ret_n = k;
                        return 0;
                }
                if (errno != EAGAIN && (errno != EINTR || stop_fd < 0))
                        return error_origin(-errno);
        }
}

int fd_memfd_from_pipe(int fd, int stop_fd, size_t max, int *ret_fd) {
        _cleanup_(fd_closep) int memory_fd = -1;
        char buffer[FD_COPY_BYTES];
        size_t n, n_all = 0;
        int r;

        r = fd_memfd_new("benchd-file", &memory_fd);
        if (r)
                return error_trace(r);
        for (;;) {
                r = fd_read_pipe(fd, stop_fd, buffer, sizeof buffer, &n);
                if (r)
                        return error_trace(r);
                if (n == 0)
                        break;
                if (n > max - n_all)
                        return FD_E_TOO_LARGE;
                r = fd_write_all(memory_fd, buffer, n);
                if (r)
                        return error_trace(r);
                n_all += n;
        }
        if (n_all == 0)
                return FD_E_EMPTY;
        r = fd_seal(memory_fd);
        if (r)
                return error_trace(r);
        *ret_fd = fd_take(&memory_fd);
        return 0;
}

int fd_memfd_from_path(const char *path, size_t max, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        _cleanup_(freep) char *data = NULL;
        struct stat status;
        size_t n;
        int r;

        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
                return error_origin(-errno);
        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (!S_ISREG(status.st_mode))
                return error_origin(S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL);
        if (status.st_size == 0)
                return FD_E_EMPTY;
        if ((size_t)status.st_size > max)
                return FD_E_TOO_LARGE;

        data = malloc(status.st_size);
        if (!data)
                return error_origin(-ENOMEM);
        r = fd_read_start(fd, data, status.st_size, &n);
        if (r)
                return error_trace(r);

        return error_trace(fd_memfd_sealed("benchd-file", data, n, ret_fd));
}
