/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/dma-latency.h"

#include <fcntl.h>
#include <unistd.h>

#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"

int dma_latency_open(RootDir *root, int *ret_fd) {
        int fd;

        fd = openat(root_dir_fd(root), DMA_LATENCY_PATH, O_RDWR | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ENXIO))
                return DMA_LATENCY_E_UNSUPPORTED;
        if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
                return DMA_LATENCY_E_DENIED;
        if (fd < 0)
                return error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

int dma_latency_request(int fd, int32_t us) {
        return pwrite(fd, &us, sizeof us, 0) < 0 ? error_origin(-errno) : 0;
}

int dma_latency_read(int fd, int32_t *ret_us) {
        int32_t us;
        size_t n;
        int r;

        r = fd_read_start(fd, &us, sizeof us, &n);
        if (r)
                return error_trace(r);
        *ret_us = n == sizeof us ? us : INT32_MAX;
        return 0;
}
