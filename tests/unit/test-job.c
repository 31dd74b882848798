/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Jobs: what is asked of the launcher, in which order, and that whatever happens its tickets are closed and its processes
 * killed.
 */

#include "front/jobs/job.h"

#include "front-end.h"
#include "front/jobs/jobs.h"

static void cancel(Client *client) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__CancelRequest of = BENCHD__CANCEL_REQUEST__INIT;

        of.request_id = 2, of.has_request_id = 1;
        request.id = 3, request.has_id = 1;
        request.cancel = &of;
        send_request(client, &request, NULL, 0);
        assert_true(next_reply(client, false)->cancel->found);
}

TEST(a_run_goes_its_way_and_leaves_nothing) {
        Client *client = connect_client();
        OpsPacket question = bring_to_measuring(client);
        Benchd__Reply *reply;

        for (int i = 0; i < 2; i++) {
                if (i > 0)
                        question = expect(OPS_SPAWN);
                assert_string_equal(question.record.spawn.plan.sides[0].benchmark, "name");
                answer_measured(&question);
        }
        assert_int_equal(expect(OPS_TICKET_CLOSE).record.ticket_close, TICKET);
        expect_no_jobs();

        reply = next_reply(client, false);
        assert_non_null(reply->benchmark);
        assert_false(reply->last);
        assert_int_equal(reply->id, 2);
        assert_true(reply->benchmark->time_ns->point > 4.999 && reply->benchmark->time_ns->point < 5.001);
        reply = next_reply(client, false);
        assert_true(reply->last);
        assert_int_equal(reply->result->verdict, BENCHD__RUN_RESULT__VERDICT__FIT);
        /* SHA-256 of "text" */
        assert_string_equal(reply->result->module->sha256,
                        "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1");
}

TEST(a_list_needs_no_turn_and_no_clock) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__ListRequest list = BENCHD__LIST_REQUEST__INIT;
        Client *other = connect_client(), *client = connect_client();
        Benchd__Reply *reply;
        int fd;

        bring_to_measuring(other);
        tell_machine(false);
        assert_int_equal(fd_memfd_sealed("module", "text", 4, &fd), 0);
        request.id = 2, request.has_id = 1;
        request.list = &list;
        send_request(client, &request, &fd, 1);
        fd_close(fd);
        answer_listing();
        reply = next_reply(client, false);
        assert_true(reply->last);
        assert_int_equal(reply->listing->n_benchmarks, 1);
        assert_string_equal(reply->listing->benchmarks[0]->name, "name");
        expect(OPS_TICKET_CLOSE);
}

TEST(nothing_is_measured_before_the_clock_is_known) {
        Client *client = connect_client();

        tell_machine(false);
        ask_run(client);
        answer_loading();
        expect_nothing();
        tell_machine(true);
        expect_spawn(RUNNER_MODE_RUN);
}

TEST(one_is_measured_while_the_others_wait_and_are_told_so) {
        Client *first = connect_client(), *second = connect_client();
        OpsPacket running = bring_to_measuring(first);
        Benchd__Reply *reply;
        bool queued = false;

        ask_run(second);
        answer_loading();
        expect_nothing();
        while ((reply = next_reply(second, true))) {
                queued |= reply->progress && reply->progress->stage == BENCHD__PROGRESS__STAGE__QUEUED &&
                          reply->progress->queue_position == 1;
        }
        assert_true(queued);

        answer_started(&running);
        leave(first);
        expect_kill();
        expect_nothing(); /* the CPU is not free before the process is dead */
        answer_killed(&running);
        expect(OPS_TICKET_CLOSE);
        expect_spawn(RUNNER_MODE_RUN);
}

/* ---- turns */

/* Brings a run of two processes of one user to its first process, and behind it that of another user. */
static OpsPacket bring_two_users(Client **first, Client **second) {
        OpsPacket question;

        *first = connect_other(2001);
        *second = connect_other(2002);
        question = bring_to_measuring(*first);
        answer_started(&question);
        ask_run(*second);
        answer_loading();
        expect_nothing();
        return question;
}

static void end_a_turn(const OpsPacket *question) {
        answer_ended_after(question, samples, sizeof *samples, QUEUE_TURN_NS);
}

/* NULL: there is none. */
static const Job *find_job(uid_t uid) {
        const Job *job = TAILQ_FIRST(&the_daemon->services.jobs);

        while (job && job_view(job).uid != uid)
                job = job_next(job);
        return job;
}

static JobView job_of(uid_t uid) {
        const Job *job = find_job(uid);

        assert_non_null(job);
        return job_view(job);
}

/* The latest progress that was told to @client. */
static Benchd__Reply *latest_progress(Client *client) {
        Benchd__Reply *reply, *latest = NULL;

        while ((reply = next_reply(client, true)))
                latest = reply->progress ? reply : latest;
        assert_non_null(latest);
        return latest;
}

