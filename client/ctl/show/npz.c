/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/npz.h"

#include <errno.h>
#include <minizip/zip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/cleanup.h"
#include "util/error.h"

#define NPY_HEAD_BYTES 64u /* values begin at a multiple of it */
#define NPY_HEAD_MAX   256u
#define NPY_MAGIC      "\x93NUMPY\x01\x00"
#define NPY_MAGIC_LEN  8u
#define NPZ_NAME_MAX   64u
#define NPZ_DOS_1980   (1u << 21 | 1u << 16) /* the first day that a zip knows: equal columns give equal files */
#define NPZ_SLICE      (1u << 30)            /* minizip counts in unsigned int */

struct Npz {
        FILE *stream; /* into bytes */
        char *bytes;
        size_t n_bytes;
        zipFile zip; /* NULL: it has ended */
};

/* ---- the zip's file, which is memory */

static voidpf stream_open(voidpf opaque, const void *name, int mode) {
        return opaque;
}

static uLong stream_read(voidpf opaque, voidpf stream, void *bytes, uLong n) {
        return 0;
}

static uLong stream_write(voidpf opaque, voidpf stream, const void *bytes, uLong n) {
        return fwrite(bytes, 1, n, stream);
}

static ZPOS64_T stream_tell(voidpf opaque, voidpf stream) {
        return ftello(stream);
}

static long stream_seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin) {
        return fseeko(stream, offset,
                        origin == ZLIB_FILEFUNC_SEEK_SET   ? SEEK_SET
                        : origin == ZLIB_FILEFUNC_SEEK_CUR ? SEEK_CUR
                                                           : SEEK_END);
}

/* It is closed by its owner, when its length is known. */
static int stream_close(voidpf opaque, voidpf stream) {
        return 0;
}

static int stream_error(voidpf opaque, voidpf stream) {
        return ferror(stream);
}

/* ---- life */

int npz_new(Npz **ret_npz) {
        _cleanup_(npz_freep) Npz *npz = calloc(1, sizeof *npz);
        zlib_filefunc64_def functions = {
                .zopen64_file = stream_open,
                .zread_file = stream_read,
                .zwrite_file = stream_write,
                .ztell64_file = stream_tell,
                .zseek64_file = stream_seek,
                .zclose_file = stream_close,
                .zerror_file = stream_error,
        };

        if (!npz)
                return error_origin(-ENOMEM);
        npz->stream = open_memstream(&npz->bytes, &npz->n_bytes);
        if (!npz->stream)
                return error_origin(-errno);
        functions.opaque = npz->stream;
        npz->zip = zipOpen2_64("", APPEND_STATUS_CREATE, NULL, &functions);
        if (!npz->zip)
                return error_origin(-ENOMEM);
        *ret_npz = take_pointer(npz);
        return 0;
}

Npz *npz_free(Npz *npz) {
        if (!npz)
                return NULL;
        if (npz->zip)
                (void)zipClose(npz->zip, NULL);
        if (npz->stream)
                (void)fclose(npz->stream);
        free(npz->bytes);
        free(npz);
        return NULL;
}

int npz_end(Npz *npz, const void **ret_bytes, size_t *ret_n_bytes) {
        const int outcome = zipClose(npz->zip, NULL);

        npz->zip = NULL;
        if (outcome != ZIP_OK || fflush(npz->stream) != 0)
                return error_origin(-ENOMEM);
        *ret_bytes = npz->bytes;
        *ret_n_bytes = npz->n_bytes;
        return 0;
}

/* ---- columns */

static int zip_write(zipFile zip, const void *bytes, size_t n) {
        for (size_t at = 0; at < n; at += NPZ_SLICE)
                if (zipWriteInFileInZip(zip, (const char *)bytes + at, n - at < NPZ_SLICE ? n - at : NPZ_SLICE) !=
                                ZIP_OK)
                        return -ENOMEM;
        return 0;
}

