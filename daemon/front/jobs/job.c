/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>

#include "front/base/config.h"
#include "front/base/slices.h"
#include "front/base/turns.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "front/history/module-store.h"
#include "front/history/sealed-module.h"
#include "front/history/vouchers.h"
#include "front/jobs/job-measuring.h"
#include "front/jobs/job-reply.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/launch-refusal.h"
#include "front/jobs/plan-refusal.h"
#include "front/jobs/spawn.h"
#include "front/report/clock-report.h"
#include "front/report/inspection.h"
#include "front/samples/measurement.h"
#include "front/samples/process-end.h"
#include "front/samples/runner-block.h"
#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

DEFINE_CLEANUP(Job *, job_free)

static void job_on_process(void *userdata, OpsPacket *packet);

/* ---- the end, at whatever step a job stands */

/* Waits for no turn any more, and stops the process. */
static void job_stop_measuring(Job *job) {
        job->waits_for_place = false;
        if (queue_is_waiting(&job->place))
                queue_remove(&job->services->queue, &job->place);
        if (job->process != 0)
                (void)launch_link_kill(job->services->link, job->process);
}

/* The last reply was sent: lets go of the client. */
static void job_over(Job *job) {
        if (job->state == JOB_OVER)
                return;
        if (job->state != JOB_ENDING)
                job_stop_measuring(job);
        job->state = JOB_OVER;
        job->submitter = NULL;
        while (!LIST_EMPTY(&job->watches))
                watch_free(LIST_FIRST(&job->watches));
        job->preparing = sd_event_source_disable_unref(job->preparing);
}

static void job_end_error(Job *job, const ReplyError *why) {
        job_reply_error(job, why);
        job_over(job);
}

/* Ends it for a fault of the daemon's own, the negative errno @r. */
static void job_fail(Job *job, int r) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The daemon failed in this job: %s.", strerrordesc_np(-r));
        reply_error_hint(&why, "Its journal says where.");
        job_end_error(job, &why);
}

/* The launcher does not do as it was asked. */
static void job_end_refused(Job *job, const OpsRefused *refused) {
        ReplyError why;

        launch_refusal_explain(refused, &why);
        job_end_error(job, &why);
}

/* Reports some of the benchmarks; after the last of them the result. Returns 0, JOB_REPLY_E_MORE, or a negative errno. */
static int job_end_slice(Job *job) {
        int r;

        turns_note(job->services->turns, TURN_RESULT);
        r = job_reply_benchmarks(job, job->cancelled);
        return r ? r : error_trace(job_reply_result(job, job->cancelled));
}

static int job_on_end(sd_event_source *source, uint64_t usec, void *userdata) {
        Job *job = userdata;
        int r;

        r = job_end_slice(job);
        if (r == JOB_REPLY_E_MORE)
                r = slices_again(source);
        else if (r == 0)
                job_over(job);
        if (r)
                job_fail(job, r);
        return 0;
}

/*
 * Sends the result: of all, or of the part that was measured when the job was @cancelled. Thousands of benchmarks take more than one
 * turn.
 */
static void job_end_result(Job *job, bool cancelled) {
        int r;

        job_stop_measuring(job);
        job->state = JOB_ENDING;
        job->cancelled = cancelled;
        r = job_end_slice(job);
        if (r == JOB_REPLY_E_MORE)
                r = slices_start(job->services->event, SLICES_WHEN_IDLE, job_on_end, job, &job->preparing);
        else if (r == 0)
                job_over(job);
        if (r)
                job_fail(job, r);
}

static bool job_is_ending(const Job *job) {
        return job->state == JOB_ENDING || job->state == JOB_OVER;
}

void job_cancel(Job *job) {
        ReplyError why;

        if (job_is_ending(job))
                return;
        if (job->state == JOB_MEASURING || job->state == JOB_PAUSED) {
                job_end_result(job, true);
                return;
        }
        reply_error_set(&why, BENCHD__ERROR__CODE__CANCELLED, "Cancelled before anything was measured.");
        job_end_error(job, &why);
}

void job_abandon(Watch *watch) {
        Job *job = watch->job;
        const bool submitted = watch == job->submitter;

        watch_free(watch);
        if (!submitted)
                return;
        job->submitter = NULL;
        job_cancel(job);
}

bool job_is_finished(const Job *job) {
        return job->state == JOB_OVER && !job->asked;
}

