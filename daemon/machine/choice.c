/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/choice.h"

#include "machine/topology.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

/* ---- the housekeeping CPU */

/* The lowest CPU that was not isolated at boot, if there is one. */
static int choose_house(const Topology *topology, const cpu_set_t *allowed) {
        cpu_set_t common = *allowed;

        cpu_set_subtract(&common, &topology->isolated);
        return cpu_set_first(CPU_COUNT(&common) > 0 ? &common : allowed);
}

int choice_split(const Topology *topology, const cpu_set_t *allowed, ChoicePool *ret_pool) {
        ChoicePool pool = {};
        cpu_set_t rest;
        int house;

        CPU_AND(&pool.allowed, allowed, &topology->online);
        if (CPU_COUNT(&pool.allowed) == 0)
                return CHOICE_E_TOO_FEW;
        house = choose_house(topology, &pool.allowed);
        pool.housekeeping = topology->cores[topology->core_of[house]].cpus;

        rest = pool.allowed;
        cpu_set_subtract(&rest, &pool.housekeeping);
        pool.whole_cores = CPU_COUNT(&rest) > 0;
        if (!pool.whole_cores) {
                CPU_ZERO(&pool.housekeeping);
                CPU_SET(house, &pool.housekeeping);
        }
        *ret_pool = pool;
        return 0;
}

/* ---- what could be leased */

/* The CPUs that may measure, leased or not. The only CPU of a machine measures and keeps house. */
static void candidates(const ChoicePool *pool, const ChoiceWish *wish, cpu_set_t *ret_cpus) {
        cpu_set_t cpus = pool->allowed;

        if (wish->within)
                CPU_AND(&cpus, &cpus, wish->within);
        if (CPU_COUNT(&pool->allowed) > 1)
                cpu_set_subtract(&cpus, &pool->housekeeping);
        *ret_cpus = cpus;
}

/* The CPUs that leasing @cpu reserves. */
static void reservation(const Topology *topology, const ChoicePool *pool, int cpu, cpu_set_t *ret_cpus) {
        CPU_ZERO(ret_cpus);
        if (pool->whole_cores)
                *ret_cpus = topology->cores[topology->core_of[cpu]].cpus;
        else
                CPU_SET(cpu, ret_cpus);
}

/* ---- which is the best */

typedef struct Choosing {
        const Topology *topology;
        const cpu_set_t *busy;    /* other leases */
        const ChoiceNoise *noise; /* may be NULL */
        int first;                /* CPU already chosen; -1 for none */
} Choosing;

static const TopologyCore *core_of(const Choosing *choosing, int cpu) {
        return &choosing->topology->cores[choosing->topology->core_of[cpu]];
}

static int cost_of_isolation(const Choosing *choosing, int cpu) {
        return !core_of(choosing, cpu)->isolated;
}

static int cost_of_ticks(const Choosing *choosing, int cpu) {
        return !core_of(choosing, cpu)->tickless;
}

static int cost_of_type(const Choosing *choosing, int cpu) {
        return core_of(choosing, cpu)->type;
}

static int cost_of_capacity(const Choosing *choosing, int cpu) {
        return -(int)core_of(choosing, cpu)->capacity;
}

static int cost_of_distance(const Choosing *choosing, int cpu) {
        if (choosing->first < 0)
                return 0;
        return choosing->topology->distances[core_of(choosing, choosing->first)->node][core_of(choosing, cpu)->node];
}

/* In whole steps above the quietest, so that chance differences count as equal and the order stays transitive. */
static int cost_of_noise(const Choosing *choosing, int cpu) {
        const ChoiceNoise *noise = choosing->noise;
        double least = 1, most = 0, share = -1;

        for (size_t i = 0; noise && i < noise->n; i++) {
                least = noise->shares[i] < least ? noise->shares[i] : least;
                most = noise->shares[i] > most ? noise->shares[i] : most;
                if (noise->cpus[i] == cpu)
                        share = noise->shares[i];
        }
        if (!noise || noise->n == 0)
                return 0;
        return ((share < 0 ? most : share) - least) / CHOICE_NOISE_STEP;
}

static int cost_of_sharing(const Choosing *choosing, int cpu) {
        return topology_shared_caches(choosing->topology, &core_of(choosing, cpu)->cpus, choosing->busy, NULL, 0);
}

static int cost_of_place(const Choosing *choosing, int cpu) {
        return -choosing->topology->core_of[cpu];
}

/* An earlier row decides over a later one. The lowest CPU of a core measures. */
static int (*const costs[])(const Choosing *choosing, int cpu) = {
        cost_of_isolation,
        cost_of_ticks,
        cost_of_type,
        cost_of_capacity,
        cost_of_distance,
        cost_of_noise,
        cost_of_sharing,
        cost_of_place,
};

#define COSTS_ABOVE_NOISE 5u /* rows */

/* Compares by the first @n rows: below 0 if @a is better, 0 if they are equal. */
static int compare_costs(const Choosing *choosing, int a, int b, size_t n) {
        for (size_t i = 0; i < n; i++) {
                int x = costs[i](choosing, a), y = costs[i](choosing, b);

                if (x != y)
                        return x < y ? -1 : 1;
        }
        return 0;
}

