/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/workplace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/fd.h"
#include "util/remove-tree.h"
#include "util/time.h"

#define WORKPLACE_RUN  "/run/benchd"
#define WORKPLACE_BASE WORKPLACE_RUN "/work" /* as in benchd-launch.service */

#define WORKPLACE_ELSEWHERE "/tmp/benchd-work-XXXXXX" /* open to all users, wherever the socket lies */

#define WORKPLACE_OWN "work" /* the runner's directory, inside the hidden one */

/* Other users may pass the directory but not list it, so they would have to know the names. */
#define WORKPLACE_PASSABLE 0711
#define WORKPLACE_WRITABLE 0733

/* A dying process may still be writing. */
#define WORKPLACE_TRIES    5u
#define WORKPLACE_PAUSE_NS (4 * NS_PER_MS)

/* ---- acting as the owner on files: setfsuid() lets no process of that user signal or trace the zygote */

static void owner_begin(const WorkplaceOwner *owner) {
        if (!owner->other)
                return;
        setfsgid(owner->gid);
        setfsuid(owner->uid);
}

static void owner_end(const WorkplaceOwner *owner) {
        if (!owner->other)
                return;
        setfsuid(geteuid());
        setfsgid(getegid());
}

/* ---- where they are */

static bool mount_space(const char *path, const char *options) {
        return mount("benchd", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

static bool make_directory(const char *path, mode_t mode) {
        return (mkdir(path, mode) == 0 || errno == EEXIST) && chmod(path, mode) == 0;
}

static void place_path(const Workplaces *workplaces, size_t i, char path[static WORKPLACE_PATH_MAX]) {
        snprintf(path, WORKPLACE_PATH_MAX, "%s/%zu", workplaces->base, i);
}

/*
 * The mounts are visible in this namespace alone, and vanish with its last process. They lie on the directory that an
 * installation has for the daemon.
 */
static bool workplaces_mount(Workplaces *workplaces) {
        char options[64], path[WORKPLACE_PATH_MAX];

        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
                return false;
        if (mkdir(WORKPLACE_RUN, 0755) == 0)
                (void)chmod(WORKPLACE_RUN, 0755);
        snprintf(options, sizeof options, "size=%u,nr_inodes=%u,mode=%o", WORKPLACE_BYTES, WORKPLACE_FILES,
                        WORKPLACE_PASSABLE);
        if (!mount_space(WORKPLACE_RUN, "size=64k,mode=0755") || !make_directory(WORKPLACE_BASE, WORKPLACE_PASSABLE) ||
                        !mount_space(WORKPLACE_BASE, options))
                return false;
        strcpy(workplaces->base, WORKPLACE_BASE);
        for (size_t i = 0; i < WORKPLACES_MOUNTED; i++) {
                place_path(workplaces, i, path);
                if (!make_directory(path, WORKPLACE_PASSABLE) || !mount_space(path, options))
                        return false;
                workplaces->places[i].mounted = true;
        }
        return true;
}

static bool is_mount_point(const char *path, dev_t beside) {
        struct stat status;

        return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_dev != beside;
}

static void workplaces_find_mounted(Workplaces *workplaces) {
        char path[WORKPLACE_PATH_MAX];
        struct stat status;

        if (stat(workplaces->base, &status) < 0)
                return;
        for (size_t i = 0; i < WORKPLACES_MOUNTED; i++) {
                place_path(workplaces, i, path);
                workplaces->places[i].mounted = is_mount_point(path, status.st_dev);
        }
}

/* ---- removing */

static bool is_hidden_name(const char *name) {
        return strlen(name) == WORKPLACE_NAME_DIGITS && strspn(name, "0123456789abcdef") == WORKPLACE_NAME_DIGITS;
}

/* Removes the runner's files with the rights of @owner; a dying process may add some meanwhile. */
static bool remove_hidden(int parent_fd, const char *name, const WorkplaceOwner *owner) {
        const struct timespec pause = { .tv_nsec = WORKPLACE_PAUSE_NS };
        _cleanup_(fd_closep) int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        for (unsigned i = 0; fd >= 0 && i < WORKPLACE_TRIES; i++) {
                if (unlinkat(fd, WORKPLACE_OWN, AT_REMOVEDIR) < 0 && errno != ENOENT) {
                        owner_begin(owner);
                        (void)remove_tree(fd, WORKPLACE_OWN);
                        owner_end(owner);
                }
                if (unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 ||
                                (!owner->other && remove_tree(parent_fd, name) == 0))
                        return true;
                nanosleep(&pause, NULL);
        }
        return fd < 0 && errno == ENOENT;
}

/* Takes the owner from the directory itself. */
static void remove_left(int base_fd, const char *name) {
        WorkplaceOwner owner = {};
        char path[NAME_MAX + sizeof "/" WORKPLACE_OWN];
        struct stat status;

        snprintf(path, sizeof path, "%s/" WORKPLACE_OWN, name);
        if (fstatat(base_fd, path, &status, AT_SYMLINK_NOFOLLOW) == 0)
                owner = (WorkplaceOwner){
                        .other = status.st_uid != geteuid(),
                        .uid = status.st_uid,
                        .gid = status.st_gid,
                };
        (void)remove_hidden(base_fd, name, &owner);
}

/* An earlier daemon that was killed could not remove its own. */
static void workplaces_sweep(const Workplaces *workplaces) {
        DIR *directory = opendir(workplaces->base);
        struct dirent *entry;

        if (!directory)
                return;
        while ((entry = readdir(directory)))
                if (is_hidden_name(entry->d_name))
                        remove_left(dirfd(directory), entry->d_name);
        closedir(directory);
}

/* ---- all of them */

/* Makes a directory that is surely this user's own, not planted by another. */
static bool make_base(const char *path) {
        _cleanup_(fd_closep) int fd = -1;
        struct stat status;

        errno = ENAMETOOLONG;
        if (strlen(path) >= sizeof((Workplaces *)NULL)->base ||
                        (mkdir(path, WORKPLACE_PASSABLE) < 0 && errno != EEXIST))
                return false;
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &status) < 0)
                return false;
        errno = EPERM;
        return status.st_uid == geteuid() && fchmod(fd, WORKPLACE_PASSABLE) == 0;
}

