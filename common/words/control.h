/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Controls of a result's environment: the settings of a process, of its run and of the machine whose outcome is reported. Each has a name,
 * and a sentence of benchd-json(5) that says what is wanted.
 */

typedef enum ControlKind {
        CONTROL_SCHEDULER,
        CONTROL_AFFINITY,
        CONTROL_MEMORY,
        CONTROL_MEMORY_LOCK,
        CONTROL_CPUSET,
        CONTROL_NAMESPACES,
        CONTROL_RUN_GROUP,
        CONTROL_ASLR,
        CONTROL_STACK,
        CONTROL_CODE_OFFSET,
        CONTROL_MEMORY_LIMIT,
        CONTROL_PROCESS_LIMIT,
        CONTROL_DIRECTORY,
        CONTROL_SEE,
        CONTROL_HUGE_PAGES,
        CONTROL_ENERGY_PREFERENCE,
        CONTROL_GOVERNOR,
        CONTROL_FREQUENCY_MAXIMUM,
        CONTROL_FREQUENCY_MINIMUM,
        CONTROL_BOOST,
        CONTROL_IDLE_LATENCY,
        CONTROL_IRQ_AFFINITY,
        CONTROL_WORKQUEUES,
        CONTROL_WATCHDOG,
        CONTROL_TIMER_MIGRATION,
        CONTROL_PAGE_MERGING,
        CONTROL_KERNEL_THREADS,
        CONTROL_SHIELD,
        CONTROL_PLATFORM_PROFILE,
        CONTROL_TUNING,
        _CONTROL_KIND_N,
} ControlKind;

/* The value of CONTROL_TUNING where another daemon kept this one from its settings. */
#define CONTROL_TUNING_HELD "another benchd has set them"

const char *control_name(ControlKind kind);
const char *control_meaning(ControlKind kind);
