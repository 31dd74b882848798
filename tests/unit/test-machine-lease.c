/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A machine that is laid out is leased: it is switched, the controls say how, and it is given back. */

#include "launch/lease/machine-lease.h"

#include "launch/lease/machine-claim.h"
#include "launch/lease/restorer.h"
#include "machine.h"

#define POLICY "sys/devices/system/cpu/cpufreq/policy"

typedef struct Bench {
        Machine *machine;
        Restorer restorer;
        sd_event *event;
        MachineLease *lease;
} Bench;

static Bench bench;

static void bench_make_lease(void) {
        assert_int_equal(machine_lease_new(&(MachineLeaseConfig){ .event = bench.event,
                                                           .root = bench.machine->root,
                                                           .journal = bench.restorer.journal,
                                                           .disk = bench.machine->root,
                                                           .chosen_path = "chosen",
                                                           .hands = &bench.restorer.hands,
                                                           .shield = true,
                                                           .others = cpus("0,4") },
                                         &bench.lease),
                        0);
}

static int set_up(void **state) {
        char path[128];

        bench = (Bench){ .machine = machine_lay("intel-pstate.txt") };
        snprintf(path, sizeof path, "%s/journal", bench.machine->directory);
        assert_int_equal(restorer_open(path, bench.machine->root, false, &bench.restorer), 0);
        assert_true(sd_event_new(&bench.event) >= 0);
        bench_make_lease();
        return 0;
}

static int tear_down(void **state) {
        machine_lease_free(bench.lease);
        sd_event_unref(bench.event);
        restorer_close(&bench.restorer, true);
        machine_free(bench.machine);
        return 0;
}

TEST_EACH(set_up, tear_down)

static const OpsControl *find(const OpsEnded *ended, const char *name) {
        for (uint32_t i = 0; i < ended->n_controls; i++)
                if (strcmp(ended->controls[i].name, name) == 0)
                        return &ended->controls[i];
        return NULL;
}

TEST(the_first_lease_switches_a_second_adds_to_it_and_the_end_gives_all_back) {
        cpu_set_t first = cpus("3,7"), second = cpus("2,6");

        machine_lease_begin(bench.lease, &first);
        assert_string_equal(machine_get(bench.machine, POLICY "3/scaling_governor"), "performance");
        assert_string_equal(machine_get(bench.machine, POLICY "2/scaling_governor"), "powersave");
        assert_string_equal(machine_get(bench.machine, "proc/irq/120/smp_affinity"), "77");
        machine_lease_begin(bench.lease, &second);
        assert_string_equal(machine_get(bench.machine, POLICY "2/scaling_governor"), "performance");
        assert_string_equal(machine_get(bench.machine, "proc/irq/120/smp_affinity"), "33");
        machine_lease_end(bench.lease);
        machine_lease_end(bench.lease);
        assert_string_equal(machine_get(bench.machine, POLICY "2/scaling_governor"), "performance");

        bench.lease = machine_lease_free(bench.lease);
        assert_string_equal(machine_get(bench.machine, POLICY "3/scaling_governor"), "powersave");
        assert_string_equal(machine_get(bench.machine, "proc/irq/120/smp_affinity"), "ff");
        assert_string_equal(machine_get(bench.machine, "proc/sys/kernel/timer_migration"), "1");
}

/* Waits for the end of the while after the last lease. */
TEST(what_is_chosen_during_two_leases_holds_at_once_elsewhere_and_there_after_the_last) {
        cpu_set_t first = cpus("3,7"), second = cpus("2,6"), all = cpus("0-7");
        GovernorChoices saver = {};

        assert_int_equal(governor_choices_add(&saver, "power-saver", &all), 0);
        machine_lease_begin(bench.lease, &first);
        machine_lease_begin(bench.lease, &second);
        assert_int_equal(machine_lease_choose(bench.lease, &saver, NULL, NULL), 0);
        assert_string_equal(machine_get(bench.machine, POLICY "1/energy_performance_preference"), "power");
        machine_lease_end(bench.lease);
        assert_string_equal(machine_get(bench.machine, POLICY "3/energy_performance_preference"), "performance");
        assert_string_equal(machine_get(bench.machine, POLICY "2/energy_performance_preference"), "performance");
        machine_lease_end(bench.lease);
        assert_true(sd_event_run(bench.event, UINT64_MAX) > 0);
        assert_string_equal(machine_get(bench.machine, POLICY "3/energy_performance_preference"), "power");
        assert_string_equal(machine_get(bench.machine, POLICY "2/energy_performance_preference"), "power");
        assert_string_equal(machine_get(bench.machine, "proc/irq/120/smp_affinity"), "ff");
}

