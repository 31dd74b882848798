/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `set-governor` beside leases, on machines as data: the lease has what it wants, and gives back what was chosen. */

#include "launch/lease/set-governor.h"

#include "launch/lease/machine-lease.h"
#include "launch/lease/restorer.h"
#include "machine.h"
#include "machine/tunable.h"
#include "util/cpu-list.h"

#define POLICY   "sys/devices/system/cpu/cpufreq/policy"
#define GOVERNOR "/scaling_governor"
#define JOURNAL  "journal"

/* A daemon's hand on a machine. */
typedef struct Hand {
        Restorer restorer;
        sd_event *event;
        MachineLease *lease;
} Hand;

static Hand hand_on(Machine *machine) {
        Hand hand = {};
        char path[128];

        snprintf(path, sizeof path, "%s/" JOURNAL, machine->directory);
        assert_int_equal(restorer_open(path, machine->root, false, &hand.restorer), 0);
        assert_true(sd_event_new(&hand.event) >= 0);
        MachineLeaseConfig config = {
                .event = hand.event,
                .root = machine->root,
                .journal = hand.restorer.journal,
                .disk = hand.restorer.disk,
                .chosen_path = hand.restorer.chosen_path,
                .chosen = hand.restorer.chosen,
                .hands = &hand.restorer.hands,
        };

        CPU_SET(7, &config.others);
        assert_int_equal(machine_lease_new(&config, &hand.lease), 0);
        return hand;
}

/* Ends the leases, too. */
static void hand_off(Hand *hand) {
        hand->lease = machine_lease_free(hand->lease);
        restorer_close(&hand->restorer, false);
        hand->event = sd_event_unref(hand->event);
}

static void lease_cpus(MachineLease *lease, const char *list) {
        cpu_set_t leased;

        assert_int_equal(cpu_list_parse(list, &leased), 0);
        machine_lease_begin(lease, &leased);
}

/* Sets @name, or restores with NULL; of the CPUs of @list, or all with "". */
static OpsGovernorDone set(MachineLease *lease, const char *name, const char *list) {
        OpsGovernor wanted = { .restore = !name };
        OpsGovernorDone done;

        snprintf(wanted.name, sizeof wanted.name, "%s", name ? name : "");
        assert_int_equal(cpu_list_parse(list, &wanted.cpus), 0);
        assert_int_equal(set_governor_do(lease, &wanted, &done), 0);
        return done;
}

static void assert_file(const Machine *machine, const char *path, const char *value) {
        char text[FILE_VALUE_MAX];

        assert_int_equal(root_dir_read_line(machine->root, path, text, sizeof text), 0);
        assert_string_equal(text, value);
}

/* The one change of @file that is so. */
static const OpsChange *change_of(const OpsGovernorDone *done, const char *file, OpsOutcome outcome) {
        for (uint32_t i = 0; i < done->n_changes; i++)
                if (strcmp(done->changes[i].file, file) == 0 && done->changes[i].outcome == outcome)
                        return &done->changes[i];
        fail_msg("no such change of %s", file);
        return NULL;
}

TEST(what_is_chosen_during_a_lease_is_what_the_lease_gives_back) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        _cleanup_(hand_off) Hand hand = hand_on(machine);
        MachineLease *lease = hand.lease;
        OpsGovernorDone done;

        lease_cpus(lease, "3");
        assert_file(machine, POLICY "3" GOVERNOR, "performance");
        done = set(lease, "powersave", "");
        assert_file(machine, POLICY "3" GOVERNOR, "performance");
        assert_file(machine, POLICY "2" GOVERNOR, "powersave");
        assert_true(CPU_ISSET(3, &change_of(&done, "scaling_governor", OPS_OUTCOME_LEASED)->policies));
        assert_true(CPU_ISSET(2, &change_of(&done, "scaling_governor", OPS_OUTCOME_APPLIED)->policies));
        hand_off(&hand);
        assert_file(machine, POLICY "3" GOVERNOR, "powersave");
        hand = hand_on(machine);
        set(hand.lease, NULL, "");
        assert_file(machine, POLICY "3" GOVERNOR, "schedutil");
}

