/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/polkit.h"

#include <stdint.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "util/cleanup.h"
#include "util/error.h"

#define PATIENCE_US      (120 * UINT64_C(1000000)) /* to type a password */
#define MAY_ASK_THE_USER 1u

struct PolkitQuestion {
        sd_bus *bus;
        sd_bus_slot *slot;
        PolkitTell tell;
        void *userdata;
};

DEFINE_CLEANUP(PolkitQuestion *, polkit_question_free)

int polkit_connect(sd_event *event, sd_bus **ret_bus) {
        sd_bus *bus;
        int r;

        if (sd_bus_open_system(&bus) < 0)
                return POLKIT_E_UNAVAILABLE;
        r = sd_bus_attach_event(bus, event, SD_EVENT_PRIORITY_NORMAL);
        if (r < 0) {
                sd_bus_close_unref(bus);
                return error_origin(r);
        }
        *ret_bus = bus;
        return 0;
}

static PolkitAnswer read_answer(sd_bus_message *message) {
        int is_authorized, is_challenge;

        if (sd_bus_message_is_method_error(message, NULL))
                return POLKIT_UNAVAILABLE;
        if (sd_bus_message_enter_container(message, 'r', "bba{ss}") < 0 ||
                        sd_bus_message_read(message, "bb", &is_authorized, &is_challenge) < 0)
                return POLKIT_UNAVAILABLE;
        return is_authorized ? POLKIT_YES : POLKIT_NO;
}

static int on_answer(sd_bus_message *message, void *userdata, sd_bus_error *error) {
        PolkitQuestion *question = userdata;

        question->tell(question->userdata, read_answer(message));
        return 1;
}

/* A start time of 0 has polkit look it up. */
static int build(sd_bus *bus, pid_t pid, uid_t uid, const char *action, sd_bus_message **ret_message) {
        int r;

        r = sd_bus_message_new_method_call(bus, ret_message, "org.freedesktop.PolicyKit1",
                        "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority",
                        "CheckAuthorization");
        if (r < 0)
                return error_origin(r);
        r = sd_bus_message_append(*ret_message, "(sa{sv})sa{ss}us", "unix-process", 3, "pid", "u", (uint32_t)pid,
                        "start-time", "t", UINT64_C(0), "uid", "i", (int32_t)uid, action, 0, MAY_ASK_THE_USER, "");
        return r < 0 ? error_origin(r) : 0;
}

int polkit_ask(sd_bus *bus, pid_t pid, uid_t uid, const char *action, PolkitTell tell, void *userdata,
                PolkitQuestion **ret_question) {
        _cleanup_(polkit_question_freep) PolkitQuestion *question = NULL;
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
        int r;

        question = calloc(1, sizeof *question);
        if (!question) {
                sd_bus_close_unref(bus);
                return error_origin(-ENOMEM);
        }
        *question = (PolkitQuestion){ .bus = bus, .tell = tell, .userdata = userdata };
        r = build(bus, pid, uid, action, &message);
        if (r)
                return error_trace(r);
        r = sd_bus_call_async(bus, &question->slot, message, on_answer, question, PATIENCE_US);
        if (r < 0)
                return error_origin(r);
        *ret_question = take_pointer(question);
        return 0;
}

PolkitQuestion *polkit_question_free(PolkitQuestion *question) {
        if (!question)
                return NULL;
        sd_bus_slot_unref(question->slot);
        sd_bus_close_unref(question->bus);
        free(question);
        return NULL;
}
