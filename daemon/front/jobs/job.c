/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-event.h>

#include "front/base/arena.h"
#include "front/base/config.h"
#include "front/base/message.h"
#include "front/base/slices.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "front/history/module-store.h"
#include "front/history/sealed-module.h"
#include "front/history/vouchers.h"
#include "front/jobs/job-measuring.h"
#include "front/jobs/job-modules.h"
#include "front/jobs/launch-link.h"
#include "front/jobs/launch-refusal.h"
#include "front/jobs/plan-refusal.h"
#include "front/jobs/spawn.h"
#include "front/jobs/standing.h"
#include "front/report/inspection.h"
#include "front/report/listing.h"
#include "front/samples/measurement.h"
#include "front/samples/runner-block.h"
#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

#define JOB_TELL_BENCHMARKS 16u /* of one turn, but one with its samples */

enum {
        JOB_E_MORE = JOB_E_BAD + 1, /* a step goes on in a later turn of the loop */
};

struct Job {
        TAILQ_ENTRY(Job) jobs;
        JobServices *services;
        uint64_t number; /* in the order of submission */
        uid_t uid;
        ShareHold share; /* its place among its user's jobs */
        Benchd__Request *request;
        JobState state;
        sd_event_source *slices; /* of the work that it does in slices now */

        Watches watches;  /* with the record of a run; empty once over */
        Watch *submitter; /* one of them; NULL once it is detached or over */
        bool untold;      /* of a queue that moved */

        JobModules modules;
        ModuleStoreDraft *draft; /* of the copy that is kept */
        size_t n_vouched;        /* parts of the module */

        QueuePlace place;
        QueuePlace examination; /* of LISTING and INSPECTING, for one process at a time */
        bool asked;             /* the launcher owes an answer */
        bool waits_for_place;   /* the launcher had none for the next process of the plan */
        uint64_t process;       /* that runs now; 0: none */
        RunnerMode mode;        /* of that process, or of the last one */
        uint64_t timeout_ns;    /* that it was given */
        cpu_set_t cpus;         /* that it has */

        JobMeasuring measuring;  /* of a run from INSPECTING on */
        const PlanProcess *next; /* of the plan, from MEASURING on: to be run, or running */
        uint64_t paused_at_ns;
        uint64_t due_ns;        /* of RESTING: the end of the rest */
        sd_event_source *alarm; /* of that */
        bool rested;            /* no process has run since */
        bool cancelled;         /* of ENDING: of some benchmarks only a part was measured */
};

DEFINE_CLEANUP(Job *, job_free)

/* The events of a job's life. */
typedef enum JobEvent {
        JOB_SLICE,   /* the next slice of its own work is due */
        JOB_GRANTED, /* the launcher opened a ticket, or vouched for a file */
        JOB_REFUSED, /* the launcher does not do as it was asked */
        JOB_STARTED, /* its process was born */
        JOB_ENDED,   /* its process is dead */
        JOB_TURN,    /* it has a turn, to be examined or measured */
        JOB_PLACE,   /* a place for a runner may be free */
        JOB_DUE,     /* its rest is over */
        JOB_CANCEL,  /* its client wants no more of it */
        _JOB_EVENTS_N,
} JobEvent;

/*
 * The answer of a job to an event, in which it may come to its next state. @packet is the launcher's, where the event has one. Returns 0;
 * E_BAD, which ends the job for the reason @ret_why; E_MORE; or a negative errno, which ends it for a fault of the daemon's own.
 */
typedef int (*JobStep)(Job *job, OpsPacket *packet, ReplyError *ret_why);

static void job_handle(Job *job, JobEvent event, OpsPacket *packet);

static void job_note_turn(const Job *job, TurnKind kind) {
        turns_note(job->services->turns, kind, job->uid);
}

/* ---- replies to its watches, and its record */

