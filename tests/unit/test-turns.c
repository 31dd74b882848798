/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Turns of the loop: the longest of each kind is known, who has used less of the loop goes first, use fades, and nobody waits for the long
 * work of another.
 */

#include "front/base/turns.h"

#include <sqlite3.h>

#include "front-end.h"
#include "front/clients/clients.h"
#include "front/clients/session.h"
#include "front/history/database.h"
#include "front/history/history.h"

#define MS      UINT64_C(1000000)
#define CLIENTS 60 /* of one user: as many as may be, but for a few */

TEST(the_longest_turn_of_each_kind_is_kept) {
        Turns turns = {};

        turns_begin(&turns, 100);
        turns_note(&turns, TURN_CONNECTION, 1);
        turns_note(&turns, TURN_REQUEST, 1);
        turns_end(&turns, 150, 150);
        turns_begin(&turns, 200);
        turns_note(&turns, TURN_REQUEST, 1);
        turns_end(&turns, 230, 230);
        turns_begin(&turns, 300);
        turns_end(&turns, 301, 301);
        turns_note(NULL, TURN_REQUEST, 1);
        assert_int_equal(turns.tallies[TURN_REQUEST].n, 2);
        assert_int_equal(turns.tallies[TURN_REQUEST].longest_ns, 50);
        assert_int_equal(turns.tallies[TURN_CONNECTION].n, 0);
        assert_int_equal(turns.tallies[TURN_OTHER].longest_ns, 1);
        for (TurnKind kind = 0; kind < _TURN_KINDS_N; kind++)
                assert_true(*turn_kind_word(kind));
}

/* ---- whose turn comes first */

/* A turn of @uid that took @cpu_ns ends at @now_ns. */
static void charge(Turns *turns, uid_t uid, uint64_t cpu_ns, uint64_t now_ns) {
        turns_begin(turns, 0);
        turns_note(turns, TURN_REQUEST, uid);
        turns_end(turns, cpu_ns, now_ns);
}

/* The rank of @uid after a turn of nobody's that ends at @now_ns. */
static unsigned rank_of(Turns *turns, uid_t uid, uint64_t now_ns) {
        turns_begin(turns, 0);
        turns_end(turns, 0, now_ns);
        return turns_priority(turns, uid);
}

TEST(who_has_used_more_comes_later) {
        Turns turns = {};

        assert_int_equal(rank_of(&turns, 1, 0), 0);
        charge(&turns, 1, 40 * MS, MS);
        charge(&turns, 2, 2 * MS, MS);
        charge(&turns, 3, MS / 2, MS);
        assert_true(rank_of(&turns, 1, MS) > rank_of(&turns, 2, MS));
        assert_true(rank_of(&turns, 2, MS) > rank_of(&turns, 3, MS));
        assert_int_equal(rank_of(&turns, 3, MS), 0);
        assert_int_equal(rank_of(&turns, 4, MS), 0);
}

TEST(a_rank_is_twice_the_use_of_the_one_before) {
        for (unsigned rank = 1; rank < TURNS_RANKS; rank++) {
                Turns turns = {};

                charge(&turns, 7, (MS << (rank - 1)) - 1, 0);
                assert_int_equal(rank_of(&turns, 7, 0), rank - 1);
                charge(&turns, 7, 1, 0);
                assert_int_equal(rank_of(&turns, 7, 0), rank);
        }
}

TEST(use_fades_by_half) {
        Turns turns = {};

        charge(&turns, 7, 64 * MS, 5);
        assert_int_equal(rank_of(&turns, 7, 5), 7);
        for (unsigned halves = 1; halves <= 7; halves++)
                assert_int_equal(rank_of(&turns, 7, 5 + halves * TURNS_HALF_NS), 7 - halves);
        charge(&turns, 7, 32 * MS, 5 + TURNS_HALF_NS);
        assert_int_equal(rank_of(&turns, 7, 5 + TURNS_HALF_NS), 7);
}

TEST(all_that_there_is_to_use_is_the_last_rank) {
        Turns turns = {};

        for (unsigned i = 0; i < 10000; i++)
                charge(&turns, 7, MS, i * MS);
        assert_int_equal(rank_of(&turns, 7, 10000 * MS), TURNS_RANKS - 1);
        charge(&turns, 7, UINT64_C(1) << 60, 10000 * MS);
        assert_int_equal(rank_of(&turns, 7, 10000 * MS), TURNS_RANKS - 1);
}

