/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/grant.h"

#include "ops/window.h"

#define GRANT_REST_SHARE 9u

uint64_t grant_wait_ns(const Grant *grant, uint64_t now_ns) {
        return grant->next_ns > now_ns ? grant->next_ns - now_ns : 0;
}

uint64_t grant_begin(Grant *grant, uint64_t now_ns) {
        grant->open = true;
        grant->begun_ns = now_ns;
        return now_ns + WINDOW_LENGTH_NS;
}

void grant_end(Grant *grant, uint64_t now_ns) {
        if (!grant->open)
                return;
        grant->open = false;
        grant->next_ns = now_ns + (now_ns - grant->begun_ns) / GRANT_REST_SHARE;
}
