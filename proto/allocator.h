/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An allocator with a budget for decoding one message. A mebibyte on the wire can become a hundred on the heap (empty
 * sub-messages, unknown fields), so decoding of a peer's data is limited, and fails cleanly beyond the limit.
 */

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#define ALLOCATOR_MESSAGE_BYTES (4u << 20)

/* Memory comes from malloc(), so a message may be freed with no allocator long after the budget is gone. */
typedef struct Allocator {
        ProtobufCAllocator allocator; /* to hand to protobuf-c */
        size_t left_bytes;            /* not increased by frees: a message is decoded once */
} Allocator;

void allocator_init(Allocator *budget, size_t n_bytes);
