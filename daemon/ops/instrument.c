/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/instrument.h"

size_t instrument_words(uint32_t present, const char *ret_words[static INSTRUMENTS_MAX]) {
        static const char *const words[INSTRUMENTS_MAX] = {
                "tracer",
                "preloaded-library",
                "LD_AUDIT",
                "LD_PROFILE",
                "profiling",
                "function-hooks",
                "coverage",
                "address-sanitizer",
                "thread-sanitizer",
                "memory-sanitizer",
                "undefined-sanitizer",
                "valgrind",
        };
        size_t n = 0;

        for (unsigned bit = 0; bit < INSTRUMENTS_MAX; bit++)
                if (present & (1u << bit))
                        ret_words[n++] = words[bit];
        return n;
}
