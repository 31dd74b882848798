/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launch/base/say.h"
#include "launch/base/thread.h"
#include "launch/birth/process-fds.h"
#include "launch/birth/stray.h"
#include "launch/run/adopted.h"
#include "launch/run/windows.h"
#include "ops/window.h"
#include "util/cleanup.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"
#include "util/time.h"

#define PROCESS_TIMER_ACCURACY_US 1000u
#define PROCESS_TRIM_ACCURACY_US  50000u

#define PROCESS_END_DELAY_US        1000u /* between two checks, doubled each time */
#define PROCESS_END_DELAY_MAX_US    50000u
#define PROCESS_STUCK_DELAY_US      1000000u
#define PROCESS_CORPSE_PATIENCE_NS  NS_PER_S       /* for a tracer outside the run */
#define PROCESS_SIGKILL_PATIENCE_NS (5 * NS_PER_S) /* then it is stuck */
#define PROCESS_CELL_PATIENCE_NS    (60 * NS_PER_S) /* to take its namespaces apart, which runs no code of the submitter */
#define PROCESS_LOOKS_MIN           64u /* checks before it counts as stuck: a machine that stood still had no time to end it */
#define PROCESS_CANCEL_PATIENCE_NS  NS_PER_S /* for the client, which got the same signal, to cancel */

#define PROCESS_TIMEOUTS_MAX 6u /* for a process that had no CPU */

#define PROCESS_WORDS_MAX 1000u /* a second; a runner writes two a window, and one a thread */

/*
 * The runner of the side of a comparison that does not lead. It waits for the leader's end; if it ends first, both have
 * ended.
 */
typedef struct Other {
        pid_t pid; /* 0: there is none */
        int pidfd;
        sd_event_source *exit_source;
        bool reaped;
        bool failed; /* it ended first */
        siginfo_t status;
} Other;

struct Process {
        ProcessConfig config;
        RunnerMode mode;
        uid_t uid; /* whose module it runs; -1 in a calibration */
        cpu_set_t cpus;
        int cpu;         /* of its first thread */
        uint32_t leader; /* the side of the plan whose process this is */
        pid_t pid;
        int pidfd;
        Other other;
        Adopted adopted;
        Cell cell;
        ProcessFds fds;
        sd_event_source *exit_source;
        sd_event_source *cell_source;
        sd_event_source *ask_source;
        sd_event_source *timeout_source;
        unsigned n_timeouts; /* that have passed */
        sd_event_source *trim_source;
        sd_event_source *end_source; /* set while something of a finished run lives on or cannot be reaped */
        Windows windows;
        uint64_t started_ns;
        uint64_t ended_ns;
        bool reported;
        cpu_set_t lost; /* its CPUs that were switched off meanwhile */
        bool dead;
        bool reaped;
        bool unwanted; /* process_kill() was called */
        pid_t stuck_pid;
        uint64_t ending_ns; /* since it is dead or killed; 0 before */
        uint64_t end_delay_us;
        unsigned n_looks; /* checks whether it is over */
        uint64_t words_since_ns;
        unsigned n_words;
        uint32_t bounds_met; /* bits of OpsBound */
        uint64_t memory_peak_bytes;
        OpsAdopted worst; /* outcomes of the processes that it took in */
        ZygoteReport report;
        char unborn[OPS_TEXT_MAX]; /* as of OpsEnded */
        OpsKilled killed;
        siginfo_t status;
};

#define PROCESS_NULL                                                                                                   \
 { .pid = -1, .pidfd = -1, .other = { .pidfd = -1 }, .cell = CELL_NULL, .fds = PROCESS_FDS_NULL, }

DEFINE_CLEANUP(Process *, process_free)

/* ---- words from it */

static void process_end_by(Process *process, OpsKilled killed);

/*
 * The module can write words too, and each write wakes the launcher, so a runner that writes more than it needs is
 * ended.
 */
