/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/output.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/runner-plan.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define OUTPUT_LONG (16 * (off_t)RUNNER_OUTPUT_MAX)

int output_new(int *ret_fd) {
        int fd = memfd_create("benchd-output", MFD_CLOEXEC);

        if (fd < 0)
                return error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

/* Its end is where the next byte goes, not the size: the module may have moved either. A memfd's position has no lock. */
static off_t output_end(int fd) {
        const off_t position = lseek(fd, 0, SEEK_CUR);
        struct stat status;

        if (position < 0 || fstat(fd, &status) < 0)
                return 0;
        return position < status.st_size ? position : status.st_size;
}

bool output_is_long(int fd) {
        return output_end(fd) > OUTPUT_LONG;
}

/*
 * The module may print meanwhile. The position goes back first, so that this comes behind what is kept; only then is it read how much came
 * before, and the file is cut where the module is by now.
 */
void output_trim(int fd) {
        _cleanup_(freep) char *last = malloc(RUNNER_OUTPUT_MAX);
        struct stat before, after;
        off_t end;

        if (!last || fstat(fd, &before) < 0)
                return;
        end = output_end(fd);
        if (end <= OUTPUT_LONG || lseek(fd, RUNNER_OUTPUT_MAX, SEEK_SET) < 0 || fstat(fd, &after) < 0)
                return;
        end += after.st_size > before.st_size ? after.st_size - before.st_size : 0;
        if (pread(fd, last, RUNNER_OUTPUT_MAX, end - RUNNER_OUTPUT_MAX) != RUNNER_OUTPUT_MAX)
                return;
        (void)!pwrite(fd, last, RUNNER_OUTPUT_MAX, 0);
        (void)!ftruncate(fd, lseek(fd, 0, SEEK_CUR));
}

int output_settle(int fd, int *ret_settled_fd) {
        const off_t end = output_end(fd), begin = end > (off_t)RUNNER_OUTPUT_MAX ? end - (off_t)RUNNER_OUTPUT_MAX : 0;
        _cleanup_(freep) char *last = malloc(RUNNER_OUTPUT_MAX);
        _cleanup_(fd_closep) int settled_fd = -1;
        ssize_t n;
        int r;

        if (!last)
                return error_origin(-ENOMEM);
        r = output_new(&settled_fd);
        if (r)
                return error_trace(r);
        n = pread(fd, last, end - begin, begin);
        if (n < 0)
                return error_origin(-errno);
        if (write(settled_fd, last, n) != n)
                return error_origin(-ENOSPC);
        *ret_settled_fd = fd_take(&settled_fd);
        return 0;
}
