/* SPDX-License-Identifier: MIT */
#include "util/root-dir.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

struct RootDir {
        int fd;
};

int root_dir_new(const char *path, RootDir **ret_root) {
        RootDir *root;
        int fd;

        fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return error_origin(-errno);
        root = malloc(sizeof *root);
        if (!root) {
                fd_close(fd);
                return error_origin(-ENOMEM);
        }
        root->fd = fd;
        *ret_root = root;
        return 0;
}

RootDir *root_dir_free(RootDir *root) {
        if (!root)
                return NULL;
        fd_close(root->fd);
        free(root);
        return NULL;
}

int root_dir_read(RootDir *root, const char *path, char *buffer, size_t n_buffer) {
        _cleanup_(fd_closep) int fd = -1;
        size_t n;
        int r;

        fd = openat(root->fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
                return ROOT_DIR_E_MISSING;
        if (fd < 0 && (errno == EACCES || errno == EPERM))
                return ROOT_DIR_E_DENIED;
        if (fd < 0)
                return error_origin(-errno);

        r = fd_read_start(fd, buffer, n_buffer - 1, &n);
        if (r)
                return error_trace(r);
        buffer[n] = 0;
        return 0;
}

int root_dir_read_line(RootDir *root, const char *path, char *buffer, size_t n_buffer) {
        int r;

        r = root_dir_read(root, path, buffer, n_buffer);
        if (r)
                return r;
        buffer[strcspn(buffer, "\n")] = 0;
        return 0;
}