TEST(a_lease_keeps_its_governor_when_the_chosen_one_is_restored) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        _cleanup_(hand_off) Hand hand = hand_on(machine);
        MachineLease *lease = hand.lease;
        OpsGovernorDone done;

        set(lease, "powersave", "");
        lease_cpus(lease, "3");
        done = set(lease, NULL, "");
        assert_file(machine, POLICY "3" GOVERNOR, "performance");
        assert_file(machine, POLICY "2" GOVERNOR, "schedutil");
        assert_true(CPU_ISSET(3, &change_of(&done, "scaling_governor", OPS_OUTCOME_LEASED)->policies));
        hand_off(&hand);
        assert_file(machine, POLICY "3" GOVERNOR, "schedutil");
}

TEST(the_next_daemon_puts_back_the_lease_and_keeps_the_choice) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        pid_t child = fork();
        int status;
        Hand hand;

        if (child == 0) {
                hand = hand_on(machine);
                set(hand.lease, "powersave", "");
                lease_cpus(hand.lease, "3");
                _exit(0); /* as after a kill: nothing is put back */
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_file(machine, POLICY "3" GOVERNOR, "performance");
        hand = hand_on(machine);
        assert_file(machine, POLICY "3" GOVERNOR, "powersave");
        set(hand.lease, NULL, "");
        assert_file(machine, POLICY "3" GOVERNOR, "schedutil");
        assert_file(machine, POLICY "2" GOVERNOR, "schedutil");
        hand_off(&hand);
}

TEST(files_that_changed_alike_are_one_change) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(hand_off) Hand hand = hand_on(machine);
        MachineLease *lease = hand.lease;
        OpsGovernorDone done;

        machine_put(machine, POLICY "5" GOVERNOR, "performance");
        done = set(lease, "performance", "");
        assert_int_equal(done.n_changes, 2);
        assert_int_equal(CPU_COUNT(&change_of(&done, "scaling_governor", OPS_OUTCOME_APPLIED)->policies), 7);
        assert_int_equal(CPU_COUNT(&change_of(&done, "scaling_governor", OPS_OUTCOME_ALREADY)->policies), 1);
}

TEST(a_change_back_to_what_there_was_is_a_change) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(hand_off) Hand hand = hand_on(machine);
        MachineLease *lease = hand.lease;
        OpsGovernorDone done;

        set(lease, "performance", "");
        done = set(lease, "powersave", "");
        assert_string_equal(change_of(&done, "scaling_governor", OPS_OUTCOME_APPLIED)->was, "performance");
}

TEST(what_cannot_be_says_so_and_changes_nothing) {
        _cleanup_(machine_freep) Machine *bare = machine_lay("guest-firecracker.txt");
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(hand_off) Hand hand = hand_on(machine), hand_on_bare = hand_on(bare);
        MachineLease *lease = hand.lease;
        OpsGovernorDone done;

        assert_int_equal(set(hand_on_bare.lease, "performance", "").end, OPS_GOVERNOR_UNSUPPORTED);
        done = set(lease, "nonesuch", "");
        assert_int_equal(done.end, OPS_GOVERNOR_UNKNOWN);
        assert_non_null(strstr(done.names, "powersave"));
        done = set(lease, "performance", "7-8");
        assert_int_equal(done.end, OPS_GOVERNOR_NO_CPU);
        assert_string_equal(done.names, "0-7");
        machine_put(machine, "sys/devices/system/cpu/online", "0-6");
        machine_put(machine, POLICY "7/affected_cpus", "");
        assert_int_equal(set(lease, "performance", "7").end, OPS_GOVERNOR_OFF);
        assert_int_equal(machine_lease_governors(lease)->n, 0);
        assert_file(machine, POLICY "0" GOVERNOR, "powersave");
}

TEST(the_machine_is_described_as_it_is) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(hand_off) Hand hand = hand_on(machine);
        MachineLease *lease = hand.lease;
        OpsMachine described = { .n_cpus = 1, .cpus = { { .cpu = 1 } } };

        assert_true(set_governor_describe(lease, &described));
        assert_string_equal(described.governor, "powersave");
        assert_false(set_governor_describe(lease, &described));
        set(lease, "performance", "1-2");
        assert_true(set_governor_describe(lease, &described));
        assert_string_equal(described.governor, "performance");
        assert_int_equal(described.n_sticky, 1);
        assert_string_equal(described.sticky[0].name, "performance");
        assert_int_equal(CPU_COUNT(&described.sticky[0].cpus), 2);
}
