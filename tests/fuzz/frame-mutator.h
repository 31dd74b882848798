/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Mutates a stream of delimited messages by their schema, so that what is tried gets past the decoder: one field or list of
 * one message is changed, or the order of the messages. One mutation in five is of the bytes, for the decoder itself.
 */

#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

/* Changes the @n_data bytes of @data, of which there may be @n_max, in place. Returns their number afterwards. */
size_t frame_mutate(uint8_t *data, size_t n_data, size_t n_max, unsigned seed,
                const ProtobufCMessageDescriptor *descriptor);
