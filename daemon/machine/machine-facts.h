/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Facts of the machine, as /proc and /sys tell them, for the record of a result. A fact that the machine does not have
 * is empty or 0.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RootDir RootDir;

typedef struct MachineFacts {
        char microcode[32];
        char governor[32]; /* of @cpu; empty without cpufreq */
        uint64_t memory_bytes;
        bool trusts_tsc; /* the kernel still offers the time-stamp counter as a clock, or does not say */
} MachineFacts;

/* Reads below @root. Returns 0 or a negative errno. */
int machine_facts_read(RootDir *root, unsigned cpu, MachineFacts *ret_facts);

/* The value behind the first line of @text that begins with @key and a colon, into @value. Empty if there is none. */
void machine_facts_find(const char *text, const char *key, char *value, size_t n_value);
