/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a process noted of its phases, as a part of its result. Pure.
 */

#include <stdint.h>

#include "front/base/arena.h"
#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

/* Adds the @n (at most RUNNER_TRACE_MAX) @phases to @process, built in @arena. Returns 0 or a negative errno. */
int trace_report(const TracePhase *phases, uint32_t n, Arena *arena, Benchd__ProcessResult *process);
