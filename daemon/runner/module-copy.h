/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A copy of a module or of a library that comes with it, in memory, where it cannot be loaded as it came: the module is moved within its
 * cache line, and what a file needs by a path is needed by the name behind it, since no path of the submitter's is there.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/sample-block.h"

typedef struct ModuleCopyWish {
        const char (*library_names)[RUNNER_LIBRARY_NAME_MAX]; /* those that come along, by which others need them */
        uint32_t n_libraries;
        bool moves; /* within its cache line, if it can be */
        uint32_t image_offset_bytes;
} ModuleCopyWish;

/* The copy, and where it lies. */
typedef struct ModuleCopied {
        int fd; /* of the copy, the caller's; -1: it is loaded as it came */
        ImageState state;
        uint32_t image_offset_bytes;
} ModuleCopied;

/*
 * Copies the file in @fd if @wish wants anything of it. One that cannot be moved is not, and ret_copied->state says why. Returns 0 or a
 * negative errno.
 */
int module_copy(int fd, const ModuleCopyWish *wish, ModuleCopied *ret_copied);

/* Cuts the directories off the names in @image of @n bytes, 8-byte aligned, that are among the libraries of @wish. Returns how many. */
size_t module_copy_cut_paths(void *image, size_t n, const ModuleCopyWish *wish);
