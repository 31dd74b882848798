/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which CPUs are leased, on the machines of tests/machines and on random ones. */

#include "machine/choice.h"

#include "machine/topology.h"
#include "topologies.h"

/* Chooses @n CPUs within @within, "" for any, beside the leases of @busy. */
static int choose(const Topology *topology, size_t n, const char *within, const char *busy, Choice *choice) {
        cpu_set_t set = cpus(within), others = cpus(busy);
        ChoiceWish wish = { .within = *within ? &set : NULL, .n = n };
        ChoicePool pool;

        assert_int_equal(choice_split(topology, &topology->online, &pool), 0);
        return choice_make(topology, &pool, &wish, &others, choice);
}

TEST(a_lease_takes_a_whole_core_from_the_top) {
        _cleanup_(topology_freep) Topology *topology = read_machine("intel-pstate.txt");
        Choice choice;

        assert_int_equal(choose(topology, 1, "", "", &choice), 0);
        assert_string_equal(list_of(&choice.measuring), "3");
        assert_string_equal(list_of(&choice.reserved), "3,7");
        assert_false(choice.isolated);
        assert_false(choice.core_shared);
}

/* Chooses with what was read of some CPUs. */
static const char *choose_by(const Topology *topology, size_t n, const char *within, const ChoiceNoise *noise) {
        cpu_set_t set = cpus(within), none = {};
        ChoiceWish wish = { .within = *within ? &set : NULL, .n = n, .noise = noise };
        ChoicePool pool;
        Choice choice;

        assert_int_equal(choice_split(topology, &topology->online, &pool), 0);
        assert_int_equal(choice_make(topology, &pool, &wish, &none, &choice), 0);
        return list_of(&choice.measuring);
}

TEST(the_quietest_core_is_preferred_where_the_difference_is_no_chance) {
        static const struct {
                ChoiceNoise noise;
                size_t n;
                const char *within;
                const char *chosen;
        } rows[] = {
                { { .n = 0 }, 1, "", "3" },
                { { { 3, 2, 1 }, { 0.97, 0.02, 0.05 }, 3 }, 1, "", "2" },
                { { { 3, 2, 1 }, { 0.97, 0.08, 0.02 }, 3 }, 1, "", "2" }, /* as quiet as the quietest */
                { { { 3, 2, 1 }, { 0.97, 0.30, 0.02 }, 3 }, 1, "", "1" },
                { { { 3, 2, 1 }, { 0.99, 0.95, 0.93 }, 3 }, 1, "", "3" }, /* all are as busy */
                { { { 3, 2 }, { 0.60, 0.02 }, 2 }, 2, "", "2-3" },        /* 1 may be as busy as 3 */
                { { { 3, 2, 1 }, { 0.60, 0.02, 0.02 }, 3 }, 2, "", "1-2" },
                { { { 3, 2, 1 }, { 0.97, 0.02, 0.05 }, 3 }, 1, "1,3", "1" },
                { { { 3 }, { 0.97 }, 1 }, 1, "", "3" },
        };
        _cleanup_(topology_freep) Topology *topology = read_machine("intel-pstate.txt");

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                print_message("row %zu\n", i);
                assert_string_equal(choose_by(topology, rows[i].n, rows[i].within, &rows[i].noise), rows[i].chosen);
        }
}

TEST(a_quiet_core_comes_after_what_boot_set_apart_and_after_a_faster_type) {
        _cleanup_(topology_freep) Topology *sockets = read_machine("two-sockets.txt");
        _cleanup_(topology_freep) Topology *hybrid = read_machine("hybrid.txt");
        const ChoiceNoise apart = { { 7, 6, 5 }, { 0.9, 0.9, 0 }, 3 };
        const ChoiceNoise small = { { 2, 7 }, { 0.9, 0 }, 2 };

        assert_string_equal(choose_by(sockets, 1, "", &apart), "7");
        assert_string_equal(choose_by(hybrid, 1, "", &small), "2");
}

TEST(the_candidates_are_those_that_differ_in_nothing_else) {
        static const struct {
                const char *machine;
                size_t n, max;
                const char *busy;
                int cpus[4];
                size_t n_cpus;
        } rows[] = {
                { "intel-pstate.txt", 1, 4, "", { 3, 2, 1 }, 3 }, { "intel-pstate.txt", 1, 2, "", { 3, 2 }, 2 },
                { "intel-pstate.txt", 2, 5, "3,7", {}, 0 }, /* there is nothing to choose */
                { "intel-pstate.txt", 1, 4, "2-3,6-7", {}, 0 },
                { "two-sockets.txt", 1, 4, "", { 7, 6 }, 2 },             /* set apart at boot */
                { "two-sockets.txt", 2, 5, "6-7,14-15", { 3, 2, 1 }, 3 }, /* of one node */
                { "hybrid.txt", 1, 4, "", {}, 0 },                        /* one fast core is left beside the house */
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(topology_freep) Topology *topology = read_machine(rows[i].machine);
                cpu_set_t busy = cpus(rows[i].busy);
                ChoicePool pool;
                int found[4];

                print_message("row %zu\n", i);
                assert_int_equal(choice_split(topology, &topology->online, &pool), 0);
                assert_int_equal(choice_candidates(topology, &pool, &(ChoiceWish){ .n = rows[i].n }, &busy, found,
                                                 rows[i].max < 4 ? rows[i].max : 4),
                                rows[i].n_cpus);
                for (size_t k = 0; k < rows[i].n_cpus; k++)
                        assert_int_equal(found[k], rows[i].cpus[k]);
        }
}

