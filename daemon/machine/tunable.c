/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/tunable.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/restore-journal.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"
#include "words/control.h"

#define CPUFREQ "sys/devices/system/cpu/cpufreq"

const char *tunable_cpufreq_path(unsigned number, const char *name, char *path) {
        snprintf(path, TUNABLE_CPUFREQ_PATH_MAX, CPUFREQ "/policy%u/%s", number, name);
        return path;
}

int tunable_cpufreq_read(RootDir *root, unsigned number, const char *name, char *text) {
        char path[TUNABLE_CPUFREQ_PATH_MAX];

        return error_trace(file_value_read_text(root, tunable_cpufreq_path(number, name, path), text,
                        TUNABLE_CPUFREQ_TEXT_MAX));
}

int tunable_cpufreq_policies(RootDir *root, const cpu_set_t *cpus, unsigned *numbers, size_t *ret_n) {
        char path[TUNABLE_CPUFREQ_PATH_MAX];
        size_t n_all, n = 0;
        int r;

        r = root_dir_numbers(root, CPUFREQ, "policy", numbers, TUNABLE_CPUFREQ_POLICIES_MAX, &n_all);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < n_all; i++) {
                cpu_set_t affected;

                r = file_value_read_set(root, tunable_cpufreq_path(numbers[i], "affected_cpus", path), &affected);
                if (r)
                        return error_trace(r);
                if (cpu_sets_meet(&affected, cpus))
                        numbers[n++] = numbers[i];
        }
        *ret_n = n;
        return 0;
}

bool tunable_cpufreq_list_has(const char *words, const char *word) {
        size_t n_word = strlen(word);

        while (*words) {
                size_t n = strcspn(words, " ");

                if (n == n_word && strncmp(words, word, n) == 0)
                        return true;
                words += n + strspn(words + n, " ");
        }
        return false;
}

TunableStep *tunable_plan_find(const TunablePlan *plan, const char *path) {
        for (size_t i = 0; i < plan->n_steps; i++)
                if (strcmp(plan->steps[i].path, path) == 0)
                        return &plan->steps[i];
        return NULL;
}

int tunable_plan_add(TunablePlan *plan, const TunableStep *step) {
        size_t place = plan->n_steps;
        TunableStep *steps;

        if (tunable_plan_find(plan, step->path))
                return 0;
        steps = reallocarray(plan->steps, plan->n_steps + 1, sizeof *steps);
        if (!steps)
                return error_origin(-ENOMEM);
        plan->steps = steps;
        while (place > 0 && steps[place - 1].id > step->id)
                place--;
        memmove(steps + place + 1, steps + place, (plan->n_steps - place) * sizeof *steps);
        steps[place] = *step;
        plan->n_steps++;
        return 0;
}

void tunable_plan_clear(TunablePlan *plan) {
        free(plan->steps);
        *plan = (TunablePlan){};
}

int tunable_latency_open(RootDir *root, int *ret_fd) {
        int fd;

        fd = openat(root_dir_fd(root), TUNABLE_LATENCY_PATH, O_RDWR | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ENXIO))
                return TUNABLE_LATENCY_E_UNSUPPORTED;
        if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
                return TUNABLE_LATENCY_E_DENIED;
        if (fd < 0)
                return error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

int tunable_latency_request(int fd, int32_t us) {
        return pwrite(fd, &us, sizeof us, 0) < 0 ? error_origin(-errno) : 0;
}

int tunable_latency_read(int fd, int32_t *ret_us) {
        int32_t us;
        size_t n;
        int r;

        r = fd_read_start(fd, &us, sizeof us, &n);
        if (r)
                return error_trace(r);
        *ret_us = n == sizeof us ? us : INT32_MAX;
        return 0;
}

#define IRQS_MAX 8192u
#define NO_TURBO "sys/devices/system/cpu/intel_pstate/no_turbo"
#define BOOST    "sys/devices/system/cpu/cpufreq/boost"
#define KERNEL   "proc/sys/kernel"

typedef struct PlanBuilder {
        RootDir *root;
        const RestoreJournal *journal;
        const TunableWish *wish;
        unsigned policies[TUNABLE_CPUFREQ_POLICIES_MAX]; /* of the leased CPUs */
        size_t n_policies;
        TunablePlan *plan;
} PlanBuilder;

