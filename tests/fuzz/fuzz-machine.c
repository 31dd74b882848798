/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What /proc and /sys tell, laid out as in tests/machines (a path, a tab, what the file holds), of those files that are
 * listed below. A hypervisor may tell anything: what is made of it hangs together, and the CPUs of a lease are CPUs that the
 * daemon may lease.
 */

#include <sched.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "machine/choice.h"
#include "machine/governor.h"
#include "machine/machine-facts.h"
#include "machine/restore-record.h"
#include "machine/restore.h"
#include "machine/topology.h"
#include "util/cleanup.h"

#define CPUS "sys/devices/system/cpu/"

/* clang-format off */
static const char *const files[] = {
        "proc/cpuinfo", "proc/meminfo", "proc/10/stat", "run/sticky",
        CPUS "present", CPUS "online", CPUS "isolated", CPUS "nohz_full",
        CPUS "cpu0/topology/core_cpus_list", CPUS "cpu0/topology/physical_package_id", CPUS "cpu0/cpu_capacity",
        CPUS "cpu1/topology/thread_siblings_list", CPUS "cpu1/topology/physical_package_id", CPUS "cpu1/cpu_capacity",
        CPUS "cpu0/cache/index0/level", CPUS "cpu0/cache/index0/type", CPUS "cpu0/cache/index0/size",
        CPUS "cpu0/cache/index0/shared_cpu_list", CPUS "cpu1/cache/index0/level", CPUS "cpu1/cache/index0/type",
        CPUS "cpu1/cache/index0/size", CPUS "cpu1/cache/index0/shared_cpu_list",
        CPUS "cpufreq/policy0/affected_cpus", CPUS "cpufreq/policy0/scaling_driver",
        CPUS "cpufreq/policy0/scaling_governor", CPUS "cpufreq/policy0/scaling_available_governors",
        CPUS "cpufreq/policy0/energy_performance_available_preferences",
        "sys/firmware/acpi/platform_profile_choices", "sys/devices/cpu_core/cpus", "sys/devices/cpu_atom/cpus",
        "sys/devices/system/node/online", "sys/devices/system/node/node0/cpulist",
        "sys/devices/system/node/node0/distance", "sys/devices/system/node/node1/cpulist",
        "sys/devices/system/node/node1/distance", "sys/devices/system/clocksource/clocksource0/available_clocksource",
};
/* clang-format on */

static RootDir *root;

static void make_folders(const char *path) {
        char folder[256];

        for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
                snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
                (void)mkdirat(root_dir_fd(root), folder, 0700);
        }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
        root = fuzz_root();
        for (size_t i = 0; i < N_ELEMENTS(files); i++)
                make_folders(files[i]);
        return 0;
}

/* Takes the escapes out of @text. */
static void unescape(char *text) {
        char *to = text;

        for (; *text; text++, to++) {
                *to = *text;
                if (*text == '\\' && text[1])
                        *to = *++text == 'n' ? '\n' : *text == 't' ? '\t' : *text;
        }
        *to = 0;
}

static void lay_line(char *line) {
        char *value = line + strcspn(line, "\t");

        if (!*value)
                return;
        *value++ = 0;
        unescape(value);
        for (size_t i = 0; i < N_ELEMENTS(files); i++)
                if (strcmp(files[i], line) == 0)
                        fuzz_put(root, files[i], value, strlen(value));
}

static void lay(char *text) {
        char *line;

        for (size_t i = 0; i < N_ELEMENTS(files); i++)
                (void)unlinkat(root_dir_fd(root), files[i], 0);
        while ((line = strsep(&text, "\n")))
                lay_line(line);
}

static void hold_is_within(const cpu_set_t *part, const cpu_set_t *whole) {
        cpu_set_t both;

        CPU_AND(&both, part, whole);
        HOLD(CPU_EQUAL(&both, part));
}

static void hold_hangs_together(const Topology *topology) {
        cpu_set_t seen;

        CPU_ZERO(&seen);
        HOLD(topology->n_nodes >= 1 && topology->n_nodes <= TOPOLOGY_NODES_MAX);
        for (size_t i = 0; i < topology->n_cores; i++) {
                hold_is_within(&topology->cores[i].cpus, &topology->online);
                HOLD(CPU_COUNT(&topology->cores[i].cpus) > 0 && topology->cores[i].node < topology->n_nodes);
                CPU_OR(&seen, &seen, &topology->cores[i].cpus);
        }
        HOLD(CPU_EQUAL(&seen, &topology->online));
        for (unsigned cpu = 0; cpu < TOPOLOGY_CPUS_MAX; cpu++)
                HOLD(CPU_ISSET(cpu, &topology->online) ? topology->core_of[cpu] < (int)topology->n_cores
                                                       : topology->core_of[cpu] == -1);
}

static void choose(const Topology *topology) {
        const ChoiceWish wish = { .n = 1 };
        cpu_set_t busy;
        ChoicePool pool;
        Choice choice;

        CPU_ZERO(&busy);
        if (choice_split(topology, &topology->online, &pool) != 0 ||
                        choice_make(topology, &pool, &wish, &busy, &choice) != 0)
                return;
        HOLD(CPU_COUNT(&choice.measuring) == 1);
        hold_is_within(&choice.measuring, &choice.reserved);
        hold_is_within(&choice.reserved, &topology->online);
}

static void read_topology(void) {
        Topology *topology;

        if (topology_read(root, &topology) != 0)
                return;
        hold_hangs_together(topology);
        choose(topology);
        topology_free(topology);
}

static void read_governors(void) {
        char names[GOVERNOR_NAMES_MAX];
        TunablePlan plan = {};
        GovernorChoices chosen;
        cpu_set_t cpus;

        CPU_ZERO(&cpus);
        CPU_SET(0, &cpus);
        if (governor_list(root, &cpus, names) == 0)
                HOLD(memchr(names, 0, sizeof names));
        for (size_t i = 0; governor_schemes[i]; i++)
                HOLD(governor_plan(root, governor_schemes[i], &cpus, &plan) >= 0);
        if (governor_choices_read(root, "run/sticky", &chosen) == 0) {
                HOLD(chosen.n <= GOVERNOR_CHOICES_MAX && governor_choices_plan(root, &chosen, &plan) == 0);
                HOLD(governor_choices_write(root, "run/sticky", &chosen) == 0);
                HOLD(governor_choices_read(root, "run/sticky", &chosen) == 0);
        }
        tunable_plan_clear(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        _cleanup_(freep) char *text = fuzz_text(data, n_data);
        char key[RESTORE_KEY_MAX];
        MachineFacts facts;

        lay(text);
        HOLD(machine_facts_read(root, 0, &facts) == 0);
        (void)restore_thread_mask_key(root, 10, key, sizeof key);
        read_topology();
        read_governors();
        return 0;
}
