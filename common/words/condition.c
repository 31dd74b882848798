/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "words/condition.h"

#include <string.h>

#include "words/control.h"

static const struct {
        const char *name, *words;
} rows[_CONDITION_KIND_N] = {
        [CONDITION_METHOD] = { "method", "the method" },
        [CONDITION_CLOCK] = { "clock", "the clock" },
        [CONDITION_SCHEDULER] = { "scheduler", "the scheduler" },
        [CONDITION_INSTRUMENTS] = { "instruments", "the instrumentation" },
        [CONDITION_PRELOADED] = { "preloaded", "the preloaded library" },
        [CONDITION_CPU] = { "cpu", "the CPU" },
        [CONDITION_MODEL] = { "model", "the CPU's model" },
        [CONDITION_MICROCODE] = { "microcode", "its microcode" },
        [CONDITION_CACHES] = { "caches", "the size of the caches" },
        [CONDITION_PROCESSORS] = { "processors", "the number of processors" },
        [CONDITION_MEMORY] = { "memory", "the memory" },
        [CONDITION_KERNEL] = { "kernel", "the kernel" },
};

const char *condition_name(ConditionKind kind) {
        return rows[kind].name;
}

const char *condition_words(ConditionKind kind) {
        return rows[kind].words;
}

/*
 * The kernel tells the memory that is left beside itself, and equal machines differ in it: two guests of one size, with the same
 * kernel, have 24,684,100 and 24,682,416 kB (tests/machines). It keeps 64 bytes for each page of 4 KiB, so 1/64 of all, and its image,
 * tables and firmware's share besides: 1.9 % of 24 GiB there, 8.5 % of the 512 MiB of guest-qemu. So memory counts as the next
 * size above that is a multiple of an eighth of its power of two. Sizes that are sold are such multiples, and what is told lies well
 * below one; a border at a 64th would go right through it.
 */
uint64_t condition_memory_bytes(uint64_t bytes) {
        const uint64_t step = bytes < 8 ? 1 : (UINT64_C(1) << (63 - __builtin_clzll(bytes))) / 8;

        return (bytes + step - 1) / step * step;
}

bool condition_counts(const char *name, bool in_force) {
        return !in_force || strcmp(name, control_name(CONTROL_TUNING)) != 0;
}

/* A bound is held or it is not; how much it leaves is a part of the machine's memory, which equal machines do not tell equally. */
bool condition_has_value(const char *name) {
        return strcmp(name, control_name(CONTROL_MEMORY_LIMIT)) != 0;
}
