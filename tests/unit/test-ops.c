/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The operations between the two daemons: each kind passes with the descriptors it has and with no others, and a packet
 * that breaks the list leaves nothing open.
 */

#include "ops/ops.h"

#include "pair.h"
#include "util/socket.h"

static OpsRecord record_spawn(void) {
        return (OpsRecord){
                .kind = OPS_SPAWN,
                .serial = 1,
                .spawn = {
                        .ticket = 1,
                        .timeout_ns = 1000000000,
                        .plan = {
                                .magic = RUNNER_PLAN_MAGIC,
                                .version = RUNNER_PLAN_VERSION,
                                .mode = RUNNER_MODE_LIST,
                                .n_threads = 1,
                                .n_sides = 1,
                        },
                },
        };
}

/* A good record of each kind, and how many descriptors it has. */
static const struct {
        OpsKind kind;
        size_t n_fds;
} kinds[] = {
        { OPS_TICKET_OPEN, 2 },
        { OPS_TICKET_CLOSE, 0 },
        { OPS_SPAWN, 0 },
        { OPS_KILL, 0 },
        { OPS_REFINE, 0 },
        { OPS_READY, 0 },
        { OPS_REFINED, 0 },
        { OPS_MACHINE, 0 },
        { OPS_TICKET_OPENED, 0 },
        { OPS_STARTED, 0 },
        { OPS_ENDED, 2 },
        { OPS_REFUSED, 0 },
        { OPS_GOVERNOR, 0 },
        { OPS_GOVERNOR_DONE, 0 },
        { OPS_VOUCH, 1 },
        { OPS_VOUCHED, 0 },
        { OPS_PEER, 1 },
        { OPS_PEER_IS, 0 },
        { OPS_ADOPT, 1 },
        { OPS_DROP_CACHES, 1 },
        { OPS_ADOPTED, 0 },
        { OPS_CACHES_DROPPED, 0 },
};

static OpsRecord record_good(OpsKind kind) {
        OpsRecord record = kind == OPS_SPAWN ? record_spawn() : (OpsRecord){ .kind = kind, .serial = 1 };

        if (kind == OPS_GOVERNOR)
                record.governor.restore = 1;
        if (kind == OPS_GOVERNOR_DONE)
                record.governor_done.end = OPS_GOVERNOR_SET;
        return record;
}

TEST(each_kind_has_its_descriptors_and_no_others) {
        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                OpsRecord record = record_good(kinds[i].kind);

                for (size_t n_fds = 0; n_fds < 5; n_fds++)
                        assert_int_equal(ops_check(&record, n_fds), n_fds == kinds[i].n_fds ? 0 : OPS_E_INVALID);
        }
}

static size_t descriptors_of(uint32_t kind) {
        for (size_t i = 0; i < N_ELEMENTS(kinds); i++)
                if (kinds[i].kind == kind)
                        return kinds[i].n_fds;
        return 0;
}

TEST(a_kind_that_is_not_listed_is_invalid) {
        unsigned valid = 0;

        for (uint32_t kind = 0; kind < 1000; kind++) {
                OpsRecord record = record_good(kind);

                valid += ops_check(&record, descriptors_of(kind)) == 0;
        }
        assert_int_equal(valid, N_ELEMENTS(kinds));
}

/* Changes @record, which then passes with so many descriptors, or does not. */
#define TAKEN(n_fds, ...)                                                                                              \
 do {                                                                                                                  \
  __VA_ARGS__;                                                                                                         \
  assert_int_equal(ops_check(&record, n_fds), 0);                                                                      \
 } while (0)
#define REFUSED(n_fds, ...)                                                                                            \
 do {                                                                                                                  \
  __VA_ARGS__;                                                                                                         \
  assert_int_equal(ops_check(&record, n_fds), OPS_E_INVALID);                                                          \
 } while (0)

TEST(a_ticket_brings_as_many_libraries_and_inputs_as_it_says) {
        OpsRecord record = { .kind = OPS_TICKET_OPEN, .ticket_open = { .n_libraries = RUNNER_LIBRARIES_MAX } };

        assert_int_equal(ops_check(&record, 2 + RUNNER_LIBRARIES_MAX), 0);
        assert_int_equal(ops_check(&record, 2), OPS_E_INVALID);
        REFUSED(2 + RUNNER_LIBRARIES_MAX, record.ticket_open.n_inputs = RUNNER_INPUTS_MAX);
        assert_int_equal(ops_check(&record, 2 + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX), 0);
        REFUSED(3 + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX, record.ticket_open.n_inputs++);
        REFUSED(3 + RUNNER_LIBRARIES_MAX, record.ticket_open.n_inputs = 0; record.ticket_open.n_libraries++);
}

