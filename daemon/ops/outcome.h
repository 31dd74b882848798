/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The outcome of setting or putting back a value or control, for a lease, `set-governor`, the restore journal or the
 * birth of a runner.
 */

typedef enum OpsOutcome {
        OPS_OUTCOME_PENDING, /* not reached yet */

        /* as Control.Outcome of benchd.proto */
        OPS_OUTCOME_APPLIED,     /* and read back */
        OPS_OUTCOME_ALREADY,     /* it held that value, and not through benchd */
        OPS_OUTCOME_UNSUPPORTED, /* the machine does not have it */
        OPS_OUTCOME_DENIED,      /* not permitted, or refused by the kernel */
        OPS_OUTCOME_OVERRIDDEN,  /* it holds another value: clamped by the kernel, or changed by another program */
        OPS_OUTCOME_OMITTED,     /* not requested */

        /* in this order in GovernorChange.Outcome, which has the above but OMITTED */
        OPS_OUTCOME_LEASED,     /* a lease holds another value and will put this one back */
        OPS_OUTCOME_RESTORED,   /* put back as it was before benchd changed it */
        OPS_OUTCOME_LEFT_ALONE, /* not restored: another program had changed it */
        OPS_OUTCOME_GONE,       /* it no longer exists */
        OPS_OUTCOME_WAITING,    /* cannot be restored yet: it stays in the journal and is tried again */
        OPS_OUTCOME_OFF,        /* its CPU is switched off: it waits until that is on again */
        _OPS_OUTCOME_N,
} OpsOutcome;
