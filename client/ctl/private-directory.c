/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/private-directory.h"

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

#define DIRECTORY_SOCKET "benchd.sock"
#define DIRECTORY_WORK   DIRECTORY_SOCKET ".work"

/* The names that a daemon gives to files here. A restore journal goes by restoring; one that cannot stays, and the directory with it. */
static const char *const directory_names[] = {
        DIRECTORY_SOCKET,
        DIRECTORY_WORK,
        DIRECTORY_SOCKET ".restore",
        DIRECTORY_SOCKET ".restore.governor",
};

/* ---- made */

/* True if the directory of @lock_fd still has its name: somebody who sweeps may have had the lock first. */
static bool directory_is_there(const char *path, int lock_fd) {
        struct stat named, locked;

        return stat(path, &named) == 0 && fstat(lock_fd, &locked) == 0 && named.st_ino == locked.st_ino &&
               named.st_dev == locked.st_dev;
}

int private_directory_make(const char *parent, char **ret_path, int *ret_lock_fd) {
        for (unsigned i = 0; i < DIRECTORY_TRIES; i++) {
                _cleanup_(freep) char *path = NULL;
                _cleanup_(fd_closep) int fd = -1;

                if (asprintf(&path, "%s/" DIRECTORY_PATTERN, parent) < 0) {
                        path = NULL;
                        return error_origin(-ENOMEM);
                }
                if (!mkdtemp(path))
                        return error_origin(-errno);
                fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
                if (fd < 0 || flock(fd, LOCK_EX) < 0 || fchmod(fd, 0755) < 0) {
                        int error = errno;

                        rmdir(path);
                        return error_origin(-error);
                }
                if (!directory_is_there(path, fd))
                        continue;
                *ret_path = take_pointer(path);
                *ret_lock_fd = fd_take(&fd);
                return 0;
        }
        return error_origin(-EAGAIN);
}

/* ---- removed */

void private_directory_remove(const char *path) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (fd < 0)
                return;
        (void)unlinkat(fd, DIRECTORY_SOCKET, 0);
        (void)remove_tree(fd, DIRECTORY_WORK);
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

/* A daemon of an earlier version has no lock, but it answers. */
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

static void directory_sweep(const char *path, uint64_t now_ns, PrivateRestore restore) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        char socket_path[DIRECTORY_PATH_MAX];

        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 ||
                        snprintf(socket_path, sizeof socket_path, "%s/" DIRECTORY_SOCKET, path) >=
                                        (int)sizeof socket_path)
                return;
        if (!is_left(fd, socket_path, now_ns))
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
