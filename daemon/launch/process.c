/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/lease.h"
#include "launch/realtime.h"
#include "ops/sample-block.h"
#include "ops/window.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define PROCESS_TIMER_ACCURACY_US 1000u

struct Process {
        ProcessConfig config;
        RunnerMode mode;
        int cpu;
        pid_t pid;
        int pidfd;
        int control_fd;
        int block_fd;
        int output_fd;
        sd_event_source *exit_source;
        sd_event_source *control_source;
        sd_event_source *timeout_source;
        sd_event_source *window_source; /* a window's end, or the beginning of one that was asked for too early */
        uint64_t started_ns;
        uint64_t ended_ns;
        bool reported;
        bool reaped;
        ZygoteReport report;
        OpsOutcome scheduler;
        OpsKilled killed;
        siginfo_t status;
};

#define PROCESS_NULL                                                                                                   \
 { .pid = -1, .pidfd = -1, .control_fd = -1, .block_fd = -1, .output_fd = -1, .scheduler = OPS_OUTCOME_UNSUPPORTED, }

DEFINE_CLEANUP(Process *, process_free)

/* ---- windows */

static void process_end_window(Process *process) {
        process->window_source = sd_event_source_disable_unref(process->window_source);
        if (!process->config.lease || !process->config.lease->grant.open)
                return;
        if (!process->reaped)
                realtime_revoke(process->pid);
        grant_end(&process->config.lease->grant, time_monotonic_ns());
}

static int process_on_window_over(sd_event_source *source, uint64_t usec, void *userdata) {
        process_end_window(userdata);
        return 0;
}

static int process_arm_window(Process *process, uint64_t delay_ns, sd_event_time_handler_t handler) {
        process->window_source = sd_event_source_disable_unref(process->window_source);
        return sd_event_add_time_relative(process->config.event, &process->window_source, CLOCK_MONOTONIC,
                        delay_ns / 1000 + 1, PROCESS_TIMER_ACCURACY_US, handler, process);
}

