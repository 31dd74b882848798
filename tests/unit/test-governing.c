/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * `set-governor` beside leases, on machines as data: the lease has what it wants, and gives back what was chosen.
 */

#include "launch/governing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "launch/tuner.h"
#include "machine.h"
#include "machine/tunable.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

#define POLICY   "sys/devices/system/cpu/cpufreq/policy"
#define GOVERNOR "/scaling_governor"
#define JOURNAL  "journal"

DEFINE_CLEANUP(Tuner *, tuner_free)

static Tuner *tuner_of(Machine *machine) {
        Tuner *tuner;

        assert_int_equal(tuner_new(machine->root, machine->root, JOURNAL, &tuner), 0);
        return tuner;
}

static void lease(Tuner *tuner, const char *list) {
        TuneWish wish = {};

        assert_int_equal(cpu_list_parse(list, &wish.leased), 0);
        assert_int_equal(cpu_list_parse("7", &wish.others), 0);
        assert_int_equal(tuner_lease(tuner, &wish), 0);
}

/* Sets @name, or restores with NULL; of the CPUs of @list, or all with "". */
static OpsGovernorDone set(Tuner *tuner, const char *name, const char *list) {
        OpsGovernor wanted = { .restore = !name };
        OpsGovernorDone done;

        snprintf(wanted.name, sizeof wanted.name, "%s", name ? name : "");
        assert_int_equal(cpu_list_parse(list, &wanted.cpus), 0);
        assert_int_equal(governing_do(tuner, &wanted, &done), 0);
        return done;
}

static void assert_file(const Machine *machine, const char *path, const char *value) {
        char text[VALUE_MAX];

        assert_int_equal(root_dir_read_line(machine->root, path, text, sizeof text), 0);
        assert_string_equal(text, value);
}

/* The one change of @file that is so. */
static const OpsChange *change_of(const OpsGovernorDone *done, const char *file, OpsChangeOutcome outcome) {
        for (uint32_t i = 0; i < done->n_changes; i++)
                if (strcmp(done->changes[i].file, file) == 0 && done->changes[i].outcome == outcome)
                        return &done->changes[i];
        fail_msg("no such change of %s", file);
        return NULL;
}

static void what_is_chosen_during_a_lease_is_what_the_lease_gives_back(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        _cleanup_(tuner_freep) Tuner *tuner = tuner_of(machine);
        OpsGovernorDone done;

        lease(tuner, "3");
        assert_file(machine, POLICY "3" GOVERNOR, "performance");
        done = set(tuner, "powersave", "");
        assert_file(machine, POLICY "3" GOVERNOR, "performance");
        assert_file(machine, POLICY "2" GOVERNOR, "powersave");
        assert_true(CPU_ISSET(3, &change_of(&done, "scaling_governor", OPS_CHANGE_LEASED)->policies));
        assert_true(CPU_ISSET(2, &change_of(&done, "scaling_governor", OPS_CHANGE_APPLIED)->policies));
        lease(tuner, "");
        assert_file(machine, POLICY "3" GOVERNOR, "powersave");
        set(tuner, NULL, "");
        assert_file(machine, POLICY "3" GOVERNOR, "schedutil");
}

static void a_lease_keeps_its_governor_when_the_chosen_one_is_restored(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        _cleanup_(tuner_freep) Tuner *tuner = tuner_of(machine);
        OpsGovernorDone done;

        set(tuner, "powersave", "");
        lease(tuner, "3");
        done = set(tuner, NULL, "");
        assert_file(machine, POLICY "3" GOVERNOR, "performance");
        assert_file(machine, POLICY "2" GOVERNOR, "schedutil");
        assert_true(CPU_ISSET(3, &change_of(&done, "scaling_governor", OPS_CHANGE_LEASED)->policies));
        lease(tuner, "");
        assert_file(machine, POLICY "3" GOVERNOR, "schedutil");
}

