/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Moves a linked shared object within its cache line: its code and data lie that many bytes later in their pages than the
 * linker put them. The loader moves whole pages, so without this every process of a build has its loops at one place modulo
 * 64, and a build with a few instructions more in front of them has them at another, at another speed.
 *
 * The ELF header stays at the beginning, and everything behind it moves together, in the file as in memory: code finds its
 * data at the same distance. Absolute addresses are corrected: program headers, the dynamic section and its
 * symbols, relocations and what they point to. An object moves by multiples of the largest alignment that its file names, of code, data
 * and thread-local data, so that whatever was aligned stays so; one that is aligned to a whole line stays, and so does one that holds anything
 * unknown.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"

/* How a file is to be written, once its addresses are corrected. */
typedef struct ImageMove {
        uint32_t offset_bytes; /* between the ELF header and what follows it */
        size_t n_bytes; /* of the file, without these: what is loaded. Sections and debug information lie behind */
} ImageMove;

/*
 * Corrects the shared object of @n bytes at @image, which is 8-byte aligned, for being moved by @offset_bytes (a multiple of 16
 * under RUNNER_IMAGE_OFFSET_MAX), or by 16 less where it is aligned to 32. The bytes themselves stay where they are. Returns one of
 * IMAGE_FREE..., or why it must stay: then @image is spoilt, whatever @offset_bytes.
 */
SampleImageState image_offset_apply(void *image, size_t n, uint32_t offset_bytes, ImageMove *ret_move);

/*
 * A copy of a module or of a library that comes with it, in memory, where it cannot be loaded as it came: the module is moved within its
 * cache line, and what a file needs by a path is needed by the name behind it, since no path of the submitter's is there.
 */

typedef struct ImageCopyWish {
        const char (*library_names)[RUNNER_LIBRARY_NAME_MAX]; /* those that come along, by which others need them */
        uint32_t n_libraries;
        bool moves; /* within its cache line, if it can be */
        uint32_t image_offset_bytes;
} ImageCopyWish;

/* The copy, and where it lies. */
typedef struct ImageCopied {
        int fd; /* of the copy, the caller's; -1: it is loaded as it came */
        SampleImageState state;
        uint32_t image_offset_bytes;
} ImageCopied;

/*
 * Copies the file in @fd if @wish wants anything of it. One that cannot be moved is not, and ret_copied->state says why. Returns 0 or a
 * negative errno.
 */
int image_copy(int fd, const ImageCopyWish *wish, ImageCopied *ret_copied);

/* Cuts the directories off the names in @image of @n bytes, 8-byte aligned, that are among the libraries of @wish. Returns how many. */
size_t image_copy_cut_paths(void *image, size_t n, const ImageCopyWish *wish);
