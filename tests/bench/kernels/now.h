/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The kernel's clock, for modules that watch the time themselves. */

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
