/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The topology of the machine's CPUs, from sysfs: physical cores with their siblings, caches, NUMA nodes, core types,
 * and CPUs isolated at boot. A virtual machine may report a wrong one.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine-facts.h"
#include "util/cleanup.h"

typedef struct TopologyCache TopologyCache;

#define TOPOLOGY_CPUS_MAX  1024u /* CPU_SETSIZE */
#define TOPOLOGY_NODES_MAX 64u

enum {
        _TOPOLOGY_E_SUCCESS,

        TOPOLOGY_E_UNKNOWN, /* no sensible list of CPUs below this root, or more than TOPOLOGY_CPUS_MAX */
};

/* From the fastest to the slowest. */
typedef enum TopologyCoreType {
        CORE_PERFORMANCE,
        CORE_UNIFORM, /* the machine has one type only */
        CORE_EFFICIENT,
        CORE_LOW_POWER,
} TopologyCoreType;

typedef struct TopologyCore {
        cpu_set_t cpus;    /* online siblings, one or more */
        unsigned node;     /* place in Topology.nodes */
        unsigned capacity; /* relative speed, 1024 the fastest; 0 if not known */
        TopologyCoreType type;
        bool isolated; /* by isolcpus, all of it */
        bool tickless; /* by nohz_full, all of it */
} TopologyCore;

typedef struct TopologyNode {
        unsigned number; /* as the machine numbers them */
        cpu_set_t cpus;  /* empty for memory alone */
} TopologyNode;

typedef struct Topology {
        cpu_set_t present, online, isolated, nohz_full;
        int core_of[TOPOLOGY_CPUS_MAX]; /* place in @cores; -1 for a CPU that is not online */
        TopologyCore cores[TOPOLOGY_CPUS_MAX];
        size_t n_cores; /* in the order of their lowest CPU */
        TopologyNode nodes[TOPOLOGY_NODES_MAX];
        size_t n_nodes;                                             /* at least 1 */
        unsigned distances[TOPOLOGY_NODES_MAX][TOPOLOGY_NODES_MAX]; /* 10 is local; 0 if not known */
        TopologyCache *caches;
        size_t n_caches;
} Topology;

/* Reads it below @root. Returns 0, E_UNKNOWN, or a negative errno. */
int topology_read(RootDir *root, Topology **ret_topology);
Topology *topology_free(Topology *topology);
DEFINE_CLEANUP(Topology *, topology_free)

/*
 * Finds the caches that a CPU of @a shares with one of @b: at most @max of them into @caches; the topology owns them.
 * Returns how many there are.
 */
size_t topology_shared_caches(const Topology *topology, const cpu_set_t *a, const cpu_set_t *b,
                const TopologyCache **caches, size_t max);

/* The caches of a machine's CPUs and the CPUs that share each, from sysfs. */

typedef struct TopologyCache {
        cpu_set_t cpus; /* that share it */
        unsigned level;
        MachineCacheKind kind;
        uint64_t size_bytes; /* 0 if not known */
} TopologyCache;

/* Reads each cache of the CPUs of @online once, by level; the caller frees them. Returns 0 or a negative errno. */
int topology_caches_read(RootDir *root, const cpu_set_t *online, TopologyCache **ret_caches, size_t *ret_n);

/*
 * Hidden siblings: hardware threads of one core that the topology shows as separate cores, as in a guest. Keeps which pairs of CPUs were
 * tested and the results, and corrects the topology. Pure.
 *
 * A pair is tested once, until one of its CPUs is switched off or on. Only CPUs without a known sibling are tested, on a machine of few
 * CPUs.
 */

#define TOPOLOGY_HIDDEN_CPUS_MAX  16u /* of a machine on which pairs are tried */
#define TOPOLOGY_HIDDEN_PAIRS_MAX (TOPOLOGY_HIDDEN_CPUS_MAX * (TOPOLOGY_HIDDEN_CPUS_MAX - 1) / 2)
#define TOPOLOGY_HIDDEN_CORES_MAX (TOPOLOGY_HIDDEN_CPUS_MAX / 2)

typedef struct TopologyHiddenPair {
        int a, b;
        bool share; /* a core */
} TopologyHiddenPair;

typedef struct TopologyHidden {
        TopologyHiddenPair pairs[TOPOLOGY_HIDDEN_PAIRS_MAX];
        size_t n;
} TopologyHidden;

/*
 * Lists CPUs of @among that may share the core of @cpu and were not tested with it: at most @max into @ret_cpus.
 * Returns their number.
 */
size_t topology_hidden_suspects(const TopologyHidden *hidden, const Topology *topology, const cpu_set_t *among, int cpu,
                int *ret_cpus, size_t max);

/* Notes the result of a test of @a and @b. Without room for it, they count as not tested. */
void topology_hidden_note(TopologyHidden *hidden, int a, int b, bool share);

/* Drops the results of @cpu, which was switched off or on; -1: of all CPUs. */
void topology_hidden_forget(TopologyHidden *hidden, int cpu);

/* Joins hidden siblings into one core in @topology. The core gets the kind of its first CPU. */
void topology_hidden_tell(const TopologyHidden *hidden, Topology *topology);

/*
 * Lists the cores that @topology did not have before the correction: at most @max into @ret_cores. Returns their
 * number.
 */
size_t topology_hidden_cores(const TopologyHidden *hidden, const Topology *topology, cpu_set_t *ret_cores, size_t max);
