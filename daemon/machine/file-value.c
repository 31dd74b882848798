/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/file-value.h"

#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/root-dir.h"

#define WORKQUEUE "sys/devices/virtual/workqueue"

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
