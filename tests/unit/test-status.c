/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A status waits for nobody: neither for the first calibration, unless it is asked to, nor for a launcher that is busy.
 */

#include "front/clients/status.h"

#include "front-end.h"

static void ask(Client *client, uint64_t id, bool await_clock) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__StatusRequest status = BENCHD__STATUS_REQUEST__INIT;

        request.id = id, request.has_id = 1;
        status.await_clock = status.has_await_clock = await_clock;
        request.status = &status;
        send_request(client, &request, NULL, 0);
}

static void expect_status(Client *client, uint64_t id, bool calibrating) {
        Benchd__Reply *reply = next_reply(client, false);

        assert_non_null(reply);
        assert_int_equal(reply->id, id);
        assert_non_null(reply->status);
        assert_int_equal(reply->status->calibrating, calibrating);
}

static void answer_refined(const OpsPacket *question) {
        answer(question, (OpsRecord){ .kind = OPS_REFINED }, NULL, 0);
}

/* The launcher is asked to look at the clock, and does. */
static void refine(void) {
        const OpsPacket question = expect(OPS_REFINE);

        answer_refined(&question);
}

TEST(during_the_first_calibration_it_says_so_at_once) {
        Client *client = connect_client();

        tell_machine(false);
        ask(client, 2, false);
        expect_status(client, 2, true);
        expect_nothing();
        tell_machine(true);
}

TEST(it_waits_for_the_clock_where_it_is_asked_to) {
        Client *client = connect_client();

        tell_machine(false);
        ask(client, 2, true);
        refine();
        assert_null(next_reply(client, false));
        ask(client, 3, false);
        expect_status(client, 3, true);
        tell_machine(true);
        expect_status(client, 2, false);
}

TEST(a_launcher_that_is_busy_is_not_waited_for_and_asked_once) {
        Client *client = connect_client();
        OpsPacket question;
        Benchd__Reply *reply;

        ask(client, 2, false);
        question = expect(OPS_REFINE);
        assert_null(next_reply(client, false));
        while (!(reply = next_reply(client, false)))
                assert_true(sd_event_run(the_daemon->services.event, UINT64_MAX) >= 0);
        assert_int_equal(reply->id, 2);
        ask(client, 3, false);
        expect_status(client, 3, false);
        expect_nothing();
        answer_refined(&question);
        assert_null(next_reply(client, false));
        ask(client, 4, false);
        refine();
        expect_status(client, 4, false);
}

TEST(one_look_serves_all_who_asked_before_it_began) {
        Client *clients[] = { connect_client(), connect_client(), connect_client() };
        OpsPacket question;

        ask(clients[0], 2, false);
        question = expect(OPS_REFINE);
        for (int i = 1; i < 3; i++)
                ask(clients[i], 2, true);
        expect_nothing();
        answer_refined(&question);
        expect_status(clients[0], 2, false);
        assert_null(next_reply(clients[1], false));
        refine();
        for (int i = 1; i < 3; i++)
                expect_status(clients[i], 2, false);
        expect_nothing();
}

/* Without a wait: another look would begin some milliseconds later. */
TEST(who_asks_without_end_is_kept_waiting) {
        Client *client = connect_client();

        the_daemon->clients->looks.due_ns = UINT64_MAX;
        ask(client, 2, true);
        expect_nothing();
        assert_null(next_reply(client, false));
        the_daemon->clients->looks.due_ns = 0;
        leave(client);

        client = connect_client();
        ask(client, 2, true);
        refine();
        expect_status(client, 2, false);
}

TEST(who_asked_may_leave) {
        OpsPacket question;

        for (int i = 0; i < 2; i++) {
                Client *client = connect_client();

                tell_machine(i == 0);
                ask(client, 2, true);
                question = expect(OPS_REFINE);
                if (i == 0) {
                        leave(client);
                        answer_refined(&question);
                } else {
                        answer_refined(&question);
                        leave(client);
                }
                expect_nothing();
        }
        tell_machine(true);
}
