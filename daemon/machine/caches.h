/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The caches of a machine's CPUs and who shares them, as sysfs tells.
 */

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/processor.h"

typedef struct RootDir RootDir;

typedef struct Cache {
        cpu_set_t cpus; /* that share it */
        unsigned level;
        CacheKind kind;
        uint64_t size_bytes; /* 0 where the machine does not tell */
} Cache;

/* Reads each cache of the CPUs of @online once, by level; the caller frees them. Returns 0 or a negative errno. */
int caches_read(RootDir *root, const cpu_set_t *online, Cache **ret_caches, size_t *ret_n);