/* Calibration is the launcher's own: nobody asks for it. */
TEST(a_spawn_needs_a_ticket_and_never_calibrates) {
        OpsRecord record = record_spawn();

        REFUSED(0, record.spawn.ticket = 0);
        REFUSED(0, record.spawn.ticket = 1; record.spawn.plan.mode = RUNNER_MODE_CALIBRATE);
}

TEST(a_spawn_needs_an_end_and_a_good_plan) {
        OpsRecord record = record_spawn();

        REFUSED(0, record.spawn.timeout_ns = 0);
        REFUSED(0, record.spawn.timeout_ns = OPS_TIMEOUT_MAX_NS + 1);
        TAKEN(0, record.spawn.timeout_ns = OPS_TIMEOUT_MAX_NS);
        REFUSED(0, record.spawn.plan.magic = 0);
}

TEST(a_machine_has_bounded_counts_and_ended_texts) {
        OpsRecord record = { .kind = OPS_MACHINE };

        TAKEN(0, record.machine.n_cpus = OPS_CPUS_MAX; record.machine.n_caches = OPS_CACHES_MAX);
        REFUSED(0, record.machine.n_cpus++);
        REFUSED(0, record.machine.n_cpus--; record.machine.n_caches++);
        TAKEN(0, record.machine.n_caches--; record.machine.n_hidden_cores = OPS_HIDDEN_CORES_MAX);
        REFUSED(0, record.machine.n_hidden_cores++);
        REFUSED(0, record.machine.n_hidden_cores--; record.machine.clock_checks.n = CLOCK_CHECKS_MAX + 1);
        TAKEN(0, record.machine.clock_checks.n--);
        REFUSED(0, record.machine.cpus[3].clock.source = _CLOCK_SOURCE_N);
        TAKEN(0, record.machine.cpus[3].clock.source = CLOCK_SOURCE_RAW);
        REFUSED(0, memset(record.machine.governor, 'x', OPS_TEXT_MAX));
}

TEST(a_governor_is_a_name_that_ends_or_what_was_before) {
        OpsRecord record = { .kind = OPS_GOVERNOR, .governor = { .name = "performance" } };

        assert_int_equal(ops_check(&record, 0), 0);
        REFUSED(0, record.governor.restore = 1);
        TAKEN(0, record.governor.name[0] = 0);
        REFUSED(0, record.governor.restore = 0);
        REFUSED(0, memset(record.governor.name, 'x', OPS_GOVERNOR_NAME_MAX));
        TAKEN(0, record.governor.name[OPS_GOVERNOR_NAME_MAX - 1] = 0);
}

TEST(what_was_written_has_bounded_counts_and_ended_texts) {
        OpsRecord record = { .kind = OPS_GOVERNOR_DONE, .governor_done = { .end = OPS_GOVERNOR_SET } };
        OpsGovernorDone *done = &record.governor_done;

        for (uint32_t i = 0; i < OPS_CHANGES_MAX; i++)
                done->changes[i].outcome = OPS_OUTCOME_RESTORED;
        TAKEN(0, done->n_changes = OPS_CHANGES_MAX);
        REFUSED(0, done->n_changes++);
        REFUSED(0, done->n_changes--; done->end = _OPS_GOVERNOR_END_N);
        REFUSED(0, done->end = OPS_GOVERNOR_UNKNOWN; done->changes[3].outcome = _OPS_OUTCOME_N);
        REFUSED(0, done->changes[3].outcome = OPS_OUTCOME_OMITTED);
        REFUSED(0, done->changes[3].outcome = OPS_OUTCOME_GONE; memset(done->names, 'x', OPS_GOVERNOR_NAMES_MAX));
        TAKEN(0, done->names[0] = 0);
        REFUSED(0, memset(done->changes[7].is, 'x', OPS_TEXT_MAX));
}

TEST(a_machine_tells_so_many_sticky_governors_and_no_more) {
        OpsRecord record = { .kind = OPS_MACHINE, .machine = { .n_sticky = OPS_STICKY_MAX } };

        assert_int_equal(ops_check(&record, 0), 0);
        REFUSED(0, memset(record.machine.sticky[2].name, 'x', OPS_GOVERNOR_NAME_MAX));
        REFUSED(0, record.machine.sticky[2].name[0] = 0; record.machine.n_sticky++);
}

