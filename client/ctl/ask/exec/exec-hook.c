/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-hook.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-environment.h"
#include "ctl/ask/exec/exec-output.h"
#include "util/fd.h"

const char *exec_hook_name(ExecHook hook) {
        static const char *const names[_EXEC_HOOKS_N] = {
                [EXEC_SETUP] = "--setup",
                [EXEC_PREPARE] = "--prepare",
                [EXEC_CONCLUDE] = "--conclude",
                [EXEC_CLEANUP] = "--cleanup",
        };

        return names[hook];
}

/* ---- the child */

static void hook_child(const ExecCommand *script, const char *iteration, int output_fd, pid_t parent) {
        int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        exec_reset_signals();
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent || null_fd < 0 ||
                        dup2(null_fd, STDIN_FILENO) < 0 ||
                        (iteration ? setenv(EXEC_ITERATION_VARIABLE, iteration, 1)
                                   : unsetenv(EXEC_ITERATION_VARIABLE)) < 0)
                _exit(127);
        if (output_fd >= 0 && (dup2(output_fd, STDOUT_FILENO) < 0 || dup2(output_fd, STDERR_FILENO) < 0))
                _exit(127);
        execv(script->program, (char *const *)script->words);
        dprintf(STDERR_FILENO, "%s\n", strerrordesc_np(errno));
        _exit(127);
}

/* ---- its end */

static void hook_tell(ExecHook hook, int status, int output_fd, char failed[static EXEC_WORDS_BYTES]) {
        char lines[EXEC_WORDS_BYTES / 2] = "", end[64];

        if (output_fd >= 0)
                exec_output_last_lines(output_fd, lines, sizeof lines);
        if (WIFSIGNALED(status))
                snprintf(end, sizeof end, "was killed by signal %d (SIG%s)", WTERMSIG(status),
                                sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?");
        else
                snprintf(end, sizeof end, "failed with exit code %d", WEXITSTATUS(status));
        snprintf(failed, EXEC_WORDS_BYTES, "the script of %s %s%s%s", exec_hook_name(hook), end, lines[0] ? ": " : "",
                        lines);
}

static int await_hook(pid_t pid) {
        int status;

        while (waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        return W_EXITCODE(127, 0);
        return status;
}

bool exec_hook_run(const ExecCommand *command, ExecHook hook, const char *iteration, bool shows_output,
                char ret_failed[static EXEC_WORDS_BYTES]) {
        const ExecCommand *script = command->hooks[hook];
        const pid_t parent = getpid();
        int output_fd, status;
        pid_t pid;

        ret_failed[0] = '\0';
        if (!script)
                return true;
        output_fd = shows_output ? -1 : exec_output_new();
        pid = fork();
        if (pid == 0)
                hook_child(script, iteration, output_fd, parent);
        status = pid < 0 ? W_EXITCODE(127, 0) : await_hook(pid);
        if (status != 0)
                hook_tell(hook, status, output_fd, ret_failed);
        if (output_fd >= 0)
                (void)fcntl(output_fd, F_ADD_SEALS, F_SEAL_GROW); /* a service that it started might write for ever */
        fd_close(output_fd);
        return status == 0;
}
