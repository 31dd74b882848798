/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Calls that neither daemon may make, and some that both need, tried in a child that a filter was installed in. */

#include <linux/sched.h>
#include <sys/syscall.h>

#include "ops/call-filter.h"
#include "test.h"

typedef struct ForbiddenCall {
        const char *name;
        long number;
        long arguments[6];
        int error; /* that it gets */
} ForbiddenCall;

static const ForbiddenCall forbidden_calls[] = {
        { "execve", SYS_execve, { (long)"/bin/true" }, EPERM },
        { "execveat", SYS_execveat, { -1, (long)"/bin/true" }, EPERM },
        { "process_vm_writev", SYS_process_vm_writev, { 1 }, EPERM },
        { "setuid", SYS_setuid, { 0 }, EPERM },
        { "setresuid", SYS_setresuid, { -1, -1, -1 }, EPERM },
        { "setgroups", SYS_setgroups, { 0 }, EPERM },
        { "mount", SYS_mount, { 0 }, EPERM },
        { "umount2", SYS_umount2, { 0 }, EPERM },
        { "open_tree", SYS_open_tree, { -1 }, EPERM },
        { "chroot", SYS_chroot, { (long)"/" }, EPERM },
        { "unshare", SYS_unshare, { 0 }, EPERM },
        { "setns", SYS_setns, { -1 }, EPERM },
        { "clone3", SYS_clone3, { 0 }, ENOSYS },
        { "bpf", SYS_bpf, { -1 }, EPERM },
        { "perf_event_open", SYS_perf_event_open, { 0 }, EPERM },
        { "userfaultfd", SYS_userfaultfd, { 0 }, EPERM },
        { "io_uring_setup", SYS_io_uring_setup, { 1 }, EPERM },
        { "keyctl", SYS_keyctl, { 0 }, EPERM },
        { "init_module", SYS_init_module, { 0 }, EPERM },
        { "kexec_load", SYS_kexec_load, { 0 }, EPERM },
        { "personality", SYS_personality, { 0xffffffff }, EPERM },
        { "chown", SYS_chown, { (long)"/", -1, -1 }, EPERM },
        { "chmod", SYS_chmod, { (long)"/", 0755 }, EPERM },
        { "symlinkat", SYS_symlinkat, { (long)"x", -1, (long)"x" }, EPERM },
        { "mknodat", SYS_mknodat, { -1, (long)"x" }, EPERM },
        { "open_by_handle_at", SYS_open_by_handle_at, { -1 }, EPERM },
        { "pidfd_getfd", SYS_pidfd_getfd, { -1, 0, 0 }, EPERM },
        { "a socket of the network", SYS_socket, { AF_INET, SOCK_STREAM }, EPERM },
        { "a socket to the hypervisor", SYS_socket, { AF_VSOCK, SOCK_STREAM }, EPERM },
        { "a call that nobody knows", 1000, { 0 }, ENOSYS },
        { "a call of another ABI", 0x40000000 + SYS_getpid, { 0 }, EPERM },
#if !CALL_FILTER_SANITIZED
        { "ptrace", SYS_ptrace, { 0 }, EPERM },
        { "clone of a namespace", SYS_clone, { CLONE_NEWUSER | SIGCHLD }, EPERM },
        { "memory to run", SYS_mmap, { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1 }, EPERM },
        { "making memory run", SYS_mprotect, { 0, 0, PROT_READ | PROT_EXEC }, EPERM },
#endif
};

/* The place of the first that gets another error, from 1; 0: there is none. It is an exit status. */
static inline int forbidden_first_failure(void) {
        for (size_t i = 0; i < N_ELEMENTS(forbidden_calls); i++) {
                const ForbiddenCall *call = &forbidden_calls[i];
                const long *a = call->arguments;

                errno = 0;
                if (syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]) != -1 || errno != call->error)
                        return i + 1;
        }
        return 0;
}

/* Runs @body in a child. Returns its exit status, or -1 and its signal in @ret_signal. */
static inline int in_child(int (*body)(void), int *ret_signal) {
        int status;
        pid_t pid = fork();

        if (pid == 0)
                _exit(body());
        assert_int_equal(waitpid(pid, &status, 0), pid);
        *ret_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The filter of the daemon under test. */
static int (*forbidden_limit)(CallFilterMode mode);

static inline int forbidden_limited_child(void) {
        return forbidden_limit(CALL_FILTER_REFUSE) ? 255 : forbidden_first_failure();
}

static inline int forbidden_working_child(void) {
        pid_t helper;

        if (forbidden_limit(CALL_FILTER_REFUSE))
                return 1;
        if (socket(AF_UNIX, SOCK_DGRAM, 0) < 0 || open("/proc/self/status", O_RDONLY) < 0)
                return 2;
        if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
                return 3;
        helper = fork();
        if (helper == 0)
                _exit(0);
        return helper > 0 && waitpid(helper, NULL, 0) == helper ? 0 : 4;
}

static inline void assert_needed_calls(int (*limit)(CallFilterMode mode)) {
        int signal;

        forbidden_limit = limit;
        assert_int_equal(in_child(forbidden_working_child, &signal), 0);
}

static inline void assert_forbidden_calls(int (*limit)(CallFilterMode mode)) {
        int signal, failed;

        forbidden_limit = limit;
        failed = in_child(forbidden_limited_child, &signal);
        if (failed > 0 && failed <= (int)N_ELEMENTS(forbidden_calls))
                fail_msg("%s was not refused as it should be", forbidden_calls[failed - 1].name);
        assert_int_equal(signal, 0);
        assert_int_equal(failed, 0);
}

/* ---- what a trap says */

static int forbidden_pipe[2];

static inline int forbidden_trapped_child(void) {
        dup2(forbidden_pipe[1], STDERR_FILENO);
        if (forbidden_limit(CALL_FILTER_TRAP))
                return 1;
        syscall(SYS_keyctl, -1);
        return 0;
}

/* A trap names the call and ends the process. */
static inline void assert_trap(int (*limit)(CallFilterMode mode)) {
        char text[128] = "";
        int signal;

        forbidden_limit = limit;
        assert_int_equal(pipe(forbidden_pipe), 0);
        assert_int_equal(in_child(forbidden_trapped_child, &signal), -1);
        assert_int_equal(signal, SIGABRT);
        close(forbidden_pipe[1]);
        assert_true(read(forbidden_pipe[0], text, sizeof text - 1) > 0);
        assert_string_equal(text, "system call .250 is not in the filter\n");
        close(forbidden_pipe[0]);
}
