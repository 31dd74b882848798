/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Conditions that two results must have in common for their times to be compared: the daemon makes the comparability key of them, and
 * names those that differ, as benchctl does with a baseline's. Beside them stand the controls (words/control.h) and benchd's version.
 * A new condition is a word of ConditionKind, a row in condition.c, and who reads it: front/report/comparability.c of a message,
 * ctl/machine-facts.c of JSON. The order is that of the key. Pure.
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
        CONDITION_CPU, /* this and those below: facts of the machine's class */
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

/* The memory of a machine as it counts: the size that was sold, of the @bytes that the kernel tells. */
uint64_t condition_memory_bytes(uint64_t bytes);

/* True if the value of the control called @name counts, beside its outcome. */
bool condition_has_value(const char *name);
