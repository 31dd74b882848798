/* SPDX-License-Identifier: MIT */
#include "util/system-directories.h"

#include <string.h>

#include "util/cleanup.h"

const char *const system_directories[] = {
        "usr",
        "bin",
        "sbin",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "etc",
        "nix/store",
        "gnu/store",
};

const size_t n_system_directories = N_ELEMENTS(system_directories);

bool system_directories_have(const char *path) {
        for (size_t i = 0; i < n_system_directories; i++) {
                const size_t n = strlen(system_directories[i]);

                if (*path == '/' && strncmp(path + 1, system_directories[i], n) == 0 &&
                                (path[1 + n] == '/' || path[1 + n] == '\0'))
                        return true;
        }
        return false;
}