TEST(each_control_is_told_with_what_it_was_and_is) {
        cpu_set_t leased = cpus("3,7");
        OpsEnded ended = {};

        machine_lease_begin(bench.lease, &leased);
        machine_lease_describe(bench.lease, &leased, false, &ended);
        assert_string_equal(find(&ended, "governor")->was, "powersave");
        assert_string_equal(find(&ended, "governor")->is, "performance");
        assert_int_equal(find(&ended, "governor")->outcome, OPS_OUTCOME_APPLIED);
        assert_string_equal(find(&ended, "irq-affinity")->is, "off the leased CPUs");
        assert_int_equal(find(&ended, "shield")->outcome, OPS_OUTCOME_UNSUPPORTED);
        assert_int_equal(ended.isolation, OPS_ISOLATION_AFFINITY);
        machine_lease_describe(bench.lease, &leased, true, &ended);
        assert_int_equal(ended.isolation, OPS_ISOLATION_BOOT);

        machine_put(bench.machine, POLICY "3/scaling_governor", "schedutil");
        machine_lease_describe(bench.lease, &leased, false, &ended);
        assert_int_equal(find(&ended, "governor")->outcome, OPS_OUTCOME_OVERRIDDEN);
        assert_string_equal(find(&ended, "governor")->is, "schedutil");
}

/* A file of the kernel's that reads as a mask and takes none stands for an interrupt that it manages itself. */
TEST(interrupts_that_the_kernel_keeps_are_told) {
        static const char irq[] = "proc/irq/120/smp_affinity", kept[] = "/proc/sys/kernel/ngroups_max"; /* 65536 */
        cpu_set_t leased = cpus("2,6");
        OpsEnded ended = {};
        int at;

        at = root_dir_fd(bench.machine->root);
        assert_int_equal(unlinkat(at, irq, 0), 0);
        assert_int_equal(symlinkat(kept, at, irq), 0);
        machine_lease_begin(bench.lease, &leased);
        machine_lease_describe(bench.lease, &leased, false, &ended);
        assert_string_equal(find(&ended, "irq-affinity")->is, "off the leased CPUs but for some of the kernel's");
        assert_int_equal(find(&ended, "irq-affinity")->outcome, OPS_OUTCOME_APPLIED);
}

TEST(what_waits_for_its_cpu_is_put_back_when_that_comes) {
        cpu_set_t leased = cpus("3,7"), others = cpus("0,4");
        OpsEnded ended = {};

        machine_lease_begin(bench.lease, &leased);
        unlinkat(root_dir_fd(bench.machine->root), POLICY "7/scaling_governor", 0);
        machine_put(bench.machine, "sys/devices/system/cpu/cpu7/online", "0");
        machine_lease_describe(bench.lease, &leased, false, &ended);
        assert_int_equal(find(&ended, "governor")->outcome, OPS_OUTCOME_OVERRIDDEN);
        assert_int_equal(find(&ended, "governor")->cpu_off, 1);
        assert_string_equal(find(&ended, "governor")->was, "powersave");
        assert_string_equal(find(&ended, "governor")->is, "could not be read: its CPU is off");
        bench.lease = machine_lease_free(bench.lease);
        assert_string_equal(machine_get(bench.machine, POLICY "3/scaling_governor"), "powersave");

        bench_make_lease();
        machine_put(bench.machine, "sys/devices/system/cpu/cpu7/online", "1");
        machine_put(bench.machine, POLICY "7/scaling_governor", "performance");
        machine_lease_renew(bench.lease, &others);
        assert_string_equal(machine_get(bench.machine, POLICY "7/scaling_governor"), "powersave");
}

/* systemd, that says nothing when it is asked for the first time after the last lease. */
static struct {
        char allowed[64];
        unsigned n_silent;
} busy;