/* Reports the progress of a run to the watch @one, or with NULL to all. */
static void job_tell_stage(Job *job, Benchd__Progress__Stage stage, const Watch *one) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        const Queue *queue = &job->services->queue;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        Benchd__Progress progress = BENCHD__PROGRESS__INIT;
        const uint64_t now_ns = time_monotonic_ns();

        if (!job->request->run || (!one && LIST_EMPTY(&job->watches.list)) || arena_new(&arena))
                return;
        message_set(&progress, stage, stage);
        if (stage == BENCHD__PROGRESS__STAGE__QUEUED) {
                progress.standing = standing_of_place(queue, &job->place, now_ns, arena);
                message_set(&progress, queue_position, standing_position(queue, &job->place, now_ns));
        }
        if (stage == BENCHD__PROGRESS__STAGE__RESTING)
                message_set(&progress, rest_ns, job->due_ns > now_ns ? job->due_ns - now_ns : 0);
        if (stage != BENCHD__PROGRESS__STAGE__LOADING) {
                measurement_fill_progress(job->measuring.measurement, arena, &progress);
                if (progress.left_ns < job_measuring_rests_ns(&job->measuring, now_ns))
                        progress.left_ns = job_measuring_rests_ns(&job->measuring, now_ns);
                message_set(&progress, users, queue_count_users(queue));
        }
        reply.progress = &progress;
        if (one)
                watch_tell(one, &reply);
        else
                watches_tell(&job->watches, &reply);
}

/* A request that comes later learns the progress of the job. */
static void job_tell_standing(Job *job, const Watch *watch) {
        watch_tell_accepted(watch);
        if (job->state < JOB_QUEUED)
                job_tell_stage(job, BENCHD__PROGRESS__STAGE__LOADING, watch);
        else if (job->state == JOB_RESTING)
                job_tell_stage(job, BENCHD__PROGRESS__STAGE__RESTING, watch);
        else if (queue_is_waiting(&job->place))
                job_tell_stage(job, BENCHD__PROGRESS__STAGE__QUEUED, watch);
        else
                job_tell_stage(job, BENCHD__PROGRESS__STAGE__MEASURING, watch);
}

static int job_tell_listing(Job *job, const JobSide *side, ReplyError *ret_why) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = arena_new(&arena);
        if (r == 0)
                r = listing_build(arena, side->listing, side->chosen, &reply.listing);
        if (r)
                return error_trace(r);
        if (reply.listing->n_benchmarks == 0) {
                plan_refusal_explain_no_match(side, ret_why);
                return JOB_E_BAD;
        }
        watches_end(&job->watches, &reply);
        return 0;
}

static int job_tell_inspection(Job *job, const JobSide *side, const InspectionBlock *block) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = arena_new(&arena);
        if (r == 0)
                r = inspection_build(arena, block, job->request->inspect, side->wants.name,
                                sealed_module_sha256(side->module, 0), &reply.inspection);
        if (r)
                return error_trace(r);
        watches_end(&job->watches, &reply);
        return 0;
}

/* Sends the result of the next benchmark. Returns 0 if there is none, E_MORE, or a negative errno. */
static int job_tell_benchmark(Job *job) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        int r;

        r = arena_new(&arena);
        if (r == 0)
                r = job_measuring_take(&job->measuring, job->cancelled, arena, &reply.benchmark);
        if (r)
                return error_trace(r);
        if (!reply.benchmark)
                return 0;
        r = watches_tell_benchmark(&job->watches, &reply);
        return r ? error_trace(r) : (int)JOB_E_MORE;
}

/*
 * Tells the results of some of the benchmarks that are complete, or in a cancelled run of those that have any sample: as many as take about
 * a millisecond. Returns 0 when all are told, E_MORE, or a negative errno.
 */
static int job_tell_benchmarks(Job *job) {
        const size_t n = measurement_plan(job->measuring.measurement)->keeps ? 1 : JOB_TELL_BENCHMARKS;
        int r = JOB_E_MORE;

        for (size_t i = 0; r == JOB_E_MORE && i < n; i++)
                r = job_tell_benchmark(job);
        return r;
}

static int job_tell_result(Job *job) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__RunResult *result;
        int r;

        r = arena_new(&arena);
        if (r == 0)
                r = job_measuring_build(&job->measuring, job->watches.record->run_id, job->cancelled, arena, &result);
        if (r == 0)
                r = watches_end_result(&job->watches, arena, result, job->cancelled);
        return error_trace(r);
}

/* ---- the end, in any state */

/* Waits for no turn any more, and stops the process. */
static void job_stop_measuring(Job *job) {
        job->waits_for_place = false;
        job->alarm = sd_event_source_disable_unref(job->alarm);
        if (queue_is_waiting(&job->place))
                queue_remove(&job->services->queue, &job->place);
        if (queue_is_waiting(&job->examination))
                queue_remove(&job->services->examinations, &job->examination);
        if (job->process != 0)
                (void)launch_link_kill(job->services->link, job->process);
}

