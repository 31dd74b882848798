/* SPDX-License-Identifier: MIT */

/*
 * environment: what a process knows about itself without asking the kernel, and what it asks for.
 *
 * The environment is made in set-up, of a known number of variables, since its length decides each look-up. setenv()
 * alternates between two values, because the C library keeps every value that it was ever given.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

BENCH_AREA(environment, .about = "variables of the environment, and facts of the process and the system");
BENCH_EMBED_SOURCE;

/* An environment of @n variables, V000=0, V001=1 and so on. */
static void environment_make(int64_t n) {
        char name[32], value[32];

        clearenv();
        for (int64_t i = 0; i < n; i++) {
                snprintf(name, sizeof name, "V%03d", (int)i);
                snprintf(value, sizeof value, "%d", (int)i);
                setenv(name, value, 1);
        }
}

BENCH(getenv_hit, .args = BENCH_ARGS(variables, 10, 100),
                .about = "the last variable: limited by a comparison for each, since the names of all begin alike") {
        const char *name;
        char last[32];

        environment_make(bench_arg(b, 0));
        snprintf(last, sizeof last, "V%03d", (int)bench_arg(b, 0) - 1);
        name = last;
        bench_loop(b) {
                bench_opaque(name);
                bench_use(getenv(name));
        }
}

BENCH(getenv_miss, .args = BENCH_ARGS(variables, 100),
                .about = "an absent variable of another first letter: limited by a load and a compare for each variable") {
        const char *name = "MISSING";

        environment_make(bench_arg(b, 0));
        bench_loop(b) {
                bench_opaque(name);
                bench_use(getenv(name));
        }
}

BENCH(setenv_replace, .ops = 2,
                .about = "the last of 10 variables, two values in turn: limited by a lock and a tree of values") {
        environment_make(10);
        bench_loop(b) {
                setenv("V009", "one", 1);
                setenv("V009", "two", 1);
        }
}

BENCH(setenv_unsetenv, .about = "one variable more than 10, and gone again: limited by moving the list of pointers") {
        environment_make(10);
        bench_loop(b) {
                setenv("MORE", "value", 1);
                unsetenv("MORE");
        }
        clearenv(); /* gives the list of pointers back */
}

BENCH(getauxval, .hidden = 1, .about = "limited by a walk over the kernel's list of some twenty pairs") {
        unsigned long type = AT_SECURE;

        bench_loop(b) {
                bench_opaque(type);
                bench_use(getauxval(type));
        }
}

BENCH(sysconf, .args = BENCH_TEXTS(name, "page_size", "online_cpus"),
                .about = "limited by a table where the C library knows, by a file of /sys where it asks the kernel") {
        int name = bench_arg_text(b, 0)[0] == 'p' ? _SC_PAGESIZE : _SC_NPROCESSORS_ONLN;

        bench_loop(b) {
                bench_opaque(name);
                bench_use(sysconf(name));
        }
}
