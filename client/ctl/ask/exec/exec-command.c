/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-command.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl/ask/exec/exec-plan.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

#define CHILD_STACK_BYTES 65536u

/* ---- signals to the caller */

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t ending;
static volatile pid_t running; /* 0: none */

static void on_interrupt(int number) {
        (void)number;
        interrupted = 1;
}

/* The caller's parent is dead. */
static void on_end(int number) {
        (void)number;
        if (running > 0)
                (void)kill(running, SIGKILL);
        ending = 1;
}

static void handle(int number, void (*handler)(int)) {
        const struct sigaction action = { .sa_handler = handler };

        (void)sigaction(number, &action, NULL);
}

void exec_command_live_with(pid_t parent) {
        handle(SIGINT, on_interrupt);
        handle(SIGQUIT, on_interrupt);
        handle(SIGTERM, on_end);
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent)
                _exit(1);
}

bool exec_command_interrupted(void) {
        return interrupted;
}

static double now_ns(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        return (double)now.tv_sec * NS_PER_S + (double)now.tv_nsec;
}

/* ---- the child: it shares the caller's memory until its exec, so that nothing of it has to be taken apart within the time */

typedef struct Child {
        const ExecCommand *command;
        const ExecFiles *files;
        char *const *environment;
        pid_t parent;
        double begun_ns;
        int error; /* of the exec */
} Child;

void exec_reset_signals(void) {
        const struct sigaction normal = { .sa_handler = SIG_DFL };
        sigset_t none;

        for (int number = 1; number < NSIG; number++)
                (void)sigaction(number, &normal, NULL);
        sigemptyset(&none);
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static int child_main(void *argument) {
        Child *child = argument;

        exec_reset_signals();
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != child->parent ||
                        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || dup2(child->files->in, STDIN_FILENO) < 0 ||
                        dup2(child->files->out, STDOUT_FILENO) < 0 || dup2(child->files->err, STDERR_FILENO) < 0) {
                child->error = errno;
                _exit(127);
        }
        child->begun_ns = now_ns();
        execve(child->command->program, (char *const *)child->command->words, child->environment);
        child->error = errno;
        _exit(127);
}

/* ---- its end */

/* Counts of this process with the children that it waited for: proc_pid_io(5). */
typedef struct Bytes {
        unsigned long long read, written, storage;
        ssize_t n; /* that reading them took, and which are among those of a later reading; negative: not known */
} Bytes;

static Bytes read_bytes(void) {
        const int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
        Bytes bytes = { .n = -1 };
        unsigned long long calls;
        char text[256];

        if (fd < 0)
                return bytes;
        bytes.n = read(fd, text, sizeof text - 1);
        fd_close(fd);
        text[bytes.n > 0 ? bytes.n : 0] = '\0';
        if (sscanf(text, "rchar: %llu wchar: %llu syscr: %llu syscw: %llu read_bytes: %llu", &bytes.read,
                            &bytes.written, &calls, &calls, &bytes.storage) != 5)
                bytes.n = -1;
        return bytes;
}

/*
 * Counts what went through reads and writes of the command, and of those of its processes that were waited for, as the caller's own grew:
 * some kernels show the counts of a dead process to root alone.
 */
static void count_bytes(const Bytes *before, double counts[static _EXEC_COUNTS_N]) {
        const Bytes after = read_bytes();
        const bool known = before->n >= 0 && after.n >= 0;

        counts[EXEC_READ_BYTES] = known ? (double)(after.read - before->read - (size_t)before->n) : NAN;
        counts[EXEC_WRITTEN_BYTES] = known ? (double)(after.written - before->written) : NAN;
        counts[EXEC_STORAGE_BYTES] = known ? (double)(after.storage - before->storage) : NAN;
}

static double time_ns(const struct timeval *time) {
        return ((double)time->tv_sec * 1e6 + (double)time->tv_usec) * 1e3;
}

