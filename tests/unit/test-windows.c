/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Windows of a runner with two threads: both have SCHED_FIFO in one and neither outside of it, and nobody else ever has.
 * The runner is a child whose threads sleep, each on a CPU of its own. Needs the right to grant.
 */

#include "launch/run/windows.h"

#include <pthread.h>
#include <sched.h>

#include "mortal.h"
#include "ops/window.h"
#include "util/root-dir.h"

typedef struct Runner {
        Leases leases;
        Windows windows;
        pid_t pid;
        pid_t tid; /* of its second thread */
        int answers;
} Runner;

static Runner runner;

static void pin(pid_t id, int cpu) {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        if (sched_setaffinity(id, sizeof set, &set) < 0)
                _exit(1);
}

typedef struct Child {
        int cpu;
        int tell_fd;
} Child;

static void *tell_and_sleep(void *userdata) {
        const Child *child = userdata;
        pid_t tid = gettid();

        pin(0, child->cpu);
        if (write(child->tell_fd, &tid, sizeof tid) != sizeof tid)
                _exit(1);
        for (;;)
                pause();
}

static void __attribute__((noreturn)) be_runner(int tell_fd) {
        Child child = { .cpu = runner.leases.leases[1].cpu, .tell_fd = tell_fd };
        pthread_t thread;

        pin(0, runner.leases.leases[0].cpu);
        if (pthread_create(&thread, NULL, tell_and_sleep, &child))
                _exit(1);
        for (;;)
                pause();
}

static bool may_grant(void) {
        const struct sched_param fifo = { .sched_priority = 1 }, other = {};

        if (sched_setscheduler(0, SCHED_FIFO, &fifo) < 0)
                return false;
        sched_setscheduler(0, SCHED_OTHER, &other);
        return true;
}

static void lease_two(const cpu_set_t *allowed) {
        runner.leases = (Leases){};
        for (int cpu = 0; cpu < CPU_SETSIZE && runner.leases.n_leases < 2; cpu++)
                if (CPU_ISSET(cpu, allowed))
                        runner.leases.leases[runner.leases.n_leases++] =
                                        (Lease){ .cpu = cpu, .calibrated = true, .fifo = true };
}

static int set_up(void **state) {
        int tell[2], answer[2];
        cpu_set_t allowed;

        runner = (Runner){};
        assert_int_equal(leases_read_allowed(&allowed), 0);
        lease_two(&allowed);
        if (runner.leases.n_leases < 2 || !may_grant())
                return 0;
        assert_int_equal(pipe(tell), 0);
        assert_int_equal(pipe(answer), 0);
        runner.pid = fork_mortal();
        if (runner.pid == 0)
                be_runner(tell[1]);
        assert_int_equal(read(tell[0], &runner.tid, sizeof runner.tid), sizeof runner.tid);
        fd_close(tell[0]);
        fd_close(tell[1]);

        runner.answers = answer[0];
        assert_int_equal(fd_set_nonblock(runner.answers, true), 0);
        runner.windows = (Windows){ .pid = runner.pid, .answer_fd = answer[1], .scheduler = OPS_OUTCOME_UNSUPPORTED };
        runner.windows.leases.n = 2;
        runner.windows.leases.leases[0] = &runner.leases.leases[0];
        runner.windows.leases.leases[1] = &runner.leases.leases[1];
        assert_int_equal(sd_event_new(&runner.windows.event), 0);
        assert_int_equal(root_dir_new("/", &runner.windows.root), 0);
        return 0;
}

static int tear_down(void **state) {
        if (runner.pid <= 0)
                return 0;
        windows_end(&runner.windows);
        kill(runner.pid, SIGKILL);
        waitpid(runner.pid, NULL, 0);
        fd_close(runner.answers);
        fd_close(runner.windows.answer_fd);
        sd_event_unref(runner.windows.event);
        root_dir_free(runner.windows.root);
        return 0;
}

/* Ends the test where there is no runner. */
static void say(uint32_t kind, pid_t thread) {
        if (runner.pid <= 0)
                skip();
        windows_take_word(&runner.windows, &(WindowWord){ .kind = kind, .thread = thread });
}

