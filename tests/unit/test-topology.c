/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The topology of machines that we do not have is read from their trees.
 */

#include "machine/topology.h"

#include "machine.h"
#include "machine/caches.h"
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

static void assert_set(const cpu_set_t *set, const char *list) {
        char text[4096];

        cpu_list_format(set, text, sizeof text);
        assert_string_equal(text, list);
}

static void cache_name(const Cache *cache, char *name, size_t n_name) {
        static const char *const suffixes[] = { [CACHE_DATA] = "d", [CACHE_INSTRUCTION] = "i", [CACHE_UNIFIED] = "" };

        snprintf(name, n_name, "L%u%s", cache->level, suffixes[cache->kind]);
}

/* The caches that @a and @b share, as words. */
static const char *shared(const Topology *topology, const char *a, const char *b) {
        static char words[256];
        const Cache *caches[8];
        cpu_set_t x, y;
        size_t n;

        assert_int_equal(cpu_list_parse(a, &x), 0);
        assert_int_equal(cpu_list_parse(b, &y), 0);
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
