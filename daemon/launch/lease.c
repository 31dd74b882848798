/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease.h"

#include "util/error.h"

int leases_read_allowed(cpu_set_t *ret_allowed) {
        return sched_getaffinity(0, sizeof *ret_allowed, ret_allowed) < 0 ? error_origin(-errno) : 0;
}

void leases_init(Leases *leases, const cpu_set_t *allowed) {
        *leases = (Leases){ .housekeeping = -1 };
        for (int cpu = 0; cpu < CPU_SETSIZE && leases->n_leases < LEASES_MAX; cpu++) {
                if (!CPU_ISSET(cpu, allowed))
                        continue;
                if (leases->housekeeping < 0)
                        leases->housekeeping = cpu;
                else
                        leases->leases[leases->n_leases++] = (Lease){ .cpu = cpu, .fifo = true };
        }
        if (leases->n_leases == 0)
                leases->leases[leases->n_leases++] = (Lease){ .cpu = leases->housekeeping };
}

int leases_keep_house(const Leases *leases) {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(leases->housekeeping, &set);
        return sched_setaffinity(0, sizeof set, &set) < 0 ? error_origin(-errno) : 0;
}

Lease *leases_take(Leases *leases) {
        for (size_t i = leases->n_leases; i > 0; i--) {
                Lease *lease = &leases->leases[i - 1];

                if (lease->busy || !lease->calibrated)
                        continue;
                lease->busy = true;
                return lease;
        }
        return NULL;
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