/* True if any user may pass @path and all directories above it. */
static bool is_open_to_all(const char *path) {
        _cleanup_(fd_closep) int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        struct stat status, above;

        if (fd < 0 || fstat(fd, &status) < 0)
                return false;
        while (status.st_mode & S_IXOTH) {
                const int above_fd = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

                if (above_fd < 0)
                        return false;
                fd_close(fd);
                fd = above_fd;
                if (fstat(fd, &above) < 0)
                        return false;
                if (above.st_dev == status.st_dev && above.st_ino == status.st_ino)
                        return true;
                status = above;
        }
        return false;
}

/*
 * Root's runners are another user, who also opens files in the directory by path: inside root's private directories
 * that fails.
 */
static bool has_open_base(const char *path) {
        char above[WORKPLACE_PATH_MAX];
        char *slash;

        if (geteuid() != 0)
                return true;
        snprintf(above, sizeof above, "%s", path);
        slash = strrchr(above, '/');
        if (slash)
                slash[slash == above] = '\0';
        return is_open_to_all(slash ? above : ".");
}

static bool make_base_elsewhere(char path[static WORKPLACE_PATH_MAX / 2]) {
        strcpy(path, WORKPLACE_ELSEWHERE);
        return mkdtemp(path) && chmod(path, WORKPLACE_PASSABLE) == 0;
}

void workplaces_open(const char *beside, bool may_mount, Workplaces *ret_workplaces) {
        bool made;

        if (!beside)
                beside = WORKPLACE_BASE;
        *ret_workplaces = (Workplaces){};
        if (may_mount && workplaces_mount(ret_workplaces))
                return;
        *ret_workplaces = (Workplaces){};
        if (has_open_base(beside)) {
                made = make_base(beside);
                snprintf(ret_workplaces->base, sizeof ret_workplaces->base, "%s", beside);
        } else {
                made = make_base_elsewhere(ret_workplaces->base);
        }
        if (!made) {
                fprintf(stderr, "benchd-launch: %s cannot be made: %m. Benchmarks run in / instead, without a directory to write to.\n",
                                ret_workplaces->base);
                ret_workplaces->base[0] = '\0';
                return;
        }
        ret_workplaces->made_base = strcmp(beside, WORKPLACE_BASE) != 0;
        workplaces_find_mounted(ret_workplaces);
        workplaces_sweep(ret_workplaces);
}

