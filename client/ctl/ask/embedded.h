/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Sources that a module carries in its section "benchd_source", written by BENCH_EMBED_SOURCE: each is a byte 1 and its file's
 * name, then the text, both ended by a zero byte. A module of an earlier header has the text alone.
 *
 * The bytes are a stranger's: nothing is followed that does not lie within them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

#define EMBEDDED_AREA_MAX 64u

typedef struct EmbeddedSource {
        const char *name; /* of the file, without its directory; "": unknown */
        const char *text;
} EmbeddedSource;

typedef struct EmbeddedSources EmbeddedSources;

enum {
        _EMBEDDED_E_SUCCESS,

        EMBEDDED_E_FOREIGN, /* not a 64-bit ELF file, or one whose sections cannot be followed */
};

/* Finds the sources in the bytes of a module, which are copied; a name is kept once. Returns 0, E_FOREIGN or a negative errno. */
int embedded_sources_parse(const uint8_t *data, size_t n_data, EmbeddedSources **ret_sources);

/* ... in the file at @path. Returns 0, E_FOREIGN or a negative errno. */
int embedded_sources_read(const char *path, EmbeddedSources **ret_sources);
EmbeddedSources *embedded_sources_free(EmbeddedSources *sources);
DEFINE_CLEANUP(EmbeddedSources *, embedded_sources_free)

/* Returns NULL past the last. They live as long as @sources. */
const EmbeddedSource *embedded_source_at(const EmbeddedSources *sources, size_t index);

/* The names of the libraries that the module was linked with, its DT_NEEDED; NULL past the last. */
const char *embedded_library_at(const EmbeddedSources *sources, size_t index);

/*
 * The area of the benchmarks in @source: that of its BENCH_AREA, else its first .area, else, if it holds a BENCH, its file's name
 * without the suffix. False: it holds none, as a shared header does.
 */
bool embedded_source_area(const EmbeddedSource *source, char ret_area[static EMBEDDED_AREA_MAX]);
