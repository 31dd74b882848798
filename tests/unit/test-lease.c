/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "launch/lease/lease.h"
#include "machine.h"
#include "machine/topology.h"

static Topology *topology;
static Leases leases;
static LeaseSet set, other;

static int forget_topology(void **state) {
        topology = topology_free(topology);
        return 0;
}

/* The CPUs of @list of the machine of that name, all calibrated; with NULL, each is a core. */
static void init_on(const char *name, const char *list) {
        _cleanup_(machine_freep) Machine *machine = name ? machine_lay(name) : machine_new();
        cpu_set_t allowed = cpus(list);

        forget_topology(NULL);
        assert_int_equal(leases_read_topology(machine->root, &allowed, &topology), 0);
        leases_init(&leases, topology, &allowed);
        for (size_t i = 0; i < leases.n_leases; i++)
                leases.leases[i].calibrated = true;
}

static void init(const char *list) {
        init_on(NULL, list);
}

/* Lends one CPU. Returns its number, or -1. */
static int take_one(void) {
        LeaseSet one;

        return leases_take(&leases, 1, NULL, &one) == 0 ? one.leases[0]->cpu : -1;
}

TEST(the_lowest_cpu_keeps_house_and_the_others_are_lent_from_the_top) {
        init("2-4,9");
        assert_int_equal(leases.housekeeping, 2);
        assert_int_equal(take_one(), 9);
        assert_int_equal(take_one(), 4);
        assert_int_equal(take_one(), 3);
        assert_int_equal(take_one(), -1);
}

TEST(what_is_given_back_can_be_lent_again) {
        init("0-1");
        assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
        assert_int_equal(take_one(), -1);
        leases_give_back(&leases, &set);
        assert_int_equal(take_one(), 1);
        leases_give_back(&leases, &set);
}

TEST(a_single_cpu_is_lent_without_fifo) {
        init("0");
        assert_int_equal(leases_most(&leases), 1);
        assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
        assert_int_equal(set.leases[0]->cpu, 0);
        assert_false(lease_set_fifo(&set));
        assert_int_equal(leases.housekeeping, 0);
}

TEST(any_other_cpu_is_lent_with_fifo) {
        init("0-1");
        assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
        assert_true(lease_set_fifo(&set));
}

TEST(what_is_not_calibrated_is_lent_only_to_be) {
        init("0-2");
        leases.leases[1].calibrated = false;
        assert_int_equal(take_one(), 1);
        assert_int_equal(take_one(), -1);
        assert_true(leases_take_uncalibrated(&leases, &set));
        assert_int_equal(set.leases[0]->cpu, 2);
        assert_false(leases_take_uncalibrated(&leases, &other));
        leases_give_back(&leases, &set);
        assert_int_equal(take_one(), -1);
        leases.leases[1].failures = LEASE_FAILURES_MAX;
        assert_false(leases_take_uncalibrated(&leases, &other));
}

TEST(several_are_lent_at_once_or_none_is) {
        LeaseSet two, three;

        init("0-4");
        assert_int_equal(leases_take(&leases, 2, NULL, &two), 0);
        assert_int_equal(two.n, 2);
        assert_int_equal(two.leases[0]->cpu, 4);
        assert_int_equal(two.leases[1]->cpu, 3);
        assert_true(lease_set_fifo(&two));
        assert_int_equal(leases_take(&leases, 3, NULL, &three), CHOICE_E_BUSY);
        assert_int_equal(take_one(), 2);
        leases_give_back(&leases, &two);
        assert_int_equal(two.n, 0);
        assert_int_equal(leases_take(&leases, 3, NULL, &three), 0);
        assert_int_equal(three.leases[2]->cpu, 1);
        assert_int_equal(take_one(), -1);
}

/* The shares that the probe is to read, and the CPUs that it was asked of, in their order. */
typedef struct Survey {
        double shares[8]; /* by CPU */
        int asked[8];
        size_t n_asked;
} Survey;

static double survey_read(void *userdata, int cpu) {
        Survey *survey = userdata;

        survey->asked[survey->n_asked++] = cpu;
        return survey->shares[cpu];
}

TEST(the_quietest_is_lent_and_no_more_are_probed_than_it_takes) {
        static const struct {
                Survey survey;
                int lent;
                size_t n_asked;
        } rows[] = {
                { { .shares = { [4] = 0, [3] = 0 } }, 4, 1 }, { { .shares = { [4] = 0.9, [3] = 0.01 } }, 3, 2 },
                { { .shares = { [4] = 0.9, [3] = 0.8, [2] = 0.5, [1] = 0.7 } }, 2, 4 },
                { { .shares = { [4] = 0.9, [3] = 0.9, [2] = 0.9, [1] = 0.9 } }, 4, 4 },
                { { .shares = { [4] = -1, [3] = -1, [2] = -1, [1] = -1 } }, 4, 4 }, /* it cannot be told */
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                Survey survey = rows[i].survey;

                print_message("row %zu\n", i);
                init("0-4");
                leases_ask(&leases, survey_read, &survey);
                assert_int_equal(take_one(), rows[i].lent);
                assert_int_equal(survey.n_asked, rows[i].n_asked);
        }
}

