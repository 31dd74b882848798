/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/output.h"
#include "launch/process-fds.h"
#include "launch/windows.h"
#include "ops/window.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"
#include "util/time.h"

#define PROCESS_TIMER_ACCURACY_US 1000u
#define PROCESS_REAP_DELAY_US     50000u
#define PROCESS_REAP_TRIES        20u
#define PROCESS_TRIM_ACCURACY_US  50000u

struct Process {
        ProcessConfig config;
        RunnerMode mode;
        cpu_set_t cpus;
        int cpu; /* of its first thread */
        pid_t pid;
        int pidfd;
        ProcessFds fds;
        sd_event_source *exit_source;
        sd_event_source *ask_source;
        sd_event_source *timeout_source;
        sd_event_source *trim_source;
        sd_event_source *reap_source; /* it is dead, and somebody who traces it keeps it from being reaped */
        Windows windows;
        uint64_t started_ns;
        uint64_t ended_ns;
        bool reported;
        cpu_set_t lost; /* those of its CPUs that were switched off meanwhile */
        bool reaped;
        unsigned reap_tries;
        ZygoteReport report;
        OpsKilled killed;
        siginfo_t status;
};

#define PROCESS_NULL                                                                                                   \
 { .pid = -1, .pidfd = -1, .fds = PROCESS_FDS_NULL, }

DEFINE_CLEANUP(Process *, process_free)

/* ---- events */

/* Takes one word off the pipe; false if there is none. */
static bool process_take_word(Process *process) {
        WindowWord word;

        if (!process->reported) {
                process->reported = read(process->fds.ask, &process->report, sizeof process->report) ==
                                    sizeof process->report;
                process->windows.cage = process->report.cpuset;
                return process->reported;
        }
        if (read(process->fds.ask, &word, sizeof word) != sizeof word)
                return false;
        windows_take_word(&process->windows, &word);
        return true;
}

static int process_on_ask(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;

        if (!process_take_word(process) && (events & (EPOLLHUP | EPOLLERR)))
                process->ask_source = sd_event_source_disable_unref(process->ask_source);
        return 0;
}

/* A CPU that is switched off while somebody is pinned to it lets him go anywhere. */
void process_lose_cpu(Process *process, int cpu) {
        for (size_t i = 0; i < process->config.leases.n; i++)
                if (process->config.leases.leases[i]->cpu == cpu)
                        CPU_SET(cpu, &process->lost);
}

/* Those that are off now, of which nobody may have heard yet. */
static void process_look_for_cpus(Process *process) {
        const LeaseSet *leases = &process->config.leases;

        for (size_t i = 0; i < leases->n; i++) {
                char path[64], online[8];

                snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/online", leases->leases[i]->cpu);
                if (root_dir_read_line(process->config.root, path, online, sizeof online) == 0 && online[0] == '0')
                        process_lose_cpu(process, leases->leases[i]->cpu);
        }
}

/* The module's own file has to do when there is no memory for one of ours: benchd reads it without trust. */
static void process_settle_output(Process *process) {
        int settled_fd;

        if (output_settle(process->fds.output, &settled_fd))
                return;
        fd_close(process->fds.output);
        process->fds.output = settled_fd;
}

static void process_end(Process *process) {
        if (!process->reported)
                process_take_word(process); /* the death can be heard of before the birth */
        process->ended_ns = time_monotonic_ns();
        process_look_for_cpus(process);
        process->exit_source = sd_event_source_disable_unref(process->exit_source);
        process->timeout_source = sd_event_source_disable_unref(process->timeout_source);
        process->trim_source = sd_event_source_disable_unref(process->trim_source);
        process->reap_source = sd_event_source_disable_unref(process->reap_source);
        windows_end(&process->windows);
        process_settle_output(process);
        process->config.ended(process, process->config.userdata);
}