/* The head of an .npy file: its form as text, filled with spaces up to the values. Returns its length. */
static size_t npy_head(const char *type, const char *shape, char head[static NPY_HEAD_MAX]) {
        const size_t before = NPY_MAGIC_LEN + sizeof(uint16_t);
        size_t n, n_text;

        memcpy(head, NPY_MAGIC, NPY_MAGIC_LEN);
        n_text = snprintf(head + before, NPY_HEAD_MAX - before,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
        n = (before + n_text + 1 + NPY_HEAD_BYTES - 1) / NPY_HEAD_BYTES * NPY_HEAD_BYTES;
        memset(head + before + n_text, ' ', n - before - n_text - 1);
        head[n - 1] = '\n';
        head[NPY_MAGIC_LEN] = (char)((n - before) & 0xff);
        head[NPY_MAGIC_LEN + 1] = (char)((n - before) >> 8);
        return n;
}

static int npz_add(Npz *npz, const char *name, const char *type, const char *shape, const void *values,
                size_t n_bytes) {
        const zip_fileinfo info = { .dosDate = NPZ_DOS_1980 };
        char file[NPZ_NAME_MAX], head[NPY_HEAD_MAX];
        size_t n_head = npy_head(type, shape, head);

        snprintf(file, sizeof file, "%s.npy", name);
        if (zipOpenNewFileInZip64(npz->zip, file, &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED, Z_DEFAULT_COMPRESSION,
                            n_bytes >= NPZ_SLICE) != ZIP_OK ||
                        zip_write(npz->zip, head, n_head) || zip_write(npz->zip, values, n_bytes) ||
                        zipCloseFileInZip(npz->zip) != ZIP_OK)
                return error_origin(-ENOMEM);
        return 0;
}

int npz_add_column(Npz *npz, const char *name, NpzType type, const void *values, size_t n) {
        static const struct {
                const char *type; /* with the bytes of this machine, which is little-endian */
                size_t size;
        } rows[_NPZ_TYPE_N] = {
                [NPZ_U8] = { "|u1", sizeof(uint8_t) },
                [NPZ_U16] = { "<u2", sizeof(uint16_t) },
                [NPZ_U32] = { "<u4", sizeof(uint32_t) },
                [NPZ_U64] = { "<u8", sizeof(uint64_t) },
                [NPZ_F64] = { "<f8", sizeof(double) },
        };
        char shape[32];

        snprintf(shape, sizeof shape, "%zu,", n);
        return error_trace(npz_add(npz, name, rows[type].type, shape, values, n * rows[type].size));
}

/* ---- texts: numpy's have as many characters each, of four bytes */

/* The next character of @text, which is moved on; what is no UTF-8 becomes U+FFFD. */
static uint32_t next_character(const char **text) {
        const unsigned char *bytes = (const unsigned char *)*text;
        const size_t n = *bytes < 0x80 ? 1 : *bytes >= 0xf0 ? 4 : *bytes >= 0xe0 ? 3 : *bytes >= 0xc0 ? 2 : 0;
        uint32_t character = n == 1 ? *bytes : n > 1 ? *bytes & (0x7f >> n) : 0xfffd;

        for (size_t i = 1; i < n; i++) {
                if ((bytes[i] & 0xc0) != 0x80) {
                        *text += i;
                        return 0xfffd;
                }
                character = character << 6 | (bytes[i] & 0x3f);
        }
        *text += n > 0 ? n : 1;
        return character;
}

static size_t text_length(const char *text) {
        size_t n = 0;

        while (*text) {
                (void)next_character(&text);
                n++;
        }
        return n;
}

static int npz_add_shaped_texts(Npz *npz, const char *name, const char *shape, const char *const *texts, size_t n) {
        _cleanup_(freep) uint32_t *characters = NULL;
        char type[32];
        size_t longest = 1;

        for (size_t i = 0; i < n; i++) {
                const size_t length = text_length(texts[i]);

                longest = length > longest ? length : longest;
        }
        characters = calloc(n * longest + 1, sizeof *characters);
        if (!characters)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                const char *text = texts[i];

                for (size_t at = i * longest; *text; at++)
                        characters[at] = next_character(&text);
        }
        snprintf(type, sizeof type, "<U%zu", longest);
        return error_trace(npz_add(npz, name, type, shape, characters, n * longest * sizeof *characters));
}

int npz_add_texts(Npz *npz, const char *name, const char *const *texts, size_t n) {
        char shape[32];

        snprintf(shape, sizeof shape, "%zu,", n);
        return error_trace(npz_add_shaped_texts(npz, name, shape, texts, n));
}

int npz_add_text(Npz *npz, const char *name, const char *text) {
        return error_trace(npz_add_shaped_texts(npz, name, "", &text, 1));
}