void workplaces_close(Workplaces *workplaces) {
        for (size_t i = 0; i < WORKPLACES_MAX; i++)
                workplace_clear(workplaces, i);
        if (workplaces->made_base)
                (void)rmdir(workplaces->base);
}

/* ---- one */

static void place_parent(const Workplaces *workplaces, size_t i, char path[static WORKPLACE_PATH_MAX]) {
        if (workplaces->places[i].mounted)
                place_path(workplaces, i, path);
        else
                strcpy(path, workplaces->base);
}

static bool draw_name(char name[static WORKPLACE_NAME_DIGITS + 1]) {
        uint8_t bytes[WORKPLACE_NAME_DIGITS / 2];

        if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
                return false;
        for (size_t i = 0; i < sizeof bytes; i++)
                sprintf(name + 2 * i, "%02x", bytes[i]);
        return true;
}

const char *workplace_take(Workplaces *workplaces, size_t i, const WorkplaceOwner *owner,
                char path[static WORKPLACE_PATH_MAX]) {
        char parent[WORKPLACE_PATH_MAX];
        Workplace *place;
        size_t n;

        if (!workplaces->base[0] || i >= WORKPLACES_MAX)
                return NULL;
        workplace_clear(workplaces, i);
        place = &workplaces->places[i];
        place_parent(workplaces, i, parent);
        if (!draw_name(place->name))
                return NULL;
        place->owner = *owner;
        n = (size_t)snprintf(path, WORKPLACE_PATH_MAX, "%s/%s", parent, place->name);
        if (n >= WORKPLACE_PATH_MAX || mkdir(path, 0700) < 0 || chmod(path, WORKPLACE_WRITABLE) < 0)
                return NULL;
        strncat(path, "/" WORKPLACE_OWN, WORKPLACE_PATH_MAX - n - 1);
        return path;
}

bool workplace_enter(const char *path, const WorkplaceOwner *owner) {
        char hidden[WORKPLACE_PATH_MAX];
        bool entered;
        int error;

        owner_begin(owner);
        entered = mkdir(path, 0700) == 0 && chdir(path) == 0;
        error = errno;
        owner_end(owner);
        strcpy(hidden, path);
        *strrchr(hidden, '/') = '\0';
        (void)chmod(hidden, WORKPLACE_PASSABLE); /* nothing more can be put beside it */
        errno = error;
        return entered;
}

bool workplace_follow(const char *path, const WorkplaceOwner *owner) {
        bool entered;

        owner_begin(owner);
        entered = chdir(path) == 0;
        owner_end(owner);
        return entered;
}

bool workplace_make_below(const char *name, const WorkplaceOwner *owner) {
        bool entered;
        int error;

        owner_begin(owner);
        entered = mkdir(name, 0700) == 0 && chdir(name) == 0;
        error = errno;
        owner_end(owner);
        errno = error;
        return entered;
}

bool workplace_enter_open(int fd, const WorkplaceOwner *owner) {
        bool entered;
        int error;

        owner_begin(owner);
        entered = fchdir(fd) == 0;
        error = errno;
        owner_end(owner);
        errno = error;
        return entered;
}

void workplace_clear(Workplaces *workplaces, size_t i) {
        _cleanup_(fd_closep) int parent_fd = -1;
        Workplace *place = &workplaces->places[i];
        char parent[WORKPLACE_PATH_MAX];

        if (!place->name[0])
                return;
        place_parent(workplaces, i, parent);
        parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (parent_fd < 0 || remove_hidden(parent_fd, place->name, &place->owner))
                place->name[0] = '\0';
}
