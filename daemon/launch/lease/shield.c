/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/shield.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "util/time.h"

#define SYSTEMD_PREFIX  "/org/freedesktop/systemd1/unit"
#define SYSTEMD_NAME    "org.freedesktop.systemd1"
#define PROPERTY        "AllowedCPUs"
#define UNIT_NAME_MAX   256u
#define CALL_TIMEOUT_US 3000000u /* blocks the loop, so well below the watchdog's time */
#define SILENCE_NS      (10 * NS_PER_S)

struct ShieldUnits {
        char *address;
        sd_bus *bus;
        uint64_t silent_until_ns; /* CLOCK_MONOTONIC: no call before, so that the loop does not wait for each unit anew */
};

DEFINE_CLEANUP(ShieldUnits *, shield_units_free)

/* ---- the connection */

static int units_connect(ShieldUnits *units) {
        _cleanup_(sd_bus_unrefp) sd_bus *bus = NULL;
        int r;

        r = sd_bus_new(&bus);
        if (r < 0)
                return error_origin(r);
        if (sd_bus_set_address(bus, units->address) < 0 || sd_bus_start(bus) < 0 ||
                        sd_bus_set_method_call_timeout(bus, CALL_TIMEOUT_US) < 0)
                return SHIELD_UNITS_E_UNAVAILABLE;
        sd_bus_close_unref(units->bus);
        units->bus = take_pointer(bus);
        return 0;
}

/* systemd hangs up when it re-executes itself, as on an upgrade. True if a new connection was made. */
static bool units_reconnected(ShieldUnits *units) {
        return sd_bus_is_open(units->bus) <= 0 && units_connect(units) == 0;
}

int shield_units_new(const char *address, ShieldUnits **ret_units) {
        _cleanup_(shield_units_freep) ShieldUnits *units = calloc(1, sizeof *units);
        int r;

        if (!units)
                return error_origin(-ENOMEM);
        units->address = strdup(address);
        if (!units->address)
                return error_origin(-ENOMEM);
        r = units_connect(units);
        if (r)
                return error_trace(r);
        *ret_units = take_pointer(units);
        return 0;
}

ShieldUnits *shield_units_free(ShieldUnits *units) {
        if (!units)
                return NULL;
        sd_bus_flush_close_unref(units->bus);
        free(units->address);
        free(units);
        return NULL;
}

/* ---- sets of CPUs as systemd has them: a bit a CPU, the lowest first */

static void bytes_to_list(const uint8_t *bytes, size_t n_bytes, char *list, size_t n_list) {
        cpu_set_t set = {};

        for (size_t cpu = 0; cpu < n_bytes * CHAR_BIT && cpu < CPU_SETSIZE; cpu++)
                if (bytes[cpu / CHAR_BIT] & 1u << cpu % CHAR_BIT)
                        CPU_SET(cpu, &set);
        cpu_list_format(&set, list, n_list);
}

static size_t list_to_bytes(const char *list, uint8_t bytes[static CPU_SETSIZE / CHAR_BIT]) {
        size_t n = 0;
        cpu_set_t set;

        memset(bytes, 0, CPU_SETSIZE / CHAR_BIT);
        if (cpu_list_parse(list, &set) != 0)
                return 0;
        for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &set)) {
                        bytes[cpu / CHAR_BIT] |= 1u << cpu % CHAR_BIT;
                        n = cpu / CHAR_BIT + 1;
                }
        return n;
}

/* ---- a unit */

static const char *unit_interface(const char *unit) {
        static const struct {
                const char *suffix, *interface;
        } rows[] = {
                { ".slice", SYSTEMD_NAME ".Slice" },
                { ".scope", SYSTEMD_NAME ".Scope" },
                { ".service", SYSTEMD_NAME ".Service" },
        };
        const char *suffix = strrchr(unit, '.');

        for (size_t i = 0; suffix && i < N_ELEMENTS(rows); i++)
                if (strcmp(suffix, rows[i].suffix) == 0)
                        return rows[i].interface;
        return NULL;
}

