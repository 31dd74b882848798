/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/machine-claim.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/fd.h"
#include "util/root-dir.h"

static int claim_open(RootDir *root) {
        char directory[] = MACHINE_CLAIM_PATH;

        if (mkdirat(root_dir_fd(root), dirname(directory), 0755) == 0)
                (void)!fchmodat(root_dir_fd(root), directory, 0755, 0);
        return openat(root_dir_fd(root), MACHINE_CLAIM_PATH, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static pid_t claim_read_holder(int fd) {
        char text[32];
        size_t n;

        if (fd_try_read_start(fd, text, sizeof text - 1, &n))
                return 0;
        text[n] = '\0';
        return strtol(text, NULL, 10);
}

int machine_claim_take(MachineClaim *claim, RootDir *root) {
        _cleanup_(fd_closep) int fd = -1;

        if (claim->fd >= 0)
                return 0;
        claim->holder = 0;
        fd = claim_open(root);
        if (fd < 0)
                return 0;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
                if (errno != EWOULDBLOCK)
                        return 0;
                claim->holder = claim_read_holder(fd);
                return MACHINE_CLAIM_E_HELD;
        }
        if (ftruncate(fd, 0) == 0)
                dprintf(fd, "%d\n", getpid());
        claim->fd = fd_take(&fd);
        return 0;
}

void machine_claim_release(MachineClaim *claim) {
        if (claim->fd >= 0)
                (void)!ftruncate(claim->fd, 0);
        claim->fd = fd_close(claim->fd);
}
