/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A ticket is for who is connected, and for files that this user made or once submitted: what a front-end says of either counts for
 * nothing. The users need root; without it the rest is tested.
 */

#include "launch/trust/ticket.h"

#include <sys/fsuid.h>
#include <systemd/sd-event.h>

#include "directory.h"
#include "launch/trust/hash-queue.h"
#include "launch/trust/voucher.h"
#include "ops/receiver.h"
#include "util/socket.h"

#define USER  2001u
#define OTHER 2002u
#define FRONT IDENTITY_FRONT_UID

typedef struct Fixture {
        char directory[32], path[64], key_path[64];
        int listener;
        sd_event *event;
        HashQueue *hashes;
        ReceiverCloser *closer;
        Identities identities;
        VoucherKey key;
        Tickets tickets;
        VoucherQuestions vouchings;
        OpsRecord answer; /* to a question for a voucher */
        int told;         /* how a ticket ended later; -1: not yet */
        int client;       /* the client's end of the last connection */
} Fixture;

static Fixture *fixture;

static void on_proven(void *userdata, uint64_t serial, const Ticket *ticket, int r) {
        assert_int_equal(serial, 7);
        fixture->told = r;
}

static void on_vouched(void *userdata, const OpsRecord *answer) {
        fixture->answer = *answer;
}

static void close_client(void *userdata, int client_fd) {
        fd_close(client_fd);
}

static int set_up(void **state) {
        fixture = calloc(1, sizeof *fixture);
        assert_non_null(fixture);
        strcpy(fixture->directory, "/tmp/test-ticket-XXXXXX");
        directory_make(fixture->directory);
        assert_int_equal(chmod(fixture->directory, 0755), 0);
        snprintf(fixture->path, sizeof fixture->path, "%s/socket", fixture->directory);
        snprintf(fixture->key_path, sizeof fixture->key_path, "%s/key", fixture->directory);
        assert_int_equal(socket_listen(fixture->path, 0666, &fixture->listener), 0);
        assert_true(sd_event_new(&fixture->event) >= 0);
        assert_int_equal(hash_queue_new(fixture->event, &fixture->hashes), 0);
        assert_int_equal(receiver_closer_new(fixture->event, CALL_FILTER_REFUSE, &fixture->closer), 0);
        identities_read(&fixture->identities);
        fixture->key.path = fixture->key_path;
        fixture->client = fixture->told = -1;
        tickets_init(&fixture->tickets, &(TicketsConfig){ .identities = &fixture->identities,
                                                        .listening_path = fixture->path,
                                                        .key = &fixture->key,
                                                        .hashes = fixture->hashes,
                                                        .closer = fixture->closer,
                                                        .proven = on_proven,
                                                        .close_client = close_client,
                                                        .userdata = fixture });
        assert_int_equal(tickets_make_places(&fixture->tickets, 64), 0);
        fixture->vouchings = (VoucherQuestions){ .identities = &fixture->identities,
                .key = &fixture->key,
                .hashes = fixture->hashes,
                .tell = on_vouched,
                .userdata = fixture };
        return 0;
}

static int tear_down(void **state) {
        tickets_clear(&fixture->tickets);
        voucher_questions_clear(&fixture->vouchings);
        hash_queue_free(fixture->hashes);
        receiver_closer_free(fixture->closer);
        sd_event_unref(fixture->event);
        fd_close(fixture->listener);
        fd_close(fixture->client);
        (void)directory_remove(fixture->directory);
        free(fixture);
        return 0;
}

TEST_EACH(set_up, tear_down)

/* The daemon's end of a connection of @uid. */
static int connect_as(uid_t uid) {
        int fd;

        fixture->client = fd_close(fixture->client);
        assert_int_equal(setresgid(-1, uid == geteuid() ? getegid() : uid, -1) || setresuid(-1, uid, -1), 0);
        assert_int_equal(socket_connect(fixture->path, &fixture->client), 0);
        assert_int_equal(setresuid(-1, getuid(), -1) || setresgid(-1, getgid(), -1), 0);
        fd = accept4(fixture->listener, NULL, NULL, SOCK_CLOEXEC);
        assert_true(fd >= 0);
        return fd;
}

static int file_of(uid_t uid, const char *text) {
        int fd;

        setfsuid(uid);
        assert_int_equal(fd_memfd_sealed("file", text, strlen(text), &fd), 0);
        setfsuid(geteuid());
        return fd;
}

static void turn_until(const int *told) {
        while (*told == -1)
                assert_true(sd_event_run(fixture->event, UINT64_MAX) >= 0);
}

static OpsVoucher voucher_of(uid_t uid, const char *text) {
        OpsPacket packet = { .record = { .kind = OPS_VOUCH, .serial = 3 }, .fds = { file_of(uid, text) }, .n_fds = 1 };

        fixture->answer = (OpsRecord){};
        assert_int_equal(voucher_questions_ask(&fixture->vouchings, &packet), 0);
        while (fixture->answer.kind == 0)
                assert_true(sd_event_run(fixture->event, UINT64_MAX) >= 0);
        assert_int_equal(fixture->answer.kind, OPS_VOUCHED);
        assert_int_equal(fixture->answer.serial, 3);
        assert_int_equal(fixture->answer.vouched.voucher.uid, uid);
        return fixture->answer.vouched.voucher;
}

