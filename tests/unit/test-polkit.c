/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Asking polkit, with a stand-in for it at the other end of a bus that has two ends only: what is asked, and what each
 * answer, error or silence comes to.
 */

#include "front/clients/polkit.h"

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "test.h"

#define PID   4711
#define UID   1234
#define START 98765

static PolkitSubject subject = { .pid = PID, .uid = UID, .started_ticks = START, .pidfd = -1 };

/* What the stand-in does, and what it was asked. */
typedef enum Conduct {
        CONDUCT_YES,
        CONDUCT_NO,
        CONDUCT_ERROR,
        CONDUCT_NONSENSE,
        CONDUCT_SILENCE,
        CONDUCT_HANG_UP,
} Conduct;

static sd_event *event;
static sd_bus *authority, *bus;
static Conduct conduct;
static char asked_action[64], asked_kind[32];
static uint32_t asked_pid, asked_flags;
static uint64_t asked_start;
static int32_t asked_uid;
static int asked_fd; /* a copy; -1: none was given */
static unsigned n_asked, n_told;
static PolkitAnswer told;

static void read_pidfd(sd_bus_message *message) {
        int fd;

        assert_true(sd_bus_message_read(message, "v", "h", &fd) > 0);
        asked_fd = dup(fd);
        assert_true(asked_fd >= 0);
}

static void read_subject(sd_bus_message *message) {
        const char *kind, *key;

        assert_true(sd_bus_message_enter_container(message, 'r', "sa{sv}") > 0);
        assert_true(sd_bus_message_read(message, "s", &kind) > 0);
        strcpy(asked_kind, kind);
        assert_true(sd_bus_message_enter_container(message, 'a', "{sv}") > 0);
        while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
                assert_true(sd_bus_message_read(message, "s", &key) > 0);
                if (strcmp(key, "pid") == 0)
                        assert_true(sd_bus_message_read(message, "v", "u", &asked_pid) > 0);
                else if (strcmp(key, "uid") == 0)
                        assert_true(sd_bus_message_read(message, "v", "i", &asked_uid) > 0);
                else if (strcmp(key, "start-time") == 0)
                        assert_true(sd_bus_message_read(message, "v", "t", &asked_start) > 0);
                else if (strcmp(key, "pidfd") == 0)
                        read_pidfd(message);
                else
                        assert_true(sd_bus_message_skip(message, "v") > 0);
                sd_bus_message_exit_container(message);
        }
        sd_bus_message_exit_container(message);
        sd_bus_message_exit_container(message);
}

static int answer(sd_bus_message *message) {
        switch (conduct) {
        case CONDUCT_YES:
        case CONDUCT_NO:
                return sd_bus_reply_method_return(message, "(bba{ss})", conduct == CONDUCT_YES, conduct == CONDUCT_NO,
                                0);
        case CONDUCT_ERROR:
                return sd_bus_reply_method_errorf(message, "org.freedesktop.PolicyKit1.Error.Failed", "no such action");
        case CONDUCT_NONSENSE:
                return sd_bus_reply_method_return(message, "s", "yes");
        case CONDUCT_HANG_UP:
                sd_bus_close(authority);
                return 1;
        default:
                return 1;
        }
}

static int on_call(sd_bus_message *message, void *userdata, sd_bus_error *error) {
        const char *action;

        if (!sd_bus_message_is_method_call(message, "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization"))
                return 0;
        n_asked++;
        read_subject(message);
        assert_true(sd_bus_message_read(message, "s", &action) > 0);
        strcpy(asked_action, action);
        assert_true(sd_bus_message_skip(message, "a{ss}") > 0);
        assert_true(sd_bus_message_read(message, "u", &asked_flags) > 0);
        return answer(message);
}

static void on_told(void *userdata, PolkitAnswer answered) {
        n_told++;
        told = answered;
        if (userdata)
                *(PolkitQuestion **)userdata = polkit_question_free(*(PolkitQuestion **)userdata);
}