static bool process_is_flooded(Process *process) {
        const uint64_t now_ns = time_monotonic_ns();

        if (now_ns - process->words_since_ns > NS_PER_S) {
                process->words_since_ns = now_ns;
                process->n_words = 0;
        }
        return ++process->n_words > PROCESS_WORDS_MAX;
}

/* Reads one word from the pipe; false if there is none. */
static bool process_take_word(Process *process) {
        WindowWord word;

        if (!process->reported) {
                process->reported = read(process->fds.ask, &process->report, sizeof process->report) ==
                                    sizeof process->report;
                if (process->reported)
                        run_group_note_joined(&process->config.group, process->report.joined);
                process->windows.cage = process->config.group.outcomes[RUN_GROUP_CPUSET];
                return process->reported;
        }
        if (read(process->fds.ask, &word, sizeof word) != sizeof word)
                return false;
        windows_take_word(&process->windows, &word);
        return true;
}

static int process_on_ask(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;
        const bool taken = process_take_word(process), flooded = process_is_flooded(process);

        if (flooded)
                process_end_by(process, OPS_KILLED_FLOOD);
        if (flooded || (!taken && (events & (EPOLLHUP | EPOLLERR))))
                process->ask_source = sd_event_source_disable_unref(process->ask_source);
        return 0;
}

/* ---- its CPUs */

/* When a CPU is switched off, the kernel drops the pinning of a process that is pinned to it alone. */
void process_lose_cpu(Process *process, int cpu) {
        for (size_t i = 0; i < process->config.leases.n; i++)
                if (process->config.leases.leases[i]->cpu == cpu)
                        CPU_SET(cpu, &process->lost);
}

/* Notes CPUs that are off now: their event may not have arrived yet. */
static void process_look_for_cpus(Process *process) {
        const LeaseSet *leases = &process->config.leases;

        for (size_t i = 0; i < leases->n; i++) {
                char path[64], online[8];

                snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/online", leases->leases[i]->cpu);
                if (root_dir_read_line(process->config.root, path, online, sizeof online) == 0 && online[0] == '0')
                        process_lose_cpu(process, leases->leases[i]->cpu);
        }
}

/* Without memory for a copy, benchd gets the module's own file: it does not trust either. */
static void process_settle_output(Process *process) {
        int settled_fd;

        if (process_output_settle(process->fds.output, &settled_fd))
                return;
        fd_close_received(process->fds.output); /* may be as large as its limit, so the closer closes it */
        process->fds.output = settled_fd;
}

/* ---- its end */

/* A run that met its bound on memory has lost at least one process, so it cannot go on. */
static void process_look_at_bounds(Process *process) {
        process->bounds_met = run_groups_bounds_met(process->config.groups, &process->config.group);
        process->memory_peak_bytes = run_groups_memory_peak(process->config.groups, &process->config.group);
        if ((process->bounds_met & OPS_BOUND_MEMORY) && process->killed == OPS_KILLED_NOT)
                process->killed = OPS_KILLED_MEMORY;
}

/* A failed birth is the daemon's fault, so it is logged for the administrator too. */
static void process_look_at_birth(Process *process) {
        zygote_read_fault(process->config.zygote, process->config.birth.place, process->unborn);
        if (process->unborn[0])
                say(SD_ERR, "a runner could not be born: %s", process->unborn);
}

static void process_end(Process *process) {
        if (!process->reported)
                process_take_word(process); /* the report of the death may arrive before the report of the birth */
        process->ended_ns = time_monotonic_ns();
        process_look_for_cpus(process);
        process_look_at_bounds(process);
        process_look_at_birth(process);
        process->cell_source = sd_event_source_disable_unref(process->cell_source);
        process->timeout_source = sd_event_source_disable_unref(process->timeout_source);
        process->trim_source = sd_event_source_disable_unref(process->trim_source);
        process->ask_source = sd_event_source_disable_unref(process->ask_source);
        windows_end(&process->windows);
        process_settle_output(process);
        process->config.ended(process, process->config.userdata);
}

