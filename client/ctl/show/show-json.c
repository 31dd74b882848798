/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * json: the document as the library made it, in two-space steps.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>

#include "ctl/base/json-path.h"
#include "ctl/show/show.h"
#include "util/error.h"

/* Writes @n bytes of JSON: jansson escapes control characters but DEL and U+0080 to U+009F, which it never splits over two calls. */
static int write_escaped(const char *bytes, size_t n, void *out) {
        for (size_t i = 0; i < n; i++) {
                const unsigned char byte = bytes[i], next = i + 1 < n ? bytes[i + 1] : 0;
                const bool c1 = byte == 0xc2 && next >= 0x80 && next <= 0x9f;

                if ((c1 || byte == 0x7f ? fprintf(out, "\\u%04x", c1 ? next : byte) : fputc(byte, out)) < 0)
                        return -1;
                i += c1;
        }
        return 0;
}

int show_json(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        errno = 0; /* jansson leaves that of a write as it is, and sets none of its own */
        if (json_dump_callback(json, write_escaped, out, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS)) < 0)
                return error_origin(errno ? -errno : -EIO);
        fputc('\n', out);
        return 0;
}