static sd_bus *bus_end(int fd, bool server) {
        sd_id128_t id = {};
        sd_bus *end;

        assert_true(sd_bus_new(&end) >= 0);
        assert_true(sd_bus_set_fd(end, fd, fd) >= 0);
        if (server)
                assert_true(sd_bus_set_server(end, 1, id) >= 0);
        assert_true(sd_bus_set_anonymous(end, 1) >= 0);
        assert_true(sd_bus_negotiate_fds(end, 1) >= 0);
        assert_true(sd_bus_start(end) >= 0);
        assert_true(sd_bus_attach_event(end, event, 0) >= 0);
        return end;
}

static int set_up(void **state) {
        int sockets[2];

        n_asked = n_told = 0;
        asked_fd = -1;
        assert_true(sd_event_new(&event) >= 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets), 0);
        authority = bus_end(sockets[0], true);
        bus = bus_end(sockets[1], false);
        assert_true(sd_bus_add_filter(authority, NULL, on_call, NULL) >= 0);
        return 0;
}

static int tear_down(void **state) {
        sd_bus_close_unref(authority);
        event = sd_event_unref(event);
        return 0;
}

TEST_EACH(set_up, tear_down)

static void turn(void) {
        while (sd_event_run(event, 0) > 0) {
        }
}

static void turn_until_told(void) {
        while (n_told == 0)
                assert_true(sd_event_run(event, UINT64_MAX) >= 0);
}

static PolkitAnswer ask(Conduct how) {
        PolkitQuestion *question;

        conduct = how;
        assert_int_equal(polkit_ask(bus, &subject, "org.benchd.set-governor", on_told, &question, &question), 0);
        turn_until_told();
        assert_int_equal(n_told, 1);
        return told;
}

TEST(it_is_asked_about_the_clients_process_and_user) {
        assert_int_equal(ask(CONDUCT_YES), POLKIT_YES);
        assert_int_equal(n_asked, 1);
        assert_string_equal(asked_kind, "unix-process");
        assert_int_equal(asked_pid, PID);
        assert_int_equal(asked_uid, UID);
        assert_int_equal(asked_start, START);
        assert_int_equal(asked_fd, -1);
        assert_string_equal(asked_action, "org.benchd.set-governor");
        assert_int_equal(asked_flags, 1);
}

TEST(a_process_of_which_there_is_a_descriptor_is_asked_about_by_that_too) {
        int ends[2];
        char byte;

        assert_int_equal(pipe(ends), 0);
        subject.pidfd = ends[1];
        assert_int_equal(ask(CONDUCT_YES), POLKIT_YES);
        subject.pidfd = -1;
        assert_int_equal(write(asked_fd, "x", 1), 1);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        assert_int_equal(asked_pid, PID);
        assert_int_equal(asked_start, START);
        assert_int_equal(asked_uid, UID);
        asked_fd = fd_close(asked_fd);
        fd_close(ends[0]);
        fd_close(ends[1]);
}

TEST(what_would_take_a_password_is_no) {
        assert_int_equal(ask(CONDUCT_NO), POLKIT_NO);
}

TEST(an_error_is_not_taken_for_a_yes) {
        assert_int_equal(ask(CONDUCT_ERROR), POLKIT_UNAVAILABLE);
}

TEST(an_answer_of_another_form_is_not_taken_for_a_yes) {
        assert_int_equal(ask(CONDUCT_NONSENSE), POLKIT_UNAVAILABLE);
}

TEST(a_bus_that_ends_is_told) {
        assert_int_equal(ask(CONDUCT_HANG_UP), POLKIT_UNAVAILABLE);
}

TEST(a_question_that_was_freed_is_not_answered) {
        PolkitQuestion *question;

        conduct = CONDUCT_SILENCE;
        assert_int_equal(polkit_ask(bus, &subject, "org.benchd.set-governor", on_told, NULL, &question), 0);
        while (n_asked == 0)
                assert_true(sd_event_run(event, UINT64_MAX) >= 0);
        polkit_question_free(question);
        turn();
        assert_int_equal(n_told, 0);
}

TEST(without_a_bus_it_is_unavailable) {
        sd_bus *none;

        setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
        assert_int_equal(polkit_connect(event, &none), POLKIT_E_UNAVAILABLE);
        sd_bus_close_unref(bus);
}
