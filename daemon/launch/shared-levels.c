/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/shared-levels.h"

static SharedLevel *levels_of_kind(SharedLevels *levels, const TopologyCore *core) {
        for (size_t i = 0; i < levels->n; i++)
                if (levels->kinds[i].type == core->type && levels->kinds[i].capacity == core->capacity)
                        return &levels->kinds[i];
        return NULL;
}

static void levels_keep(SharedLevels *levels, const TopologyCore *core, ClockFacts *clock) {
        if (clock->missing || clock->port_chains == 0 || levels->n == SHARED_LEVELS_MAX || levels_of_kind(levels, core))
                return;
        levels->kinds[levels->n++] = (SharedLevel){ core->type, core->capacity, *clock };
}

static void levels_give(SharedLevels *levels, const TopologyCore *core, ClockFacts *clock) {
        const SharedLevel *kept = levels_of_kind(levels, core);

        if (clock->missing != CLOCK_MISSING_LEVELS || !kept)
                return;
        clock->branch_cycles = kept->clock.branch_cycles;
        clock->ports_cycles = kept->clock.ports_cycles;
        clock->port_chains = kept->clock.port_chains;
        clock->missing = 0;
}

static void levels_each(SharedLevels *levels, const Topology *topology, OpsMachine *machine,
                void (*visit)(SharedLevels *levels, const TopologyCore *core, ClockFacts *clock)) {
        for (uint32_t i = 0; i < machine->n_cpus; i++) {
                OpsCpu *cpu = &machine->cpus[i];
                const int core = cpu->cpu < TOPOLOGY_CPUS_MAX ? topology->core_of[cpu->cpu] : -1;

                if (cpu->calibrated && core >= 0)
                        visit(levels, &topology->cores[core], &cpu->clock);
        }
}

void shared_levels_settle(SharedLevels *levels, const Topology *topology, OpsMachine *machine) {
        levels_each(levels, topology, machine, levels_keep);
        levels_each(levels, topology, machine, levels_give);
}
