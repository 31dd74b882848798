/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Events: replies of the daemon in the form that a caller of the library reads. An event owns the message it came from.
 */

#include <stdbool.h>
#include <stdint.h>

#include "benchd/client.h"

typedef struct Benchd__Reply Benchd__Reply;
typedef struct json_t json_t;

enum {
        _EVENT_E_SUCCESS,

        EVENT_E_IGNORE,   /* a newer daemon's reply, which this library has no event for */
        EVENT_E_PROTOCOL, /* such a reply that ends its request: its caller would wait forever */
};

/*
 * Makes an event of @reply, which it takes over on success. A benchmark's JSON is appended to @benchmarks, and a
 * result's is made with them; NULL for requests that are no runs. Returns 0, E_IGNORE, E_PROTOCOL, or a negative errno.
 */
int event_new(Benchd__Reply *reply, json_t *benchmarks, benchd_event **ret_event);

/* The JSON whose text is benchd_event_json(), borrowed; NULL for an event that has none. */
json_t *event_json(const benchd_event *event);

/* The type of the event that Reply's alternative @name makes. */
int event_type_of(const char *name);

/* Events wait in lists. */
typedef struct EventList {
        benchd_event *first;
        benchd_event **end;
} EventList;

void event_list_init(EventList *list);
void event_list_push(EventList *list, benchd_event *event);
benchd_event *event_list_pop(EventList *list);
