/* SPDX-License-Identifier: MIT */
#include "lib/event.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "benchd.pb-c.h"
#include "lib/json.h"
#include "util/cleanup.h"
#include "util/error.h"

struct benchd_event {
        benchd_event *next;
        int type;
        Benchd__Reply *reply;
        json_t *json;
        char *text; /* of @json, made when it is asked for; NULL: not yet */
        benchd_progress progress;
        benchd_clock clock;
};

DEFINE_CLEANUP(benchd_event *, benchd_event_free)

/* ---- a reply → an event */

typedef int (*EventFill)(benchd_event *event, const ProtobufCMessage *message, json_t *benchmarks);

static int event_fill_nothing(benchd_event *event, const ProtobufCMessage *message, json_t *benchmarks) {
        return 0;
}

static int event_fill_json(benchd_event *event, const ProtobufCMessage *message, json_t *benchmarks) {
        return error_trace(json_from_message(message, &event->json));
}

static int event_fill_benchmark(benchd_event *event, const ProtobufCMessage *message, json_t *benchmarks) {
        int r;

        if (!benchmarks)
                return EVENT_E_PROTOCOL;
        r = json_from_message(message, &event->json);
        if (r)
                return error_trace(r);
        return json_array_append(benchmarks, event->json) < 0 ? error_origin(-ENOMEM) : 0;
}

static int event_fill_accepted(benchd_event *event, const ProtobufCMessage *message, json_t *benchmarks) {
        if (!((const Benchd__Accepted *)message)->run_id)
                return EVENT_E_PROTOCOL;
        return error_trace(event_fill_json(event, message, benchmarks));
}

static int event_fill_result(benchd_event *event, const ProtobufCMessage *message, json_t *benchmarks) {
        if (!benchmarks)
                return EVENT_E_PROTOCOL;
        return error_trace(json_from_result(message, benchmarks, &event->json));
}

static int event_fill_status(benchd_event *event, const ProtobufCMessage *message, json_t *benchmarks) {
        const Benchd__Status *status = (const Benchd__Status *)message;
        const Benchd__Tsc *tsc = status->environment ? status->environment->tsc : NULL;

        if (tsc && tsc->clock && tsc->hz > 0)
                event->clock = (benchd_clock){
                        .name = tsc->clock,
                        .hz = tsc->hz,
                        .error_ppm = tsc->error_ppm,
                        .quantum_ticks = tsc->quantum_ticks,
                        .pair_cost_ticks = tsc->pair_cost_ticks,
                };
        return error_trace(event_fill_json(event, message, benchmarks));
}

static const char *const stage_words[] = {
        [BENCHD__PROGRESS__STAGE__QUEUED] = "queued",
        [BENCHD__PROGRESS__STAGE__LOADING] = "loading",
        [BENCHD__PROGRESS__STAGE__MEASURING] = "measuring",
        [BENCHD__PROGRESS__STAGE__RESTING] = "resting",
};

static int event_fill_progress(benchd_event *event, const ProtobufCMessage *message, json_t *benchmarks) {
        const Benchd__Progress *progress = (const Benchd__Progress *)message;
        const Benchd__Standing *standing = progress->standing;

        if (progress->stage <= 0 || (size_t)progress->stage >= N_ELEMENTS(stage_words))
                return EVENT_E_IGNORE;
        event->progress = (benchd_progress){
                .stage = stage_words[progress->stage],
                .benchmark_name = progress->benchmark_name,
                .queue_position = progress->queue_position,
                .benchmark = progress->benchmark,
                .benchmarks = progress->benchmarks,
                .process = progress->process,
                .processes = progress->processes,
                .processes_most = progress->processes_most,
                .left_ns = progress->left_ns,
                .rest_ns = progress->rest_ns,
                .users = progress->users,
                .wait_ns = standing && standing->has_wait_ns ? standing->wait_ns : UINT64_MAX,
                .turns_before = standing ? standing->turns_before : 0,
                .own_before = standing ? standing->own_before : 0,
                .over_budget = standing && standing->over_budget,
        };
        return 0;
}

typedef struct EventRow {
        const char *name; /* of the alternative of Reply */
        int type;
        EventFill fill;
} EventRow;

static const EventRow event_rows[] = {
        { "error", BENCHD_EVENT_ERROR, event_fill_nothing },
        { "progress", BENCHD_EVENT_PROGRESS, event_fill_progress },
        { "benchmark", BENCHD_EVENT_BENCHMARK, event_fill_benchmark },
        { "result", BENCHD_EVENT_RESULT, event_fill_result },
        { "listing", BENCHD_EVENT_LISTING, event_fill_json },
        { "status", BENCHD_EVENT_STATUS, event_fill_status },
        { "cancel", BENCHD_EVENT_CANCEL, event_fill_json },
        { "accepted", BENCHD_EVENT_ACCEPTED, event_fill_accepted },
        { "history", BENCHD_EVENT_HISTORY, event_fill_json },
        { "pin", BENCHD_EVENT_PIN, event_fill_json },
        { "set_governor", BENCHD_EVENT_GOVERNOR, event_fill_json },
        { "inspection", BENCHD_EVENT_INSPECTION, event_fill_json },
};

/* An answer without a row has no event type. */
static const EventRow event_row_of_answers = { NULL, BENCHD_EVENT_ANSWER, event_fill_json };

