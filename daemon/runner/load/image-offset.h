/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Moves a linked shared object within its cache line: its code and data lie some bytes later in their pages than the linker put them. The
 * loader moves whole pages, so without this all processes of a build have their loops at the same place modulo 64, and a build with a few more
 * instructions before them has them at another, with another speed.
 *
 * The ELF header stays at the beginning, and everything after it moves together, in the file as in memory, so code finds its data at the same
 * distance. Absolute addresses are corrected: program headers, the dynamic section and its symbols, relocations and their targets. An object
 * moves by multiples of the largest alignment of its code, data and thread-local data, so that everything stays aligned; an object that is
 * aligned to a whole line is not moved, nor is one with anything unknown in it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"

/* How to write a file after its addresses are corrected. */
typedef struct ImageMove {
        uint32_t offset_bytes; /* between the ELF header and the rest */
        size_t n_bytes; /* of the loaded part of the file, without the offset; sections and debug information follow it */
} ImageMove;

/*
 * Corrects the shared object of @n bytes at @image, which is 8-byte aligned, for a move by @offset_bytes (a multiple of 16 below
 * RUNNER_IMAGE_OFFSET_MAX), or by 16 less if it is aligned to 32. The bytes themselves are not moved. Returns one of IMAGE_FREE...,
 * or why it must stay: then @image is unusable, whatever @offset_bytes is.
 */
SampleImageState image_offset_apply(void *image, size_t n, uint32_t offset_bytes, ImageMove *ret_move);

/*
 * A copy in memory of a module or a library sent with it that cannot be loaded unchanged: the module is moved within its cache line, and
 * a library that a file needs by path is needed by the last name of it instead, since the submitter's paths do not exist in the run.
 */

typedef struct ImageCopyWish {
        const char (*library_names)[RUNNER_LIBRARY_NAME_MAX]; /* of libraries sent along, as other files need them */
        uint32_t n_libraries;
        bool moves; /* within its cache line, if it can be */
        uint32_t image_offset_bytes;
} ImageCopyWish;

/* The copy and its offset. */
typedef struct ImageCopied {
        int fd; /* of the copy, the caller's; -1: the file is loaded unchanged */
        SampleImageState state;
        uint32_t image_offset_bytes;
} ImageCopied;

/*
 * Copies the file in @fd if @wish needs a change. If it cannot be moved, ret_copied->state says why. Returns 0 or a negative errno.
 */
int image_copy(int fd, const ImageCopyWish *wish, ImageCopied *ret_copied);

/*
 * Cuts directories off the names in @image of @n bytes, 8-byte aligned, that are among the libraries of @wish. Returns
 * their number.
 */
size_t image_copy_cut_paths(void *image, size_t n, const ImageCopyWish *wish);
