/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/file-value.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "machine/value.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/root-dir.h"

#define WORKQUEUE "sys/devices/virtual/workqueue"

#define LATER_PATIENCE_MS 200u

int file_value_read(RootDir *root, const char *path, char *value, size_t n_value) {
        static const struct {
                const char *written, *read;
        } others[] = { { WORKQUEUE "/cpumask", WORKQUEUE "/cpumask_requested" } };
        int r;

        for (size_t i = 0; i < N_ELEMENTS(others); i++) {
                if (strcmp(path, others[i].written) != 0)
                        continue;
                r = root_dir_read_line(root, others[i].read, value, n_value);
                if (r != ROOT_DIR_E_MISSING)
                        return error_trace(r);
        }
        return error_trace(root_dir_read_line(root, path, value, n_value));
}

/* cpufreq has a work of its own take over a limit that was written (cpufreq_notifier_min() in drivers/cpufreq/cpufreq.c). */
static bool is_taken_later(const char *path) {
        static const char *const names[] = { "/scaling_min_freq", "/scaling_max_freq" };
        const char *name = strrchr(path, '/');

        for (size_t i = 0; name && i < N_ELEMENTS(names); i++)
                if (strcmp(name, names[i]) == 0)
                        return true;
        return false;
}

int file_value_write(RootDir *root, const char *path, const char *value) {
        const struct timespec millisecond = { .tv_nsec = 1000000 };
        char is[VALUE_MAX];
        int r;

        r = root_dir_write(root, path, value);
        if (r || !is_taken_later(path))
                return error_trace(r);
        for (unsigned waited_ms = 0; waited_ms < LATER_PATIENCE_MS; waited_ms++) {
                r = file_value_read(root, path, is, sizeof is);
                if (r || strcmp(is, value) == 0)
                        return r < 0 ? error_trace(r) : 0;
                nanosleep(&millisecond, NULL);
        }
        return 0;
}
