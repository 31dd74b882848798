/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A request that the configuration does not allow waits for polkit, and is carried out if it says yes, of the process that connected and of
 * no other. polkit and its bus are a stand-in at a socket of the test's own.
 */

#include "front/clients/permission.h"

#include <systemd/sd-bus.h>

#include "front-end.h"
#include "front/clients/clients.h"

#define STRANGER 1234u

static sd_bus *authority;
static sd_event_source *door;
static bool says_yes;
static unsigned n_asked;
static char bus_path[64], asked_action[64];

static int on_message(sd_bus_message *message, void *userdata, sd_bus_error *error) {
        const char *action;

        if (sd_bus_message_is_method_call(message, "org.freedesktop.DBus", "Hello"))
                return sd_bus_reply_method_return(message, "s", ":1.7");
        if (!sd_bus_message_is_method_call(message, NULL, "CheckAuthorization"))
                return 0;
        n_asked++;
        assert_true(sd_bus_message_skip(message, "(sa{sv})") > 0);
        assert_true(sd_bus_message_read(message, "s", &action) > 0);
        snprintf(asked_action, sizeof asked_action, "%s", action);
        return sd_bus_reply_method_return(message, "(bba{ss})", says_yes, 0, 0);
}

static int on_knock(sd_event_source *source, int listener, uint32_t events, void *userdata) {
        sd_id128_t id = {};
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        authority = sd_bus_close_unref(authority); /* of the question before */
        assert_true(fd >= 0 && sd_bus_new(&authority) >= 0 && sd_bus_set_fd(authority, fd, fd) >= 0);
        assert_true(sd_bus_set_server(authority, 1, id) >= 0 && sd_bus_negotiate_fds(authority, 1) >= 0);
        assert_true(sd_bus_add_filter(authority, NULL, on_message, NULL) >= 0 && sd_bus_start(authority) >= 0);
        return sd_bus_attach_event(authority, sd_event_source_get_event(source), 0);
}

static int begin(void **state) {
        char address[96];
        int listener;

        assert_int_equal(set_up(state), 0);
        assert_int_equal(chmod(directory, 0711) || chmod(path, 0666), 0);
        snprintf(bus_path, sizeof bus_path, "%s/bus", directory);
        snprintf(address, sizeof address, "unix:path=%s", bus_path);
        setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1);
        assert_int_equal(socket_listen(bus_path, 0666, &listener), 0);
        assert_true(sd_event_add_io(the_daemon->services.event, &door, listener, EPOLLIN, on_knock, NULL) >= 0);
        sd_event_source_set_io_fd_own(door, true);
        tell_machine(true);
        n_asked = 0;
        asked_action[0] = 0;
        return 0;
}

static int end(void **state) {
        authority = sd_bus_close_unref(authority);
        door = sd_event_source_disable_unref(door);
        unlink(bus_path);
        return tear_down(state);
}

static uid_t stranger(void) {
        return geteuid() == 0 ? STRANGER : geteuid();
}

/* Asks under the id 2 for a governor, as a user who is not listed: root without root's rights, or who runs the test. */
static Client *ask_governor(void) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__SetGovernorRequest governor = BENCHD__SET_GOVERNOR_REQUEST__INIT;
        uid_t own = geteuid();
        Client *client;

        the_daemon->machine.privileged = 1;
        the_daemon->clients->access = (Access){};
        assert_int_equal(setresuid(-1, stranger(), -1), 0);
        client = connect_client();
        assert_int_equal(setresuid(-1, own, -1), 0);
        governor.name = (char *)"performance";
        request.id = 2, request.has_id = 1;
        request.set_governor = &governor;
        send_request(client, &request, NULL, 0);
        return client;
}

static void tell_peer(uint64_t started_ticks, uid_t uid) {
        const OpsPacket question = expect(OPS_PEER);

        answer(&question,
                        (OpsRecord){ .kind = OPS_PEER_IS,
                                        .peer = { .pid = getpid(), .uid = uid, .started_ticks = started_ticks } },
                        NULL, 0);
}

static void assert_denied(Client *client) {
        Benchd__Reply *reply = next_reply(client, false);

        assert_non_null(reply);
        assert_int_equal(reply->error->code, BENCHD__ERROR__CODE__DENIED);
        assert_non_null(strstr(reply->error->hint, "set_governor="));
        assert_non_null(strstr(reply->error->hint, "org.benchd.set-governor"));
        expect_nothing();
}

TEST(what_polkit_allows_is_done, begin, end) {
        ask_governor();
        says_yes = true;
        tell_peer(1, stranger());
        expect(OPS_GOVERNOR);
        assert_int_equal(n_asked, 1);
        assert_string_equal(asked_action, "org.benchd.set-governor");
}

TEST(what_it_does_not_allow_is_refused_with_the_rule, begin, end) {
        Client *client = ask_governor();

        says_yes = false;
        tell_peer(1, stranger());
        assert_denied(client);
        assert_int_equal(n_asked, 1);
}

/* The number of the process that connected has gone to another one since; or the launcher cannot tell. */
TEST(nobody_is_asked_about_who_did_not_connect, begin, end) {
        Client *client;

        says_yes = true;
        client = ask_governor();
        tell_peer(UINT64_MAX / 100000000, stranger());
        assert_denied(client);
        client = ask_governor();
        tell_peer(0, stranger());
        assert_denied(client);
        client = ask_governor();
        tell_peer(1, stranger() + 1);
        assert_denied(client);
        assert_int_equal(n_asked, 0);
}

TEST(who_leaves_meanwhile_gets_nothing_done, begin, end) {
        Client *client = ask_governor();
        OpsPacket question = expect(OPS_PEER);

        says_yes = true;
        leave(client);
        answer(&question,
                        (OpsRecord){ .kind = OPS_PEER_IS, .peer = { .pid = 1, .uid = stranger(), .started_ticks = 1 } },
                        NULL, 0);
        expect_nothing();
        assert_int_equal(n_asked, 0);
}