TEST(nothing_is_probed_where_there_is_no_choice) {
        Survey survey = {};
        cpu_set_t one = cpus("2");

        init("0-3");
        leases_ask(&leases, survey_read, &survey);
        assert_int_equal(leases_take(&leases, 1, &one, &set), 0);
        leases_give_back(&leases, &set);
        leases.leases[0].calibrated = leases.leases[1].calibrated = false;
        assert_int_equal(take_one(), 3);
        assert_int_equal(survey.n_asked, 0);
}

TEST(a_split_asks_the_same_probe) {
        Survey survey = { .shares = { [3] = 0.9, [2] = 0.9 } };

        init("0-3");
        leases_ask(&leases, survey_read, &survey);
        assert_true(leases_split(&leases, topology));
        assert_int_equal(take_one(), 1);
}

TEST(the_housekeeping_cpu_is_lent_last_and_only_to_what_would_never_have_enough) {
        init("0-2");
        assert_int_equal(leases_most(&leases), 3);
        assert_int_equal(leases_take(&leases, 2, NULL, &set), 0);
        assert_int_equal(set.leases[1]->cpu, 1);
        assert_int_equal(leases_take(&leases, 1, NULL, &other), CHOICE_E_BUSY);
        leases_give_back(&leases, &set);

        assert_int_equal(leases_take(&leases, 3, NULL, &set), 0);
        assert_int_equal(set.leases[0]->cpu, 2);
        assert_int_equal(set.leases[2]->cpu, 0);
        assert_false(lease_set_fifo(&set));
        assert_int_equal(leases_take(&leases, 3, NULL, &other), CHOICE_E_BUSY);
        leases_give_back(&leases, &set);
        assert_int_equal(leases_take(&leases, 4, NULL, &set), CHOICE_E_TOO_FEW);
        assert_int_equal(take_one(), 2);
        assert_int_equal(leases_take(&leases, 3, NULL, &set), CHOICE_E_BUSY);
}

TEST(what_is_given_up_counts_no_longer_and_what_is_not_calibrated_yet_does) {
        init("0-2");
        leases.leases[0].calibrated = false;
        assert_int_equal(leases_most(&leases), 3);
        assert_int_equal(leases_take(&leases, 2, NULL, &set), CHOICE_E_BUSY);
        leases.leases[0].failures = LEASE_FAILURES_MAX;
        assert_int_equal(leases_most(&leases), 2);
        assert_int_equal(leases_take(&leases, 2, NULL, &set), 0);
        assert_int_equal(set.leases[1]->cpu, 0);
        assert_false(lease_set_fifo(&set));
}

TEST(a_lease_reserves_the_whole_core_and_the_other_thread_of_it_measures_nothing) {
        init_on("intel-pstate.txt", "0-7");
        assert_int_equal(leases.housekeeping, 0);
        assert_string_equal(list_of(&leases.pool.housekeeping), "0,4");
        assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
        assert_int_equal(set.leases[0]->cpu, 3);
        assert_string_equal(list_of(&set.reserved), "3,7");
        other = (LeaseSet){};
        assert_int_equal(leases_take(&leases, 1, (cpu_set_t[]){ cpus("7") }, &other), CHOICE_E_BUSY);
        assert_int_equal(leases_take(&leases, 2, NULL, &other), 0);
        assert_string_equal(list_of(&leases.busy), "1-3,5-7");
        leases_give_back(&leases, &set);
        assert_int_equal(leases_take(&leases, 1, (cpu_set_t[]){ cpus("7") }, &set), 0);
        assert_int_equal(set.leases[0]->cpu, 7);
}

TEST(what_can_never_be_lent_is_told_from_what_is_busy) {
        static const struct {
                const char *within;
                size_t n;
                int outcome;
        } rows[] = {
                { "9", 1, CHOICE_E_MISSING },
                { "0", 1, CHOICE_E_HOUSEKEEPING },
                { "4", 1, CHOICE_E_HOUSEKEEPING },
                { "6", 1, CHOICE_E_NOT_LEASABLE },
                { "1,5", 2, CHOICE_E_TOO_FEW },
                { "3", 1, LEASES_E_UNCALIBRATED },
                { "0,2", 1, CHOICE_E_BUSY },
                { "1", 1, 0 },
        };

        init_on("intel-pstate.txt", "0-5,7");
        leases.leases[2].failures = LEASE_FAILURES_MAX;
        leases.leases[2].calibrated = false;
        assert_int_equal(leases.leases[2].cpu, 3);
        assert_int_equal(leases_take(&leases, 1, (cpu_set_t[]){ cpus("2") }, &set), 0);
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                cpu_set_t within = cpus(rows[i].within);

                assert_int_equal(leases_take(&leases, rows[i].n, &within, &set), rows[i].outcome);
        }
}