static bool process_reap_other(Process *process) {
        Other *other = &process->other;

        if (other->pid == 0 || other->reaped)
                return true;
        if (waitid(P_PIDFD, other->pidfd, &other->status, WEXITED | WNOHANG) < 0 || other->status.si_pid == 0)
                return false;
        other->reaped = true;
        process->windows.other_pid = 0;
        return true;
}

static bool process_reap(Process *process) {
        const bool other_reaped = process_reap_other(process);

        if (process->reaped)
                return other_reaped;
        if (waitid(P_PIDFD, process->pidfd, &process->status, WEXITED | WNOHANG) < 0 || process->status.si_pid == 0)
                return false;
        process->reaped = process->dead = true;
        process->windows.pid = 0;
        return other_reaped;
}

static void process_kill_other(const Process *process) {
        if (process->other.pid > 0 && !process->other.reaped)
                (void)pidfd_send_signal(process->other.pidfd, SIGKILL, NULL, 0);
}

/*
 * With neither group nor cell, only its descendants can be found. The sweep finds processes that left it, once they are orphans.
 */
static void process_kill_all(Process *process) {
        bool found;

        if (!process->reaped)
                (void)pidfd_send_signal(process->pidfd, SIGKILL, NULL, 0);
        process_kill_other(process);
        adopted_kill(&process->adopted);
        cell_kill(&process->cell);
        found = run_groups_kill(process->config.groups, &process->config.group) || process->cell.pid > 0;
        if (!found && !process->reaped)
                stray_kill_below(process->pid);
}

/*
 * The cell's first process outlives all others in it, even an unreaped runner. A zombie that cannot be reaped counts as ended: it
 * runs nothing.
 */
static bool process_is_over(Process *process, uint64_t now_ns) {
        const bool gone = process_reap(process)
                                          ? cell_reap(&process->cell)
                                          : process->dead && now_ns - process->ending_ns >= PROCESS_CORPSE_PATIENCE_NS;

        return gone && adopted_are_gone(&process->adopted) &&
               run_groups_are_empty(process->config.groups, &process->config.group);
}

/* A comparison ends as the side that ended first. */
static const siginfo_t *process_status(const Process *process) {
        return process->other.failed ? &process->other.status : &process->status;
}

/*
 * It died of a signal that a terminal sends to a whole job. The client got it too and may be about to cancel: then no benchmark has
 * failed.
 */
static bool process_may_be_cancelled(const Process *process, uint64_t now_ns) {
        return process->reaped && process_status(process)->si_code == CLD_KILLED && process->killed == OPS_KILLED_NOT &&
               !process->unwanted && end_signals_have(process_status(process)->si_status) &&
               now_ns - process->ending_ns < PROCESS_CANCEL_PATIENCE_NS;
}

static int process_on_end(sd_event_source *source, uint64_t usec, void *userdata);

static int process_wait_for_end(Process *process) {
        const uint64_t delay_us = process->stuck_pid ? PROCESS_STUCK_DELAY_US : process->end_delay_us;

        process->end_delay_us *= process->end_delay_us < PROCESS_END_DELAY_MAX_US ? 2 : 1;
        process->end_source = sd_event_source_disable_unref(process->end_source);
        return sd_event_add_time_relative(process->config.event, &process->end_source, CLOCK_MONOTONIC, delay_us,
                        PROCESS_TIMER_ACCURACY_US, process_on_end, process);
}

/*
 * True if nothing of the run lives but the kernel still takes its namespaces apart, which on a busy machine can take
 * seconds (grace periods of RCU).
 */
static bool process_is_but_a_cell(const Process *process) {
        return process->dead && process->config.group.outcomes[RUN_GROUP_KILL] == OPS_OUTCOME_APPLIED &&
               run_groups_first(process->config.groups, &process->config.group) == 0;
}

