/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/raw-file.h"

#include <stddef.h>

#include "ctl/show/npz.h"
#include "ctl/show/raw.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

int raw_file_open(const char *path, RawFile *ret_file) {
        RawFile file = { .path = path };
        int r;

        r = file_draft_open(path, &file.draft);
        if (r)
                return error_trace(r);
        *ret_file = file;
        return 0;
}

int raw_file_write(RawFile *file, const json_t *result) {
        _cleanup_(npz_freep) Npz *npz = NULL;
        const void *bytes;
        size_t n_bytes;
        int r;

        r = raw_make(result, &npz, &bytes, &n_bytes);
        if (r)
                return error_trace(r);
        file->failed = true;
        r = file_draft_begin(&file->draft);
        if (r == 0)
                r = fd_write_all(file->draft.fd, bytes, n_bytes);
        file->failed = r;
        return error_trace(r);
}

int raw_file_close(RawFile *file) {
        int r = 0;

        if (!file->path)
                return 0;
        if (!file->failed)
                r = file_draft_commit(&file->draft);
        file_draft_clear(&file->draft);
        return error_trace(r);
}