bool job_is_known(const Job *job) {
        return job->state != JOB_OVER && job->record && job->record->accepted;
}

/* ---- questions to the launcher, one at a time */

static int job_ask(Job *job, OpsRecord *record, const int *fds, size_t n_fds, LaunchAnswer answer) {
        int r;

        r = launch_link_ask(job->services->link, record, fds, n_fds, answer, job);
        if (r)
                return error_trace(r);
        job->asked = true;
        return 0;
}

/* The vouchers of a module that comes from the store: its files are this daemon's own now. */
static void job_find_vouchers(const Job *job, const JobSide *side, OpsVoucher *ret_vouchers) {
        Database *database = history_database(job->services->history);
        size_t n;

        (void)sealed_module_fds(side->module, &n);
        for (size_t i = 0; i < n; i++)
                (void)vouchers_find(database, sealed_module_sha256(side->module, i), job->uid, &ret_vouchers[i]);
}

/* Asks for the ticket of the side that is opened now. */
static int job_ask_ticket(Job *job, LaunchAnswer answer) {
        int fds[2 + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX] = { job->submitter->client->fd };
        const JobSide *side = &job->modules.sides[job->modules.at];
        const int *module_fds, *input_fds;
        size_t n, n_inputs = 0;
        OpsRecord record;

        module_fds = sealed_module_fds(side->module, &n);
        memcpy(fds + 1, module_fds, n * sizeof *fds);
        if (job->modules.inputs) {
                input_fds = sealed_module_fds(job->modules.inputs, &n_inputs);
                memcpy(fds + 1 + n, input_fds, n_inputs * sizeof *fds);
        }
        memset(&record, 0, sizeof record);
        record.kind = OPS_TICKET_OPEN;
        record.ticket_open.n_libraries = n - 1;
        record.ticket_open.n_inputs = n_inputs;
        if (side->recall)
                job_find_vouchers(job, side, record.ticket_open.vouchers);
        return error_trace(job_ask(job, &record, fds, 1 + n + n_inputs, answer));
}

/* Asks for the process that the job needs next: the one that lists or inspects, or the next one of the plan. */
static int job_ask_process(Job *job) {
        const Benchd__RunRequest *run = job->request->run;
        const JobSide *sides = job->modules.sides;
        const Config *config = job->services->config;
        const SpawnJob spawn = {
                .tickets = { sides[0].ticket, sides[1].ticket },
                .timeout_ns = run && run->has_timeout_ns ? run->timeout_ns : 0,
                .timeout_max_ns = config->timeout_max_s * NS_PER_S,
                .memory_max_bytes = config->memory_max_bytes,
                .tasks_max = config->tasks_max,
                .listing_timeout_ns = config->listing_timeout_s * NS_PER_S,
                .cpus = run ? run->cpus : NULL,
                .n_cpus = run ? run->n_cpus : 0,
                .library_names = { sides[0].wants.library_names, sides[1].wants.library_names },
                .n_libraries = { sides[0].wants.n_libraries, sides[1].wants.n_libraries },
                .environment = sides[0].wants.environment,
                .n_environment = sides[0].wants.n_environment,
                .input_names = run ? run->input_names : NULL,
                .n_inputs = run ? run->n_input_names : 0,
                .after_others = job->place.interrupted && job->place.turn_core_ns == 0,
        };
        OpsRecord record;

        if (job->state == JOB_LISTING)
                spawn_list(&spawn, job->modules.at, &record);
        else if (job->state == JOB_INSPECTING)
                spawn_inspect(&spawn, job->modules.at, job->request->inspect ? job->request->inspect->benchmark : NULL,
                                &record);
        else
                spawn_run(&spawn, job->plan, job->next, &record);
        job->timeout_ns = record.spawn.timeout_ns;
        job->mode = record.spawn.plan.mode;
        return error_trace(job_ask(job, &record, NULL, 0, job_on_process));
}

/* A later turn leaves the cores to those before it, or a job that needs several would never have them. */
static bool job_is_preceded(const Job *job) {
        const Job *other;

        TAILQ_FOREACH(other, &job->services->jobs, jobs) {
                if (other->state == JOB_MEASURING && other->process == 0 && other->place.turn < job->place.turn)
                        return true;
        }
        return false;
}

