/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * When the machine is made ready for a measurement, and when it is given back: with the first lease, and a while after the
 * last, so that the processes of one run, each with a lease of its own, do not switch it to and fro. In between, a CPU that
 * was leased stays quiet until nothing is leased: that costs nobody much, and a governor that comes and goes would be
 * measured by whoever runs beside.
 *
 * Files by machine/tuning.h, the kernel's threads by launch/kernel-threads.h, other units by launch/shield.h; all of it is
 * in the one restore journal.
 */

#include <sched.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "ops/ops.h"

typedef struct RestoreHands RestoreHands;
typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;
typedef struct Tuner Tuner;

#define TUNER_LINGER_US 2000000u

typedef struct TunerConfig {
        sd_event *event;
        RootDir *root;             /* of the machine */
        RestoreJournal *journal;   /* open, and restored from; NULL: nothing is changed */
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

/* Looks what is in force now, and writes it into @ended: the controls, and the isolation of a lease of @cpus. */
void tuner_describe(Tuner *tuner, const cpu_set_t *cpus, bool isolated, OpsEnded *ended);
