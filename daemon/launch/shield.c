/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/shield.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "launch/unit-cpus.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

static const struct {
        const char *unit;
        const char *group;
} shielded[] = {
        { "system.slice", "system.slice" },
        { "user.slice", "user.slice" },
        { "machine.slice", "machine.slice" },
        { "init.scope", "init.scope" },
        { "benchd.service", "benchd.slice/benchd.service" },
};

/* Writes which CPUs a unit is to be allowed that was allowed @was; an empty @was is any CPU. */
static void allow(const cpu_set_t *leased, const cpu_set_t *others, const char *was, char *want, size_t n_want) {
        cpu_set_t set, both;

        if (cpu_list_parse(was, &set) != 0 || CPU_COUNT(&set) == 0)
                set = *others;
        CPU_AND(&both, &set, leased);
        CPU_XOR(&set, &set, &both);
        if (CPU_COUNT(&set) == 0)
                set = *others;
        cpu_list_format(&set, want, n_want);
}

/* The CPUs that it was allowed before the first change. */
static int unit_before(RestoreJournal *journal, const RestoreHand *hand, const char *key, char *was) {
        const RestoreEntry *entry = restore_journal_find(journal, RESTORE_UNIT_PROPERTY, key);

        if (!entry)
                return hand->read(hand->context, key, was, VALUE_MAX);
        snprintf(was, VALUE_MAX, "%s", entry->was);
        return 0;
}

static int unit_narrow(RestoreJournal *journal, const RestoreHand *hand, const char *key, const cpu_set_t *leased,
                const cpu_set_t *others) {
        char was[VALUE_MAX], want[VALUE_MAX], is[VALUE_MAX];
        int r;

        r = unit_before(journal, hand, key, was);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        allow(leased, others, was, want, sizeof want);
        r = restore_journal_note(journal, RESTORE_UNIT_PROPERTY, key, was, want);
        if (!r)
                r = hand->write(hand->context, key, want);
        if (!r || r == RESTORE_HAND_E_REFUSED)
                r = hand->read(hand->context, key, is, sizeof is);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        if (strcmp(is, was) == 0)
                return error_trace(restore_journal_done(journal, RESTORE_UNIT_PROPERTY, key));
        return error_trace(restore_journal_confirm(journal, RESTORE_UNIT_PROPERTY, key, is));
}

int shield_raise(RestoreJournal *journal, const RestoreHand *hand, const cpu_set_t *leased, const cpu_set_t *others) {
        char key[RESTORE_KEY_MAX];
        int r = 0;

        for (size_t i = 0; !r && i < N_ELEMENTS(shielded); i++) {
                unit_cpus_key(shielded[i].unit, key, sizeof key);
                r = unit_narrow(journal, hand, key, leased, others);
        }
        return error_trace(r);
}

/* A unit without a control group has no processes. */
static bool group_is_off(RootDir *root, const char *group, const cpu_set_t *leased, size_t *n_groups) {
        char path[128], text[VALUE_MAX];
        cpu_set_t set, both;
        int r;

        snprintf(path, sizeof path, "sys/fs/cgroup/%s/cgroup.procs", group);
        if (root_dir_read(root, path, text, sizeof text) == ROOT_DIR_E_MISSING)
                return true;
        (*n_groups)++;
        snprintf(path, sizeof path, "sys/fs/cgroup/%s/cpuset.cpus.effective", group);
        r = root_dir_read_line(root, path, text, sizeof text);
        if (r || cpu_list_parse(text, &set) != 0)
                return false;
        CPU_AND(&both, &set, leased);
        return CPU_COUNT(&both) == 0;
}

bool shield_holds(RootDir *root, const cpu_set_t *leased) {
        size_t n_groups = 0;

        for (size_t i = 0; i < N_ELEMENTS(shielded); i++)
                if (!group_is_off(root, shielded[i].group, leased, &n_groups))
                        return false;
        return n_groups > 0;
}
