/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The outcome of a value or control that was to be set or put back, whoever asks: a lease, `set-governor`, the restore
 * journal, a runner at its birth.
 */

typedef enum OpsOutcome {
        OPS_OUTCOME_PENDING, /* not come to yet */

        /* as Control.Outcome of benchd.proto */
        OPS_OUTCOME_APPLIED,     /* and read back */
        OPS_OUTCOME_ALREADY,     /* it held that, and not by our doing */
        OPS_OUTCOME_UNSUPPORTED, /* the machine has no such thing */
        OPS_OUTCOME_DENIED,      /* not permitted, or the kernel does not take it */
        OPS_OUTCOME_OVERRIDDEN,  /* it holds something else: clamped by the kernel, or changed by somebody since */
        OPS_OUTCOME_OMITTED,     /* the request wanted none */

        /* in this order in GovernorChange.Outcome, which has the above but OMITTED */
        OPS_OUTCOME_LEASED,     /* a lease holds another value, and gives this one back */
        OPS_OUTCOME_RESTORED,   /* put back as it was before benchd changed it */
        OPS_OUTCOME_LEFT_ALONE, /* not restored: somebody else had changed it */
        OPS_OUTCOME_GONE,       /* there is no such thing any more */
        OPS_OUTCOME_WAITING,    /* cannot be restored yet: it stays in the journal, and is tried again */
        OPS_OUTCOME_OFF,        /* its CPU is switched off: it waits until that is on again */
        _OPS_OUTCOME_N,
} OpsOutcome;
