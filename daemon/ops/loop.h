/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The end of an event loop: objects that are freed after it still close, report and send, but the loop no longer watches anything for them.
 * Adding or changing a source then fails with ESTALE, which is not a fault.
 */

#include <stdbool.h>
#include <systemd/sd-event.h>

static inline bool loop_is_over(sd_event *event) {
        return sd_event_get_state(event) == SD_EVENT_FINISHED;
}
