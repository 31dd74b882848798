/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The recorder of tests/bench/path, which preloads it: each function that a program compiled with -finstrument-functions enters or
 * leaves, as an offset in the program, 8 bytes each, the highest bit set where it is left. Appended to the file that $PATH_RECORD
 * names.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static void record(void *function, uint64_t leaves) {
        static FILE *file;
        uint64_t offset;
        Dl_info info;

        if (!file)
                file = fopen(getenv("PATH_RECORD"), "ae");
        if (!file || !dladdr(function, &info))
                return;
        offset = ((uintptr_t)function - (uintptr_t)info.dli_fbase) | leaves << 63;
        fwrite(&offset, sizeof offset, 1, file);
}

void __cyg_profile_func_enter(void *function, void *caller) {
        record(function, 0);
}

void __cyg_profile_func_exit(void *function, void *caller) {
        record(function, 1);
}