/* ---- common to several */

/* Reads the original value of the file at @path; empty if the file is missing. */
static int builder_read(const PlanBuilder *builder, const char *path, char *text) {
        const RestoreEntry *entry =
                        builder->journal ? restore_journal_find(builder->journal, RESTORE_FILE, path) : NULL;
        int r;

        if (entry) {
                snprintf(text, FILE_VALUE_MAX, "%s", entry->was);
                return 0;
        }
        r = file_value_read(builder->root, path, text, FILE_VALUE_MAX);
        if (r > 0)
                text[0] = 0;
        return r < 0 ? error_trace(r) : 0;
}

static int plan_value(TunablePlan *plan, TunableId id, FileValueKind kind, const char *path, const char *want) {
        TunableStep step = { .id = id, .kind = kind };

        snprintf(step.path, sizeof step.path, "%s", path);
        snprintf(step.want, sizeof step.want, "%s", want);
        return error_trace(tunable_plan_add(plan, &step));
}

/* Adds a step that wants @want in the file at @path, if the file exists. */
static int builder_want(const PlanBuilder *builder, TunableId id, FileValueKind kind, const char *path,
                const char *want) {
        char text[FILE_VALUE_MAX];
        int r;

        r = builder_read(builder, path, text);
        if (r || !text[0])
                return error_trace(r);
        return error_trace(plan_value(builder->plan, id, kind, path, want));
}

/* @set without the leased CPUs; all others if that leaves none. */
static void keep_off(const TunableWish *wish, cpu_set_t *set) {
        cpu_set_subtract(set, &wish->leased);
        if (CPU_COUNT(set) == 0)
                *set = wish->others;
}

/*
 * Adds a step that takes the leased CPUs out of the mask in the file at @path. A text that is not a mask is left alone.
 */
static int builder_keep_off(const PlanBuilder *builder, TunableId id, const char *path) {
        char text[FILE_VALUE_MAX];
        cpu_set_t set;
        int r;

        r = builder_read(builder, path, text);
        if (r || cpu_mask_parse(text, &set) > 0)
                return error_trace(r);
        keep_off(builder->wish, &set);
        cpu_mask_format(&set, text);
        return error_trace(plan_value(builder->plan, id, FILE_VALUE_MASK, path, text));
}

/* ---- cpufreq */

/* Adds steps that want @word in the file @name of each policy whose file @choices has it. */
static int plan_word(const PlanBuilder *builder, TunableId id, const char *name, const char *choices,
                const char *word) {
        char text[TUNABLE_CPUFREQ_TEXT_MAX], path[TUNABLE_CPUFREQ_PATH_MAX];
        int r = 0;

        for (size_t i = 0; !r && i < builder->n_policies; i++) {
                r = tunable_cpufreq_read(builder->root, builder->policies[i], choices, text);
                if (!r && tunable_cpufreq_list_has(text, word))
                        r = builder_want(builder, id, FILE_VALUE_WORD,
                                        tunable_cpufreq_path(builder->policies[i], name, path), word);
        }
        return error_trace(r);
}

static int plan_preference(const PlanBuilder *builder) {
        return error_trace(plan_word(builder, TUNABLE_EPP, "energy_performance_preference",
                        "energy_performance_available_preferences", "performance"));
}

static int plan_governor(const PlanBuilder *builder) {
        return error_trace(plan_word(builder, TUNABLE_GOVERNOR, "scaling_governor", "scaling_available_governors",
                        "performance"));
}

/* The frequency at which policy @number is to stay: its base frequency, else its original upper limit. */
static int steady_frequency(const PlanBuilder *builder, unsigned number, char *text) {
        char path[TUNABLE_CPUFREQ_PATH_MAX];
        int r;

        r = tunable_cpufreq_read(builder->root, number, "base_frequency", text);
        if (r || text[0])
                return error_trace(r);
        return error_trace(builder_read(builder, tunable_cpufreq_path(number, "scaling_max_freq", path), text));
}

