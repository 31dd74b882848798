/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/daemon.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "front/base/log.h"
#include "front/clients/clients.h"
#include "front/clients/dispatch.h"
#include "front/clients/set-governor.h"
#include "front/clients/status.h"
#include "front/history/history.h"
#include "front/history/module-store.h"
#include "front/jobs/jobs.h"
#include "front/jobs/launch-link.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "util/time.h"

/* ---- after each turn of the loop */

/* `systemctl status` shows it. Nothing to tell where nothing changed. */
static void daemon_tell_status(Daemon *daemon) {
        unsigned n_jobs = 0, n_running = 0;
        const Job *job;

        TAILQ_FOREACH(job, &daemon->services.jobs, jobs) {
                n_jobs++;
                n_running += job->process != 0;
        }
        if (n_jobs == daemon->told_jobs && n_running == daemon->told_running)
                return;
        daemon->told_jobs = n_jobs;
        daemon->told_running = n_running;
        (void)sd_notifyf(false, "STATUS=%u job%s, %u running", n_jobs, n_jobs == 1 ? "" : "s", n_running);
}

static int daemon_on_sweep(sd_event_source *source, void *userdata) {
        Daemon *daemon = userdata;

        do {
                clients_sweep(daemon->clients);
        } while (jobs_sweep(&daemon->services));
        daemon_tell_status(daemon);
        return 0;
}

/* ---- the launcher */

static void daemon_on_machine(void *userdata, const OpsMachine *machine) {
        Daemon *daemon = userdata;

        daemon->machine = *machine;
        daemon->services.machine = &daemon->machine;
        status_retry(daemon->clients);
        job_retry_all(&daemon->services);
}

static void daemon_on_closed(void *userdata) {
        Daemon *daemon = userdata;

        log_say(LOG_LAUNCH_LOST, NULL, NULL);
        (void)sd_event_exit(daemon->services.event, EXIT_FAILURE);
}

/* ---- life */

static int daemon_add_sources(Daemon *daemon) {
        sd_event *event = daemon->services.event;
        int r;

        r = sd_event_add_post(event, &daemon->sweep, daemon_on_sweep, daemon);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_signal(event, NULL, SIGTERM, NULL, NULL);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_signal(event, NULL, SIGINT, NULL, NULL);
        if (r < 0)
                return error_origin(r);
        r = sd_event_set_watchdog(event, true);
        return r < 0 ? error_origin(r) : 0;
}

/* Modules that cannot be kept are no reason not to measure. */
static void daemon_open_module_store(JobServices *services, const char *state_path) {
        _cleanup_(freep) char *path = NULL;

        if (asprintf(&path, "%s/modules", state_path) < 0)
                return;
        if (module_store_new(path, services->config->module_quota_bytes, services->history, &services->module_store))
                log_say(LOG_HISTORY_UNWRITTEN, NULL, "modules cannot be kept in %s", path);
}

static int daemon_open_state(JobServices *services, const char *state_path) {
        int r;

        r = history_new(state_path, time_realtime_ns(), &services->history);
        if (r)
                return error_trace(r);
        if (history_trouble(services->history)[0])
                log_say(history_is_kept(services->history) ? LOG_HISTORY_SET_ASIDE : LOG_HISTORY_UNWRITTEN, NULL, "%s",
                                history_trouble(services->history));
        if (state_path && history_is_kept(services->history))
                daemon_open_module_store(services, state_path);
        return 0;
}

static int daemon_connect(Daemon *daemon, int clients_fd, int launch_fd) {
        const LaunchLinkHandlers handlers = {
                .machine = daemon_on_machine,
                .closed = daemon_on_closed,
                .userdata = daemon,
        };
        JobServices *services = &daemon->services;
        int r;

        r = launch_link_new(services->event, launch_fd, &handlers, &services->link);
        if (r)
                return error_trace(r);
        return error_trace(clients_new(services, &dispatch_handlers, clients_fd, &daemon->clients));
}

int daemon_new(const DaemonConfig *config, Daemon **ret_daemon) {
        _cleanup_(daemon_freep) Daemon *daemon = NULL;
        JobServices *services;
        int r;

        daemon = calloc(1, sizeof *daemon);
        if (!daemon)
                return error_origin(-ENOMEM);
        daemon->config = *config->config;
        services = &daemon->services;
        services->config = &daemon->config;
        services->host = &daemon->host;
        r = root_dir_new("/", &services->root);
        if (r)
                return error_trace(r);
        environment_read_host(services->root, &daemon->host);
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
        r = daemon_connect(daemon, config->clients_fd, config->launch_fd);
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
                status_free_all(daemon->clients);
                set_governor_free_all(daemon->clients);
                clients_free(daemon->clients);
        }
        module_store_free(services->module_store);
        history_free(services->history);
        launch_link_free(services->link);
        sd_event_source_disable_unref(daemon->sweep);
        sd_event_unref(services->event);
        root_dir_free(services->root);
        free(daemon);
        return NULL;
}

int daemon_run(Daemon *daemon) {
        int r;

        r = sd_notify(false, "READY=1\nSTATUS=0 jobs, 0 running");
        if (r < 0)
                return error_origin(r);
        r = launch_link_ready(daemon->services.link);
        if (r)
                return error_trace(r);
        log_say(LOG_STARTED, NULL, "version %s", BENCHD_VERSION);
        r = sd_event_loop(daemon->services.event);
        (void)sd_notify(false, "STOPPING=1");
        log_say(LOG_STOPPED, NULL, "%" PRIu64 " jobs done", daemon->services.n_done);
        return r < 0 ? error_origin(r) : r;
}
