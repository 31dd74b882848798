/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A job does not need who asked for it, if it is detached, nor who waits for it; and tells all that watch.
 */

#include "front/jobs/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "front-end.h"
#include "front/history/job-record.h"

/* The run_id of a detached run, whose client has left. */
static char *detach_and_leave(OpsPacket *ret_question) {
        Client client = connect_client();
        Benchd__Reply *reply;
        OpsPacket question;
        char *run_id;

        ask_run_as(&client, true);
        question = expect(OPS_TICKET_OPEN);
        assert_null(next_reply(&client, true));
        answer_opened(&question);
        *ret_question = expect(OPS_SPAWN);
        reply = next_reply(&client, true);
        assert_non_null(reply->accepted);
        assert_true(reply->last);
        run_id = strdup(reply->accepted->run_id);
        benchd__reply__free_unpacked(reply, NULL);
        assert_null(next_reply(&client, true));
        leave(&client);
        return run_id;
}

static void a_detached_run_goes_on_and_is_told_to_who_waits(void **state) {
        OpsPacket question;
        char *run_id = detach_and_leave(&question);
        Client waiting = connect_client();
        Benchd__Reply *reply;

        ask_about(&waiting, run_id, true);
        reply = next_reply(&waiting, true);
        assert_string_equal(reply->accepted->run_id, run_id);
        assert_false(reply->last);
        benchd__reply__free_unpacked(reply, NULL);
        answer_started(&question);
        answer_ended(&question, listing, sizeof *listing);
        answer_inspecting();
        for (int i = 0; i < 2; i++) {
                question = expect(OPS_SPAWN);
                answer_started(&question);
                answer_ended(&question, samples, sizeof *samples);
        }
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
        for (int again = 0; again < 2; again++) {
                reply = next_reply(&waiting, false);
                assert_int_equal(reply->id, 4);
                assert_string_equal(reply->benchmark->name, "name");
                benchd__reply__free_unpacked(reply, NULL);
                reply = next_reply(&waiting, false);
                assert_true(reply->last);
                assert_string_equal(reply->result->run_id, run_id);
                benchd__reply__free_unpacked(reply, NULL);
                ask_about(&waiting, run_id, false);
        }
        leave(&waiting);
        free(run_id);
}

static void who_waits_and_leaves_leaves_the_job_alone(void **state) {
        Client first = connect_client(), waiting = connect_client();
        OpsPacket question = bring_to_measuring(&first);

        ask_about(&waiting, TAILQ_FIRST(&the_daemon->services.jobs)->record->run_id, true);
        leave(&waiting);
        expect_nothing();
        answer_started(&question);
        answer_ended(&question, samples, sizeof *samples);
        expect(OPS_SPAWN);
        leave(&first);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_detached_run_goes_on_and_is_told_to_who_waits, set_up, tear_down),
                cmocka_unit_test_setup_teardown(who_waits_and_leaves_leaves_the_job_alone, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
