/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/lease.h"

#include <stdlib.h>
#include <string.h>

#include "machine/topology.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"

#define LEASE_CACHES_MAX 256u
#define LEASE_SPARE_MAX  3u /* CPUs that are probed beyond the wanted number */

/* ---- what the kernel tells */

int leases_read_allowed(cpu_set_t *ret_allowed) {
        return sched_getaffinity(0, sizeof *ret_allowed, ret_allowed) < 0 ? error_origin(-errno) : 0;
}

static int plain_topology(const cpu_set_t *cpus, Topology **ret_topology) {
        Topology *topology = calloc(1, sizeof *topology);

        if (!topology)
                return error_origin(-ENOMEM);
        topology->present = topology->online = topology->nodes[0].cpus = *cpus;
        topology->n_nodes = 1;
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
                TopologyCore *core = &topology->cores[topology->n_cores];

                topology->core_of[cpu] = -1;
                if (!CPU_ISSET(cpu, cpus))
                        continue;
                core->type = CORE_UNIFORM;
                CPU_SET(cpu, &core->cpus);
                topology->core_of[cpu] = topology->n_cores++;
        }
        *ret_topology = topology;
        return 0;
}

int leases_read_topology(RootDir *root, const cpu_set_t *allowed, Topology **ret_topology) {
        _cleanup_(topology_freep) Topology *topology = NULL;
        int r;

        r = topology_read(root, &topology);
        if (r < 0)
                return error_trace(r);
        if (r > 0)
                return error_trace(plain_topology(allowed, ret_topology));
        if (!cpu_sets_meet(allowed, &topology->online))
                return error_trace(plain_topology(allowed, ret_topology));
        *ret_topology = take_pointer(topology);
        return 0;
}

int leases_keep_house(const Leases *leases) {
        cpu_set_t set;

        CPU_AND(&set, &leases->pool.housekeeping, &leases->allowed);
        return sched_setaffinity(0, sizeof set, &set) < 0 ? error_origin(-errno) : 0;
}

/* ---- what there is to lend */

static const TopologyCore *leases_core(const Leases *leases, int cpu) {
        return &leases->topology->cores[leases->topology->core_of[cpu]];
}

static bool is_first_of_core(const Leases *leases, int cpu) {
        cpu_set_t usable;

        CPU_AND(&usable, &leases_core(leases, cpu)->cpus, &leases->pool.allowed);
        return cpu_set_first(&usable) == cpu;
}

/* If there are more CPUs than leases, whole cores are kept from the top, with those isolated at boot first. */
static void leases_pick(const Leases *leases, const cpu_set_t *candidates, cpu_set_t *ret_picked) {
        CPU_ZERO(ret_picked);
        for (int rank = 0; rank < 4; rank++)
                for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && (size_t)CPU_COUNT(ret_picked) < LEASES_MAX; cpu--)
                        if (CPU_ISSET(cpu, candidates) && is_first_of_core(leases, cpu) == (rank < 2) &&
                                        leases_core(leases, cpu)->isolated == (rank % 2 == 0))
                                CPU_SET(cpu, ret_picked);
}

static void leases_lay_out(Leases *leases) {
        cpu_set_t both, candidates, picked;

        leases->allowed = leases->pool.allowed;
        CPU_AND(&both, &leases->pool.housekeeping, &leases->allowed);
        leases->housekeeping = cpu_set_first(&both);
        CPU_XOR(&candidates, &leases->allowed, &both);
        leases_pick(leases, &candidates, &picked);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &picked))
                        leases->leases[leases->n_leases++] = (Lease){ .cpu = cpu, .fifo = true };
        leases->house = (Lease){ .cpu = leases->housekeeping };
        leases->has_house = leases->n_leases > 0;
        if (leases->n_leases == 0)
                leases->leases[leases->n_leases++] = leases->house;
}

void leases_init(Leases *leases, const Topology *topology, const cpu_set_t *allowed) {
        *leases = (Leases){
                .topology = topology,
                .given = *allowed,
                .given_all = cpu_set_within(&topology->online, allowed),
        };
        (void)choice_split(topology, allowed, &leases->pool);
        leases_lay_out(leases);
}

void leases_ask(Leases *leases, LeasesProbe probe, void *userdata) {
        leases->probe = probe;
        leases->probe_userdata = userdata;
}

/* ---- CPUs that come and go */

void leases_note_hotplug(Leases *leases, int cpu, bool on) {
        leases->stale = true;
        topology_hidden_forget(&leases->hidden, cpu);
        if (cpu < 0) { /* any of them */
                memset(&leases->moved, 0xff, sizeof leases->moved);
                return;
        }
        CPU_SET(cpu, &leases->moved);
        if (on)
                CPU_CLR(cpu, &leases->off);
        else
                CPU_SET(cpu, &leases->off);
}