TEST(a_run_yields_its_turn_to_another_users_and_goes_on_after_it) {
        Client *first, *second;
        OpsPacket question = bring_two_users(&first, &second);
        Benchd__Reply *reply;

        end_a_turn(&question);
        question = expect(OPS_SPAWN);
        assert_int_equal(job_of(2001).state, JOB_PAUSED);
        assert_int_equal(job_of(2002).state, JOB_MEASURING);
        reply = latest_progress(first);
        assert_int_equal(reply->progress->stage, BENCHD__PROGRESS__STAGE__QUEUED);
        assert_int_equal(reply->progress->process, 1);
        assert_int_equal(reply->progress->standing->turns_before, 1);

        answer_started(&question);
        end_a_turn(&question);
        question = expect(OPS_SPAWN);
        assert_int_equal(job_of(2001).state, JOB_MEASURING);
        answer_measured(&question);
        expect(OPS_TICKET_CLOSE);
        reply = next_reply(first, false);
        reply = next_reply(first, false);
        assert_int_equal(reply->result->turns, 2);
        assert_int_equal(reply->result->verdict, BENCHD__RUN_RESULT__VERDICT__FIT);
        expect(OPS_SPAWN); /* the second's other process */
}

TEST(a_run_between_its_turns_is_cancelled_with_what_it_has) {
        Client *first, *second;
        OpsPacket question = bring_two_users(&first, &second);

        end_a_turn(&question);
        expect(OPS_SPAWN);
        latest_progress(first);
        cancel(first);
        assert_int_equal(expect(OPS_TICKET_CLOSE).record.ticket_close, TICKET);
        assert_int_equal(next_reply(first, false)->benchmark->n_processes, 1);
        assert_int_equal(next_reply(first, false)->result->verdict, BENCHD__RUN_RESULT__VERDICT__PARTIAL);
        assert_null(find_job(2001));
        assert_int_equal(job_of(2002).state, JOB_MEASURING);
}

TEST(a_client_that_vanishes_between_its_turns_leaves_the_turn_to_the_next) {
        Client *first, *second;
        OpsPacket question = bring_two_users(&first, &second);

        end_a_turn(&question);
        question = expect(OPS_SPAWN);
        leave(first);
        expect(OPS_TICKET_CLOSE);
        answer_started(&question);
        end_a_turn(&question);
        question = expect(OPS_SPAWN);
        assert_int_equal(job_of(2002).place->turn, 3);
        assert_false(job_of(2002).place->interrupted);
}

TEST(a_turn_that_is_had_anew_leaves_the_core_to_one_that_waits_for_it) {
        Client *first, *second;
        OpsPacket question, other;

        the_daemon->services.queue.most = 2;
        first = connect_other(2001);
        second = connect_other(2002);
        question = bring_to_measuring(first);
        answer_started(&question);
        ask_run(second);
        answer_loading();
        other = expect(OPS_SPAWN);
        answer_busy(&other); /* there is one core */
        expect_nothing();
        end_a_turn(&question);
        other = expect(OPS_SPAWN);
        expect_nothing();
        assert_true(job_of(2001).waits_for_place);
        assert_false(job_of(2002).waits_for_place);
}

/* ---- places */

TEST(a_process_without_a_place_is_asked_for_again) {
        Client *client = connect_client();
        OpsPacket question = bring_to_measuring(client);

        answer_busy(&question);
        expect_nothing();
        tell_machine(true);
        question = expect_spawn(RUNNER_MODE_RUN);
        answer_measured(&question);
        expect(OPS_SPAWN);
}

TEST(one_that_came_later_leaves_the_cores_to_one_that_waits) {
        Client *first = connect_client(), *second = connect_client();
        OpsPacket question;

        the_daemon->services.queue.most = 2;
        question = bring_to_measuring(first);
        answer_busy(&question);
        ask_run(second);
        answer_listing(); /* which is the end of a runner: the first tries again */
        question = expect_spawn(RUNNER_MODE_RUN);
        answer_inspecting();
        expect_nothing();
        answer_started(&question);
        question = expect_spawn(RUNNER_MODE_RUN);
        answer_busy(&question);
}

/* Another client of @uid asks for a run, whose module is then to be listed. */
static Client *bring_to_examining(uid_t uid) {
        Client *client = connect_other(uid);
        OpsPacket question;

        ask_run(client);
        question = expect(OPS_TICKET_OPEN);
        answer_opened(&question);
        return client;
}

