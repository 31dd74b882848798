/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The commit to build and measure next: the one that is expected to tell most per second.
 *
 * A measurement tells on which side of the change a build lies. Its expected information is that of a binary signal in normal noise, which
 * is most where both sides are as likely, and where the change is large against the noise: the processes' and, for a build that was not
 * measured, the layout's. More processes of one that was measured tell nothing more of its layout. The seconds are those of the build,
 * unless there is one, and of the measurement. Near commits that do not build, others may not do so either.
 */

#include <stddef.h>

typedef struct Bisection Bisection;

/* Seconds, as far as they were seen. */
typedef struct BisectionCosts {
        double build_s;
        double look_s; /* of a measurement, whatever its processes */
        double process_s;
} BisectionCosts;

typedef struct BisectionChoice {
        size_t commit;
        size_t n_processes;
        double gain; /* expected information, in bits */
} BisectionChoice;

enum {
        _BISECTION_CHOICE_E_SUCCESS,

        BISECTION_CHOICE_E_FOUND, /* a block has BISECTION_ENOUGH of the posterior */
        BISECTION_CHOICE_E_NONE,  /* no change has as much */
        BISECTION_CHOICE_E_STUCK, /* nothing that can still be measured tells enough */
};

/* Chooses by the posterior of bisection_update(). Returns 0 or E_*. */
int bisection_choose(const Bisection *bisection, const BisectionCosts *costs, BisectionChoice *ret_choice);