static int plan_limit(const PlanBuilder *builder, TunableId id, const char *name) {
        char text[FILE_VALUE_MAX], path[TUNABLE_CPUFREQ_PATH_MAX];
        int r = 0;

        for (size_t i = 0; !r && i < builder->n_policies; i++) {
                r = steady_frequency(builder, builder->policies[i], text);
                if (!r && text[0])
                        r = builder_want(builder, id, FILE_VALUE_NUMBER,
                                        tunable_cpufreq_path(builder->policies[i], name, path), text);
        }
        return error_trace(r);
}

static int plan_max_frequency(const PlanBuilder *builder) {
        return error_trace(plan_limit(builder, TUNABLE_MAX_FREQUENCY, "scaling_max_freq"));
}

static int plan_min_frequency(const PlanBuilder *builder) {
        return error_trace(plan_limit(builder, TUNABLE_MIN_FREQUENCY, "scaling_min_freq"));
}

/* Uses intel_pstate's switch, else one per policy, else the global one, which also acts on CPUs that are not leased. */
static int builder_boost(const PlanBuilder *builder, bool on) {
        const char *want = on ? "1" : "0";
        size_t before = builder->plan->n_steps;
        char path[TUNABLE_CPUFREQ_PATH_MAX];
        int r;

        r = builder_want(builder, TUNABLE_BOOST, FILE_VALUE_NUMBER, NO_TURBO, on ? "0" : "1");
        if (r || builder->plan->n_steps > before)
                return error_trace(r);
        for (size_t i = 0; !r && i < builder->n_policies; i++)
                r = builder_want(builder, TUNABLE_BOOST, FILE_VALUE_NUMBER,
                                tunable_cpufreq_path(builder->policies[i], "boost", path), want);
        if (r || builder->plan->n_steps > before)
                return error_trace(r);
        return error_trace(builder_want(builder, TUNABLE_BOOST, FILE_VALUE_NUMBER, BOOST, want));
}

static int plan_boost(const PlanBuilder *builder) {
        return error_trace(builder_boost(builder, false));
}

/* ---- idle states */

/* The latency of C1, the first state that is not polling, in microseconds; reads as 0 if there is none. */
static int plan_idle_latency(const PlanBuilder *builder) {
        char path[TUNABLE_CPUFREQ_PATH_MAX], text[16];
        unsigned most = 0, us;
        int r = 0;

        for (unsigned cpu = 0; !r && cpu < CPU_SETSIZE; cpu++) {
                if (!CPU_ISSET(cpu, &builder->wish->leased))
                        continue;
                snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpuidle/state1/latency", cpu);
                r = file_value_read_number(builder->root, path, &us);
                if (!r && us > most)
                        most = us;
        }
        if (r || most == 0)
                return error_trace(r);
        snprintf(text, sizeof text, "%u", most);
        return error_trace(
                        plan_value(builder->plan, TUNABLE_IDLE_LATENCY, FILE_VALUE_NUMBER, TUNABLE_LATENCY_PATH, text));
}

/* ---- what else runs on the leased CPUs */

static int plan_irqs(const PlanBuilder *builder) {
        _cleanup_(freep) unsigned *numbers = NULL;
        char path[64];
        size_t n;
        int r;

        numbers = calloc(IRQS_MAX, sizeof *numbers);
        if (!numbers)
                return error_origin(-ENOMEM);
        r = root_dir_numbers(builder->root, "proc/irq", "", numbers, IRQS_MAX, &n);
        for (size_t i = 0; !r && i < n; i++) {
                snprintf(path, sizeof path, "proc/irq/%u/smp_affinity", numbers[i]);
                r = builder_keep_off(builder, TUNABLE_IRQ_AFFINITY, path);
        }
        if (!r)
                r = builder_keep_off(builder, TUNABLE_IRQ_AFFINITY, "proc/irq/default_smp_affinity");
        return error_trace(r);
}

static int plan_workqueues(const PlanBuilder *builder) {
        return error_trace(builder_keep_off(builder, TUNABLE_WORKQUEUES, "sys/devices/virtual/workqueue/cpumask"));
}

