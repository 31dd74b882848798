/* SPDX-License-Identifier: MIT */
#include "util/written-path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define WALK_LINKS_MAX 40u /* as the kernel has it */

/* A path on its way to its file. */
typedef struct Walk {
        int fd;              /* the directory that was reached */
        char rest[PATH_MAX]; /* what is still to go from there */
        unsigned n_links;
} Walk;

static void walk_clear(Walk *walk) {
        walk->fd = fd_close(walk->fd);
}

static int walk_enter(Walk *walk, const char *name, int flags) {
        const int fd = openat(walk->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

        if (fd < 0)
                return error_origin(-errno);
        fd_close(walk->fd);
        walk->fd = fd;
        return 0;
}

/* Begins at the root or at the current directory with @path. */
static int walk_begin(Walk *walk, const char *path) {
        if (snprintf(walk->rest, sizeof walk->rest, "%s", path) >= (int)sizeof walk->rest)
                return error_origin(-ENAMETOOLONG);
        if (!*path)
                return error_origin(-ENOENT);
        return *path == '/' || walk->fd < 0 ? error_trace(walk_enter(walk, *path == '/' ? "/" : ".", 0)) : 0;
}

/* Takes the next name off the rest. Returns true if it is the last one. */
static bool walk_take_name(Walk *walk, char name[static NAME_MAX + 2]) {
        const char *begin = walk->rest + strspn(walk->rest, "/"), *end = begin + strcspn(begin, "/");
        const bool last = !*end;

        snprintf(name, NAME_MAX + 2, "%.*s", (int)(end - begin), begin);
        memmove(walk->rest, end, strlen(end) + 1);
        return last;
}

/* ---- links */

static bool is_magic(const Walk *walk, const char *name) {
        _cleanup_(fd_closep) int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        struct statfs system;

        return fd >= 0 && fstatfs(fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* The descriptor of this process that the magic link @name stands for; -1: none that can be written. */
static int own_descriptor(const Walk *walk, const char *name) {
        struct stat own, named, there, open;
        char *end;
        const long number = strtol(name, &end, 10);

        if (*end || number < 0 || number > INT_MAX || stat("/proc/self/fd", &own) < 0 || fstat(walk->fd, &named) < 0 ||
                        own.st_ino != named.st_ino || own.st_dev != named.st_dev)
                return -1;
        if (fstatat(walk->fd, name, &there, 0) < 0 || fstat((int)number, &open) < 0 || there.st_ino != open.st_ino ||
                        there.st_dev != open.st_dev || (fcntl((int)number, F_GETFL) & O_ACCMODE) == O_RDONLY)
                return -1;
        return (int)number;
}

/* Puts what the link @name says before the rest. */
static int walk_follow(Walk *walk, const char *name) {
        char text[PATH_MAX], whole[PATH_MAX];
        const ssize_t n = readlinkat(walk->fd, name, text, sizeof text - 1);

        if (n < 0)
                return error_origin(-errno);
        text[n] = '\0';
        if (++walk->n_links > WALK_LINKS_MAX)
                return error_origin(-ELOOP);
        if (snprintf(whole, sizeof whole, "%s%s", text, walk->rest) >= (int)sizeof whole)
                return error_origin(-ENAMETOOLONG);
        return error_trace(walk_begin(walk, whole));
}

static bool is_trusted(const struct stat *link) {
        return link->st_uid == 0 || link->st_uid == geteuid();
}

/* ---- the whole way */

typedef enum WalkStep {
        WALK_ON,
        WALK_DONE,
} WalkStep;

static int walk_end(Walk *walk, const char *name, const struct stat *status, WrittenPath *path) {
        *path = (WrittenPath){ .descriptor = -1 };
        path->exists = status;
        if (status && S_ISLNK(status->st_mode)) {
                path->is_magic = true;
                path->descriptor = own_descriptor(walk, name);
                if (fstatat(walk->fd, name, &path->status, 0) < 0)
                        return error_origin(-errno);
        } else if (status)
                path->status = *status;
        path->name = strdup(name);
        if (!path->name)
                return error_origin(-ENOMEM);
        path->directory_fd = fd_take(&walk->fd);
        return WALK_DONE;
}

/* Returns WALK_ON, WALK_DONE, or a negative errno; -EPERM for a link that may not be followed. */
static int walk_step(Walk *walk, WrittenPath *path, bool *ret_foreign) {
        char name[NAME_MAX + 2];
        const bool last = walk_take_name(walk, name);
        struct stat status;

        if (!*name || (last && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)))
                return error_origin(-EISDIR);
        if (fstatat(walk->fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
                return last && errno == ENOENT ? walk_end(walk, name, NULL, path) : error_origin(-errno);
        if (!S_ISLNK(status.st_mode))
                return last ? walk_end(walk, name, &status, path) : error_trace(walk_enter(walk, name, O_NOFOLLOW));
        if (!is_trusted(&status)) {
                *ret_foreign = true;
                return -EPERM;
        }
        if (is_magic(walk, name))
                return last ? walk_end(walk, name, &status, path) : error_trace(walk_enter(walk, name, 0));
        return error_trace(walk_follow(walk, name));
}

int written_path_find(const char *path, WrittenPath *ret_path) {
        _cleanup_(walk_clear) Walk walk = { .fd = AT_FDCWD };
        bool foreign = false;
        int r;

        r = walk_begin(&walk, path);
        while (r == WALK_ON)
                r = walk_step(&walk, ret_path, &foreign);
        if (foreign)
                return WRITTEN_PATH_E_FOREIGN;
        return r == WALK_DONE ? 0 : error_trace(r);
}

void written_path_clear(WrittenPath *path) {
        if (!path->name)
                return;
        path->directory_fd = fd_close(path->directory_fd);
        free(path->name);
        path->name = NULL;
}