/* The last reply was sent: forgets the client. */
static void job_end(Job *job) {
        if (job->state == JOB_OVER)
                return;
        if (job->state != JOB_ENDING)
                job_stop_measuring(job);
        job->state = JOB_OVER;
        job->submitter = NULL;
        while (!LIST_EMPTY(&job->watches.list))
                watch_free(LIST_FIRST(&job->watches.list));
        job->slices = sd_event_source_disable_unref(job->slices);
}

static void job_end_error(Job *job, const ReplyError *why) {
        watches_end_error(&job->watches, why);
        job_end(job);
}

static void job_end_failed(Job *job, int r) {
        ReplyError why;

        reply_error_set(&why, BENCHD__ERROR__CODE__INTERNAL, "The daemon failed in this job: %s.", strerrordesc_np(-r));
        reply_error_hint(&why, "Look for the place in 'journalctl -u benchd'.");
        job_end_error(job, &why);
}

/* ENDING: thousands of benchmarks take more than one turn of the loop; after the last of them comes the result. */
static int job_report(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        int r;

        job_note_turn(job, TURN_RESULT);
        r = job_tell_benchmarks(job);
        if (r == 0)
                r = job_tell_result(job);
        if (r)
                return r > 0 ? r : error_trace(r);
        job_end(job);
        return 0;
}

/* Sends the result: of all, or of the part that was measured when the job was @cancelled. */
static int job_begin_report(Job *job, bool cancelled) {
        job_stop_measuring(job);
        job->state = JOB_ENDING;
        job->cancelled = cancelled;
        return job_report(job, NULL, NULL);
}

static int job_cancel_unmeasured(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        reply_error_set(ret_why, BENCHD__ERROR__CODE__CANCELLED, "Cancelled before anything was measured.");
        return JOB_E_BAD;
}

static int job_cancel_measured(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        return job_begin_report(job, true);
}

/* OVER, or nearly so: the process that was asked for is of no use. */
static int job_kill(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        (void)launch_link_kill(job->services->link, job->process);
        return 0;
}

/* OVER: a ticket that comes now is closed with the job. */
static int job_note_ticket(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        if (packet->record.kind == OPS_TICKET_OPENED)
                job->modules.sides[job->modules.at].ticket = packet->record.ticket_opened.ticket;
        return 0;
}

/* ---- questions to the launcher, one at a time */

/* Notes what the answer says of the job's process, in whatever state the job is. */
static void job_note_answer(Job *job, const OpsRecord *answer) {
        const uint64_t now_ns = time_monotonic_ns();

        if (answer->kind == OPS_STARTED) {
                job->process = answer->started.process;
                job->cpus = answer->started.cpus;
                queue_note_begun(&job->place, now_ns);
                return;
        }
        job->asked = false;
        job->process = 0;
        if (answer->kind != OPS_ENDED)
                return;
        queue_remove(&job->services->examinations, &job->examination);
        queue_note_ended(&job->services->queue, &job->place, answer->ended.elapsed_ns * CPU_COUNT(&job->cpus), now_ns);
}

static JobEvent event_of(OpsKind answer) {
        switch (answer) {
        case OPS_STARTED:
                return JOB_STARTED;
        case OPS_ENDED:
                return JOB_ENDED;
        case OPS_TICKET_OPENED:
        case OPS_VOUCHED:
                return JOB_GRANTED;
        default:
                return JOB_REFUSED;
        }
}

static void job_on_answer(void *userdata, OpsPacket *packet) {
        const JobEvent event = event_of(packet->record.kind);
        Job *job = userdata;

        job_note_answer(job, &packet->record);
        if (event == JOB_ENDED)
                job_retry_all(job->services);
        job_handle(job, event, packet);
        if (event == JOB_STARTED)
                job_retry_all(job->services); /* the jobs that it preceded */
}

/* Asks @record, with descriptors that stay the caller's. */
static int job_ask(Job *job, OpsRecord *record, const int *fds, size_t n_fds) {
        int r;

        r = launch_link_ask(job->services->link, record, fds, n_fds, job_on_answer, job);
        if (r)
                return error_trace(r);
        job->asked = true;
        return 0;
}