static void count_usage(const struct rusage *usage, double counts[static _EXEC_COUNTS_N]) {
        counts[EXEC_USER_NS] = time_ns(&usage->ru_utime);
        counts[EXEC_SYSTEM_NS] = time_ns(&usage->ru_stime);
        counts[EXEC_MAX_RSS_BYTES] = (double)usage->ru_maxrss * 1024;
        counts[EXEC_MINOR_FAULTS] = (double)usage->ru_minflt;
        counts[EXEC_MAJOR_FAULTS] = (double)usage->ru_majflt;
        counts[EXEC_VOLUNTARY_SWITCHES] = (double)usage->ru_nvcsw;
        counts[EXEC_INVOLUNTARY_SWITCHES] = (double)usage->ru_nivcsw;
}

/* Waits until it is dead, and leaves it unreaped. One that stops itself would be waited for for ever. */
static int await_end(pid_t pid, ExecOutcome *outcome) {
        siginfo_t info;

        for (;;) {
                if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) < 0) {
                        if (errno == EINTR)
                                continue;
                        return error_origin(-errno);
                }
                if (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED)
                        break;
                outcome->ending = EXEC_STOPPED;
                outcome->code = info.si_status;
                (void)kill(pid, SIGKILL);
        }
        if (outcome->ending == EXEC_STOPPED)
                return 0;
        outcome->code = info.si_status;
        outcome->ending = info.si_code != CLD_EXITED ? EXEC_SIGNALLED : info.si_status ? EXEC_EXITED : EXEC_ENDED;
        return 0;
}

void exec_command_prepare(void) {
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static pid_t start(Child *child, void *stack) {
        sigset_t all, before;
        pid_t pid = -1;

        /* no handler of the caller may run in the child, which has its memory */
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &before);
        errno = ECANCELED;
        if (!ending)
                pid = clone(child_main, (char *)stack + CHILD_STACK_BYTES, CLONE_VM | SIGCHLD, child);
        if (pid < 0)
                pid = -errno;
        running = pid;
        sigprocmask(SIG_SETMASK, &before, NULL);
        return pid;
}

int exec_command_run(const ExecCommand *command, const ExecFiles *files, char *const *environment,
                ExecOutcome *ret_outcome) {
        Child child = { .command = command, .files = files, .environment = environment, .parent = getpid() };
        ExecOutcome outcome = {};
        struct rusage usage;
        double ended_ns;
        Bytes before;
        void *stack;
        pid_t pid;
        int r;

        stack = mmap(NULL, CHILD_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        if (stack == MAP_FAILED)
                return error_origin(-errno);
        before = read_bytes();
        pid = start(&child, stack);
        r = pid < 0 ? error_origin(pid) : await_end(pid, &outcome);
        ended_ns = now_ns();
        running = 0;
        if (pid > 0 && wait4(pid, NULL, 0, &usage) == pid) {
                count_usage(&usage, outcome.counts);
                count_bytes(&before, outcome.counts);
        }
        munmap(stack, CHILD_STACK_BYTES);
        if (r && !ending)
                return r;
        exec_left_end(&outcome.left);
        if (ending)
                _exit(1);
        outcome.wall_ns = ended_ns - child.begun_ns;
        if (child.error) {
                outcome.ending = EXEC_MISSING;
                outcome.code = child.error;
        }
        *ret_outcome = outcome;
        return 0;
}

const char *exec_command_words(const ExecOutcome *outcome, char words[static EXEC_WORDS_BYTES]) {
        switch (outcome->ending) {
        case EXEC_ENDED:
                words[0] = '\0';
                break;
        case EXEC_EXITED:
                snprintf(words, EXEC_WORDS_BYTES, "exit code %d", outcome->code);
                break;
        case EXEC_SIGNALLED:
                snprintf(words, EXEC_WORDS_BYTES, "killed by signal %d (SIG%s)", outcome->code,
                                sigabbrev_np(outcome->code) ? sigabbrev_np(outcome->code) : "?");
                break;
        case EXEC_STOPPED:
                snprintf(words, EXEC_WORDS_BYTES, "stopped itself by signal %d (SIG%s), and was killed", outcome->code,
                                sigabbrev_np(outcome->code) ? sigabbrev_np(outcome->code) : "?");
                break;
        case EXEC_MISSING:
                snprintf(words, EXEC_WORDS_BYTES, "it cannot be executed: %s", strerrordesc_np(outcome->code));
                break;
        }
        return words;
}
