/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/returns.h"

#define RETURNS_DEPTH 64u /* Zen 5 keeps 52 addresses, others 16 to 32 */

/* The statements around the call keep the compiler from making a loop of it, and from knowing how deep it goes. */
static __attribute__((noinline)) void returns_descend(unsigned depth) {
        __asm__("" : "+r"(depth));
        if (depth == 0)
                return;
        returns_descend(depth - 1);
        __asm__ volatile("" : : : "memory");
}

void returns_fill(void) {
        returns_descend(RETURNS_DEPTH);
}
