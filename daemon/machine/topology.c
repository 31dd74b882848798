/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/file-value.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

#define PATH_SIZE 128u
#define INDEX_MAX 16u /* caches of one CPU */

static MachineCacheKind cache_kind(const char *word) {
        static const struct {
                const char *word;
                MachineCacheKind kind;
        } kinds[] = { { "Data", CACHE_DATA }, { "Instruction", CACHE_INSTRUCTION }, { "Unified", CACHE_UNIFIED } };

        for (size_t i = 0; i < N_ELEMENTS(kinds); i++)
                if (strcmp(word, kinds[i].word) == 0)
                        return kinds[i].kind;
        return 0;
}

/* "32K" in bytes. */
static uint64_t cache_size(const char *text) {
        char *unit;
        uint64_t size = strtoull(text, &unit, 10);

        return *unit == 'K' ? size << 10 : *unit == 'M' ? size << 20 : size;
}

static int cache_read_words(RootDir *root, const char *folder, TopologyCache *cache) {
        char path[PATH_SIZE + 16], text[32];
        int r;

        snprintf(path, sizeof path, "%s/type", folder);
        r = file_value_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        cache->kind = cache_kind(text);

        snprintf(path, sizeof path, "%s/size", folder);
        r = file_value_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        cache->size_bytes = cache_size(text);
        return 0;
}

static int cache_read(RootDir *root, unsigned cpu, unsigned index, TopologyCache *ret_cache) {
        char folder[PATH_SIZE], path[PATH_SIZE + 16];
        TopologyCache cache = {};
        int r;

        snprintf(folder, sizeof folder, "sys/devices/system/cpu/cpu%u/cache/index%u", cpu, index);
        snprintf(path, sizeof path, "%s/level", folder);
        r = file_value_read_number(root, path, &cache.level);
        if (r)
                return error_trace(r);
        snprintf(path, sizeof path, "%s/shared_cpu_list", folder);
        r = file_value_read_set(root, path, &cache.cpus);
        if (r)
                return error_trace(r);
        r = cache_read_words(root, folder, &cache);
        if (r)
                return error_trace(r);
        *ret_cache = cache;
        return 0;
}

/* Every CPU that shares a cache lists it: it is taken from the lowest of them. */
static bool cache_is_told_by(const TopologyCache *cache, const cpu_set_t *online, unsigned cpu) {
        if (!cache->kind || !CPU_ISSET(cpu, &cache->cpus))
                return false;
        for (unsigned lower = 0; lower < cpu; lower++)
                if (CPU_ISSET(lower, &cache->cpus) && CPU_ISSET(lower, online))
                        return false;
        return true;
}

static int caches_add(TopologyCache **caches, size_t *n, const TopologyCache *cache) {
        TopologyCache *grown = reallocarray(*caches, *n + 1, sizeof *grown);

        if (!grown)
                return error_origin(-ENOMEM);
        *caches = grown;
        grown[(*n)++] = *cache;
        return 0;
}

static int caches_read_cpu(RootDir *root, const cpu_set_t *online, unsigned cpu, TopologyCache **caches, size_t *n) {
        unsigned indices[INDEX_MAX];
        char path[PATH_SIZE];
        size_t n_indices;
        TopologyCache cache;
        int r;

        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cache", cpu);
        r = root_dir_numbers(root, path, "index", indices, N_ELEMENTS(indices), &n_indices);
        for (size_t i = 0; !r && i < n_indices; i++) {
                r = cache_read(root, cpu, indices[i], &cache);
                if (!r && cache_is_told_by(&cache, online, cpu))
                        r = caches_add(caches, n, &cache);
        }
        return error_trace(r);
}

static int compare_caches(const void *a, const void *b) {
        const TopologyCache *x = a, *y = b;

        return x->level != y->level ? (int)x->level - (int)y->level : (int)x->kind - (int)y->kind;
}

