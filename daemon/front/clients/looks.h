/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Looks: refreshes of the machine's state by benchd-launch, for requests that report it. One look serves all requests that were made before
 * it began. Each wakes both halves of the daemon, so they are limited to LOOKS_PER_S after a burst of LOOKS_AT_ONCE: else a flood of
 * requests takes the housekeeping CPU from the processes that start on it.
 *
 * The pace is the generic cell rate algorithm (ITU-T I.371, annex A).
 */

#include <stdbool.h>
#include <stdint.h>

#define LOOKS_PER_S   200u
#define LOOKS_AT_ONCE 64u

typedef struct JobServices JobServices;
typedef struct sd_event_source sd_event_source;

typedef void (*LooksDone)(void *userdata);

/* A look has a number, from 1. */
typedef struct Looks {
        const JobServices *services; /* borrowed */
        LooksDone done;              /* called when a look is over */
        void *userdata;
        sd_event_source *next;
        uint64_t due_ns;   /* CLOCK_MONOTONIC: when the next one is due at a pace of LOOKS_PER_S */
        uint64_t begun_ns; /* the last one */
        uint64_t n_wanted;
        uint64_t n_begun;
        uint64_t n_done;
} Looks;

/* Returns 0 or a negative errno. Undone by looks_stop(), also after an error. */
int looks_init(Looks *looks, const JobServices *services, LooksDone done, void *userdata);

/* Begins no more looks. The launcher may still answer until its link is freed. */
void looks_stop(Looks *looks);

/* Asks for a look. Returns the number of the first look that begins after now; 0 if the launcher cannot be asked. */
uint64_t looks_ask(Looks *looks);

bool looks_is_done(const Looks *looks, uint64_t number);

/* True if the look under way began at least @ns before @now_ns: the launcher is busy. */
bool looks_is_late(const Looks *looks, uint64_t now_ns, uint64_t ns);

/* The time from @now_ns until the next look may begin. Pure. */
uint64_t looks_wait_ns(const Looks *looks, uint64_t now_ns);

/* Notes that one begins at @now_ns. Pure. */
void looks_note(Looks *looks, uint64_t now_ns);