static bool process_reap(Process *process) {
        if (waitid(P_PIDFD, process->pidfd, &process->status, WEXITED | WNOHANG) < 0 || process->status.si_pid == 0)
                return false;
        process->reaped = true;
        process->windows.pid = 0;
        return true;
}

static int process_wait_to_reap(Process *process);

/* Its tracer may be a leftover of its own, which the sweep ends. After that it counts as killed, and the sweep reaps it. */
static int process_on_reap(sd_event_source *source, uint64_t usec, void *userdata) {
        Process *process = userdata;

        process->config.stuck(process->config.stuck_userdata);
        if (process_reap(process) || ++process->reap_tries >= PROCESS_REAP_TRIES) {
                process_end(process);
                return 0;
        }
        return process_wait_to_reap(process);
}

static int process_wait_to_reap(Process *process) {
        process->reap_source = sd_event_source_disable_unref(process->reap_source);
        return sd_event_add_time_relative(process->config.event, &process->reap_source, CLOCK_MONOTONIC,
                        PROCESS_REAP_DELAY_US, PROCESS_TIMER_ACCURACY_US, process_on_reap, process);
}

static int process_on_exit(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;

        if (process_reap(process)) {
                process_end(process);
                return 0;
        }
        process->exit_source = sd_event_source_disable_unref(process->exit_source);
        return process_wait_to_reap(process);
}

static int process_on_timeout(sd_event_source *source, uint64_t usec, void *userdata) {
        Process *process = userdata;

        process->killed = OPS_KILLED_TIMEOUT;
        pidfd_send_signal(process->pidfd, SIGKILL, NULL, 0);
        return 0;
}