static int plan_watchdog(const PlanBuilder *builder) {
        char text[FILE_VALUE_MAX];
        cpu_set_t set;
        int r;

        r = builder_read(builder, KERNEL "/watchdog_cpumask", text);
        if (r)
                return error_trace(r);
        if (!text[0] || cpu_list_parse(text, &set) > 0)
                return error_trace(builder_want(builder, TUNABLE_WATCHDOG, FILE_VALUE_NUMBER, KERNEL "/nmi_watchdog",
                                "0"));
        keep_off(builder->wish, &set);
        if (cpu_list_format(&set, text, sizeof text) >= sizeof text)
                return 0;
        return error_trace(
                        plan_value(builder->plan, TUNABLE_WATCHDOG, FILE_VALUE_LIST, KERNEL "/watchdog_cpumask", text));
}

static int plan_timer_migration(const PlanBuilder *builder) {
        return error_trace(builder_want(builder, TUNABLE_TIMER_MIGRATION, FILE_VALUE_NUMBER, KERNEL "/timer_migration",
                        "0"));
}

/* 2 means stopped too, and writing it would unmerge all pages. */
static int plan_page_merging(const PlanBuilder *builder) {
        const char *path = "sys/kernel/mm/ksm/run";
        char text[FILE_VALUE_MAX];
        int r;

        r = builder_read(builder, path, text);
        if (r || !text[0])
                return error_trace(r);
        return error_trace(plan_value(builder->plan, TUNABLE_KSM, FILE_VALUE_NUMBER, path,
                        strcmp(text, "1") == 0 ? "0" : text));
}

/* ---- the table */

static const struct {
        ControlKind control;
        int (*plan)(const PlanBuilder *builder); /* NULL: not for a lease */
} tunables[_TUNABLE_N] = {
        [TUNABLE_PLATFORM_PROFILE] = { CONTROL_PLATFORM_PROFILE, NULL },
        [TUNABLE_EPP] = { CONTROL_ENERGY_PREFERENCE, plan_preference },
        [TUNABLE_GOVERNOR] = { CONTROL_GOVERNOR, plan_governor },
        [TUNABLE_MAX_FREQUENCY] = { CONTROL_FREQUENCY_MAXIMUM, plan_max_frequency },
        [TUNABLE_MIN_FREQUENCY] = { CONTROL_FREQUENCY_MINIMUM, plan_min_frequency },
        [TUNABLE_BOOST] = { CONTROL_BOOST, plan_boost },
        [TUNABLE_IDLE_LATENCY] = { CONTROL_IDLE_LATENCY, plan_idle_latency },
        [TUNABLE_IRQ_AFFINITY] = { CONTROL_IRQ_AFFINITY, plan_irqs },
        [TUNABLE_WORKQUEUES] = { CONTROL_WORKQUEUES, plan_workqueues },
        [TUNABLE_WATCHDOG] = { CONTROL_WATCHDOG, plan_watchdog },
        [TUNABLE_TIMER_MIGRATION] = { CONTROL_TIMER_MIGRATION, plan_timer_migration },
        [TUNABLE_KSM] = { CONTROL_PAGE_MERGING, plan_page_merging },
};

const char *tunable_name(TunableId id) {
        return control_name(tunables[id].control);
}

int tunables_plan(RootDir *root, const RestoreJournal *journal, const TunableWish *wish, TunablePlan *plan) {
        PlanBuilder builder = { .root = root, .journal = journal, .wish = wish, .plan = plan };
        int r;

        if (CPU_COUNT(&wish->leased) == 0)
                return 0;
        r = tunable_cpufreq_policies(root, &wish->leased, builder.policies, &builder.n_policies);
        for (TunableId id = 0; !r && id < _TUNABLE_N; id++)
                if (tunables[id].plan && !(wish->without & 1u << id))
                        r = tunables[id].plan(&builder);
        return error_trace(r);
}

int tunable_plan_boost(RootDir *root, const cpu_set_t *cpus, bool on, TunablePlan *plan) {
        PlanBuilder builder = { .root = root, .plan = plan };
        int r;

        r = tunable_cpufreq_policies(root, cpus, builder.policies, &builder.n_policies);
        if (r)
                return error_trace(r);
        return error_trace(builder_boost(&builder, on));
}
