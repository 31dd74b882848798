/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The topology of machines that we do not have is read from their trees. */

#include "machine/choice.h"
#include "machine/topology.h"

#include "topologies.h"

static void assert_set(const cpu_set_t *set, const char *list) {
        assert_string_equal(list_of(set), list);
}

static void cache_name(const TopologyCache *cache, char *name, size_t n_name) {
        static const char *const suffixes[] = { [CACHE_DATA] = "d", [CACHE_INSTRUCTION] = "i", [CACHE_UNIFIED] = "" };

        snprintf(name, n_name, "L%u%s", cache->level, suffixes[cache->kind]);
}

/* The caches that @a and @b share, as words. */
static const char *shared(const Topology *topology, const char *a, const char *b) {
        static char words[256];
        const TopologyCache *caches[8];
        const cpu_set_t x = cpus(a), y = cpus(b);
        size_t n;

        n = topology_shared_caches(topology, &x, &y, caches, N_ELEMENTS(caches));
        assert_true(n <= N_ELEMENTS(caches));
        words[0] = 0;
        for (size_t i = 0; i < n; i++) {
                char name[16];

                cache_name(caches[i], name, sizeof name);
                snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i ? " " : "", name);
        }
        return words;
}

TEST(threads_of_one_core_are_siblings) {
        _cleanup_(topology_freep) Topology *topology = read_machine("intel-pstate.txt");

        assert_int_equal(topology->n_cores, 4);
        assert_set(&topology->cores[1].cpus, "1,5");
        assert_int_equal(topology->core_of[5], 1);
        assert_int_equal(topology->core_of[8], -1);
        assert_int_equal(topology->cores[1].type, CORE_UNIFORM);
        assert_string_equal(shared(topology, "1", "5"), "L1d L1i L2 L3");
        assert_string_equal(shared(topology, "1", "2"), "L3");
}

TEST(no_cpu_is_tickless_where_the_kernel_writes_null) {
        _cleanup_(topology_freep) Topology *topology = read_machine("intel-pstate.txt");

        assert_set(&topology->nohz_full, "");
        assert_false(topology->cores[0].tickless);
}

TEST(each_cache_is_counted_once) {
        _cleanup_(topology_freep) Topology *topology = read_machine("amd-pstate.txt");

        assert_int_equal(topology->n_caches, 8 * 3 + 2);
        assert_string_equal(shared(topology, "0", "11"), "L3");
        assert_string_equal(shared(topology, "0", "4"), "");
        assert_int_equal(topology->caches[topology->n_caches - 1].size_bytes, 16384 << 10);
}

TEST(nodes_and_what_boot_set_apart_are_read) {
        _cleanup_(topology_freep) Topology *topology = read_machine("two-sockets.txt");

        assert_int_equal(topology->n_cores, 8);
        assert_int_equal(topology->n_nodes, 2);
        assert_set(&topology->nodes[1].cpus, "4-7,12-15");
        assert_int_equal(topology->cores[3].node, 0);
        assert_int_equal(topology->cores[4].node, 1);
        assert_int_equal(topology->distances[0][1], 21);
        assert_int_equal(topology->distances[1][1], 10);
        assert_true(topology->cores[7].isolated && topology->cores[7].tickless);
        assert_false(topology->cores[5].isolated || topology->cores[5].tickless);
}

TEST(a_hybrid_has_fast_and_efficient_cores) {
        _cleanup_(topology_freep) Topology *topology = read_machine("hybrid.txt");

        assert_int_equal(topology->n_cores, 6);
        assert_set(&topology->cores[1].cpus, "2-3");
        assert_int_equal(topology->cores[1].type, CORE_PERFORMANCE);
        assert_int_equal(topology->cores[2].type, CORE_EFFICIENT);
        assert_string_equal(shared(topology, "4", "7"), "L2 L3");
}

TEST(a_guest_is_read_as_it_was_captured) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-firecracker.txt");

        assert_int_equal(topology->n_cores, 2);
        assert_int_equal(topology->n_nodes, 1);
        assert_int_equal(topology->cores[0].capacity, 1024);
        assert_set(&topology->online, "0-1");
        assert_string_equal(shared(topology, "0", "1"), "L3");
}

TEST(a_guest_tells_what_its_boot_set_apart) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");

        assert_int_equal(topology->n_cores, 4);
        assert_set(&topology->isolated, "2-3");
        assert_set(&topology->nohz_full, "2-3");
        assert_true(topology->cores[3].isolated && topology->cores[3].tickless);
        assert_false(topology->cores[1].isolated || topology->cores[1].tickless);
}

