/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/calibrator.h"

#include <time.h>

#include "launch/base/say.h"
#include "launch/lease/describe.h"
#include "launch/run/runner-setup.h"
#include "launch/run/runners.h"
#include "ops/block.h"
#include "util/error.h"
#include "util/fd.h"

#define CLOCK_TRIES     16u
#define CLOCK_SETTLE_NS 2000000 /* of a new baseline: enough for some 10 ppm */

void calibrator_clock_choose(OpsMachine *machine, bool distrust_tsc) {
        bool trusted = machine->invariant_tsc && machine->kernel_trusts_tsc && !distrust_tsc;

        for (uint32_t i = 0; i < machine->n_cpus; i++) {
                machine->cpus[i].clock.source = trusted ? CLOCK_SOURCE_TSC : CLOCK_SOURCE_RAW;
                machine->cpus[i].clock.invariant = machine->invariant_tsc;
        }
}

static void clock_set_frequency(ClockFacts *clock, const Refinement *refinement) {
        clock->hz = refinement->frequency.hz;
        clock->error_ppm = refinement->frequency.error_ppm;
        if (refinement_baseline_ns(refinement) > 0)
                clock->baseline_ns = refinement_baseline_ns(refinement);
}

/* @anyway: overwrites the frequency of CPUs even if theirs claims to be better, since it is disproved. */
static void clock_keeper_tell(const CalibratorClock *keeper, OpsMachine *machine, bool anyway) {
        for (uint32_t i = 0; i < machine->n_cpus; i++) {
                ClockFacts *clock = &machine->cpus[i].clock;

                if (!machine->cpus[i].calibrated || clock->source != CLOCK_SOURCE_TSC)
                        continue;
                clock->n_restarts =
                                keeper->refinement.n_restarts < UINT16_MAX ? keeper->refinement.n_restarts : UINT16_MAX;
                if (anyway || keeper->refinement.frequency.error_ppm < clock->error_ppm)
                        clock_set_frequency(clock, &keeper->refinement);
        }
}

static const ClockFacts *calibrated_clock(const OpsMachine *machine) {
        for (uint32_t i = 0; i < machine->n_cpus; i++)
                if (machine->cpus[i].calibrated && machine->cpus[i].clock.source == CLOCK_SOURCE_TSC)
                        return &machine->cpus[i].clock;
        return NULL;
}

void calibrator_clock_note(CalibratorClock *keeper, OpsMachine *machine, const CalibrationPoint *point) {
        const ClockFacts *clock = calibrated_clock(machine);

        if (clock && !keeper->calibrated) {
                refinement_init(&keeper->refinement,
                                &(CalibrationFrequency){ .hz = clock->hz, .error_ppm = clock->error_ppm });
                keeper->calibrated = true;
                (void)refinement_add(&keeper->refinement, point);
        }
        clock_keeper_tell(keeper, machine, false);
}

bool calibrator_clock_add(CalibratorClock *keeper, OpsMachine *machine, const CalibrationPoint *point) {
        RefinementOutcome outcome;

        if (!keeper->calibrated)
                return false;
        outcome = refinement_add(&keeper->refinement, point);
        if (outcome == REFINEMENT_KEPT)
                return false;
        clock_keeper_tell(keeper, machine, outcome == REFINEMENT_RESTARTED);
        return true;
}

static CalibrationPoint clock_keeper_now(void) {
        return calibration_read(CLOCK_TRIES);
}

bool calibrator_clock_look(CalibratorClock *keeper, OpsMachine *machine) {
        const struct timespec settle = { .tv_nsec = CLOCK_SETTLE_NS };
        uint32_t n_restarts = keeper->refinement.n_restarts;
        CalibrationPoint point;
        bool changed;

        if (!keeper->calibrated)
                return false;
        point = clock_keeper_now();
        changed = calibrator_clock_add(keeper, machine, &point);
        if (keeper->refinement.n_restarts == n_restarts)
                return changed;
        say(SD_WARNING,
                        "the time-stamp counter was off by %.3g ppm since the last look (the machine slept, was moved, or "
                        "a clock stopped): its frequency is measured anew",
                        keeper->refinement.disagreement_ppm);
        nanosleep(&settle, NULL);
        point = clock_keeper_now();
        (void)calibrator_clock_add(keeper, machine, &point);
        return true;
}

