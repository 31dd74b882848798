/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Events: the daemon's replies in the form for callers of the library. An event owns its message.
 */

#include <stdbool.h>
#include <stdint.h>

#include "benchd/client.h"

typedef struct Benchd__Reply Benchd__Reply;
typedef struct json_t json_t;

enum {
        _EVENT_E_SUCCESS,

        EVENT_E_IGNORE,   /* a newer daemon's reply, without an event in this library */
        EVENT_E_PROTOCOL, /* a reply like that which ends its request: the caller would wait forever */
};

/*
 * Makes an event of @reply, which it takes over on success. Appends a benchmark's JSON to @benchmarks, and builds a
 * result's with them; NULL for requests other than runs. Returns 0, E_IGNORE, E_PROTOCOL, or a negative errno.
 */
int event_new(Benchd__Reply *reply, json_t *benchmarks, benchd_event **ret_event);

/* The JSON behind the text benchd_event_json(), borrowed; NULL for an event without JSON. */
json_t *event_json(const benchd_event *event);

/* The type of event for Reply's alternative @name. */
int event_type_of(const char *name);

/* Events wait in lists. */
typedef struct EventList {
        benchd_event *first;
        benchd_event **end;
} EventList;

void event_list_init(EventList *list);
void event_list_push(EventList *list, benchd_event *event);
benchd_event *event_list_pop(EventList *list);
