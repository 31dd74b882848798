/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The benchmarks that a module declares, read from its file by the tables of bench.h: names, places in the source, and the address
 * of each body. A stripped module has them as well.
 */

#include <stddef.h>
#include <stdint.h>

#include "ops/runner-plan.h"

typedef struct Image Image;

enum {
        _DESCRIPTORS_E_SUCCESS,

        DESCRIPTORS_E_NONE,   /* no benchmark was compiled into it, or it does not export their table */
        DESCRIPTORS_E_BROKEN, /* what it exports is no such table */
};

typedef struct Descriptor {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
        const char *file;  /* of its source, as the compiler was given it; the texts live as long as the image */
        const char *title; /* NULL: it has none of its own */
        const char *about; /* NULL: it has none */
        uint32_t line;
        uint64_t body; /* address of the function that the runner calls */
} Descriptor;

typedef struct Descriptors {
        const char *compiler; /* lives as long as the image */
        uint32_t optimized;
        Descriptor *rows; /* by file and line, as a listing has them */
        size_t n;
} Descriptors;

/* Reads those of @image, which are to be cleared in any case. Returns 0, E_*, or a negative errno. */
int descriptors_read(const Image *image, Descriptors *ret_descriptors);
void descriptors_clear(Descriptors *descriptors);
