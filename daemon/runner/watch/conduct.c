/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/watch/conduct.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ops/block.h"
#include "runner/watch/usage.h"
#include "util/file-name.h"

#define CONDUCT_GROWTHS_MAX 16u /* for a pool that grows as it is used */

static void conduct_read_place(ConductPlace *ret_place) {
        *ret_place = (ConductPlace){ .policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK };
        sched_getaffinity(0, sizeof ret_place->cpus, &ret_place->cpus);
        ret_place->nice = getpriority(PRIO_PROCESS, 0);
}

/* The link count of /proc/self/task is 2 plus one per thread. 0 if /proc is missing. */
static uint32_t conduct_count_threads(void) {
        struct stat tasks;

        if (__libc_single_threaded)
                return 1;
        return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 ? tasks.st_nlink - 2 : 0;
}

static int64_t conduct_now_ns(clockid_t clock) {
        struct timespec t = {};

        clock_gettime(clock, &t);
        return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The CPU time of all threads but this one, since the process began. */
static int64_t conduct_others_ns(void) {
        const int64_t own_ns = conduct_now_ns(CLOCK_THREAD_CPUTIME_ID);

        return conduct_now_ns(CLOCK_PROCESS_CPUTIME_ID) - own_ns;
}

/*
 * The launcher sets SCHED_FIFO and SCHED_OTHER at the beginning and the end of a window, and itself notices if the
 * module gives the first up (launch/run/process.c).
 */
static bool conduct_holds_policy(const Conduct *conduct, int policy) {
        return policy == conduct->born.policy || policy == SCHED_FIFO || policy == SCHED_OTHER;
}

/* A thread that is bound to a part of its CPUs, for example by OpenMP, has not left them. */
static uint32_t conduct_changes(const Conduct *conduct) {
        cpu_set_t all;
        ConductPlace now;

        conduct_read_place(&now);
        CPU_OR(&all, &now.cpus, &conduct->born.cpus);
        return (CPU_EQUAL(&all, &conduct->born.cpus) ? 0 : CONDUCT_AFFINITY) |
               (conduct_holds_policy(conduct, now.policy) ? 0 : CONDUCT_POLICY) |
               (now.nice == conduct->born.nice ? 0 : CONDUCT_NICE);
}

/* TracerPid of proc_pid_status(5), in its first lines. */
static SampleTracer conduct_find_tracer(int status_fd) {
        static const char key[] = "\nTracerPid:\t";
        char text[1024];
        const char *found;
        ssize_t n;

        n = pread(status_fd, text, sizeof text - 1, 0);
        if (n < 0)
                return SAMPLE_TRACER_UNKNOWN;
        text[n] = '\0';
        found = strstr(text, key);
        if (!found)
                return SAMPLE_TRACER_UNKNOWN;
        return found[strlen(key)] == '0' ? SAMPLE_TRACER_NONE : SAMPLE_TRACER_ATTACHED;
}

static void conduct_note_tracer(const Conduct *conduct, SampleConduct *told) {
        const SampleTracer found = conduct_find_tracer(conduct->status_fd);

        told->tracer = found > told->tracer ? found : told->tracer;
}

void conduct_begin(int status_fd, Conduct *conduct) {
        *conduct = (Conduct){ .status_fd = status_fd };
        conduct_read_place(&conduct->born);
}

void conduct_after_setup(Conduct *conduct, uint32_t n_members, SampleConduct *told) {
        conduct->threads = conduct_count_threads();
        conduct->n_members = n_members;
        conduct->others_ns = conduct_others_ns();
        conduct->began_ns = conduct_now_ns(CLOCK_MONOTONIC);
        told->changed |= conduct_changes(conduct);
        conduct_note_tracer(conduct, told);
}

bool conduct_left_thread(Conduct *conduct) {
        const uint32_t before = conduct->threads;

        conduct->threads = conduct_count_threads();
        conduct->n_growths += conduct->threads > before;
        return conduct->n_growths > CONDUCT_GROWTHS_MAX;
}

void conduct_note_sample(SampleConduct *told, const Usage *usage) {
        told->writing_samples += usage->output_bytes != 0;
        told->blocking_samples += usage->blocked != 0;
        told->waiting_samples += usage->waited;
        told->n_blocked += usage->blocked;
}

/* The account of the process includes all measured threads, so with several of them the rest is not known. */
static uint32_t conduct_others_permille(const Conduct *conduct) {
        const double passed_ns = (double)(conduct_now_ns(CLOCK_MONOTONIC) - conduct->began_ns);
        const double ran_ns = (double)(conduct_others_ns() - conduct->others_ns);

        if (conduct->n_members > 1 || !(ran_ns > 0) || !(passed_ns > 0))
                return 0;
        return (uint32_t)(1000 * ran_ns / passed_ns);
}

/*
 * Libraries that start one thread per CPU that they find; unless an environment variable gives the number, which is then the user's choice.
 */
static int conduct_find_pool(struct dl_phdr_info *object, size_t size, void *argument) {
        static const struct {
                const char *name; /* prefix of the name */
                const char *variable;
        } rows[] = {
                { "libgomp.so", "OMP_NUM_THREADS" },
                { "libomp.so", "OMP_NUM_THREADS" },
                { "libiomp5.so", "OMP_NUM_THREADS" },
                { "libopenblas", "OPENBLAS_NUM_THREADS" },
                { "libtbb.so", NULL },
        };
        const char *name = file_name_of(object->dlpi_name);
        uint32_t *threads = argument;

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                if (strncmp(name, rows[i].name, strlen(rows[i].name)) == 0 &&
                                !(rows[i].variable && getenv(rows[i].variable)))
                        *threads |= CONDUCT_THREADS_POOL;
        return 0;
}

static void conduct_note_threads(const Conduct *conduct, SampleConduct *told) {
        if (!__libc_single_threaded)
                told->threads |= CONDUCT_THREADS_WERE;
        if (conduct->threads > conduct->n_members)
                told->threads |= CONDUCT_THREADS_ARE;
        if (CPU_COUNT(&conduct->born.cpus) == 1)
                told->threads |= CONDUCT_THREADS_CPU;
        dl_iterate_phdr(conduct_find_pool, &told->threads);
        told->others_permille = conduct_others_permille(conduct);
}

void conduct_end(const Conduct *conduct, SampleConduct *told) {
        told->changed |= conduct_changes(conduct);
        conduct_note_threads(conduct, told);
        conduct_note_tracer(conduct, told);
}