int topology_caches_read(RootDir *root, const cpu_set_t *online, TopologyCache **ret_caches, size_t *ret_n) {
        _cleanup_(freep) TopologyCache *caches = NULL;
        size_t n = 0;
        int r;

        for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
                if (!CPU_ISSET(cpu, online))
                        continue;
                r = caches_read_cpu(root, online, cpu, &caches, &n);
                if (r)
                        return error_trace(r);
        }
        if (n > 0)
                qsort(caches, n, sizeof *caches, compare_caches);
        *ret_caches = take_pointer(caches);
        *ret_n = n;
        return 0;
}

#define CPUS      "sys/devices/system/cpu"
#define NODES     "sys/devices/system/node"
#define PATH_SIZE 128u
#define INDEX_MAX 16u /* caches of one CPU */

static int read_cpu_set(RootDir *root, unsigned cpu, const char *name, cpu_set_t *ret_set) {
        char path[PATH_SIZE];

        snprintf(path, sizeof path, CPUS "/cpu%u/%s", cpu, name);
        return error_trace(file_value_read_set(root, path, ret_set));
}

static int read_cpu_number(RootDir *root, unsigned cpu, const char *name, unsigned *ret_number) {
        char path[PATH_SIZE];

        snprintf(path, sizeof path, CPUS "/cpu%u/%s", cpu, name);
        return error_trace(file_value_read_number(root, path, ret_number));
}

/* ---- the sets */

static int topology_read_sets(RootDir *root, Topology *topology) {
        const struct {
                const char *path;
                cpu_set_t *set;
        } sets[] = {
                { CPUS "/present", &topology->present },
                { CPUS "/online", &topology->online },
                { CPUS "/isolated", &topology->isolated },
                { CPUS "/nohz_full", &topology->nohz_full },
        };
        int r;

        for (size_t i = 0; i < N_ELEMENTS(sets); i++) {
                r = file_value_read_set(root, sets[i].path, sets[i].set);
                if (r)
                        return error_trace(r);
        }
        return CPU_COUNT(&topology->online) > 0 ? 0 : TOPOLOGY_E_UNKNOWN;
}

/* ---- cores */

/* Reads the online siblings of @cpu, which include itself. The first file name is the newer one. */
static int read_siblings(RootDir *root, const Topology *topology, unsigned cpu, cpu_set_t *ret_set) {
        static const char *const names[] = { "topology/core_cpus_list", "topology/thread_siblings_list" };
        cpu_set_t set;
        int r;

        CPU_ZERO(&set);
        for (size_t i = 0; i < N_ELEMENTS(names) && CPU_COUNT(&set) == 0; i++) {
                r = read_cpu_set(root, cpu, names[i], &set);
                if (r)
                        return error_trace(r);
        }
        CPU_AND(ret_set, &set, &topology->online);
        CPU_SET(cpu, ret_set);
        return 0;
}

static int topology_add_core(RootDir *root, Topology *topology, unsigned cpu) {
        TopologyCore *core = &topology->cores[topology->n_cores];
        int r;

        *core = (TopologyCore){ .type = CORE_UNIFORM };
        r = read_siblings(root, topology, cpu, &core->cpus);
        if (!r)
                r = read_cpu_number(root, cpu, "cpu_capacity", &core->capacity);
        if (r)
                return error_trace(r);
        for (unsigned sibling = 0; sibling < TOPOLOGY_CPUS_MAX; sibling++)
                if (CPU_ISSET(sibling, &core->cpus))
                        topology->core_of[sibling] = topology->n_cores;
        core->isolated = cpu_set_within(&core->cpus, &topology->isolated);
        core->tickless = cpu_set_within(&core->cpus, &topology->nohz_full);
        topology->n_cores++;
        return 0;
}

