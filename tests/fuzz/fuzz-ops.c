/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Records between benchd and benchd-launch: one that passes the check can be told to a client without further care, as a
 * message that keeps protobuf's rules.
 */

#include "ops/ops.h"

#include "front/clients/set-governor.h"
#include "front/report/clock-report.h"
#include "front/report/environment.h"
#include "front/samples/process-end.h"
#include "front/samples/runner-block.h"
#include "fuzz.h"

static const EnvironmentHost host = { .system = "a system",
        .kernel = "a kernel",
        .libc = "a libc",
        .huge_pages = "madvise" };

static void tell_machine(Arena *arena, const OpsMachine *machine) {
        Benchd__Environment *environment = environment_build(arena, &host, machine, NULL, 0.5);
        Benchd__Status status = BENCHD__STATUS__INIT;
        ArenaList warnings = {};

        HOLD(environment && protobuf_c_message_check(&environment->base));
        HOLD(set_governor_fill_status(arena, machine, &status) == 0);
        HOLD(protobuf_c_message_check(&status.base));
        clock_report_warn(arena, clock_report_build(arena, machine, -1), &warnings);
        machine_controls_warn_replay(&machine->replay, arena, &warnings);
}

static void tell_ended(Arena *arena, const OpsEnded *ended) {
        static const SampleBlock block = { .head = { .end = RUNNER_END_COMPLETE } };
        Benchd__Environment *environment;
        ArenaList warnings = {};
        MachineControls controls = {};
        ProcessEnd ending;

        if (!process_end_judge(ended, &block.head, &(RunnerOutput){}, RUNNER_MODE_RUN, 1, &ending))
                HOLD(ending.code && ending.message[0]);
        machine_controls_add(&controls, ended, &block);
        environment = environment_build(arena, &host, NULL, &controls, 0.5);
        HOLD(environment && protobuf_c_message_check(&environment->base));
        machine_controls_warn(&controls, arena, &warnings);
}

static void tell_governor(Arena *arena, const OpsGovernorDone *done) {
        const OpsGovernor wanted = { .name = "performance" };
        Benchd__SetGovernorReply *reply;
        ReplyError why;

        if (done->end == OPS_GOVERNOR_SET) {
                HOLD(set_governor_build(arena, done, &reply) == 0);
                HOLD(protobuf_c_message_check(&reply->base));
        } else {
                set_governor_explain(done, &wanted, &why);
                HOLD(why.message[0]);
        }
}

static void tell(Arena *arena, const OpsRecord *record) {
        if (record->kind == OPS_MACHINE)
                tell_machine(arena, &record->machine);
        if (record->kind == OPS_ENDED)
                tell_ended(arena, &record->ended);
        if (record->kind == OPS_GOVERNOR_DONE)
                tell_governor(arena, &record->governor_done);
}

/* ---- mutations by the layout of a record, whose fields are aligned words, or texts */

static uint64_t odd_word(uint64_t was, uint64_t chance) {
        static const uint64_t odd[] = { 0, 1, 2, 63, 64, 127, 128, 255, 256, 4096, 65536, INT32_MAX, 0x80000000,
                UINT32_MAX, 1ull << 32, INT64_MAX, UINT64_MAX };

        switch (chance % 4) {
        case 0:
                return was + chance / 4 % 9 - 4;
        case 1:
                return was ^ 1ull << chance / 4 % 64;
        case 2:
                return chance / 4;
        default:
                return odd[chance / 4 % N_ELEMENTS(odd)];
        }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_data, size_t n_max, unsigned seed) {
        static const size_t sizes[] = { 1, 4, 4, 8 };
        uint64_t word = 0, chance = seed * 0x9e3779b97f4a7c15u ^ seed;
        size_t size = sizes[chance >> 8 & 3], n_words = n_data / size;

        if (n_words == 0 || (chance >> 16) % 5 == 0)
                return LLVMFuzzerMutate(data, n_data, n_max);
        data += (chance >> 24) % n_words * size;
        memcpy(&word, data, size);
        word = odd_word(word, chance >> 32);
        memcpy(data, &word, size);
        return n_data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        static OpsRecord record;
        _cleanup_(arena_freep) Arena *arena = NULL;
        size_t n_right = 0;

        fuzz_lay(&record, sizeof record, data, n_data);
        HOLD(arena_new(&arena) == 0);
        for (size_t n_fds = 0; n_fds <= 2 + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX; n_fds++)
                n_right += ops_check(&record, n_fds) == 0;
        HOLD(n_right <= 1);
        if (n_right == 1)
                tell(arena, &record);
        return 0;
}
