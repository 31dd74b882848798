/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/daemon.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "front/base/log.h"
#include "front/base/share.h"
#include "front/clients/adoption.h"
#include "front/clients/clients.h"
#include "front/clients/dispatch.h"
#include "front/clients/permission.h"
#include "front/clients/set-governor.h"
#include "front/clients/status.h"
#include "front/history/history.h"
#include "front/history/module-store.h"
#include "front/history/retention.h"
#include "front/jobs/jobs.h"
#include "front/jobs/launch-link.h"
#include "ops/receiver.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "util/time.h"

#define TRIM_INTERVAL_US    (UINT64_C(3600) * 1000000)
#define TRIM_ACCURACY_US    1000u
#define NS_PER_DAY          (UINT64_C(86400) * NS_PER_S)
#define UNSTORED_USER_BYTES (UINT64_C(8) << 20)

/* ---- what the history no longer keeps */

static void daemon_schedule_trim(Daemon *daemon, uint64_t in_us) {
        (void)sd_event_source_set_time_relative(daemon->trim, in_us);
        (void)sd_event_source_set_enabled(daemon->trim, SD_EVENT_ONESHOT);
}

/*
 * One slice per turn of the loop, after users who have had little of it. Age is checked once per interval, when the launcher has said that
 * the clock is synchronised; room also after each job.
 */
static int daemon_on_trim(sd_event_source *source, uint64_t usec, void *userdata) {
        Daemon *daemon = userdata;
        const RetentionClock clock = {
                .now_unix_ns = time_realtime_ns(),
                .synchronised = daemon->clock_synchronised,
        };

        daemon->trimmed_done = daemon->services.n_done;
        if (retention_trim(daemon->services.retention, clock) == RETENTION_E_MORE) {
                daemon_schedule_trim(daemon, 0);
        } else {
                daemon->clock_synchronised = false;
                (void)sd_event_source_set_enabled(daemon->trim, SD_EVENT_OFF);
        }
        return 0;
}

static void daemon_on_refined(void *userdata, OpsPacket *packet) {
        Daemon *daemon = userdata;

        daemon->clock_synchronised =
                        packet->record.kind == OPS_REFINED && packet->record.refined.clock_synchronised == 1;
        daemon_schedule_trim(daemon, 0);
}

