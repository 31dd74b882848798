/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Contamination: the share of a process's quiet samples that had a neighbour all the same. Pure.
 *
 * Two ways lead past the probes. A visit of the neighbour may be shorter than the time between two probes: of visits that no probe sees
 * there are about f1 (f1 - 1) / (2 (f2 + 1)), where f1 is the number seen in one batch alone and f2 in two (Chao, Scandinavian Journal of
 * Statistics 11, 1984, in the form that corrects its bias). And a neighbour that uses little of the core slows no probe enough: of the
 * samples beside a busy one so many passed in a body whose own time told (measure.md, A4).
 */

#include "ops/block.h"

#define CONTAMINATION_PASSED 0.005 /* of shared samples: taken for quiet */

/* The share among the quiet samples of @block, 0 to 1; 0 where no probe was slow. */
double contamination_of(const SampleBlock *block);
