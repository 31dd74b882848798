/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the benchmark as_program/plugin loads. */

#include <stdint.h>

uint64_t plugin_count(void);

static __thread uint64_t counted;

__attribute__((visibility("default"))) uint64_t plugin_count(void) {
        return ++counted;
}
