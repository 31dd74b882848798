/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The shield, with systemd played by a table: what a unit was allowed is noted, narrowed, and given back. Whether it
 * holds is read from the control groups.
 */

#include "launch/shield.h"

#include "machine.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "test.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

DEFINE_CLEANUP(RestoreJournal *, restore_journal_close)

typedef struct Unit {
        const char *key;
        char allowed[64];
        bool refuses;
} Unit;

static Unit units[3];

static int reset(void **state) {
        units[0] = (Unit){ .key = "system.slice AllowedCPUs" };
        units[1] = (Unit){ .key = "user.slice AllowedCPUs", .allowed = "2-7" };
        units[2] = (Unit){ .key = "init.scope AllowedCPUs", .allowed = "7", .refuses = true };
        return 0;
}

static Unit *find(const char *key) {
        for (size_t i = 0; i < N_ELEMENTS(units); i++)
                if (strcmp(units[i].key, key) == 0)
                        return &units[i];
        return NULL;
}

static int unit_read(void *context, const char *key, char *value, size_t n_value) {
        const Unit *unit = find(key);

        if (!unit)
                return RESTORE_HAND_E_GONE;
        snprintf(value, n_value, "%s", unit->allowed);
        return 0;
}

static int unit_write(void *context, const char *key, const char *value) {
        Unit *unit = find(key);

        if (!unit || unit->refuses)
                return unit ? RESTORE_HAND_E_REFUSED : RESTORE_HAND_E_GONE;
        snprintf(unit->allowed, sizeof unit->allowed, "%s", value);
        return 0;
}

static cpu_set_t cpus(const char *list) {
        cpu_set_t set;

        assert_int_equal(cpu_list_parse(list, &set), 0);
        return set;
}

TEST(units_are_narrowed_to_what_is_not_leased_and_given_back, reset) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        RestoreHands hands = { .hands[RESTORE_UNIT_PROPERTY] = { .read = unit_read, .write = unit_write } };
        const RestoreHand *hand = &hands.hands[RESTORE_UNIT_PROPERTY];
        cpu_set_t others = cpus("0-1"), few = cpus("7"), more = cpus("3,7");

        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(shield_raise(journal, hand, &few, &others), 0);
        assert_string_equal(units[0].allowed, "0-1");
        assert_string_equal(units[1].allowed, "2-6");
        assert_int_equal(shield_raise(journal, hand, &more, &others), 0);
        assert_string_equal(units[1].allowed, "2,4-6");
        assert_string_equal(units[2].allowed, "7");
        assert_int_equal(restore_journal_count(journal), 2);

        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_string_equal(units[0].allowed, "");
        assert_string_equal(units[1].allowed, "2-7");
        assert_int_equal(restore_journal_count(journal), 0);
}

TEST(a_unit_that_was_narrowed_by_somebody_else_meanwhile_is_left_alone, reset) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        RestoreHands hands = { .hands[RESTORE_UNIT_PROPERTY] = { .read = unit_read, .write = unit_write } };
        cpu_set_t others = cpus("0-1"), leased = cpus("7");

        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(shield_raise(journal, &hands.hands[RESTORE_UNIT_PROPERTY], &leased, &others), 0);
        strcpy(units[1].allowed, "4");
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_string_equal(units[1].allowed, "4");
}

TEST(it_holds_only_if_no_group_has_a_leased_cpu) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        cpu_set_t leased = cpus("3,7");

        assert_false(shield_holds(machine->root, &leased));
        machine_put(machine, "sys/fs/cgroup/system.slice/cgroup.procs", "1");
        assert_false(shield_holds(machine->root, &leased));
        machine_put(machine, "sys/fs/cgroup/system.slice/cpuset.cpus.effective", "0-2,4-6");
        assert_true(shield_holds(machine->root, &leased));
        machine_put(machine, "sys/fs/cgroup/user.slice/cgroup.procs", "2");
        machine_put(machine, "sys/fs/cgroup/user.slice/cpuset.cpus.effective", "0-3");
        assert_false(shield_holds(machine->root, &leased));
}
