/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Keeps in memory the code and the constants of all files that are loaded when the set-up is done: no sample waits for a disk to read them
 * again, whatever other programs read meanwhile.
 *
 * Nothing that can be written is locked, nor any memory that the module mapped: the kernel refuses to take back a locked page, so
 * madvise(), msync(MS_INVALIDATE) and malloc_trim() would fail, and be timed, where those of an ordinary program work. Nothing untouched is
 * locked (MLOCK_ONFAULT): a benchmark may be about the first touch.
 */

#include "ops/ops.h"

/* DENIED where something is beyond the limit (launch/birth/birth.h). */
OpsOutcome memory_lock(void);