static void job_spawn(Job *job) {
        int r;

        job->waits_for_place = job->state == JOB_MEASURING && job_is_preceded(job);
        if (job->waits_for_place)
                return;
        r = job_ask_process(job);
        if (r)
                job_fail(job, r);
}

void job_retry_all(JobServices *services) {
        Job *job;

        TAILQ_FOREACH(job, &services->jobs, jobs) {
                if (job->waits_for_place)
                        job_spawn(job);
        }
}

/* ---- measuring, turn by turn */

static void job_measure_next(Job *job) {
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__MEASURING);
        job_spawn(job);
}

/* Sends the complete benchmarks, then goes on with the next process, yields, or ends. */
static void job_next(Job *job) {
        int r;

        job->next = measurement_next(job->measurement);
        if (!job->next) {
                job_end_result(job, false);
                return;
        }
        r = job_reply_benchmarks(job, false);
        if (r < 0) {
                job_fail(job, r);
                return;
        }
        job_measuring_expect(job);
        if (!queue_turn_is_over(&job->place)) {
                job_measure_next(job);
                return;
        }
        job->state = JOB_PAUSED;
        job->paused_at_ns = time_monotonic_ns();
        queue_yield(&job->services->queue, &job->place);
}

static void job_resume(Job *job) {
        job->state = JOB_MEASURING;
        if (job->place.interrupted) {
                job->turns++;
                job->waited_ns += time_monotonic_ns() - job->paused_at_ns;
        }
        job_measure_next(job);
}

void job_begin_turn(Job *job) {
        if (job->state == JOB_PAUSED) {
                job_resume(job);
                return;
        }
        job->state = JOB_MEASURING;
        job_measuring_begin(job, time_realtime_ns());
        job_next(job);
}

const ClockFacts *job_clock(const JobServices *services, int cpu) {
        return services->machine ? clock_report_facts(services->machine, cpu) : NULL;
}

static void job_enqueue(Job *job) {
        const QueueComer comer = { .uid = job->uid, .number = job->number, .owner = job };
        int r;

        r = queue_add(&job->services->queue, &job->place, &comer, time_monotonic_ns());
        if (r) {
                job_fail(job, r);
                return;
        }
        job->state = JOB_QUEUED;
        job_measuring_expect(job);
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__QUEUED);
}

/* ---- inspecting */

static void job_inspect(Job *job) {
        job->state = JOB_INSPECTING;
        job->modules.at = 0;
        job_spawn(job);
}

/* Keeps of @block what a run reports, which is little; NULL stays NULL. */
static InspectionBlock *job_keep_inspected(InspectionBlock *block) {
        InspectionBlock *kept;

        if (!block)
                return NULL;
        block->n_functions = block->n_instructions = block->n_sources = block->first_line = 0;
        kept = realloc(block, offsetof(InspectionBlock, entries) + block->n_entries * sizeof *block->entries);
        return kept ? kept : block;
}

/* The file of the side was inspected, unless the process came to another @end. A run goes on without what is not known. */
static void job_inspected(Job *job, InspectionBlock *block, const ProcessEnd *end) {
        _cleanup_(freep) InspectionBlock *own = block;
        JobSide *side = &job->modules.sides[job->modules.at];
        ReplyError why;
        int r;

        if (job->request->run) {
                side->inspected = end ? NULL : job_keep_inspected(take_pointer(own));
                if (++job->modules.at < job->modules.n)
                        job_spawn(job);
                else
                        job_enqueue(job);
                return;
        }
        if (end) {
                inspection_explain_end(side->wants.name, own, end, &why);
                job_end_error(job, &why);
                return;
        }
        r = job_reply_inspection(job, own);
        if (r)
                job_fail(job, r);
        else
                job_over(job);
}

/* ---- choosing */

/* The filters are matched. A run is planned before its files are inspected: refused sooner, and its listings, which are large, are freed. */
static void job_chosen_of_run(Job *job) {
        ReplyError why;
        int r;

        turns_note(job->services->turns, TURN_PLANNING);
        r = job_measuring_plan(job);
        if (r > 0) {
                plan_refusal_explain(r, &job->modules, job->request->run, &why);
                job_end_error(job, &why);
        } else if (r < 0) {
                job_fail(job, r);
        } else {
                job_modules_note_listings(&job->modules);
                job_inspect(job);
        }
}