TEST(a_lease_is_chosen_by_what_matters_most) {
        static const struct {
                const char *why, *machine;
                size_t n;
                const char *within, *busy;
                int outcome;
                const char *measuring, *reserved; /* NULL: not looked at */
                bool isolated;
        } rows[] = {
                { "disjoint", "intel-pstate.txt", 1, "", "3,7", 0, NULL, "2,6" },
                { "disjoint", "intel-pstate.txt", 1, "", "2-3,6-7", 0, NULL, "1,5" },
                { "disjoint", "intel-pstate.txt", 1, "", "1-3,5-7", CHOICE_E_BUSY },
                { "disjoint", "intel-pstate.txt", 4, "", "", CHOICE_E_TOO_FEW },
                { "set apart at boot", "two-sockets.txt", 2, "", "", 0, NULL, "6-7,14-15", true },
                { "set apart at boot", "two-sockets.txt", 1, "0-3", "", 0, NULL, "3,11" },
                { "one node", "two-sockets.txt", 3, "", "6-7,14-15", 0, "1-3", NULL },
                { "one node", "two-sockets.txt", 2, "", "1-2,6-7,9-10,14-15", 0, "4-5", NULL },
                { "one node", "two-sockets.txt", 3, "", "1-2,6-7,9-10,14-15", 0, "3-5", NULL },
                { "one node", "two-sockets.txt", 2, "1-5", "", 0, "4-5", NULL },
                { "fastest type", "hybrid.txt", 1, "", "", 0, NULL, "2-3" },
                { "fastest type", "hybrid.txt", 1, "", "2-3", 0, NULL, "7" },
                { "other caches", "amd-pstate.txt", 1, "", "7,15", 0, "3", NULL },
                { "other caches", "amd-pstate.txt", 1, "", "3,7,11,15", 0, "6", NULL },
                { "one sibling", "intel-pstate.txt", 1, "6", "", 0, "6", "2,6" },
                { "one sibling", "intel-pstate.txt", 1, "6", "2,6", CHOICE_E_BUSY },
                { "one sibling", "intel-pstate.txt", 2, "2,6", "", CHOICE_E_TOO_FEW },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(topology_freep) Topology *topology = read_machine(rows[i].machine);
                Choice choice = {};

                print_message("%zu: %s\n", i, rows[i].why);
                assert_int_equal(choose(topology, rows[i].n, rows[i].within, rows[i].busy, &choice), rows[i].outcome);
                if (rows[i].measuring)
                        assert_string_equal(list_of(&choice.measuring), rows[i].measuring);
                if (rows[i].reserved)
                        assert_string_equal(list_of(&choice.reserved), rows[i].reserved);
                assert_int_equal(choice.isolated, rows[i].isolated);
        }
}

TEST(the_nearest_node_comes_before_the_highest_core) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        _cleanup_(topology_freep) Topology *topology = NULL;
        Choice choice;

        machine_put(machine, "sys/devices/system/cpu/isolated", "3,11");
        machine_put(machine, "sys/devices/system/cpu/nohz_full", "");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        assert_int_equal(choose(topology, 2, "", "", &choice), 0);
        assert_string_equal(list_of(&choice.measuring), "2-3");
}

TEST(a_wish_that_cannot_be_met_is_told_why_and_which) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        static const struct {
                const char *within;
                int outcome;
                const char *blamed;
        } cases[] = {
                { "7-9", CHOICE_E_MISSING, "8-9" },
                { "1-2", CHOICE_E_OFFLINE, "2" },
                { "3", CHOICE_E_NOT_LEASABLE, "3" },
                { "0,4", CHOICE_E_HOUSEKEEPING, "0,4" },
                { "3-4", CHOICE_E_NOT_LEASABLE, "3" },
                { "1,3-4", 0, "" },
        };
        _cleanup_(topology_freep) Topology *topology = NULL;
        cpu_set_t allowed = cpus("0-2,4-7"), none = {};
        ChoicePool pool;

        machine_put(machine, "sys/devices/system/cpu/online", "0-1,3-7");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        assert_int_equal(choice_split(topology, &allowed, &pool), 0);
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                cpu_set_t within = cpus(cases[i].within), blamed;
                ChoiceWish wish = { .within = &within, .n = 1 };
                Choice choice;

                print_message("%s\n", cases[i].within);
                assert_int_equal(choice_make(topology, &pool, &wish, &none, &choice), cases[i].outcome);
                choice_blame(topology, &pool, &wish, cases[i].outcome, &blamed);
                assert_string_equal(list_of(&blamed), cases[i].blamed);
        }
}