/* Asks for the process that the job needs next: the one that lists or inspects, or the next one of the plan. */
static int job_ask_process(Job *job) {
        const Benchd__InspectRequest *inspect = job->request->inspect;
        SpawnJob spawn = spawn_job_of(&job->modules, job->request->run, job->services->config);
        OpsRecord record;

        spawn.after_others = (job->place.interrupted || job->rested) && job->place.turn_core_ns == 0;
        if (job->state == JOB_LISTING)
                spawn_list(&spawn, job->modules.at, &record);
        else if (job->state == JOB_INSPECTING)
                spawn_inspect(&spawn, job->modules.at, inspect ? inspect->benchmark : NULL, &record);
        else
                spawn_run(&spawn, measurement_plan(job->measuring.measurement), job->next, &record);
        job->timeout_ns = record.spawn.timeout_ns;
        job->mode = record.spawn.plan.mode;
        return error_trace(job_ask(job, &record, NULL, 0));
}

static bool job_is_of_commands(const Job *job) {
        return job->request->run && job->request->run->n_commands > 0;
}

/* Takes what the dead process left. */
static int job_take_process(Job *job, const OpsPacket *packet, RunnerDeadProcess *ret_process, ReplyError *ret_why) {
        if (packet->n_fds == 0) { /* they did not arrive; other jobs go on */
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY,
                                "The daemon is at its limit of open files, so the samples of a process could not be taken.");
                reply_error_hint(ret_why, "Try again when other jobs have ended.");
                return JOB_E_BAD;
        }
        return error_trace(runner_block_take(packet->fds, job->mode, job->modules.n, job_is_of_commands(job),
                        &packet->record.ended, job->timeout_ns, ret_process));
}

static int job_refused(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        launch_refusal_explain(&packet->record.refused, "start a runner", ret_why);
        return JOB_E_BAD;
}

/* ---- HASHING, KEEPING, VOUCHING: the files are this daemon's own */

static int job_open(Job *job);

/* Has the launcher vouch for what was stored, file by file; then the job is opened. */
static int job_vouch(Job *job) {
        const JobSide *side = &job->modules.sides[0];
        History *history = job->services->history;
        OpsRecord record = { .kind = OPS_VOUCH };
        const int *fds;
        size_t n;

        fds = sealed_module_fds(side->module, &n);
        if (!job->watches.record || !job->services->module_store || side->recall)
                job->n_vouched = n;
        while (job->n_vouched < n && !vouchers_lack(history_database(history), side->module, job->n_vouched, job->uid))
                job->n_vouched++;
        if (job->n_vouched == n)
                return job_open(job);
        job->state = JOB_VOUCHING;
        return error_trace(job_ask(job, &record, &fds[job->n_vouched], 1));
}

static int job_vouched(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        const SealedModule *module = job->modules.sides[0].module;

        if (packet->record.kind != OPS_VOUCHED ||
                        vouchers_note(history_database(job->services->history),
                                        sealed_module_sha256(module, job->n_vouched), &packet->record.vouched.voucher))
                job_record_warn(job->watches.record, "a voucher for the module, without which no later job can run it");
        job->n_vouched++;
        return job_vouch(job);
}

static int job_keep(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        int r;

        job_note_turn(job, TURN_PREPARING);
        if (!job->draft)
                return job_vouch(job);
        r = module_store_draft_step(job->draft, time_realtime_ns());
        if (r == MODULE_STORE_E_MORE)
                return JOB_E_MORE;
        if (r)
                job_record_warn(job->watches.record, module_store_draft_words(job->draft));
        job->draft = module_store_draft_free(job->draft);
        return job_vouch(job);
}

static int job_hash(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        ModuleStore *store = job->services->module_store;
        int r;

        job_note_turn(job, TURN_PREPARING);
        r = job_modules_prepare(&job->modules, ret_why);
        if (r < 0)
                return error_trace(r);
        if (r > 0)
                return r == JOB_MODULES_E_MORE ? JOB_E_MORE : JOB_E_BAD;
        job->state = JOB_KEEPING;
        if (job->watches.record && store) {
                r = module_store_draft_new(store, job->uid, job->modules.sides[0].module, &job->draft);
                if (r)
                        return error_trace(r);
        }
        return job_keep(job, packet, ret_why);
}

/* ---- OPENING: each side has a ticket */

static int job_begin_examining(Job *job);

/* Asks for the ticket of the side that is opened now. */
static int job_ask_ticket(Job *job) {
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
                vouchers_find_all(history_database(job->services->history), side->module, job->uid,
                                record.ticket_open.vouchers);
        return error_trace(job_ask(job, &record, fds, 1 + n + n_inputs));
}

static int job_open(Job *job) {
        job->state = JOB_OPENING;
        job->modules.at = 0;
        return job_ask_ticket(job);
}

