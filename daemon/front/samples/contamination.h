/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Contamination: the share of a process's quiet samples that had a neighbour after all. Pure.
 *
 * A neighbour can escape the probes in two ways. Its visit may be shorter than the time between two probes: the number of unseen visits is
 * about f1 (f1 - 1) / (2 (f2 + 1)), where f1 is the number seen in exactly one batch and f2 in two (Chao, Scandinavian Journal of
 * Statistics 11, 1984, in the bias-corrected form). And a neighbour that uses little of the core slows no probe enough:
 * CONTAMINATION_PASSED was measured beside a busy neighbour, with a body whose own time shows the neighbour (measure.md, A4).
 */

#include "ops/block.h"

#define CONTAMINATION_PASSED 0.005 /* of shared samples: mistaken for quiet */

/* The share among the quiet samples of @block, 0 to 1; 0 if no probe was slow. */
double contamination_of(const SampleBlock *block);