static CalibratorLevel *levels_of_kind(CalibratorLevels *levels, const TopologyCore *core) {
        for (size_t i = 0; i < levels->n; i++)
                if (levels->kinds[i].type == core->type && levels->kinds[i].capacity == core->capacity)
                        return &levels->kinds[i];
        return NULL;
}

static void levels_keep(CalibratorLevels *levels, const TopologyCore *core, ClockFacts *clock) {
        if (clock->missing || clock->port_chains == 0 || levels->n == CALIBRATOR_LEVELS_MAX ||
                        levels_of_kind(levels, core))
                return;
        levels->kinds[levels->n++] = (CalibratorLevel){ core->type, core->capacity, *clock };
}

static void levels_give(CalibratorLevels *levels, const TopologyCore *core, ClockFacts *clock) {
        const CalibratorLevel *kept = levels_of_kind(levels, core);

        if (clock->missing != CLOCK_MISSING_LEVELS || !kept)
                return;
        clock->branch_cycles = kept->clock.branch_cycles;
        clock->ports_cycles = kept->clock.ports_cycles;
        clock->port_chains = kept->clock.port_chains;
        clock->missing = 0;
}

static void levels_each(CalibratorLevels *levels, const Topology *topology, OpsMachine *machine,
                void (*visit)(CalibratorLevels *levels, const TopologyCore *core, ClockFacts *clock)) {
        for (uint32_t i = 0; i < machine->n_cpus; i++) {
                OpsCpu *cpu = &machine->cpus[i];
                const int core = cpu->cpu < TOPOLOGY_CPUS_MAX ? topology->core_of[cpu->cpu] : -1;

                if (cpu->calibrated && core >= 0)
                        visit(levels, &topology->cores[core], &cpu->clock);
        }
}

void calibrator_levels_settle(CalibratorLevels *levels, const Topology *topology, OpsMachine *machine) {
        levels_each(levels, topology, machine, levels_keep);
        levels_each(levels, topology, machine, levels_give);
}

/* A second is usual; an emulated machine beside other work took over ten. */
#define CALIBRATOR_TIMEOUT_NS 60000000000ull

/* The runner tested the suspects that its plan names. */
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
                const OpsCpu *cpu = describe_find_cpu(calibrator->config.setup->machine, leases->leases[i].cpu);

                leases->leases[i].provisional = cpu && cpu->calibrated && cpu->clock.missing;
        }
}

/* A repeated calibration that found less changes nothing. */
static void calibrator_keep(Calibrator *calibrator, const CalibrationBlock *block, OpsCpu *cpu) {
        OpsMachine *machine = calibrator->config.setup->machine;

        if (cpu->calibrated && block->clock.missing > cpu->clock.missing)
                return;
        cpu->clock = block->clock;
        cpu->calibrated = 1;
        machine->clock_checks = block->checks;
        calibrator_levels_settle(&calibrator->levels, calibrator->config.leases->topology, machine);
        calibrator_mark_provisional(calibrator);
}

static bool calibrator_take(Calibrator *calibrator, Process *process) {
        OpsMachine *machine = calibrator->config.setup->machine;
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
        calibrator_clock_note(calibrator->config.clock, machine, &point);
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
        const RunnerSetup *setup = calibrator->config.setup;
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

        runner_setup_complete(setup, &setup->identities->run, leases, &plan);
        plan.cpus[1] = setup->leases->housekeeping; /* of the warp test */
        calibrator_add_suspects(calibrator, leases, &plan);
        runner_setup_birth(setup, &plan, &config.birth);
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