/* A run is known to all from here on; a detached one has no submitter any more. */
static void job_accept(Job *job) {
        const Benchd__RunRequest *run = job->request->run;
        const bool detached = run->has_detach && run->detach;

        watches_accept(&job->watches, job->modules.sides[0].module, detached);
        if (detached)
                job->submitter = NULL;
}

/* With the last ticket the launcher keeps the modules, and a run is accepted. */
static int job_opened(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        job_note_ticket(job, packet, ret_why);
        if (++job->modules.at < job->modules.n)
                return job_ask_ticket(job);
        for (size_t i = 0; i < job->modules.n; i++)
                sealed_module_close(job->modules.sides[i].module);
        if (job->modules.inputs)
                sealed_module_close(job->modules.inputs);
        if (job->watches.record)
                job_accept(job);
        return job_begin_examining(job);
}

/* ---- LISTING, CHOOSING, INSPECTING: a process lists each module, another one inspects its file */

static int job_enqueue(Job *job);

/* The next module is to be listed or inspected: the job waits for a place among the processes that do so. */
static int job_await_examination(Job *job) {
        const QueueComer comer = { .uid = job->uid, .number = job->number, .owner = job };

        return error_trace(queue_add(&job->services->examinations, &job->examination, &comer, time_monotonic_ns()));
}

static int job_examine(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        return job_ask_process(job);
}

/* Without a place it goes back to its line, so that the next place is handed round anew. */
static int job_yield_examination(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        if (packet->record.refused.reason != OPS_REFUSAL_BUSY)
                return job_refused(job, packet, ret_why);
        job->services->examinations_refused = true;
        queue_yield(&job->services->examinations, &job->examination);
        return 0;
}

/* A run takes what an earlier one learnt of a file. */
static int job_inspect_next(Job *job) {
        JobModules *modules = &job->modules;

        while (job->request->run && modules->at < modules->n) {
                JobSide *side = &modules->sides[modules->at];

                side->inspected = inspections_find(&job->services->inspections, job->uid,
                                sealed_module_sha256(side->module, 0));
                if (!side->inspected)
                        break;
                modules->at++;
        }
        return modules->at < modules->n ? job_await_examination(job) : job_enqueue(job);
}

/* The module of whole commands is no user's, and its code not what is measured. */
static int job_begin_inspecting(Job *job) {
        if (job_is_of_commands(job))
                return job_enqueue(job);
        job->state = JOB_INSPECTING;
        job->modules.at = 0;
        return job_inspect_next(job);
}

static int job_begin_examining(Job *job) {
        if (job->request->inspect)
                return job_begin_inspecting(job);
        job->state = JOB_LISTING;
        job->modules.at = 0;
        job_tell_stage(job, BENCHD__PROGRESS__STAGE__LOADING, NULL);
        return job_await_examination(job);
}

/* Takes the listing of the side, unless the process came to another end. */
static int job_listed(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        JobSide *side = &job->modules.sides[job->modules.at];
        RunnerDeadProcess process;
        int r;

        job_note_turn(job, TURN_LISTING);
        r = job_take_process(job, packet, &process, ret_why);
        if (r)
                return r;
        side->listing = process.block;
        if (process.end) {
                plan_refusal_explain_unlisted(side, &process, ret_why);
                return JOB_E_BAD;
        }
        if (++job->modules.at < job->modules.n)
                return job_await_examination(job);
        job->state = JOB_CHOOSING;
        job->modules.at = 0;
        return JOB_E_MORE;
}

/* A run is planned before its files are inspected: refused sooner, and its listings, which are large, are freed. */
static int job_plan(Job *job, ReplyError *ret_why) {
        const Benchd__RunRequest *run = job->request->run;
        int r;

        job_note_turn(job, TURN_PLANNING);
        r = job_measuring_plan(&job->measuring, job->services, job->uid, run, &job->modules);
        if (r < 0)
                return error_trace(r);
        if (r > 0) {
                plan_refusal_explain(r, &job->modules, run, ret_why);
                return JOB_E_BAD;
        }
        job_modules_note_listings(&job->modules);
        return job_begin_inspecting(job);
}

