/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Detectors: show whether the kernel interrupted this thread between two points, by traces that the kernel leaves and
 * never by elapsed time. They are armed before the clock starts; reading one costs a quarter of a nanosecond.
 *
 * The canary is a null selector with a privilege level in %es: IRET clears it when it returns to user code, so every
 * interrupt and page fault does, and a system call (SYSRET) does not. The sequence is a restartable one that is never
 * entered: the kernel clears its pointer on preemption, migration and signals (linux/rseq.h).
 */

#include <stdint.h>

struct bench_watch;

/* Arms @detectors (DETECTOR_*). */
void detect_arm(uint32_t detectors);

/* Returns the events since then: MARK_INTERRUPTED, MARK_PREEMPTED. */
uint32_t detect_read(uint32_t detectors);

/*
 * Fills in @ret_watch, with which a module that pauses (bench.h) stops this thread's @detectors during pauses and
 * collects what they saw before, as detect_read() does.
 */
void detect_watch(uint32_t detectors, struct bench_watch *ret_watch);
uint32_t detect_watched(const struct bench_watch *watch);

/* The flags that @detectors set. */
uint32_t detect_flags(uint32_t detectors);

/*
 * Tests each detector on this machine: returns those that stay armed when nothing happens, and fire when something
 * does.
 */
uint32_t detect_test(void);
