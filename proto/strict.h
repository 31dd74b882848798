/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Unknown fields. A client ignores unknown fields in a reply; the daemon refuses a request with one, rather than
 * silently drop an option of a newer client.
 */

#include <stdint.h>

typedef struct ProtobufCMessage ProtobufCMessage;

enum {
        _STRICT_E_SUCCESS,

        STRICT_E_UNKNOWN, /* a field that this schema does not have, at any depth */
};

/*
 * Searches the decoded @message. On E_UNKNOWN, *@ret_message is the name of the message type and *@ret_tag the field's
 * number. Returns 0 or E_UNKNOWN.
 */
int strict_message_check(const ProtobufCMessage *message, const char **ret_message, uint32_t *ret_tag);
