/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/call-filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"

/* The last call of Linux 6.1, the reference system's. */
#define LAST_KNOWN_CALL 450u
#define X32_CALLS       0x40000000u

/* CLONE_NEW* of sched.h. */
#define CLONE_NAMESPACES 0x7e020000u

/* ---- calls of both daemons, their libc and the event loop among them */

#define ANY(call)                                                                                                      \
 { .number = SYS_##call }

static const CallRule common_rules[] = {
        /* the loop */
        ANY(epoll_create1),
        ANY(epoll_ctl),
        ANY(epoll_wait),
        ANY(epoll_pwait),
        ANY(epoll_pwait2),
        ANY(timerfd_create),
        ANY(timerfd_settime),
        ANY(signalfd4),
        ANY(eventfd2),
        ANY(poll),
        ANY(ppoll),
        ANY(inotify_init1),
        ANY(inotify_add_watch),
        ANY(inotify_rm_watch),

        /* descriptors */
        ANY(read),
        ANY(write),
        ANY(readv),
        ANY(writev),
        ANY(pread64),
        ANY(pwrite64),
        ANY(lseek),
        ANY(close),
        ANY(close_range),
        ANY(dup),
        ANY(dup2),
        ANY(dup3),
        ANY(fcntl),
        ANY(pipe2),
        ANY(memfd_create),
        ANY(ftruncate),
        ANY(fsync),
        ANY(fdatasync),
        { SYS_ioctl, 1, UINT32_MAX, TCGETS }, /* stdio's check for a terminal */

        /* sockets: never of a network */
        { SYS_socket, 0, UINT32_MAX, AF_UNIX },
        { SYS_socketpair, 0, UINT32_MAX, AF_UNIX },
        ANY(connect),
        ANY(accept4),
        ANY(shutdown),
        ANY(sendto),
        ANY(sendmsg),
        ANY(recvfrom),
        ANY(recvmsg),
        ANY(getsockname),
        ANY(getpeername),
        ANY(getsockopt),
        ANY(setsockopt),

        /* files */
        ANY(open),
        ANY(openat),
        ANY(openat2),
        ANY(stat),
        ANY(lstat),
        ANY(fstat),
        ANY(newfstatat),
        ANY(statx),
        ANY(statfs),
        ANY(fstatfs),
        ANY(access),
        ANY(faccessat),
        ANY(faccessat2),
        ANY(readlink),
        ANY(readlinkat),
        ANY(getdents64),
        ANY(getcwd),
        ANY(unlink),
        ANY(unlinkat),
        ANY(rename),
        ANY(renameat),
        ANY(renameat2),

        /* memory: no new executable page */
        { SYS_mmap, 2, PROT_EXEC, 0 },
        { SYS_mprotect, 2, PROT_EXEC, 0 },
        ANY(munmap),
        ANY(mremap),
        ANY(madvise),
        ANY(brk),

        /* processes: a helper may be forked, without exec and without new namespaces */
        { SYS_clone, 0, CLONE_NAMESPACES, 0 },
        ANY(wait4),
        ANY(waitid),
        ANY(pidfd_open),
        ANY(kill),
        ANY(tgkill),
        ANY(exit),
        ANY(exit_group),
        ANY(getpid),
        ANY(getppid),
        ANY(gettid),
        ANY(getpgrp),
        ANY(getpgid),
        ANY(getsid),
        ANY(getuid),
        ANY(geteuid),
        ANY(getgid),
        ANY(getegid),
        ANY(getresuid),
        ANY(getresgid),
        ANY(getgroups),
        ANY(prlimit64),
        ANY(getrlimit),
        ANY(getrusage),
        ANY(prctl),
        { SYS_seccomp, 0, UINT32_MAX, SECCOMP_SET_MODE_FILTER }, /* a helper limits itself further */
        ANY(capget),
        ANY(uname),
        ANY(sysinfo),
        ANY(umask),
        ANY(sched_getaffinity),
        ANY(sched_getparam),
        ANY(sched_getscheduler),
        ANY(sched_yield),
        ANY(getcpu),
        ANY(futex),
        ANY(rseq),
        ANY(set_robust_list),
        ANY(membarrier),

        /* signals, time, chance */
        ANY(rt_sigaction),
        ANY(rt_sigprocmask),
        ANY(rt_sigreturn),
        ANY(rt_sigtimedwait),
        ANY(sigaltstack),
        ANY(restart_syscall),
        ANY(clock_gettime),
        ANY(clock_getres),
        ANY(clock_nanosleep),
        ANY(nanosleep),
        ANY(gettimeofday),
        ANY(time),
        ANY(getrandom),

#if CALL_FILTER_SANITIZED
        ANY(clone), /* the leak check: a thread that traces the others */
        ANY(ptrace),
        ANY(getdents),
        ANY(process_vm_readv),
        ANY(arch_prctl),
        ANY(mmap),
        ANY(mprotect),
#endif
};

/* A trap reports the call and aborts. */
static const CallRule trap_rules[] = {
        ANY(write),
        ANY(rt_sigaction),
        ANY(rt_sigprocmask),
        ANY(getpid),
        ANY(gettid),
        ANY(tgkill),
};

/* ---- the program of the filter */

typedef struct Program {
        struct sock_filter steps[BPF_MAXINSNS];
        size_t n;
} Program;

static void add_step(Program *program, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
        program->steps[program->n++] = (struct sock_filter)BPF_JUMP(code, value, if_true, if_false);
}

static void add_load(Program *program, size_t offset) {
        add_step(program, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void add_end(Program *program, uint32_t action) {
        add_step(program, BPF_RET | BPF_K, action, 0, 0);
}

/* The call's number is in the accumulator before and after. */
static void add_rule(Program *program, const CallRule *rule) {
        const size_t low_half = offsetof(struct seccomp_data, args) + rule->argument * sizeof(uint64_t);

        if (rule->mask == 0) {
                add_step(program, BPF_JMP | BPF_JEQ | BPF_K, rule->number, 0, 1);
                add_end(program, SECCOMP_RET_ALLOW);
                return;
        }
        add_step(program, BPF_JMP | BPF_JEQ | BPF_K, rule->number, 0, 5);
        add_load(program, low_half);
        add_step(program, BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
        add_step(program, BPF_JMP | BPF_JEQ | BPF_K, rule->value, 0, 1);
        add_end(program, SECCOMP_RET_ALLOW);
        add_load(program, offsetof(struct seccomp_data, nr));
}

static void add_rules(Program *program, const CallRule *rules, size_t n_rules) {
        for (size_t i = 0; i < n_rules; i++)
                add_rule(program, &rules[i]);
}

/*
 * glibc forks with clone3() if it exists, whose flags a filter cannot see: it fails with ENOSYS like a call that is too
 * new.
 */
static void add_unknown(Program *program) {
        add_step(program, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 2, 0);
        add_step(program, BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 2, 0);
        add_step(program, BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN_CALL, 0, 1);
        add_end(program, SECCOMP_RET_ERRNO | ENOSYS);
}

static void program_begin(Program *program) {
        program->n = 0;
        add_load(program, offsetof(struct seccomp_data, arch));
        add_step(program, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
        add_end(program, SECCOMP_RET_ERRNO | EPERM);
        add_load(program, offsetof(struct seccomp_data, nr));
}

static void program_end(Program *program, bool traps) {
        if (traps)
                add_rules(program, trap_rules, N_ELEMENTS(trap_rules));
        add_unknown(program);
        add_end(program, traps ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EPERM);
}

/* ---- installing */

static void on_trap(int number, siginfo_t *info, void *context) {
        char text[] = "system call .... is not in the filter\n", *digit = strrchr(text, '.');

        for (int call = info->si_syscall; call > 0 && *digit == '.'; call /= 10)
                *digit-- = '0' + call % 10;
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        signal(SIGSYS, SIG_DFL);
        abort();
}

static int catch_traps(void) {
        const struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

        return sigaction(SIGSYS, &action, NULL) < 0 ? error_origin(-errno) : 0;
}

static int install(const CallRule *rules, size_t n_rules, bool with_common, CallFilterMode mode) {
        const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
        const bool traps = mode == CALL_FILTER_TRAP;
        struct sock_fprog code;
        Program program;

        if (mode == CALL_FILTER_OFF)
                return 0;
        if (6 * (n_rules + N_ELEMENTS(common_rules) + N_ELEMENTS(trap_rules)) + 9 > BPF_MAXINSNS)
                return error_origin(-E2BIG);
        if (traps && catch_traps() < 0)
                return error_origin(-EIO);
        program_begin(&program);
        add_rules(&program, rules, n_rules);
        if (with_common)
                add_rules(&program, common_rules, N_ELEMENTS(common_rules));
        program_end(&program, traps);
        code = (struct sock_fprog){ .len = program.n, .filter = program.steps };
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return error_origin(-errno);
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &code) < 0 ? error_origin(-errno) : 0;
}

int call_filter_install(const CallRule *rules, size_t n_rules, CallFilterMode mode) {
        return error_trace(install(rules, n_rules, true, mode));
}

int call_filter_install_only(const CallRule *rules, size_t n_rules, CallFilterMode mode) {
        return error_trace(install(rules, n_rules, CALL_FILTER_SANITIZED, mode));
}

const char *call_filter_take(const char *word, void *mode) {
        static const char *const words[] = {
                [CALL_FILTER_REFUSE] = "refuse",
                [CALL_FILTER_TRAP] = "trap",
                [CALL_FILTER_OFF] = "allow",
        };

        for (size_t i = 0; i < N_ELEMENTS(words); i++)
                if (strcmp(words[i], word) == 0) {
                        *(CallFilterMode *)mode = i;
                        return NULL;
                }
        return "is refuse, trap or allow";
}