TEST(a_packet_arrives_whole_with_its_descriptors) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET);
        OpsRecord record = { .kind = OPS_ENDED, .serial = 7, .ended = { .process = 3, .exit_code = -1 } };
        size_t before = open_fds();
        OpsPacket packet;

        assert_int_equal(ops_send(pair.here, &record, (int[]){ pair.here, pair.there }, 2), 0);
        assert_int_equal(ops_receive(pair.there, &packet), 0);
        assert_memory_equal(&packet.record, &record, sizeof record);
        assert_int_equal(packet.n_fds, 2);
        assert_int_equal(open_fds(), before + 2);

        ops_packet_close(&packet);
        assert_int_equal(packet.n_fds, 0);
        assert_int_equal(open_fds(), before);
}

TEST(a_packet_without_room_for_its_descriptors_still_has_its_record) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET);
        OpsRecord record = { .kind = OPS_ENDED, .serial = 7 };
        size_t before = open_fds();
        OpsPacket packet;
        int r;

        assert_int_equal(ops_send(pair.here, &record, (int[]){ pair.here, pair.there }, 2), 0);
        record.kind = OPS_KILL;
        assert_int_equal(ops_send(pair.here, &record, (int[]){ pair.here, pair.there }, 2), 0);
        limit_files(0);
        r = ops_receive(pair.there, &packet);
        limit_files(RLIM_INFINITY);
        assert_int_equal(r, OPS_E_FDS_LOST);
        assert_int_equal(packet.record.kind, OPS_ENDED);
        assert_int_equal(packet.record.serial, 7);
        assert_int_equal(packet.n_fds, 0);

        limit_files(0);
        r = ops_receive(pair.there, &packet); /* a kind that has none: a fault, not a want */
        limit_files(RLIM_INFINITY);
        assert_int_equal(r, OPS_E_INVALID);
        assert_int_equal(open_fds(), before);
}

TEST(a_packet_that_breaks_the_list_leaves_nothing_open) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET);
        OpsRecord record = { .kind = OPS_KILL, .serial = 7 };
        size_t before = open_fds();
        OpsPacket packet;
        size_t n;

        assert_int_equal(ops_send(pair.here, &record, &pair.here, 1), 0);
        assert_int_equal(ops_receive(pair.there, &packet), OPS_E_INVALID);
        assert_int_equal(open_fds(), before);

        record.kind = OPS_ENDED; /* half a record */
        assert_int_equal(socket_send(pair.here, &record, sizeof record / 2, (int[]){ 0, 1 }, 2, &n), 0);
        assert_int_equal(ops_receive(pair.there, &packet), OPS_E_INVALID);
        assert_int_equal(open_fds(), before);
}

TEST(a_record_with_a_tail_is_invalid) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET);
        struct {
                OpsRecord record;
                char tail;
        } longer = { .record = { .kind = OPS_KILL } };
        OpsPacket packet;
        size_t n;

        assert_int_equal(socket_send(pair.here, &longer, sizeof(OpsRecord) + 1, NULL, 0, &n), 0);
        assert_int_equal(ops_receive(pair.there, &packet), OPS_E_INVALID);
}

TEST(an_empty_socket_is_again_a_left_one_is_closed) {
        _cleanup_(pair_close) Pair pair = pair_new(SOCK_SEQPACKET);
        OpsRecord record = { .kind = OPS_KILL };
        OpsPacket packet;

        assert_int_equal(ops_receive(pair.there, &packet), OPS_E_AGAIN);
        pair.here = fd_close(pair.here);
        assert_int_equal(ops_receive(pair.there, &packet), OPS_E_CLOSED);
        assert_int_equal(ops_send(pair.there, &record, NULL, 0), OPS_E_CLOSED);
}

TEST(an_end_has_bounded_controls_and_ended_texts) {
        OpsRecord record = { .kind = OPS_ENDED };

        TAKEN(2, record.ended.n_controls = OPS_CONTROLS_MAX);
        REFUSED(2, record.ended.n_controls++);
        REFUSED(2, record.ended.n_controls--; memset(record.ended.controls[3].is, 'x', OPS_VALUE_MAX));
        TAKEN(2, record.ended.n_controls = 3);
        REFUSED(2, memset(record.ended.controls[0].name, 'x', OPS_NAME_MAX));
        TAKEN(2, record.ended.n_controls = 0);
        REFUSED(2, memset(record.ended.unborn, 'x', OPS_TEXT_MAX));
}
