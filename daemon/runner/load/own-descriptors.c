/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/own-descriptors.h"

#include <sys/stat.h>

#include "ops/runner-plan.h"
#include "util/cleanup.h"

static struct {
        int fd;
        bool noted;
        dev_t device;
        ino_t inode; /* unique to a pipe */
} own[] = { { .fd = RUNNER_FD_ASK }, { .fd = RUNNER_FD_ANSWER } };

void own_descriptors_note(void) {
        for (size_t i = 0; i < N_ELEMENTS(own); i++) {
                struct stat status;

                own[i].noted = fstat(own[i].fd, &status) == 0;
                if (!own[i].noted)
                        continue;
                own[i].device = status.st_dev;
                own[i].inode = status.st_ino;
        }
}

bool own_descriptors_are_whole(void) {
        for (size_t i = 0; i < N_ELEMENTS(own); i++) {
                struct stat status;

                if (own[i].noted && (fstat(own[i].fd, &status) < 0 || status.st_dev != own[i].device ||
                                                    status.st_ino != own[i].inode))
                        return false;
        }
        return true;
}
