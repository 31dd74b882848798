/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The machine as a record for benchd: its processor and its facts. Calibrations are filled in as they come. */

#include <stdbool.h>

#include "ops/ops.h"

typedef struct Leases Leases;
typedef struct RootDir RootDir;

/* Sets the CPUs of @machine to those of @leases. A CPU that stayed and is calibrated keeps its facts. */
void describe_cpus(const Leases *leases, OpsMachine *machine);

/* Reads the machine. Returns 0 or a negative errno. */
int describe_machine(RootDir *root, const Leases *leases, bool privileged, OpsMachine *ret_machine);

/* Returns the entry of the leasable CPU number @cpu, or NULL. */
OpsCpu *describe_find_cpu(OpsMachine *machine, int cpu);
