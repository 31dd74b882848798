/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Instruments that measure along with benchd, and whose own work is therefore timed with the benchmark's: a bit each. */

#include <stddef.h>
#include <stdint.h>

enum {
        INSTRUMENT_TRACER = 1u << 0,
        INSTRUMENT_PRELOADED = 1u << 1, /* a library that neither the runner nor the module asked for */
        INSTRUMENT_LD_AUDIT = 1u << 2,  /* set in the environment */
        INSTRUMENT_LD_PROFILE = 1u << 3,
        INSTRUMENT_PROFILING = 1u << 4, /* from here on by the symbols of the module's files: -pg */
        INSTRUMENT_FUNCTION_HOOKS = 1u << 5,
        INSTRUMENT_COVERAGE = 1u << 6,
        INSTRUMENT_ADDRESS_SANITIZER = 1u << 7,
        INSTRUMENT_THREAD_SANITIZER = 1u << 8,
        INSTRUMENT_MEMORY_SANITIZER = 1u << 9,
        INSTRUMENT_UNDEFINED_SANITIZER = 1u << 10,
        INSTRUMENT_VALGRIND = 1u << 11,
        _INSTRUMENTS = (1u << 12) - 1,
};

#define INSTRUMENTS_MAX 12u

/* Writes the words of @present, one each, in the order of the bits. Returns their number. */
size_t instrument_words(uint32_t present, const char *ret_words[static INSTRUMENTS_MAX]);