/* Asks for a ticket of @uid for one file, with @voucher or NULL, to the end. */
static int open_ticket(uid_t uid, int file_fd, const OpsVoucher *voucher) {
        OpsPacket packet = {
                .record = { .kind = OPS_TICKET_OPEN, .serial = 7 },
                .fds = { connect_as(uid), file_fd },
                .n_fds = 2,
        };
        Ticket *ticket;
        int r;

        if (voucher)
                packet.record.ticket_open.vouchers[0] = *voucher;
        fixture->told = -1;
        r = tickets_open(&fixture->tickets, &packet, &ticket);
        ops_packet_close(&packet);
        if (r != TICKETS_E_LATER)
                return r;
        turn_until(&fixture->told);
        return fixture->told;
}

static bool can_be_others(void) {
        if (geteuid() != 0)
                skip();
        return true;
}

TEST(a_file_of_the_clients_own_needs_no_voucher) {
        assert_int_equal(open_ticket(geteuid(), file_of(geteuid(), "mine"), NULL), 0);
        if (can_be_others())
                assert_int_equal(open_ticket(USER, file_of(USER, "mine"), NULL), 0);
}

TEST(who_hung_up_gets_no_ticket) {
        OpsPacket packet = {
                .record = { .kind = OPS_TICKET_OPEN, .serial = 7 },
                .fds = { connect_as(geteuid()), file_of(geteuid(), "mine") },
                .n_fds = 2,
        };
        Ticket *ticket;

        fixture->client = fd_close(fixture->client);
        assert_int_equal(tickets_open(&fixture->tickets, &packet, &ticket), OPS_REFUSAL_HUNG_UP);
        ops_packet_close(&packet);
}

TEST(a_file_that_another_user_made_is_refused) {
        if (!can_be_others())
                return;
        assert_int_equal(open_ticket(USER, file_of(OTHER, "his"), NULL), OPS_REFUSAL_OWNER);
        assert_int_equal(open_ticket(USER, file_of(FRONT, "benchd's"), NULL), OPS_REFUSAL_OWNER);
        assert_int_equal(open_ticket(USER, file_of(0, "root's"), NULL), OPS_REFUSAL_OWNER);
        assert_int_equal(open_ticket(0, file_of(FRONT, "benchd's"), NULL), OPS_REFUSAL_OWNER);
}

TEST(a_stored_file_is_run_with_the_voucher_of_its_user_and_of_its_content) {
        OpsVoucher voucher, forged;

        if (!can_be_others())
                return;
        voucher = voucher_of(USER, "mine");
        assert_int_equal(open_ticket(USER, file_of(FRONT, "mine"), &voucher), 0);
        assert_int_equal(open_ticket(USER, file_of(FRONT, "evil"), &voucher), OPS_REFUSAL_OWNER);
        assert_int_equal(open_ticket(OTHER, file_of(FRONT, "mine"), &voucher), OPS_REFUSAL_OWNER);
        forged = voucher;
        forged.uid = OTHER;
        assert_int_equal(open_ticket(OTHER, file_of(FRONT, "mine"), &forged), OPS_REFUSAL_OWNER);
        forged = voucher;
        forged.mac[31] ^= 1;
        assert_int_equal(open_ticket(USER, file_of(FRONT, "mine"), &forged), OPS_REFUSAL_OWNER);
}

/* It runs as a user who owns nothing. */
TEST(root_may_run_what_anybody_submitted) {
        OpsVoucher voucher;

        if (!can_be_others())
                return;
        voucher = voucher_of(USER, "his");
        assert_int_equal(open_ticket(0, file_of(FRONT, "his"), &voucher), 0);
        assert_int_equal(open_ticket(0, file_of(FRONT, "evil"), &voucher), OPS_REFUSAL_OWNER);
}

TEST(an_input_is_never_vouched_for) {
        OpsVoucher voucher;
        OpsPacket packet;
        Ticket *ticket;

        if (!can_be_others())
                return;
        voucher = voucher_of(USER, "mine");
        packet = (OpsPacket){
                .record = { .kind = OPS_TICKET_OPEN, .serial = 7, .ticket_open = { .n_inputs = 1 } },
                .fds = { connect_as(USER), file_of(USER, "mine"), file_of(FRONT, "mine") },
                .n_fds = 3,
        };
        packet.record.ticket_open.vouchers[1] = voucher;
        assert_int_equal(tickets_open(&fixture->tickets, &packet, &ticket), OPS_REFUSAL_OWNER);
        ops_packet_close(&packet);
}

