/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Instants and durations in nanoseconds. Only event layers ask for the time; whatever decides takes `now_ns`.
 */

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

/* CLOCK_MONOTONIC: for timeouts and waiting times. */
uint64_t time_monotonic_ns(void);

/* CLOCK_BOOTTIME: the clock of process start times in /proc. */
uint64_t time_boot_ns(void);

/* The CPU time of this thread. */
uint64_t time_thread_cpu_ns(void);

/* CLOCK_REALTIME: for labels only. */
uint64_t time_realtime_ns(void);

/* True if the kernel takes CLOCK_REALTIME for synchronised (adjtimex(2)); false too where it cannot be asked. */
bool time_is_synchronised(void);
