/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Hidden siblings: hardware threads of one core that the topology shows as cores of their own, as that of a guest may. Which pairs of CPUs
 * were tried, and what came of it; where two are siblings, the topology is told. Pure.
 *
 * A pair is tried once, until one of its CPUs is switched off or on. Only where it can be so: CPUs that have no sibling yet, on a machine of
 * few CPUs.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Topology Topology;

#define HIDDEN_CPUS_MAX  16u /* of a machine on which pairs are tried */
#define HIDDEN_PAIRS_MAX (HIDDEN_CPUS_MAX * (HIDDEN_CPUS_MAX - 1) / 2)
#define HIDDEN_CORES_MAX (HIDDEN_CPUS_MAX / 2)

typedef struct HiddenPair {
        int a, b;
        bool share; /* a core */
} HiddenPair;

typedef struct Hidden {
        HiddenPair pairs[HIDDEN_PAIRS_MAX];
        size_t n;
} Hidden;

/* Which of @among may share the core of @cpu, and were not tried with it: at most @max into @ret_cpus. Returns how many. */
size_t hidden_suspects(const Hidden *hidden, const Topology *topology, const cpu_set_t *among, int cpu, int *ret_cpus,
                size_t max);

/* @a and @b were tried. If there is no place for it, it is as if they were not. */
void hidden_note(Hidden *hidden, int a, int b, bool share);

/* @cpu was switched off or on; -1: any may have been. */
void hidden_forget(Hidden *hidden, int cpu);

/* Makes one core of those that share one, in @topology. The kind of their first CPU holds for all. */
void hidden_tell(const Hidden *hidden, Topology *topology);

/* The cores that @topology did not know before it was told: at most @max into @ret_cores. Returns how many. */
size_t hidden_cores(const Hidden *hidden, const Topology *topology, cpu_set_t *ret_cores, size_t max);
