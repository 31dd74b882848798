/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/governor.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/file-value.h"
#include "machine/tunable.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"

#define HIGH     "high-performance"
#define BALANCED "balanced"
#define SAVER    "power-saver"
#define PROFILE  "sys/firmware/acpi/platform_profile"

const char *const governor_schemes[] = { HIGH, BALANCED, SAVER, NULL };

/*
 * A scheme with a driver: of the words, separated by blanks, the first that the machine has is used. The rows for ""
 * are for all other drivers. (Values: the kernel's admin-guide, pm/intel_pstate, pm/amd-pstate, pm/cpufreq.)
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

/* Writes the first of @wanted that is among @offered into @word of TUNABLE_CPUFREQ_TEXT_MAX bytes; empty if none is. */
static void choose_word(const char *wanted, const char *offered, char *word) {
        for (size_t n; *wanted; wanted += n + strspn(wanted + n, " ")) {
                n = strcspn(wanted, " ");
                snprintf(word, TUNABLE_CPUFREQ_TEXT_MAX, "%.*s", (int)n, wanted);
                if (tunable_cpufreq_list_has(offered, word))
                        return;
        }
        word[0] = 0;
}

static int plan_word(TunablePlan *plan, TunableId id, const char *path, const char *word) {
        TunableStep step = { .id = id, .kind = FILE_VALUE_WORD };

        if (!word[0])
                return 0;
        snprintf(step.path, sizeof step.path, "%s", path);
        snprintf(step.want, sizeof step.want, "%s", word);
        return error_trace(tunable_plan_add(plan, &step));
}

/* Adds a step for the file @name of policy @number: the first of @wanted that is in its file @choices. */
static int plan_choice(RootDir *root, unsigned number, TunableId id, const char *wanted, TunablePlan *plan) {
        static const struct {
                const char *name, *choices;
        } files[_TUNABLE_N] = {
                [TUNABLE_GOVERNOR] = { "scaling_governor", "scaling_available_governors" },
                [TUNABLE_EPP] = { "energy_performance_preference", "energy_performance_available_preferences" },
        };
        char offered[TUNABLE_CPUFREQ_TEXT_MAX], word[TUNABLE_CPUFREQ_TEXT_MAX], path[TUNABLE_CPUFREQ_PATH_MAX];
        int r;

        r = tunable_cpufreq_read(root, number, files[id].choices, offered);
        if (r)
                return error_trace(r);
        choose_word(wanted, offered, word);
        return error_trace(plan_word(plan, id, tunable_cpufreq_path(number, files[id].name, path), word));
}

static int plan_profile(RootDir *root, const char *wanted, TunablePlan *plan) {
        char offered[TUNABLE_CPUFREQ_TEXT_MAX], word[TUNABLE_CPUFREQ_TEXT_MAX];
        int r;

        r = file_value_read_text(root, PROFILE "_choices", offered, sizeof offered);
        if (r)
                return error_trace(r);
        choose_word(wanted, offered, word);
        return error_trace(plan_word(plan, TUNABLE_PLATFORM_PROFILE, PROFILE, word));
}

static int plan_scheme_of_policy(RootDir *root, unsigned number, const char *name, TunablePlan *plan) {
        char driver[TUNABLE_CPUFREQ_TEXT_MAX];
        const SchemeRow *row;
        int r;

        r = tunable_cpufreq_read(root, number, "scaling_driver", driver);
        if (r)
                return error_trace(r);
        row = scheme_find(name, driver);
        r = plan_choice(root, number, TUNABLE_GOVERNOR, row->governors, plan);
        if (!r)
                r = plan_choice(root, number, TUNABLE_EPP, row->preferences, plan);
        return error_trace(r);
}

/* Boost and profile are the same for all drivers. */
static int plan_scheme(RootDir *root, const char *name, const cpu_set_t *cpus, TunablePlan *plan) {
        const SchemeRow *row = scheme_find(name, "");
        unsigned numbers[TUNABLE_CPUFREQ_POLICIES_MAX];
        size_t n;
        int r;

        r = tunable_cpufreq_policies(root, cpus, numbers, &n);
        for (size_t i = 0; !r && i < n; i++)
                r = plan_scheme_of_policy(root, numbers[i], name, plan);
        if (!r)
                r = tunable_plan_boost(root, cpus, row->boost, plan);
        if (!r)
                r = plan_profile(root, row->profiles, plan);
        return error_trace(r);
}