static void job_chosen_of_list(Job *job) {
        const JobSide *side = &job->modules.sides[0];
        ReplyError why;
        int r;

        turns_note(job->services->turns, TURN_LISTING);
        r = job_reply_listing(job, side->listing);
        if (r == JOB_REPLY_E_NO_MATCH) {
                plan_refusal_explain_no_match(side, &why);
                job_end_error(job, &why);
        } else if (r) {
                job_fail(job, r);
        } else {
                job_over(job);
        }
}

static int job_on_choose(sd_event_source *source, uint64_t usec, void *userdata) {
        Job *job = userdata;
        ReplyError why;
        int r;

        turns_note(job->services->turns, TURN_CHOOSING);
        r = job_modules_choose(&job->modules, job->request->run);
        if (r == JOB_MODULES_E_MORE) {
                r = slices_again(source);
                if (r == 0)
                        return 0;
        }
        job->preparing = sd_event_source_disable_unref(job->preparing);
        if (r == JOB_MODULES_E_TOO_MUCH) {
                plan_refusal_explain_too_much(&job->modules.sides[0].wants, &why);
                job_end_error(job, &why);
        } else if (r) {
                job_fail(job, r);
        } else if (job->request->run) {
                job_chosen_of_run(job);
        } else {
                job_chosen_of_list(job);
        }
        return 0;
}

/* ---- listing */

/* Takes the listing of the side, unless the process came to another @end. */
static void job_listed(Job *job, ListingBlock *listing, const ProcessEnd *end, const ModuleOutput *output) {
        JobSide *side = &job->modules.sides[job->modules.at];
        ReplyError why;
        int r;

        side->listing = listing;
        if (end) {
                reply_error_set(&why, end->of_daemon ? BENCHD__ERROR__CODE__INTERNAL : BENCHD__ERROR__CODE__BAD_MODULE,
                                "%s: %s", side->wants.name, end->message);
                why.failure = end->code;
                reply_error_output(&why, output->text, output->n);
                job_end_error(job, &why);
        } else if (++job->modules.at < job->modules.n) {
                job_spawn(job);
        } else {
                job->modules.at = 0;
                r = slices_start(job->services->event, SLICES_WHEN_IDLE, job_on_choose, job, &job->preparing);
                if (r)
                        job_fail(job, r);
        }
}

/* ---- a process */

static void job_started(Job *job, const OpsStarted *started) {
        job->process = started->process;
        job->cpus = started->cpus;
        queue_note_begun(&job->place, time_monotonic_ns());
        if (job_is_ending(job))
                (void)launch_link_kill(job->services->link, job->process);
        job_retry_all(job->services); /* the jobs that it preceded */
}

static TurnKind job_turn_of(RunnerMode mode) {
        return mode == RUNNER_MODE_LIST ? TURN_LISTING : mode == RUNNER_MODE_INSPECT ? TURN_INSPECTION : TURN_SAMPLES;
}

/* The descriptors of its block and output did not arrive. Other jobs go on. */
static void job_end_without_room(Job *job) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__BUSY,
                        "The daemon has as many files open as it may, so what a process measured could not be taken.");
        reply_error_hint(&why, "Try again when other jobs have ended.");
        job_end_error(job, &why);
}

/*
 * A process is dead: copies its block and its output, judges its end, and notes them. One that counts and fails is no failure of the
 * benchmark, which was measured.
 */
static void job_ended(Job *job, const OpsPacket *packet) {
        const OpsEnded *ended = &packet->record.ended;
        _cleanup_(freep) void *block = NULL;
        const ProcessEnd *end;
        ModuleOutput output = {};
        ProcessEnd other;
        ReplyError why;
        int r;

        turns_note(job->services->turns, job_turn_of(job->mode));
        if (packet->n_fds == 0) {
                job_end_without_room(job);
                return;
        }
        r = runner_block_read(packet->fds[0], job->mode, job->modules.n, &block);
        if (r == 0 && job->mode != RUNNER_MODE_MEMORY)
                r = runner_block_read_output(packet->fds[1], &output);
        if (r) {
                job_fail(job, r);
                return;
        }
        end = process_end_judge(ended, block, job->timeout_ns, &other) ? NULL : &other;
        if (job->mode == RUNNER_MODE_LIST) {
                job_listed(job, take_pointer(block), end, &output);
                return;
        }
        if (job->mode == RUNNER_MODE_INSPECT) {
                job_inspected(job, take_pointer(block), end);
                return;
        }
        if (job->mode == RUNNER_MODE_MEMORY)
                r = measurement_note_memory(job->measurement, end ? NULL : block, end);
        else
                r = job_measuring_note(job, job_clock(job->services, ended->cpu), ended, block, &output, end, &why);
        if (r > 0)
                job_end_error(job, &why);
        else if (r)
                job_fail(job, r);
        else
                job_next(job);
}

