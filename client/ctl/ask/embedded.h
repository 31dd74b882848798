/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Sources embedded in a module's section "benchd_source" by BENCH_EMBED_SOURCE: each is a byte 1 and the file's name, then the text, both
 * ended by a zero byte. Modules built with an earlier header have the text only.
 *
 * The bytes are untrusted: every offset is checked against their bounds.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

#define EMBEDDED_AREA_MAX  64u
#define EMBEDDED_ABOUT_MAX 256u

typedef struct EmbeddedSource {
        const char *name; /* of the file, without its directory; "": unknown */
        const char *text;
} EmbeddedSource;

typedef struct EmbeddedSources EmbeddedSources;

enum {
        _EMBEDDED_E_SUCCESS,

        EMBEDDED_E_FOREIGN, /* not a 64-bit ELF file, or its section headers are invalid */
};

/* Copies the sources out of the bytes of a module, each name once. Returns 0, E_FOREIGN or a negative errno. */
int embedded_sources_parse(const uint8_t *data, size_t n_data, EmbeddedSources **ret_sources);

/* The same from the file at @path. Returns 0, E_FOREIGN or a negative errno. */
int embedded_sources_read(const char *path, EmbeddedSources **ret_sources);
EmbeddedSources *embedded_sources_free(EmbeddedSources *sources);
DEFINE_CLEANUP(EmbeddedSources *, embedded_sources_free)

/* The sources by index; NULL past the last. Valid as long as @sources. */
const EmbeddedSource *embedded_source_at(const EmbeddedSources *sources, size_t index);

/* The names of the libraries that the module needs (DT_NEEDED); NULL past the last. */
const char *embedded_library_at(const EmbeddedSources *sources, size_t index);

/*
 * The area of the benchmarks in @source: from its BENCH_AREA, else from its first .area, else, if it has a BENCH, its file name without the
 * suffix. False: it has no benchmark, as a shared header.
 */
bool embedded_source_area(const EmbeddedSource *source, char ret_area[static EMBEDDED_AREA_MAX]);

/*
 * The line on what @source measures: the .about of its BENCH_AREA, else the first sentence of its second comment, which follows that on the
 * licence. False: it says nothing.
 */
bool embedded_source_about(const EmbeddedSource *source, char ret_about[static EMBEDDED_ABOUT_MAX]);
