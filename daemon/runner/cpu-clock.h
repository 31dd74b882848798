/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The clock of --clock=cpu: the time for which the kernel charges a CPU, user and system together. While the code sleeps, waits or
 * has lost the CPU to others it stands.
 *
 * It is read by a system call right before the counter starts and right after it has stopped, so nothing of it is in the ticks; but
 * most of a reading is in the next one's time. That cost is measured in each process, before its first batch, and taken off.
 */

#include <stdint.h>

#include "clock/tick.h"

/* One thread runs the body: of the whole process, so that what it hands to threads of its own counts too. In ns. */
uint64_t cpu_clock_process(void);

/* Several do: of each by itself. In ns. */
uint64_t cpu_clock_thread(void);

typedef struct CpuClockCost {
        double batch_ns; /* of an empty batch: two readings with those of @stopwatch between */
        double pause_ns; /* of a pause with its resumption, beyond what it leaves out */
        double step_ns;  /* by which it advances, as far as that was seen; 1 or more */
} CpuClockCost;

/* Measures the cost of @clock around @stopwatch (NULL: the time-stamp counter), which takes some 50 µs. */
CpuClockCost cpu_clock_cost(StopwatchFunction *clock, StopwatchFunction *stopwatch);
