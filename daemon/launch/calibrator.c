/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/calibrator.h"

#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "launch/clock-keeper.h"
#include "launch/describe.h"
#include "launch/outfit.h"
#include "launch/runners.h"
#include "ops/sample-block.h"
#include "util/error.h"
#include "util/fd.h"

#define CALIBRATOR_TIMEOUT_NS 10000000000ull

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
        cpu->clock = block.clock;
        machine->clock_checks = block.checks;
        cpu->calibrated = 1;
        point = clock_keeper_now();
        clock_keeper_note(calibrator->config.clock, machine, &point);
        return true;
}

static void calibrator_on_ended(Process *process, void *userdata) {
        Calibrator *calibrator = userdata;
        Lease *lease = process_leases(process)->leases[0];
        int r;

        lease->calibrated = calibrator_take(calibrator, process);
        calibrator->busy = false;
        runners_let_go(calibrator->config.runners, process);
        if (!lease->calibrated && ++lease->failures == LEASE_FAILURES_MAX)
                fprintf(stderr, SD_ERR "CPU %d could not be calibrated: nothing can be measured on it\n", lease->cpu);
        r = calibrator->config.told(calibrator->config.userdata);
        if (r < 0 || calibrator_next(calibrator) < 0)
                sd_event_exit(calibrator->config.event, 1);
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
