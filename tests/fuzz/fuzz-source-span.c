/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The source of a benchmark: whatever a file says, the lines of each definition lie within it, and hold the line where it begins.
 */

#include "ctl/ask/source-span.h"

#include "fuzz.h"
#include "util/cleanup.h"

#define LINES_MAX 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        _cleanup_(freep) char *text = calloc(1, n_data + 1);
        size_t n_lines;

        HOLD(text);
        memcpy(text, data, n_data);
        n_lines = source_count_lines(text);
        for (size_t line = 1; line <= n_lines && line <= LINES_MAX; line++) {
                SourceSpan span;

                HOLD(source_span_find(text, line, &span) == 0);
                HOLD(span.first >= 1 && span.first <= line && line <= span.last);
                HOLD(span.last <= n_lines + 1); /* past the last line's end */
        }
        return 0;
}
