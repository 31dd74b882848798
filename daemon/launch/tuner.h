/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * When the machine is made ready for a measurement, and when it is given back: with the first lease, and a while after the
 * last, so that the processes of one run, each with a lease of its own, do not switch it to and fro. In between, a CPU that
 * was leased stays quiet until nothing is leased: that costs nobody much, and a governor that comes and goes would be
 * measured by whoever runs beside. What systemd does not take back then is tried again, ever more seldom.
 *
 * The leases come before what `set-governor` chose, which is what the machine goes back to after them.
 *
 * Files by machine/applied-plan.h, the kernel's threads by launch/kernel-threads.h, other units by launch/shield.h; all of it is
 * in the one restore journal.
 */

#include <sched.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "machine/restore.h"
#include "machine/sticky.h"
#include "ops/ops.h"

typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;
typedef struct Tuner Tuner;
typedef struct AppliedPlan AppliedPlan;

#define TUNER_LINGER_US 2000000u

typedef struct TunerConfig {
        sd_event *event;
        RootDir *root;             /* of the machine */
        RestoreJournal *journal;   /* open, and restored from; NULL: the machine is looked at, and not changed */
        RootDir *disk;             /* where the journal is */
        const char *sticky_path;   /* below it; what was chosen is kept there */
        Sticky sticky;             /* what is chosen so far */
        const RestoreHands *hands; /* of @journal; what has none is not changed */
        bool shield;               /* whether other units are kept off, where there is a hand for them */
        cpu_set_t others;          /* where everything goes that leaves leased CPUs: one at least */
} TunerConfig;

/* What @config points to outlives it. Returns 0 or a negative errno. */
int tuner_new(const TunerConfig *config, Tuner **ret_tuner);

/* Puts everything back first. */
Tuner *tuner_free(Tuner *tuner);

/* Makes the machine ready for a lease of @cpus, with their siblings. What fails is in the report. */
void tuner_begin(Tuner *tuner, const cpu_set_t *cpus);

/* The lease is over. */
void tuner_end(Tuner *tuner);

/*
 * CPUs have come or gone: makes the machine anew what it should be, so that what waited for them is put back. From now on
 * everything that leaves leased CPUs goes to @others.
 */
void tuner_renew(Tuner *tuner, const cpu_set_t *others);

/*
 * Keeps @sticky as what is chosen, then moves the machine; @tell, unless it is NULL, hears of what is put back. There is a
 * journal. Returns 0 or a negative errno.
 */
int tuner_choose(Tuner *tuner, const Sticky *sticky, RestoreTell tell, void *context);

/* They stay the tuner's. Without a journal there is no plan. */
const Sticky *tuner_sticky(const Tuner *tuner);
AppliedPlan *tuner_applied_plan(const Tuner *tuner);
RootDir *tuner_root(const Tuner *tuner);

/* Looks what is in force now, and writes it into @ended: the controls, and the isolation of a lease of @cpus. */
void tuner_describe(Tuner *tuner, const cpu_set_t *cpus, bool isolated, OpsEnded *ended);
