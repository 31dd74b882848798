/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/status.h"

#include "front/base/message.h"
#include "front/clients/governor-words.h"
#include "front/daemon.h"
#include "front/history/history.h"
#include "front/jobs/job.h"
#include "front/report/clock-report.h"
#include "front/report/environment.h"
#include "front/report/machine-controls.h"
#include "util/error.h"
#include "util/time.h"

static bool cpu_is_busy(const Daemon *daemon, uint32_t cpu) {
        const Job *job;

        TAILQ_FOREACH(job, &daemon->jobs, of_daemon) {
                if (job->process != 0 && CPU_ISSET(cpu, &job->cpus))
                        return true;
        }
        return false;
}

static void add_warnings(Arena *arena, const Daemon *daemon, Benchd__Status *status) {
        TextList warnings = {};

        if (history_trouble(daemon->history)[0])
                text_list_add(&warnings, arena, "%s", history_trouble(daemon->history));
        machine_controls_warn_replay(&daemon->machine.replay, arena, &warnings);
        clock_report_warn(arena, status->environment->tsc, &warnings);
        environment_warn(arena, status->environment, &warnings);
        status->warnings = warnings.texts;
        status->n_warnings = warnings.n;
}

static int build_leases(Arena *arena, const Daemon *daemon, Benchd__Status *status) {
        status->leases = arena_zero(arena, OPS_CPUS_MAX * sizeof *status->leases);
        if (!status->leases)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; daemon->has_machine && i < daemon->machine.n_cpus; i++) {
                Benchd__Lease *lease = message_new(arena, Benchd__Lease, benchd__lease);

                if (!lease)
                        return error_origin(-ENOMEM);
                message_set(lease, cpu, daemon->machine.cpus[i].cpu);
                message_set(lease, busy, cpu_is_busy(daemon, daemon->machine.cpus[i].cpu));
                status->leases[status->n_leases++] = lease;
        }
        return 0;
}

int status_build(Arena *arena, const Daemon *daemon, Benchd__Status **ret_status) {
        Benchd__Status *status = message_new(arena, Benchd__Status, benchd__status);
        uint32_t n_queued = 0, n_running = 0;
        const Job *job;

        if (!status)
                return error_origin(-ENOMEM);
        TAILQ_FOREACH(job, &daemon->jobs, of_daemon) {
                n_queued += job->state != JOB_OVER && job->state != JOB_MEASURING;
                n_running += job->process != 0;
        }
        status->daemon = arena_text(arena, "benchd " BENCHD_VERSION);
        message_set(status, uptime_ns, time_monotonic_ns() - daemon->started_ns);
        message_set(status, queued, n_queued);
        message_set(status, running, n_running);
        message_set(status, jobs_done, daemon->jobs_done);
        status->environment = environment_build(arena, &daemon->host, daemon->has_machine ? &daemon->machine : NULL,
                        NULL, environment_read_load(daemon->root));
        if (!status->environment || build_leases(arena, daemon, status))
                return error_origin(-ENOMEM);
        if (daemon->has_machine && governor_words_status(arena, &daemon->machine, status))
                return error_origin(-ENOMEM);
        add_warnings(arena, daemon, status);
        *ret_status = status;
        return error_trace(arena_check(arena));
}
