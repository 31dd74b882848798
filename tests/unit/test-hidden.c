/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What the topology of a guest does not say of its cores is tried once, and told.
 */

#include "machine/hidden.h"

#include "machine.h"
#include "machine/choice.h"
#include "machine/topology.h"
#include "test.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

DEFINE_CLEANUP(Topology *, topology_free)

static Topology *read_machine(const char *name) {
        _cleanup_(machine_freep) Machine *machine = machine_lay(name);
        Topology *topology;

        assert_int_equal(topology_read(machine->root, &topology), 0);
        return topology;
}

static const char *list(const cpu_set_t *set) {
        static char text[4096];

        cpu_list_format(set, text, sizeof text);
        return text;
}

/* The suspects of @cpu as a set. */
static const char *suspects(const Hidden *hidden, const Topology *topology, int cpu) {
        int found[HIDDEN_CPUS_MAX];
        cpu_set_t set = {};
        size_t n = hidden_suspects(hidden, topology, &topology->online, cpu, found, HIDDEN_CPUS_MAX);

        for (size_t i = 0; i < n; i++)
                CPU_SET(found[i], &set);
        return list(&set);
}

TEST(each_pair_of_a_guest_is_tried_once) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");
        Hidden hidden = {};

        assert_string_equal(list(&topology->online), "0-3");
        assert_string_equal(suspects(&hidden, topology, 3), "0-2");
        hidden_note(&hidden, 3, 1, false);
        hidden_note(&hidden, 2, 3, false);
        assert_string_equal(suspects(&hidden, topology, 3), "0");
        assert_string_equal(suspects(&hidden, topology, 1), "0,2");
        hidden_note(&hidden, 1, 3, true); /* it was tried, and is not asked again */
        assert_int_equal(hidden.n, 2);
}

TEST(where_the_topology_tells_siblings_nobody_is_suspected) {
        _cleanup_(topology_freep) Topology *hybrid = read_machine("hybrid.txt");
        _cleanup_(topology_freep) Topology *intel = read_machine("intel-pstate.txt");
        const Hidden hidden = {};

        assert_string_equal(suspects(&hidden, intel, 3), "");
        assert_string_equal(suspects(&hidden, hybrid, 2), "");
        assert_string_equal(suspects(&hidden, hybrid, 7), "4-6"); /* cores without siblings */
}

TEST(on_a_machine_of_many_cpus_nobody_is_suspected) {
        static Topology topology;
        const Hidden hidden = {};

        for (size_t n = 1; n <= HIDDEN_CPUS_MAX + 1; n++) {
                topology.core_of[n - 1] = topology.n_cores++;
                CPU_SET(n - 1, &topology.online);
                CPU_SET(n - 1, &topology.cores[n - 1].cpus);
                assert_int_equal(CPU_COUNT(&topology.online), n);
                assert_true((suspects(&hidden, &topology, 0)[0] == 0) == (n == 1 || n > HIDDEN_CPUS_MAX));
        }
}

TEST(all_pairs_of_the_largest_machine_have_a_place) {
        Hidden hidden = {};

        for (int a = 0; a < (int)HIDDEN_CPUS_MAX; a++)
                for (int b = 0; b < a; b++)
                        hidden_note(&hidden, a, b, false);
        assert_int_equal(hidden.n, HIDDEN_PAIRS_MAX);
        hidden_note(&hidden, 100, 101, true);
        assert_int_equal(hidden.n, HIDDEN_PAIRS_MAX);
}

TEST(what_is_known_of_a_cpu_ends_when_that_goes_or_comes) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");
        Hidden hidden = {};

        hidden_note(&hidden, 3, 2, true);
        hidden_note(&hidden, 3, 1, false);
        hidden_note(&hidden, 2, 1, false);
        hidden_forget(&hidden, 3);
        assert_string_equal(suspects(&hidden, topology, 3), "0-2");
        assert_string_equal(suspects(&hidden, topology, 2), "0,3");
        hidden_forget(&hidden, -1);
        assert_string_equal(suspects(&hidden, topology, 2), "0-1,3");
}

TEST(two_that_share_a_core_are_leased_as_one) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");
        cpu_set_t none = {}, cores[HIDDEN_CORES_MAX];
        Hidden hidden = {};
        ChoicePool pool;
        Choice choice;

        hidden_note(&hidden, 3, 1, true);
        hidden_note(&hidden, 3, 0, false);
        hidden_tell(&hidden, topology);
        assert_int_equal(topology->n_cores, 3);
        assert_int_equal(hidden_cores(&hidden, topology, cores, HIDDEN_CORES_MAX), 1);
        assert_string_equal(list(&cores[0]), "1,3");
        assert_int_equal(choice_split(topology, &topology->online, &pool), 0);
        assert_int_equal(choice_make(topology, &pool, &(ChoiceWish){ .n = 1 }, &none, &choice), 0);
        assert_string_equal(list(&choice.measuring), "2");
        assert_int_equal(choice_make(topology, &pool, &(ChoiceWish){ .n = 1 }, &choice.reserved, &choice), 0);
        assert_string_equal(list(&choice.measuring), "1");
        assert_string_equal(list(&choice.reserved), "1,3");
        assert_false(choice.core_shared);
        assert_int_equal(choice_make(topology, &pool, &(ChoiceWish){ .n = 3 }, &none, &choice), CHOICE_E_TOO_FEW);
        assert_string_equal(suspects(&hidden, topology, 3), "");
}

/* As topology_read() makes them: in the order of their lowest CPU, and each CPU in its own. */
TEST(a_topology_that_was_told_hangs_together) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");
        Hidden hidden = {};

        hidden_note(&hidden, 0, 2, true);
        hidden_note(&hidden, 1, 3, true);
        hidden_note(&hidden, 0, 9, true); /* which is off by now */
        hidden_tell(&hidden, topology);
        hidden_tell(&hidden, topology);
        assert_int_equal(topology->n_cores, 2);
        assert_string_equal(list(&topology->cores[0].cpus), "0,2");
        assert_string_equal(list(&topology->cores[1].cpus), "1,3");
        for (int cpu = 0; cpu < 4; cpu++)
                assert_int_equal(topology->core_of[cpu], cpu % 2);
        for (size_t cpu = 4; cpu < TOPOLOGY_CPUS_MAX; cpu++)
                assert_int_equal(topology->core_of[cpu], -1);
}

TEST(a_core_is_set_apart_only_if_all_of_it_is) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-qemu.txt");
        _cleanup_(topology_freep) Topology *topology = NULL;
        Hidden hidden = {};

        machine_put(machine, "sys/devices/system/cpu/isolated", "1-2");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        hidden_note(&hidden, 1, 3, true);
        assert_true(topology->cores[topology->core_of[1]].isolated);
        hidden_tell(&hidden, topology);
        assert_false(topology->cores[topology->core_of[1]].isolated);
        assert_true(topology->cores[topology->core_of[2]].isolated);
}