size_t leases_suspects(const Leases *leases, const LeaseSet *set, int *ret_cpus, size_t max) {
        cpu_set_t free, lent;

        CPU_XOR(&lent, &leases->busy, &set->reserved);
        CPU_AND(&lent, &lent, &leases->allowed);
        CPU_XOR(&free, &leases->allowed, &lent);
        return topology_hidden_suspects(&leases->hidden, leases->topology, &free, set->leases[0]->cpu, ret_cpus, max);
}

void leases_note_sibling(Leases *leases, int cpu, int other, bool share) {
        topology_hidden_note(&leases->hidden, cpu, other, share);
        leases->stale |= share;
}

bool leases_await_split(const Leases *leases) {
        return leases->stale && CPU_COUNT(&leases->busy) == 0;
}

/* Keeps the facts of CPUs of @old that were not switched off in between. */
static void leases_carry(Leases *leases, const Leases *old) {
        for (size_t i = 0; i < leases->n_leases; i++)
                for (size_t k = 0; k < old->n_leases; k++) {
                        Lease *lease = &leases->leases[i];
                        const Lease *before = &old->leases[k];

                        if (lease->cpu != before->cpu || CPU_ISSET(lease->cpu, &old->moved))
                                continue;
                        lease->calibrated = before->calibrated;
                        lease->provisional = before->provisional;
                        lease->n_lent = before->n_lent;
                        lease->again_after = before->again_after;
                        lease->failures = before->failures;
                        lease->grant = before->grant;
                }
        if (leases->house.cpu == old->house.cpu)
                leases->house.grant = old->house.grant;
}

bool leases_split(Leases *leases, const Topology *topology) {
        const Leases old = *leases;
        Leases fresh = {
                .topology = topology,
                .probe = old.probe,
                .probe_userdata = old.probe_userdata,
                .given = old.given,
                .given_all = old.given_all,
                .hidden = old.hidden,
        };

        if (choice_split(topology, old.given_all ? &topology->online : &old.given, &fresh.pool) != 0)
                return false;
        leases_lay_out(&fresh);
        leases_carry(&fresh, &old);
        *leases = fresh;
        return true;
}

void leases_keep_split(Leases *leases) {
        leases->stale = false;
}

/* ---- lending */

static bool lease_is_usable(const Lease *lease) {
        return lease->calibrated || lease->failures < LEASE_FAILURES_MAX;
}

static bool lease_is_calibrated(const Lease *lease) {
        return lease->calibrated;
}

static bool lease_awaits_calibration(const Lease *lease) {
        return lease->calibrated ? lease->provisional && lease->n_lent >= lease->again_after : lease_is_usable(lease);
}

/* The CPUs of leases for which @holds is true. */
static cpu_set_t leases_which(const Leases *leases, bool (*holds)(const Lease *lease), const cpu_set_t *within) {
        cpu_set_t some = {};

        for (size_t i = 0; i < leases->n_leases; i++)
                if (holds(&leases->leases[i]) && !CPU_ISSET(leases->leases[i].cpu, &leases->off))
                        CPU_SET(leases->leases[i].cpu, &some);
        if (within)
                CPU_AND(&some, &some, within);
        return some;
}

static int leases_choose(const Leases *leases, bool (*holds)(const Lease *lease), const cpu_set_t *busy, size_t n,
                const cpu_set_t *within, Choice *ret_choice) {
        const cpu_set_t some = leases_which(leases, holds, within);

        return choice_make(leases->topology, &leases->pool, &(ChoiceWish){ .within = &some, .n = n }, busy, ret_choice);
}

/* Probes one candidate after another, until enough of them are as quiet as any can be. */
static void leases_survey(const Leases *leases, const ChoiceWish *wish, ChoiceNoise *ret_noise) {
        const size_t most = wish->n + LEASE_SPARE_MAX;
        int cpus[CHOICE_PROBED_MAX];
        ChoiceNoise noise = {};
        size_t n, n_quiet = 0;

        n = choice_candidates(leases->topology, &leases->pool, wish, &leases->busy, cpus,
                        most < CHOICE_PROBED_MAX ? most : CHOICE_PROBED_MAX);
        for (size_t i = 0; i < n && n_quiet < wish->n; i++) {
                const double share = leases->probe(leases->probe_userdata, cpus[i]);

                if (share < 0)
                        continue;
                noise.cpus[noise.n] = cpus[i];
                noise.shares[noise.n++] = share;
                n_quiet += share < CHOICE_NOISE_STEP;
        }
        *ret_noise = noise;
}

/* Chooses the quietest of the calibrated and free cores. */
static int leases_choose_quiet(const Leases *leases, size_t n, const cpu_set_t *within, Choice *ret_choice) {
        const cpu_set_t some = leases_which(leases, lease_is_calibrated, within);
        ChoiceWish wish = { .within = &some, .n = n };
        ChoiceNoise noise;

        if (leases->probe) {
                leases_survey(leases, &wish, &noise);
                wish.noise = &noise;
        }
        return choice_make(leases->topology, &leases->pool, &wish, &leases->busy, ret_choice);
}

