/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * `set-governor`: a governor by its name, or a scheme, which is several values at once. A scheme's values depend on the
 * driver, because the same word is two things: with intel_pstate and amd-pstate in active mode the governor `powersave`
 * is the balanced choice and the preference says how much to save; elsewhere it pins the lowest frequency, which saves
 * least. No scheme is called like a governor.
 */

#include <sched.h>
#include <stddef.h>

#include "machine/tune-plan.h"

typedef struct RootDir RootDir;

#define GOVERNOR_NAMES_MAX 256u

enum {
        _GOVERNOR_E_SUCCESS,

        GOVERNOR_E_UNSUPPORTED, /* none of the CPUs has cpufreq */
        GOVERNOR_E_UNKNOWN,     /* neither a scheme nor a governor that all of the CPUs have */
};

/* The schemes; NULL at the end. */
extern const char *const governor_schemes[];

/*
 * Lists the governors that every policy of @cpus has into @names of GOVERNOR_NAMES_MAX bytes, a blank between any two.
 * Returns 0, E_UNSUPPORTED, or a negative errno.
 */
int governor_list(RootDir *root, const cpu_set_t *cpus, char *names);

/* Adds to @plan what @name means for the policies of @cpus. Returns 0, E_UNSUPPORTED, E_UNKNOWN, or a negative errno. */
int governor_plan(RootDir *root, const char *name, const cpu_set_t *cpus, TunePlan *plan);