TEST(an_offline_cpu_has_no_core_and_leaves_its_sibling_alone) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(topology_freep) Topology *topology = NULL;

        machine_put(machine, "sys/devices/system/cpu/online", "0-4,6-7");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        assert_int_equal(topology->core_of[5], -1);
        assert_set(&topology->cores[1].cpus, "1");
        assert_set(&topology->present, "0-7");
}

TEST(a_kernel_without_nodes_has_one_of_all) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(topology_freep) Topology *topology = NULL;

        machine_put(machine, "sys/devices/system/cpu/online", "0-1023");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        assert_int_equal(topology->n_nodes, 1);
        assert_set(&topology->nodes[0].cpus, "0-1023");
        assert_int_equal(topology->n_cores, 1024);
        assert_int_equal(topology->core_of[1023], 1023);
}

TEST(a_machine_that_tells_no_cpu_or_too_many_is_unknown) {
        static const char *const lists[] = { "", "0-4095", "zero" };
        _cleanup_(machine_freep) Machine *machine = machine_new();
        Topology *topology = NULL;

        assert_int_equal(topology_read(machine->root, &topology), TOPOLOGY_E_UNKNOWN);
        for (size_t i = 0; i < N_ELEMENTS(lists); i++) {
                machine_put(machine, "sys/devices/system/cpu/online", lists[i]);
                assert_int_equal(topology_read(machine->root, &topology), TOPOLOGY_E_UNKNOWN);
        }
        assert_null(topology);
}

/* The machine that runs this, whatever it is. */
TEST(this_machine_has_its_own_cpus) {
        _cleanup_(topology_freep) Topology *topology = NULL;
        RootDir *root;
        int sum = 0;

        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(topology_read(root, &topology), 0);
        root_dir_free(root);
        for (size_t i = 0; i < topology->n_cores; i++)
                sum += CPU_COUNT(&topology->cores[i].cpus);
        assert_int_equal(sum, CPU_COUNT(&topology->online));
}

/* What the topology of a guest does not say of its cores is tried once, and told. */

/* The suspects of @cpu as a set. */
static const char *suspects(const TopologyHidden *hidden, const Topology *topology, int cpu) {
        int found[TOPOLOGY_HIDDEN_CPUS_MAX];
        cpu_set_t set = {};
        size_t n = topology_hidden_suspects(hidden, topology, &topology->online, cpu, found, TOPOLOGY_HIDDEN_CPUS_MAX);

        for (size_t i = 0; i < n; i++)
                CPU_SET(found[i], &set);
        return list_of(&set);
}

TEST(each_pair_of_a_guest_is_tried_once) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");
        TopologyHidden hidden = {};

        assert_string_equal(list_of(&topology->online), "0-3");
        assert_string_equal(suspects(&hidden, topology, 3), "0-2");
        topology_hidden_note(&hidden, 3, 1, false);
        topology_hidden_note(&hidden, 2, 3, false);
        assert_string_equal(suspects(&hidden, topology, 3), "0");
        assert_string_equal(suspects(&hidden, topology, 1), "0,2");
        topology_hidden_note(&hidden, 1, 3, true); /* it was tried, and is not asked again */
        assert_int_equal(hidden.n, 2);
}

TEST(where_the_topology_tells_siblings_nobody_is_suspected) {
        _cleanup_(topology_freep) Topology *hybrid = read_machine("hybrid.txt");
        _cleanup_(topology_freep) Topology *intel = read_machine("intel-pstate.txt");
        const TopologyHidden hidden = {};

        assert_string_equal(suspects(&hidden, intel, 3), "");
        assert_string_equal(suspects(&hidden, hybrid, 2), "");
        assert_string_equal(suspects(&hidden, hybrid, 7), "4-6"); /* cores without siblings */
}

TEST(on_a_machine_of_many_cpus_nobody_is_suspected) {
        static Topology topology;
        const TopologyHidden hidden = {};

        for (size_t n = 1; n <= TOPOLOGY_HIDDEN_CPUS_MAX + 1; n++) {
                topology.core_of[n - 1] = topology.n_cores++;
                CPU_SET(n - 1, &topology.online);
                CPU_SET(n - 1, &topology.cores[n - 1].cpus);
                assert_int_equal(CPU_COUNT(&topology.online), n);
                assert_true((suspects(&hidden, &topology, 0)[0] == 0) == (n == 1 || n > TOPOLOGY_HIDDEN_CPUS_MAX));
        }
}