static int busy_read(void *context, const char *key, char *value, size_t n_value) {
        if (strcmp(key, "user.slice AllowedCPUs") != 0)
                return RESTORE_HAND_E_GONE;
        if (busy.n_silent > 0) {
                busy.n_silent--;
                return RESTORE_HAND_E_REFUSED;
        }
        snprintf(value, n_value, "%s", busy.allowed);
        return 0;
}

static int busy_write(void *context, const char *key, const char *value) {
        snprintf(busy.allowed, sizeof busy.allowed, "%s", value);
        return 0;
}

static MachineLease *other_lease(Restorer *restorer) {
        MachineLease *lease;
        char path[128];

        snprintf(path, sizeof path, "%s/other-journal", bench.machine->directory);
        assert_int_equal(restorer_open(path, bench.machine->root, false, restorer), 0);
        assert_int_equal(machine_lease_new(&(MachineLeaseConfig){ .event = bench.event,
                                                           .root = bench.machine->root,
                                                           .journal = restorer->journal,
                                                           .disk = bench.machine->root,
                                                           .chosen_path = "other-chosen",
                                                           .hands = &restorer->hands,
                                                           .others = cpus("0,4") },
                                         &lease),
                        0);
        return lease;
}

/* Waits for the end of the while after the last lease, and for twice that while. */
TEST(what_systemd_was_too_busy_to_take_back_is_tried_again) {
        cpu_set_t leased = cpus("3,7"), second = cpus("2,6");
        MachineLease *other;
        Restorer restorer;

        machine_put(bench.machine, MACHINE_CLAIM_PATH, "");
        other = other_lease(&restorer);
        bench.restorer.hands.hands[RESTORE_UNIT_PROPERTY] = (RestoreHand){ .read = busy_read, .write = busy_write };
        machine_lease_begin(bench.lease, &leased);
        assert_string_equal(busy.allowed, "0,4");
        machine_lease_end(bench.lease);
        busy.n_silent = 1;
        assert_true(sd_event_run(bench.event, UINT64_MAX) > 0);
        assert_string_equal(busy.allowed, "0,4");
        machine_lease_begin(other, &second); /* it would take what was not put back yet for the machine's own */
        assert_string_equal(machine_get(bench.machine, POLICY "2/scaling_governor"), "powersave");
        assert_true(sd_event_run(bench.event, UINT64_MAX) > 0);
        assert_string_equal(busy.allowed, "");
        machine_lease_begin(other, &second);
        assert_string_equal(machine_get(bench.machine, POLICY "2/scaling_governor"), "performance");
        machine_lease_free(other);
        restorer_close(&restorer, true);
}

TEST(one_daemon_at_a_time_switches_the_machine_and_the_other_says_whose_it_is) {
        cpu_set_t first = cpus("3,7"), second = cpus("2,6");
        char holder[OPS_VALUE_MAX];
        OpsEnded ended = {};
        MachineLease *other;
        Restorer restorer;

        machine_put(bench.machine, MACHINE_CLAIM_PATH, "");
        other = other_lease(&restorer);
        machine_lease_begin(bench.lease, &first);
        machine_lease_begin(other, &second);
        assert_string_equal(machine_get(bench.machine, POLICY "3/scaling_governor"), "performance");
        assert_string_equal(machine_get(bench.machine, POLICY "2/scaling_governor"), "powersave");
        machine_lease_describe(other, &second, false, &ended);
        snprintf(holder, sizeof holder, "held by process %d", getpid());
        assert_int_equal(ended.n_controls, 1);
        assert_int_equal(find(&ended, "tuning")->outcome, OPS_OUTCOME_DENIED);
        assert_string_equal(find(&ended, "tuning")->is, "another benchd has set them");
        assert_string_equal(find(&ended, "tuning")->was, holder);
        machine_lease_end(other);

        bench.lease = machine_lease_free(bench.lease);
        assert_string_equal(machine_get(bench.machine, POLICY "3/scaling_governor"), "powersave");
        machine_lease_begin(other, &second);
        assert_string_equal(machine_get(bench.machine, POLICY "2/scaling_governor"), "performance");
        ended = (OpsEnded){};
        machine_lease_describe(other, &second, false, &ended);
        assert_null(find(&ended, "tuning"));
        machine_lease_free(other);
        assert_string_equal(machine_get(bench.machine, POLICY "2/scaling_governor"), "powersave");
        restorer_close(&restorer, true);
}

