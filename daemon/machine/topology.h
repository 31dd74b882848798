/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How the machine's CPUs hang together, as sysfs tells: physical cores with their siblings, caches, NUMA nodes,
 * core types, and what was set apart at boot. A virtual machine may tell what is not so.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Cache Cache;
typedef struct RootDir RootDir;

#define TOPOLOGY_CPUS_MAX  1024u /* CPU_SETSIZE */
#define TOPOLOGY_NODES_MAX 64u

enum {
        _TOPOLOGY_E_SUCCESS,

        TOPOLOGY_E_UNKNOWN, /* no list of CPUs that makes sense below this root, or one of more than TOPOLOGY_CPUS_MAX */
};

/* In the order of their speed: the lower, the faster. */
typedef enum CoreType {
        CORE_PERFORMANCE,
        CORE_UNIFORM, /* the machine has one type only */
        CORE_EFFICIENT,
        CORE_LOW_POWER,
} CoreType;

typedef struct TopologyCore {
        cpu_set_t cpus;    /* online siblings, one or more */
        unsigned node;     /* place in Topology.nodes */
        unsigned capacity; /* relative speed, 1024 the fastest; 0 where the machine does not tell */
        CoreType type;
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
        unsigned distances[TOPOLOGY_NODES_MAX][TOPOLOGY_NODES_MAX]; /* 10 is local; 0 where the machine does not tell */
        Cache *caches;                                              /* machine/caches.h */
        size_t n_caches;
} Topology;

/* Reads it below @root. Returns 0, E_UNKNOWN, or a negative errno. */
int topology_read(RootDir *root, Topology **ret_topology);
Topology *topology_free(Topology *topology);

/*
 * Finds the caches that a CPU of @a shares with one of @b: at most @max of them into @caches, which stay the topology's.
 * Returns how many there are.
 */
size_t topology_shared_caches(const Topology *topology, const cpu_set_t *a, const cpu_set_t *b, const Cache **caches,
                size_t max);
