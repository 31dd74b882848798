/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/bisect/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ask/bisect/measure.h"
#include "ctl/ask/bisect/range.h"
#include "ctl/ask/bisect/search.h"
#include "ctl/base/terminal.h"
#include "ctl/base/typeset.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

#define SUBJECT_WIDTH 36u /* so that a line has 80 columns */
#define RATIO_WIDTH   16u

/* Prints text that has been made to @out's terminal. */
static void put(TextStream *text, FILE *out) {
        if (text_stream_close(text))
                return;
        if (terminal_is_ascii())
                typeset_to_ascii(text->text);
        fputs(text->text, out);
}

static void print_padded(const char *text, size_t width, FILE *out) {
        size_t column = typeset_print(text, width, out);

        for (; column < width; column++)
                fputc(' ', out);
}

static void print_ratio(const BisectStep *step, const BisectRange *range, char text[static 64]) {
        if (step->outcome == BISECT_BROKEN)
                snprintf(text, 64, "broken");
        else if (step->outcome == BISECT_TWIN)
                snprintf(text, 64, "as %.*s", GIT_ID_SHORT, bisect_range_at(range, step->other)->id);
        else
                snprintf(text, 64, "%.4f ± %.4f", exp(step->mean), exp(step->mean) * step->half);
}

void bisect_steps_print(const BisectSearch *search, size_t index) {
        const BisectRange *range = search->measurer->range;
        const BisectStep *step = &search->steps[index];
        const GitCommit *commit = bisect_range_at(range, step->commit);
        _cleanup_(text_stream_clear) TextStream text = {};
        char ratio[64];
        FILE *out;

        if (search->measurer->settings->quiet)
                return;
        out = text_stream_open(&text);
        print_ratio(step, range, ratio);
        fprintf(out, "%.*s  ", GIT_ID_SHORT, commit->id);
        print_padded(commit->subject, SUBJECT_WIDTH, out);
        fputs("  ", out);
        print_padded(ratio, RATIO_WIDTH, out);
        fprintf(out, " %8zu\n", step->left);
        put(&text, stderr);
}

void bisect_steps_begin(const BisectSearch *search) {
        const BisectRange *range = search->measurer->range;
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out;

        if (search->measurer->settings->quiet)
                return;
        out = text_stream_open(&text);
        fprintf(out, "%zu commit%s after %.*s, whose build is measured beside each", range->range.n,
                        range->range.n == 1 ? "" : "s", GIT_ID_SHORT, range->good.id);
        if (search->n_earlier > 0)
                fprintf(out, "; %zu known from before", search->n_earlier);
        fprintf(out, "\n%-*s  %-*s  %-*s %8s\n", GIT_ID_SHORT, "commit", SUBJECT_WIDTH, "subject", RATIO_WIDTH, "ratio",
                        "left");
        put(&text, stderr);
        for (size_t i = 0; i < search->n_earlier; i++)
                bisect_steps_print(search, i);
}
