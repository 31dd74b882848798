/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/calibrator.h"

#include "launch/clock-keeper.h"
#include "launch/describe.h"
#include "launch/outfit.h"
#include "launch/runners.h"
#include "launch/say.h"
#include "ops/sample-block.h"
#include "util/error.h"
#include "util/fd.h"

/* A second is usual; an emulated machine beside other work took over ten. */
#define CALIBRATOR_TIMEOUT_NS 60000000000ull

/* The CPUs of which the runner was to find it out are those of its plan. */
static void calibrator_note_siblings(Calibrator *calibrator, const CalibrationBlock *block) {
        for (size_t i = 0; i < calibrator->n_suspects; i++) {
                const bool share = block->suspects_found >> i & 1;

                if (!(block->suspects_tested >> i & 1))
                        continue;
                leases_note_sibling(calibrator->config.leases, calibrator->cpu, calibrator->suspects[i], share);
                if (share)
                        say(SD_NOTICE, "CPUs %d and %d share a core, though the topology does not say so",
                                        calibrator->cpu, calibrator->suspects[i]);
        }
}

static void calibrator_mark_provisional(Calibrator *calibrator) {
        Leases *leases = calibrator->config.leases;

        for (size_t i = 0; i < leases->n_leases; i++) {
                const OpsCpu *cpu = describe_find_cpu(calibrator->config.outfit->machine, leases->leases[i].cpu);

                leases->leases[i].provisional = cpu && cpu->calibrated && cpu->clock.missing;
        }
}

/* A calibration that was tried again and found less changes nothing. */
static void calibrator_keep(Calibrator *calibrator, const CalibrationBlock *block, OpsCpu *cpu) {
        OpsMachine *machine = calibrator->config.outfit->machine;

        if (cpu->calibrated && block->clock.missing > cpu->clock.missing)
                return;
        cpu->clock = block->clock;
        cpu->calibrated = 1;
        machine->clock_checks = block->checks;
        shared_levels_settle(&calibrator->levels, calibrator->config.leases->topology, machine);
        calibrator_mark_provisional(calibrator);
}

static bool calibrator_take(Calibrator *calibrator, Process *process) {
        OpsMachine *machine = calibrator->config.outfit->machine;
        OpsCpu *cpu = describe_find_cpu(machine, process_leases(process)->leases[0]->cpu);
        CalibrationPoint point;
        CalibrationBlock block;
        size_t n;

        if (fd_read_start(process_block_fd(process), &block, sizeof block, &n) != 0 || n != sizeof block)
                return false;
        if (calibration_block_check(&block) != 0 || block.head.end != RUNNER_END_COMPLETE)
                return false;
        block.clock.source = cpu->clock.source;
        block.clock.invariant = cpu->clock.invariant;
        block.clock.n_restarts = 0;
        if (calibrator->config.without_probes) {
                block.clock.branch_cycles = block.clock.ports_cycles = block.clock.port_chains = 0;
                block.clock.missing &= ~CLOCK_MISSING_LEVELS;
        }
        calibrator_keep(calibrator, &block, cpu);
        calibrator_note_siblings(calibrator, &block);
        point = clock_keeper_now();
        clock_keeper_note(calibrator->config.clock, machine, &point);
        return true;
}

static void calibrator_on_ended(Process *process, void *userdata) {
        Calibrator *calibrator = userdata;
        Lease *lease = process_leases(process)->leases[0];
        int r;

        lease_note_calibration(lease, calibrator_take(calibrator, process));
        calibrator->busy = false;
        runners_let_go(calibrator->config.runners, process);
        if (!lease->calibrated && lease->failures == LEASE_FAILURES_MAX)
                say(SD_ERR, "CPU %d could not be calibrated: nothing can be measured on it", lease->cpu);
        r = calibrator->config.told(calibrator->config.userdata);
        if (r < 0 || calibrator_next(calibrator) < 0)
                sd_event_exit(calibrator->config.event, 1);
}

static void calibrator_add_suspects(Calibrator *calibrator, const LeaseSet *leases, RunnerPlan *plan) {
        calibrator->cpu = leases->leases[0]->cpu;
        calibrator->n_suspects =
                        leases_suspects(calibrator->config.leases, leases, calibrator->suspects, RUNNER_SUSPECTS_MAX);
        plan->n_suspects = calibrator->n_suspects;
        for (size_t i = 0; i < calibrator->n_suspects; i++)
                plan->cpus[2 + i] = calibrator->suspects[i];
}

static int calibrator_start(Calibrator *calibrator, const LeaseSet *leases) {
        const Outfit *outfit = calibrator->config.outfit;
        RunnerPlan plan = {
                .magic = RUNNER_PLAN_MAGIC,
                .version = RUNNER_PLAN_VERSION,
                .mode = RUNNER_MODE_CALIBRATE,
                .n_threads = 1,
                .n_sides = 1,
        };
        ProcessConfig config = {
                .ended = calibrator_on_ended,
                .userdata = calibrator,
                .timeout_ns = CALIBRATOR_TIMEOUT_NS,
                .plan = &plan,
                .leases = *leases,
        };

        outfit_complete(outfit, &outfit->identities->run, leases, &plan);
        plan.cpus[1] = outfit->leases->housekeeping; /* of the warp test */
        calibrator_add_suspects(calibrator, leases, &plan);
        outfit_birth(outfit, &plan, &config.birth);
        return error_trace(runners_start(calibrator->config.runners, &config));
}

void calibrator_init(Calibrator *calibrator, const CalibratorConfig *config) {
        *calibrator = (Calibrator){ .config = *config };
}

int calibrator_next(Calibrator *calibrator) {
        LeaseSet leases;

        if (calibrator->busy || !runners_have_place(calibrator->config.runners) ||
                        !leases_take_uncalibrated(calibrator->config.leases, &leases))
                return 0;
        calibrator->busy = true;
        return error_trace(calibrator_start(calibrator, &leases));
}
