/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Looks of benchd-launch at its machine, for the requests that tell of it. One look serves all who asked before it began. Each wakes both
 * halves of the daemon, so there are at most LOOKS_PER_S a second, after LOOKS_AT_ONCE that come as they are asked for: else a flood of
 * requests takes the housekeeping CPU from the processes that are being born on it.
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
        LooksDone done;              /* is called when a look is over */
        void *userdata;
        sd_event_source *next;
        uint64_t due_ns;   /* CLOCK_MONOTONIC: the time of the next one, had all kept LOOKS_PER_S */
        uint64_t begun_ns; /* the last one */
        uint64_t n_wanted;
        uint64_t n_begun;
        uint64_t n_done;
} Looks;

/* Returns 0 or a negative errno. Undone by looks_stop(), also after an error. */
int looks_init(Looks *looks, const JobServices *services, LooksDone done, void *userdata);

/* None begins any more. The launcher may answer until its link is freed. */
void looks_stop(Looks *looks);

/* Asks for a look. Returns the number of the first one that begins after now; 0 where the launcher cannot be asked. */
uint64_t looks_ask(Looks *looks);

bool looks_is_done(const Looks *looks, uint64_t number);

/* True if a look that is under way began @ns or longer before @now_ns: the launcher has other work. */
bool looks_is_late(const Looks *looks, uint64_t now_ns, uint64_t ns);

/* The time from @now_ns until the next look may begin. Pure. */
uint64_t looks_wait_ns(const Looks *looks, uint64_t now_ns);

/* Notes that one begins at @now_ns. Pure. */
void looks_note(Looks *looks, uint64_t now_ns);
