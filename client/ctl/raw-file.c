/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/raw-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/npz.h"
#include "ctl/raw.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

DEFINE_CLEANUP(Npz *, npz_free)

int raw_file_open(const char *path, RawFile *ret_file) {
        RawFile file = { .path = path, .created = true };

        file.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file.fd < 0 && errno == EEXIST) {
                file.created = false;
                file.fd = open(path, O_WRONLY | O_CLOEXEC);
        }
        if (file.fd < 0)
                return error_origin(-errno);
        *ret_file = file;
        return 0;
}

int raw_file_write(RawFile *file, const json_t *result) {
        _cleanup_(npz_freep) Npz *npz = NULL;
        struct stat status;
        const void *bytes;
        size_t n_bytes;
        int r;

        r = raw_make(result, &npz, &bytes, &n_bytes);
        if (r)
                return r > 0 ? r : error_trace(r);
        if (fstat(file->fd, &status) < 0 || (S_ISREG(status.st_mode) && ftruncate(file->fd, 0) < 0))
                return error_origin(-errno);
        file->written = true;
        return error_trace(fd_write_all(file->fd, bytes, n_bytes));
}

int raw_file_close(RawFile *file) {
        if (!file->path)
                return 0;
        if (file->created && !file->written)
                (void)unlink(file->path);
        return close(file->fd) < 0 ? error_origin(-errno) : 0;
}
