/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A message as JSON, the form that programs parse: benchd(7) describes it.
 *
 * Made from the schema's descriptors, so that a new field needs no line here. Every field is present: what is absent is
 * null, an absent object is one whose fields are all null, and an absent list is empty. Numbers are numbers and finite,
 * enums lower-case words with dashes. What deviates from the schema's own names and shapes stands in three small tables.
 */

typedef struct ProtobufCMessage ProtobufCMessage;
typedef struct json_t json_t;

/* Returns 0 or a negative errno. */
int json_from_message(const ProtobufCMessage *message, json_t **ret_json);

/* The @result of a run with its @benchmarks, an array, which it sorts. Returns 0 or a negative errno. */
int json_from_result(const ProtobufCMessage *result, json_t *benchmarks, json_t **ret_json);

/* @json as text. Returns 0 or a negative errno. */
int json_to_text(const json_t *json, char **ret_text);
