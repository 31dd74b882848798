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

#define RECORDS_MANY   10000u /* more than a socket takes */
#define QUESTIONS_MANY 500u
#define ENDS_MANY      100u

typedef struct Fixture {
        sd_event *event;
        FrontLink link;
        int front; /* the other end */
        OpsRecord asked;
        unsigned n_asked, n_gone;
        bool answers; /* what it is asked */
} Fixture;

static int on_asked(OpsPacket *packet, void *userdata) {
        Fixture *fixture = userdata;

        fixture->asked = packet->record;
        fixture->n_asked++;
        if (fixture->answers) {
                const OpsRecord answer = ops_refusal(packet->record.serial, OPS_REFUSAL_BUSY, 0);

                return front_link_send(&fixture->link, &answer, NULL, 0);
        }
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

static void a_ticket_whose_descriptors_find_no_room_is_refused_as_busy(void **state) {
        static const OpsRecord question = { .kind = OPS_TICKET_OPEN, .serial = 7 };
        Fixture *fixture = *state;
        OpsPacket packet;

        assert_int_equal(ops_send(fixture->front, &question, (int[]){ 0, 1 }, 2), 0);
        limit_files(0);
        assert_true(turn(fixture));
        limit_files(RLIM_INFINITY);
        assert_int_equal(fixture->n_asked, 0);
        assert_int_equal(fixture->n_gone, 0);
        assert_int_equal(ops_receive(fixture->front, &packet), 0);
        assert_int_equal(packet.record.kind, OPS_REFUSED);
        assert_int_equal(packet.record.serial, 7);
        assert_int_equal(packet.record.refused.reason, OPS_REFUSAL_FILES);
}

static void questions_in_a_burst_are_all_answered(void **state) {
        Fixture *fixture = *state;
        OpsRecord question = { .kind = OPS_KILL };
        unsigned n_sent = 0, n_answered = 0;
        OpsPacket packet;

        fixture->answers = true;
        assert_int_equal(fd_set_nonblock(fixture->front, true), 0);
        while (n_answered < QUESTIONS_MANY) {
                /* As many as there is room for, while the launcher answers, before it looks at an answer. */
                while (n_sent < QUESTIONS_MANY) {
                        question.serial = question.kill = n_sent + 1;
                        if (ops_send(fixture->front, &question, NULL, 0) != 0)
                                break;
                        n_sent++;
                        turn(fixture);
                }
                while (turn(fixture))
                        ;
                assert_int_equal(fixture->n_gone, 0);
                for (; ops_receive(fixture->front, &packet) == 0; n_answered++)
                        assert_int_equal(packet.record.serial, n_answered + 1);
        }
        assert_int_equal(fixture->n_asked, QUESTIONS_MANY);
}

/* The ends of processes come whether benchd reads or not. */
static void what_finds_no_room_waits_with_its_descriptors(void **state) {
        OpsRecord end = { .kind = OPS_ENDED };
        Fixture *fixture = *state;
        unsigned n_read = 0;
        OpsPacket packet;

        for (unsigned i = 0; i < ENDS_MANY; i++) {
                end.ended.process = i;
                assert_int_equal(front_link_send(&fixture->link, &end, (int[]){ 0, 1 }, 2), 0);
        }
        assert_int_equal(fd_set_nonblock(fixture->front, true), 0);
        do {
                while (ops_receive(fixture->front, &packet) == 0) {
                        assert_int_equal(packet.record.ended.process, n_read++);
                        assert_int_equal(packet.n_fds, 2);
                        ops_packet_close(&packet);
                }
        } while (turn(fixture));
        assert_int_equal(n_read, ENDS_MANY);
        assert_int_equal(fixture->n_gone, 0);
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
                cmocka_unit_test_setup_teardown(a_ticket_whose_descriptors_find_no_room_is_refused_as_busy, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(questions_in_a_burst_are_all_answered, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_finds_no_room_waits_with_its_descriptors, set_up, tear_down),
                cmocka_unit_test_setup_teardown(one_that_is_gone_is_told_once, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_no_operation_is_not_told_and_ends_it, set_up, tear_down),
                cmocka_unit_test_setup_teardown(one_that_does_not_read_is_cut_off, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
