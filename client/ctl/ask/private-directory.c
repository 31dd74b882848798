/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/private-directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/remove-tree.h"
#include "util/time.h"

#define DIRECTORY_PREFIX   "benchd-"
#define DIRECTORY_PATTERN  DIRECTORY_PREFIX "XXXXXX"
#define DIRECTORY_PATH_MAX 4096u
#define DIRECTORY_TRIES    16u
#define DIRECTORY_REST_NS  (60 * NS_PER_S)

#define DIRECTORY_WORK PRIVATE_DIRECTORY_SOCKET ".work"

/* The names that a daemon gives to files here. A restore journal goes by restoring; one that cannot stays, and the directory with it. */
static const char *const directory_names[] = {
        PRIVATE_DIRECTORY_SOCKET,
        DIRECTORY_WORK,
        PRIVATE_DIRECTORY_LOCK,
        PRIVATE_DIRECTORY_SOCKET ".restore",
        PRIVATE_DIRECTORY_SOCKET ".restore.governor",
};

/* ---- made */

/* True if the lock of @lock_fd still has its name: a sweeping process may have had it first. */
static bool lock_is_there(int directory_fd, int lock_fd) {
        struct stat named, locked;

        return fstatat(directory_fd, PRIVATE_DIRECTORY_LOCK, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
               fstat(lock_fd, &locked) == 0 && named.st_ino == locked.st_ino && named.st_dev == locked.st_dev;
}

/* Locks the directory, and then opens it to others. Returns the lock, or -1 with an errno: EAGAIN where it was swept. */
static int directory_lock(int directory_fd) {
        _cleanup_(fd_closep) int fd = -1;

        fd = openat(directory_fd, PRIVATE_DIRECTORY_LOCK, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 || flock(fd, LOCK_EX) < 0)
                return -1;
        errno = EAGAIN;
        return lock_is_there(directory_fd, fd) && fchmod(directory_fd, 0755) == 0 ? fd_take(&fd) : -1;
}

int private_directory_make(const char *parent, char **ret_path, int *ret_lock_fd) {
        for (unsigned i = 0; i < DIRECTORY_TRIES; i++) {
                _cleanup_(freep) char *path = NULL;
                _cleanup_(fd_closep) int directory_fd = -1, lock_fd = -1;
                int error;

                if (asprintf(&path, "%s/" DIRECTORY_PATTERN, parent) < 0) {
                        path = NULL;
                        return error_origin(-ENOMEM);
                }
                if (!mkdtemp(path))
                        return error_origin(-errno);
                directory_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                lock_fd = directory_fd < 0 ? -1 : directory_lock(directory_fd);
                if (lock_fd >= 0) {
                        *ret_path = take_pointer(path);
                        *ret_lock_fd = fd_take(&lock_fd);
                        return 0;
                }
                error = errno;
                private_directory_remove(path);
                if (error != EAGAIN)
                        return error_origin(-error);
        }
        return error_origin(-EAGAIN);
}

/* ---- removed */

void private_directory_remove(const char *path) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (fd < 0)
                return;
        (void)unlinkat(fd, PRIVATE_DIRECTORY_SOCKET, 0);
        (void)remove_tree(fd, DIRECTORY_WORK);
        (void)unlinkat(fd, PRIVATE_DIRECTORY_LOCK, 0);
        (void)rmdir(path);
}

/* ---- left over */

static bool is_known_name(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(directory_names); i++)
                if (strcmp(name, directory_names[i]) == 0)
                        return true;
        return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool has_known_names_only(int fd) {
        DIR *directory = fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 0));
        struct dirent *entry;
        bool known = directory;

        while (known && (entry = readdir(directory)))
                known = is_known_name(entry->d_name);
        if (directory)
                closedir(directory);
        return known;
}

/* A daemon started here without benchctl has no lock, but answers. */
static bool is_answered(const char *socket_path) {
        _cleanup_(fd_closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        if (fd < 0 || strlen(socket_path) >= sizeof address.sun_path)
                return true;
        strcpy(address.sun_path, socket_path);
        return connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ||
               (errno != ENOENT && errno != ECONNREFUSED);
}

static bool is_left(int fd, const char *socket_path, uint64_t now_ns) {
        struct stat status;

        return fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
               now_ns >= status.st_mtim.tv_sec * NS_PER_S + status.st_mtim.tv_nsec + DIRECTORY_REST_NS &&
               has_known_names_only(fd) && !is_answered(socket_path);
}

/* Locks the directory by its lock file, or itself if there is none yet; returns the lock, or -1 if another process has it. */
static int directory_try_lock(int directory_fd) {
        _cleanup_(fd_closep) int fd =
                        openat(directory_fd, PRIVATE_DIRECTORY_LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

        if (fd < 0 && errno == ENOENT)
                fd = fcntl(directory_fd, F_DUPFD_CLOEXEC, 0);
        return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 ? fd_take(&fd) : -1;
}

static void directory_sweep(const char *path, uint64_t now_ns, PrivateRestore restore) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), lock_fd = -1;
        char socket_path[DIRECTORY_PATH_MAX];

        if (fd < 0 || snprintf(socket_path, sizeof socket_path, "%s/" PRIVATE_DIRECTORY_SOCKET, path) >=
                                        (int)sizeof socket_path)
                return;
        if (!is_left(fd, socket_path, now_ns))
                return;
        lock_fd = directory_try_lock(fd);
        if (lock_fd < 0)
                return;
        restore(socket_path);
        private_directory_remove(path);
}

static bool is_made_here(const char *name) {
        return strlen(name) == strlen(DIRECTORY_PATTERN) &&
               strncmp(name, DIRECTORY_PREFIX, strlen(DIRECTORY_PREFIX)) == 0;
}

void private_directory_sweep(const char *parent, uint64_t now_ns, PrivateRestore restore) {
        DIR *directory = opendir(parent);
        char path[DIRECTORY_PATH_MAX];
        struct dirent *entry;

        if (!directory)
                return;
        while ((entry = readdir(directory)))
                if (is_made_here(entry->d_name) &&
                                snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) < (int)sizeof path)
                        directory_sweep(path, now_ns, restore);
        closedir(directory);
}