/* As after a kill: nothing is put back before the next one reads the journal. */
static void the_next_daemon_puts_back_the_lease_and_keeps_the_choice(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("two-sockets.txt");
        Tuner *tuner = tuner_of(machine);

        set(tuner, "powersave", "");
        lease(tuner, "3");
        tuner = tuner_free(tuner);
        assert_file(machine, POLICY "3" GOVERNOR, "performance");
        tuner = tuner_of(machine);
        assert_file(machine, POLICY "3" GOVERNOR, "powersave");
        set(tuner, NULL, "");
        assert_file(machine, POLICY "3" GOVERNOR, "schedutil");
        assert_file(machine, POLICY "2" GOVERNOR, "schedutil");
        tuner_free(tuner);
}

static void files_that_changed_alike_are_one_change(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(tuner_freep) Tuner *tuner = tuner_of(machine);
        OpsGovernorDone done;

        machine_put(machine, POLICY "5" GOVERNOR, "performance");
        done = set(tuner, "performance", "");
        assert_int_equal(done.n_changes, 2);
        assert_int_equal(CPU_COUNT(&change_of(&done, "scaling_governor", OPS_CHANGE_APPLIED)->policies), 7);
        assert_int_equal(CPU_COUNT(&change_of(&done, "scaling_governor", OPS_CHANGE_ALREADY)->policies), 1);
}

static void a_change_back_to_what_there_was_is_a_change(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(tuner_freep) Tuner *tuner = tuner_of(machine);
        OpsGovernorDone done;

        set(tuner, "performance", "");
        done = set(tuner, "powersave", "");
        assert_string_equal(change_of(&done, "scaling_governor", OPS_CHANGE_APPLIED)->was, "performance");
}

static void what_cannot_be_says_so_and_changes_nothing(void **state) {
        _cleanup_(machine_freep) Machine *bare = machine_lay("guest-firecracker.txt");
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(tuner_freep) Tuner *tuner = tuner_of(machine), *tuner_of_bare = tuner_of(bare);
        OpsGovernorDone done;

        assert_int_equal(set(tuner_of_bare, "performance", "").end, OPS_GOVERNOR_UNSUPPORTED);
        done = set(tuner, "nonesuch", "");
        assert_int_equal(done.end, OPS_GOVERNOR_UNKNOWN);
        assert_non_null(strstr(done.names, "powersave"));
        done = set(tuner, "performance", "7-8");
        assert_int_equal(done.end, OPS_GOVERNOR_NO_CPU);
        assert_string_equal(done.names, "0-7");
        assert_int_equal(tuner_sticky(tuner)->n, 0);
        assert_file(machine, POLICY "0" GOVERNOR, "powersave");
}

static void a_journal_has_one_tuner(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(tuner_freep) Tuner *tuner = tuner_of(machine);
        pid_t child = fork();
        Tuner *other;
        int status;

        if (child == 0)
                _exit(tuner_new(machine->root, machine->root, JOURNAL, &other) == TUNER_E_HELD ? 0 : 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
}

static void the_machine_is_described_as_it_is(void **state) {
        _cleanup_(machine_freep) Machine *machine = machine_lay("intel-pstate.txt");
        _cleanup_(tuner_freep) Tuner *tuner = tuner_of(machine);
        OpsMachine described = { .n_cpus = 1, .cpus = { { .cpu = 1 } } };

        assert_true(governing_describe(tuner, &described));
        assert_string_equal(described.governor, "powersave");
        assert_false(governing_describe(tuner, &described));
        set(tuner, "performance", "1-2");
        assert_true(governing_describe(tuner, &described));
        assert_string_equal(described.governor, "performance");
        assert_int_equal(described.n_sticky, 1);
        assert_string_equal(described.sticky[0].name, "performance");
        assert_int_equal(CPU_COUNT(&described.sticky[0].cpus), 2);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_chosen_during_a_lease_is_what_the_lease_gives_back),
                cmocka_unit_test(a_lease_keeps_its_governor_when_the_chosen_one_is_restored),
                cmocka_unit_test(the_next_daemon_puts_back_the_lease_and_keeps_the_choice),
                cmocka_unit_test(files_that_changed_alike_are_one_change),
                cmocka_unit_test(a_change_back_to_what_there_was_is_a_change),
                cmocka_unit_test(what_cannot_be_says_so_and_changes_nothing),
                cmocka_unit_test(a_journal_has_one_tuner),
                cmocka_unit_test(the_machine_is_described_as_it_is),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
