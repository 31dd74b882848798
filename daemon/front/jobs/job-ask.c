/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/job-ask.h"

#include <string.h>

#include "front/clients/session.h"
#include "front/daemon.h"
#include "front/history/sealed-module.h"
#include "front/jobs/job.h"
#include "front/jobs/spawn.h"
#include "front/samples/measurement.h"
#include "util/error.h"
#include "util/time.h"

static int job_ask(Job *job, OpsRecord *record, const int *fds, size_t n_fds, LaunchAnswer answer) {
        int r;

        r = launch_link_ask(job->daemon->link, record, fds, n_fds, answer, job);
        if (r)
                return error_trace(r);
        job->asked = true;
        return 0;
}

int job_ask_ticket(Job *job, LaunchAnswer answer) {
        int fds[2 + RUNNER_LIBRARIES_MAX] = { job->submitter->session->fd };
        const int *module_fds;
        OpsRecord record;
        size_t n;

        module_fds = sealed_module_fds(job->sides[job->side].module, &n);
        memcpy(fds + 1, module_fds, n * sizeof *fds);
        memset(&record, 0, sizeof record);
        record.kind = OPS_TICKET_OPEN;
        record.ticket_open.n_libraries = n - 1;
        return error_trace(job_ask(job, &record, fds, 1 + n, answer));
}

static SpawnJob job_spawn(const Job *job) {
        const Benchd__RunRequest *run = job->request->run;
        const ModuleRequest *wants = &job->sides[0].wants;
        const Config *config = &job->daemon->config;

        return (SpawnJob){
                .tickets = { job->sides[0].ticket, job->sides[1].ticket },
                .timeout_ns = run && run->has_timeout_ns ? run->timeout_ns : 0,
                .timeout_max_ns = config->timeout_max_s * NS_PER_S,
                .listing_timeout_ns = config->listing_timeout_s * NS_PER_S,
                .cpus = run ? run->cpus : NULL,
                .n_cpus = run ? run->n_cpus : 0,
                .environment = wants->environment,
                .n_environment = wants->n_environment,
        };
}

int job_ask_process(Job *job, LaunchAnswer answer) {
        const SpawnJob spawn = job_spawn(job);
        OpsRecord record;

        if (job->state == JOB_LISTING)
                spawn_list(&spawn, job->side, &record);
        else
                spawn_run(&spawn, measurement_plan(job->measurement), measurement_next(job->measurement), &record);
        job->timeout_ns = record.spawn.timeout_ns;
        return error_trace(job_ask(job, &record, NULL, 0, answer));
}
