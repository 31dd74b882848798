/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The built-in module, beside benchctl in a build tree or installed. Its areas are read from its embedded sources, without loading it or
 * asking a daemon.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/ask/embedded.h"
#include "util/cleanup.h"

typedef struct BuiltIn BuiltIn;

enum {
        _BUILT_IN_E_SUCCESS,

        BUILT_IN_E_MISSING, /* not built or not installed */
};

/* Returns 0, E_MISSING, or a negative errno. */
int built_in_find(BuiltIn **ret_built_in);
BuiltIn *built_in_free(BuiltIn *built_in);
DEFINE_CLEANUP(BuiltIn *, built_in_free)

/* Prints that the built-in module is missing. Returns an exit code. */
int built_in_complain(void);

const char *built_in_path(const BuiltIn *built_in);

/* The embedded sources; NULL: none. */
const EmbeddedSources *built_in_sources(const BuiltIn *built_in);

/* The areas in the order of the module, NULL past the last. */
const char *built_in_area_at(const BuiltIn *built_in, size_t index);

bool built_in_knows_areas(const BuiltIn *built_in);

/* True if @word is an area, or an area with a benchmark: "strings", "strings/strlen". */
bool built_in_has(const BuiltIn *built_in, const char *word);

/* The area that @word probably meant; NULL: none. */
const char *built_in_nearest(const BuiltIn *built_in, const char *word);

/* All areas as an enumeration, which the caller frees. NULL: memory ran out, or none is known. */
char *built_in_areas(const BuiltIn *built_in);
