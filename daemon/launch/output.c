/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/output.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ops/runner-plan.h"
#include "util/cleanup.h"
#include "util/error.h"

#define OUTPUT_LONG (16 * (off_t)RUNNER_OUTPUT_MAX)

int output_new(int *ret_fd) {
        int fd = memfd_create("benchd-output", MFD_CLOEXEC);

        if (fd < 0)
                return error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

/*
 * Its end is where the next byte goes, not the size: the module may have moved either. The position goes back first, so that what is
 * printed meanwhile leaves no hole of the old length.
 */
static void output_keep_last(int fd, off_t end) {
        _cleanup_(freep) char *last = malloc(RUNNER_OUTPUT_MAX);
        ssize_t n = last ? pread(fd, last, RUNNER_OUTPUT_MAX, end - RUNNER_OUTPUT_MAX) : -1;

        if (n != RUNNER_OUTPUT_MAX)
                return;
        (void)lseek(fd, RUNNER_OUTPUT_MAX, SEEK_SET);
        (void)!ftruncate(fd, RUNNER_OUTPUT_MAX);
        (void)!pwrite(fd, last, n, 0);
}

void output_trim(int fd) {
        off_t end = lseek(fd, 0, SEEK_CUR);

        if (end > OUTPUT_LONG)
                output_keep_last(fd, end);
}

void output_settle(int fd) {
        off_t end = lseek(fd, 0, SEEK_CUR);

        if (end > (off_t)RUNNER_OUTPUT_MAX)
                output_keep_last(fd, end);
        (void)!ftruncate(fd, end > (off_t)RUNNER_OUTPUT_MAX ? (off_t)RUNNER_OUTPUT_MAX : end);
}