static void job_on_process(void *userdata, OpsPacket *packet) {
        Job *job = userdata;

        if (packet->record.kind == OPS_STARTED) {
                job_started(job, &packet->record.started);
                return;
        }
        job->asked = false;
        job->process = 0;
        if (packet->record.kind == OPS_ENDED) {
                queue_note_ended(&job->services->queue, &job->place,
                                packet->record.ended.elapsed_ns * CPU_COUNT(&job->cpus), time_monotonic_ns());
                job_retry_all(job->services);
        }
        if (job_is_ending(job))
                return;
        if (packet->record.kind == OPS_ENDED)
                job_ended(job, packet);
        else if (packet->record.refused.reason == OPS_REFUSAL_BUSY)
                job->waits_for_place = true;
        else
                job_end_refused(job, &packet->record.refused);
}

/* ---- tickets */

/* Every side has its ticket: a run is known to all from here on, and the launcher keeps the modules. */
static void job_opened(Job *job) {
        for (size_t i = 0; i < job->modules.n; i++)
                sealed_module_close(job->modules.sides[i].module);
        if (job->modules.inputs)
                sealed_module_close(job->modules.inputs);
        if (job->record)
                job_reply_accepted(job);
        if (job->request->inspect) {
                job_inspect(job);
                return;
        }
        job->state = JOB_LISTING;
        job->modules.at = 0;
        job_reply_stage(job, BENCHD__PROGRESS__STAGE__LOADING);
        job_spawn(job);
}

static void job_on_ticket(void *userdata, OpsPacket *packet) {
        Job *job = userdata;
        int r;

        job->asked = false;
        if (packet->record.kind == OPS_TICKET_OPENED)
                job->modules.sides[job->modules.at].ticket = packet->record.ticket_opened.ticket;
        if (job->state == JOB_OVER)
                return;
        if (packet->record.kind != OPS_TICKET_OPENED) {
                job_end_refused(job, &packet->record.refused);
        } else if (++job->modules.at < job->modules.n) {
                r = job_ask_ticket(job, job_on_ticket);
                if (r)
                        job_fail(job, r);
        } else {
                job_opened(job);
        }
}

static void job_open(Job *job) {
        int r;

        job->state = JOB_OPENING;
        job->modules.at = 0;
        r = job_ask_ticket(job, job_on_ticket);
        if (r)
                job_fail(job, r);
}

/* ---- vouchers */

/* True if the file, which its user sent, is to be run again by its job one day, and no voucher for it is there yet. */
static bool job_wants_voucher(const Job *job, const SealedModule *module, size_t part) {
        Database *database = history_database(job->services->history);
        struct stat status;
        OpsVoucher voucher;
        size_t n;

        return fstat(sealed_module_fds(module, &n)[part], &status) == 0 && status.st_uid != geteuid() &&
               !vouchers_find(database, sealed_module_sha256(module, part), job->uid, &voucher);
}

static void job_vouch(Job *job);

static void job_on_voucher(void *userdata, OpsPacket *packet) {
        Job *job = userdata;
        const SealedModule *module = job->modules.sides[0].module;

        job->asked = false;
        if (job->state == JOB_OVER)
                return;
        if (packet->record.kind != OPS_VOUCHED ||
                        vouchers_note(history_database(job->services->history),
                                        sealed_module_sha256(module, job->n_vouched), &packet->record.vouched.voucher))
                job_record_warn(job->record, "a voucher for the module, without which no later job can run it");
        job->n_vouched++;
        job_vouch(job);
}