/* What it was answered; 0: nothing yet. */
static char hear(void) {
        char word = 0;

        return read(runner.answers, &word, 1) == 1 ? word : 0;
}

static int policy_of(pid_t id) {
        return sched_getscheduler(id) & ~SCHED_RESET_ON_FORK;
}

static void assert_policies(int of_first, int of_second) {
        assert_int_equal(policy_of(runner.pid), of_first);
        assert_int_equal(policy_of(runner.tid), of_second);
}

static void assert_none_promoted(void) {
        say(WINDOW_ASK, 0);
        assert_int_equal(hear(), WINDOW_OTHER);
        assert_policies(SCHED_OTHER, SCHED_OTHER);
}

TEST(all_threads_have_fifo_within_a_window_and_none_outside, set_up, tear_down) {
        say(WINDOW_THREAD, runner.tid);
        assert_policies(SCHED_OTHER, SCHED_OTHER);
        say(WINDOW_ASK, 0);
        assert_int_equal(hear(), WINDOW_FIFO);
        assert_int_equal(runner.windows.scheduler, OPS_OUTCOME_APPLIED);
        assert_policies(SCHED_FIFO, SCHED_FIFO);
        say(WINDOW_DONE, 0);
        assert_policies(SCHED_OTHER, SCHED_OTHER);
        assert_int_equal(runner.windows.affinity, 0);
}

/* The loop that ends it is the launcher's own. */
TEST(a_window_that_is_not_given_back_is_taken_from_all, set_up, tear_down) {
        say(WINDOW_THREAD, runner.tid);
        say(WINDOW_ASK, 0);
        assert_int_equal(hear(), WINDOW_FIFO);
        while (runner.windows.open)
                assert_true(sd_event_run(runner.windows.event, UINT64_MAX) >= 0);
        assert_policies(SCHED_OTHER, SCHED_OTHER);
        say(WINDOW_ASK, 0);
        if (!runner.windows.open)
                assert_int_equal(hear(),
                                0); /* each of its CPUs has to rest, unless it did while this test was held up */
        while (!runner.windows.open)
                assert_true(sd_event_run(runner.windows.event, UINT64_MAX) >= 0);
        assert_int_equal(hear(), WINDOW_FIFO);
        assert_policies(SCHED_FIFO, SCHED_FIFO);
}

TEST(one_that_was_not_named_leaves_all_without, set_up, tear_down) {
        say(WINDOW_ASK, 0);
        assert_int_equal(hear(), WINDOW_OTHER);
        assert_int_equal(runner.windows.scheduler, OPS_OUTCOME_OVERRIDDEN);
        assert_policies(SCHED_OTHER, SCHED_OTHER);
}

TEST(a_thread_of_another_process_is_never_promoted, set_up, tear_down) {
        say(WINDOW_THREAD, getpid());
        say(WINDOW_THREAD, 1);
        say(WINDOW_THREAD, -1);
        say(WINDOW_THREAD, 0);
        assert_int_equal(runner.windows.n_threads, 0);
        say(WINDOW_ASK, 0);
        assert_int_equal(hear(), WINDOW_OTHER);
        assert_int_equal(policy_of(0), SCHED_OTHER);
}

/* As if its id were another process's by now. */
TEST(one_that_is_no_longer_the_runners_leaves_all_without, set_up, tear_down) {
        say(WINDOW_THREAD, runner.tid);
        runner.windows.threads[0].id = getpid();
        assert_none_promoted();
}

TEST(one_that_left_its_cpu_leaves_all_without_and_is_told, set_up, tear_down) {
        if (runner.pid <= 0)
                skip();
        pin(runner.tid, runner.leases.leases[0].cpu);
        say(WINDOW_THREAD, runner.tid);
        assert_int_equal(runner.windows.affinity, OPS_OUTCOME_OVERRIDDEN);
        assert_none_promoted();
}

TEST(more_names_than_cpus_are_nothing, set_up, tear_down) {
        for (size_t i = 0; i < 2 * RUNNER_THREADS_MAX; i++)
                say(WINDOW_THREAD, runner.tid);
        assert_int_equal(runner.windows.n_threads, 1);
}