static int plan_governor(RootDir *root, const char *name, const cpu_set_t *cpus, TunablePlan *plan) {
        unsigned numbers[TUNABLE_CPUFREQ_POLICIES_MAX];
        size_t n;
        int r;

        r = tunable_cpufreq_policies(root, cpus, numbers, &n);
        for (size_t i = 0; !r && i < n; i++)
                r = plan_choice(root, numbers[i], TUNABLE_GOVERNOR, name, plan);
        return error_trace(r);
}

/* Removes names from @names that are not in @others. */
static void words_keep(char *names, const char *others) {
        char kept[GOVERNOR_NAMES_MAX] = "", word[TUNABLE_CPUFREQ_TEXT_MAX];
        const char *next = names;
        size_t n_kept = 0;

        for (size_t n; *next; next += n + strspn(next + n, " ")) {
                n = strcspn(next, " ");
                snprintf(word, sizeof word, "%.*s", (int)n, next);
                if (tunable_cpufreq_list_has(others, word))
                        n_kept += snprintf(kept + n_kept, sizeof kept - n_kept, "%s%s", n_kept ? " " : "", word);
        }
        strcpy(names, kept);
}

int governor_list(RootDir *root, const cpu_set_t *cpus, char *names) {
        char common[GOVERNOR_NAMES_MAX], offered[TUNABLE_CPUFREQ_TEXT_MAX];
        unsigned numbers[TUNABLE_CPUFREQ_POLICIES_MAX];
        size_t n;
        int r;

        r = tunable_cpufreq_policies(root, cpus, numbers, &n);
        if (r)
                return error_trace(r);
        if (n == 0)
                return GOVERNOR_E_UNSUPPORTED;
        for (size_t i = 0; i < n; i++) {
                r = tunable_cpufreq_read(root, numbers[i], "scaling_available_governors", offered);
                if (r)
                        return error_trace(r);
                if (i == 0)
                        strcpy(common, offered);
                words_keep(common, offered);
        }
        strcpy(names, common);
        return 0;
}

int governor_plan(RootDir *root, const char *name, const cpu_set_t *cpus, TunablePlan *plan) {
        char names[GOVERNOR_NAMES_MAX];
        int r;

        r = governor_list(root, cpus, names);
        if (r)
                return error_trace(r);
        if (is_scheme(name))
                return error_trace(plan_scheme(root, name, cpus, plan));
        if (!*name || strchr(name, ' ') || !tunable_cpufreq_list_has(names, name))
                return GOVERNOR_E_UNKNOWN;
        return error_trace(plan_governor(root, name, cpus, plan));
}

#define LIST_MAX (5u * CPU_SETSIZE) /* bytes of the longest list of CPUs */
#define LINE_MAX (GOVERNOR_CHOICES_NAME_MAX + LIST_MAX + 2)
#define TEXT_MAX (GOVERNOR_CHOICES_MAX * LINE_MAX)

/* ---- choosing */

static void choice_remove(GovernorChoices *chosen, size_t place) {
        memmove(&chosen->choices[place], &chosen->choices[place + 1],
                        (chosen->n - place - 1) * sizeof *chosen->choices);
        chosen->n--;
}

void governor_choices_drop(GovernorChoices *chosen, const cpu_set_t *cpus) {
        for (size_t place = chosen->n; place > 0; place--) {
                cpu_set_t *own = &chosen->choices[place - 1].cpus;

                cpu_set_subtract(own, cpus);
                if (CPU_COUNT(own) == 0)
                        choice_remove(chosen, place - 1);
        }
}

int governor_choices_add(GovernorChoices *chosen, const char *name, const cpu_set_t *cpus) {
        GovernorChoices changed = *chosen;

        if (!*name || strlen(name) >= GOVERNOR_CHOICES_NAME_MAX || strpbrk(name, " \n"))
                return GOVERNOR_CHOICES_E_NAME;
        governor_choices_drop(&changed, cpus);
        if (changed.n == GOVERNOR_CHOICES_MAX)
                return GOVERNOR_CHOICES_E_FULL;
        memmove(&changed.choices[1], &changed.choices[0], changed.n * sizeof *changed.choices);
        changed.choices[0] = (GovernorChoice){ .cpus = *cpus };
        strcpy(changed.choices[0].name, name);
        changed.n++;
        *chosen = changed;
        return 0;
}

/* ---- keeping */