TEST(a_cpu_is_not_calibrated_beside_a_sibling_that_measures) {
        init_on("intel-pstate.txt", "0-7");
        leases.leases[5].calibrated = false;
        assert_int_equal(leases.leases[5].cpu, 7);
        assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
        assert_int_equal(set.leases[0]->cpu, 3);
        assert_false(leases_take_uncalibrated(&leases, &other));
        leases_give_back(&leases, &set);
        assert_true(leases_take_uncalibrated(&leases, &other));
}

TEST(caches_that_two_leases_share_are_named) {
        init_on("intel-pstate.txt", "0-7");
        assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
        assert_int_equal(leases_shared_caches(&leases, &set), 0);
        assert_int_equal(leases_take(&leases, 1, NULL, &other), 0);
        assert_int_equal(leases_shared_caches(&leases, &set), 1 << 3);
        leases_give_back(&leases, &other);
        assert_int_equal(leases_shared_caches(&leases, &set), 0);
}

/* The CPUs of the machine of that name are @online now. */
static Topology *read_with(const char *name, const char *online) {
        _cleanup_(machine_freep) Machine *machine = machine_lay(name);
        cpu_set_t allowed = cpus("0-1023");
        Topology *fresh;

        machine_put(machine, "sys/devices/system/cpu/online", online);
        assert_int_equal(leases_read_topology(machine->root, &allowed, &fresh), 0);
        return fresh;
}

/* Splits anew where the CPUs of the machine of that name are @online now, with what is known of @hidden cores. */
static void split_with(const char *name, const char *online, bool hidden) {
        Topology *fresh = read_with(name, online);

        if (hidden)
                topology_hidden_tell(&leases.hidden, fresh);
        assert_true(leases_split(&leases, fresh));
        forget_topology(NULL);
        topology = fresh;
}

TEST(each_cpu_is_calibrated_and_first_that_which_is_lent_first) {
        static const char *const machines[] = { NULL, "guest-qemu.txt", "intel-pstate.txt", "two-sockets.txt",
                "hybrid.txt" };

        for (size_t i = 0; i < N_ELEMENTS(machines); i++) {
                size_t n = 0;
                int first;

                init_on(machines[i], i ? "0-1023" : "0");
                first = take_one();
                leases.busy = (cpu_set_t){};
                for (size_t k = 0; k < leases.n_leases; k++)
                        leases.leases[k].calibrated = false;
                for (; leases_take_uncalibrated(&leases, &set); n++) {
                        assert_true(n > 0 || set.leases[0]->cpu == first);
                        set.leases[0]->calibrated = true;
                        leases_give_back(&leases, &set);
                }
                assert_int_equal(n, leases.n_leases);
        }
}

/* Lends the only CPU and takes it back. Returns how often until its calibration is tried again, which finds as little. */
static unsigned leases_until_again(void) {
        unsigned n = 0;

        while (!leases_take_uncalibrated(&leases, &set)) {
                assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
                leases_give_back(&leases, &set);
                n++;
        }
        lease_note_calibration(set.leases[0], true);
        leases_give_back(&leases, &set);
        return n;
}

TEST(a_provisional_calibration_is_tried_again_at_once_and_then_ever_more_seldom) {
        static const unsigned expected[] = { 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024 };

        init("0-1");
        leases.leases[0].provisional = true;
        for (size_t i = 0; i < N_ELEMENTS(expected); i++)
                assert_int_equal(leases_until_again(), expected[i]);
        leases.leases[0].provisional = false;
        for (unsigned i = 0; i < 100; i++) {
                assert_false(leases_take_uncalibrated(&leases, &set));
                assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
                leases_give_back(&leases, &set);
        }
}

TEST(a_cpu_that_is_calibrated_again_in_vain_stays_calibrated_and_is_not_given_up) {
        init("0-1");
        leases.leases[0].provisional = true;
        for (unsigned i = 0; i < 2 * LEASE_FAILURES_MAX; i++) {
                leases.leases[0].n_lent = LEASE_AGAIN_MAX;
                assert_true(leases_take_uncalibrated(&leases, &set));
                assert_int_equal(take_one(), -1);
                lease_note_calibration(set.leases[0], false);
                leases_give_back(&leases, &set);
                assert_int_equal(take_one(), 1);
                leases.busy = (cpu_set_t){};
        }
}