TEST(one_users_modules_that_are_loaded_leave_places_to_another_user) {
        Client *clients[JOBS_EXAMINATIONS_OF_USER];
        OpsPacket questions[JOBS_EXAMINATIONS_OF_USER], question;

        for (size_t i = 0; i < JOBS_EXAMINATIONS_OF_USER; i++) {
                clients[i] = bring_to_examining(2001);
                questions[i] = expect_spawn(RUNNER_MODE_LIST);
                answer_started(&questions[i]);
        }
        bring_to_examining(2001);
        expect_nothing();
        bring_to_examining(2002);
        question = expect_spawn(RUNNER_MODE_LIST);
        assert_null(job_of(2002).cpus);
        answer_started(&question);
        assert_non_null(job_of(2002).cpus);
        expect_nothing();

        leave(clients[1]);
        expect_kill();
        expect_nothing(); /* the place is not free before the process is dead */
        answer_killed(&questions[1]);
        expect(OPS_TICKET_CLOSE);
        expect_spawn(RUNNER_MODE_LIST);
        expect_nothing();
}

TEST(a_place_that_gets_free_goes_to_a_user_who_has_none) {
        OpsPacket running, question;

        bring_to_examining(2001);
        running = expect_spawn(RUNNER_MODE_LIST);
        answer_started(&running);
        bring_to_examining(2001);
        question = expect_spawn(RUNNER_MODE_LIST);
        answer_started(&question);
        bring_to_examining(2001);
        question = expect_spawn(RUNNER_MODE_LIST);
        answer_busy(&question);
        expect_nothing(); /* until a place may be free */
        bring_to_examining(2002);
        expect_nothing();

        answer_killed(&running);
        expect(OPS_TICKET_CLOSE);
        question = expect_spawn(RUNNER_MODE_LIST);
        answer_started(&question);
        assert_non_null(job_of(2002).cpus);
        question = expect_spawn(RUNNER_MODE_LIST);
        answer_busy(&question);
        expect_nothing();
}

TEST(a_client_that_leaves_early_leaves_no_ticket) {
        Client *client = connect_client();
        OpsPacket question;

        ask_run(client);
        question = expect(OPS_TICKET_OPEN);
        leave(client);
        expect_nothing();
        answer_opened(&question);
        assert_int_equal(expect(OPS_TICKET_CLOSE).record.ticket_close, TICKET);
        expect_no_jobs();
}

TEST(a_client_that_leaves_before_its_process_started_leaves_no_process) {
        Client *client = connect_client();
        OpsPacket question = bring_to_measuring(client);

        leave(client);
        expect_nothing();
        answer_started(&question);
        expect_kill();
        answer_killed(&question);
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
}

TEST(a_cancelled_run_tells_what_it_has_at_once) {
        Client *client = connect_client();
        OpsPacket question = bring_to_measuring(client);
        Benchd__Reply *reply;

        answer_measured(&question);
        question = expect(OPS_SPAWN);
        answer_started(&question);
        cancel(client);
        expect_kill();
        assert_int_equal(next_reply(client, false)->benchmark->n_processes, 1);
        reply = next_reply(client, false);
        assert_true(reply->last);
        assert_int_equal(reply->result->verdict, BENCHD__RUN_RESULT__VERDICT__PARTIAL);
        answer_killed(&question);
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
        assert_null(next_reply(client, false));
}

TEST(a_run_cancelled_before_it_measured_is_an_error) {
        Client *client = connect_client();
        OpsPacket question;
        Benchd__Reply *reply;

        ask_run(client);
        question = expect(OPS_TICKET_OPEN);
        cancel(client);
        reply = next_reply(client, false);
        assert_true(reply->last);
        assert_int_equal(reply->error->code, BENCHD__ERROR__CODE__CANCELLED);
        answer_opened(&question);
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
}

TEST(a_process_whose_descriptors_find_no_room_ends_its_job_alone) {
        Client *first = connect_client(), *second = connect_client();
        OpsPacket question = bring_to_measuring(first);
        Benchd__Reply *reply;

        answer_started(&question);
        ask_run(second);
        answer_loading();
        answer_ended_without_room(&question);
        reply = next_reply(first, false);
        assert_non_null(reply->error);
        assert_int_equal(reply->error->code, BENCHD__ERROR__CODE__BUSY);
        expect(OPS_TICKET_CLOSE);
        question = expect_spawn(RUNNER_MODE_RUN);
        leave(first);
        leave(second);
        answer_killed(&question);
}

TEST(a_listing_that_is_none_is_the_modules_fault) {
        Client *client = connect_client();
        OpsPacket question;
        Benchd__Reply *reply;

        ask_run(client);
        question = expect(OPS_TICKET_OPEN);
        answer_opened(&question);
        question = expect(OPS_SPAWN);
        answer_started(&question);
        answer_ended(&question, "short", 5);
        reply = next_reply(client, false);
        assert_int_equal(reply->error->code, BENCHD__ERROR__CODE__BAD_MODULE);
        assert_string_equal(reply->error->message, "m.so: The module overwrote the runner's results.");
        expect(OPS_TICKET_CLOSE);
        expect_no_jobs();
}