static int choose_best(const Choosing *choosing, const cpu_set_t *free) {
        int best = -1;

        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, free) && (best < 0 || compare_costs(choosing, cpu, best, N_ELEMENTS(costs)) < 0))
                        best = cpu;
        return best;
}

/* Removes CPUs from @cpus that cannot be leased because a sibling is. */
static void keep_free(const Topology *topology, const ChoicePool *pool, const cpu_set_t *busy, cpu_set_t *cpus) {
        cpu_set_t reserved;

        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
                if (!CPU_ISSET(cpu, cpus))
                        continue;
                reservation(topology, pool, cpu, &reserved);
                if (cpu_sets_meet(&reserved, busy))
                        CPU_CLR(cpu, cpus);
        }
}

static int choose_all(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish, const cpu_set_t *busy,
                Choice *ret_choice) {
        Choosing choosing = { .topology = topology, .busy = busy, .noise = wish->noise, .first = -1 };
        cpu_set_t free, reserved;
        Choice choice = {};

        candidates(pool, wish, &free);
        keep_free(topology, pool, busy, &free);
        for (size_t i = 0; i < wish->n; i++) {
                int cpu = choose_best(&choosing, &free);

                if (cpu < 0)
                        return CHOICE_E_TOO_FEW;
                reservation(topology, pool, cpu, &reserved);
                CPU_SET(cpu, &choice.measuring);
                CPU_OR(&choice.reserved, &choice.reserved, &reserved);
                cpu_set_subtract(&free, &reserved);
                choice.core_shared |= !CPU_EQUAL(&reserved, &core_of(&choosing, cpu)->cpus);
                if (i == 0)
                        choosing.first = cpu;
        }
        CPU_AND(&reserved, &choice.reserved, &topology->isolated);
        choice.isolated = CPU_EQUAL(&reserved, &choice.reserved);
        *ret_choice = choice;
        return 0;
}

size_t choice_candidates(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish,
                const cpu_set_t *busy, int *ret_cpus, size_t max) {
        Choosing choosing = { .topology = topology, .busy = busy, .first = -1 };
        cpu_set_t free, reserved;
        size_t n;

        candidates(pool, wish, &free);
        keep_free(topology, pool, busy, &free);
        for (n = 0; n < max; n++) {
                int cpu = choose_best(&choosing, &free);

                if (cpu < 0 || (n >= wish->n && compare_costs(&choosing, cpu, ret_cpus[wish->n - 1],
                                                                COSTS_ABOVE_NOISE) > 0))
                        break;
                reservation(topology, pool, cpu, &reserved);
                cpu_set_subtract(&free, &reserved);
                ret_cpus[n] = cpu;
                if (wish->n > 1)
                        choosing.first = ret_cpus[0];
        }
        return n > wish->n ? n : 0;
}

/* ---- why not */

void choice_blame(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish, int outcome,
                cpu_set_t *ret_cpus) {
        const cpu_set_t *good[] = {
                [CHOICE_E_MISSING] = &topology->present,
                [CHOICE_E_OFFLINE] = &topology->online,
                [CHOICE_E_NOT_LEASABLE] = &pool->allowed,
        };

        CPU_ZERO(ret_cpus);
        if (!wish->within)
                return;
        if (outcome == CHOICE_E_HOUSEKEEPING) {
                CPU_AND(ret_cpus, wish->within, &pool->housekeeping);
        } else if (outcome > 0 && (size_t)outcome < N_ELEMENTS(good)) {
                *ret_cpus = *wish->within;
                cpu_set_subtract(ret_cpus, good[outcome]);
        }
}

static bool is_to_blame(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish, int outcome) {
        cpu_set_t blamed;

        choice_blame(topology, pool, wish, outcome, &blamed);
        return CPU_COUNT(&blamed) > 0;
}

/* Returns why even an idle machine has too few CPUs for @wish. */
static int too_few(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish) {
        static const int reasons[] = { CHOICE_E_NOT_LEASABLE, CHOICE_E_HOUSEKEEPING };

        for (size_t i = 0; i < N_ELEMENTS(reasons); i++)
                if (is_to_blame(topology, pool, wish, reasons[i]))
                        return reasons[i];
        return CHOICE_E_TOO_FEW;
}

int choice_make(const Topology *topology, const ChoicePool *pool, const ChoiceWish *wish, const cpu_set_t *busy,
                Choice *ret_choice) {
        const cpu_set_t none = {};
        Choice idle;

        if (is_to_blame(topology, pool, wish, CHOICE_E_MISSING))
                return CHOICE_E_MISSING;
        if (is_to_blame(topology, pool, wish, CHOICE_E_OFFLINE))
                return CHOICE_E_OFFLINE;
        if (choose_all(topology, pool, wish, &none, &idle) > 0)
                return too_few(topology, pool, wish);
        return choose_all(topology, pool, wish, busy, ret_choice) > 0 ? CHOICE_E_BUSY : 0;
}