static bool process_is_stuck(const Process *process, uint64_t now_ns) {
        const uint64_t patience_ns =
                        process_is_but_a_cell(process) ? PROCESS_CELL_PATIENCE_NS : PROCESS_SIGKILL_PATIENCE_NS;

        return process->n_looks >= PROCESS_LOOKS_MIN && now_ns - process->ending_ns >= patience_ns;
}

/* It is blocked in the kernel where no signal reaches it, for example on a file of a server that does not answer. */
static int process_become_stuck(Process *process) {
        int r;

        process->stuck_pid = process->pid;
        if (process->dead)
                process->stuck_pid = run_groups_first(process->config.groups, &process->config.group);
        if (!process->stuck_pid)
                process->stuck_pid = process->cell.pid;
        r = process_wait_for_end(process);
        process_end(process);
        return r;
}

/* Kills what lives of the run, repeatedly, until nothing does. */
static int process_try_end(Process *process) {
        const uint64_t now_ns = time_monotonic_ns();

        if (process_is_over(process, now_ns)) {
                if (process_may_be_cancelled(process, now_ns))
                        return process_wait_for_end(process);
                process->exit_source = sd_event_source_disable_unref(process->exit_source);
                process->end_source = sd_event_source_disable_unref(process->end_source);
                if (process->stuck_pid)
                        process->config.freed(process, process->config.userdata);
                else
                        process_end(process);
                return 0;
        }
        process_kill_all(process);
        process->config.sweep(process->config.sweep_userdata);
        process->n_looks++;
        if (process->config.freed && !process->stuck_pid && process_is_stuck(process, now_ns))
                return process_become_stuck(process);
        return process_wait_for_end(process);
}

static int process_on_end(sd_event_source *source, uint64_t usec, void *userdata) {
        return process_try_end(userdata);
}

/* It is dead or about to be killed: its patience starts now. */
static void process_begin_end(Process *process) {
        process->end_delay_us = PROCESS_END_DELAY_US;
        process->ending_ns = time_monotonic_ns();
        process->timeout_source = sd_event_source_disable_unref(process->timeout_source);
}

static int process_on_exit(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;

        process->dead = true;
        process->exit_source = sd_event_source_disable_unref(process->exit_source);
        if (!process->ending_ns)
                process_begin_end(process);
        if (process->cell.pid <= 0)
                return process_try_end(process);
        process_kill_other(process);
        (void)process_reap(process);
        cell_kill(&process->cell); /* its end is watched */
        return process_wait_for_end(process);
}

/* The leader waits for the other side, and would do so for ever. */
static int process_on_other_exit(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;

        process->other.exit_source = sd_event_source_disable_unref(process->other.exit_source);
        if (process->ending_ns) {
                (void)process_reap_other(process); /* the cell's first process cannot end while this is a zombie */
                return 0;
        }
        process->other.failed = true;
        process_begin_end(process);
        process_kill_all(process);
        return process_wait_for_end(process);
}

/* The first reason is the one that counts. */
static void process_end_by(Process *process, OpsKilled killed) {
        if (process->ending_ns)
                return;
        process->killed = killed;
        process_begin_end(process);
        process_kill_all(process);
        if (process_wait_for_end(process) < 0)
                (void)sd_event_exit(process->config.event, 1);
}

static int process_on_cell_exit(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        Process *process = userdata;

        process->cell_source = sd_event_source_disable_unref(process->cell_source);
        if (!process->ending_ns)
                process_begin_end(process);
        return process_try_end(process);
}

