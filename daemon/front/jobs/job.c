/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>

#include "front/base/slices.h"
#include "front/base/turns.h"
#include "front/history/history.h"
#include "front/history/job-record.h"
#include "front/history/module-store.h"
#include "front/history/sealed-module.h"
#include "front/history/vouchers.h"
#include "front/jobs/job-end.h"
#include "front/jobs/job-processes.h"
#include "front/jobs/job-reply.h"
#include "front/samples/measurement.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/time.h"

DEFINE_CLEANUP(Job *, job_free)

/* ---- tickets */

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
        return error_trace(job_processes_ask(job, &record, fds, 1 + n + n_inputs, answer));
}

/* Every side has its ticket: a run is known to all from here on, and the launcher keeps the modules. */
static void job_opened(Job *job) {
        for (size_t i = 0; i < job->modules.n; i++)
                sealed_module_close(job->modules.sides[i].module);
        if (job->modules.inputs)
                sealed_module_close(job->modules.inputs);
        if (job->record)
                job_reply_accepted(job);
        job_processes_begin(job);
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
                        job_end_failed(job, r);
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
                job_end_failed(job, r);
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
        r = job_processes_ask(job, &record, &sealed_module_fds(side->module, &n)[job->n_vouched], 1, job_on_voucher);
        if (r)
                job_end_failed(job, r);
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

        turns_note(job->services->turns, TURN_PREPARING, job->uid);
        r = job_prepare(job, &why);
        if (r == JOB_MODULES_E_MORE) {
                r = slices_again(source, job_priority(job));
                if (r == 0)
                        return 0;
        }
        job->preparing = sd_event_source_disable_unref(job->preparing);
        if (r > 0)
                job_end_error(job, &why);
        else if (r)
                job_end_failed(job, r);
        else
                job_vouch(job);
        return 0;
}

/* ---- cancelled */

void job_cancel(Job *job) {
        ReplyError why;

        if (job_end_has_begun(job))
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
        r = slices_start(services->event, job_priority(job), job_on_prepare, job, &job->preparing);
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
        job_end_over(job);
        TAILQ_REMOVE(&job->services->jobs, job, jobs);
        queue_remove(&job->services->queue, &job->place);
        queue_remove(&job->services->examinations, &job->examination);
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