static const EventRow *event_find_row(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(event_rows); i++)
                if (strcmp(event_rows[i].name, name) == 0)
                        return &event_rows[i];
        return &event_row_of_answers;
}

int event_type_of(const char *name) {
        return event_find_row(name)->type;
}

/* The alternative of @reply that is set; NULL if none is. */
static const ProtobufCFieldDescriptor *event_find_alternative(const Benchd__Reply *reply) {
        const ProtobufCMessageDescriptor *type = reply->base.descriptor;

        for (unsigned i = 0; i < type->n_fields; i++)
                if (type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE &&
                                *(void *const *)((const char *)reply + type->fields[i].offset))
                        return &type->fields[i];
        return NULL;
}

int event_new(Benchd__Reply *reply, json_t *benchmarks, benchd_event **ret_event) {
        _cleanup_(benchd_event_freep) benchd_event *event = NULL;
        const ProtobufCFieldDescriptor *alternative = event_find_alternative(reply);
        const EventRow *row;
        int r;

        if (!alternative || reply->hello) /* which answers nothing but Hello */
                return reply->last ? EVENT_E_PROTOCOL : EVENT_E_IGNORE;
        event = calloc(1, sizeof *event);
        if (!event)
                return error_origin(-ENOMEM);
        row = event_find_row(alternative->name);
        event->type = row->type;
        r = row->fill(event, *(ProtobufCMessage *const *)((const char *)reply + alternative->offset), benchmarks);
        if (r == EVENT_E_IGNORE && reply->last)
                return EVENT_E_PROTOCOL;
        if (r)
                return error_trace(r);
        event->reply = reply;
        *ret_event = take_pointer(event);
        return 0;
}

benchd_event *benchd_event_free(benchd_event *event) {
        if (!event)
                return NULL;
        if (event->reply)
                benchd__reply__free_unpacked(event->reply, NULL);
        json_decref(event->json);
        free(event->text);
        free(event);
        return NULL;
}

/* ---- accessors */

int benchd_event_type(const benchd_event *event) {
        return event->type;
}

uint64_t benchd_event_request(const benchd_event *event) {
        return event->reply->id;
}

bool benchd_event_last(const benchd_event *event) {
        return event->reply->last;
}

static const char *const error_words[] = {
        [BENCHD__ERROR__CODE__PROTOCOL] = "protocol",
        [BENCHD__ERROR__CODE__DENIED] = "denied",
        [BENCHD__ERROR__CODE__BUSY] = "busy",
        [BENCHD__ERROR__CODE__BAD_REQUEST] = "bad-request",
        [BENCHD__ERROR__CODE__BAD_MODULE] = "bad-module",
        [BENCHD__ERROR__CODE__NO_MATCH] = "no-match",
        [BENCHD__ERROR__CODE__UNSUPPORTED] = "unsupported",
        [BENCHD__ERROR__CODE__CANCELLED] = "cancelled",
        [BENCHD__ERROR__CODE__INTERNAL] = "internal",
        [BENCHD__ERROR__CODE__NOT_FOUND] = "not-found",
        [BENCHD__ERROR__CODE__NOT_DONE] = "not-done",
        [BENCHD__ERROR__CODE__LOST] = "lost",
};

const char *benchd_event_error_code(const benchd_event *event) {
        const Benchd__Error *error = event->reply->error;

        if (!error)
                return NULL;
        if (error->code <= 0 || (size_t)error->code >= N_ELEMENTS(error_words))
                return "internal";
        return error_words[error->code];
}

const char *benchd_event_error_message(const benchd_event *event) {
        const Benchd__Error *error = event->reply->error;

        if (!error)
                return NULL;
        return error->message ? error->message : "the daemon gave no reason";
}

const char *benchd_event_error_hint(const benchd_event *event) {
        return event->reply->error ? event->reply->error->hint : NULL;
}

const char *benchd_event_error_output(const benchd_event *event) {
        return event->reply->error ? event->reply->error->output : NULL;
}

const char *benchd_event_error_failure(const benchd_event *event) {
        return event->reply->error ? event->reply->error->failure : NULL;
}

const benchd_progress *benchd_event_progress(const benchd_event *event) {
        return event->type == BENCHD_EVENT_PROGRESS ? &event->progress : NULL;
}

const benchd_clock *benchd_event_clock(const benchd_event *event) {
        return event->clock.name ? &event->clock : NULL;
}

const char *benchd_event_run_id(const benchd_event *event) {
        return event->reply->accepted ? event->reply->accepted->run_id : NULL;
}

json_t *event_json(const benchd_event *event) {
        return event->json;
}

/* Text is for other programs: a program of this tree reads the JSON itself. */
const char *benchd_event_json(const benchd_event *event) {
        if (event->json && !event->text)
                (void)json_to_text(event->json, &((benchd_event *)event)->text);
        return event->text;
}

/* ---- lists */

void event_list_init(EventList *list) {
        list->first = NULL;
        list->end = &list->first;
}

void event_list_push(EventList *list, benchd_event *event) {
        *list->end = event;
        list->end = &event->next;
}

benchd_event *event_list_pop(EventList *list) {
        benchd_event *event = list->first;

        if (!event)
                return NULL;
        list->first = event->next;
        event->next = NULL;
        if (!list->first)
                list->end = &list->first;
        return event;
}
