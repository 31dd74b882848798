/* SPDX-License-Identifier: MIT */
#include "util/root-dir.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int root_dir_fd(const RootDir *root) {
        return root->fd;
}

static int root_dir_open(RootDir *root, const char *path, int flags, int *ret_fd) {
        int fd;

        fd = openat(root->fd, path, flags | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
                return ROOT_DIR_E_MISSING;
        if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
                return ROOT_DIR_E_DENIED;
        if (fd < 0)
                return error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

/*
 * Errors of reading or writing an open file of /proc or /sys are answers: gone meanwhile, not permitted, or not now.
 * Only errors that a broken program would cause are fatal.
 */
static int access_outcome(int error) {
        static const struct {
                int error, outcome;
        } outcomes[] = {
                { ESRCH, ROOT_DIR_E_MISSING },
                { ENODEV, ROOT_DIR_E_MISSING },
                { ENXIO, ROOT_DIR_E_MISSING },
                { EACCES, ROOT_DIR_E_DENIED },
                { EPERM, ROOT_DIR_E_DENIED },
                { EROFS, ROOT_DIR_E_DENIED },
                { EBADF, -EBADF },
                { EFAULT, -EFAULT },
                { EFBIG, -EFBIG },
                { EISDIR, -EISDIR },
                { ENOMEM, -ENOMEM },
        };

        for (size_t i = 0; i < N_ELEMENTS(outcomes); i++)
                if (error == outcomes[i].error)
                        return error_trace(outcomes[i].outcome);
        return ROOT_DIR_E_REFUSED;
}

int root_dir_read(RootDir *root, const char *path, char *buffer, size_t n_buffer) {
        _cleanup_(fd_closep) int fd = -1;
        size_t n;
        int r;

        r = root_dir_open(root, path, O_RDONLY, &fd);
        if (r)
                return error_trace(r);

        r = fd_try_read_start(fd, buffer, n_buffer - 1, &n);
        if (r)
                return access_outcome(-r);
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

int root_dir_write(RootDir *root, const char *path, const char *text) {
        _cleanup_(fd_closep) int fd = -1;
        ssize_t n;
        int r;

        r = root_dir_open(root, path, O_WRONLY | O_TRUNC, &fd);
        if (r)
                return error_trace(r);
        do
                n = write(fd, text, strlen(text));
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return access_outcome(errno);
        return (size_t)n == strlen(text) ? 0 : ROOT_DIR_E_REFUSED;
}

static bool name_number(const char *name, const char *prefix, unsigned *ret_number) {
        unsigned long number;
        char *end;

        if (strncmp(name, prefix, strlen(prefix)) != 0)
                return false;
        name += strlen(prefix);
        if (!isdigit((unsigned char)*name))
                return false;
        number = strtoul(name, &end, 10);
        if (*end || number > 0xffffffff)
                return false;
        *ret_number = number;
        return true;
}

static int compare_numbers(const void *a, const void *b) {
        unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

        return (x > y) - (x < y);
}

int root_dir_numbers(RootDir *root, const char *path, const char *prefix, unsigned *numbers, size_t max,
                size_t *ret_n) {
        _cleanup_(fd_closep) int fd = -1;
        struct dirent *entry;
        size_t n = 0;
        DIR *stream;
        int r;

        r = root_dir_open(root, path, O_RDONLY | O_DIRECTORY, &fd);
        if (r < 0)
                return error_trace(r);
        if (r > 0) {
                *ret_n = 0;
                return 0;
        }
        stream = fdopendir(fd);
        if (!stream)
                return error_origin(-errno);
        fd_take(&fd);
        while (n < max && (entry = readdir(stream)))
                n += name_number(entry->d_name, prefix, &numbers[n]);
        closedir(stream);
        qsort(numbers, n, sizeof *numbers, compare_numbers);
        *ret_n = n;
        return 0;
}