static int daemon_on_hour(sd_event_source *source, uint64_t usec, void *userdata) {
        Daemon *daemon = userdata;
        OpsRecord record = { .kind = OPS_REFINE };

        (void)launch_link_ask(daemon->services.link, &record, NULL, 0, daemon_on_refined, daemon);
        (void)sd_event_source_set_time_relative(source, TRIM_INTERVAL_US);
        (void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
        return 0;
}

static int daemon_add_trim(Daemon *daemon) {
        int r;

        r = sd_event_add_time_relative(daemon->services.event, &daemon->trim, CLOCK_MONOTONIC, 0, TRIM_ACCURACY_US,
                        daemon_on_trim, daemon);
        if (r < 0)
                return error_origin(r);
        r = sd_event_source_set_priority(daemon->trim, TURNS_LAST);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_time_relative(daemon->services.event, &daemon->hour, CLOCK_MONOTONIC, 0, TRIM_ACCURACY_US,
                        daemon_on_hour, daemon);
        if (r >= 0)
                r = sd_event_source_set_enabled(daemon->hour, SD_EVENT_OFF);
        return r < 0 ? error_origin(r) : 0;
}

/* ---- what the history has on stable storage */

/* Sends the replies that waited; if the disk failed, they say so. */
static void daemon_settle(Daemon *daemon) {
        History *history = daemon->services.history;
        const uint64_t synced = history_synced(history);
        const bool lost = history_settle(history) != 0;

        if (lost)
                log_say(LOG_HISTORY_UNWRITTEN, NULL, "%s", history_words(history));
        if (lost && history_event_fd(history) < 0)
                daemon->synced = sd_event_source_disable_unref(daemon->synced);
        clients_release(daemon->clients, synced, lost ? history_words(history) : NULL);
}

static int daemon_on_synced(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        daemon_settle(userdata);
        return 0;
}

/* The daemon ends: replies that wait for the disk are still sent, with its outcome. */
static void daemon_finish(Daemon *daemon) {
        history_wait(daemon->services.history);
        daemon_settle(daemon);
        clients_flush(daemon->clients);
}

static int daemon_watch_history(Daemon *daemon) {
        const int fd = history_event_fd(daemon->services.history);
        int r;

        if (fd < 0)
                return 0;
        r = sd_event_add_io(daemon->services.event, &daemon->synced, fd, EPOLLIN, daemon_on_synced, daemon);
        return r < 0 ? error_origin(r) : 0;
}

/* ---- after each turn of the loop */

/* `systemctl status` shows it. Skipped if nothing changed. */
static void daemon_tell_status(Daemon *daemon) {
        unsigned n_jobs = 0, n_running = 0;

        for (const Job *job = TAILQ_FIRST(&daemon->services.jobs); job; job = job_next(job)) {
                n_jobs++;
                n_running += job_view(job).cpus != NULL;
        }
        if (n_jobs == daemon->told_jobs && n_running == daemon->told_running)
                return;
        daemon->told_jobs = n_jobs;
        daemon->told_running = n_running;
        (void)sd_notifyf(false, "STATUS=%u job%s, %u running", n_jobs, n_jobs == 1 ? "" : "s", n_running);
}

static int daemon_on_sweep(sd_event_source *source, void *userdata) {
        Daemon *daemon = userdata;

        turns_note(&daemon->turns, TURN_SWEEP, TURNS_NOBODY);
        do {
                clients_sweep(daemon->clients);
        } while (jobs_sweep(&daemon->services));
        daemon_tell_status(daemon);
        if (daemon->trimmed_done != daemon->services.n_done)
                daemon_schedule_trim(daemon, 0);
        return 0;
}

/* ---- the launcher */

static void daemon_fail(Daemon *daemon, int status) {
        daemon->failure = status;
        (void)sd_event_exit(daemon->services.event, status);
}

/* Holds the number of jobs against the tickets that benchd-launch can keep. */
static void daemon_fit_jobs(Daemon *daemon, uint64_t n_files) {
        const uint64_t jobs = daemon->config.jobs;

        if (file_limit_fit_tickets(daemon->named, n_files, &daemon->config) != 0) {
                log_say(LOG_NOT_STARTED, NULL,
                                "queue.jobs=%" PRIu64 " takes %" PRIu64
                                " open files in benchd-launch, and its limit leaves %" PRIu64
                                ": lower queue.jobs, or raise the limit (LimitNOFILE= of benchd-launch.service, ulimit -n)",
                                jobs, file_limit_needed_of_tickets(&daemon->config), n_files);
                daemon_fail(daemon, EXIT_CONFIG);
        } else if (daemon->config.jobs < jobs) {
                log_say(LOG_LIMITS_LOWERED, NULL, "queue.jobs=%" PRIu64, daemon->config.jobs);
        }
}

static void daemon_on_machine(void *userdata, const OpsMachine *machine) {
        Daemon *daemon = userdata;

        if (!daemon->services.machine)
                daemon_fit_jobs(daemon, machine->ticket_files);
        daemon->machine = *machine;
        daemon->services.machine = &daemon->machine;
        status_retry(daemon->clients);
        job_retry_all(&daemon->services);
}

static void daemon_on_closed(void *userdata) {
        Daemon *daemon = userdata;

        log_say(LOG_LAUNCH_LOST, NULL, NULL);
        daemon_fail(daemon, EXIT_FAILURE);
}

/* systemd starts benchd anew, and with it benchd-launch, which is PartOf= it: so an upgrade that missed one of them passes. */
static void daemon_on_other_build(void *userdata, const char *words) {
        Daemon *daemon = userdata;

        log_say(LOG_OTHER_BUILD, NULL, "%s. Restart both: systemctl restart benchd benchd-launch", words);
        daemon_fail(daemon, EXIT_FAILURE);
}

/* ---- life */

static int daemon_on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        Daemon *daemon = userdata;

        if (daemon->ender && info->ssi_pid != (uint32_t)daemon->ender)
                return 0;
        return sd_event_exit(daemon->services.event, 0);
}

