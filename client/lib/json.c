/* SPDX-License-Identifier: MIT */
#include "lib/json.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "benchd.pb-c.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

/* Decimal digits that every double keeps: 0.1 stays 0.1 in text. */
#define JSON_DIGITS 15

/* ---- deviations from the schema */

/* A number of nanoseconds that JSON writes under another name and in another form. */
typedef struct JsonRename {
        const ProtobufCMessageDescriptor *message;
        const char *field;
        const char *name;
        json_t *(*convert)(uint64_t ns);
} JsonRename;

/* A number has the digits that its text has, so that a result equals the same one read from a file. */
static json_t *json_digits(double value) {
        char text[JSON_DIGITS + 16];
        double rounded;

        snprintf(text, sizeof text, "%.*g", JSON_DIGITS, value);
        rounded = strtod(text, NULL);
        return json_real(isfinite(rounded) ? rounded : value);
}

static json_t *json_seconds(uint64_t ns) {
        return json_digits((double)ns / (double)NS_PER_S);
}

/* ISO 8601 in UTC, to the millisecond. */
static json_t *json_instant(uint64_t ns) {
        time_t seconds = (time_t)(ns / NS_PER_S);
        unsigned milliseconds = (unsigned)(ns % NS_PER_S / NS_PER_MS);
        char date[32], text[48];
        struct tm fields;

        if (!gmtime_r(&seconds, &fields) || strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &fields) == 0)
                return json_null();
        snprintf(text, sizeof text, "%s.%03uZ", date, milliseconds);
        return json_string(text);
}

static const JsonRename json_renames[] = {
        { &benchd__run_result__descriptor, "started_at_unix_ns", "started_at", json_instant },
        { &benchd__history_entry__descriptor, "submitted_at_unix_ns", "submitted_at", json_instant },
        { &benchd__history_entry__descriptor, "ended_at_unix_ns", "ended_at", json_instant },
        { &benchd__commit__descriptor, "committed_at_unix_ns", "committed_at", json_instant },
        { &benchd__history__descriptor, "removed_until_unix_ns", "removed_until", json_instant },
        { &benchd__plan__descriptor, "budget_ns", "budget_s", json_seconds },
        { &benchd__plan__descriptor, "expected_ns", "expected_s", json_seconds },
};

/*
 * Lists of {name, value} that are objects {NAME: value}: the name is their message's first field, the value that of the
 * others which is set.
 */
static const ProtobufCMessageDescriptor *const json_maps[] = {
        &benchd__argument_value__descriptor,
        &benchd__counter__descriptor,
        &benchd__sample_counts__descriptor,
};

/* Messages whose absence means something: null, not an object of nulls. */
static const ProtobufCMessageDescriptor *const json_nullable[] = {
        &benchd__commit__descriptor,
        &benchd__failure__descriptor,
        &benchd__error__descriptor,
        &benchd__memory__descriptor,
        &benchd__timed_loop__descriptor,
        &benchd__empty_loop__descriptor,
        &benchd__standing__descriptor,
        &benchd__samples__descriptor,
};

static const JsonRename *json_find_rename(const ProtobufCMessageDescriptor *message, const char *field) {
        for (size_t i = 0; i < N_ELEMENTS(json_renames); i++)
                if (json_renames[i].message == message && strcmp(json_renames[i].field, field) == 0)
                        return &json_renames[i];
        return NULL;
}

static bool json_listed(const ProtobufCMessageDescriptor *const *list, size_t n_list, const void *message) {
        for (size_t i = 0; i < n_list; i++)
                if (list[i] == message)
                        return true;
        return false;
}

/* An argument's values are of one kind, and in the list of that kind: JSON has them all under one name. */
static void json_merge_values(json_t *argument) {
        static const char *const kinds[] = { "reals", "texts" };

        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                json_array_extend(json_object_get(argument, "values"), json_object_get(argument, kinds[i]));
                json_object_del(argument, kinds[i]);
        }
}

/* ---- values: each function returns a new reference, or NULL if memory ran out */

static json_t *json_message(const ProtobufCMessageDescriptor *descriptor, const ProtobufCMessage *message);

