/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The link to the launcher: answers find who asked, whatever their order; a launcher that does not read loses nothing;
 * one that is gone or breaks the rules is told.
 */

#include "front/jobs/launch-link.h"

#include <systemd/sd-event.h>

#include "ops/record-queue.h"
#include "pair.h"

static sd_event *event;
static LaunchLink *link_to_launch;
static int launcher;
static unsigned n_machines, n_closed, n_others;
static char other_words[BUILD_WORDS_MAX];

static void on_machine(void *userdata, const OpsMachine *machine) {
        n_machines++;
}

static void on_closed(void *userdata) {
        n_closed++;
}

static void on_other_build(void *userdata, const char *words) {
        n_others++;
        snprintf(other_words, sizeof other_words, "%s", words);
}

/* Turns the loop until nothing is left to do. */
static void turn(void) {
        while (sd_event_run(event, 0) > 0) {
        }
}

static int set_up(void **state) {
        static const LaunchLinkHandlers handlers = { .machine = on_machine,
                .closed = on_closed,
                .other_build = on_other_build };
        int sockets[2];

        n_machines = n_closed = n_others = 0;
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets) < 0)
                return -1;
        launcher = sockets[1];
        if (sd_event_new(&event) < 0 || launch_link_new(event, sockets[0], &handlers, &link_to_launch) ||
                        record_greeting_receive(launcher, (char[BUILD_TEXT_MAX]){}))
                return -1;
        return 0;
}

/* ... and the launcher has greeted. */
static int set_up_greeted(void **state) {
        if (set_up(state) || record_greeting_send(launcher))
                return -1;
        turn();
        return launch_link_is_greeted(link_to_launch) ? 0 : -1;
}

static int tear_down(void **state) {
        link_to_launch = launch_link_free(link_to_launch);
        launcher = fd_close(launcher);
        event = sd_event_unref(event);
        return 0;
}

typedef struct Asker {
        unsigned n_answers;
        OpsRecord last;
} Asker;

static void on_answer(void *userdata, OpsPacket *packet) {
        Asker *asker = userdata;

        asker->n_answers++;
        asker->last = packet->record;
}

static OpsRecord close_of(uint64_t ticket) {
        OpsRecord record;

        memset(&record, 0, sizeof record);
        record.kind = OPS_TICKET_CLOSE;
        record.ticket_close = ticket;
        return record;
}

static void answer(OpsKind kind, uint64_t serial, const int *fds, size_t n_fds) {
        OpsRecord record;

        memset(&record, 0, sizeof record);
        record.kind = kind;
        record.serial = serial;
        assert_int_equal(ops_send(launcher, &record, fds, n_fds), 0);
}

TEST(answers_find_who_asked, set_up_greeted, tear_down) {
        Asker askers[3] = {};
        uint64_t serials[3];

        for (int i = 0; i < 3; i++) {
                OpsRecord record = close_of(i);
                OpsPacket packet;

                assert_int_equal(launch_link_ask(link_to_launch, &record, NULL, 0, on_answer, &askers[i]), 0);
                assert_int_equal(ops_receive(launcher, &packet), 0);
                serials[i] = packet.record.serial;
                assert_true(serials[i] != 0 && (i == 0 || serials[i] != serials[i - 1]));
        }
        answer(OPS_REFUSED, serials[2], NULL, 0);
        answer(OPS_STARTED, serials[0], NULL, 0);
        answer(OPS_TICKET_OPENED, serials[1], NULL, 0);
        turn();
        for (int i = 0; i < 3; i++)
                assert_int_equal(askers[i].n_answers, 1);
        assert_int_equal(askers[2].last.kind, OPS_REFUSED);
        assert_int_equal(askers[1].last.kind, OPS_TICKET_OPENED);

        answer(OPS_TICKET_OPENED, serials[1], NULL, 0); /* answered already: nobody's */
        answer(OPS_ENDED, serials[0], (int[]){ 0, 1 }, 2);
        turn();
        assert_int_equal(askers[0].n_answers, 2);
        assert_int_equal(askers[1].n_answers, 1);
        assert_int_equal(n_closed, 0);
}