/* 0 if @n could ever be lent, else the reason why not. */
static int leases_consider(const Leases *leases, size_t n, const cpu_set_t *within) {
        const ChoiceWish wish = { .within = within, .n = n };
        const cpu_set_t none = {};
        Choice choice;
        int r;

        r = choice_make(leases->topology, &leases->pool, &wish, &none, &choice);
        if (r > 0)
                return r;
        return leases_choose(leases, lease_is_usable, &none, n, within, &choice) > 0 ? LEASES_E_UNCALIBRATED : 0;
}

/* True if @n CPUs could be lent only with the housekeeping CPU. */
static bool leases_need_house(const Leases *leases, size_t n, const cpu_set_t *within) {
        if (n < 2 || !leases->has_house || (within && !CPU_ISSET(leases->housekeeping, within)))
                return false;
        return n <= LEASES_MAX && leases_consider(leases, n, within) != 0 &&
               leases_consider(leases, n - 1, within) == 0;
}

bool leases_could_lend(const Leases *leases, size_t n, const cpu_set_t *within) {
        return leases_need_house(leases, n, within) || leases_consider(leases, n, within) == 0;
}

size_t leases_most(const Leases *leases) {
        for (size_t n = LEASES_MAX; n > 0; n--)
                if (leases_consider(leases, n, NULL) == 0 || leases_need_house(leases, n, NULL))
                        return n;
        return 0;
}

static void lease_set_fill(Leases *leases, const Choice *choice, bool with_house, LeaseSet *ret_set) {
        LeaseSet set = { .reserved = choice->reserved, .isolated = choice->isolated && !with_house };

        for (size_t i = leases->n_leases; i > 0; i--)
                if (CPU_ISSET(leases->leases[i - 1].cpu, &choice->measuring))
                        set.leases[set.n++] = &leases->leases[i - 1];
        if (with_house) {
                set.leases[set.n++] = &leases->house;
                CPU_SET(leases->housekeeping, &set.reserved);
        }
        CPU_OR(&leases->busy, &leases->busy, &set.reserved);
        *ret_set = set;
}

int leases_take(Leases *leases, size_t n, const cpu_set_t *within, LeaseSet *ret_set) {
        bool with_house = leases_need_house(leases, n, within);
        Choice choice;
        int r;

        if (leases->stale)
                return CHOICE_E_BUSY;
        r = with_house ? 0 : leases_consider(leases, n, within);
        if (r > 0)
                return r;
        if (with_house && CPU_ISSET(leases->housekeeping, &leases->busy))
                return CHOICE_E_BUSY;
        r = leases_choose_quiet(leases, n - with_house, within, &choice);
        if (r > 0)
                return CHOICE_E_BUSY;
        lease_set_fill(leases, &choice, with_house, ret_set);
        for (size_t i = 0; i < ret_set->n; i++)
                ret_set->leases[i]->n_lent++;
        return 0;
}

bool leases_take_uncalibrated(Leases *leases, LeaseSet *ret_set) {
        Choice choice;

        if (leases->stale || leases_choose(leases, lease_awaits_calibration, &leases->busy, 1, NULL, &choice) > 0)
                return false;
        lease_set_fill(leases, &choice, false, ret_set);
        return true;
}

void lease_note_calibration(Lease *lease, bool done) {
        if (!lease->calibrated)
                lease->failures += !done;
        else if (lease->again_after < LEASE_AGAIN_MAX)
                lease->again_after = lease->again_after > 0 ? 2 * lease->again_after : 1;
        lease->calibrated |= done;
        lease->n_lent = 0;
}

void leases_give_back(Leases *leases, LeaseSet *set) {
        cpu_set_subtract(&leases->busy, &set->reserved);
        *set = (LeaseSet){};
}

/* ---- looking at it */

uint32_t leases_shared_caches(const Leases *leases, const LeaseSet *set) {
        const TopologyCache *caches[LEASE_CACHES_MAX];
        cpu_set_t others = leases->busy;
        uint32_t levels = 0;
        size_t n;

        cpu_set_subtract(&others, &set->reserved);
        n = topology_shared_caches(leases->topology, &set->reserved, &others, caches, LEASE_CACHES_MAX);
        for (size_t i = 0; i < n && i < LEASE_CACHES_MAX; i++)
                levels |= 1u << (caches[i]->level & 31);
        return levels;
}

bool lease_set_fifo(const LeaseSet *set) {
        for (size_t i = 0; i < set->n; i++)
                if (!set->leases[i]->fifo)
                        return false;
        return set->n > 0;
}