static int daemon_add_signals(Daemon *daemon) {
        for (size_t i = 0; i < END_SIGNALS_N; i++) {
                int r;

                if (end_signals_ignore(end_signals[i]))
                        continue;
                r = sd_event_add_signal(daemon->services.event, NULL, end_signals[i], daemon_on_signal, daemon);
                if (r < 0)
                        return error_origin(r);
        }
        return 0;
}

static int daemon_add_sources(Daemon *daemon) {
        sd_event *event = daemon->services.event;
        int r;

        r = sd_event_add_post(event, &daemon->sweep, daemon_on_sweep, daemon);
        if (r < 0)
                return error_origin(r);
        r = daemon_add_signals(daemon);
        if (r)
                return error_trace(r);
        r = sd_event_set_watchdog(event, true);
        return r < 0 ? error_origin(r) : 0;
}

/* A history that is only in memory gets a small part of it. */
static RetentionLimits daemon_retention_limits(const JobServices *services, bool stored) {
        const Config *config = services->config;
        uint64_t user_bytes = config->keep_per_user_bytes;

        if (!stored && user_bytes > UNSTORED_USER_BYTES)
                user_bytes = UNSTORED_USER_BYTES;
        return (RetentionLimits){
                .keep_ns = config->keep_days * NS_PER_DAY,
                .user_bytes = user_bytes,
                .module_bytes = config->module_quota_bytes,
                .module_user_bytes = config->module_quota_per_user_bytes,
        };
}

/* Modules that cannot be kept are no reason not to measure. */
static void daemon_open_module_store(JobServices *services, const char *state_path) {
        const ModuleStoreQuota quota = {
                .all_bytes = services->config->module_quota_bytes,
                .user_bytes = services->config->module_quota_per_user_bytes,
        };
        _cleanup_(freep) char *path = NULL;

        if (asprintf(&path, "%s/modules", state_path) < 0)
                return;
        if (module_store_new(path, quota, services->history, services->shares, &services->module_store))
                log_say(LOG_HISTORY_UNWRITTEN, NULL, "modules cannot be kept in %s", path);
}

static int daemon_open_state(JobServices *services, const char *state_path) {
        RetentionLimits limits;
        int r;

        r = history_new(state_path, time_realtime_ns(), &services->history);
        if (r)
                return error_trace(r);
        limits = daemon_retention_limits(services, state_path && history_is_kept(services->history));
        r = retention_new(services->history, &limits, &services->retention);
        if (r)
                return error_trace(r);
        if (history_trouble(services->history)[0])
                log_say(history_is_kept(services->history) ? LOG_HISTORY_SET_ASIDE : LOG_HISTORY_UNWRITTEN, NULL, "%s",
                                history_trouble(services->history));
        if (state_path && history_is_kept(services->history))
                daemon_open_module_store(services, state_path);
        return 0;
}

static int daemon_connect(Daemon *daemon, const DaemonConfig *config) {
        const LaunchLinkHandlers handlers = {
                .machine = daemon_on_machine,
                .closed = daemon_on_closed,
                .other_build = daemon_on_other_build,
                .userdata = daemon,
        };
        JobServices *services = &daemon->services;
        int r;

        r = launch_link_new(services->event, config->launch_fd, &handlers, &services->link);
        if (r)
                return error_trace(r);
        r = receiver_closer_new(services->event, config->calls, &daemon->closer);
        if (r)
                return error_trace(r);
        r = clients_new(services, &dispatch_handlers, config->clients_fd, config->calls, &daemon->clients);
        if (r)
                return error_trace(r);
        return error_trace(status_init(daemon->clients));
}

