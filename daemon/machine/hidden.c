/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/hidden.h"

#include <string.h>

#include "machine/topology.h"

static const HiddenPair *hidden_find(const Hidden *hidden, int a, int b) {
        for (size_t i = 0; i < hidden->n; i++) {
                const HiddenPair *pair = &hidden->pairs[i];

                if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a))
                        return pair;
        }
        return NULL;
}

static bool stands_alone(const Topology *topology, int cpu) {
        const int core = topology->core_of[cpu];

        return core >= 0 && CPU_COUNT(&topology->cores[core].cpus) == 1;
}

size_t hidden_suspects(const Hidden *hidden, const Topology *topology, const cpu_set_t *among, int cpu, int *ret_cpus,
                size_t max) {
        size_t n = 0;

        if ((size_t)CPU_COUNT(&topology->online) > HIDDEN_CPUS_MAX || !stands_alone(topology, cpu))
                return 0;
        for (int other = 0; other < CPU_SETSIZE && n < max; other++)
                if (other != cpu && CPU_ISSET(other, among) && stands_alone(topology, other) &&
                                !hidden_find(hidden, cpu, other))
                        ret_cpus[n++] = other;
        return n;
}

void hidden_note(Hidden *hidden, int a, int b, bool share) {
        if (hidden->n < HIDDEN_PAIRS_MAX && !hidden_find(hidden, a, b))
                hidden->pairs[hidden->n++] = (HiddenPair){ a, b, share };
}

void hidden_forget(Hidden *hidden, int cpu) {
        size_t n_kept = 0;

        for (size_t i = 0; i < hidden->n; i++)
                if (cpu >= 0 && hidden->pairs[i].a != cpu && hidden->pairs[i].b != cpu)
                        hidden->pairs[n_kept++] = hidden->pairs[i];
        hidden->n = n_kept;
}

/* The core at @from becomes part of an earlier one. */
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

void hidden_tell(const Hidden *hidden, Topology *topology) {
        for (size_t i = 0; i < hidden->n; i++) {
                const int a = topology->core_of[hidden->pairs[i].a], b = topology->core_of[hidden->pairs[i].b];

                if (hidden->pairs[i].share && a >= 0 && b >= 0 && a != b)
                        topology_join(topology, a < b ? a : b, a < b ? b : a);
        }
}

static bool hides_within(const Hidden *hidden, const cpu_set_t *core) {
        for (size_t i = 0; i < hidden->n; i++)
                if (hidden->pairs[i].share && CPU_ISSET(hidden->pairs[i].a, core) &&
                                CPU_ISSET(hidden->pairs[i].b, core))
                        return true;
        return false;
}

size_t hidden_cores(const Hidden *hidden, const Topology *topology, cpu_set_t *ret_cores, size_t max) {
        size_t n = 0;

        for (size_t core = 0; core < topology->n_cores && n < max; core++)
                if (hides_within(hidden, &topology->cores[core].cpus))
                        ret_cores[n++] = topology->cores[core].cpus;
        return n;
}