TEST(nobody_hangs_up_unseen_while_vouchers_are_checked) {
        OpsVoucher voucher;
        OpsPacket packet;
        Ticket *ticket;

        if (!can_be_others())
                return;
        voucher = voucher_of(USER, "mine");
        packet = (OpsPacket){
                .record = { .kind = OPS_TICKET_OPEN, .serial = 7 },
                .fds = { connect_as(USER), file_of(FRONT, "mine") },
                .n_fds = 2,
        };
        packet.record.ticket_open.vouchers[0] = voucher;
        assert_int_equal(tickets_open(&fixture->tickets, &packet, &ticket), TICKETS_E_LATER);
        assert_null(tickets_find(&fixture->tickets, fixture->tickets.last_id));
        fixture->client = fd_close(fixture->client);
        turn_until(&fixture->told);
        assert_int_equal(fixture->told, OPS_REFUSAL_HUNG_UP);
        assert_null(tickets_find(&fixture->tickets, fixture->tickets.last_id));
}

TEST(the_front_ends_own_files_are_not_vouched_for) {
        OpsPacket packet = { .record = { .kind = OPS_VOUCH, .serial = 3 },
                .fds = { file_of(geteuid() == 0 ? FRONT : geteuid(), "evil") },
                .n_fds = 1 };

        assert_int_equal(voucher_questions_ask(&fixture->vouchings, &packet), OPS_REFUSAL_OWNER);
        ops_packet_close(&packet);
}

static int ask_for_voucher(uid_t uid) {
        OpsPacket packet = { .record = { .kind = OPS_VOUCH, .serial = 3 }, .fds = { file_of(uid, "x") }, .n_fds = 1 };
        int r = voucher_questions_ask(&fixture->vouchings, &packet);

        ops_packet_close(&packet);
        return r;
}

/* One user leaves places to the next. */
TEST(questions_for_vouchers_are_bounded) {
        if (!can_be_others())
                return;
        for (size_t i = 0; i <= VOUCHER_QUESTIONS_MAX / 2; i++)
                assert_int_equal(ask_for_voucher(USER), i < VOUCHER_QUESTIONS_MAX / 2 ? 0 : (int)OPS_REFUSAL_BUSY);
        for (size_t i = 0; i <= VOUCHER_QUESTIONS_MAX / 4; i++)
                assert_int_equal(ask_for_voucher(OTHER), i < VOUCHER_QUESTIONS_MAX / 4 ? 0 : (int)OPS_REFUSAL_BUSY);
        assert_int_equal(ask_for_voucher(USER), OPS_REFUSAL_BUSY);
        for (uid_t uid = 3001; fixture->vouchings.n < VOUCHER_QUESTIONS_MAX; uid++)
                assert_int_equal(ask_for_voucher(uid), 0);
        assert_int_equal(ask_for_voucher(3000), OPS_REFUSAL_BUSY);
}

/* ---- the key */

TEST(a_voucher_holds_after_the_launcher_began_anew) {
        const uint8_t sha256[HASH_BYTES] = { 1, 2, 3 };
        VoucherKey again = { .path = fixture->key_path }, other = { .path = fixture->key_path };
        OpsVoucher voucher;
        struct stat status;

        assert_int_equal(voucher_key_open(&fixture->key), 0);
        voucher = voucher_make(&fixture->key, USER, sha256);
        assert_int_equal(stat(fixture->key_path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0600);
        assert_int_equal(voucher_key_open(&again), 0);
        assert_true(voucher_holds(&again, &voucher, sha256));
        assert_int_equal(unlink(fixture->key_path), 0);
        assert_int_equal(voucher_key_open(&other), 0);
        assert_false(voucher_holds(&other, &voucher, sha256));
}

/* A process's own key serves as long as it lives. */
TEST(a_key_that_others_could_know_or_that_is_damaged_is_not_used_and_stays) {
        const uint8_t sha256[HASH_BYTES] = { 1, 2, 3 };
        OpsVoucher voucher;

        for (int spoilt = 0; spoilt < 3; spoilt++) {
                VoucherKey first = { .path = fixture->key_path }, second = { .path = fixture->key_path };
                struct stat before, after;

                unlink(fixture->key_path);
                assert_int_equal(voucher_key_open(&first), 0);
                if (spoilt == 0)
                        assert_int_equal(chmod(fixture->key_path, 0640), 0);
                else if (spoilt == 1)
                        assert_int_equal(truncate(fixture->key_path, 31), 0);
                else
                        assert_int_equal(truncate(fixture->key_path, 33), 0);
                assert_int_equal(stat(fixture->key_path, &before), 0);
                voucher = voucher_make(&first, USER, sha256);
                assert_int_equal(voucher_key_open(&second), 0);
                assert_false(voucher_holds(&second, &voucher, sha256));
                voucher = voucher_make(&second, USER, sha256);
                assert_true(voucher_holds(&second, &voucher, sha256));
                assert_int_equal(stat(fixture->key_path, &after), 0);
                assert_int_equal(after.st_ino, before.st_ino);
        }
}
