/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/cell-view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/birth/workplace.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/fd.h"
#include "util/system-directories.h"

/* ---- before the cell has processes */

static int raise_loopback(void) {
        _cleanup_(fd_closep) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };

        if (fd < 0)
                return errno == EAFNOSUPPORT ? 0 : -errno;
        return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
}

int cell_view_detach(void) {
        struct mount_attr attributes = { .propagation = MS_PRIVATE };

        if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes) < 0)
                return -errno;
        return raise_loopback();
}

int cell_view_open_proc(void) {
        _cleanup_(fd_closep) int fd = fsopen("proc", FSOPEN_CLOEXEC);

        if (fd < 0 || fsconfig(fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
                return -1;
        return fsmount(fd, FSMOUNT_CLOEXEC,
                        MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

/* ---- the tree, below the working directory: paths in it have no slash in front */

/* Facts of the hardware and of the kernel's memory: libraries size themselves by them. */
static const char *const machine_places[] = {
        "sys/bus",
        "sys/class",
        "sys/devices",
        "sys/kernel/mm",
        "dev/full",
        "dev/null",
        "dev/random",
        "dev/tty", /* for a session without a terminal */
        "dev/urandom",
        "dev/zero",
};

static const char *const own_directories[] = {
        "dev/mqueue",
        "dev/pts",
        "dev/shm",
        "proc",
        "run",
        "tmp",
        "var/tmp",
};

static const struct {
        const char *path;
        const char *target;
} own_links[] = {
        { "dev/fd", "/proc/self/fd" },
        { "dev/stdin", "/proc/self/fd/0" },
        { "dev/stdout", "/proc/self/fd/1" },
        { "dev/stderr", "/proc/self/fd/2" },
        { "dev/ptmx", "pts/ptmx" },
        { "var/run", "/run" },
};

/* A kernel may be built without these. */
static const struct {
        const char *path;
        const char *type;
        const char *options;
} own_file_systems[] = {
        { "dev/pts", "devpts", "newinstance,ptmxmode=0666,mode=0600" },
        { "dev/mqueue", "mqueue", NULL },
};

static bool make_directory(const char *path) {
        return mkdir(path, 0755) == 0 || errno == EEXIST || errno == EROFS;
}

static bool make_parents(const char *path) {
        char above[PATH_MAX];

        for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
                snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
                if (!make_directory(above))
                        return false;
        }
        return true;
}

/* Makes a mount point, unless a directory of the machine already has one. */
static bool make_place(const char *path, bool directory) {
        if (!make_parents(path))
                return false;
        if (directory)
                return make_directory(path);
        return mknod(path, S_IFREG | 0444, 0) == 0 || errno == EEXIST || errno == EROFS;
}

/* A link on the machine is a link here. A place that the machine lacks is not missed. */
static bool show_of_machine(const char *path) {
        char source[PATH_MAX], target[PATH_MAX] = "";
        struct stat status;

        snprintf(source, sizeof source, "/%s", path);
        if (lstat(source, &status) < 0)
                return errno == ENOENT || errno == ENOTDIR;
        if (S_ISLNK(status.st_mode))
                return readlink(source, target, sizeof target - 1) > 0 && make_parents(path) &&
                       symlink(target, path) == 0;
        return make_place(path, S_ISDIR(status.st_mode)) && mount(source, path, NULL, MS_BIND | MS_REC, NULL) == 0;
}

/* A file is shown by a mount on a file, so the place must be one too; owners do not matter. */
static bool show_seen(const CellSeen *seen) {
        const char *path = seen->path + strspn(seen->path, "/");
        struct stat status;

        return fstat(seen->fd, &status) == 0 && make_place(path, S_ISDIR(status.st_mode)) &&
               move_mount(seen->fd, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

static bool show_proc(int proc_fd) {
        if (proc_fd < 0)
                return mount("/proc", "proc", NULL, MS_BIND | MS_REC, NULL) == 0;
        return move_mount(proc_fd, "", AT_FDCWD, "proc", MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

#define ONLINE_PATH "sys/devices/system/cpu/online"
#define ONLINE_OWN  "online"

static bool write_online(const cpu_set_t *online) {
        _cleanup_(fd_closep) int fd = open(ONLINE_OWN, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
        char list[256];
        size_t n = cpu_list_format(online, list, sizeof list - 1);

        if (fd < 0 || n >= sizeof list - 1)
                return false;
        list[n++] = '\n';
        return write(fd, list, n) == (ssize_t)n && fchmod(fd, 0444) == 0;
}

/*
 * The C library counts the machine's CPUs by this file, and std::thread::hardware_concurrency() asks the C library. Without the file, or
 * if the kernel refuses, nothing is covered.
 */
static void cover_online(const cpu_set_t *online) {
        if (write_online(online))
                (void)mount(ONLINE_OWN, ONLINE_PATH, NULL, MS_BIND, NULL);
        (void)unlink(ONLINE_OWN);
}

static bool make_own_places(void) {
        for (size_t i = 0; i < N_ELEMENTS(own_directories); i++)
                if (!make_place(own_directories[i], true))
                        return false;
        for (size_t i = 0; i < N_ELEMENTS(own_links); i++)
                if (symlink(own_links[i].target, own_links[i].path) < 0)
                        return false;
        return true;
}

static bool show_machine(void) {
        for (size_t i = 0; i < n_system_directories; i++)
                if (!show_of_machine(system_directories[i]))
                        return false;
        for (size_t i = 0; i < N_ELEMENTS(machine_places); i++)
                if (!show_of_machine(machine_places[i]))
                        return false;
        return true;
}

/* ---- what can be written */

#define SPACE_OPTIONS_MAX 128u

static bool mount_space(const WorkplaceOwner *owner, const char *path) {
        const uid_t uid = owner->other ? owner->uid : geteuid();
        const gid_t gid = owner->other ? owner->gid : getegid();
        char options[SPACE_OPTIONS_MAX];

        snprintf(options, sizeof options, "size=%u,nr_inodes=%u,mode=0700,uid=%u,gid=%u", WORKPLACE_BYTES,
                        WORKPLACE_FILES, uid, gid);
        return mount("benchd", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

static bool mount_workplace(const CellView *view) {
        if (view->work_fd >= 0)
                return move_mount(view->work_fd, "", AT_FDCWD, "tmp", MOVE_MOUNT_F_EMPTY_PATH) == 0;
        return mount_space(view->owner, "tmp");
}

static bool mount_own(void) {
        for (size_t i = 0; i < N_ELEMENTS(own_file_systems); i++)
                if (mount("benchd", own_file_systems[i].path, own_file_systems[i].type, MS_NOSUID | MS_NOEXEC,
                                    own_file_systems[i].options) < 0 &&
                                errno != ENODEV)
                        return false;
        return true;
}

static bool permit_writing(const char *path, bool permitted) {
        struct mount_attr attributes = {
                .attr_set = permitted ? 0 : MOUNT_ATTR_RDONLY,
                .attr_clr = permitted ? MOUNT_ATTR_RDONLY : 0,
        };

        return mount_setattr(AT_FDCWD, path, 0, &attributes, sizeof attributes) == 0;
}

/* The tree itself stays writable until everything is in place. */
static bool forbid_writing(void) {
        struct mount_attr all = { .attr_set = MOUNT_ATTR_RDONLY };

        return mount_setattr(AT_FDCWD, ".", AT_RECURSIVE, &all, sizeof all) == 0 && permit_writing(".", true) &&
               permit_writing("tmp", true);
}

/* ---- all of it */

/*
 * Makes the new tree the root of all processes of the namespace. The old one then lies over it, and is unmounted. (See pivot_root(2),
 * "pivot_root(".", ".")".)
 */
static bool turn_to_tree(void) {
        return syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0;
}

/*
 * A process whose root directory is not that of its mount namespace makes no user namespace (unshare(2), EPERM). This process keeps its
 * root, below the new mount.
 */
static bool cover_root(void) {
        return mount("/run", "/", NULL, MS_BIND, NULL) == 0;
}

/*
 * Only the runner's user can make files in the tree, since the cell knows no other; owning them gives no power once they are
 * read-only. noatime: a link whose access time is due but cannot be written makes each walk through it half as long again.
 */
static bool begin_tree(const WorkplaceOwner *owner) {
        const uid_t uid = owner->other ? owner->uid : geteuid();
        const gid_t gid = owner->other ? owner->gid : getegid();
        char options[SPACE_OPTIONS_MAX];

        snprintf(options, sizeof options, "size=256k,mode=0755,uid=%u,gid=%u", uid, gid);
        if (mount("benchd", CELL_VIEW_WORKPLACE, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOATIME, options) < 0 ||
                        chdir(CELL_VIEW_WORKPLACE) < 0)
                return false;
        umask(0);
        setfsgid(gid);
        setfsuid(uid);
        return true;
}

static void end_as_owner(void) {
        setfsuid(geteuid());
        setfsgid(getegid());
        umask(077);
}

const char *cell_view_enter(void) {
        return chdir(CELL_VIEW_WORKPLACE) < 0 ? "chdir " CELL_VIEW_WORKPLACE : NULL;
}

static const char *build_tree(const CellView *view) {
        if (!make_own_places())
                return "the tree of its cell";
        if (!show_machine())
                return "mount the system's directories";
        if (!show_proc(view->proc_fd))
                return "mount /proc";
        if (view->online)
                cover_online(view->online);
        if (!mount_workplace(view))
                return "mount " CELL_VIEW_WORKPLACE;
        if (!forbid_writing())
                return "mount_setattr";
        return turn_to_tree() ? NULL : "pivot_root";
}

/*
 * Paths that the submitter named may lead over links: by now these are the tree's, and nothing of the machine is
 * writable.
 */
static const char *complete_tree(const CellView *view) {
        for (size_t i = 0; i < view->n_seen; i++)
                if (!show_seen(&view->seen[i]))
                        return "mount a path of --see";
        if (!permit_writing(".", false))
                return "mount_setattr";
        if (!mount_space(view->owner, "dev/shm") || !mount_own())
                return "mount below /dev";
        return NULL;
}

const char *cell_view_close(const CellView *view) {
        const char *step;

        if (!begin_tree(view->owner))
                return "mount a tree of its own";
        step = build_tree(view);
        if (!step)
                step = complete_tree(view);
        end_as_owner();
        if (!step && !cover_root())
                step = "mount over /";
        return step ? step : cell_view_enter();
}