static int topology_read_cores(RootDir *root, Topology *topology) {
        int r;

        for (unsigned cpu = 0; cpu < TOPOLOGY_CPUS_MAX; cpu++)
                topology->core_of[cpu] = -1;
        for (unsigned cpu = 0; cpu < TOPOLOGY_CPUS_MAX; cpu++) {
                if (!CPU_ISSET(cpu, &topology->online) || topology->core_of[cpu] >= 0)
                        continue;
                r = topology_add_core(root, topology, cpu);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

/* The kernel reveals the core types only by one perf device per type, which lists its CPUs. */
static int topology_read_types(RootDir *root, Topology *topology) {
        static const struct {
                const char *path;
                TopologyCoreType type;
        } types[] = {
                { "sys/devices/cpu_core/cpus", CORE_PERFORMANCE },
                { "sys/devices/cpu_atom/cpus", CORE_EFFICIENT },
                { "sys/devices/cpu_lowpower/cpus", CORE_LOW_POWER },
        };
        cpu_set_t set;
        int r;

        for (size_t i = 0; i < N_ELEMENTS(types); i++) {
                r = file_value_read_set(root, types[i].path, &set);
                if (r)
                        return error_trace(r);
                for (size_t core = 0; core < topology->n_cores; core++)
                        if (cpu_set_within(&topology->cores[core].cpus, &set))
                                topology->cores[core].type = types[i].type;
        }
        return 0;
}

/* ---- nodes */

static int topology_read_distances(RootDir *root, Topology *topology, size_t from) {
        char path[PATH_SIZE], text[TOPOLOGY_NODES_MAX * 4];
        const char *next = text;
        char *end;
        int r;

        snprintf(path, sizeof path, NODES "/node%u/distance", topology->nodes[from].number);
        r = file_value_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        for (size_t to = 0; to < topology->n_nodes; to++, next = end) {
                topology->distances[from][to] = strtoul(next, &end, 10);
                if (end == next)
                        break;
        }
        return 0;
}

static int topology_read_node(RootDir *root, Topology *topology, size_t place) {
        TopologyNode *node = &topology->nodes[place];
        char path[PATH_SIZE];
        int r;

        snprintf(path, sizeof path, NODES "/node%u/cpulist", node->number);
        r = file_value_read_set(root, path, &node->cpus);
        if (r)
                return error_trace(r);
        for (size_t core = 0; core < topology->n_cores; core++)
                if (cpu_set_within(&topology->cores[core].cpus, &node->cpus))
                        topology->cores[core].node = place;
        return error_trace(topology_read_distances(root, topology, place));
}

/* A kernel without NUMA has no nodes: then everything is one node. */
static int topology_read_nodes(RootDir *root, Topology *topology) {
        unsigned numbers[TOPOLOGY_NODES_MAX];
        size_t n;
        int r;

        r = root_dir_numbers(root, NODES, "node", numbers, N_ELEMENTS(numbers), &n);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < n; i++)
                topology->nodes[i].number = numbers[i];
        topology->n_nodes = n;
        for (size_t i = 0; !r && i < n; i++)
                r = topology_read_node(root, topology, i);
        if (n == 0)
                topology->nodes[topology->n_nodes++].cpus = topology->online;
        return error_trace(r);
}

static int topology_read_caches(RootDir *root, Topology *topology) {
        return error_trace(topology_caches_read(root, &topology->online, &topology->caches, &topology->n_caches));
}

/* ---- all of it */

int topology_read(RootDir *root, Topology **ret_topology) {
        static int (*const parts[])(RootDir * root, Topology * topology) = {
                topology_read_sets,
                topology_read_cores,
                topology_read_types,
                topology_read_caches,
                topology_read_nodes,
        };
        _cleanup_(topology_freep) Topology *topology = NULL;
        int r;

        topology = calloc(1, sizeof *topology);
        if (!topology)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
                r = parts[i](root, topology);
                if (r)
                        return error_trace(r);
        }
        *ret_topology = take_pointer(topology);
        return 0;
}

Topology *topology_free(Topology *topology) {
        if (topology)
                free(topology->caches);
        free(topology);
        return NULL;
}

size_t topology_shared_caches(const Topology *topology, const cpu_set_t *a, const cpu_set_t *b,
                const TopologyCache **caches, size_t max) {
        size_t n = 0;

        for (size_t i = 0; i < topology->n_caches; i++) {
                const TopologyCache *cache = &topology->caches[i];

                if (!cpu_sets_meet(&cache->cpus, a) || !cpu_sets_meet(&cache->cpus, b))
                        continue;
                if (n < max)
                        caches[n] = cache;
                n++;
        }
        return n;
}

