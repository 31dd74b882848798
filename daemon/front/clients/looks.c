/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/looks.h"

#include <string.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "front/jobs/job.h"
#include "front/jobs/launch-link.h"
#include "ops/ops.h"
#include "util/error.h"

#define LOOKS_APART_NS    (UINT64_C(1000000000) / LOOKS_PER_S)
#define LOOKS_ACCURACY_US 1000u

/* ---- the pace */

uint64_t looks_wait_ns(const Looks *looks, uint64_t now_ns) {
        const uint64_t ahead_ns = (LOOKS_AT_ONCE - 1) * LOOKS_APART_NS;

        return looks->due_ns > now_ns + ahead_ns ? looks->due_ns - ahead_ns - now_ns : 0;
}

void looks_note(Looks *looks, uint64_t now_ns) {
        looks->due_ns = (looks->due_ns > now_ns ? looks->due_ns : now_ns) + LOOKS_APART_NS;
        looks->begun_ns = now_ns;
        looks->n_begun++;
}

/* ---- a look */

/* The time that the loop's timers use, so that the timer of a waiting request does not expire before the look is late. */
static uint64_t looks_now_ns(const Looks *looks) {
        uint64_t now_us = 0;

        (void)sd_event_now(looks->services->event, CLOCK_MONOTONIC, &now_us);
        return now_us * 1000;
}

static bool looks_is_under_way(const Looks *looks) {
        return looks->n_begun > looks->n_done;
}

static int looks_go_on(Looks *looks);

/* If the next look cannot begin, its requests wait only some milliseconds anyway. */
static void looks_on_refined(void *userdata, OpsPacket *packet) {
        Looks *looks = userdata;

        looks->n_done = looks->n_begun;
        (void)looks_go_on(looks);
        looks->done(looks->userdata);
}

static int looks_begin(Looks *looks) {
        OpsRecord record;
        int r;

        memset(&record, 0, sizeof record);
        record.kind = OPS_REFINE;
        r = launch_link_ask(looks->services->link, &record, NULL, 0, looks_on_refined, looks);
        if (r)
                return error_trace(r);
        looks_note(looks, looks_now_ns(looks));
        return 0;
}

/* Begins the next look that is wanted, now or when its time has come. */
static int looks_go_on(Looks *looks) {
        uint64_t wait_ns;
        int r;

        if (looks->n_wanted == looks->n_begun || looks_is_under_way(looks))
                return 0;
        wait_ns = looks_wait_ns(looks, looks_now_ns(looks));
        if (wait_ns == 0)
                return looks_begin(looks);
        r = sd_event_source_set_time_relative(looks->next, wait_ns / 1000);
        if (r >= 0)
                r = sd_event_source_set_enabled(looks->next, SD_EVENT_ONESHOT);
        return r < 0 ? error_origin(r) : 0;
}

static int looks_on_next(sd_event_source *source, uint64_t usec, void *userdata) {
        (void)looks_go_on(userdata);
        return 0;
}

/* ---- in front */

int looks_init(Looks *looks, const JobServices *services, LooksDone done, void *userdata) {
        int r;

        *looks = (Looks){ .services = services, .done = done, .userdata = userdata };
        r = sd_event_add_time_relative(services->event, &looks->next, CLOCK_MONOTONIC, 0, LOOKS_ACCURACY_US,
                        looks_on_next, looks);
        if (r >= 0)
                r = sd_event_source_set_enabled(looks->next, SD_EVENT_OFF);
        return r < 0 ? error_origin(r) : 0;
}

void looks_stop(Looks *looks) {
        looks->next = sd_event_source_disable_unref(looks->next);
}

uint64_t looks_ask(Looks *looks) {
        if (!looks->services->link)
                return 0;
        looks->n_wanted = looks->n_begun + 1;
        return looks_go_on(looks) ? 0 : looks->n_wanted;
}

bool looks_is_done(const Looks *looks, uint64_t number) {
        return looks->n_done >= number;
}

bool looks_is_late(const Looks *looks, uint64_t now_ns, uint64_t ns) {
        return looks_is_under_way(looks) && now_ns - looks->begun_ns >= ns;
}
