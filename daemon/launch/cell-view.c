/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/cell-view.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/workplace.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/fd.h"

/* ---- before the cell has processes */

static int raise_loopback(void) {
        _cleanup_(fd_closep) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };

        if (fd < 0)
                return errno == EAFNOSUPPORT ? 0 : -errno;
        return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
}

static int set_all_mounts(const struct mount_attr *attributes) {
        return mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, (struct mount_attr *)attributes, sizeof *attributes);
}

int cell_view_detach(void) {
        if (set_all_mounts(&(struct mount_attr){ .propagation = MS_PRIVATE }) < 0)
                return -errno;
        return raise_loopback();
}

/* ---- the runner's files */

/* A directory that a machine does not have is not missed. */
static bool mount_space(const char *path, unsigned long flags, const char *options) {
        return mount("benchd", path, "tmpfs", MS_NOSUID | MS_NODEV | flags, options) == 0 || errno == ENOENT;
}

/*
 * Refused where part of the service's or the container's /proc is covered, and no other is there: then the old one remains, and shows
 * no more than it did.
 */
static bool mount_proc(void) {
        return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL) == 0 ||
               errno == EPERM;
}

#define SPACE_OPTIONS_MAX 128u

static void space_options(const WorkplaceOwner *owner, char options[static SPACE_OPTIONS_MAX]) {
        const uid_t uid = owner->other ? owner->uid : geteuid();
        const gid_t gid = owner->other ? owner->gid : getegid();

        snprintf(options, SPACE_OPTIONS_MAX, "size=%u,nr_inodes=%u,mode=0700,uid=%u,gid=%u", WORKPLACE_BYTES,
                        WORKPLACE_FILES, uid, gid);
}

static bool mount_spaces(const WorkplaceOwner *owner) {
        char options[SPACE_OPTIONS_MAX];

        space_options(owner, options);
        return mount_space("/run", MS_RDONLY, options) && mount_space("/var/tmp", MS_RDONLY, options) &&
               mount_space("/dev/shm", 0, options);
}

/* The runner's directory: that of @work_fd, or a space of its own. */
static bool mount_workplace(const WorkplaceOwner *owner, int work_fd) {
        char options[SPACE_OPTIONS_MAX];

        if (work_fd >= 0)
                return move_mount(work_fd, "", AT_FDCWD, CELL_VIEW_WORKPLACE, MOVE_MOUNT_F_EMPTY_PATH) == 0;
        space_options(owner, options);
        return mount_space(CELL_VIEW_WORKPLACE, 0, options);
}

#define ONLINE_PATH "/sys/devices/system/cpu/online"

static bool write_online(const char *path, const cpu_set_t *online) {
        _cleanup_(fd_closep) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
        char list[256];
        size_t n = cpu_list_format(online, list, sizeof list - 1);

        if (fd < 0 || n >= sizeof list - 1)
                return false;
        list[n++] = '\n';
        return write(fd, list, n) == (ssize_t)n && fchmod(fd, 0444) == 0;
}

/*
 * The C library counts the CPUs of a machine by this file, and std::thread::hardware_concurrency() by the C library. The file in its place
 * is one of the runner's user, since no other can make one in the cell, and its file system is out of sight. A machine without the file, or
 * a kernel that refuses, leaves it as it is.
 */
static void cover_online(const WorkplaceOwner *owner, const cpu_set_t *online) {
        const uid_t uid = owner->other ? owner->uid : geteuid();
        const gid_t gid = owner->other ? owner->gid : getegid();
        char options[64];
        bool written;

        snprintf(options, sizeof options, "size=64k,mode=0700,uid=%u,gid=%u", uid, gid);
        if (mount("benchd", "/run", "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
                return;
        setfsgid(gid);
        setfsuid(uid);
        written = write_online("/run/online", online);
        setfsuid(geteuid());
        setfsgid(getegid());
        if (written && mount("/run/online", ONLINE_PATH, NULL, MS_BIND, NULL) == 0)
                (void)mount(NULL, ONLINE_PATH, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
        (void)umount2("/run", MNT_DETACH);
}

/*
 * A process whose root directory is not that of its mount namespace makes no user namespace (unshare(2), EPERM). Its own stays as it is
 * below what is mounted over it.
 */
static bool cover_root(void) {
        return mount("/run", "/", NULL, MS_BIND, NULL) == 0;
}

const char *cell_view_enter(void) {
        return chdir(CELL_VIEW_WORKPLACE) < 0 ? "chdir " CELL_VIEW_WORKPLACE : NULL;
}

const char *cell_view_close(const WorkplaceOwner *owner, const cpu_set_t *online, int work_fd) {
        const char *step;

        if (!mount_proc())
                return "mount /proc";
        if (set_all_mounts(&(struct mount_attr){ .attr_set = MOUNT_ATTR_RDONLY }) < 0)
                return "mount_setattr";
        if (online)
                cover_online(owner, online);
        if (!mount_spaces(owner))
                return "mount tmpfs";
        if (!mount_workplace(owner, work_fd))
                return "mount " CELL_VIEW_WORKPLACE;
        step = cell_view_enter();
        if (!step && !cover_root())
                step = "mount over /";
        return step;
}
