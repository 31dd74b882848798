/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An allocator with a budget for decoding one message. A mebibyte on the wire can become a hundred on the heap (empty
 * sub-messages, unknown fields), so what a peer sends is decoded within a bound and fails cleanly beyond it.
 */

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#define ALLOCATOR_MESSAGE_BYTES (4u << 20)

/* Memory comes from malloc(), so a message may be freed with no allocator long after the budget is gone. */
typedef struct Allocator {
        ProtobufCAllocator allocator; /* to hand to protobuf-c */
        size_t left_bytes;            /* what was freed is not given back: a message is decoded once */
} Allocator;

void allocator_init(Allocator *budget, size_t n_bytes);
