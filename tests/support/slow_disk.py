# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that takes its time: a library that delays or fails what the daemon's front half syncs, and leaves all other processes alone."""

import os

from . import tree

SOURCE = """
#include <errno.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int held(const char *path)
{
        return access(path, F_OK) == 0;
}

static int wait_for_disk(void)
{
        char name[16] = "";

        prctl(PR_GET_NAME, name);
        if (name[0] != 'b' || name[6] != 0)
                return 0;
        poll(NULL, 0, DELAY_MS);
        while (held(PLACE "/held"))
                poll(NULL, 0, 1);
        return held(PLACE "/broken") ? EIO : 0;
}

int fdatasync(int fd)
{
        return (errno = wait_for_disk()) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
        return (errno = wait_for_disk()) ? -1 : (int)syscall(SYS_fsync, fd);
}
"""


class SlowDisk:
    """Each sync takes so many milliseconds; while it is held none ends, and while it is broken each fails."""

    def __init__(self, place, delay_ms=0):
        self.place = place
        self.library = place / "slow-disk.so"
        tree.compile_text(SOURCE, self.library, "-shared", "-fPIC", f"-DDELAY_MS={delay_ms}", f'-DPLACE="{place}"')
        self.environment = os.environ | {"LD_PRELOAD": str(self.library)}

    def hold(self, held=True):
        self.mark("held", held)

    def fail(self, broken=True):
        self.mark("broken", broken)

    def mark(self, name, there):
        if there:
            (self.place / name).touch()
        else:
            (self.place / name).unlink()