TEST(the_house_is_not_among_what_boot_set_apart) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(topology_freep) Topology *topology = NULL;
        ChoicePool pool;

        machine_put(machine, "sys/devices/system/cpu/isolated", "0-2,4-6");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        assert_int_equal(choice_split(topology, &topology->online, &pool), 0);
        assert_string_equal(list_of(&pool.housekeeping), "3,7");
}

TEST(two_threads_of_the_only_core_are_leased_singly_and_that_is_said) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(topology_freep) Topology *topology = NULL;
        Choice choice;

        machine_put(machine, "sys/devices/system/cpu/online", "0,4");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        assert_int_equal(choose(topology, 1, "", "", &choice), 0);
        assert_string_equal(list_of(&choice.reserved), "4");
        assert_true(choice.core_shared);
        assert_int_equal(choose(topology, 1, "0", "", &choice), CHOICE_E_HOUSEKEEPING);
}

TEST(a_single_cpu_is_leased_although_it_keeps_house) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("guest-firecracker.txt");
        _cleanup_(topology_freep) Topology *topology = NULL;
        cpu_set_t none = {};
        ChoicePool pool;
        Choice choice;

        machine_put(machine, "sys/devices/system/cpu/online", "0");
        assert_int_equal(topology_read(machine->root, &topology), 0);
        assert_int_equal(choose(topology, 1, "", "", &choice), 0);
        assert_string_equal(list_of(&choice.measuring), "0");
        assert_int_equal(choose(topology, 1, "", "0", &choice), CHOICE_E_BUSY);
        assert_int_equal(choice_split(topology, &none, &pool), CHOICE_E_TOO_FEW);
}

/* A machine of random cores, some of them set apart. */
static void random_topology(Topology *topology) {
        size_t n_siblings = 1 + random() % 2, n_cores = 1 + random() % 32;

        *topology = (Topology){ .n_cores = n_cores, .n_nodes = 1 };
        for (unsigned cpu = 0; cpu < TOPOLOGY_CPUS_MAX; cpu++)
                topology->core_of[cpu] = -1;
        for (size_t core = 0; core < n_cores; core++) {
                topology->cores[core].isolated = random() % 4 == 0;
                topology->cores[core].type = random() % 3;
                for (size_t thread = 0; thread < n_siblings; thread++) {
                        unsigned cpu = core + thread * n_cores;

                        CPU_SET(cpu, &topology->present);
                        CPU_SET(cpu, &topology->online);
                        CPU_SET(cpu, &topology->cores[core].cpus);
                        if (topology->cores[core].isolated)
                                CPU_SET(cpu, &topology->isolated);
                        topology->core_of[cpu] = core;
                }
        }
}

static bool meet(const cpu_set_t *a, const cpu_set_t *b) {
        cpu_set_t both;

        CPU_AND(&both, a, b);
        return CPU_COUNT(&both) > 0;
}

/* Leases until nothing is left. */
static void lease_all(const Topology *topology, const ChoicePool *pool) {
        cpu_set_t busy = {};
        int r;

        for (;;) {
                ChoiceWish wish = { .n = 1 + random() % 3 };
                Choice choice;

                r = choice_make(topology, pool, &wish, &busy, &choice);
                if (r)
                        break;
                assert_int_equal(CPU_COUNT(&choice.measuring), wish.n);
                assert_false(meet(&choice.reserved, &busy));
                assert_true(CPU_COUNT(&pool->allowed) == 1 || !meet(&choice.reserved, &pool->housekeeping));
                CPU_AND(&choice.measuring, &choice.measuring, &choice.reserved);
                assert_int_equal(CPU_COUNT(&choice.measuring), wish.n);
                CPU_OR(&busy, &busy, &choice.reserved);
        }
        assert_true(r == CHOICE_E_BUSY || r == CHOICE_E_TOO_FEW);
}

TEST(on_any_machine_leases_are_disjoint_and_never_the_house) {
        Topology *topology = malloc(sizeof *topology);

        srandom(20240613);
        for (unsigned round = 0; round < 300; round++) {
                cpu_set_t allowed = {};
                ChoicePool pool;

                random_topology(topology);
                for (unsigned cpu = 0; cpu < 64; cpu++)
                        if (random() % 4)
                                CPU_SET(cpu, &allowed);
                if (choice_split(topology, &allowed, &pool) == 0) {
                        assert_true(meet(&pool.housekeeping, &pool.allowed));
                        lease_all(topology, &pool);
                }
        }
        free(topology);
}