TEST(all_pairs_of_the_largest_machine_have_a_place) {
        TopologyHidden hidden = {};

        for (int a = 0; a < (int)TOPOLOGY_HIDDEN_CPUS_MAX; a++)
                for (int b = 0; b < a; b++)
                        topology_hidden_note(&hidden, a, b, false);
        assert_int_equal(hidden.n, TOPOLOGY_HIDDEN_PAIRS_MAX);
        topology_hidden_note(&hidden, 100, 101, true);
        assert_int_equal(hidden.n, TOPOLOGY_HIDDEN_PAIRS_MAX);
}

TEST(what_is_known_of_a_cpu_ends_when_that_goes_or_comes) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");
        TopologyHidden hidden = {};

        topology_hidden_note(&hidden, 3, 2, true);
        topology_hidden_note(&hidden, 3, 1, false);
        topology_hidden_note(&hidden, 2, 1, false);
        topology_hidden_forget(&hidden, 3);
        assert_string_equal(suspects(&hidden, topology, 3), "0-2");
        assert_string_equal(suspects(&hidden, topology, 2), "0,3");
        topology_hidden_forget(&hidden, -1);
        assert_string_equal(suspects(&hidden, topology, 2), "0-1,3");
}

TEST(two_that_share_a_core_are_leased_as_one) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");
        cpu_set_t none = {}, cores[TOPOLOGY_HIDDEN_CORES_MAX];
        TopologyHidden hidden = {};
        ChoicePool pool;
        Choice choice;

        topology_hidden_note(&hidden, 3, 1, true);
        topology_hidden_note(&hidden, 3, 0, false);
        topology_hidden_tell(&hidden, topology);
        assert_int_equal(topology->n_cores, 3);
        assert_int_equal(topology_hidden_cores(&hidden, topology, cores, TOPOLOGY_HIDDEN_CORES_MAX), 1);
        assert_string_equal(list_of(&cores[0]), "1,3");
        assert_int_equal(choice_split(topology, &topology->online, &pool), 0);
        assert_int_equal(choice_make(topology, &pool, &(ChoiceWish){ .n = 1 }, &none, &choice), 0);
        assert_string_equal(list_of(&choice.measuring), "2");
        assert_int_equal(choice_make(topology, &pool, &(ChoiceWish){ .n = 1 }, &choice.reserved, &choice), 0);
        assert_string_equal(list_of(&choice.measuring), "1");
        assert_string_equal(list_of(&choice.reserved), "1,3");
        assert_false(choice.core_shared);
        assert_int_equal(choice_make(topology, &pool, &(ChoiceWish){ .n = 3 }, &none, &choice), CHOICE_E_TOO_FEW);
        assert_string_equal(suspects(&hidden, topology, 3), "");
}

/* As topology_read() makes them: in the order of their lowest CPU, and each CPU in its own. */
TEST(a_topology_that_was_told_hangs_together) {
        _cleanup_(topology_freep) Topology *topology = read_machine("guest-qemu.txt");
        TopologyHidden hidden = {};

        topology_hidden_note(&hidden, 0, 2, true);
        topology_hidden_note(&hidden, 1, 3, true);
        topology_hidden_note(&hidden, 0, 9, true); /* which is off by now */
        topology_hidden_tell(&hidden, topology);
        topology_hidden_tell(&hidden, topology);
        assert_int_equal(topology->n_cores, 2);
        assert_string_equal(list_of(&topology->cores[0].cpus), "0,2");
        assert_string_equal(list_of(&topology->cores[1].cpus), "1,3");
        for (int cpu = 0; cpu < 4; cpu++)
                assert_int_equal(topology->core_of[cpu], cpu % 2);
        for (size_t cpu = 4; cpu < TOPOLOGY_CPUS_MAX; cpu++)
                assert_int_equal(topology->core_of[cpu], -1);
}

TEST(a_core_is_set_apart_only_if_all_of_it_is) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-qemu.txt");
        _cleanup_(topology_freep) Topology *topology = NULL;
        TopologyHidden hidden = {};

        machine_put(machine, "sys/devices/system/cpu/isolated", "1-2");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        topology_hidden_note(&hidden, 1, 3, true);
        assert_true(topology->cores[topology->core_of[1]].isolated);
        topology_hidden_tell(&hidden, topology);
        assert_false(topology->cores[topology->core_of[1]].isolated);
        assert_true(topology->cores[topology->core_of[2]].isolated);
}
