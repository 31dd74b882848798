/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/digest.h"

#include <stdio.h>
#include <string.h>

void digest_hex(struct sha256_ctx *state, char ret_hex[static DIGEST_HEX_BYTES]) {
        uint8_t digest[SHA256_DIGEST_SIZE];

        sha256_digest(state, sizeof digest, digest);
        for (size_t i = 0; i < sizeof digest; i++)
                snprintf(ret_hex + 2 * i, 3, "%02x", digest[i]);
}

void digest_add_fact(struct sha256_ctx *state, const char *name, const char *value) {
        const char *text = value ? value : "";

        sha256_update(state, strlen(name) + 1, (const uint8_t *)name);
        sha256_update(state, strlen(text) + 1, (const uint8_t *)text);
}

void digest_key(struct sha256_ctx *state, char ret_key[static DIGEST_KEY_BYTES]) {
        char hex[DIGEST_HEX_BYTES];

        digest_hex(state, hex);
        memcpy(ret_key, hex, DIGEST_KEY_BYTES - 1);
        ret_key[DIGEST_KEY_BYTES - 1] = 0;
}
