/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * SHA-256 in hexadecimal, and short keys for comparing lists of facts.
 */

#include <nettle/sha2.h>
#include <stddef.h>

#define DIGEST_HEX_BYTES (2 * SHA256_DIGEST_SIZE + 1)
#define DIGEST_KEY_BYTES 17u /* 16 digits and a zero: enough where no attacker gains by a collision */

/* Ends @state and writes its digest in hexadecimal. */
void digest_hex(struct sha256_ctx *state, char ret_hex[static DIGEST_HEX_BYTES]);

/* Adds a fact, delimited; NULL counts as empty. */
void digest_add_fact(struct sha256_ctx *state, const char *name, const char *value);

/* Ends @state and writes the key. */
void digest_key(struct sha256_ctx *state, char ret_key[static DIGEST_KEY_BYTES]);