/* A number that does not fit, from a foreign daemon, stays a whole number with fewer digits. */
static json_t *json_unsigned(uint64_t value) {
        return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

/* The sender's bytes need not be UTF-8: all others but ASCII become question marks. */
static json_t *json_text(const char *text) {
        json_t *json = json_string(text);
        char *copy;

        if (json)
                return json;
        copy = strdup(text);
        if (!copy)
                return NULL;
        for (char *c = copy; *c; c++)
                *c = (unsigned char)*c < 0x80 ? *c : '?';
        json = json_string(copy);
        free(copy);
        return json;
}

/* The length of the prefix that distinguishes a top-level enum's values from other enums' values. */
static size_t enum_prefix(const ProtobufCEnumDescriptor *descriptor) {
        return descriptor == &benchd__job_state__descriptor ? strlen("JOB_") : 0;
}

static void enum_word(const ProtobufCEnumDescriptor *descriptor, const ProtobufCEnumValue *row, char word[static 32]) {
        snprintf(word, 32, "%s", row->name + enum_prefix(descriptor));
        for (char *c = word; *c; c++)
                *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
}

static json_t *json_enum(const ProtobufCEnumDescriptor *descriptor, int value) {
        const ProtobufCEnumValue *row = protobuf_c_enum_descriptor_get_value(descriptor, value);
        char word[32];

        if (!row)
                return json_null();
        enum_word(descriptor, row, word);
        return json_string(word);
}

static json_t *json_value(const ProtobufCFieldDescriptor *field, const void *value) {
        switch (field->type) {
        case PROTOBUF_C_TYPE_UINT32:
                return json_unsigned(*(const uint32_t *)value);
        case PROTOBUF_C_TYPE_UINT64:
                return json_unsigned(*(const uint64_t *)value);
        case PROTOBUF_C_TYPE_SINT64:
                return json_integer(*(const int64_t *)value);
        case PROTOBUF_C_TYPE_DOUBLE:
                return isfinite(*(const double *)value) ? json_digits(*(const double *)value) : json_null();
        case PROTOBUF_C_TYPE_BOOL:
                return json_boolean(*(const protobuf_c_boolean *)value);
        case PROTOBUF_C_TYPE_ENUM:
                return json_enum(field->descriptor, *(const int *)value);
        case PROTOBUF_C_TYPE_STRING:
                return json_text(*(char *const *)value);
        case PROTOBUF_C_TYPE_MESSAGE:
                return json_message(field->descriptor, *(ProtobufCMessage *const *)value);
        default: /* the schema has no other type */
                return json_null();
        }
}

static size_t value_size(const ProtobufCFieldDescriptor *field) {
        switch (field->type) {
        case PROTOBUF_C_TYPE_UINT32:
        case PROTOBUF_C_TYPE_ENUM:
                return sizeof(uint32_t);
        case PROTOBUF_C_TYPE_BOOL:
                return sizeof(protobuf_c_boolean);
        default: /* 64-bit numbers and pointers */
                return sizeof(uint64_t);
        }
}

/* ---- fields */

static json_t *json_list(const ProtobufCFieldDescriptor *field, const char *values, size_t n_values) {
        _cleanup_(json_decrefp) json_t *list = json_array();

        for (size_t i = 0; list && i < n_values; i++)
                if (json_array_append_new(list, json_value(field, values + i * value_size(field))) < 0)
                        return NULL;
        return take_pointer(list);
}

static json_t *json_field(const ProtobufCFieldDescriptor *field, const JsonRename *rename,
                const ProtobufCMessage *whole);

static bool field_is_set(const ProtobufCFieldDescriptor *field, const char *message) {
        if (field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_MESSAGE)
                return *(void *const *)(message + field->offset);
        return *(const protobuf_c_boolean *)(message + field->quantifier_offset);
}

/* The first field of @message after its name that is set; the second where none is, or where it is a list. */
static const ProtobufCFieldDescriptor *map_value(const ProtobufCMessage *message) {
        const ProtobufCFieldDescriptor *fields = message->descriptor->fields;

        for (unsigned i = 1; i < message->descriptor->n_fields; i++)
                if (field_is_set(&fields[i], (const char *)message))
                        return &fields[i];
        return &fields[1];
}

static json_t *json_map(ProtobufCMessage *const *entries, size_t n_entries) {
        _cleanup_(json_decrefp) json_t *map = json_object();

        for (size_t i = 0; map && i < n_entries; i++) {
                const ProtobufCFieldDescriptor *fields = entries[i]->descriptor->fields;
                const char *name = *(char *const *)((const char *)entries[i] + fields[0].offset);

                json_object_set_new(map, name ? name : "", json_field(map_value(entries[i]), NULL, entries[i]));
        }
        return take_pointer(map);
}

static json_t *json_repeated(const ProtobufCFieldDescriptor *field, const char *message) {
        size_t n = message ? *(const size_t *)(message + field->quantifier_offset) : 0;
        void *values = message ? *(void *const *)(message + field->offset) : NULL;

        if (json_listed(json_maps, N_ELEMENTS(json_maps), field->descriptor))
                return json_map(values, n);
        return json_list(field, values, n);
}

static json_t *json_absent(const ProtobufCFieldDescriptor *field) {
        if (field->type != PROTOBUF_C_TYPE_MESSAGE)
                return json_null();
        if (json_listed(json_nullable, N_ELEMENTS(json_nullable), field->descriptor))
                return json_null();
        return json_message(field->descriptor, NULL);
}

static json_t *json_field(const ProtobufCFieldDescriptor *field, const JsonRename *rename,
                const ProtobufCMessage *whole) {
        const char *message = (const char *)whole;

        if (field->label == PROTOBUF_C_LABEL_REPEATED)
                return json_repeated(field, message);
        if (!message || !field_is_set(field, message))
                return json_absent(field);
        if (rename)
                return rename->convert(*(const uint64_t *)(message + field->offset));
        return json_value(field, message + field->offset);
}

static json_t *json_message(const ProtobufCMessageDescriptor *descriptor, const ProtobufCMessage *message) {
        _cleanup_(json_decrefp) json_t *object = json_object();

        for (unsigned i = 0; object && i < descriptor->n_fields; i++) {
                const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
                const JsonRename *rename = json_find_rename(descriptor, field->name);
                const char *name = rename ? rename->name : field->name;

                if (json_object_set_new(object, name, json_field(field, rename, message)) < 0)
                        return NULL;
        }
        if (object && (descriptor == &benchd__benchmark_result__descriptor ||
                                      descriptor == &benchd__empty_loop__descriptor))
                json_object_del(json_object_get(object, "time_ns"), "source"); /* the schema: of cycles only */
        if (object && descriptor == &benchd__argument__descriptor)
                json_merge_values(object);
        return take_pointer(object);
}

/* ---- the other way */

int json_find_enum(const ProtobufCEnumDescriptor *descriptor, const char *word, int *ret_value) {
        for (unsigned i = 0; i < descriptor->n_values; i++) {
                char own[32];

                enum_word(descriptor, &descriptor->values[i], own);
                if (strcmp(own, word) != 0)
                        continue;
                *ret_value = descriptor->values[i].value;
                return 0;
        }
        return JSON_E_MISFIT;
}

/* Whole numbers are JSON's own, which end at INT64_MAX. */
static int set_unsigned(const ProtobufCFieldDescriptor *field, const json_t *json, void *value) {
        const bool is_wide = field->type == PROTOBUF_C_TYPE_UINT64;
        const json_int_t number = json_integer_value(json);

        if (!json_is_integer(json) || number < 0 || (!is_wide && number > UINT32_MAX))
                return JSON_E_MISFIT;
        if (is_wide)
                *(uint64_t *)value = (uint64_t)number;
        else
                *(uint32_t *)value = (uint32_t)number;
        return 0;
}

static int set_value(const ProtobufCFieldDescriptor *field, const json_t *json, void *value) {
        switch (field->type) {
        case PROTOBUF_C_TYPE_UINT32:
        case PROTOBUF_C_TYPE_UINT64:
                return set_unsigned(field, json, value);
        case PROTOBUF_C_TYPE_DOUBLE:
                *(double *)value = json_number_value(json);
                return json_is_number(json) ? 0 : JSON_E_MISFIT;
        case PROTOBUF_C_TYPE_BOOL:
                *(protobuf_c_boolean *)value = json_is_true(json);
                return json_is_boolean(json) ? 0 : JSON_E_MISFIT;
        case PROTOBUF_C_TYPE_ENUM:
                return json_is_string(json) ? json_find_enum(field->descriptor, json_string_value(json), value)
                                            : JSON_E_MISFIT;
        case PROTOBUF_C_TYPE_STRING:
                *(const char **)value = json_string_value(json);
                return json_is_string(json) ? 0 : JSON_E_MISFIT;
        default:
                return JSON_E_MISFIT;
        }
}

static int set_list(const ProtobufCFieldDescriptor *field, const json_t *json, char *message) {
        char *values = calloc(json_array_size(json) + 1, value_size(field));
        int r = 0;

        if (!values)
                return error_origin(-ENOMEM);
        *(void **)(message + field->offset) = values;
        *(size_t *)(message + field->quantifier_offset) = json_array_size(json);
        for (size_t i = 0; r == 0 && i < json_array_size(json); i++)
                r = set_value(field, json_array_get(json, i), values + i * value_size(field));
        return json_is_array(json) ? r : JSON_E_MISFIT;
}

static int set_field(const ProtobufCFieldDescriptor *field, const json_t *json, char *message) {
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
                return error_trace(set_list(field, json, message));
        if (field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_MESSAGE)
                *(protobuf_c_boolean *)(message + field->quantifier_offset) = true;
        return set_value(field, json, message + field->offset);
}

int json_to_message(const json_t *json, ProtobufCMessage *message) {
        const char *name;
        json_t *value;
        int r = json_is_object(json) ? 0 : JSON_E_MISFIT;

        json_object_foreach((json_t *)json, name, value) {
                const ProtobufCFieldDescriptor *field =
                                protobuf_c_message_descriptor_get_field_by_name(message->descriptor, name);

                if (r == 0)
                        r = field ? set_field(field, value, (char *)message) : JSON_E_MISFIT;
        }
        return error_trace(r);
}

void json_release_lists(ProtobufCMessage *message) {
        for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
                const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];

                if (field->label == PROTOBUF_C_LABEL_REPEATED)
                        free(*(void **)((char *)message + field->offset));
        }
}

