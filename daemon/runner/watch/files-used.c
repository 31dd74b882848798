/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/watch/files-used.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ops/block.h"
#include "ops/runner-plan.h"

#define FILES_USED_DEPTH 4u
#define FILES_USED_MAX   1024u /* directory entries that are checked: a millisecond */

typedef struct FilesWalk {
        struct timespec since;
        uint32_t found; /* FILE_KIND_* */
        unsigned n_left;
        dev_t device; /* of the directory: mounts below it (--see) are skipped */
} FilesWalk;

static bool is_in_memory(int fd) {
        struct statfs system;

        return fstatfs(fd, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == (int)RAMFS_MAGIC ||
                                                            system.f_type == (int)HUGETLBFS_MAGIC);
}

static bool is_changed(const struct stat *status, const struct timespec *since) {
        return status->st_ctim.tv_sec > since->tv_sec ||
               (status->st_ctim.tv_sec == since->tv_sec && status->st_ctim.tv_nsec > since->tv_nsec);
}

void files_used_begin(struct timespec *ret_since) {
        clock_gettime(CLOCK_REALTIME, ret_since);
}

/* ---- open descriptors */

/* An unchanged memfd may be the loader's. */
static uint32_t kinds_of_file(int fd, const struct stat *status, const struct timespec *since) {
        if (!is_in_memory(fd))
                return FILE_KIND_DISK;
        if (is_changed(status, since))
                return FILE_KIND_MEMORY | FILE_KIND_MEMORY_CHANGED;
        return fcntl(fd, F_GET_SEALS) < 0 ? FILE_KIND_MEMORY : 0;
}

static uint32_t kinds_of(int fd, const struct timespec *since) {
        struct stat status;

        if (fstat(fd, &status) < 0)
                return 0;
        switch (status.st_mode & S_IFMT) {
        case S_IFREG:
                return kinds_of_file(fd, &status, since);
        case S_IFSOCK:
                return FILE_KIND_SOCKET;
        case S_IFIFO:
                return FILE_KIND_PIPE;
        case S_IFCHR:
        case S_IFBLK:
                return FILE_KIND_DEVICE;
        default:
                return S_ISDIR(status.st_mode) ? 0 : FILE_KIND_EVENT;
        }
}

/* Files that the runner was given are memfds. A body may use free numbers between them and the other descriptors. */
static bool is_own(int fd) {
        return fd < RUNNER_FD_MODULE || (fd >= RUNNER_FD_COUNTERS && fd <= RUNNER_FD_STATUS);
}

/* ---- directories */

static void walk(FilesWalk *walk_, int directory_fd, unsigned depth);

static void walk_entry(FilesWalk *walk_, int directory_fd, const char *name, unsigned depth) {
        struct stat status;

        if (walk_->n_left == 0 || fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
                return;
        walk_->n_left--;
        if (status.st_dev != walk_->device)
                return;
        if (S_ISREG(status.st_mode))
                walk_->found |= FILE_KIND_MEMORY | (is_changed(&status, &walk_->since) ? FILE_KIND_MEMORY_CHANGED : 0);
        if (S_ISDIR(status.st_mode) && depth > 1)
                walk(walk_, openat(directory_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth - 1);
}

/* Takes over @directory_fd, which may be -1. A directory's time changes with the names in it. */
static void walk(FilesWalk *walk_, int directory_fd, unsigned depth) {
        DIR *directory = directory_fd < 0 ? NULL : fdopendir(directory_fd);
        struct stat status;

        if (!directory) {
                if (directory_fd >= 0)
                        close(directory_fd);
                return;
        }
        if (fstat(directory_fd, &status) == 0 && is_changed(&status, &walk_->since))
                walk_->found |= FILE_KIND_MEMORY | FILE_KIND_MEMORY_CHANGED;
        for (struct dirent *entry; (entry = readdir(directory));)
                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                        walk_entry(walk_, directory_fd, entry->d_name, depth);
        closedir(directory);
}

/* Without a cell other programs use /dev/shm too, so its changes prove nothing. */
static bool is_of_run(int directory_fd, dev_t *ret_device) {
        struct stat status;

        if (fstat(directory_fd, &status) < 0 || status.st_uid != geteuid() || !is_in_memory(directory_fd))
                return false;
        *ret_device = status.st_dev;
        return true;
}

static void walk_place(FilesWalk *walk_, const char *path) {
        const int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

        if (fd >= 0 && is_of_run(fd, &walk_->device))
                walk(walk_, fd, FILES_USED_DEPTH);
        else if (fd >= 0)
                close(fd);
}

/* ---- both */

uint32_t files_used_find(const struct timespec *since) {
        FilesWalk walk_ = { .since = *since, .n_left = FILES_USED_MAX };

        for (int fd = 0; fd < (int)RUNNER_FDS_MAX; fd++)
                if (!is_own(fd))
                        walk_.found |= kinds_of(fd, since);
        walk_place(&walk_, getenv("TMPDIR"));
        walk_place(&walk_, ".");
        walk_place(&walk_, "/dev/shm");
        return walk_.found;
}
