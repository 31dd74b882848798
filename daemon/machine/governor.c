/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/governor.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "machine/cpufreq.h"
#include "machine/sysfs.h"
#include "machine/tunable.h"
#include "util/cleanup.h"
#include "util/error.h"

#define HIGH     "high-performance"
#define BALANCED "balanced"
#define SAVER    "power-saver"
#define PROFILE  "sys/firmware/acpi/platform_profile"

const char *const governor_schemes[] = { HIGH, BALANCED, SAVER, NULL };

/*
 * A scheme with a driver: the first of the words, which blanks separate, that the machine has. The rows for "" are of
 * every driver that is not named. (Values: the kernel's admin-guide, pm/intel_pstate, pm/amd-pstate, pm/cpufreq.)
 */
typedef struct SchemeRow {
        const char *scheme;
        const char *driver;
        const char *governors;
        const char *preferences; /* empty: left alone */
        bool boost;
        const char *profiles;
} SchemeRow;

static const SchemeRow scheme_rows[] = {
        { HIGH, "intel_pstate", "performance", "performance", true, "performance" },
        { HIGH, "amd-pstate-epp", "performance", "performance", true, "performance" },
        { HIGH, "", "performance", "performance", true, "performance" },
        { BALANCED, "intel_pstate", "powersave", "balance_performance", true, "balanced" },
        { BALANCED, "amd-pstate-epp", "powersave", "balance_performance", true, "balanced" },
        { BALANCED, "", "schedutil ondemand conservative", "balance_performance", true, "balanced" },
        { SAVER, "intel_pstate", "powersave", "power", false, "low-power quiet cool" },
        { SAVER, "amd-pstate-epp", "powersave", "power", false, "low-power quiet cool" },
        { SAVER, "", "schedutil conservative ondemand", "power", false, "low-power quiet cool" },
};

static bool is_scheme(const char *name) {
        for (size_t i = 0; governor_schemes[i]; i++)
                if (strcmp(governor_schemes[i], name) == 0)
                        return true;
        return false;
}

static const SchemeRow *scheme_find(const char *scheme, const char *driver) {
        for (size_t i = 0; i < N_ELEMENTS(scheme_rows); i++)
                if (strcmp(scheme_rows[i].scheme, scheme) == 0 &&
                                (strcmp(scheme_rows[i].driver, driver) == 0 || !scheme_rows[i].driver[0]))
                        return &scheme_rows[i];
        return NULL;
}

/* The first of @wanted that is among @offered, into @word of CPUFREQ_TEXT_MAX bytes; empty if none is. */
static void choose_word(const char *wanted, const char *offered, char *word) {
        for (size_t n; *wanted; wanted += n + strspn(wanted + n, " ")) {
                n = strcspn(wanted, " ");
                snprintf(word, CPUFREQ_TEXT_MAX, "%.*s", (int)n, wanted);
                if (cpufreq_list_has(offered, word))
                        return;
        }
        word[0] = 0;
}

static int plan_word(TunePlan *plan, TunableId id, const char *path, const char *word) {
        TuneStep step = { .id = id, .kind = VALUE_WORD };

        if (!word[0])
                return 0;
        snprintf(step.path, sizeof step.path, "%s", path);
        snprintf(step.want, sizeof step.want, "%s", word);
        return error_trace(tune_plan_add(plan, &step));
}

/* Wants of the file @name of policy @number the first of @wanted that its @choices have. */
static int plan_choice(RootDir *root, unsigned number, TunableId id, const char *wanted, TunePlan *plan) {
        static const struct {
                const char *name, *choices;
        } files[_TUNABLE_N] = {
                [TUNABLE_GOVERNOR] = { "scaling_governor", "scaling_available_governors" },
                [TUNABLE_EPP] = { "energy_performance_preference", "energy_performance_available_preferences" },
        };
        char offered[CPUFREQ_TEXT_MAX], word[CPUFREQ_TEXT_MAX], path[CPUFREQ_PATH_MAX];
        int r;

        r = cpufreq_read(root, number, files[id].choices, offered);
        if (r)
                return error_trace(r);
        choose_word(wanted, offered, word);
        return error_trace(plan_word(plan, id, cpufreq_path(number, files[id].name, path), word));
}

