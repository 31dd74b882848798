/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The raw samples of a result as a file of columns (npz.h): one row per sample; also the names of the benchmarks, the marks, and the words
 * that identify the run. benchctl-formats(7) describes each. Pure: from JSON to bytes.
 */

#include <stddef.h>

typedef struct Npz Npz;
typedef struct json_t json_t;

enum {
        _RAW_E_SUCCESS,

        RAW_E_NOT_KEPT, /* the run did not keep its samples */
        RAW_E_NOTHING,  /* the run measured nothing */
};

/* Makes the file of @result, for the caller to free. Returns 0, E_*, or a negative errno. */
int raw_make(const json_t *result, Npz **ret_npz, const void **ret_bytes, size_t *ret_n_bytes);
