/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/polkit.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define PATIENCE_US      (120 * UINT64_C(1000000)) /* to type a password */
#define MAY_ASK_THE_USER 1u

struct PolkitQuestion {
        sd_bus *bus;
        sd_bus_slot *slot;
        PolkitTell tell;
        void *userdata;
        PolkitSubject subject; /* with its own descriptor */
        const char *action;
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

static int append_subject(sd_bus_message *message, const PolkitSubject *subject) {
        int r;

        r = sd_bus_message_open_container(message, 'r', "sa{sv}");
        if (r >= 0)
                r = sd_bus_message_append(message, "s", "unix-process");
        if (r >= 0)
                r = sd_bus_message_open_container(message, 'a', "{sv}");
        if (r >= 0)
                r = sd_bus_message_append(message, "{sv}{sv}{sv}", "pid", "u", (uint32_t)subject->pid, "start-time",
                                "t", subject->started_ticks, "uid", "i", (int32_t)subject->uid);
        if (r >= 0 && subject->pidfd >= 0)
                r = sd_bus_message_append(message, "{sv}", "pidfd", "h", subject->pidfd);
        if (r >= 0)
                r = sd_bus_message_close_container(message);
        return r < 0 ? r : sd_bus_message_close_container(message);
}

static int make_call(sd_bus *bus, const char *interface, const char *method, sd_bus_message **ret_message) {
        int r = sd_bus_message_new_method_call(bus, ret_message, "org.freedesktop.PolicyKit1",
                        "/org/freedesktop/PolicyKit1/Authority", interface, method);

        return r < 0 ? error_origin(r) : 0;
}

static int question_send(PolkitQuestion *question) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
        int r;

        r = make_call(question->bus, "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization", &message);
        if (r)
                return error_trace(r);
        r = append_subject(message, &question->subject);
        if (r >= 0)
                r = sd_bus_message_append(message, "sa{ss}us", question->action, 0, MAY_ASK_THE_USER, "");
        question->slot = sd_bus_slot_unref(question->slot);
        if (r >= 0)
                r = sd_bus_call_async(question->bus, &question->slot, message, on_answer, question, PATIENCE_US);
        return r < 0 ? error_origin(r) : 0;
}

static int on_ready(sd_bus_message *message, void *userdata, sd_bus_error *error) {
        PolkitQuestion *question = userdata;

        if (sd_bus_can_send(question->bus, 'h') <= 0)
                question->subject.pidfd = fd_close(question->subject.pidfd);
        if (question_send(question))
                question->tell(question->userdata, POLKIT_UNAVAILABLE);
        return 1;
}

/* A descriptor can be put in no message before the connection is complete, for which sd-bus would wait: so it is asked for a sign of life. */
static int question_begin(PolkitQuestion *question) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
        int r;

        if (question->subject.pidfd < 0)
                return error_trace(question_send(question));
        r = make_call(question->bus, "org.freedesktop.DBus.Peer", "Ping", &message);
        if (r)
                return error_trace(r);
        r = sd_bus_call_async(question->bus, &question->slot, message, on_ready, question, PATIENCE_US);
        return r < 0 ? error_origin(r) : 0;
}

int polkit_ask(sd_bus *bus, const PolkitSubject *subject, const char *action, PolkitTell tell, void *userdata,
                PolkitQuestion **ret_question) {
        _cleanup_(polkit_question_freep) PolkitQuestion *question = NULL;
        int r;

        question = calloc(1, sizeof *question);
        if (!question) {
                sd_bus_close_unref(bus);
                return error_origin(-ENOMEM);
        }
        *question = (PolkitQuestion){ .bus = bus,
                .tell = tell,
                .userdata = userdata,
                .subject = *subject,
                .action = action };
        question->subject.pidfd = subject->pidfd < 0 ? -1 : fcntl(subject->pidfd, F_DUPFD_CLOEXEC, 0);
        r = question_begin(question);
        if (r)
                return error_trace(r);
        *ret_question = take_pointer(question);
        return 0;
}

PolkitQuestion *polkit_question_free(PolkitQuestion *question) {
        if (!question)
                return NULL;
        sd_bus_slot_unref(question->slot);
        sd_bus_close_unref(question->bus);
        fd_close(question->subject.pidfd);
        free(question);
        return NULL;
}