/* Only this user may have written the file, since its values are written to the machine. */
static int open_own(RootDir *root, const char *path, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        struct stat status;

        fd = openat(root_dir_fd(root), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0 && errno == ELOOP)
                return GOVERNOR_CHOICES_E_CORRUPT;
        if (fd < 0 && errno != ENOENT)
                return error_origin(-errno);
        if (fd >= 0 && fstat(fd, &status) < 0)
                return error_origin(-errno);
        if (fd >= 0 && (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
                                       (status.st_mode & (S_IWGRP | S_IWOTH)) || status.st_size > (off_t)TEXT_MAX))
                return GOVERNOR_CHOICES_E_CORRUPT;
        *ret_fd = fd_take(&fd);
        return 0;
}

static int take_line(GovernorChoices *chosen, char *line) {
        char *list = strchr(line, ' ');
        GovernorChoice *choice = &chosen->choices[chosen->n];

        if (!list || list == line || list - line >= (ptrdiff_t)GOVERNOR_CHOICES_NAME_MAX ||
                        chosen->n == GOVERNOR_CHOICES_MAX)
                return GOVERNOR_CHOICES_E_CORRUPT;
        *list++ = 0;
        strcpy(choice->name, line);
        if (cpu_list_parse(list, &choice->cpus) != 0 || CPU_COUNT(&choice->cpus) == 0)
                return GOVERNOR_CHOICES_E_CORRUPT;
        chosen->n++;
        return 0;
}

/* A text without its last newline was cut off. */
static int take_text(GovernorChoices *chosen, char *text) {
        for (char *end; *text; text = end + 1) {
                end = strchr(text, '\n');
                if (!end)
                        return GOVERNOR_CHOICES_E_CORRUPT;
                *end = 0;
                if (take_line(chosen, text))
                        return GOVERNOR_CHOICES_E_CORRUPT;
        }
        return 0;
}

int governor_choices_read(RootDir *root, const char *path, GovernorChoices *ret_chosen) {
        _cleanup_(fd_closep) int fd = -1;
        _cleanup_(freep) char *text = NULL;
        GovernorChoices chosen = {};
        size_t n = 0;
        int r;

        r = open_own(root, path, &fd);
        if (r)
                return error_trace(r);
        text = calloc(1, TEXT_MAX + 1);
        if (!text)
                return error_origin(-ENOMEM);
        r = fd < 0 ? 0 : fd_read_start(fd, text, TEXT_MAX, &n);
        if (!r)
                r = take_text(&chosen, text);
        if (r)
                return error_trace(r);
        *ret_chosen = chosen;
        return 0;
}

static size_t print_choices(const GovernorChoices *chosen, char *text) {
        char list[LIST_MAX];
        size_t n = 0;

        for (size_t i = 0; i < chosen->n; i++) {
                cpu_list_format(&chosen->choices[i].cpus, list, sizeof list);
                n += snprintf(text + n, TEXT_MAX - n, "%s %s\n", chosen->choices[i].name, list);
        }
        return n;
}

static int write_beside(int at, const char *path, const char *text, size_t n_text) {
        _cleanup_(fd_closep) int fd = -1;
        ssize_t n;

        if (unlinkat(at, path, 0) < 0 && errno != ENOENT)
                return error_origin(-errno);
        fd = openat(at, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0)
                return error_origin(-errno);
        n = write(fd, text, n_text);
        if (n != (ssize_t)n_text)
                return error_origin(n < 0 ? -errno : -ENOSPC);
        return fdatasync(fd) < 0 ? error_origin(-errno) : 0;
}

int governor_choices_write(RootDir *root, const char *path, const GovernorChoices *chosen) {
        _cleanup_(freep) char *text = NULL;
        char beside[GOVERNOR_CHOICES_PATH_MAX + 4];
        int at = root_dir_fd(root), r;

        if (chosen->n == 0)
                return unlinkat(at, path, 0) < 0 && errno != ENOENT ? error_origin(-errno) : 0;
        if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
                return error_origin(-ENAMETOOLONG);
        text = malloc(TEXT_MAX);
        if (!text)
                return error_origin(-ENOMEM);
        r = write_beside(at, beside, text, print_choices(chosen, text));
        if (r)
                return error_trace(r);
        return renameat(at, beside, at, path) < 0 ? error_origin(-errno) : 0;
}

/* ---- planning */

int governor_choices_plan(RootDir *root, const GovernorChoices *chosen, TunablePlan *plan) {
        int r;

        for (size_t i = 0; i < chosen->n; i++) {
                r = governor_plan(root, chosen->choices[i].name, &chosen->choices[i].cpus, plan);
                if (r < 0)
                        return error_trace(r);
        }
        return 0;
}
