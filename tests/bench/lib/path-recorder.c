/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The recorder of tests/bench/path, which preloads it: each function that a program compiled with -finstrument-functions enters or
 * leaves, as an offset in the program, 8 bytes each, the highest bit set where it is left. Appended to the file that $PATH_RECORD
 * names. Only the main thread of the program itself is recorded: a receiver that it forks may not even write.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static FILE *file;
static _Thread_local bool is_recorded;

static void forget(void) {
        is_recorded = false;
}

static void __attribute__((constructor)) begin(void) {
        const char *path = getenv("PATH_RECORD");

        file = path ? fopen(path, "ae") : NULL;
        is_recorded = file && pthread_atfork(NULL, NULL, forget) == 0;
}

static void record(void *function, uint64_t leaves) {
        uint64_t offset;
        Dl_info info;

        if (!is_recorded || !dladdr(function, &info))
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