static const TopologyHiddenPair *hidden_find(const TopologyHidden *hidden, int a, int b) {
        for (size_t i = 0; i < hidden->n; i++) {
                const TopologyHiddenPair *pair = &hidden->pairs[i];

                if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a))
                        return pair;
        }
        return NULL;
}

static bool stands_alone(const Topology *topology, int cpu) {
        const int core = topology->core_of[cpu];

        return core >= 0 && CPU_COUNT(&topology->cores[core].cpus) == 1;
}

size_t topology_hidden_suspects(const TopologyHidden *hidden, const Topology *topology, const cpu_set_t *among, int cpu,
                int *ret_cpus, size_t max) {
        size_t n = 0;

        if ((size_t)CPU_COUNT(&topology->online) > TOPOLOGY_HIDDEN_CPUS_MAX || !stands_alone(topology, cpu))
                return 0;
        for (int other = 0; other < CPU_SETSIZE && n < max; other++)
                if (other != cpu && CPU_ISSET(other, among) && stands_alone(topology, other) &&
                                !hidden_find(hidden, cpu, other))
                        ret_cpus[n++] = other;
        return n;
}

void topology_hidden_note(TopologyHidden *hidden, int a, int b, bool share) {
        if (hidden->n < TOPOLOGY_HIDDEN_PAIRS_MAX && !hidden_find(hidden, a, b))
                hidden->pairs[hidden->n++] = (TopologyHiddenPair){ a, b, share };
}

void topology_hidden_forget(TopologyHidden *hidden, int cpu) {
        size_t n_kept = 0;

        for (size_t i = 0; i < hidden->n; i++)
                if (cpu >= 0 && hidden->pairs[i].a != cpu && hidden->pairs[i].b != cpu)
                        hidden->pairs[n_kept++] = hidden->pairs[i];
        hidden->n = n_kept;
}

/* Makes the core at @from a part of an earlier one. */
static void topology_join(Topology *topology, int into, int from) {
        TopologyCore *core = &topology->cores[into];

        CPU_OR(&core->cpus, &core->cpus, &topology->cores[from].cpus);
        core->isolated &= topology->cores[from].isolated;
        core->tickless &= topology->cores[from].tickless;
        memmove(&topology->cores[from], &topology->cores[from + 1], (topology->n_cores - from - 1) * sizeof *core);
        topology->n_cores--;
        for (size_t cpu = 0; cpu < TOPOLOGY_CPUS_MAX; cpu++) {
                if (topology->core_of[cpu] == from)
                        topology->core_of[cpu] = into;
                else if (topology->core_of[cpu] > from)
                        topology->core_of[cpu]--;
        }
}

void topology_hidden_tell(const TopologyHidden *hidden, Topology *topology) {
        for (size_t i = 0; i < hidden->n; i++) {
                const int a = topology->core_of[hidden->pairs[i].a], b = topology->core_of[hidden->pairs[i].b];

                if (hidden->pairs[i].share && a >= 0 && b >= 0 && a != b)
                        topology_join(topology, a < b ? a : b, a < b ? b : a);
        }
}

static bool hides_within(const TopologyHidden *hidden, const cpu_set_t *core) {
        for (size_t i = 0; i < hidden->n; i++)
                if (hidden->pairs[i].share && CPU_ISSET(hidden->pairs[i].a, core) &&
                                CPU_ISSET(hidden->pairs[i].b, core))
                        return true;
        return false;
}

size_t topology_hidden_cores(const TopologyHidden *hidden, const Topology *topology, cpu_set_t *ret_cores, size_t max) {
        size_t n = 0;

        for (size_t core = 0; core < topology->n_cores && n < max; core++)
                if (hides_within(hidden, &topology->cores[core].cpus))
                        ret_cores[n++] = topology->cores[core].cpus;
        return n;
}
