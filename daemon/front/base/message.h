/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Fields of protobuf messages: in proto2 an optional number has a presence flag beside its value.
 */

#include <math.h>
#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

/* Sets an optional number. */
#define message_set(message, field, value) ((message)->field = (value), (message)->has_##field = 1)

/* Sets an optional double if @value is finite; else leaves the field absent. */
#define message_set_finite(message, field, value)                                                                      \
 ((message)->has_##field = isfinite((message)->field = (value)) ? 1 : 0)

/* Sets an optional whole number to the @value of a double, clamped to the range of uint64_t. */
#define message_set_whole(message, field, value) message_set(message, field, message_whole(value))

static inline uint64_t message_whole(double value) {
        if (!(value > 0))
                return 0;
        return value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

/* Sets the optional uint64 field @name of @message. */
static inline void message_set_count(ProtobufCMessage *message, const char *name, uint64_t count) {
        const ProtobufCFieldDescriptor *field =
                        protobuf_c_message_descriptor_get_field_by_name(message->descriptor, name);

        *(protobuf_c_boolean *)((char *)message + field->quantifier_offset) = 1;
        *(uint64_t *)((char *)message + field->offset) = count;
}

/* A new message of @type in @arena, all fields absent; NULL if memory ran out. */
/* clang-format off */
#define message_new(arena, type, prefix)                                                                               \
        ({                                                                                                             \
                type *_message = arena_zero((arena), sizeof *_message);                                                \
                if (_message)                                                                                          \
                        prefix##__init(_message);                                                                      \
                _message;                                                                                              \
        })
/* clang-format on */
