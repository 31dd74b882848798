/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/slices.h"

#include <systemd/sd-event.h>
#include <time.h>

#include "util/error.h"

#define SLICES_ACCURACY_US 1u

int slices_start(sd_event *event, int64_t priority, SliceHandler slice, void *userdata, sd_event_source **ret_source) {
        sd_event_source *source = NULL;
        int r;

        r = sd_event_add_time_relative(event, &source, CLOCK_MONOTONIC, 0, SLICES_ACCURACY_US, slice, userdata);
        if (r >= 0)
                r = sd_event_source_set_priority(source, priority);
        if (r < 0) {
                sd_event_source_disable_unref(source);
                return error_origin(r);
        }
        *ret_source = source;
        return 0;
}

int slices_again(sd_event_source *source, int64_t priority) {
        int r;

        r = sd_event_source_set_priority(source, priority);
        if (r >= 0)
                r = sd_event_source_set_time_relative(source, 0);
        if (r >= 0)
                r = sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
        return r < 0 ? error_origin(r) : 0;
}
