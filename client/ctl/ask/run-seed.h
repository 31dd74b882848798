/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The seed of a run where benchctl itself draws from it: the links of a comparison, the machines of a fleet.
 */

#include <stdint.h>

typedef struct Settings Settings;

/* The seed of --seed, else a random one, the same at each call; below 2^63, as a result has it. Returns 0 or a negative errno. */
int run_seed(const Settings *settings, uint64_t *ret_seed);
