/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * SHA-256 in hexadecimal.
 */

#include <nettle/sha2.h>
#include <stddef.h>

#define DIGEST_HEX_BYTES (2 * SHA256_DIGEST_SIZE + 1)

/* Ends @state and writes its digest in hexadecimal. */
void digest_hex(struct sha256_ctx *state, char ret_hex[static DIGEST_HEX_BYTES]);
