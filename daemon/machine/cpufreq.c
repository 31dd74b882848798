/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/cpufreq.h"

#include <stdio.h>
#include <string.h>

#include "machine/file-value.h"
#include "util/error.h"
#include "util/root-dir.h"

#define CPUFREQ "sys/devices/system/cpu/cpufreq"

const char *cpufreq_path(unsigned number, const char *name, char *path) {
        snprintf(path, CPUFREQ_PATH_MAX, CPUFREQ "/policy%u/%s", number, name);
        return path;
}

int cpufreq_read(RootDir *root, unsigned number, const char *name, char *text) {
        char path[CPUFREQ_PATH_MAX];

        return error_trace(sysfs_read_text(root, cpufreq_path(number, name, path), text, CPUFREQ_TEXT_MAX));
}

int cpufreq_policies(RootDir *root, const cpu_set_t *cpus, unsigned *numbers, size_t *ret_n) {
        char path[CPUFREQ_PATH_MAX];
        size_t n_all, n = 0;
        int r;

        r = root_dir_numbers(root, CPUFREQ, "policy", numbers, CPUFREQ_POLICIES_MAX, &n_all);
        if (r)
                return error_trace(r);
        for (size_t i = 0; i < n_all; i++) {
                cpu_set_t affected, both;

                r = sysfs_read_set(root, cpufreq_path(numbers[i], "affected_cpus", path), &affected);
                if (r)
                        return error_trace(r);
                CPU_AND(&both, &affected, cpus);
                if (CPU_COUNT(&both) > 0)
                        numbers[n++] = numbers[i];
        }
        *ret_n = n;
        return 0;
}

bool cpufreq_list_has(const char *words, const char *word) {
        size_t n_word = strlen(word);

        while (*words) {
                size_t n = strcspn(words, " ");

                if (n == n_word && strncmp(words, word, n) == 0)
                        return true;
                words += n + strspn(words + n, " ");
        }
        return false;
}
