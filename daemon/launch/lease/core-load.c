/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/core-load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock/ruler.h"
#include "clock/tick.h"
#include "ops/runner-plan.h"
#include "util/cleanup.h"
#include "util/fd.h"

#define QUIET_SECONDS     0.001
#define QUIET_PATIENCE_MS 4   /* beyond it another task has the CPU */
#define QUIET_READINGS    512 /* at most; one takes 3 to 12 us, by the step of the clock */
#define QUIET_UNTIMED     8   /* a new process faults its pages in, and the code is fetched */
#define QUIET_STRETCHED   1.5 /* times the quickest ruler: the CPU was lost meanwhile */
#define QUIET_GAP         2.0 /* times the reading: the CPU was lost in between */

#define QUIET_UNKNOWN (-1.0)

static uint64_t quickest_ruler(const CoreLoadReading *readings, size_t n) {
        uint64_t quickest = UINT64_MAX;

        for (size_t i = 0; i < n; i++)
                quickest = readings[i].ruler_ticks < quickest ? readings[i].ruler_ticks : quickest;
        return quickest;
}

static bool reading_is_slow(const ClockFacts *clock, const CoreLoadReading *reading, uint64_t quickest_ticks) {
        const double cycles_per_tick =
                        ruler_cycles_per_tick(clock->ruler_turns, reading->ruler_ticks, clock->ruler_cost_ticks);
        const uint64_t read_ticks = reading->ruler_ticks + reading->probe.branch_ticks + reading->probe.ports_ticks;
        const ProbeLevels levels = {
                .branch_cycles = clock->branch_cycles,
                .ports_cycles = clock->ports_cycles,
                .quantum_cycles = clock->quantum_ticks * cycles_per_tick,
        };

        return reading->ruler_ticks > QUIET_STRETCHED * quickest_ticks || reading->ticks > QUIET_GAP * read_ticks ||
               probe_is_slow(&reading->probe, &levels, cycles_per_tick);
}

/* A share of the time and not of the readings: one reading of four milliseconds says more than a hundred short ones. */
double core_load_slow_share(const ClockFacts *clock, const CoreLoadReading *readings, size_t n) {
        const uint64_t quickest_ticks = quickest_ruler(readings, n);
        double all = 0, slow = 0;

        for (size_t i = 0; i < n; i++) {
                all += readings[i].ticks;
                slow += reading_is_slow(clock, &readings[i], quickest_ticks) ? readings[i].ticks : 0;
        }
        return all > 0 ? slow / all : 1;
}

/* ---- in the child */

static void quiet_read(const ClockFacts *clock, uint64_t *last_ticks, CoreLoadReading *ret_reading) {
        sched_yield();
        ret_reading->ruler_ticks = ruler_run(clock->ruler_turns);
        ret_reading->probe.branch_ticks = probe_branches(PROBE_STEPS);
        ret_reading->probe.ports_ticks = probe_ports(clock->port_chains, PROBE_STEPS);
        ret_reading->ticks = -*last_ticks;
        *last_ticks = tick_stop();
        ret_reading->ticks += *last_ticks;
}

static double quiet_read_share(const ClockFacts *clock) {
        CoreLoadReading readings[QUIET_READINGS];
        uint64_t last_ticks = tick_start(), end_ticks;
        size_t n = 0;

        for (size_t i = 0; i < QUIET_UNTIMED; i++)
                quiet_read(clock, &last_ticks, &readings[i]);
        end_ticks = last_ticks + QUIET_SECONDS * clock->hz;
        while (n < QUIET_READINGS && last_ticks < end_ticks)
                quiet_read(clock, &last_ticks, &readings[n++]);
        return core_load_slow_share(clock, readings, n);
}

static bool quiet_pin(pid_t pid, int cpu) {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        return sched_setaffinity(pid, sizeof set, &set) == 0;
}

/* Pins itself, as its parent does too: either may come first. */
static void __attribute__((noreturn)) quiet_child(const ClockFacts *clock, int cpu, int fd) {
        double share;

        if (!quiet_pin(0, cpu))
                _exit(EXIT_FAILURE);
        share = quiet_read_share(clock);
        _exit(write(fd, &share, sizeof share) == sizeof share ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- in the launcher */

/* A killed process has to run once more to die, so it gets CPUs where it can. */
static void quiet_end(pid_t pid) {
        cpu_set_t set;

        if (sched_getaffinity(0, sizeof set, &set) == 0)
                (void)sched_setaffinity(pid, sizeof set, &set);
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                ;
}

static double quiet_await(int fd) {
        struct pollfd answer = { .fd = fd, .events = POLLIN };
        double share;

        if (poll(&answer, 1, QUIET_PATIENCE_MS) == 0)
                return 1;
        return read(fd, &share, sizeof share) == sizeof share ? share : QUIET_UNKNOWN;
}

double core_load_probe(const ClockFacts *clock, int cpu) {
        _cleanup_(fd_closep) int ours = -1, theirs = -1;
        double share = QUIET_UNKNOWN;
        int pair[2];
        pid_t pid;

        if (clock->source != CLOCK_SOURCE_TSC || clock->ruler_turns == 0 || clock->port_chains == 0 || cpu < 0 ||
                        cpu >= CPU_SETSIZE || pipe2(pair, O_CLOEXEC) < 0)
                return QUIET_UNKNOWN;
        ours = pair[0];
        theirs = pair[1];
        pid = fork();
        if (pid < 0)
                return QUIET_UNKNOWN;
        if (pid == 0)
                quiet_child(clock, cpu, theirs);
        theirs = fd_close(theirs);
        if (quiet_pin(pid, cpu))
                share = quiet_await(ours);
        quiet_end(pid);
        return share;
}
