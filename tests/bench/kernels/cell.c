/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a cell could make dearer: system calls by themselves, and walks along a path, which cross the cell's mounts; and a chain that
 * asks nothing of the kernel.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "chains.h"

#define STEPS 1000

BENCH_AREA(cell, .about = "system calls and walks along a path, in the namespaces of a run and without");

BENCH(add, .area = "cell", .about = "a chain of additions: no system call") {
        uint64_t value = 1, operand = 3;

        bench_loop(b)
                CHAIN("add %1, %0", STEPS, value, operand);
        bench_use(value);
}

BENCH(getppid, .area = "cell", .about = "a system call that looks at the process's own namespace") {
        bench_loop(b)
                bench_use(syscall(SYS_getppid));
}

BENCH(stat_passwd, .area = "cell", .about = "stat(\"/etc/passwd\")") {
        struct stat status;

        if (stat("/etc/passwd", &status) < 0)
                bench_fail(b, "/etc/passwd: %s", strerror(errno));
        bench_loop(b)
                bench_use(stat("/etc/passwd", &status));
}

BENCH(open_libc, .area = "cell", .about = "open and close of libc's file") {
        Dl_info libc;

        if (!dladdr((void *)(uintptr_t)getenv, &libc) || access(libc.dli_fname, R_OK) < 0)
                bench_fail(b, "the file of libc is not found");
        bench_loop(b)
                close(open(libc.dli_fname, O_RDONLY | O_CLOEXEC));
}
