/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * table, details: a report for eyes, within their terminal or as wide as it comes, by the kind of the answer.
 */

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/view.h"
#include "ctl/show/report.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* A detached job's id is alone on its line, for scripts. */
static int show_accepted(const json_t *accepted, const View *view, FILE *out) {
        fprintf(out, "%s\n", json_text_or(accepted, "run_id", "?"));
        return 0;
}

/* A change that went well needs no words. */
static int show_change(const json_t *change, const View *view, FILE *out) {
        return 0;
}

typedef int (*TablePrint)(const json_t *json, const View *view, FILE *out);

static const struct {
        TablePrint print;
        const char *words;
} kinds[_SHOW_KIND_N] = {
        [SHOW_RESULT] = { report_result, "a result" },
        [SHOW_PLOT] = { report_plot, "the pictures of a result" },
        [SHOW_LISTING] = { report_listing, "a list of benchmarks" },
        [SHOW_STATUS] = { report_status, "the state of the daemon" },
        [SHOW_HISTORY] = { report_history, "a list of jobs" },
        [SHOW_TREND] = { report_trend, "a history of times" },
        [SHOW_ACCEPTED] = { show_accepted, "the id of a detached job" },
        [SHOW_CHANGE] = { show_change, "a change of a job" },
        [SHOW_GOVERNOR] = { report_governor, "a change of governors" },
        [SHOW_SOURCE] = { report_source, "source code" },
        [SHOW_CODE] = { report_code, "machine code" },
        [SHOW_SIDE_BY_SIDE] = { report_side_by_side, "a view of two results" },
        [SHOW_BISECT] = { report_bisect, "the answer of a bisection" },
        [SHOW_FLEET] = { report_fleet, "a result of several machines" },
};

const char *show_kind_words(ShowKind kind) {
        return kinds[kind].words;
}

static int print_ascii(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream text = {};
        int r;

        r = kinds[kind].print(json, view, text_stream_open(&text));
        if (text_stream_close(&text) < 0 && r == 0)
                r = error_origin(-ENOMEM);
        if (r)
                return error_trace(r);
        typeset_to_ascii(text.text);
        fputs(text.text, out);
        return 0;
}

int show_table(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        return error_trace(view->ascii ? print_ascii(kind, json, view, out) : kinds[kind].print(json, view, out));
}

int show_details(ShowKind kind, const json_t *json, const View *view, FILE *out) {
        View detailed = *view;

        detailed.details = true;
        detailed.width = 0;
        return error_trace(show_table(kind, json, &detailed, out));
}
