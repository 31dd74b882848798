/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Reads the frames of a request's replies from standard input and prints the last one's JSON, as libbenchd makes it.
 */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "benchd.pb-c.h"
#include "lib/event.h"
#include "proto/frame-reader.h"

#define INPUT_MAX (1u << 20)

/* Returns the last reply's event, NULL for events before it. */
static benchd_event *take(const Frame *frame, json_t *benchmarks) {
        Benchd__Reply *reply = benchd__reply__unpack(NULL, frame->n_data, frame->data);
        benchd_event *event;

        if (!reply || event_new(reply, benchmarks, &event) != 0)
                abort();
        return benchd_event_last(event) ? event : benchd_event_free(event);
}

int main(void) {
        static char input[INPUT_MAX];
        json_t *benchmarks = json_array();
        benchd_event *result = NULL;
        FrameReader *reader;
        Frame frame;
        size_t n = fread(input, 1, sizeof input, stdin);

        if (frame_reader_new(FRAME_REPLY_MAX, &reader) != 0 || frame_reader_feed(reader, input, n, NULL, 0) != 0)
                abort();
        while (!result && frame_reader_pop(reader, &frame) == 0)
                result = take(&frame, benchmarks);
        if (!result)
                abort();
        puts(benchd_event_json(result));
        benchd_event_free(result);
        frame_reader_free(reader);
        json_decref(benchmarks);
        return 0;
}
