/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Detectors: whether the kernel did something to this thread between two points, told by what the kernel leaves behind
 * and never by how long it took. Arming happens before the clock starts; reading costs a quarter of a nanosecond each.
 *
 * The canary is a null selector with a privilege level in %es: IRET clears it when it returns to user code, so every
 * interrupt and page fault does, and a system call (SYSRET) does not. The sequence is a restartable one that is never
 * entered: the kernel clears its pointer on preemption, migration and signals (linux/rseq.h).
 */

#include <stdint.h>

struct bench_watch;

/* Arms those of @detectors (DETECTOR_*). */
void detect_arm(uint32_t detectors);

/* Tells of events since then: MARK_INTERRUPTED, MARK_PREEMPTED. */
uint32_t detect_read(uint32_t detectors);

/*
 * Has a module that pauses (bench.h) stop this thread's @detectors meanwhile, with none seen so far; and tells what it saw
 * up to its pauses, as detect_read() does.
 */
void detect_watch(uint32_t detectors, struct bench_watch *ret_watch);
uint32_t detect_watched(const struct bench_watch *watch);

/* The flags that @detectors set. */
uint32_t detect_flags(uint32_t detectors);

/* Tries each on this machine: which stay armed when nothing happens, and fire when something does. */
uint32_t detect_test(void);
