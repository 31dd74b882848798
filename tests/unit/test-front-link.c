/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The launcher's side of the connection to benchd: what is asked is told, what is answered arrives, and who breaks the rules or
 * does not read is cut off.
 */

#include "launch/front-link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

#define RECORDS_MANY 10000u /* more than a socket takes */

typedef struct Fixture {
        sd_event *event;
        FrontLink link;
        int front; /* the other end */
        OpsRecord asked;
        unsigned n_asked, n_gone;
} Fixture;

static int on_asked(OpsPacket *packet, void *userdata) {
        Fixture *fixture = userdata;

        fixture->asked = packet->record;
        fixture->n_asked++;
        return 0;
}

static void on_gone(void *userdata) {
        Fixture *fixture = userdata;

        fixture->n_gone++;
        front_link_detach(&fixture->link);
}

static int set_up(void **state) {
        static Fixture fixture;
        Pair pair = pair_new(SOCK_SEQPACKET);

        fixture = (Fixture){ .front = pair.there };
        assert_true(sd_event_new(&fixture.event) >= 0);
        front_link_init(&fixture.link, &(FrontLinkConfig){ fixture.event, on_asked, on_gone, &fixture });
        assert_false(front_link_is_attached(&fixture.link));
        assert_int_equal(front_link_attach(&fixture.link, pair.here), 0);
        *state = &fixture;
        return 0;
}

static int tear_down(void **state) {
        Fixture *fixture = *state;

        front_link_detach(&fixture->link);
        fd_close(fixture->front);
        sd_event_unref(fixture->event);
        return 0;
}

/* Whether anything was to be done. */
static bool turn(Fixture *fixture) {
        return sd_event_run(fixture->event, 0) > 0;
}

static void what_is_asked_is_told_and_its_answer_arrives(void **state) {
        static const OpsRecord question = { .kind = OPS_KILL, .serial = 7, .kill = 11 };
        const OpsRecord answer = ops_refusal(7, OPS_REFUSAL_BUSY, 0);
        Fixture *fixture = *state;
        OpsPacket packet;

        assert_int_equal(ops_send(fixture->front, &question, NULL, 0), 0);
        assert_true(turn(fixture));
        assert_int_equal(fixture->n_asked, 1);
        assert_int_equal(fixture->asked.kill, 11);
        assert_int_equal(front_link_send(&fixture->link, &answer, NULL, 0), 0);
        assert_int_equal(ops_receive(fixture->front, &packet), 0);
        assert_int_equal(packet.record.refused.reason, OPS_REFUSAL_BUSY);
}

static void one_that_is_gone_is_told_once(void **state) {
        const OpsRecord answer = ops_refusal(7, OPS_REFUSAL_BUSY, 0);
        Fixture *fixture = *state;

        fixture->front = fd_close(fixture->front);
        assert_int_equal(front_link_send(&fixture->link, &answer, NULL, 0), 0);
        assert_true(turn(fixture));
        assert_int_equal(fixture->n_gone, 1);
        assert_false(front_link_is_attached(&fixture->link));
        assert_false(turn(fixture));
        assert_int_equal(front_link_send(&fixture->link, &answer, NULL, 0), 0);
        assert_int_equal(fixture->n_gone, 1);
}

static void what_is_no_operation_is_not_told_and_ends_it(void **state) {
        Fixture *fixture = *state;

        assert_int_equal(send(fixture->front, "noise", 5, 0), 5);
        assert_true(turn(fixture));
        assert_int_equal(fixture->n_asked, 0);
        assert_int_equal(fixture->n_gone, 1);
}

static void one_that_does_not_read_is_cut_off(void **state) {
        const OpsRecord answer = ops_refusal(7, OPS_REFUSAL_BUSY, 0);
        Fixture *fixture = *state;

        for (unsigned i = 0; i < RECORDS_MANY && !turn(fixture); i++)
                assert_int_equal(front_link_send(&fixture->link, &answer, NULL, 0), 0);
        assert_int_equal(fixture->n_gone, 1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(what_is_asked_is_told_and_its_answer_arrives, set_up, tear_down),
                cmocka_unit_test_setup_teardown(one_that_is_gone_is_told_once, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_no_operation_is_not_told_and_ends_it, set_up, tear_down),
                cmocka_unit_test_setup_teardown(one_that_does_not_read_is_cut_off, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