/* Two daemons on the same CPUs; the second one's report of its lease. */
static OpsEnded describe_beside(MachineLease *other, const cpu_set_t *leased) {
        OpsEnded ended = {};

        machine_lease_describe(other, leased, false, &ended);
        return ended;
}

static void assert_in_force(const OpsEnded *own, const OpsEnded *beside) {
        char holder[OPS_VALUE_MAX];

        snprintf(holder, sizeof holder, "set by another benchd, process %d", getpid());
        assert_int_equal(find(beside, "tuning")->outcome, OPS_OUTCOME_ALREADY);
        assert_string_equal(find(beside, "tuning")->is, holder);
        assert_int_equal(beside->n_controls, own->n_controls + 1);
        for (uint32_t i = 0; i < own->n_controls; i++) {
                const OpsControl *control = find(beside, own->controls[i].name);
                const bool is_set = own->controls[i].outcome == OPS_OUTCOME_APPLIED;

                assert_int_equal(control->outcome, is_set ? OPS_OUTCOME_ALREADY : own->controls[i].outcome);
                assert_string_equal(control->is, own->controls[i].is);
        }
}

static void assert_denied(const OpsEnded *beside) {
        assert_int_equal(beside->n_controls, 1);
        assert_int_equal(find(beside, "tuning")->outcome, OPS_OUTCOME_DENIED);
}

TEST(settings_of_another_daemon_count_while_they_are_the_wanted_ones_and_no_longer) {
        cpu_set_t both = cpus("2-3,6-7"), leased = cpus("3,7"), more = cpus("1,3,5,7");
        OpsEnded own = {}, beside;
        MachineLease *other;
        Restorer restorer;

        machine_put(bench.machine, MACHINE_CLAIM_PATH, "");
        other = other_lease(&restorer);
        machine_lease_begin(bench.lease, &both);
        machine_lease_describe(bench.lease, &leased, false, &own);
        machine_lease_begin(other, &leased);
        beside = describe_beside(other, &leased);
        assert_in_force(&own, &beside);
        machine_put(bench.machine, POLICY "3/scaling_governor", "schedutil");
        beside = describe_beside(other, &leased);
        assert_denied(&beside);
        machine_lease_end(other);

        machine_lease_begin(other, &leased); /* the value is wrong from the begin on */
        beside = describe_beside(other, &leased);
        assert_denied(&beside);
        machine_lease_end(other);

        machine_put(bench.machine, POLICY "3/scaling_governor", "performance");
        machine_lease_begin(other, &more); /* CPUs that the holder does not keep quiet */
        beside = describe_beside(other, &more);
        assert_denied(&beside);
        machine_lease_end(other);

        machine_lease_begin(other, &leased);
        machine_lease_end(bench.lease);
        assert_true(sd_event_run(bench.event, UINT64_MAX) > 0);
        machine_lease_begin(bench.lease, &both); /* the values are the same again, and were not in the meantime */
        beside = describe_beside(other, &leased);
        assert_denied(&beside);
        machine_lease_free(other);
        restorer_close(&restorer, true);
}

TEST(without_a_journal_nothing_is_changed_and_that_is_told) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        const RestoreHands none = {};
        cpu_set_t leased = cpus("3,7");
        OpsEnded ended = {};
        sd_event *event;
        MachineLease *lease;

        assert_true(sd_event_new(&event) >= 0);
        assert_int_equal(machine_lease_new(
                                         &(MachineLeaseConfig){ .event = event, .root = machine->root, .hands = &none },
                                         &lease),
                        0);
        machine_lease_begin(lease, &leased);
        assert_string_equal(machine_get(machine, POLICY "3/scaling_governor"), "powersave");
        machine_lease_describe(lease, &leased, false, &ended);
        assert_int_equal(find(&ended, "tuning")->outcome, OPS_OUTCOME_DENIED);
        assert_int_equal(find(&ended, "governor")->outcome, OPS_OUTCOME_DENIED);
        assert_string_equal(find(&ended, "governor")->is, "powersave");
        assert_int_equal(find(&ended, "timer-migration")->outcome, OPS_OUTCOME_DENIED);
        machine_lease_end(lease);
        machine_lease_free(lease);
        sd_event_unref(event);
}
