/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * An .npz file: columns that numpy reads by name, and nothing else, so that reading it executes nothing. It is a zip of .npy files, each a
 * text line that describes the format, then the values. It is built in memory and written when complete.
 */

#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

typedef struct Npz Npz;

typedef enum NpzType {
        NPZ_U8,
        NPZ_U16,
        NPZ_U32,
        NPZ_U64,
        NPZ_F64,
        _NPZ_TYPE_N,
} NpzType;

int npz_new(Npz **ret_npz);
Npz *npz_free(Npz *npz);
DEFINE_CLEANUP(Npz *, npz_free)

/* Adds @n values of @type as the column @name. Returns 0 or a negative errno, like all functions here. */
int npz_add_column(Npz *npz, const char *name, NpzType type, const void *values, size_t n);

/* Adds @n UTF-8 texts as the column @name. */
int npz_add_texts(Npz *npz, const char *name, const char *const *texts, size_t n);

/* Adds one UTF-8 text as the scalar @name. */
int npz_add_text(Npz *npz, const char *name, const char *text);

/* Ends the file; nothing may be added after. @npz owns the bytes. */
int npz_end(Npz *npz, const void **ret_bytes, size_t *ret_n_bytes);
