/* SPDX-License-Identifier: MIT */

/*
 * processes: making processes and threads, switching between them, and signals.
 *
 * All run on the one CPU that the benchmark has. What is started in an iteration ends within it. The partner of a
 * switch is a process, pinned to the same CPU by inheritance, which lives until its end of a pipe or a flag in shared
 * memory tells it to go. Waiting is what these rows measure, so benchd's remark that they wait is right.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

BENCH_AREA(processes, .about = "making processes and threads, switching between them, and signals");
BENCH_EMBED_SOURCE;

/* ---- making */

static __attribute__((noinline)) void child_reap(struct bench *b, pid_t child) {
        int status;

        if (child < 0)
                bench_fail(b, "no process could be made: %s", strerror(errno));
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
                bench_fail(b, "a child ended with status %d", status);
}

BENCH(fork_exit_wait, .about = "limited by copying the page tables, and faults on both sides after it") {
        bench_loop(b) {
                pid_t child = fork();

                if (child == 0)
                        _exit(0);
                child_reap(b, child);
        }
}

/* vfork() returns twice into the frame that calls it, so that frame is not the loop's. */
static __attribute__((noinline)) pid_t child_exiting(void) {
        pid_t child = vfork();

        if (child == 0)
                _exit(0);
        return child;
}

static char program_name[] = "true";
static char *const arguments[] = { program_name, NULL };
static char *const no_environment[] = { NULL };

static __attribute__((noinline)) pid_t child_executing(void) {
        pid_t child = vfork();

        if (child == 0) {
                execve("/bin/true", arguments, no_environment);
                _exit(127);
        }
        return child;
}

BENCH(vfork_exit_wait, .about = "limited by making and reaping a task that borrows the parent's memory") {
        bench_loop(b)
                child_reap(b, child_exiting());
}

BENCH(vfork_exec_wait, .hidden = 1, .samples = 20,
                .about = "/bin/true: limited by the new program's mapping, loader and page faults") {
        bench_loop(b)
                child_reap(b, child_executing());
}

BENCH(posix_spawn_wait, .samples = 20,
                .about = "/bin/true: limited by the mapping of the new program, its loader and page faults") {
        bench_loop(b) {
                pid_t child = -1;

                if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, no_environment) != 0)
                        bench_fail(b, "/bin/true could not be started");
                child_reap(b, child);
        }
}

static void *thread_run(void *argument) {
        return argument;
}

BENCH(pthread_create_join,
                .about = "limited by clone, two switches and the wake-up at the end; the stack is kept for the next") {
        bench_loop(b) {
                pthread_t thread;

                if (pthread_create(&thread, NULL, thread_run, NULL) != 0)
                        bench_fail(b, "no thread could be made");
                pthread_join(thread, NULL);
        }
}

/* ---- switching */

/* Answers each byte of @from with one to @to, until the other end is closed. */
static void __attribute__((noreturn)) pipe_answer(int from, int to) {
        char byte;

        while (read(from, &byte, 1) == 1)
                if (write(to, &byte, 1) != 1)
                        break;
        _exit(0);
}

BENCH(switch_by_pipe, .ops = 2,
                .about = "one byte to another process on the same CPU and back: limited by two switches") {
        int there[2], back[2];
        char byte = 0;
        pid_t partner;

        if (pipe2(there, O_CLOEXEC) < 0 || pipe2(back, O_CLOEXEC) < 0)
                bench_fail(b, "no pipe: %s", strerror(errno));
        partner = fork();
        if (partner == 0) {
                close(there[1]);
                pipe_answer(there[0], back[1]);
        }
        bench_loop(b) {
                bench_use(write(there[1], &byte, 1));
                bench_use(read(back[0], &byte, 1));
        }
        close(there[1]);
        child_reap(b, partner);
}

typedef struct Turn {
        uint32_t whose; /* TURN_* */
} Turn;

enum {
        TURN_OURS,
        TURN_PARTNERS,
        TURN_OVER,
};

static void turn_give(Turn *turn, uint32_t to) {
        __atomic_store_n(&turn->whose, to, __ATOMIC_RELEASE);
        syscall(SYS_futex, &turn->whose, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Waits while the turn is @not. Returns whose it is then. */
static uint32_t turn_await(Turn *turn, uint32_t not ) {
        uint32_t whose;

        while ((whose = __atomic_load_n(&turn->whose, __ATOMIC_ACQUIRE)) == not )
                syscall(SYS_futex, &turn->whose, FUTEX_WAIT, not, NULL, NULL, 0);
        return whose;
}

BENCH(switch_by_futex, .ops = 2, .about = "a turn in shared memory, given and taken back: limited by two switches") {
        Turn *turn = mmap(NULL, sizeof *turn, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        pid_t partner;

        if (turn == MAP_FAILED)
                bench_fail(b, "no shared memory: %s", strerror(errno));
        partner = fork();
        if (partner == 0) {
                while (turn_await(turn, TURN_OURS) == TURN_PARTNERS)
                        turn_give(turn, TURN_OURS);
                _exit(0);
        }
        bench_loop(b) {
                turn_give(turn, TURN_PARTNERS);
                turn_await(turn, TURN_PARTNERS);
        }
        turn_give(turn, TURN_OVER);
        child_reap(b, partner);
}

static ucontext_t here, coroutine;

static void coroutine_run(void) {
        for (;;)
                swapcontext(&coroutine, &here);
}

BENCH(switch_by_swapcontext, .ops = 2,
                .about = "to another stack and back within one thread: limited by a system call for the signal mask each way") {
        static char stack[65536];

        getcontext(&coroutine);
        coroutine.uc_stack.ss_sp = stack;
        coroutine.uc_stack.ss_size = sizeof stack;
        coroutine.uc_link = &here;
        makecontext(&coroutine, coroutine_run, 0);
        bench_loop(b)
                swapcontext(&here, &coroutine);
}

/* ---- signals */

static volatile sig_atomic_t n_signals;

static void signal_count(int signal) {
        n_signals = n_signals + 1;
}

static void handler_set(struct bench *b) {
        struct sigaction action = { .sa_handler = signal_count };

        if (sigaction(SIGUSR1, &action, NULL) < 0)
                bench_fail(b, "no handler: %s", strerror(errno));
        raise(SIGUSR1);
        if (n_signals != 1)
                bench_fail(b, "the signal was not delivered");
}

BENCH(signal_to_self,
                .about = "sent and handled: limited by two system calls, and a frame that is written and read back") {
        pid_t self = getpid();

        handler_set(b);
        bench_loop(b)
                kill(self, SIGUSR1);
}

BENCH(signal_ignored, .about = "sent and dropped in the kernel: limited by entry and the checks of permission") {
        pid_t self = getpid();

        signal(SIGUSR1, SIG_IGN);
        bench_loop(b)
                kill(self, SIGUSR1);
}

BENCH(sigaction, .about = "sets a handler that is set already: limited by entry and a lock") {
        struct sigaction action = { .sa_handler = signal_count };

        bench_loop(b)
                bench_use(sigaction(SIGUSR1, &action, NULL));
}

BENCH(sigprocmask, .ops = 2, .about = "blocks a signal and lets it through: limited by entry and a lock") {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        bench_loop(b) {
                sigprocmask(SIG_BLOCK, &set, NULL);
                sigprocmask(SIG_UNBLOCK, &set, NULL);
        }
}