/* Each turn goes to the first rank, to the user that has waited longest: as sd-event chooses. */
TEST(two_users_who_want_all_of_it_have_about_half_each) {
        uint64_t now_ns = 0, used_ns[2] = {}, last[2] = {};
        Turns turns = {};

        for (unsigned turn = 1; turn <= 4000; turn++) {
                unsigned ranks[2] = { rank_of(&turns, 0, now_ns), rank_of(&turns, 1, now_ns) };
                unsigned who = ranks[0] != ranks[1] ? ranks[1] < ranks[0] : last[1] < last[0];
                uint64_t takes_ns = who == 0 ? 4 * MS : MS; /* of the first user each turn is longer */

                now_ns += takes_ns;
                charge(&turns, who, takes_ns, now_ns);
                used_ns[who] += takes_ns;
                last[who] = turn;
        }
        assert_in_range(100 * used_ns[0] / (used_ns[0] + used_ns[1]), 33, 67);
}

TEST(where_there_are_too_many_who_has_used_least_is_forgotten) {
        Turns turns = {};

        charge(&turns, 1000, 100 * MS, 0);
        for (uid_t uid = 0; uid < TURNS_USERS - 1; uid++)
                charge(&turns, uid, 5 * MS, 0);
        charge(&turns, 30, MS, 0);
        charge(&turns, 2000, 50 * MS, 0);
        assert_int_equal(rank_of(&turns, 1000, 0), 7);
        assert_int_equal(rank_of(&turns, 2000, 0), 6);
        assert_int_equal(rank_of(&turns, 30, 0), 3);
        assert_int_equal(rank_of(&turns, 0, 0), 0);
}

/* ---- the order of answers */

static void send_only(Client *client, const Benchd__Request *request) {
        assert_int_equal(frame_queue_push(client->queue, &request->base, FRAME_REQUEST_MAX, NULL, 0), 0);
        assert_int_equal(frame_queue_send(client->queue, client->fd), 0);
}

static void send_status(Client *client, uint64_t id) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__StatusRequest status = BENCHD__STATUS_REQUEST__INIT;

        request.id = id, request.has_id = 1;
        request.status = &status;
        send_only(client, &request);
}

/* Turns the loop until @client has a reply, which is returned; @ret_n: how many times. The launcher looks at the clock meanwhile. */
static Benchd__Reply *turn_until_reply(Client *client, size_t *ret_n) {
        Benchd__Reply *reply;
        OpsPacket packet;

        for (*ret_n = 0; !(reply = reply_so_far(client)); ++*ret_n) {
                assert_true(sd_event_run(the_daemon->services.event, 0) > 0);
                if (ops_receive(launcher, &packet) != 0)
                        continue;
                assert_int_equal(packet.record.kind, OPS_REFINE);
                assert_int_equal(ops_send(launcher, &(OpsRecord){ .kind = OPS_REFINED, .serial = packet.record.serial },
                                                 NULL, 0),
                                0);
                ops_packet_close(&packet);
        }
        return reply;
}

/* @waiting has asked for what takes many turns: @other asks after it and is answered first, again and again. */
static void expect_first(Client *other, Client *waiting) {
        size_t n;

        for (uint64_t id = 2; id < 5; id++) {
                send_status(other, id);
                assert_non_null(turn_until_reply(other, &n)->status);
                assert_in_range(n, 1, 20);
                assert_null(reply_so_far(waiting));
        }
}

/* 10 000 names of 250 bytes. */
static void fill_listing(void) {
        listing->n_entries = 40;
        for (uint32_t i = 0; i < listing->n_entries; i++) {
                ListingEntry *entry = &listing->entries[i];

                memset(entry->area, 'a', sizeof entry->area - 1);
                snprintf(entry->name, sizeof entry->name, "%063u", i);
                entry->n_axes = 1;
                strcpy(entry->axes[0].name, "n");
                entry->axes[0] = (ListingAxis){ .name = "n", .first = INT64_MAX - 249, .last = INT64_MAX, .step = 1 };
        }
}

TEST(a_list_with_many_globs_holds_nobody_up) {
        static const char glob[] =
                        "*[[:alnum:]]*[[:alnum:]]*[[:alnum:]]*[[:alnum:]]*[[:alnum:]]*[[:alnum:]]*[[:alnum:]]z";
        Client *client = connect_client(), *other = connect_client();
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__ListRequest list = BENCHD__LIST_REQUEST__INIT;
        char *filters[30];
        OpsPacket question;
        OpsRecord ended = { .kind = OPS_ENDED, .ended = { .process = PROCESS, .cpu = 1, .elapsed_ns = 1000 } };
        int module, fds[2];

        fill_listing();
        for (size_t i = 0; i < N_ELEMENTS(filters); i++)
                filters[i] = (char *)glob;
        assert_int_equal(fd_memfd_sealed("module", "text", 4, &module), 0);
        list.module_name = (char *)"m.so";
        list.filters = filters;
        list.n_filters = N_ELEMENTS(filters);
        request.id = 2, request.has_id = 1;
        request.list = &list;
        send_request(client, &request, &module, 1);
        fd_close(module);
        question = expect(OPS_TICKET_OPEN);
        answer_opened(&question);
        question = expect(OPS_SPAWN);
        answer_started(&question);
        assert_int_equal(fd_memfd_sealed("block", listing, sizeof *listing, &fds[0]), 0);
        assert_int_equal(fd_memfd_sealed("output", "", 0, &fds[1]), 0);
        ended.serial = question.record.serial;
        assert_int_equal(ops_send(launcher, &ended, fds, 2), 0);
        fd_close(fds[0]);
        fd_close(fds[1]);
        assert_true(sd_event_run(the_daemon->services.event, 0) > 0); /* it is listed, and nothing is matched yet */
        expect_first(other, client);
        assert_int_equal(next_reply(client, false)->error->code, BENCHD__ERROR__CODE__NO_MATCH);
}