/* The CPU time of all its threads so far. */
static uint64_t process_cpu_ns(const Process *process) {
        struct timespec time;
        clockid_t clock;

        if (clock_getcpuclockid(process->pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
                return UINT64_MAX;
        return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

bool process_time_is_over(uint64_t timeout_ns, unsigned n_timeouts, uint64_t cpu_ns) {
        return cpu_ns >= timeout_ns / 2 || n_timeouts >= PROCESS_TIMEOUTS_MAX;
}

/*
 * True if it waits for a CPU that it shares, or the machine stood still, so that the timeout due at @due_us comes late.
 */
static bool process_is_starved(const Process *process, uint64_t due_us) {
        const uint64_t timeout_ns = process->config.timeout_ns;
        const bool waits = process->config.leases.n == 0 && thread_wants_cpu(process->config.root, process->pid);

        return (waits || time_monotonic_ns() > due_us * 1000 + timeout_ns / 2) &&
               !process_time_is_over(timeout_ns, process->n_timeouts, process_cpu_ns(process));
}

static int process_on_timeout(sd_event_source *source, uint64_t usec, void *userdata) {
        Process *process = userdata;
        int r;

        process->n_timeouts++;
        if (!process_is_starved(process, usec)) {
                process_end_by(process, OPS_KILLED_TIMEOUT);
                return 0;
        }
        r = sd_event_source_set_time_relative(source, process->config.timeout_ns / 1000);
        return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

void process_kill(Process *process) {
        process->unwanted = true;
        process_end_by(process, OPS_KILLED_REQUEST);
}

/* A process that is alive afterwards is the one that was moved: its pid was its own all the time. */
static int process_move(Process *process, const AdoptedOne *one, OpsAdopted *ret_adopted) {
        const RunGroups *groups = process->config.groups;
        const RunGroup *group = &process->config.group;

        ret_adopted->group = run_groups_adopt(groups, group, one->pid);
        if (adopted_is_gone(one)) {
                run_groups_evict(groups, group, one->pid);
                return ADOPTED_E_GONE;
        }
        ret_adopted->affinity = adopted_pin(one, &ret_adopted->cpus); /* a group without these CPUs would refuse them */
        return 0;
}

/* One that lacks something is told rather than those that lack nothing. */
static void process_note_adopted(Process *process, const OpsAdopted *taken) {
        OpsAdopted *worst = &process->worst;

        if (worst->affinity == OPS_OUTCOME_PENDING || worst->affinity == OPS_OUTCOME_APPLIED)
                worst->affinity = taken->affinity;
        if (worst->group == OPS_OUTCOME_PENDING || worst->group == OPS_OUTCOME_APPLIED)
                worst->group = taken->group ? taken->group : OPS_OUTCOME_UNSUPPORTED;
}

int process_adopt(Process *process, pid_t pid, uid_t uid, OpsAdopted *ret_adopted) {
        _cleanup_(adopted_let_go) AdoptedOne one = ADOPTED_ONE_NULL;
        OpsAdopted taken = { .cpus = process->config.birth.cpus };
        int r;

        if (process->ending_ns)
                return ADOPTED_E_OVER;
        if (!adopted_has_room(&process->adopted))
                return ADOPTED_E_FULL;
        r = adopted_hold(process->config.root, pid, uid, &one);
        if (r)
                return error_trace(r);
        if (run_groups_have(process->config.groups, pid))
                return ADOPTED_E_STRANGER;
        if (!adopted_obeys(&one) && !run_group_kills_by_kernel(&process->config.group))
                return ADOPTED_E_ENDLESS;
        r = process_move(process, &one, &taken);
        if (r)
                return error_trace(r);
        if (!adopted_obeys(&one) && taken.group != OPS_OUTCOME_APPLIED)
                return ADOPTED_E_ENDLESS;
        adopted_take(&process->adopted, &one);
        one.pidfd = -1;
        process_note_adopted(process, &taken);
        *ret_adopted = taken;
        return 0;
}

bool process_has_adopted(const Process *process, pid_t pid) {
        return !process->ending_ns && adopted_has(&process->adopted, pid);
}

/* Checks now and then what grows: its output and its memory. */
static int process_on_trim(sd_event_source *source, uint64_t usec, void *userdata) {
        Process *process = userdata;
        int r;

        if (run_groups_lost_one(process->config.groups, &process->config.group))
                process_end_by(process, OPS_KILLED_MEMORY);
        if (process_output_is_long(process->fds.output))
                (void)zygote_trim(process->config.zygote, process->config.birth.place, process->fds.output);
        r = sd_event_source_set_time_relative(source, PROCESS_OUTPUT_TRIM_MS * 1000);
        return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* ---- birth */

static void process_open_windows(Process *process) {
        const ProcessConfig *config = &process->config;
        const bool ordinary = config->plan->options & RUNNER_OPTION_UNPREPARED || config->plan->own_cpus > 0;

        process->windows = (Windows){
                .event = config->event,
                .root = config->root,
                .leases = config->leases,
                .ordinary = ordinary,
                .caged = config->caged,
                .pid = process->pid,
                .other_pid = process->other.pid,
                .answer_fd = process->fds.answer,
                .scheduler = ordinary ? OPS_OUTCOME_OMITTED : OPS_OUTCOME_UNSUPPORTED,
        };
}

static int process_bear(Process *process) {
        _cleanup_(process_fds_close_newborn) ProcessNewbornFds theirs = PROCESS_NEWBORN_FDS_NULL;
        const ProcessConfig *config = &process->config;
        const Ticket *tickets[RUNNER_SIDES_MAX] = { config->ticket, config->other_ticket };
        ZygoteNewborn newborn;
        int fds[ZYGOTE_FDS_MAX];
        size_t n_fds;
        int r;

        r = process_fds_make(config->plan, &process->fds, &theirs);
        if (r)
                return error_trace(r);
        n_fds = process_fds_gather(&process->fds, &theirs, tickets, fds);
        r = zygote_spawn(config->zygote, &config->birth, fds, n_fds, &newborn);
        if (r) {
                process_look_at_birth(process);
                return error_trace(r);
        }
        process->leader = config->plan->first_side;
        process->pid = newborn.runners[process->leader];
        process->other.pid = config->plan->n_sides > 1 ? newborn.runners[1 - process->leader] : 0;
        r = cell_hold(newborn.first, &process->cell);
        if (r)
                return error_trace(r);
        process_open_windows(process);
        process->pidfd = pidfd_open(process->pid, 0);
        if (process->pidfd < 0)
                return error_origin(-errno);
        if (process->other.pid > 0)
                process->other.pidfd = pidfd_open(process->other.pid, 0);
        return process->other.pid > 0 && process->other.pidfd < 0 ? error_origin(-errno) : 0;
}

static int process_watch(Process *process) {
        sd_event *event = process->config.event;
        int r;

        r = sd_event_add_io(event, &process->exit_source, process->pidfd, EPOLLIN, process_on_exit, process);
        if (r < 0)
                return error_origin(r);
        if (process->other.pid > 0)
                r = sd_event_add_io(event, &process->other.exit_source, process->other.pidfd, EPOLLIN,
                                process_on_other_exit, process);
        if (r < 0)
                return error_origin(r);
        if (process->cell.pid > 0)
                r = sd_event_add_io(event, &process->cell_source, process->cell.pidfd, EPOLLIN, process_on_cell_exit,
                                process);
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
        r = sd_event_add_time_relative(event, &process->trim_source, CLOCK_MONOTONIC, PROCESS_OUTPUT_TRIM_MS * 1000,
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
        process->uid = config->ticket ? config->ticket->identity.uid : (uid_t)-1;
        process->cpu = config->plan->cpus[0];
        for (uint32_t i = 0; i < runner_plan_n_cpus(config->plan); i++)
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
                kill(process->pid, SIGKILL); /* the sweep reaps it */
        if (process->other.pid > 0 && !process->other.reaped)
                kill(process->other.pid, SIGKILL);
        adopted_kill(&process->adopted);
        if (process->pid > 0)
                (void)run_groups_kill(process->config.groups, &process->config.group);
        adopted_clear(&process->adopted);
        windows_end(&process->windows);
        sd_event_source_disable_unref(process->exit_source);
        sd_event_source_disable_unref(process->other.exit_source);
        sd_event_source_disable_unref(process->cell_source);
        sd_event_source_disable_unref(process->ask_source);
        sd_event_source_disable_unref(process->timeout_source);
        sd_event_source_disable_unref(process->trim_source);
        sd_event_source_disable_unref(process->end_source);
        fd_close(process->other.pidfd);
        cell_let_go(&process->cell);
        fd_close(process->pidfd);
        process_fds_close(&process->fds);
        free(process);
        return NULL;
}

/* ---- reading it */

pid_t process_pid(const Process *process) {
        return process->pid;
}

pid_t process_other_pid(const Process *process) {
        return process->other.pid;
}

pid_t process_first_pid(const Process *process) {
        return process->cell.pid;
}

uint64_t process_id(const Process *process) {
        return process->config.id;
}

uint64_t process_serial(const Process *process) {
        return process->config.serial;
}

uid_t process_uid(const Process *process) {
        return process->uid;
}

RunnerMode process_mode(const Process *process) {
        return process->mode;
}

LeaseSet *process_leases(Process *process) {
        return &process->config.leases;
}

RunGroup *process_group(Process *process) {
        return &process->config.group;
}

pid_t process_stuck_pid(const Process *process) {
        return process->stuck_pid;
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

static uint64_t process_address_space_max(const Process *process) {
        const uint64_t bytes = process->config.birth.address_space_bytes;
        const bool bounded = process->config.group.outcomes[RUN_GROUP_MEMORY] == OPS_OUTCOME_APPLIED;

        return bounded || bytes >= RUNNER_ADDRESS_SPACE_MAX ? 0 : bytes;
}

void process_describe_end(const Process *process, OpsEnded *ret_ended) {
        const siginfo_t *status = process_status(process);
        const bool reaped = process->other.failed ? process->other.reaped : process->reaped;
        const bool exited = reaped && status->si_code == CLD_EXITED;

        *ret_ended = (OpsEnded){
                .process = process->config.id,
                .elapsed_ns = process->ended_ns - process->started_ns,
                .cpu = process->cpu,
                .cpus = process->cpus,
                .lost = process->lost,
                .side = process->other.failed ? 1 - process->leader : process->leader,
                .exit_code = exited ? status->si_status : -1,
                .exit_signal = exited   ? 0
                               : reaped ? status->si_status
                                        : SIGKILL,
                .killed = process->killed,
                .scheduler = process->windows.scheduler,
                .affinity = process_affinity(process),
                .memory = process->report.memory,
                .random_layout = process->report.random_layout,
                .stack = process->report.stack,
                .stack_bytes = process->report.stack_bytes,
                .fixed_layout = process->report.fixed_layout,
                .common_layout = process->report.common_layout,
                .namespaces = process->report.namespaces,
                .cpuset = process->config.group.outcomes[RUN_GROUP_CPUSET],
                .run_group = process->config.group.outcomes[RUN_GROUP_KILL],
                .memory_bound = process->config.group.outcomes[RUN_GROUP_MEMORY],
                .tasks_bound = process->config.group.outcomes[RUN_GROUP_TASKS],
                .bounds_met = process->bounds_met,
                .memory_peak_bytes = process->memory_peak_bytes,
                .adopted_affinity = process->worst.affinity,
                .adopted_group = process->worst.group,
                .memory_max_bytes = process->config.bounds.memory_bytes,
                .address_space_max_bytes = process_address_space_max(process),
                .tasks_max = process->config.bounds.tasks,
                .stuck_pid = process->stuck_pid,
        };
        strcpy(ret_ended->unborn, process->unborn);
}
