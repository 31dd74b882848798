/* SPDX-License-Identifier: MIT */
#include "proto/strict.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The number of sub-messages in @field of @message, and the address of the pointers to them. The schema has no oneof.
 */
static size_t field_messages(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                const ProtobufCMessage *const **ret_messages) {
        const char *base = (const char *)message;
        const ProtobufCMessage *const *one = (const ProtobufCMessage *const *)(base + field->offset);

        if (field->type != PROTOBUF_C_TYPE_MESSAGE)
                return 0;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
                *ret_messages = *(const ProtobufCMessage *const *const *)one;
                return *(const size_t *)(base + field->quantifier_offset);
        }
        *ret_messages = one;
        return *one ? 1 : 0;
}

int strict_message_check(const ProtobufCMessage *message, const char **ret_message, uint32_t *ret_tag) {
        if (message->n_unknown_fields > 0) {
                *ret_message = message->descriptor->short_name;
                *ret_tag = message->unknown_fields[0].tag;
                return STRICT_E_UNKNOWN;
        }
        for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
                const ProtobufCMessage *const *messages = NULL;
                size_t n = field_messages(message, &message->descriptor->fields[i], &messages);

                for (size_t j = 0; j < n; j++) {
                        int r = strict_message_check(messages[j], ret_message, ret_tag);

                        if (r)
                                return r;
                }
        }
        return 0;
}