static size_t count_fds(void) {
        size_t n = 0;

        for (int fd = 0; fd < 1024; fd++)
                n += fcntl(fd, F_GETFD) >= 0;
        return n;
}

TEST(descriptors_of_an_answer_are_closed, set_up_greeted, tear_down) {
        size_t before = count_fds();
        OpsRecord record = close_of(0);
        Asker asker = {};
        OpsPacket packet;

        assert_int_equal(launch_link_ask(link_to_launch, &record, NULL, 0, on_answer, &asker), 0);
        assert_int_equal(ops_receive(launcher, &packet), 0);
        answer(OPS_ENDED, packet.record.serial, (int[]){ 0, 1 }, 2);
        answer(OPS_ENDED, 12345, (int[]){ 0, 1 }, 2);
        turn();
        assert_int_equal(asker.n_answers, 1);
        assert_int_equal(count_fds(), before);
}

TEST(an_end_whose_descriptors_find_no_room_is_told_without_them, set_up_greeted, tear_down) {
        OpsRecord record = close_of(0);
        Asker asker = {};
        OpsPacket packet;

        assert_int_equal(launch_link_ask(link_to_launch, &record, NULL, 0, on_answer, &asker), 0);
        assert_int_equal(ops_receive(launcher, &packet), 0);
        answer(OPS_ENDED, packet.record.serial, (int[]){ 0, 1 }, 2);
        limit_files(0);
        turn();
        limit_files(RLIM_INFINITY);
        assert_int_equal(asker.n_answers, 1);
        assert_int_equal(asker.last.kind, OPS_ENDED);
        assert_int_equal(n_closed, 0);
}

TEST(a_launcher_that_does_not_read_loses_nothing, set_up_greeted, tear_down) {
        const unsigned n = 2000;
        OpsPacket packet;
        unsigned i = 0;
        int r;

        for (unsigned j = 0; j < n; j++)
                assert_int_equal(launch_link_close_ticket(link_to_launch, j), 0);
        while (i < n) {
                while ((r = ops_receive(launcher, &packet)) == 0) {
                        assert_int_equal(packet.record.kind, OPS_TICKET_CLOSE);
                        assert_int_equal(packet.record.ticket_close, i++);
                }
                assert_int_equal(r, OPS_E_AGAIN);
                turn();
        }
        assert_int_equal(ops_receive(launcher, &packet), OPS_E_AGAIN);
}

TEST(a_machine_is_told, set_up_greeted, tear_down) {
        answer(OPS_MACHINE, 0, NULL, 0);
        turn();
        assert_int_equal(n_machines, 1);
}

TEST(a_launcher_that_is_gone_is_told_once, set_up_greeted, tear_down) {
        launcher = fd_close(launcher);
        turn();
        assert_int_equal(n_closed, 1);
        assert_int_equal(launch_link_kill(link_to_launch, 1), 0);
}

TEST(a_launcher_that_breaks_the_rules_is_as_good_as_gone, set_up_greeted, tear_down) {
        assert_int_equal(send(launcher, "x", 1, MSG_NOSIGNAL), 1);
        turn();
        assert_int_equal(n_closed, 1);
}

/* ---- of another build */

/* One from before there were greetings begins with a record. */
TEST(a_launcher_that_does_not_greet_as_this_build_is_told_in_words, set_up, tear_down) {
        answer(OPS_MACHINE, 0, NULL, 0);
        turn();
        assert_int_equal(n_others, 1);
        assert_non_null(strstr(other_words, "benchd-launch is of another build"));
        assert_non_null(strstr(other_words, build_text()));
        assert_int_equal(n_machines + n_closed, 0);
        answer(OPS_MACHINE, 0, NULL, 0);
        turn();
        assert_int_equal(n_machines, 0);
        assert_int_equal(n_others, 1);
}

TEST(a_launcher_that_is_gone_before_it_greets_is_closed, set_up, tear_down) {
        launcher = fd_close(launcher);
        turn();
        assert_int_equal(n_closed, 1);
        assert_int_equal(n_others, 0);
}
