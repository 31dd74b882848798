/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/digest.h"

#include <stdio.h>

void digest_hex(struct sha256_ctx *state, char ret_hex[static DIGEST_HEX_BYTES]) {
        uint8_t digest[SHA256_DIGEST_SIZE];

        sha256_digest(state, sizeof digest, digest);
        for (size_t i = 0; i < sizeof digest; i++)
                snprintf(ret_hex + 2 * i, 3, "%02x", digest[i]);
}
