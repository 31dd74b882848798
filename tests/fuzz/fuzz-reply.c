/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a daemon sends, with what the module told in it, as benchctl shows it: its JSON can be read, and nothing of it
 * reaches the terminal but text.
 */

#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "benchd.pb-c.h"
#include "ctl/ask/explain.h"
#include "ctl/model/baseline.h"
#include "ctl/model/view.h"
#include "ctl/show/show.h"
#include "frame-mutator.h"
#include "fuzz.h"
#include "lib/event.h"
#include "proto/frame-reader.h"
#include "util/cleanup.h"

static const struct {
        int type;
        ShowKind kind;
} shown[] = {
        { BENCHD_EVENT_RESULT, SHOW_RESULT },
        { BENCHD_EVENT_LISTING, SHOW_LISTING },
        { BENCHD_EVENT_STATUS, SHOW_STATUS },
        { BENCHD_EVENT_HISTORY, SHOW_HISTORY },
        { BENCHD_EVENT_ACCEPTED, SHOW_ACCEPTED },
        { BENCHD_EVENT_CANCEL, SHOW_CHANGE },
        { BENCHD_EVENT_PIN, SHOW_CHANGE },
        { BENCHD_EVENT_GOVERNOR, SHOW_GOVERNOR },
        { BENCHD_EVENT_INSPECTION, SHOW_CODE },
};

static const struct {
        const char *name;
        const char *controls; /* characters of control that are its own */
} formats[] = { { "table", "\n" }, { "details", "\n" }, { "mark", "\n" }, { "csv", "\r\n" }, { "markdown", "\n" },
        { "gnuplot", "\n" }, { "gbench", "\n" }, { "hyperfine", "\n" }, { "go", "\t\n" }, { "bmf", "\n" },
        { "html", "\n" } };

static void hold_is_text(const char *text, const char *controls) {
        for (; *text; text++)
                HOLD(strchr(controls, *text) || !iscntrl((unsigned char)*text));
}

/* A page has its own script and no other, and ends where it should. */
static void hold_is_page(const char *text) {
        const char *script = strstr(text, "<script"), *end = strstr(text, "</html>");

        HOLD(script && !strstr(script + 1, "<script"));
        HOLD(end && strcmp(end, "</html>\n") == 0);
}

static void show(size_t format, ShowKind kind, const json_t *json) {
        static const View view = { .width = 80 };
        const ShowFormat *row = show_find(formats[format].name);
        json_t *document = row->flags & SHOW_DOCUMENT ? json_pack("[O]", json) : json_incref((json_t *)json);
        char *text = NULL;
        size_t n_text;
        FILE *out;

        HOLD(document);
        if (!show_has(row, SHOW_BIT(kind))) {
                json_decref(document);
                return;
        }
        out = open_memstream(&text, &n_text);
        HOLD(out);
        HOLD(show_print(row, kind, document, &view, out) == 0);
        fclose(out);
        hold_is_text(text, formats[format].controls);
        if (strcmp(row->name, "html") == 0)
                hold_is_page(text);
        free(text);
        json_decref(document);
}

/* A file that holds it can be a baseline, of this very result. */
static void hold_is_compared(const json_t *result) {
        json_t *compared = NULL, *clauses = NULL;

        if (!baseline_check(result))
                return;
        HOLD(baseline_compare(result, result, BASELINE_MARGIN, &compared) >= 0);
        HOLD(baseline_differences(result, result, &clauses) == 0);
        json_decref(compared);
        json_decref(clauses);
}

/* Code is never different from itself. */
static void hold_explains_itself(const json_t *inspection) {
        json_t *pair = explain_pair(inspection, inspection);

        HOLD(pair);
        HOLD(!json_is_false(json_object_get(pair, "same")));
        json_decref(pair);
}

static void show_all(ShowKind kind, const char *text) {
        json_t *json = json_loads(text, 0, NULL);

        HOLD(json);
        if (kind == SHOW_RESULT)
                hold_is_compared(json);
        if (kind == SHOW_CODE)
                hold_explains_itself(json);
        for (size_t i = 0; i < N_ELEMENTS(formats); i++)
                show(i, kind, json);
        json_decref(json);
}

static void take_event(const benchd_event *event) {
        (void)benchd_event_error_code(event);
        (void)benchd_event_error_message(event);
        for (size_t i = 0; benchd_event_json(event) && i < N_ELEMENTS(shown); i++)
                if (shown[i].type == benchd_event_type(event))
                        show_all(shown[i].kind, benchd_event_json(event));
}

static void take_frame(const Frame *frame, json_t *benchmarks) {
        Benchd__Reply *reply = benchd__reply__unpack(NULL, frame->n_data, frame->data);
        benchd_event *event;

        if (reply && event_new(reply, benchmarks, &event) == 0) {
                take_event(event);
                benchd_event_free(event);
        } else if (reply) {
                benchd__reply__free_unpacked(reply, NULL);
        }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_data, size_t n_max, unsigned seed) {
        return frame_mutate(data, n_data, n_max, seed, &benchd__reply__descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        json_t *benchmarks = json_array();
        FrameReader *reader;
        Frame frame;

        HOLD(benchmarks && frame_reader_new(FRAME_REPLY_MAX, &reader) == 0);
        HOLD(n_data == 0 || frame_reader_feed(reader, data, n_data, NULL, 0) == 0);
        while (frame_reader_pop(reader, &frame) == 0)
                take_frame(&frame, benchmarks);
        frame_reader_free(reader);
        json_decref(benchmarks);
        return 0;
}
