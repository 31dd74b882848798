/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/run/windows.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "util/time.h"

#define REALTIME_PRIORITY 5 /* above everything ordinary, below the kernel's own real-time threads */

/* True if the thread @id may run on @cpu and nowhere else. */
static bool realtime_stays_on(pid_t id, int cpu) {
        cpu_set_t set;

        return sched_getaffinity(id, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
}

/* True if @pid still has SCHED_FIFO: a process may give it up. */
static bool realtime_holds(pid_t pid) {
        return (sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
}

/*
 * Gives SCHED_FIFO to @pid, an unreaped child, and reads it back. Its children are ordinary. OVERRIDDEN if @pid has left @cpu:
 * it would take another runner's CPU.
 */
static OpsOutcome realtime_grant(pid_t pid, int cpu) {
        const struct sched_param parameter = { .sched_priority = REALTIME_PRIORITY };

        if (!realtime_stays_on(pid, cpu))
                return OPS_OUTCOME_OVERRIDDEN;

        if (sched_setscheduler(pid, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) < 0)
                return errno == EPERM ? OPS_OUTCOME_DENIED : OPS_OUTCOME_UNSUPPORTED;
        if (!realtime_holds(pid))
                return OPS_OUTCOME_OVERRIDDEN;
        return OPS_OUTCOME_APPLIED;
}

/* Takes SCHED_FIFO back; does nothing if @pid is dead. */
static void realtime_revoke(pid_t pid) {
        const struct sched_param parameter = {};

        (void)sched_setscheduler(pid, SCHED_OTHER | SCHED_RESET_ON_FORK, &parameter);
}

OpsOutcome windows_grant_thread(const Thread *thread, int cpu) {
        OpsOutcome outcome;

        if (!thread_is_there(thread))
                return OPS_OUTCOME_OVERRIDDEN;
        outcome = realtime_grant(thread->id, cpu);
        if (outcome != OPS_OUTCOME_APPLIED || thread_is_there(thread))
                return outcome;
        realtime_revoke(thread->id);
        return OPS_OUTCOME_OVERRIDDEN;
}

_Static_assert(LEASES_MAX <= RUNNER_THREADS_MAX, "a plan has a CPU for each thread");

#define WINDOWS_TIMER_ACCURACY_US 1000u

/* ---- all threads */

static void windows_revoke(Windows *windows) {
        if (windows->pid <= 0)
                return;
        realtime_revoke(windows->pid);
        if (windows->other_pid > 0)
                realtime_revoke(windows->other_pid);
        for (size_t i = 0; i < windows->n_threads; i++)
                if (thread_is_there(&windows->threads[i]))
                        realtime_revoke(windows->threads[i].id);
}

static OpsOutcome windows_grant(Windows *windows) {
        Lease *const *leases = windows->leases.leases;
        OpsOutcome outcome;

        if (windows->n_threads + 1 != windows->leases.n)
                return OPS_OUTCOME_OVERRIDDEN;
        outcome = realtime_grant(windows->pid, leases[0]->cpu);
        if (windows->other_pid > 0 && outcome == OPS_OUTCOME_APPLIED)
                outcome = realtime_grant(windows->other_pid, leases[0]->cpu);
        for (size_t i = 0; i < windows->n_threads && outcome == OPS_OUTCOME_APPLIED; i++)
                outcome = windows_grant_thread(&windows->threads[i], leases[i + 1]->cpu);
        if (outcome != OPS_OUTCOME_APPLIED)
                windows_revoke(windows);
        return outcome;
}

/* Looking for a thread costs more than writing a word, so a wrong id counts as named: such a runner gets no FIFO. */
static void windows_name_thread(Windows *windows, pid_t id) {
        const LeaseSet *leases = &windows->leases;
        Thread thread;

        if (windows->n_named + 1 >= leases->n)
                return;
        windows->n_named++;
        if (thread_find_own(windows->root, windows->pid, id, &thread))
                return;
        windows->threads[windows->n_threads++] = thread;
        if (!windows->ordinary && !realtime_stays_on(thread.id, leases->leases[windows->n_threads]->cpu))
                windows->affinity = OPS_OUTCOME_OVERRIDDEN;
}

/* ---- all CPUs */

static uint64_t windows_wait_ns(const Windows *windows, uint64_t now_ns) {
        uint64_t longest_ns = 0;

        for (size_t i = 0; i < windows->leases.n; i++) {
                uint64_t ns = windows_grant_wait_ns(&windows->leases.leases[i]->grant, now_ns);

                longest_ns = ns > longest_ns ? ns : longest_ns;
        }
        return longest_ns;
}

/* Begins the grants of all CPUs. Returns when the window must end. */
static uint64_t windows_begin_grants(Windows *windows, uint64_t now_ns) {
        uint64_t end_ns = now_ns;

        for (size_t i = 0; i < windows->leases.n; i++)
                end_ns = windows_grant_begin(&windows->leases.leases[i]->grant, now_ns);
        windows->open = true;
        return end_ns;
}

/* ---- one window */

void windows_end(Windows *windows) {
        windows->source = sd_event_source_disable_unref(windows->source);
        if (!windows->open)
                return;
        windows->open = false;
        windows_revoke(windows);
        for (size_t i = 0; i < windows->leases.n; i++)
                windows_grant_end(&windows->leases.leases[i]->grant, time_monotonic_ns());
}

static int windows_on_over(sd_event_source *source, uint64_t usec, void *userdata) {
        windows_end(userdata);
        return 0;
}

static int windows_arm(Windows *windows, uint64_t delay_ns, sd_event_time_handler_t handler) {
        windows->source = sd_event_source_disable_unref(windows->source);
        return sd_event_add_time_relative(windows->event, &windows->source, CLOCK_MONOTONIC, delay_ns / 1000 + 1,
                        WINDOWS_TIMER_ACCURACY_US, handler, windows);
}

static void windows_answer(Windows *windows, char word) {
        (void)!write(windows->answer_fd, &word, 1);
}

static void windows_begin(Windows *windows) {
        uint64_t now_ns = time_monotonic_ns(), end_ns;
        OpsOutcome outcome = windows_grant(windows);

        if (windows->scheduler != OPS_OUTCOME_OVERRIDDEN)
                windows->scheduler = outcome;
        if (outcome != OPS_OUTCOME_APPLIED) {
                windows_answer(windows, WINDOW_OTHER);
                return;
        }
        end_ns = windows_begin_grants(windows, now_ns);
        if (windows_arm(windows, end_ns - now_ns, windows_on_over) < 0)
                windows_end(windows);
        windows_answer(windows, WINDOW_FIFO);
}

static int windows_on_due(sd_event_source *source, uint64_t usec, void *userdata) {
        Windows *windows = userdata;

        windows->source = sd_event_source_disable_unref(windows->source);
        windows_begin(windows);
        return 0;
}

/* Only a cpuset keeps a thread at SCHED_FIFO off the launcher's CPU, and the launcher has to take it back. */
static bool windows_may_be(const Windows *windows) {
        return lease_set_fifo(&windows->leases) && (!windows->caged || windows->cage == OPS_OUTCOME_APPLIED);
}

static void windows_ask(Windows *windows) {
        uint64_t wait_ns;

        if (windows->ordinary || !windows_may_be(windows)) {
                windows_answer(windows, WINDOW_OTHER);
                return;
        }
        if (windows->open || windows->source)
                return;
        wait_ns = windows_wait_ns(windows, time_monotonic_ns());
        if (wait_ns == 0 || windows_arm(windows, wait_ns, windows_on_due) < 0)
                windows_begin(windows);
}

/* If a grant is gone that was not revoked, the module gave it up. */
static void windows_done(Windows *windows) {
        if (windows->open && (!realtime_holds(windows->pid) ||
                                             (windows->other_pid > 0 && !realtime_holds(windows->other_pid))))
                windows->scheduler = OPS_OUTCOME_OVERRIDDEN;
        windows_end(windows);
}

void windows_take_word(Windows *windows, const WindowWord *word) {
        if (windows->pid <= 0)
                return;
        if (word->kind == WINDOW_ASK)
                windows_ask(windows);
        else if (word->kind == WINDOW_DONE)
                windows_done(windows);
        else if (word->kind == WINDOW_THREAD)
                windows_name_thread(windows, (pid_t)word->thread);
}

#define GRANT_REST_SHARE 9u

uint64_t windows_grant_wait_ns(const LeaseGrant *grant, uint64_t now_ns) {
        return grant->next_ns > now_ns ? grant->next_ns - now_ns : 0;
}

uint64_t windows_grant_begin(LeaseGrant *grant, uint64_t now_ns) {
        grant->open = true;
        grant->begun_ns = now_ns;
        return now_ns + WINDOW_LENGTH_NS;
}

void windows_grant_end(LeaseGrant *grant, uint64_t now_ns) {
        if (!grant->open)
                return;
        grant->open = false;
        grant->next_ns = now_ns + (now_ns - grant->begun_ns) / GRANT_REST_SHARE;
}
