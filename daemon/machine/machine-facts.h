/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Facts of the machine, from /proc and /sys, and of its processor, for the record of a result. A missing fact is empty or 0.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RootDir RootDir;

typedef struct MachineFacts {
        char microcode[32];
        char governor[32]; /* of @cpu; empty without cpufreq */
        uint64_t memory_bytes;
        bool trusts_tsc; /* the kernel still offers the time-stamp counter as a clock, or has no list of clocks */
} MachineFacts;

/* Reads below @root. Returns 0 or a negative errno. */
int machine_facts_read(RootDir *root, unsigned cpu, MachineFacts *ret_facts);

/* Writes the value of the first line of @text that begins with @key and a colon into @value. Empty if there is none. */
void machine_facts_find(const char *text, const char *key, char *value, size_t n_value);

/*
 * The processor by CPUID: brand, caches, whether its time-stamp counter is invariant, and whether there is a
 * hypervisor. libcpuid reads it; its code names are wrong for processors that are newer than the library, so the brand
 * string is used.
 */

#define MACHINE_CACHES_MAX 4u

enum {
        _MACHINE_PROCESSOR_E_SUCCESS,

        MACHINE_PROCESSOR_E_UNKNOWN, /* no CPUID, or libcpuid cannot interpret it */
};

typedef enum MachineCacheKind {
        CACHE_DATA = 1,
        CACHE_INSTRUCTION,
        CACHE_UNIFIED,
} MachineCacheKind;

typedef struct MachineCache {
        unsigned level;
        MachineCacheKind kind;
        uint64_t size_bytes;
} MachineCache;

typedef struct MachineProcessor {
        char brand[64];
        const char *hypervisor;           /* static; NULL on bare metal, or if it hides */
        unsigned family, model, stepping; /* as the vendor counts them, with the extended fields added */
        bool invariant_tsc;               /* CPUID 0x80000007 EDX bit 8 */
        MachineCache caches[MACHINE_CACHES_MAX];
        size_t n_caches;
} MachineProcessor;

/* Reads the processor that this process runs on. Returns 0 or E_UNKNOWN. */
int machine_processor_read(MachineProcessor *ret_processor);
