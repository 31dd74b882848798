/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/file-cpu.h"

#include <stdio.h>

#include "util/cleanup.h"
#include "util/root-dir.h"

#define CPUS "sys/devices/system/cpu"

/* The CPU of which @path is a file; -1 if it is none's. */
static int file_cpu(const char *path) {
        static const char *const forms[] = { CPUS "/cpu%u/%n", CPUS "/cpufreq/policy%u/%n" };

        for (size_t i = 0; i < N_ELEMENTS(forms); i++) {
                unsigned number;
                int n = 0;

                if (sscanf(path, forms[i], &number, &n) == 1 && n > 0)
                        return number;
        }
        return -1;
}

bool file_cpu_is_off(RootDir *root, const char *path) {
        int cpu = file_cpu(path);
        char switch_path[64], online[8];

        if (cpu < 0)
                return false;
        snprintf(switch_path, sizeof switch_path, CPUS "/cpu%d/online", cpu);
        return root_dir_read_line(root, switch_path, online, sizeof online) == 0 && online[0] == '0';
}
