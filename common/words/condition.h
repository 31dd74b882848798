/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Conditions that two results must share for their times to be comparable: the daemon builds the comparability key from them, and names the
 * differing ones, as benchctl does for a baseline. The key also has the controls (words/control.h) and benchd's version. A new condition is
 * a constant of ConditionKind, a row in condition.c, and its readers: front/report/comparability.c for messages, ctl/model/machine-facts.c
 * for JSON. The order is the key's. Pure.
 */

#include <stdbool.h>
#include <stdint.h>

typedef enum ConditionKind {
        CONDITION_NONE,
        CONDITION_METHOD,
        CONDITION_CLOCK,
        CONDITION_SCHEDULER,
        CONDITION_INSTRUMENTS,
        CONDITION_PRELOADED,
        CONDITION_CPU, /* from here on: facts of the machine's class */
        CONDITION_MODEL,
        CONDITION_MICROCODE,
        CONDITION_CACHES,
        CONDITION_PROCESSORS,
        CONDITION_MEMORY,
        CONDITION_KERNEL,
        _CONDITION_KIND_N,
} ConditionKind;

const char *condition_name(ConditionKind kind);  /* in a key */
const char *condition_words(ConditionKind kind); /* in a sentence: "the kernel was ..." */

/* The memory size of a machine for comparisons: the nominal size, from the @bytes that the kernel reports. */
uint64_t condition_memory_bytes(uint64_t bytes);

/* False for a control @name that says only who set the others, which are all @in_force. */
bool condition_counts(const char *name, bool in_force);

/* True if the value of the control @name counts, in addition to its outcome. */
bool condition_has_value(const char *name);
