/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Keeps in memory what the process has when its set-up is done: code, data, stacks, heap. Nothing of it is read from a disk
 * again within a sample.
 *
 * Not what it will map (MCL_FUTURE): a fault in locked memory and its unmapping take longer, which would be measured as the
 * benchmark's, and mappings beyond the limit would fail that do not otherwise. And nothing that was not touched yet
 * (MCL_ONFAULT): a benchmark may be about untouched pages, or have reserved more than there is.
 */

#include "ops/ops.h"

/* DENIED where the limit (launch/birth.h) is not that of no limit. */
OpsOutcome memory_lock(void);