/* No answer does not mean gone: a unit that is taken for gone never gets its CPUs back. */
static int unit_find(sd_bus *bus, const char *path) {
        _cleanup_(freep) char *state = NULL;

        if (sd_bus_get_property_string(bus, SYSTEMD_NAME, path, SYSTEMD_NAME ".Unit", "LoadState", NULL, &state) < 0)
                return RESTORE_HAND_E_REFUSED;
        return strcmp(state, "loaded") == 0 ? 0 : RESTORE_HAND_E_GONE;
}

static int key_unit(const char *key, char unit[static UNIT_NAME_MAX]) {
        size_t n = strcspn(key, " ");

        if (n >= UNIT_NAME_MAX || strcmp(key + n, " " PROPERTY) != 0)
                return RESTORE_HAND_E_REFUSED;
        snprintf(unit, UNIT_NAME_MAX, "%.*s", (int)n, key);
        return unit_interface(unit) ? 0 : RESTORE_HAND_E_REFUSED;
}

static int property_read(sd_bus *bus, const char *path, const char *unit, char *value, size_t n_value) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
        const void *bytes;
        size_t n;

        if (sd_bus_get_property(bus, SYSTEMD_NAME, path, unit_interface(unit), PROPERTY, NULL, &reply, "ay") < 0 ||
                        sd_bus_message_read_array(reply, 'y', &bytes, &n) < 0)
                return RESTORE_HAND_E_REFUSED;
        bytes_to_list(bytes, n, value, n_value);
        return 0;
}

static int unit_get(sd_bus *bus, const char *unit, char *value, size_t n_value) {
        _cleanup_(freep) char *path = NULL;
        int r;

        r = sd_bus_path_encode(SYSTEMD_PREFIX, unit, &path);
        if (r < 0)
                return error_origin(r);
        r = unit_find(bus, path);
        return r ? r : property_read(bus, path, unit, value, n_value);
}

static bool units_are_silent(const ShieldUnits *units) {
        return time_monotonic_ns() < units->silent_until_ns;
}

/* True if a call that was begun at @begin_ns and returned @r can be repeated over a new connection. */
static bool units_ask_again(ShieldUnits *units, int r, uint64_t begin_ns) {
        const uint64_t now_ns = time_monotonic_ns();

        if (r != RESTORE_HAND_E_REFUSED)
                return false;
        if (now_ns - begin_ns >= CALL_TIMEOUT_US * 1000ull) {
                units->silent_until_ns = now_ns + SILENCE_NS;
                return false;
        }
        return units_reconnected(units);
}

static int unit_read(void *context, const char *key, char *value, size_t n_value) {
        const uint64_t begin_ns = time_monotonic_ns();
        ShieldUnits *units = context;
        char unit[UNIT_NAME_MAX];
        int r;

        r = key_unit(key, unit);
        if (r || units_are_silent(units))
                return r ? r : RESTORE_HAND_E_REFUSED;
        r = unit_get(units->bus, unit, value, n_value);
        return units_ask_again(units, r, begin_ns) ? unit_get(units->bus, unit, value, n_value) : r;
}

static int message_fill(sd_bus_message *message, const char *unit, const char *value) {
        uint8_t bytes[CPU_SETSIZE / CHAR_BIT];
        size_t n = list_to_bytes(value, bytes);
        int r;

        r = sd_bus_message_append(message, "sb", unit, true);
        if (r >= 0)
                r = sd_bus_message_open_container(message, 'a', "(sv)");
        if (r >= 0)
                r = sd_bus_message_open_container(message, 'r', "sv");
        if (r >= 0)
                r = sd_bus_message_append(message, "s", PROPERTY);
        if (r >= 0)
                r = sd_bus_message_open_container(message, 'v', "ay");
        if (r >= 0)
                r = sd_bus_message_append_array(message, 'y', bytes, n);
        for (int i = 0; r >= 0 && i < 3; i++)
                r = sd_bus_message_close_container(message);
        return r < 0 ? error_origin(r) : 0;
}

