/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What `set-governor` set, and for which CPUs: it stays until it is restored, whatever becomes of the daemon meanwhile. So
 * it stands in a file beside the restore journal, a line a choice, and the plan of the machine is made of it at each start:
 * then the journal still tells what was before. Both are in /run, since what they tell of too is gone after a power cut.
 *
 *      performance 0-3
 *      power-saver 4-1023
 */

#include <sched.h>
#include <stddef.h>

#include "machine/tune-plan.h"

typedef struct RootDir RootDir;

#define STICKY_NAME_MAX    32u /* bytes with the end */
#define STICKY_CHOICES_MAX 16u
#define STICKY_PATH_MAX    256u

enum {
        _STICKY_E_SUCCESS,

        STICKY_E_CORRUPT, /* not such a file, or one that others may write: nothing of it is taken */
        STICKY_E_FULL,    /* more choices than are kept */
        STICKY_E_NAME,    /* longer than a name is, or with a blank */
};

typedef struct StickyChoice {
        char name[STICKY_NAME_MAX]; /* of a governor or scheme */
        cpu_set_t cpus;             /* not empty, and no other choice's */
} StickyChoice;

typedef struct Sticky {
        StickyChoice choices[STICKY_CHOICES_MAX]; /* the latest first */
        size_t n;
} Sticky;

/* Has @name chosen for @cpus, and what was chosen for them before no more. Returns 0, E_FULL, or E_NAME. */
int sticky_choose(Sticky *sticky, const char *name, const cpu_set_t *cpus);

/* Has nothing chosen for @cpus. */
void sticky_drop(Sticky *sticky, const cpu_set_t *cpus);

/* Reads what is kept at @path below @root; nothing if there is no such file. Returns 0, E_CORRUPT, or a negative errno. */
int sticky_read(RootDir *root, const char *path, Sticky *ret_sticky);

/* Keeps it there, in one step and synced; with nothing chosen there is no file. Returns 0 or a negative errno. */
int sticky_write(RootDir *root, const char *path, const Sticky *sticky);

/*
 * Adds to @plan what was chosen. A choice that the machine does not know any more, with its driver gone, is left out.
 * Returns 0 or a negative errno.
 */
int sticky_plan(RootDir *root, const Sticky *sticky, TunePlan *plan);