static int plan_profile(RootDir *root, const char *wanted, TunePlan *plan) {
        char offered[CPUFREQ_TEXT_MAX], word[CPUFREQ_TEXT_MAX];
        int r;

        r = sysfs_read_text(root, PROFILE "_choices", offered, sizeof offered);
        if (r)
                return error_trace(r);
        choose_word(wanted, offered, word);
        return error_trace(plan_word(plan, TUNABLE_PLATFORM_PROFILE, PROFILE, word));
}

static int plan_scheme_of_policy(RootDir *root, unsigned number, const char *name, TunePlan *plan) {
        char driver[CPUFREQ_TEXT_MAX];
        const SchemeRow *row;
        int r;

        r = cpufreq_read(root, number, "scaling_driver", driver);
        if (r)
                return error_trace(r);
        row = scheme_find(name, driver);
        r = plan_choice(root, number, TUNABLE_GOVERNOR, row->governors, plan);
        if (!r)
                r = plan_choice(root, number, TUNABLE_EPP, row->preferences, plan);
        return error_trace(r);
}

/* Boost and profile are one for all drivers. */
static int plan_scheme(RootDir *root, const char *name, const cpu_set_t *cpus, TunePlan *plan) {
        const SchemeRow *row = scheme_find(name, "");
        unsigned numbers[CPUFREQ_POLICIES_MAX];
        size_t n;
        int r;

        r = cpufreq_policies(root, cpus, numbers, &n);
        for (size_t i = 0; !r && i < n; i++)
                r = plan_scheme_of_policy(root, numbers[i], name, plan);
        if (!r)
                r = tunable_plan_boost(root, cpus, row->boost, plan);
        if (!r)
                r = plan_profile(root, row->profiles, plan);
        return error_trace(r);
}

static int plan_governor(RootDir *root, const char *name, const cpu_set_t *cpus, TunePlan *plan) {
        unsigned numbers[CPUFREQ_POLICIES_MAX];
        size_t n;
        int r;

        r = cpufreq_policies(root, cpus, numbers, &n);
        for (size_t i = 0; !r && i < n; i++)
                r = plan_choice(root, numbers[i], TUNABLE_GOVERNOR, name, plan);
        return error_trace(r);
}

/* Takes out of @names what @others does not have. */
static void words_keep(char *names, const char *others) {
        char kept[GOVERNOR_NAMES_MAX] = "", word[CPUFREQ_TEXT_MAX];
        const char *next = names;
        size_t n_kept = 0;

        for (size_t n; *next; next += n + strspn(next + n, " ")) {
                n = strcspn(next, " ");
                snprintf(word, sizeof word, "%.*s", (int)n, next);
                if (cpufreq_list_has(others, word))
                        n_kept += snprintf(kept + n_kept, sizeof kept - n_kept, "%s%s", n_kept ? " " : "", word);
        }
        strcpy(names, kept);
}

int governor_list(RootDir *root, const cpu_set_t *cpus, char *names) {
        char common[GOVERNOR_NAMES_MAX], offered[CPUFREQ_TEXT_MAX];
        unsigned numbers[CPUFREQ_POLICIES_MAX];
        size_t n;
        int r;

        r = cpufreq_policies(root, cpus, numbers, &n);
        if (r)
                return error_trace(r);
        if (n == 0)
                return GOVERNOR_E_UNSUPPORTED;
        for (size_t i = 0; i < n; i++) {
                r = cpufreq_read(root, numbers[i], "scaling_available_governors", offered);
                if (r)
                        return error_trace(r);
                if (i == 0)
                        strcpy(common, offered);
                words_keep(common, offered);
        }
        strcpy(names, common);
        return 0;
}

int governor_plan(RootDir *root, const char *name, const cpu_set_t *cpus, TunePlan *plan) {
        char names[GOVERNOR_NAMES_MAX];
        int r;

        r = governor_list(root, cpus, names);
        if (r)
                return error_trace(r);
        if (is_scheme(name))
                return error_trace(plan_scheme(root, name, cpus, plan));
        if (!*name || strchr(name, ' ') || !cpufreq_list_has(names, name))
                return GOVERNOR_E_UNKNOWN;
        return error_trace(plan_governor(root, name, cpus, plan));
}