static int job_choose(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        int r;

        job_note_turn(job, TURN_CHOOSING);
        r = job_modules_choose(&job->modules, job->request->run);
        if (r == JOB_MODULES_E_MORE)
                return JOB_E_MORE;
        if (r == JOB_MODULES_E_TOO_MUCH) {
                plan_refusal_explain_too_much(&job->modules, ret_why);
                return JOB_E_BAD;
        }
        if (r)
                return error_trace(r);
        if (job->request->run)
                return job_plan(job, ret_why);
        job_note_turn(job, TURN_LISTING);
        r = job_tell_listing(job, &job->modules.sides[0], ret_why);
        if (r == 0)
                job_end(job);
        return r;
}

/* The file of the side was inspected, unless the process came to another end. A run goes on without what is not known. */
static int job_inspected(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        JobSide *side = &job->modules.sides[job->modules.at];
        _cleanup_(freep) InspectionBlock *block = NULL;
        RunnerDeadProcess process;
        int r;

        job_note_turn(job, TURN_INSPECTION);
        r = job_take_process(job, packet, &process, ret_why);
        if (r)
                return r;
        block = process.block;
        if (job->request->run) {
                side->inspected = process.end ? NULL : inspections_trim(take_pointer(block));
                if (side->inspected)
                        inspections_keep(&job->services->inspections, job->uid, sealed_module_sha256(side->module, 0),
                                        side->inspected);
                job->modules.at++;
                return job_inspect_next(job);
        }
        if (process.end) {
                inspection_explain_end(side->wants.name, block, process.end, ret_why);
                return JOB_E_BAD;
        }
        r = job_tell_inspection(job, side, block);
        if (r == 0)
                job_end(job);
        return r;
}

/* ---- QUEUED, MEASURING, PAUSED: turn by turn */

/* Tells the queue how much the job still has before it. */
static void job_expect(Job *job) {
        Measurement *measurement = job->measuring.measurement;
        const MeasurementCount count = measurement_count(measurement);
        const size_t left = count.processes - count.processes_done;
        const PlanProcess *next = measurement_next(measurement);

        queue_expect(&job->place, left > 0 ? count.left_ns / left : 0, count.left_ns,
                        next ? measurement_plan(measurement)->benchmarks[next->benchmark].threads : 1);
}