static int unit_set(sd_bus *bus, const char *unit, const char *value) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
        int r;

        if (sd_bus_message_new_method_call(bus, &message, SYSTEMD_NAME, "/org/freedesktop/systemd1",
                            SYSTEMD_NAME ".Manager", "SetUnitProperties") < 0)
                return RESTORE_HAND_E_REFUSED;
        r = message_fill(message, unit, value);
        if (r)
                return error_trace(r);
        return sd_bus_call(bus, message, 0, NULL, NULL) < 0 ? RESTORE_HAND_E_REFUSED : 0;
}

/*
 * For "any", systemd would empty the cpuset, which the kernel refuses for a group with processes (ENOSPC), so the group would
 * keep its CPUs. Therefore it first gets all possible CPUs.
 */
static int unit_allow(sd_bus *bus, const char *unit, const char *value) {
        char all[32];
        int r = 0;

        if (!*value) {
                snprintf(all, sizeof all, "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
                r = unit_set(bus, unit, all);
        }
        return r ? r : unit_set(bus, unit, value);
}

static int unit_write(void *context, const char *key, const char *value) {
        const uint64_t begin_ns = time_monotonic_ns();
        ShieldUnits *units = context;
        char unit[UNIT_NAME_MAX];
        int r;

        r = key_unit(key, unit);
        if (r || units_are_silent(units))
                return r ? r : RESTORE_HAND_E_REFUSED;
        r = unit_allow(units->bus, unit, value);
        return units_ask_again(units, r, begin_ns) ? unit_allow(units->bus, unit, value) : r;
}

void shield_units_hand(ShieldUnits *units, RestoreHand *ret_hand) {
        *ret_hand = (RestoreHand){ .read = unit_read, .write = unit_write, .context = units };
}

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

/* Writes the CPUs to allow a unit that was allowed @was; an empty @was is any CPU. */
static void allow(const cpu_set_t *leased, const cpu_set_t *others, const char *was, char *want, size_t n_want) {
        cpu_set_t set;

        if (cpu_list_parse(was, &set) != 0 || CPU_COUNT(&set) == 0)
                set = *others;
        cpu_set_subtract(&set, leased);
        if (CPU_COUNT(&set) == 0)
                set = *others;
        cpu_list_format(&set, want, n_want);
}

/* The CPUs that the unit was allowed before the first change. */
static int unit_before(RestoreJournal *journal, const RestoreHand *hand, const char *key, char *was) {
        const RestoreEntry *entry = restore_journal_find(journal, RESTORE_UNIT_PROPERTY, key);

        if (!entry)
                return hand->read(hand->context, key, was, FILE_VALUE_MAX);
        snprintf(was, FILE_VALUE_MAX, "%s", entry->was);
        return 0;
}

static int unit_narrow(RestoreJournal *journal, const RestoreHand *hand, const char *key, const cpu_set_t *leased,
                const cpu_set_t *others) {
        char was[FILE_VALUE_MAX], want[FILE_VALUE_MAX], is[FILE_VALUE_MAX];
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
                snprintf(key, sizeof key, "%s " PROPERTY, shielded[i].unit);
                r = unit_narrow(journal, hand, key, leased, others);
        }
        return error_trace(r);
}

/* A unit without a control group has no processes. */
static bool group_is_off(RootDir *root, const char *group, const cpu_set_t *leased, size_t *n_groups) {
        char path[128], text[FILE_VALUE_MAX];
        cpu_set_t set;
        int r;

        snprintf(path, sizeof path, "sys/fs/cgroup/%s/cgroup.procs", group);
        if (root_dir_read(root, path, text, sizeof text) == ROOT_DIR_E_MISSING)
                return true;
        (*n_groups)++;
        snprintf(path, sizeof path, "sys/fs/cgroup/%s/cpuset.cpus.effective", group);
        r = root_dir_read_line(root, path, text, sizeof text);
        return r == 0 && cpu_list_parse(text, &set) == 0 && !cpu_sets_meet(&set, leased);
}

bool shield_holds(RootDir *root, const cpu_set_t *leased) {
        size_t n_groups = 0;

        for (size_t i = 0; i < N_ELEMENTS(shielded); i++)
                if (!group_is_off(root, shielded[i].group, leased, &n_groups))
                        return false;
        return n_groups > 0;
}
