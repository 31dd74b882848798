/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Slices: work too long for one turn of the loop, cut into pieces of about a millisecond. Several tasks alternate slice by slice.
 *
 * A deferred source of sd-event would not do: it stays pending from its start, so the first one runs before all others until it is done. A
 * timer that is always due goes to the end of the line.
 */

#include <stdint.h>

typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

/* Does one slice; calls slices_again() with its source if work is left. Returns 0, or a negative errno, which stops the source. */
typedef int (*SliceHandler)(sd_event_source *source, uint64_t usec, void *userdata);

/* Starts the task. Its first slice runs in a later turn, after sources of a lower @priority. Returns 0 or a negative errno. */
int slices_start(sd_event *event, int64_t priority, SliceHandler slice, void *userdata, sd_event_source **ret_source);

/* Asks for another slice in a later turn. Returns 0 or a negative errno. */
int slices_again(sd_event_source *source, int64_t priority);
