/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * `set-governor`: a governor by its name, or a scheme, which is several values at once. A scheme's values depend on the
 * driver, because one word has two meanings: with intel_pstate and amd-pstate in active mode the governor `powersave`
 * is the balanced choice and the preference says how much to save; elsewhere it pins the lowest frequency, which saves
 * least. No scheme has the name of a governor.
 */

#include <sched.h>
#include <stddef.h>

#include "machine/tunable.h"

#define GOVERNOR_NAMES_MAX 256u

enum {
        _GOVERNOR_E_SUCCESS,

        GOVERNOR_E_UNSUPPORTED, /* none of the CPUs has cpufreq */
        GOVERNOR_E_UNKNOWN,     /* neither a scheme nor a governor that all of the CPUs have */
};

/* The schemes; NULL at the end. */
extern const char *const governor_schemes[];

/*
 * Lists the governors that all policies of @cpus have, in @names of GOVERNOR_NAMES_MAX bytes, separated by blanks.
 * Returns 0, E_UNSUPPORTED, or a negative errno.
 */
int governor_list(RootDir *root, const cpu_set_t *cpus, char *names);

/*
 * Adds to @plan the values of @name for the policies of @cpus. Returns 0, E_UNSUPPORTED, E_UNKNOWN, or a negative
 * errno.
 */
int governor_plan(RootDir *root, const char *name, const cpu_set_t *cpus, TunablePlan *plan);

/*
 * The governors that `set-governor` chose, and their CPUs. A choice stays until it is restored, even if the daemon ends
 * meanwhile: a file beside the restore journal has one line per choice, and each start plans the machine from it, so
 * that the journal still has the values from before. Both are in /run, since a power cut resets the settings too.
 *
 *      performance 0-3
 *      power-saver 4-1023
 */

#define GOVERNOR_CHOICES_NAME_MAX 32u /* bytes with the end */
#define GOVERNOR_CHOICES_MAX      16u
#define GOVERNOR_CHOICES_PATH_MAX 256u

enum {
        _GOVERNOR_CHOICES_E_SUCCESS,

        GOVERNOR_CHOICES_E_CORRUPT, /* not such a file, or writable by others: nothing of it is used */
        GOVERNOR_CHOICES_E_FULL,    /* more choices than are kept */
        GOVERNOR_CHOICES_E_NAME,    /* longer than a name is, or with a blank */
};

typedef struct GovernorChoice {
        char name[GOVERNOR_CHOICES_NAME_MAX]; /* of a governor or scheme */
        cpu_set_t cpus;                       /* not empty, and no other choice's */
} GovernorChoice;

typedef struct GovernorChoices {
        GovernorChoice choices[GOVERNOR_CHOICES_MAX]; /* the latest first */
        size_t n;
} GovernorChoices;

/* Chooses @name for @cpus, in place of earlier choices for them. Returns 0, E_FULL, or E_NAME. */
int governor_choices_add(GovernorChoices *chosen, const char *name, const cpu_set_t *cpus);

/* Drops the choices for @cpus. */
void governor_choices_drop(GovernorChoices *chosen, const cpu_set_t *cpus);

/*
 * Reads the choices stored at @path below @root; none if there is no such file. Returns 0, E_CORRUPT, or a negative
 * errno.
 */
int governor_choices_read(RootDir *root, const char *path, GovernorChoices *ret_chosen);

/*
 * Stores the choices there, atomically and synced; without a choice the file is removed. Returns 0 or a negative errno.
 */
int governor_choices_write(RootDir *root, const char *path, const GovernorChoices *chosen);

/*
 * Adds the choices to @plan. A choice that the machine no longer knows, because its driver is gone, is left out.
 * Returns 0 or a negative errno.
 */
int governor_choices_plan(RootDir *root, const GovernorChoices *chosen, TunablePlan *plan);