/* Each is looked for among all threads of the process, so there are no more tries than there are names. */
TEST(a_wrong_name_is_not_followed_by_a_right_one, set_up, tear_down) {
        say(WINDOW_THREAD, -1);
        say(WINDOW_THREAD, runner.tid);
        assert_int_equal(runner.windows.n_threads, 0);
        assert_none_promoted();
}

TEST(what_shall_not_be_prepared_has_no_fifo, set_up, tear_down) {
        runner.windows.ordinary = true;
        say(WINDOW_THREAD, runner.tid);
        assert_none_promoted();
}

TEST(one_cpu_without_fifo_leaves_all_without, set_up, tear_down) {
        runner.leases.leases[1].fifo = false;
        say(WINDOW_THREAD, runner.tid);
        assert_none_promoted();
        assert_int_equal(runner.windows.scheduler, OPS_OUTCOME_UNSUPPORTED);
}

TEST(what_is_no_word_is_nothing, set_up, tear_down) {
        for (uint32_t kind = 0; kind < 1000; kind++)
                if (kind != WINDOW_ASK && kind != WINDOW_DONE && kind != WINDOW_THREAD)
                        say(kind, runner.tid);
        assert_int_equal(hear(), 0);
        assert_int_equal(runner.windows.n_threads, 0);
        assert_policies(SCHED_OTHER, SCHED_OTHER);
}

#define MS      1000000ull
#define N_SPANS 4096

typedef struct Span {
        uint64_t begin_ns, end_ns;
} Span;

TEST(the_first_window_is_granted_at_once) {
        LeaseGrant grant = {};

        assert_int_equal(windows_grant_wait_ns(&grant, 5), 0);
        assert_int_equal(windows_grant_begin(&grant, 5), 5 + WINDOW_LENGTH_NS);
}

TEST(a_rest_follows_in_proportion) {
        LeaseGrant grant = {};

        windows_grant_begin(&grant, 0);
        windows_grant_end(&grant, 90 * MS);
        assert_int_equal(windows_grant_wait_ns(&grant, 90 * MS), 10 * MS);
        assert_int_equal(windows_grant_wait_ns(&grant, 95 * MS), 5 * MS);
        assert_int_equal(windows_grant_wait_ns(&grant, 200 * MS), 0);
}

TEST(an_end_without_a_beginning_is_nothing) {
        LeaseGrant grant = {};

        windows_grant_end(&grant, 100);
        assert_int_equal(windows_grant_wait_ns(&grant, 0), 0);
}

static uint64_t realtime_within(const Span *spans, size_t n, uint64_t from_ns, uint64_t to_ns) {
        uint64_t sum = 0;

        for (size_t i = 0; i < n; i++) {
                uint64_t begin = spans[i].begin_ns > from_ns ? spans[i].begin_ns : from_ns;
                uint64_t end = spans[i].end_ns < to_ns ? spans[i].end_ns : to_ns;

                sum += end > begin ? end - begin : 0;
        }
        return sum;
}

/* The kernel's limit is 950 ms of real time in a second. */
TEST(a_greedy_runner_stays_under_the_kernels_limit_in_every_second) {
        static Span spans[N_SPANS];
        uint64_t now_ns = 0;
        LeaseGrant grant = {};

        seed_random();
        for (size_t i = 0; i < N_SPANS; i++) {
                now_ns += windows_grant_wait_ns(&grant, now_ns);
                spans[i].begin_ns = now_ns;
                windows_grant_begin(&grant, now_ns);
                now_ns += drand48() < 0.5 ? WINDOW_LENGTH_NS : 1 + drand48() * WINDOW_LENGTH_NS;
                spans[i].end_ns = now_ns;
                windows_grant_end(&grant, now_ns);
        }
        for (size_t i = 0; i < N_SPANS; i++)
                assert_true(realtime_within(spans, N_SPANS, spans[i].begin_ns, spans[i].begin_ns + 1000 * MS) <
                                940 * MS);
}
