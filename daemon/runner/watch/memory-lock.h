/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Locks in memory the code and constants of all files that are loaded after set-up: no sample waits for a disk to read them again, whatever
 * other programs read meanwhile.
 *
 * Writable memory and memory that the module mapped are not locked: the kernel refuses to take back a locked page, so madvise(),
 * msync(MS_INVALIDATE) and malloc_trim() would fail, and be timed, although they work in an ordinary program. Untouched pages are not
 * locked (MLOCK_ONFAULT): a benchmark may measure the first touch.
 */

#include "ops/ops.h"

/* Returns DENIED if something exceeds the limit (launch/birth/birth.h). */
OpsOutcome memory_lock(void);
