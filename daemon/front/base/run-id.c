/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/run-id.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

#include "util/error.h"

int run_id_draw(char ret_id[static RUN_ID_BYTES]) {
        uint8_t bytes[(RUN_ID_BYTES - 1) / 2];

        if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
                return error_origin(-errno);
        for (size_t i = 0; i < sizeof bytes; i++)
                snprintf(ret_id + 2 * i, 3, "%02x", bytes[i]);
        return 0;
}
