/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The machine as a record for benchd: processor and facts put together. Calibrations are filled in as they come.
 */

#include <stdbool.h>

#include "ops/ops.h"

typedef struct Leases Leases;
typedef struct RootDir RootDir;

/* The CPUs of @machine become those of @leases. The facts of a CPU that stayed and is calibrated stay too. */
void describe_cpus(const Leases *leases, OpsMachine *machine);

/* Reads the machine. Returns 0 or a negative errno. */
int describe_machine(RootDir *root, const Leases *leases, bool privileged, OpsMachine *ret_machine);

/* The CPU of that number, of those that are leased; else NULL. */
OpsCpu *describe_find_cpu(OpsMachine *machine, int cpu);
