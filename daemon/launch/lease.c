/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease.h"

#include "util/error.h"

int leases_read_allowed(cpu_set_t *ret_allowed) {
        return sched_getaffinity(0, sizeof *ret_allowed, ret_allowed) < 0 ? error_origin(-errno) : 0;
}

void leases_init(Leases *leases, const cpu_set_t *allowed) {
        *leases = (Leases){ .allowed = *allowed, .housekeeping = -1 };
        for (int cpu = 0; cpu < CPU_SETSIZE && leases->n_leases < LEASES_MAX; cpu++) {
                if (!CPU_ISSET(cpu, allowed))
                        continue;
                if (leases->housekeeping < 0)
                        leases->housekeeping = cpu;
                else
                        leases->leases[leases->n_leases++] = (Lease){ .cpu = cpu, .fifo = true };
        }
        leases->house = (Lease){ .cpu = leases->housekeeping };
        leases->has_house = leases->n_leases > 0;
        if (leases->n_leases == 0)
                leases->leases[leases->n_leases++] = leases->house;
}

int leases_keep_house(const Leases *leases) {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(leases->housekeeping, &set);
        return sched_setaffinity(0, sizeof set, &set) < 0 ? error_origin(-errno) : 0;
}

static bool lease_is_usable(const Lease *lease) {
        return lease->calibrated || lease->failures < LEASE_FAILURES_MAX;
}

static size_t leases_count(const Leases *leases, bool (*holds)(const Lease *lease)) {
        size_t n = 0;

        for (size_t i = 0; i < leases->n_leases; i++)
                n += holds(&leases->leases[i]);
        return n;
}

size_t leases_most(const Leases *leases) {
        size_t n = leases_count(leases, lease_is_usable);

        return n > 0 && n < LEASES_MAX && leases->has_house ? n + 1 : n;
}

static bool lease_is_free(const Lease *lease) {
        return lease->calibrated && !lease->busy;
}

static void lease_set_add(LeaseSet *set, Lease *lease) {
        lease->busy = true;
        set->leases[set->n++] = lease;
}

bool leases_take(Leases *leases, size_t n, LeaseSet *ret_set) {
        bool with_house = n > 1 && n == leases_count(leases, lease_is_usable) + 1;
        LeaseSet set = {};

        if (n > leases_most(leases) || leases_count(leases, lease_is_free) + with_house < n)
                return false;
        if (with_house && leases->house.busy)
                return false;
        for (size_t i = leases->n_leases; i > 0 && set.n < n; i--)
                if (lease_is_free(&leases->leases[i - 1]))
                        lease_set_add(&set, &leases->leases[i - 1]);
        if (with_house)
                lease_set_add(&set, &leases->house);
        *ret_set = set;
        return true;
}

void lease_set_give_back(LeaseSet *set) {
        for (size_t i = 0; i < set->n; i++)
                lease_give_back(set->leases[i]);
        set->n = 0;
}

bool lease_set_fifo(const LeaseSet *set) {
        for (size_t i = 0; i < set->n; i++)
                if (!set->leases[i]->fifo)
                        return false;
        return set->n > 0;
}

Lease *leases_take_uncalibrated(Leases *leases) {
        for (size_t i = 0; i < leases->n_leases; i++) {
                Lease *lease = &leases->leases[i];

                if (lease->busy || lease->calibrated || lease->failures >= LEASE_FAILURES_MAX)
                        continue;
                lease->busy = true;
                return lease;
        }
        return NULL;
}

void lease_give_back(Lease *lease) {
        if (lease)
                lease->busy = false;
}