TEST(from_when_a_cpu_goes_or_comes_nothing_is_lent_until_the_next_split) {
        cpu_set_t nine = cpus("9");

        init("0-3");
        leases.leases[0].calibrated = false;
        assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
        assert_int_equal(leases_take(&leases, 1, NULL, &other), 0);
        leases_note_hotplug(&leases, 2, false);
        leases_give_back(&leases, &set);
        assert_int_equal(leases_take(&leases, 1, NULL, &set), CHOICE_E_BUSY);
        assert_int_equal(leases_take(&leases, 1, &nine, &set), CHOICE_E_BUSY);
        assert_false(leases_take_uncalibrated(&leases, &set));
        assert_false(leases_await_split(&leases));
        leases_give_back(&leases, &other);
        assert_true(leases_await_split(&leases));
}

TEST(a_cpu_that_is_off_is_not_lent_where_there_is_no_better_split) {
        init("0-3");
        leases_note_hotplug(&leases, 3, false);
        leases_keep_split(&leases);
        assert_int_equal(take_one(), 2);
        assert_int_equal(take_one(), 1);
        assert_int_equal(take_one(), -1);
}

TEST(a_split_takes_what_there_is_and_keeps_what_is_known) {
        cpu_set_t seven = cpus("7");

        init_on("intel-pstate.txt", "0-7");
        leases_note_hotplug(&leases, 7, false);
        split_with("intel-pstate.txt", "0-6", false);
        assert_false(leases_await_split(&leases));
        assert_int_equal(leases_take(&leases, 1, &seven, &set), CHOICE_E_OFFLINE);
        assert_int_equal(take_one(), 3);

        leases_note_hotplug(&leases, 7, true);
        leases.busy = (cpu_set_t){};
        split_with("intel-pstate.txt", "0-7", false);
        assert_int_equal(leases_take(&leases, 1, &seven, &set), CHOICE_E_BUSY); /* not calibrated any more */
        assert_true(leases_take_uncalibrated(&leases, &set));
        assert_int_equal(set.leases[0]->cpu, 7);
        assert_false(leases_take_uncalibrated(&leases, &set));
}

TEST(two_cpus_that_share_a_core_are_one_from_the_next_split_on) {
        cpu_set_t three = cpus("3");
        int suspects[15];

        init_on("guest-qemu.txt", "0-3");
        assert_int_equal(leases_take(&leases, 1, NULL, &other), 0);
        leases.leases[1].calibrated = false;
        assert_true(leases_take_uncalibrated(&leases, &set));
        assert_int_equal(leases_suspects(&leases, &set, suspects, 15), 2); /* and not that which is lent */
        assert_int_equal(suspects[0], 0);
        assert_int_equal(suspects[1], 1);
        leases_note_sibling(&leases, 2, 0, false);
        assert_false(leases.stale);
        leases_note_sibling(&leases, 2, 1, true);
        set.leases[0]->calibrated = true;
        leases_give_back(&leases, &set);
        assert_int_equal(leases_take(&leases, 1, NULL, &set), CHOICE_E_BUSY);
        leases_give_back(&leases, &other);
        assert_true(leases_await_split(&leases));

        split_with("guest-qemu.txt", "0-3", true);
        assert_int_equal(leases_most(&leases), 3);
        assert_int_equal(leases_take(&leases, 1, NULL, &other), 0);
        assert_string_equal(list_of(&other.reserved), "3");
        assert_int_equal(leases_take(&leases, 1, NULL, &set), 0);
        assert_int_equal(set.leases[0]->cpu, 1);
        assert_string_equal(list_of(&set.reserved), "1-2");
        leases_give_back(&leases, &set);

        leases_note_hotplug(&leases, 2, true);
        leases_give_back(&leases, &other);
        split_with("guest-qemu.txt", "0-3", true);
        assert_int_equal(topology->n_cores, 4); /* it is to be found out anew */
        assert_int_equal(leases_take(&leases, 1, &three, &set), 0);
}

TEST(a_daemon_that_was_given_some_cpus_gets_no_others_later) {
        init_on("guest-qemu.txt", "0-1");
        leases_note_hotplug(&leases, 3, true);
        split_with("guest-qemu.txt", "0-3", false);
        assert_int_equal(leases_most(&leases), 2);
}

TEST(a_split_that_leaves_no_cpu_changes_nothing) {
        Topology *fresh;

        init_on("guest-qemu.txt", "2-3");
        leases_note_hotplug(&leases, -1, true);
        fresh = read_with("guest-qemu.txt", "0-1");
        assert_false(leases_split(&leases, fresh));
        topology_free(fresh);
        leases_keep_split(&leases);
        assert_false(leases_await_split(&leases));
        assert_int_equal(take_one(), 3);
}

TEST_FILE(NULL, forget_topology)
