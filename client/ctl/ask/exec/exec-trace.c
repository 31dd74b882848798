/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-plan.h"
#include "util/error.h"
#include "util/fd.h"

#if defined(__x86_64__)
# define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
# define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
# error "which architecture do system calls have here?"
#endif

#define OPTIONS                                                                                                        \
 (PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |        \
                 PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE)

/* ---- the command */

static int filter_calls(void) {
        struct sock_filter steps[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef __NR_open
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_open, 3, 0),
#else
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 3, 0),
#endif
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 2, 0),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat2, 1, 0),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
        };
        const struct sock_fprog program = { .len = sizeof steps / sizeof *steps, .filter = steps };

        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Waits at @gate_fd until it is traced. */
static _Noreturn void traced_child(const ExecCommand *command, const ExecFiles *files, char *const *environment,
                int gate_fd) {
        char byte;

        exec_reset_signals();
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || read(gate_fd, &byte, 1) != 1 || filter_calls() != 0 ||
                        dup2(files->in, STDIN_FILENO) < 0 || dup2(files->out, STDOUT_FILENO) < 0 ||
                        dup2(files->err, STDERR_FILENO) < 0)
                _exit(127);
        execve(command->program, (char *const *)command->words, environment);
        _exit(127);
}

/* ---- one who traces it */

static void note_path(FILE *found, const char *path) {
        struct stat status;

        if (path[0] == '/' && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/sys/", 5) != 0 &&
                        stat(path, &status) == 0 && S_ISREG(status.st_mode))
                fwrite(path, strlen(path) + 1, 1, found);
}

static void note_link(FILE *found, pid_t pid, long fd) {
        char link[64], path[PATH_MAX];
        ssize_t n;

        snprintf(link, sizeof link, "/proc/%d/fd/%ld", pid, fd);
        n = readlink(link, path, sizeof path - 1);
        if (n <= 0)
                return;
        path[n] = '\0';
        note_path(found, path);
}

/* The program and its interpreter, which the kernel opened. */
static void note_program(FILE *found, pid_t pid) {
        char path[64], *line = NULL;
        size_t room = 0;
        FILE *maps;

        snprintf(path, sizeof path, "/proc/%d/maps", pid);
        maps = fopen(path, "re");
        while (maps && getline(&line, &room, maps) > 0) {
                char *name = strchr(line, '/');

                line[strcspn(line, "\n")] = '\0';
                if (name)
                        note_path(found, name);
        }
        free(line);
        if (maps)
                fclose(maps);
}

static void note_call(FILE *found, pid_t pid) {
        struct ptrace_syscall_info info;

        if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_EXIT &&
                        !info.exit.is_error)
                note_link(found, pid, info.exit.rval);
}

/* Lets a stopped process go on. */
static void go_on(FILE *found, pid_t pid, int status) {
        const int number = WSTOPSIG(status), event = status >> 16;
        bool to_the_end_of_the_call = false;
        int signal = 0;

        if (number == (SIGTRAP | 0x80))
                note_call(found, pid);
        else if (event == PTRACE_EVENT_SECCOMP)
                to_the_end_of_the_call = true;
        else if (event == PTRACE_EVENT_EXEC)
                note_program(found, pid);
        else if (event == 0)
                signal = number;
        else if (event == PTRACE_EVENT_STOP && number != SIGTRAP)
                (void)kill(pid, SIGKILL); /* it stopped itself */
        (void)ptrace(to_the_end_of_the_call ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, signal);
}

static int follow(FILE *found, pid_t first) {
        for (;;) {
                int status;
                const pid_t pid = waitpid(-1, &status, __WALL);

                if (pid < 0 && errno != EINTR)
                        return -errno;
                if (pid > 0 && WIFSTOPPED(status))
                        go_on(found, pid, status);
                else if (pid == first)
                        return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? 0 : -ECANCELED;
        }
}

/* With its end all that it traces ends. */
static int trace(const ExecCommand *command, const ExecFiles *files, char *const *environment, int fd) {
        FILE *found = fdopen(fd, "w");
        int gate[2], r;
        pid_t pid;

        if (!found || pipe2(gate, O_CLOEXEC) < 0)
                return -errno;
        exec_command_prepare();
        pid = fork();
        if (pid == 0)
                traced_child(command, files, environment, gate[0]);
        if (pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, OPTIONS) < 0 || write(gate[1], "", 1) != 1)
                return -errno;
        r = follow(found, pid);
        return fclose(found) == 0 ? r : -errno;
}

/* ---- its result */

static int compare(const void *a, const void *b) {
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each path once. */
static int split(char *text, size_t n_text, ExecPaths *ret_paths) {
        ExecPaths paths = { .text = text };
        size_t n = 0;

        for (size_t i = 0; i < n_text; i++)
                n += text[i] == '\0';
        paths.paths = calloc(n + 1, sizeof *paths.paths);
        if (!paths.paths)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++, text += strlen(text) + 1)
                paths.paths[i] = text;
        qsort(paths.paths, n, sizeof *paths.paths, compare);
        for (size_t i = 0; i < n; i++)
                if (i == 0 || strcmp(paths.paths[i], paths.paths[paths.n - 1]) != 0)
                        paths.paths[paths.n++] = paths.paths[i];
        *ret_paths = paths;
        return 0;
}

static int read_paths(int fd, ExecPaths *ret_paths) {
        struct stat status;
        char *text;
        int r;

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        text = malloc((size_t)status.st_size + 1);
        if (!text)
                return error_origin(-ENOMEM);
        if (pread(fd, text, (size_t)status.st_size, 0) != status.st_size)
                r = error_origin(-EIO);
        else
                r = split(text, (size_t)status.st_size, ret_paths);
        if (r)
                free(text);
        return r;
}

int exec_trace(const ExecCommand *command, const ExecFiles *files, char *const *environment, ExecPaths *ret_paths) {
        _cleanup_(fd_closep) int fd = -1;
        int status;
        pid_t pid;

        fd = memfd_create("paths", MFD_CLOEXEC);
        if (fd < 0)
                return error_origin(-errno);
        pid = fork();
        if (pid == 0) {
                if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
                        _exit(errno);
                _exit(-trace(command, files, environment, fd));
        }
        if (pid < 0)
                return error_origin(-errno);
        while (waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        return error_origin(-errno);
        if (status != 0)
                return WIFEXITED(status) ? error_origin(-WEXITSTATUS(status)) : error_origin(-ECANCELED);
        return read_paths(fd, ret_paths);
}

void exec_paths_clear(ExecPaths *paths) {
        free(paths->text);
        free(paths->paths);
        *paths = (ExecPaths){};
}
