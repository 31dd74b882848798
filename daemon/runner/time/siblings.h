/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Finds out whether another CPU is a hardware thread of the same core, which the topology of a guest may hide: a thread
 * on that CPU spins and sleeps in turns. If the two share a core, the probes on this CPU (clock/probe.h) are slow while
 * it spins, else as often as while it sleeps.
 *
 * Other work on the core's other thread makes the probes slow too, in its own rhythm. So the order of the periods is
 * drawn, half of each kind, and a difference counts if fewer than one in a thousand such orders would show as large a
 * one by chance; then the test is repeated in another order. A pair is wrongly taken for siblings less often than once
 * in a million.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ClockFacts ClockFacts;
typedef struct RunnerPlan RunnerPlan;

#define SIBLINGS_PERIODS 16u

typedef struct SiblingsPeriod {
        bool spinning;     /* the other CPU */
        double slow_share; /* of the probes on this CPU */
} SiblingsPeriod;

/*
 * True if more probes were slow while the other CPU was spinning: by over a half, and with p < 0.001 in an exact
 * permutation test over the @n periods, at most SIBLINGS_PERIODS. Pure.
 */
bool siblings_decide(const SiblingsPeriod *periods, size_t n);

/* Draws by @seed the half of the periods in which the other CPU spins. Pure. */
void siblings_draw_order(uint32_t seed, bool ret_spinning[static SIBLINGS_PERIODS]);

/*
 * Tests the calling thread's CPU against each of the suspects of @plan, while there is time. Sets bits 1 << place: which were tested,
 * and which of these share its core. Starts a second thread.
 */
void siblings_find(const RunnerPlan *plan, const ClockFacts *clock, uint32_t *ret_tested, uint32_t *ret_found);