static int process_on_trim(sd_event_source *source, uint64_t usec, void *userdata) {
        Process *process = userdata;
        int r;

        if (output_is_long(process->fds.output))
                (void)zygote_trim(process->config.zygote, process->config.birth.place, process->fds.output);
        r = sd_event_source_set_time_relative(source, OUTPUT_TRIM_MS * 1000);
        return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

void process_kill(Process *process) {
        if (process->reaped)
                return;
        process->killed = OPS_KILLED_REQUEST;
        pidfd_send_signal(process->pidfd, SIGKILL, NULL, 0);
}

/* ---- birth */

static void process_open_windows(Process *process) {
        const ProcessConfig *config = &process->config;
        bool unprepared = config->plan->options & RUNNER_OPTION_UNPREPARED;

        process->windows = (Windows){
                .event = config->event,
                .root = config->root,
                .leases = config->leases,
                .unprepared = unprepared,
                .caged = config->caged,
                .pid = process->pid,
                .answer_fd = process->fds.answer,
                .scheduler = unprepared ? OPS_OUTCOME_OMITTED : OPS_OUTCOME_UNSUPPORTED,
        };
}

static int process_bear(Process *process) {
        _cleanup_(process_fds_close_newborn) NewbornFds theirs = NEWBORN_FDS_NULL;
        const ProcessConfig *config = &process->config;
        const Ticket *tickets[RUNNER_SIDES_MAX] = { config->ticket, config->other_ticket };
        int fds[ZYGOTE_FDS_MAX];
        size_t n_fds;
        int r;

        r = process_fds_make(config->plan, &process->fds, &theirs);
        if (r)
                return error_trace(r);
        n_fds = process_fds_gather(&process->fds, &theirs, tickets, fds);
        r = zygote_spawn(config->zygote, &config->birth, fds, n_fds, &process->pid);
        if (r)
                return error_trace(r);
        process_open_windows(process);
        process->pidfd = pidfd_open(process->pid, 0);
        return process->pidfd < 0 ? error_origin(-errno) : 0;
}

static int process_watch(Process *process) {
        sd_event *event = process->config.event;
        int r;

        r = sd_event_add_io(event, &process->exit_source, process->pidfd, EPOLLIN, process_on_exit, process);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_io(event, &process->ask_source, process->fds.ask, EPOLLIN, process_on_ask, process);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_time_relative(event, &process->timeout_source, CLOCK_MONOTONIC,
                        process->config.timeout_ns / 1000, PROCESS_TIMER_ACCURACY_US, process_on_timeout, process);
        if (r < 0)
                return error_origin(r);
        if (process->mode == RUNNER_MODE_CALIBRATE) /* it prints nothing */
                return 0;
        r = sd_event_add_time_relative(event, &process->trim_source, CLOCK_MONOTONIC, OUTPUT_TRIM_MS * 1000,
                        PROCESS_TRIM_ACCURACY_US, process_on_trim, process);
        return r < 0 ? error_origin(r) : 0;
}

int process_new(const ProcessConfig *config, Process **ret_process) {
        _cleanup_(process_freep) Process *process = NULL;
        int r;

        process = malloc(sizeof *process);
        if (!process)
                return error_origin(-ENOMEM);
        *process = (Process)PROCESS_NULL;
        process->config = *config;
        process->mode = config->plan->mode;
        process->cpu = config->plan->cpus[0];
        for (uint32_t i = 0; i < config->plan->n_threads; i++)
                CPU_SET(config->plan->cpus[i], &process->cpus);
        process->started_ns = time_monotonic_ns();

        r = process_bear(process);
        if (r)
                return error_trace(r);
        r = process_watch(process);
        if (r)
                return error_trace(r);

        process->config.plan = NULL;
        process->config.ticket = NULL;
        process->config.other_ticket = NULL;
        *ret_process = take_pointer(process);
        return 0;
}

Process *process_free(Process *process) {
        if (!process)
                return NULL;
        if (process->pid > 0 && !process->reaped)
                kill(process->pid, SIGKILL); /* whoever sweeps reaps it */
        windows_end(&process->windows);
        sd_event_source_disable_unref(process->exit_source);
        sd_event_source_disable_unref(process->ask_source);
        sd_event_source_disable_unref(process->timeout_source);
        sd_event_source_disable_unref(process->trim_source);
        sd_event_source_disable_unref(process->reap_source);
        fd_close(process->pidfd);
        process_fds_close(&process->fds);
        free(process);
        return NULL;
}

/* ---- reading it */

pid_t process_pid(const Process *process) {
        return process->pid;
}

uint64_t process_id(const Process *process) {
        return process->config.id;
}

uint64_t process_serial(const Process *process) {
        return process->config.serial;
}

RunnerMode process_mode(const Process *process) {
        return process->mode;
}

LeaseSet *process_leases(Process *process) {
        return &process->config.leases;
}

Cpuset *process_cpuset(Process *process) {
        return &process->config.cpuset;
}

int process_block_fd(const Process *process) {
        return process->fds.block;
}

int process_output_fd(const Process *process) {
        return process->fds.output;
}

static OpsOutcome process_affinity(const Process *process) {
        if (CPU_COUNT(&process->lost) > 0)
                return OPS_OUTCOME_OVERRIDDEN;
        return process->windows.affinity ? process->windows.affinity : process->report.affinity;
}

void process_describe_end(const Process *process, OpsEnded *ret_ended) {
        bool exited = process->reaped && process->status.si_code == CLD_EXITED;

        *ret_ended = (OpsEnded){
                .process = process->config.id,
                .elapsed_ns = process->ended_ns - process->started_ns,
                .cpu = process->cpu,
                .cpus = process->cpus,
                .lost = process->lost,
                .exit_code = exited ? process->status.si_status : -1,
                .exit_signal = exited            ? 0
                               : process->reaped ? process->status.si_status
                                                 : SIGKILL,
                .killed = process->killed,
                .scheduler = process->windows.scheduler,
                .affinity = process_affinity(process),
                .memory = process->report.memory,
                .random_layout = process->report.random_layout,
                .fixed_layout = process->report.fixed_layout,
                .cpuset = process->report.cpuset ? process->report.cpuset : process->config.cpuset.outcome,
        };
}
