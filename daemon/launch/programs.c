/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/programs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"

static int own_directory(char directory[static PATH_MAX]) {
        ssize_t n = readlink("/proc/self/exe", directory, PATH_MAX - 1);
        char *slash;

        if (n < 0)
                return error_origin(-errno);
        directory[n] = 0;
        slash = strrchr(directory, '/');
        if (!slash)
                return error_origin(-ENOENT);
        *slash = 0;
        return 0;
}

static int find(const char *folder, const char *name, int mode, char **ret_path) {
        char directory[PATH_MAX];
        int r;

        r = own_directory(directory);
        if (r)
                return error_trace(r);
        for (int installed = 0; installed <= 1; installed++) {
                _cleanup_(freep) char *path = NULL;

                r = installed ? asprintf(&path, "%s/%s", directory, name)
                              : asprintf(&path, "%s/../%s/%s", directory, folder, name);
                if (r < 0)
                        return error_origin(-ENOMEM);
                if (access(path, mode) == 0) {
                        *ret_path = take_pointer(path);
                        return 0;
                }
        }
        return PROGRAMS_E_MISSING;
}

int programs_find(const char *folder, const char *name, char **ret_path) {
        return find(folder, name, X_OK, ret_path);
}

int programs_find_library(const char *folder, const char *name, char **ret_path) {
        return find(folder, name, R_OK, ret_path);
}
