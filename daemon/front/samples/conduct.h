/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a module did beside its work in any of its processes (runner/conduct.h), in words: a sentence each. Pure.
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "ops/sample-block.h"

typedef struct Conduct {
        SampleConduct sum; /* bits and maxima over the processes; counts added up */
        uint64_t n_samples;
        uint64_t writing_samples, blocking_samples;
        bool pauses;        /* so that it may print there, which the kernel does not tell apart */
        uint32_t n_threads; /* that were measured at once, the most of any process */
        unsigned n_traced;  /* processes */
        unsigned n_untold;  /* processes that could not tell */
} Conduct;

/* Adds what the process that wrote @block did. */
void conduct_add(Conduct *conduct, const SampleBlock *block);

enum {
        _CONDUCT_E_SUCCESS,

        CONDUCT_E_UNKNOWN, /* a process could not tell */
};

/* Says whether any process was traced. Returns 0 or E_UNKNOWN. */
int conduct_traced(const Conduct *conduct, bool *ret_traced);

/* A sentence on each thing that a reader should know. */
void conduct_report(const Conduct *conduct, Arena *arena, TextList *warnings);
