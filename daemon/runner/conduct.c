/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/conduct.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/sample-block.h"
#include "runner/usage.h"

static void conduct_read_place(ConductPlace *ret_place) {
        *ret_place = (ConductPlace){ .policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK };
        sched_getaffinity(0, sizeof ret_place->cpus, &ret_place->cpus);
        ret_place->nice = getpriority(PRIO_PROCESS, 0);
}

/* A directory has a link for itself, one for its parent, and one for each thread here. 0 where /proc is not there. */
static uint32_t conduct_count_threads(void) {
        struct stat tasks;

        if (__libc_single_threaded)
                return 1;
        return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 ? tasks.st_nlink - 2 : 0;
}

/*
 * SCHED_FIFO and SCHED_OTHER are the launcher's, at the beginning and the end of a window; it sees itself where the module
 * gives the first up (launch/process.c).
 */
static bool conduct_holds_policy(const Conduct *conduct, int policy) {
        return policy == conduct->born.policy || policy == SCHED_FIFO || policy == SCHED_OTHER;
}

static uint32_t conduct_changes(const Conduct *conduct) {
        ConductPlace now;

        conduct_read_place(&now);
        return (CPU_EQUAL(&now.cpus, &conduct->born.cpus) ? 0 : CONDUCT_AFFINITY) |
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
        told->other_threads = conduct->threads > n_members ? conduct->threads - n_members : 0;
        told->changed |= conduct_changes(conduct);
        conduct_note_tracer(conduct, told);
}

bool conduct_left_thread(const Conduct *conduct) {
        return conduct_count_threads() > conduct->threads;
}

void conduct_note_sample(SampleConduct *told, const Usage *usage) {
        told->writing_samples += usage->output_bytes != 0;
        told->blocking_samples += usage->blocked != 0;
        told->waiting_samples += usage->waited;
        told->n_blocked += usage->blocked;
}

void conduct_end(const Conduct *conduct, SampleConduct *told) {
        told->changed |= conduct_changes(conduct);
        told->was_threaded = !__libc_single_threaded;
        conduct_note_tracer(conduct, told);
}
