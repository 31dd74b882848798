/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* A directory of a test's own, below the working directory. */

#include "test.h"

/* @directory ends in six letters, which become others each time. */
static inline void directory_make(char *directory) {
        strcpy(directory + strlen(directory) - 6, "XXXXXX");
        assert_non_null(mkdtemp(directory));
}

/* With the files in it. Returns 0 or -1: what a tear-down returns. */
static inline int directory_remove(const char *directory) {
        DIR *opened = opendir(directory);
        struct dirent *entry;

        assert_non_null(opened);
        while ((entry = readdir(opened)))
                (void)unlinkat(dirfd(opened), entry->d_name, 0);
        closedir(opened);
        return rmdir(directory);
}
