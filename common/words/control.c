/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "words/control.h"

static const struct {
        const char *name, *meaning;
} rows[_CONTROL_KIND_N] = {
        [CONTROL_SCHEDULER] = { "scheduler", "The policy of the measuring thread: fifo in windows, or other." },
        [CONTROL_AFFINITY] = { "affinity",
                        "The CPUs that a thread may run on: one, or those of its process where the body has CPUs for its own threads." },
        [CONTROL_MEMORY] = { "memory", "The node that its memory comes from: the CPU's." },
        [CONTROL_MEMORY_LOCK] = { "memory lock",
                        "Code and constants of loaded files stay in memory after the set-up. No other memory is locked: a body can give its own back." },
        [CONTROL_CPUSET] = { "cpuset", "The set of CPUs that holds all processes of the run." },
        [CONTROL_NAMESPACES] = { "namespaces",
                        "The namespaces of its cell, and its view of the machine; overridden: part of /proc is covered here, so that it sees the container's processes." },
        [CONTROL_RUN_GROUP] = { "run group", "The control group by which all processes of the run are killed as one." },
        [CONTROL_ASLR] = { "aslr", "Addresses are random; with --no-aslr they are fixed." },
        [CONTROL_STACK] = { "stack", "The stack that --stack asked for." },
        [CONTROL_CODE_OFFSET] = { "code offset",
                        "The module is moved within its cache line from process to process: among four places, or (\"by 32 bytes\") between two, where its code or data is aligned to 32 bytes." },
        [CONTROL_MEMORY_LIMIT] = { "memory limit",
                        "The limit of the run's memory; where no control group bounds it, the largest address space of each process." },
        [CONTROL_PROCESS_LIMIT] = { "process limit", "The limit of its processes and threads." },
        [CONTROL_DIRECTORY] = { "directory",
                        "The directory below which each process had its working directory, where the request named one; otherwise that is in memory." },
        [CONTROL_SEE] = { "see", "The paths that the request named, which the run sees (--see)." },
        [CONTROL_HUGE_PAGES] = { "huge pages",
                        "The kernel's policy on transparent huge pages, which benchd does not change." },
        [CONTROL_ENERGY_PREFERENCE] = { "energy-preference", "The processor's energy preference: performance." },
        [CONTROL_GOVERNOR] = { "governor", "The frequency governor: performance." },
        [CONTROL_FREQUENCY_MAXIMUM] = { "frequency-maximum",
                        "The highest frequency: the base frequency, where the machine reports it." },
        [CONTROL_FREQUENCY_MINIMUM] = { "frequency-minimum", "The lowest frequency: the same as the highest." },
        [CONTROL_BOOST] = { "boost", "Frequencies above the base: off." },
        [CONTROL_IDLE_LATENCY] = { "idle-latency", "The time in which an idle CPU may wake up: that of C1." },
        [CONTROL_IRQ_AFFINITY] = { "irq-affinity", "Interrupts are kept off the leased CPUs." },
        [CONTROL_WORKQUEUES] = { "workqueues", "Unbound work of the kernel is kept off them." },
        [CONTROL_WATCHDOG] = { "watchdog", "The watchdog is kept off them, or is off." },
        [CONTROL_TIMER_MIGRATION] = { "timer-migration", "Timers of idle CPUs do not move to busy ones." },
        [CONTROL_PAGE_MERGING] = { "page-merging", "The kernel's merging of equal pages is stopped." },
        [CONTROL_KERNEL_THREADS] = { "kernel-threads", "Movable threads of the kernel are kept off the leased CPUs." },
        [CONTROL_SHIELD] = { "shield", "systemd keeps its other units off the leased CPUs." },
        [CONTROL_PLATFORM_PROFILE] = { "platform-profile", "The firmware's profile; set by `set-governor` alone." },
        [CONTROL_TUNING] = { "tuning",
                        "All settings of the machine. Already: another benchd had set them as wanted, and they held through the run. "
                        "Denied: they were left unchanged for one reason, which the value names." },
};

const char *control_name(ControlKind kind) {
        return rows[kind].name;
}

const char *control_meaning(ControlKind kind) {
        return rows[kind].meaning;
}
