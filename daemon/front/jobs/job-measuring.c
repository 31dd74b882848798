/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-measuring.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#include "front/base/config.h"
#include "front/base/message.h"
#include "front/base/warning.h"
#include "front/history/module-recall.h"
#include "front/jobs/job-modules.h"
#include "front/jobs/job.h"
#include "front/report/clock-report.h"
#include "front/report/code-findings.h"
#include "front/report/environment.h"
#include "front/report/file-findings.h"
#include "front/report/result.h"
#include "front/samples/measurement.h"
#include "front/samples/runner-block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/module-links.h"
#include "util/time.h"

/* ---- planned */

static int measuring_draw_seed(JobMeasuring *measuring) {
        uint64_t drawn;

        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
                return error_origin(-errno);
        measuring->seed = measuring->run->has_seed ? measuring->run->seed : drawn >> 11;
        return 0;
}

int job_measuring_plan(JobMeasuring *measuring, const JobServices *services, uid_t uid, const Benchd__RunRequest *run,
                const JobModules *modules) {
        _cleanup_(plan_freep) Plan *plan = NULL;
        const PlanInput input = {
                .listing = modules->sides[0].listing,
                .old = modules->sides[1].listing,
                .cpus_max = services->machine ? services->machine->threads_max : 0,
                .chosen = modules->sides[0].chosen,
                .old_chosen = modules->sides[1].chosen,
        };
        int r;

        *measuring = (JobMeasuring){ .services = services, .modules = modules, .run = run };
        r = measuring_draw_seed(measuring);
        if (r)
                return error_trace(r);
        r = plan_new(&input, run, measuring->seed, &plan);
        if (r)
                return r;
        r = share_take(services->shares, uid, SHARE_SAMPLE_BYTES, 0, &measuring->samples);
        if (r)
                return error_fold(r);
        r = measurement_new(plan, &measuring->measurement);
        if (r)
                return error_trace(r);
        take_pointer(plan);
        return 0;
}

void job_measuring_clear(JobMeasuring *measuring) {
        measurement_free(measuring->measurement);
        share_release(&measuring->samples);
        *measuring = (JobMeasuring){};
}

void job_measuring_begin(JobMeasuring *measuring, uint64_t now_unix_ns, uint64_t now_ns) {
        measuring->turns = 1;
        measuring->begun_ns = measuring->ended_ns = now_ns;
        measuring->started_at_unix_ns = now_unix_ns;
        measuring->load = environment_read_load(measuring->services->root);
        measuring->memory_stall = environment_read_memory_stall(measuring->services->root);
        measuring->power_source = environment_read_power_source(measuring->services->root);
}

uint64_t job_measuring_rests_ns(const JobMeasuring *measuring, uint64_t now_ns) {
        const uint64_t spread_ns = measurement_plan(measuring->measurement)->spread_ns;
        const uint64_t passed_ns = measuring->begun_ns > 0 ? now_ns - measuring->begun_ns : 0;

        return passed_ns < spread_ns ? spread_ns - passed_ns : 0;
}

/* The parts of a run begin evenly within its spread, the last at its end. */
bool job_measuring_part(JobMeasuring *measuring, const PlanProcess *next, uint64_t now_ns, uint64_t *ret_due_ns) {
        const Plan *plan = measurement_plan(measuring->measurement);

        if (next->part == measuring->part)
                return false;
        measuring->part = next->part;
        *ret_due_ns = measuring->begun_ns +
                      (uint64_t)((double)plan->spread_ns * next->part / (plan->n_parts > 1 ? plan->n_parts - 1 : 1));
        measuring->late |= plan->spread_ns > 0 && *ret_due_ns < now_ns;
        return plan->n_rounds > 1 || *ret_due_ns > now_ns;
}

/* ---- measured */

/* Takes as much of its user's share as the samples need now. */
static int measuring_hold(JobMeasuring *measuring, ReplyError *ret_why) {
        const Config *config = measuring->services->config;
        const char *name;
        uint64_t most;
        int r;

        r = share_change(&measuring->samples, measurement_sample_bytes(measuring->measurement));
        if (r == 0)
                return 0;
        name = r == SHARE_E_USER_FULL ? "samples_per_user" : "samples";
        most = r == SHARE_E_USER_FULL ? config->samples_per_user_bytes : config->samples_bytes;
        reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY,
                        "The samples of %s take too much memory: the limit, memory.%s= of benchd.conf, is %" PRIu64
                        " MiB.",
                        r == SHARE_E_USER_FULL ? "this user's runs" : "all runs", name, most >> 20);
        reply_error_hint(ret_why, "Take fewer samples (--samples, --processes), or run fewer at a time.");
        return JOB_MEASURING_E_FULL;
}