/* ---- whole messages */

int json_from_message(const ProtobufCMessage *message, json_t **ret_json) {
        json_t *json = json_message(message->descriptor, message);

        if (!json)
                return error_origin(-ENOMEM);
        *ret_json = json;
        return 0;
}

static int compare_benchmarks(const void *a, const void *b) {
        json_int_t index_a = json_integer_value(json_object_get(*(json_t *const *)a, "index"));
        json_int_t index_b = json_integer_value(json_object_get(*(json_t *const *)b, "index"));

        return (index_a > index_b) - (index_a < index_b);
}

/* Sorts @benchmarks in their module's order: their processes are interleaved, so they come as they complete. */
static int json_sort_benchmarks(json_t *benchmarks) {
        _cleanup_(freep) json_t **sorted = NULL;
        size_t n = json_array_size(benchmarks);

        sorted = calloc(n + 1, sizeof *sorted);
        if (!sorted)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                sorted[i] = json_incref(json_array_get(benchmarks, i));
        qsort(sorted, n, sizeof *sorted, compare_benchmarks);
        for (size_t i = 0; i < n; i++)
                json_array_set_new(benchmarks, i, sorted[i]);
        return 0;
}

int json_from_result(const ProtobufCMessage *result, json_t *benchmarks, json_t **ret_json) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        int r;

        r = json_from_message(result, &json);
        if (r)
                return error_trace(r);
        r = json_sort_benchmarks(benchmarks);
        if (r)
                return error_trace(r);
        if (json_object_set(json, "benchmarks", benchmarks) < 0)
                return error_origin(-ENOMEM);
        *ret_json = take_pointer(json);
        return 0;
}

int json_to_text(const json_t *json, char **ret_text) {
        char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS));

        if (!text)
                return error_origin(-ENOMEM);
        *ret_text = text;
        return 0;
}