TEST(a_history_of_a_hundred_thousand_jobs_holds_nobody_up) {
        Client *client = connect_client(), *other = connect_client();
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__HistoryRequest history = BENCHD__HISTORY_REQUEST__INIT;
        sqlite3_stmt *any = database_statement(history_database(the_daemon->services.history), DATABASE_FIND_JOB);
        Benchd__Reply *reply;
        char insert[512];

        snprintf(insert, sizeof insert,
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
                        " INSERT INTO job (run_id, uid, state, submitted, module_name)"
                        " SELECT printf('%%032x', i), %u, 4, i, 'dir/' || i || '.so' FROM n",
                        (unsigned)getuid());
        assert_int_equal(sqlite3_exec(sqlite3_db_handle(any), insert, NULL, NULL, NULL), SQLITE_OK);
        request.id = 2, request.has_id = 1;
        request.history = &history;
        history.module_glob = (char *)"*[[:alnum:]]*[[:alnum:]]z";
        send_only(client, &request);
        expect_first(other, client);
        reply = next_reply(client, false);
        assert_int_equal(reply->id, 2);
        assert_int_equal(reply->history->n_entries, 0);
}

/* Measures each of 100 benchmarks once, of two processes each; the second of one is asked for. */
static void bring_to_half(Client *client) {
        OpsPacket question;

        listing->entries[0].n_axes = 1;
        listing->entries[0].axes[0] = (ListingAxis){ .name = "n", .first = 1, .last = 100, .step = 1 };
        question = bring_to_measuring(client);
        for (size_t i = 0; i < 100; i++) {
                answer_measured(&question);
                question = expect(OPS_SPAWN);
        }
        answer_started(&question);
}

TEST(a_large_run_that_is_cancelled_is_reported_in_slices) {
        Client *client = connect_client(), *other = connect_client();
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__CancelRequest cancel = BENCHD__CANCEL_REQUEST__INIT;
        size_t n_turns, n = 0, n_before;
        Benchd__Reply *reply;
        OpsPacket packet;
        bool last = false;

        bring_to_half(client);
        while (reply_so_far(client)) {
        }
        request.id = 3, request.has_id = 1;
        request.cancel = &cancel;
        cancel.request_id = 2, cancel.has_request_id = 1;
        send_only(client, &request);
        assert_true(sd_event_run(the_daemon->services.event, 0) > 0);
        assert_int_equal(ops_receive(launcher, &packet), 0);
        assert_int_equal(packet.record.kind, OPS_KILL); /* it is not measured while it is reported */
        ops_packet_close(&packet);
        send_status(other, 2);
        turn_until_reply(other, &n_turns);
        for (; (reply = reply_so_far(client)); n += reply->benchmark != NULL)
                assert_null(reply->result);
        n_before = n;
        assert_in_range(n_before, 1, 60);
        while ((reply = next_reply(client, false))) {
                n += reply->benchmark != NULL;
                last |= reply->result && reply->result->verdict == BENCHD__RUN_RESULT__VERDICT__PARTIAL;
        }
        assert_true(last);
        assert_int_equal(n, 100);
}

TEST(clients_that_end_at_once_hold_nobody_up) {
        Client *clients[CLIENTS], *other = connect_client();
        size_t n;

        for (size_t i = 0; i < CLIENTS; i++)
                clients[i] = connect_client();
        for (size_t i = 0; i < CLIENTS; i++)
                close_client(clients[i]);
        assert_true(sd_event_run(the_daemon->services.event, 0) > 0); /* the loop has heard of all of them */
        send_status(other, 2);
        assert_non_null(turn_until_reply(other, &n)->status);
        assert_in_range(n, 1, CLIENTS / 2);
        turn();
        assert_null(TAILQ_NEXT(TAILQ_FIRST(&the_daemon->clients->sessions), sessions));
}

TEST(a_connection_with_many_requests_gets_its_turn_as_others_do) {
        Client *client = connect_client(), *other = connect_client();
        size_t n;

        for (uint64_t id = 2; id < 202; id++)
                send_status(client, id);
        assert_true(sd_event_run(the_daemon->services.event, 0) > 0);
        send_status(other, 2);
        turn_until_reply(other, &n);
        for (n = 0; reply_so_far(client); n++) {
        }
        assert_in_range(n, 1, 100);
}