int daemon_new(const DaemonConfig *config, Daemon **ret_daemon) {
        _cleanup_(daemon_freep) Daemon *daemon = NULL;
        JobServices *services;
        int r;

        daemon = calloc(1, sizeof *daemon);
        if (!daemon)
                return error_origin(-ENOMEM);
        daemon->config = *config->config;
        daemon->named = config->named;
        daemon->ender = config->ender;
        services = &daemon->services;
        services->config = &daemon->config;
        services->host = &daemon->host;
        services->turns = &daemon->turns;
        r = shares_new(services->config, &services->shares);
        if (r)
                return error_trace(r);
        r = root_dir_new("/", &services->root);
        if (r)
                return error_trace(r);
        environment_read_host(services->root, daemon->config.machine_name, &daemon->host);
        r = sd_event_default(&services->event);
        if (r < 0)
                return error_origin(r);
        r = jobs_init(services);
        if (r)
                return error_trace(r);
        r = daemon_add_sources(daemon);
        if (r)
                return error_trace(r);
        r = daemon_open_state(services, config->state_path);
        if (r)
                return error_trace(r);
        r = daemon_watch_history(daemon);
        if (r == 0)
                r = daemon_add_trim(daemon);
        if (r)
                return error_trace(r);
        r = daemon_connect(daemon, config);
        if (r)
                return error_trace(r);
        *ret_daemon = take_pointer(daemon);
        return 0;
}

Daemon *daemon_free(Daemon *daemon) {
        JobServices *services;

        if (!daemon)
                return NULL;
        services = &daemon->services;
        jobs_clear(services);
        if (daemon->clients) {
                set_governor_free_all(daemon->clients);
                adoption_free_all(daemon->clients);
                permission_free_all(daemon->clients);
                clients_free(daemon->clients);
        }
        sd_event_source_disable_unref(daemon->synced);
        sd_event_source_disable_unref(daemon->hour);
        sd_event_source_disable_unref(daemon->trim);
        retention_free(services->retention);
        module_store_free(services->module_store);
        history_free(services->history);
        launch_link_free(services->link);
        receiver_closer_free(daemon->closer);
        sd_event_source_disable_unref(daemon->sweep);
        sd_event_unref(services->event);
        shares_free(services->shares);
        root_dir_free(services->root);
        free(daemon);
        return NULL;
}

/* Waits for an event and handles it. Returns 0 or a negative errno. */
static int daemon_turn(Daemon *daemon) {
        sd_event *event = daemon->services.event;
        int r;

        turns_begin(&daemon->turns, time_thread_cpu_ns());
        r = sd_event_prepare(event);
        if (r == 0)
                r = sd_event_wait(event, UINT64_MAX);
        if (r > 0)
                r = sd_event_dispatch(event);
        turns_end(&daemon->turns, time_thread_cpu_ns(), time_monotonic_ns());
        return r < 0 ? error_origin(r) : 0;
}

/* Jobs that the launcher could not hold are refused at the start, rather than one by one. */
static int daemon_await_machine(Daemon *daemon) {
        while (!daemon->services.machine && !daemon->failure) {
                int r = daemon_turn(daemon);

                if (r)
                        return error_trace(r);
                if (sd_event_get_state(daemon->services.event) != SD_EVENT_INITIAL)
                        return 0;
        }
        return 0;
}

/* As sd_event_loop() does it, and counts. */
static int daemon_loop(Daemon *daemon) {
        int r = 0, status = 0;

        while (r == 0 && sd_event_get_state(daemon->services.event) != SD_EVENT_FINISHED)
                r = daemon_turn(daemon);
        if (r)
                return r;
        (void)sd_event_get_exit_code(daemon->services.event, &status);
        return status;
}

static int daemon_be_ready(const Daemon *daemon) {
        int r;

        r = sd_notify(false, "READY=1\nSTATUS=0 jobs, 0 running");
        if (r < 0)
                return error_origin(r);
        r = launch_link_ready(daemon->services.link);
        if (r)
                return error_trace(r);
        (void)sd_event_source_set_enabled(daemon->hour, SD_EVENT_ONESHOT);
        log_say(LOG_STARTED, NULL, "version %s", BENCHD_VERSION);
        return 0;
}

int daemon_run(Daemon *daemon) {
        int r;

        r = daemon_await_machine(daemon);
        if (r || daemon->failure)
                return r ? error_trace(r) : daemon->failure;
        if (daemon->services.machine) /* else it is to end before it began */
                r = daemon_be_ready(daemon);
        if (r)
                return error_trace(r);
        r = daemon_loop(daemon);
        (void)sd_notify(false, "STOPPING=1");
        daemon_finish(daemon);
        log_say(LOG_STOPPED, NULL, "%" PRIu64 " jobs done", daemon->services.n_done);
        return error_trace(r);
}
