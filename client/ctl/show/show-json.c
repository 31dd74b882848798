/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * json: the document as the library made it, in two-space steps.
 */

#include <errno.h>
#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/show/show.h"
#include "util/error.h"

int show_json(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        errno = 0; /* jansson leaves that of a write as it is, and sets none of its own */
        if (json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS)) < 0)
                return error_origin(errno ? -errno : -EIO);
        fputc('\n', out);
        return 0;
}
