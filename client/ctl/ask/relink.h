/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Links a module again and again from the same objects, with its functions and its objects in another order each time, and puts all links
 * into one file (util/module-links.h).
 */

#include <stddef.h>
#include <stdint.h>

#define RELINK_BYTES_MAX (32u << 20) /* of the file: half of what a module may have */

/* Links @objects in turn, beginning with number @first, to @output. Returns 0, or an exit code after printing the error. */
typedef int (*RelinkLinker)(void *userdata, char *const *objects, size_t first, const char *output);

typedef struct Relink {
        char *const *objects; /* their paths; those with no functions to put in order stay as they are */
        size_t n_objects;
        const char *prefix; /* of the names of files that it makes, and removes */
        const char *name;   /* of the module, in messages */
        RelinkLinker linker;
        void *userdata;
        uint32_t n_links; /* with that in the module's file */
        uint64_t seed;
} Relink;

/*
 * Adds links to the module at @path, fewer where they take over RELINK_BYTES_MAX; none where the objects have nothing to put in order.
 * Returns 0 with the number of links, or an exit code after printing the error.
 */
int relink_add(const Relink *relink, const char *path, uint32_t *ret_n_links);
