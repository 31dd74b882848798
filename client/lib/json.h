/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A message as JSON, for programs: benchd(7) describes it.
 *
 * The schema's descriptors drive it, so that a new field needs no line here. Every field is present: an absent value is
 * null, an absent object is one whose fields are all null, and an absent list is empty. Numbers are finite JSON
 * numbers, enums lower-case words with dashes. Three small tables hold the deviations from the schema's names and
 * shapes.
 */

typedef struct ProtobufCEnumDescriptor ProtobufCEnumDescriptor;
typedef struct ProtobufCMessage ProtobufCMessage;
typedef struct json_t json_t;

/* Returns 0 or a negative errno. */
int json_from_message(const ProtobufCMessage *message, json_t **ret_json);

/* Makes the JSON of a run's @result with its @benchmarks, an array, which it sorts. Returns 0 or a negative errno. */
int json_from_result(const ProtobufCMessage *result, json_t *benchmarks, json_t **ret_json);

enum {
        _JSON_E_SUCCESS,

        JSON_E_MISFIT, /* a field that the message lacks, or a value that its field cannot hold */
};

/*
 * Sets the fields of @message, which is initialised and has no fields that are messages, from the object @json. Strings stay @json's;
 * json_release_lists() must free the lists in any case. Returns 0, E_MISFIT, or a negative errno.
 */
int json_to_message(const json_t *json, ProtobufCMessage *message);
void json_release_lists(ProtobufCMessage *message);

/* Finds the value of an enum by its word in JSON. Returns 0 or E_MISFIT. */
int json_find_enum(const ProtobufCEnumDescriptor *descriptor, const char *word, int *ret_value);

/* Writes @json as text. Returns 0 or a negative errno. */
int json_to_text(const json_t *json, char **ret_text);
