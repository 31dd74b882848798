/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/git/changed-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/remove-tree.h"

/* Makes the directories on the way to @path, from its byte @begin on. */
static int make_parents(char *path, size_t begin) {
        for (char *slash = strchr(path + begin, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                if (mkdir(path, 0777) < 0 && errno != EEXIST)
                        return error_origin(-errno);
                *slash = '/';
        }
        return 0;
}

/* Whatever is at @path is in the way. */
static int make_room(const char *path) {
        if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
                return 0;
        return remove_tree(AT_FDCWD, path) == 0 ? 0 : error_origin(-EBUSY);
}

static int copy_link(const char *from, const char *to) {
        char target[PATH_MAX];
        const ssize_t n = readlink(from, target, sizeof target - 1);

        if (n < 0)
                return error_origin(-errno);
        target[n] = '\0';
        return symlink(target, to) < 0 ? error_origin(-errno) : 0;
}

static int copy_bytes(const char *from, const char *to, const struct stat *status) {
        _cleanup_(fd_closep) int in_fd = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), out_fd = -1;

        if (in_fd < 0)
                return error_origin(-errno);
        out_fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status->st_mode & 0777);
        if (out_fd < 0)
                return error_origin(-errno);
        return error_trace(fd_copy(in_fd, out_fd, 0, (size_t)status->st_size));
}

int changed_file_copy(const char *from_tree, const char *to_tree, const char *name) {
        char from[PATH_MAX], to[PATH_MAX];
        struct stat status;
        int r;

        if (snprintf(from, sizeof from, "%s/%s", from_tree, name) >= (int)sizeof from ||
                        snprintf(to, sizeof to, "%s/%s", to_tree, name) >= (int)sizeof to)
                return error_origin(-ENAMETOOLONG);
        if (lstat(from, &status) < 0)
                return errno == ENOENT || errno == ENOTDIR ? make_room(to) : error_origin(-errno);
        if (S_ISDIR(status.st_mode))
                (void)unlink(to); /* which fails for a directory */
        if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
                return 0;
        r = make_room(to);
        if (r == 0)
                r = make_parents(to, strlen(to_tree) + 1);
        if (r)
                return r;
        return S_ISLNK(status.st_mode) ? copy_link(from, to) : copy_bytes(from, to, &status);
}