static void process_answer_window(Process *process, char word) {
        (void)!send(process->control_fd, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void process_begin_window(Process *process) {
        Lease *lease = process->config.lease;
        uint64_t now_ns = time_monotonic_ns();

        process->scheduler = realtime_grant(process->pid);
        if (process->scheduler != OPS_OUTCOME_APPLIED) {
                process_answer_window(process, WINDOW_OTHER);
                return;
        }
        grant_begin(&lease->grant, now_ns);
        if (process_arm_window(process, WINDOW_LENGTH_NS, process_on_window_over) < 0)
                process_end_window(process);
        process_answer_window(process, WINDOW_FIFO);
}

static int process_on_window_due(sd_event_source *source, uint64_t usec, void *userdata) {
        process_begin_window(userdata);
        return 0;
}

static void process_ask_window(Process *process) {
        Lease *lease = process->config.lease;
        uint64_t wait_ns;

        if (process->reaped)
                return;
        if (!lease || !lease->fifo) {
                process_answer_window(process, WINDOW_OTHER);
                return;
        }
        if (lease->grant.open || process->window_source)
                return;
        wait_ns = grant_wait_ns(&lease->grant, time_monotonic_ns());
        if (wait_ns == 0 || process_arm_window(process, wait_ns, process_on_window_due) < 0)
                process_begin_window(process);
}

/* ---- events */

/* Takes one packet off the control socket; false if there is none. The module can write here too: what is no word is nothing. */
static bool process_take_packet(Process *process) {
        char packet[sizeof(ZygoteReport)];
        ssize_t n;

        n = recv(process->control_fd, packet, sizeof packet, MSG_DONTWAIT);
        if (n <= 0)
                return false;
        if (n == sizeof(ZygoteReport) && !process->reported) {
                memcpy(&process->report, packet, sizeof process->report);
                process->reported = true;
        } else if (n == 1 && packet[0] == WINDOW_ASK) {
                process_ask_window(process);
        } else if (n == 1 && packet[0] == WINDOW_DONE) {
                process_end_window(process);
        }
        return true;
}

static int process_on_control(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;

        if (!process_take_packet(process) && (events & (EPOLLHUP | EPOLLERR)))
                process->control_source = sd_event_source_disable_unref(process->control_source);
        return 0;
}

static int process_on_exit(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;

        if (waitid(P_PIDFD, process->pidfd, &process->status, WEXITED | WNOHANG) < 0 || process->status.si_pid == 0)
                return 0;
        process->reaped = true;
        while (!process->reported && process_take_packet(process))
                ; /* the death can be heard of before the birth */
        process->ended_ns = time_monotonic_ns();
        process->exit_source = sd_event_source_disable_unref(process->exit_source);
        process->timeout_source = sd_event_source_disable_unref(process->timeout_source);
        process_end_window(process);
        process->config.ended(process, process->config.userdata);
        return 0;
}

static int process_on_timeout(sd_event_source *source, uint64_t usec, void *userdata) {
        Process *process = userdata;

        process->killed = OPS_KILLED_TIMEOUT;
        pidfd_send_signal(process->pidfd, SIGKILL, NULL, 0);
        return 0;
}

void process_kill(Process *process) {
        if (process->reaped)
                return;
        process->killed = OPS_KILLED_REQUEST;
        pidfd_send_signal(process->pidfd, SIGKILL, NULL, 0);
}

/* ---- birth */

static int process_make_output(int *ret_fd) {
        int fd = memfd_create("benchd-output", MFD_CLOEXEC);

        if (fd < 0)
                return error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

/* Its descriptors in the order of zygote.h; @plan_fd and @runner_control_fd are closed by the caller. */
static size_t process_gather_fds(const Process *process, int plan_fd, int runner_control_fd, int *fds) {
        const Ticket *ticket = process->config.ticket;
        size_t n = ZYGOTE_FD_MODULE;

        fds[ZYGOTE_FD_PLAN] = plan_fd;
        fds[ZYGOTE_FD_BLOCK] = process->block_fd;
        fds[ZYGOTE_FD_CONTROL] = runner_control_fd;
        fds[ZYGOTE_FD_OUTPUT] = process->output_fd;
        if (!ticket)
                return n;
        fds[n++] = ticket->module_fd;
        for (uint32_t i = 0; i < ticket->n_libraries; i++)
                fds[n++] = ticket->library_fds[i];
        return n;
}

static int process_bear(Process *process) {
        const ProcessConfig *config = &process->config;
        _cleanup_(fd_closep) int plan_fd = -1, runner_control_fd = -1;
        int fds[ZYGOTE_FDS_MAX], pair[2];
        size_t n_fds;
        int r;

        r = fd_memfd_sealed("benchd-plan", config->plan, sizeof *config->plan, &plan_fd);
        if (r)
                return error_trace(r);
        r = fd_memfd_sized("benchd-block", block_size(process->mode), &process->block_fd);
        if (r)
                return error_trace(r);
        r = process_make_output(&process->output_fd);
        if (r)
                return error_trace(r);
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
                return error_origin(-errno);
        process->control_fd = pair[0];
        runner_control_fd = pair[1];

        n_fds = process_gather_fds(process, plan_fd, runner_control_fd, fds);
        r = zygote_spawn(config->zygote, &config->birth, fds, n_fds, &process->pid);
        if (r)
                return error_trace(r);
        process->pidfd = pidfd_open(process->pid, 0);
        return process->pidfd < 0 ? error_origin(-errno) : 0;
}

static int process_watch(Process *process) {
        sd_event *event = process->config.event;
        int r;

        r = sd_event_add_io(event, &process->exit_source, process->pidfd, EPOLLIN, process_on_exit, process);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_io(event, &process->control_source, process->control_fd, EPOLLIN, process_on_control, process);
        if (r < 0)
                return error_origin(r);
        r = sd_event_add_time_relative(event, &process->timeout_source, CLOCK_MONOTONIC,
                        process->config.timeout_ns / 1000, PROCESS_TIMER_ACCURACY_US, process_on_timeout, process);
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
        process->cpu = config->plan->cpu;
        process->started_ns = time_monotonic_ns();

        r = process_bear(process);
        if (r)
                return error_trace(r);
        r = process_watch(process);
        if (r)
                return error_trace(r);

        process->config.plan = NULL;
        process->config.ticket = NULL;
        *ret_process = take_pointer(process);
        return 0;
}

Process *process_free(Process *process) {
        if (!process)
                return NULL;
        if (process->pid > 0 && !process->reaped) {
                kill(process->pid, SIGKILL);
                waitpid(process->pid, NULL, 0);
        }
        process_end_window(process);
        sd_event_source_disable_unref(process->exit_source);
        sd_event_source_disable_unref(process->control_source);
        sd_event_source_disable_unref(process->timeout_source);
        fd_close(process->pidfd);
        fd_close(process->control_fd);
        fd_close(process->block_fd);
        fd_close(process->output_fd);
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

Lease *process_lease(const Process *process) {
        return process->config.lease;
}

int process_block_fd(const Process *process) {
        return process->block_fd;
}

int process_output_fd(const Process *process) {
        return process->output_fd;
}

void process_describe_end(const Process *process, OpsEnded *ret_ended) {
        bool exited = process->status.si_code == CLD_EXITED;

        *ret_ended = (OpsEnded){
                .process = process->config.id,
                .elapsed_ns = process->ended_ns - process->started_ns,
                .cpu = process->cpu,
                .exit_code = exited ? process->status.si_status : -1,
                .exit_signal = exited ? 0 : process->status.si_status,
                .killed = process->killed,
                .scheduler = process->scheduler,
                .affinity = process->report.affinity,
                .memory = process->report.memory,
        };
}