/* Has the launcher vouch for what was stored; then the job is opened. */
static void job_vouch(Job *job) {
        const JobSide *side = &job->modules.sides[0];
        OpsRecord record = {};
        size_t n;
        int r;

        (void)sealed_module_fds(side->module, &n);
        if (!job->record || !job->services->module_store || side->recall)
                job->n_vouched = n;
        while (job->n_vouched < n && !job_wants_voucher(job, side->module, job->n_vouched))
                job->n_vouched++;
        if (job->n_vouched == n) {
                job_open(job);
                return;
        }
        record.kind = OPS_VOUCH;
        r = job_ask(job, &record, &sealed_module_fds(side->module, &n)[job->n_vouched], 1, job_on_voucher);
        if (r)
                job_fail(job, r);
}

/* ---- preparing */

/* Copies some of the module to where it is kept. Returns whether there is more. */
static bool job_keep_slice(Job *job) {
        int r;

        r = module_store_draft_step(job->draft, time_realtime_ns());
        if (r == MODULE_STORE_E_MORE)
                return true;
        if (r)
                job_record_warn(job->record, module_store_draft_words(job->draft));
        job->draft = module_store_draft_free(job->draft);
        return false;
}

/* Hashes or keeps the next slice. Returns 0 when all is done, JOB_MODULES_E_*, or a negative errno. */
static int job_prepare(Job *job, ReplyError *ret_why) {
        ModuleStore *store = job->services->module_store;
        int r;

        if (job->state == JOB_HASHING) {
                r = job_modules_prepare(&job->modules, ret_why);
                if (r)
                        return r;
                job->state = JOB_KEEPING;
                if (job->record && store) {
                        r = module_store_draft_new(store, job->uid, job->modules.sides[0].module, &job->draft);
                        if (r)
                                return error_trace(r);
                }
        }
        return job->draft && job_keep_slice(job) ? JOB_MODULES_E_MORE : 0;
}

static int job_on_prepare(sd_event_source *source, uint64_t usec, void *userdata) {
        Job *job = userdata;
        ReplyError why;
        int r;

        turns_note(job->services->turns, TURN_PREPARING);
        r = job_prepare(job, &why);
        if (r == JOB_MODULES_E_MORE) {
                r = slices_again(source);
                if (r == 0)
                        return 0;
        }
        job->preparing = sd_event_source_disable_unref(job->preparing);
        if (r > 0)
                job_end_error(job, &why);
        else if (r)
                job_fail(job, r);
        else
                job_vouch(job);
        return 0;
}

/* ---- life */

int job_new(JobServices *services, Watcher *client, JobInput *input, ReplyError *ret_why) {
        _cleanup_(job_freep) Job *job = NULL;
        int r;

        job = calloc(1, sizeof *job);
        if (!job)
                return error_origin(-ENOMEM);
        job->services = services;
        job->number = services->last_number++;
        job->uid = client->uid;
        LIST_INIT(&job->watches);
        TAILQ_INSERT_TAIL(&services->jobs, job, jobs);
        r = share_take(services->shares, job->uid, SHARE_SAMPLE_BYTES, 0, &job->samples);
        if (r)
                return error_fold(r);
        r = job_modules_init(&job->modules, input, ret_why);
        if (r)
                return r > 0 ? (int)JOB_E_BAD : error_trace(r);
        r = watch_new(job, &job->watches, client, input->request->id, &job->submitter);
        if (r)
                return error_trace(r);
        if (input->request->run) {
                r = job_record_new(services->history, services->shares, job->uid, job->modules.sides[0].wants.name,
                                time_realtime_ns(), &job->record);
                if (r)
                        return error_trace(r);
        }
        r = slices_start(services->event, SLICES_WHEN_IDLE, job_on_prepare, job, &job->preparing);
        if (r)
                return error_trace(r);
        job->request = take_pointer(input->request);
        job->share = hold_take(&input->place);
        take_pointer(job);
        return 0;
}

Job *job_free(Job *job) {
        if (!job)
                return NULL;
        job_over(job);
        TAILQ_REMOVE(&job->services->jobs, job, jobs);
        queue_remove(&job->services->queue, &job->place);
        for (size_t i = 0; i < job->modules.n; i++)
                if (job->modules.sides[i].ticket != 0)
                        (void)launch_link_close_ticket(job->services->link, job->modules.sides[i].ticket);
        job_modules_clear(&job->modules);
        measurement_free(job->measurement);
        module_store_draft_free(job->draft);
        job_record_free(job->record);
        if (job->request)
                benchd__request__free_unpacked(job->request, NULL);
        share_release(&job->share);
        share_release(&job->samples);
        free(job);
        return NULL;
}
