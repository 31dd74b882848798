/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The end of an event loop: what is freed after it still closes, tells and sends, but the loop watches nothing more for it. A source that is
 * added or changed then is an error (ESTALE) that is no fault.
 */

#include <stdbool.h>
#include <systemd/sd-event.h>

static inline bool loop_is_over(sd_event *event) {
        return sd_event_get_state(event) == SD_EVENT_FINISHED;
}
