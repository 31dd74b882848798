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

#include <stddef.h>
#include <stdint.h>

#include "ops/sample-block.h"

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
ImageState image_offset_apply(void *image, size_t n, uint32_t offset_bytes, ImageMove *ret_move);