static int job_enqueue(Job *job) {
        const QueueComer comer = { .uid = job->uid, .number = job->number, .owner = job };
        int r;

        r = queue_add(&job->services->queue, &job->place, &comer, time_monotonic_ns());
        if (r)
                return error_trace(r);
        job->state = JOB_QUEUED;
        job_expect(job);
        job_tell_stage(job, BENCHD__PROGRESS__STAGE__QUEUED, NULL);
        return 0;
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

static int job_spawn(Job *job) {
        job->waits_for_place = job_is_preceded(job);
        return job->waits_for_place ? 0 : job_ask_process(job);
}

static int job_find_place(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        return job->waits_for_place ? job_spawn(job) : 0;
}

static int job_await_place(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        if (packet->record.refused.reason != OPS_REFUSAL_BUSY)
                return job_refused(job, packet, ret_why);
        job->waits_for_place = true;
        return 0;
}

static int job_measure_next(Job *job) {
        job_tell_stage(job, BENCHD__PROGRESS__STAGE__MEASURING, NULL);
        return job_spawn(job);
}

/* The rest is over: the job waits for a turn as between two of them. */
static int job_end_rest(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        const QueueComer comer = { .uid = job->uid, .number = job->number, .owner = job };
        int r;

        job->alarm = sd_event_source_disable_unref(job->alarm);
        r = queue_add(&job->services->queue, &job->place, &comer, time_monotonic_ns());
        if (r)
                return error_trace(r);
        job->state = JOB_PAUSED;
        job->rested = true;
        job_expect(job);
        job_tell_stage(job, BENCHD__PROGRESS__STAGE__QUEUED, NULL);
        return 0;
}

static int job_on_due(sd_event_source *source, uint64_t usec, void *userdata) {
        job_handle(userdata, JOB_DUE, NULL);
        return 0;
}

/* Gives up the turn, and the CPU with it, until the next part of the run is due. */
static int job_rest(Job *job) {
        int r;

        queue_remove(&job->services->queue, &job->place);
        job->state = JOB_RESTING;
        job_tell_stage(job, BENCHD__PROGRESS__STAGE__RESTING, NULL);
        r = sd_event_add_time(job->services->event, &job->alarm, CLOCK_MONOTONIC, job->due_ns / 1000, 1, job_on_due,
                        job);
        return r < 0 ? error_origin(r) : 0;
}

/* Sends the complete benchmarks, then goes on with the next process, yields, or ends. */
static int job_go_on(Job *job) {
        int r;

        job->next = measurement_next(job->measuring.measurement);
        if (!job->next)
                return job_begin_report(job, false);
        r = job_tell_benchmarks(job);
        if (r < 0)
                return error_trace(r);
        if (job_measuring_part(&job->measuring, job->next, time_monotonic_ns(), &job->due_ns))
                return job_rest(job);
        job_expect(job);
        if (!queue_turn_is_over(&job->place))
                return job_measure_next(job);
        job->state = JOB_PAUSED;
        job->paused_at_ns = time_monotonic_ns();
        queue_yield(&job->services->queue, &job->place);
        return 0;
}

static int job_measured(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        RunnerDeadProcess process;
        int r;

        job_note_turn(job, TURN_SAMPLES);
        r = job_take_process(job, packet, &process, ret_why);
        if (r)
                return r;
        job->rested = false;
        r = job_measuring_note(&job->measuring, &packet->record.ended, &process, ret_why);
        free(process.block);
        if (r)
                return r > 0 ? (int)JOB_E_BAD : error_trace(r);
        return job_go_on(job);
}

static int job_begin_measuring(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        job->state = JOB_MEASURING;
        job_measuring_begin(&job->measuring, time_realtime_ns(), time_monotonic_ns());
        job_record_note_running(job->watches.record);
        return job_go_on(job);
}

static int job_resume(Job *job, OpsPacket *packet, ReplyError *ret_why) {
        job->state = JOB_MEASURING;
        if (job->place.interrupted) {
                job->measuring.turns++;
                job->measuring.waited_ns += time_monotonic_ns() - job->paused_at_ns;
        }
        return job_measure_next(job);
}

/* ---- its life */

/* A row is a state, in the order in which a run comes to them. An event that has no step there changes nothing. */
static const JobStep job_life[_JOB_STATES_N][_JOB_EVENTS_N] = {
        [JOB_HASHING] = { [JOB_SLICE] = job_hash, [JOB_CANCEL] = job_cancel_unmeasured },
        [JOB_KEEPING] = { [JOB_SLICE] = job_keep, [JOB_CANCEL] = job_cancel_unmeasured },
        [JOB_VOUCHING] = {
                [JOB_GRANTED] = job_vouched,
                [JOB_REFUSED] = job_vouched,
                [JOB_CANCEL] = job_cancel_unmeasured,
        },
        [JOB_OPENING] = {
                [JOB_GRANTED] = job_opened,
                [JOB_REFUSED] = job_refused,
                [JOB_CANCEL] = job_cancel_unmeasured,
        },
        [JOB_LISTING] = {
                [JOB_TURN] = job_examine,
                [JOB_REFUSED] = job_yield_examination,
                [JOB_ENDED] = job_listed,
                [JOB_CANCEL] = job_cancel_unmeasured,
        },
        [JOB_CHOOSING] = { [JOB_SLICE] = job_choose, [JOB_CANCEL] = job_cancel_unmeasured },
        [JOB_INSPECTING] = {
                [JOB_TURN] = job_examine,
                [JOB_REFUSED] = job_yield_examination,
                [JOB_ENDED] = job_inspected,
                [JOB_CANCEL] = job_cancel_unmeasured,
        },
        [JOB_QUEUED] = { [JOB_TURN] = job_begin_measuring, [JOB_CANCEL] = job_cancel_unmeasured },
        [JOB_MEASURING] = {
                [JOB_PLACE] = job_find_place,
                [JOB_REFUSED] = job_await_place,
                [JOB_ENDED] = job_measured,
                [JOB_CANCEL] = job_cancel_measured,
        },
        [JOB_PAUSED] = { [JOB_TURN] = job_resume, [JOB_CANCEL] = job_cancel_measured },
        [JOB_RESTING] = { [JOB_DUE] = job_end_rest, [JOB_CANCEL] = job_cancel_measured },
        [JOB_ENDING] = { [JOB_SLICE] = job_report, [JOB_STARTED] = job_kill },
        [JOB_OVER] = { [JOB_GRANTED] = job_note_ticket, [JOB_STARTED] = job_kill },
};

static int job_on_slice(sd_event_source *source, uint64_t usec, void *userdata) {
        job_handle(userdata, JOB_SLICE, NULL);
        return 0;
}

/* Has a slice of the job's own work done in a later turn of the loop. */
static int job_await_slice(Job *job) {
        const int64_t priority = turns_priority(job->services->turns, job->uid);

        if (job->slices)
                return error_trace(slices_again(job->slices, priority));
        return error_trace(slices_start(job->services->event, priority, job_on_slice, job, &job->slices));
}

static void job_handle(Job *job, JobEvent event, OpsPacket *packet) {
        const JobStep step = job_life[job->state][event];
        ReplyError why;
        int r;

        r = step ? step(job, packet, &why) : 0;
        if (r == JOB_E_MORE)
                r = job_await_slice(job);
        if (r > 0)
                job_end_error(job, &why);
        else if (r < 0)
                job_end_failed(job, r);
}

/* ---- in front */

void job_take_turn(Job *job) {
        job_handle(job, JOB_TURN, NULL);
}

void job_retry_all(JobServices *services) {
        Job *job;

        services->examinations_refused = false;
        TAILQ_FOREACH(job, &services->jobs, jobs) {
                job_handle(job, JOB_PLACE, NULL);
        }
}

void job_note_moved(Job *job) {
        job->untold = queue_is_waiting(&job->place);
}

bool job_tell_moved(Job *job) {
        if (!job->untold)
                return false;
        job->untold = false;
        if (queue_is_waiting(&job->place))
                job_tell_stage(job, BENCHD__PROGRESS__STAGE__QUEUED, NULL);
        return true;
}

int job_follow(Job *job, WatchClient *client, uint64_t id) {
        Watch *watch;
        int r;

        r = watches_add(&job->watches, job, client, id, &watch);
        if (r)
                return error_trace(r);
        watch->waits = true;
        job_tell_standing(job, watch);
        return 0;
}

void job_cancel(Job *job) {
        job_handle(job, JOB_CANCEL, NULL);
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

JobView job_view(const Job *job) {
        const JobRecord *record = job->watches.record;

        return (JobView){
                .state = job->state,
                .uid = job->uid,
                .record = job->state != JOB_OVER && record && record->accepted ? record : NULL,
                .measurement = job->measuring.measurement,
                .place = &job->place,
                .cpus = job->process != 0 ? &job->cpus : NULL,
                .due_ns = job->state == JOB_RESTING ? job->due_ns : 0,
                .waits_for_place = job->waits_for_place,
                .process = job->process,
        };
}

Job *job_next(const Job *job) {
        return TAILQ_NEXT(job, jobs);
}

int job_new(JobServices *services, WatchClient *client, JobInput *input, ReplyError *ret_why) {
        _cleanup_(job_freep) Job *job = NULL;
        int r;

        job = calloc(1, sizeof *job);
        if (!job)
                return error_origin(-ENOMEM);
        job->services = services;
        job->number = services->last_number++;
        job->uid = client->uid;
        LIST_INIT(&job->watches.list);
        TAILQ_INSERT_TAIL(&services->jobs, job, jobs);
        r = job_modules_init(&job->modules, input, ret_why);
        if (r)
                return r > 0 ? (int)JOB_E_BAD : error_trace(r);
        if (input->request->run) {
                r = job_record_new(services->history, services->shares, job->uid, job->modules.sides[0].wants.name,
                                job->modules.sides[0].wants.commit, time_realtime_ns(), &job->watches.record);
                if (r)
                        return error_trace(r);
        }
        r = watches_add(&job->watches, job, client, input->request->id, &job->submitter);
        if (r == 0)
                r = job_await_slice(job);
        if (r)
                return error_trace(r);
        job->request = take_pointer(input->request);
        job->share = share_move(&input->place);
        take_pointer(job);
        return 0;
}

Job *job_free(Job *job) {
        if (!job)
                return NULL;
        job_end(job);
        TAILQ_REMOVE(&job->services->jobs, job, jobs);
        queue_remove(&job->services->queue, &job->place);
        queue_remove(&job->services->examinations, &job->examination);
        job->alarm = sd_event_source_disable_unref(job->alarm);
        for (size_t i = 0; i < job->modules.n; i++)
                if (job->modules.sides[i].ticket != 0)
                        (void)launch_link_close_ticket(job->services->link, job->modules.sides[i].ticket);
        job_measuring_clear(&job->measuring);
        job_modules_clear(&job->modules);
        module_store_draft_free(job->draft);
        job_record_free(job->watches.record);
        if (job->request)
                benchd__request__free_unpacked(job->request, NULL);
        share_release(&job->share);
        free(job);
        return NULL;
}
