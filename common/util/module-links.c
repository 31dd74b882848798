/* SPDX-License-Identifier: MIT */
#include "util/module-links.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define LINKS_MAGIC      "benchd links 1\n" /* with its 0, 16 bytes */
#define LINKS_ALIGNMENT  16u                /* of a link in the file */
#define LINKS_COPY_BYTES 16384u

/* A table of rows of offset and bytes lies before it. */
typedef struct LinksFooter {
        char magic[16];
        uint64_t n;
} LinksFooter;

static int file_size(int fd, uint64_t *ret_size) {
        struct stat status;

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        *ret_size = status.st_size;
        return 0;
}

/* True if the @n_bytes before the end of the file at @fd of @size bytes could be read into @bytes, a whole number of bytes before @after. */
static bool read_before(int fd, uint64_t size, uint64_t after, void *bytes, size_t n_bytes) {
        return size >= after + n_bytes &&
               pread(fd, bytes, n_bytes, (off_t)(size - after - n_bytes)) == (ssize_t)n_bytes;
}

int module_links_find(int fd, uint32_t number, ModuleLink *ret_link) {
        uint64_t rows[MODULE_LINKS_MAX][2], size;
        LinksFooter footer;
        size_t n_table;
        int r;

        r = file_size(fd, &size);
        if (r)
                return error_trace(r);
        if (!read_before(fd, size, 0, &footer, sizeof footer) ||
                        memcmp(footer.magic, LINKS_MAGIC, sizeof footer.magic) != 0) {
                *ret_link = (ModuleLink){ .n_bytes = size, .n_links = 1 };
                return 0;
        }
        if (footer.n < 1 || footer.n > MODULE_LINKS_MAX)
                return MODULE_LINKS_E_BROKEN;
        n_table = footer.n * sizeof *rows;
        if (!read_before(fd, size, sizeof footer, rows, n_table))
                return MODULE_LINKS_E_BROKEN;
        number %= footer.n;
        if (rows[number][1] == 0 || rows[number][0] > size || rows[number][1] > size - rows[number][0])
                return MODULE_LINKS_E_BROKEN;
        *ret_link = (ModuleLink){ .offset = rows[number][0], .n_bytes = rows[number][1], .n_links = footer.n };
        return 0;
}

/* Copies @n bytes from @offset of @from to where @to is written next. */
static int copy_bytes(int from, uint64_t offset, uint64_t n, int to) {
        char bytes[LINKS_COPY_BYTES];

        while (n > 0) {
                const ssize_t k = pread(from, bytes, n < sizeof bytes ? n : sizeof bytes, (off_t)offset);
                int r;

                if (k < 0 && errno == EINTR)
                        continue;
                if (k <= 0)
                        return error_origin(k < 0 ? -errno : -EIO);
                r = fd_write_all(to, bytes, k);
                if (r)
                        return error_trace(r);
                offset += k;
                n -= k;
        }
        return 0;
}

int module_links_extract(int fd, const ModuleLink *link, int *ret_fd) {
        _cleanup_(fd_closep) int copy = -1;
        int r;

        r = fd_memfd_new("link", &copy);
        if (r == 0)
                r = copy_bytes(fd, link->offset, link->n_bytes, copy);
        if (r)
                return error_trace(r);
        *ret_fd = fd_take(&copy);
        return 0;
}

/* Fills the file at @fd up to a place for a link. */
static int align_end(int fd, uint64_t *ret_end) {
        static const char zeros[LINKS_ALIGNMENT];
        const off_t end = lseek(fd, 0, SEEK_END);
        size_t n;

        if (end < 0)
                return error_origin(-errno);
        n = -(uint64_t)end % LINKS_ALIGNMENT;
        *ret_end = end + n;
        return error_trace(fd_write_all(fd, zeros, n));
}

int module_links_add(ModuleLinksDraft *draft, int fd, int from) {
        uint64_t end, size;
        int r;

        if (draft->n == 0) {
                r = file_size(fd, &size);
                if (r)
                        return error_trace(r);
                draft->rows[draft->n++][1] = size;
        }
        if (draft->n == MODULE_LINKS_MAX)
                return error_origin(-E2BIG);
        r = file_size(from, &size);
        if (r == 0)
                r = align_end(fd, &end);
        if (r == 0)
                r = copy_bytes(from, 0, size, fd);
        if (r)
                return error_trace(r);
        draft->rows[draft->n][0] = end;
        draft->rows[draft->n++][1] = size;
        return 0;
}

int module_links_finish(const ModuleLinksDraft *draft, int fd) {
        const LinksFooter footer = { .magic = LINKS_MAGIC, .n = draft->n };
        uint64_t end;
        int r;

        r = align_end(fd, &end);
        if (r == 0)
                r = fd_write_all(fd, draft->rows, draft->n * sizeof *draft->rows);
        return r ? error_trace(r) : error_trace(fd_write_all(fd, &footer, sizeof footer));
}