/* Notes the machine's part in a process that did what it was to do, and the links of the modules that it ran. */
static void measuring_note_machine(JobMeasuring *measuring, const OpsEnded *ended, const SampleBlock *blocks) {
        const PlanProcess *process = measurement_next(measuring->measurement);

        static_assert(MODULE_LINKS_MAX <= 64, "a bit for each link");
        machine_controls_add(&measuring->controls, ended, blocks);
        for (uint32_t i = 0; i < measuring->modules->n; i++) {
                machine_controls_add_image(&measuring->controls, i, &blocks[i]);
                if (blocks[i].n_links > 0)
                        measuring->links[i] |= 1ull << process->link % blocks[i].n_links;
        }
}

int job_measuring_note(JobMeasuring *measuring, const OpsEnded *ended, const RunnerDeadProcess *process,
                ReplyError *ret_why) {
        Measurement *measurement = measuring->measurement;
        const ClockFacts *clock;
        int r;

        if (process->mode == RUNNER_MODE_MEMORY)
                return error_trace(measurement_note_memory(measurement, process->end ? NULL : process->block,
                                process->end));
        clock = clock_report_facts(measuring->services->machine, ended->cpu);
        if (!clock)
                return error_origin(-ENODATA);
        if (!process->end)
                measuring_note_machine(measuring, ended, process->block);
        measuring->ended_ns = time_monotonic_ns();
        measurement_note_end(measurement, ended->elapsed_ns, ended->memory_peak_bytes);
        r = process->end ? measurement_note_failed(measurement, process->end, &process->output)
                         : measurement_note_complete(measurement, process->block, clock, &process->output);
        return r ? error_trace(r) : measuring_hold(measuring, ret_why);
}

/* ---- reported */

static int measuring_add_findings(const JobMeasuring *measuring, Arena *arena, Benchd__BenchmarkResult *result) {
        const bool of_old = result->side && strcmp(result->side, "old") == 0;
        const InspectionBlock *block = measuring->modules->sides[of_old ? 1 : 0].inspected;
        int r = 0;

        if (result->failed)
                return 0;
        if (measuring->run->n_commands > 0) {
                warning_drop_of_code(result->warnings, result->findings, &result->n_findings);
                result->n_warnings = result->n_findings;
                return 0;
        }
        if (block)
                r = code_findings_add(arena, block, result);
        if (r == 0)
                r = file_findings_add(arena, block, result);
        return error_trace(r);
}

int job_measuring_take(JobMeasuring *measuring, bool partial, Arena *arena, Benchd__BenchmarkResult **ret_result) {
        Benchd__BenchmarkResult *result;
        int r;

        r = measurement_take_result(measuring->measurement, partial, arena, &result);
        if (r == 0 && result)
                r = measuring_add_findings(measuring, arena, result);
        if (r)
                return error_trace(r);
        *ret_result = result;
        return 0;
}

static ResultModule result_module(const JobMeasuring *measuring, size_t i) {
        const JobSide *side = &measuring->modules->sides[i];

        return (ResultModule){
                .wants = &side->wants,
                .stored = side->module,
                .compiler = side->compiler,
                .optimized = side->optimized,
                .inspected = side->inspected,
                .n_links = (uint32_t)__builtin_popcountll(measuring->links[i]),
                .earlier = side->recall ? module_recall_earlier(side->recall) : NULL,
        };
}

int job_measuring_build(JobMeasuring *measuring, const char *run_id, bool cancelled, Arena *arena,
                Benchd__RunResult **ret_result) {
        const JobServices *services = measuring->services;
        const JobModules *modules = measuring->modules;
        MachineControls *controls = &measuring->controls;
        ResultFacts facts = {
                .run = measuring->run,
                .run_id = run_id,
                .measurement = measuring->measurement,
                .modules = { result_module(measuring, 0), result_module(measuring, 1) },
                .n_modules = modules->n,
                .input_names = measuring->run->input_names,
                .inputs = modules->inputs,
                .seed = measuring->seed,
                .started_at_unix_ns = measuring->started_at_unix_ns,
                .cancelled = cancelled,
                .turns = measuring->turns,
                .waited_ns = measuring->waited_ns,
                .span_ns = measuring->ended_ns - measuring->begun_ns,
                .late = measuring->late,
                .machine = controls,
                .image_states = controls->image_states,
                .shared_cpu = machine_controls_shared_cpu(controls, services->machine),
        };

        controls->directory = measuring->run->directory;
        controls->seen = measuring->run->seen;
        controls->n_seen = measuring->run->n_commands > 0
                                           ? 0
                                           : measuring->run->n_seen; /* theirs is the socket of this run */
        facts.environment = environment_build(arena, services->host, services->machine, controls, measuring->load);
        if (!facts.environment)
                return error_origin(-ENOMEM);
        message_set_finite(facts.environment, memory_stall, measuring->memory_stall);
        facts.environment->power_source = arena_text(arena, measuring->power_source);
        return error_trace(result_build(arena, &facts, ret_result));
}
