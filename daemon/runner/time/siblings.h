/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Finds out if another CPU is a hardware thread of the same core, which the topology of a guest may not tell: a thread
 * there spins and sleeps in turns, and the probes here (clock/probe.h) are slow while it spins if the two share a core,
 * else as often as when it sleeps.
 *
 * A stranger on the core's other thread makes the probes slow too, in a rhythm of its own. So the order of the periods
 * is drawn, half of them of each kind, and a difference counts if fewer than one in a thousand of such orders would
 * show as large a one by chance; then the whole is done a second time in another order. By chance a pair is taken for
 * siblings less often than once in a million.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ClockFacts ClockFacts;
typedef struct RunnerPlan RunnerPlan;

#define SIBLINGS_PERIODS 16u

typedef struct SiblingsPeriod {
        bool spinning;     /* the other CPU */
        double slow_share; /* of the probes on this one */
} SiblingsPeriod;

/*
 * True if more of the probes were slow while the other CPU was spinning: by over a half, and with p < 0.001 by an exact
 * permutation test over the @n periods, which are at most SIBLINGS_PERIODS. Pure.
 */
bool siblings_decide(const SiblingsPeriod *periods, size_t n);

/* In which of the periods the other CPU spins: half of them, drawn by @seed. Pure. */
void siblings_draw_order(uint32_t seed, bool ret_spinning[static SIBLINGS_PERIODS]);

/*
 * Tests the calling thread's CPU against each of the suspects of @plan, as long as there is time. Sets bits 1 << place: which could be
 * found out of, and which of these share its core. The process has had two threads then.
 */
void siblings_find(const RunnerPlan *plan, const ClockFacts *clock, uint32_t *ret_tested, uint32_t *ret_found);
