/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-environment.h"
#include "ctl/ask/exec/exec-hook.h"
#include "ctl/ask/exec/exec-plan.h"
#include "ctl/ask/live-line.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/last-lines.h"
#include "ctl/base/printable.h"
#include "util/cleanup.h"
#include "util/fd.h"
#include "util/time.h"

extern char **environ;

#define OUTPUT_KEPT  4096u /* bytes of a command's output, its end */
#define OUTPUT_LINES 8u
/* A command that is not twice as long as the start of its shell would be a difference of two equal times. */
#define SHELLS_MIN     2.0
#define SHELL_RUNS     10u
#define SHELL_KNOWN_NS 50e6 /* a longer run is long against the start of any shell */

#define SHORT_NS 1e6 /* a run is too short for the kernel's accounts of CPU time to tell threads */

#define NO_HOOK     _EXEC_HOOKS_N
#define RUN_TIMEOUT (-1) /* in place of an exit code */

/* A command that is tried, or one of its hooks. */
typedef struct Try {
        const ExecPlan *plan;
        const ExecCommand *command;
        LiveLine *line; /* shown while it runs */
        ExecHook hook;  /* NO_HOOK: the command itself */
        char words[LIVE_LINE_MAX];
        char iteration[EXEC_ITERATION_BYTES]; /* empty: none */
} Try;

/* The end of a command or of a hook. */
typedef struct TryEnd {
        ExecOutcome outcome;           /* of a command */
        bool is_short;                 /* against the start of its shell */
        char failed[EXEC_WORDS_BYTES]; /* of a hook */
} TryEnd;

/* A process that runs, seen from benchctl: its output comes through a pipe, and then its end through another. */
typedef struct Run {
        pid_t pid;
        int output_fd;
        int end_fd;
        char output[2 * OUTPUT_KEPT];
        size_t n_output;
} Run;

/* ---- the process that runs the command */

static int open_output(const ExecCommand *command, int pipe_fd) {
        if (command->output == EXEC_OUTPUT_INHERIT)
                return STDOUT_FILENO;
        if (command->output == EXEC_OUTPUT_FILE)
                return open(command->output_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        return pipe_fd;
}

static double cpu_ns(const ExecOutcome *outcome) {
        return outcome->counts[EXEC_USER_NS] + outcome->counts[EXEC_SYSTEM_NS];
}

/*
 * True if the command takes less than twice as long as its shell with an empty script. A busy machine makes a run as long as it
 * likes, so one that waits no more often than the shell is judged by its CPU time.
 */
static bool is_short(const ExecPlan *plan, const ExecFiles *files, const ExecOutcome *outcome) {
        double shell_ns = INFINITY, shell_cpu_ns = INFINITY, shell_waits = 0;

        if (outcome->wall_ns >= SHELL_KNOWN_NS && cpu_ns(outcome) >= SHELL_KNOWN_NS)
                return false;
        for (unsigned i = 0; i < SHELL_RUNS && (i == 0 || shell_ns < SHELL_KNOWN_NS); i++) {
                ExecOutcome shell;

                if (exec_command_run(plan->shell, files, environ, &shell) || shell.ending != EXEC_ENDED)
                        return false;
                shell_ns = fmin(shell_ns, shell.wall_ns);
                shell_cpu_ns = fmin(shell_cpu_ns, cpu_ns(&shell));
                shell_waits = fmax(shell_waits, shell.counts[EXEC_VOLUNTARY_SWITCHES]);
        }
        return (outcome->wall_ns < SHELL_KNOWN_NS && outcome->wall_ns < SHELLS_MIN * shell_ns) ||
               (outcome->counts[EXEC_VOLUNTARY_SWITCHES] <= shell_waits && cpu_ns(outcome) < SHELLS_MIN * shell_cpu_ns);
}

static void run_command(const Try *try, int output_fd, TryEnd *end) {
        const ExecPlan *plan = try->plan;
        const ExecFiles files = {
                .in = open(plan->input_path ? plan->input_path : "/dev/null", O_RDONLY | O_CLOEXEC),
                .out = open_output(try->command, output_fd),
                .err = try->command->output == EXEC_OUTPUT_INHERIT ? STDERR_FILENO : output_fd,
        };

        if (files.in < 0 || files.out < 0) {
                dprintf(output_fd, "%s: %s\n", files.in < 0 ? plan->input_path : try->command->output_path,
                                strerrordesc_np(errno));
                _exit(1);
        }
        exec_command_prepare();
        (void)setenv(EXEC_ITERATION_VARIABLE, try->iteration, 1);
        if (exec_command_run(try->command, &files, environ, &end->outcome) != 0)
                _exit(1);
        end->is_short = try->command->has_shell && is_short(plan, &files, &end->outcome);
}

/*
 * The process that runs a command, or its hook: a process for each, since that of a command ends all that is left behind, and what a hook
 * starts survives. It ends with benchctl, and with it the command.
 */
static void run_child(const Try *try, pid_t parent, int output_fd, int end_fd) {
        TryEnd end = {};

        exec_command_live_with(parent);
        if (try->hook == NO_HOOK)
                run_command(try, output_fd, &end);
        else
                (void)exec_hook_run(try->command, try->hook, try->iteration[0] ? try->iteration : NULL,
                                try->command->output == EXEC_OUTPUT_INHERIT, end.failed);
        (void)!write(end_fd, &end, sizeof end);
        _exit(0);
}

static bool run_start(const Try *try, Run *run) {
        int output[2] = { -1, -1 }, end[2] = { -1, -1 };
        const pid_t parent = getpid();

        *run = (Run){ .pid = -1, .output_fd = -1, .end_fd = -1 };
        if (pipe2(output, O_CLOEXEC) == 0 && pipe2(end, O_CLOEXEC) == 0 && fcntl(output[0], F_SETFL, O_NONBLOCK) == 0)
                run->pid = fork();
        if (run->pid == 0)
                run_child(try, parent, output[1], end[1]);
        fd_close(output[1]);
        fd_close(end[1]);
        run->output_fd = output[0];
        run->end_fd = end[0];
        return run->pid > 0;
}

/* ---- its output and its end */

/* Takes what the command wrote, and keeps the end. Returns false if there is nothing. */
static bool take_output(Run *run) {
        ssize_t n;

        if (run->n_output > OUTPUT_KEPT) {
                memmove(run->output, run->output + run->n_output - OUTPUT_KEPT, OUTPUT_KEPT);
                run->n_output = OUTPUT_KEPT;
        }
        n = read(run->output_fd, run->output + run->n_output, sizeof run->output - 1 - run->n_output);
        if (n > 0)
                run->n_output += (size_t)n;
        return n > 0 || (n < 0 && errno == EINTR);
}

/* A process that outlives the command may keep the pipe of its output open, so the other one tells the end. */
static int run_await(Run *run, double timeout_s, TryEnd *ret_end) {
        const uint64_t begun_ns = time_monotonic_ns();
        struct pollfd fds[] = {
                { .fd = run->end_fd, .events = POLLIN },
                { .fd = run->output_fd, .events = POLLIN },
                { .fd = interrupt_fd(), .events = POLLIN },
        };

        do {
                const double left_s = timeout_s - (time_monotonic_ns() - begun_ns) / 1e9;

                if (timeout_s > 0 && left_s <= 0)
                        return RUN_TIMEOUT;
                if (poll(fds, N_ELEMENTS(fds), timeout_s > 0 && left_s < 3600 ? 1 + (int)(left_s * 1e3) : -1) < 0 &&
                                errno != EINTR)
                        return EXIT_MACHINE;
                if (interrupt_came())
                        return EXIT_CANCELLED;
                if (!take_output(run) && fds[1].revents & POLLHUP)
                        fds[1].fd = -1;
        } while (!fds[0].revents);
        while (take_output(run))
                continue;
        return read(run->end_fd, ret_end, sizeof *ret_end) == sizeof *ret_end ? 0 : EXIT_MACHINE;
}

static void run_end(Run *run) {
        if (run->pid > 0) {
                (void)kill(run->pid, SIGTERM); /* exec_command_live_with() */
                (void)waitpid(run->pid, NULL, 0);
        }
        fd_close(run->output_fd);
        fd_close(run->end_fd);
}

/* ---- the trial */

static void print_output(Run *run) {
        run->output[run->n_output] = '\0';
        printable_lines(run->output);
        last_lines_print(run->output, OUTPUT_LINES, "          | ", stderr);
}

static int refuse(const ExecCommand *command, const ExecOutcome *outcome, Run *run) {
        char words[EXEC_WORDS_BYTES];

        complain("The command '%s' failed: %s.", command->title, exec_command_words(outcome, words));
        print_output(run);
        if (outcome->ending == EXEC_EXITED)
                complain_hint("If that is no failure: --ignore-failure=%d.", outcome->code);
        return EXIT_BENCHMARK;
}

static bool is_failure(const ExecPlan *plan, const ExecOutcome *outcome) {
        return outcome->ending != EXEC_ENDED &&
               !(outcome->ending == EXEC_EXITED && plan->ignores[outcome->code & 0xff]);
}

/* Runs the command or its hook, and prints its failure. */
static int try_once(const Try *try, TryEnd *ret_end) {
        const ExecCommand *command = try->command;
        const ExecPlan *plan = try->plan;
        Run run;
        int r;

        if (try->hook != NO_HOOK && !command->hooks[try->hook])
                return 0;
        live_line_show(try->line, try->words);
        r = run_start(try, &run) ? run_await(&run, plan->timeout_s, ret_end) : EXIT_MACHINE;
        run_end(&run);
        live_line_clear(try->line);
        if (r == RUN_TIMEOUT) {
                complain("'%s' did not end within %g s (--timeout), and was killed.", command->title, plan->timeout_s);
                return EXIT_BENCHMARK;
        }
        if (r == EXIT_MACHINE) {
                complain("The command '%s' cannot be run.", command->title);
                print_output(&run);
        }
        if (r)
                return r;
        if (ret_end->failed[0]) {
                complain("'%s': %s.", command->title, ret_end->failed);
                return EXIT_BENCHMARK;
        }
        return try->hook == NO_HOOK && is_failure(plan, &ret_end->outcome) ? refuse(command, &ret_end->outcome, &run)
                                                                           : 0;
}

static int try_hook(Try *try, ExecHook hook) {
        TryEnd end = {};

        try->hook = hook;
        return try_once(try, &end);
}

/* One run that is not timed, with its hooks. */
static int try_run(Try *try, unsigned warmup, TryEnd *ret_end) {
        int r;

        snprintf(try->iteration, sizeof try->iteration, "warmup-%u", warmup);
        r = try_hook(try, EXEC_PREPARE);
        try->hook = NO_HOOK;
        if (r == 0)
                r = try_once(try, ret_end);
        return r ? r : try_hook(try, EXEC_CONCLUDE);
}

static void trial_add(ExecTrial *trial, const TryEnd *end) {
        const ExecOutcome *outcome = &end->outcome;

        if (outcome->wall_ns > SHORT_NS)
                trial->busy = fmax(trial->busy, cpu_ns(outcome) / outcome->wall_ns);
        trial->run_s = fmax(trial->run_s, outcome->wall_ns / NS_PER_S);
}

static int try_command(Try *try, ExecTrial *trial) {
        TryEnd end = {};
        int r;

        r = try_hook(try, EXEC_SETUP);
        for (unsigned i = 0; r == 0 && i < try->plan->warmup; i++) {
                r = try_run(try, i, &end);
                trial->includes_shell |= r == 0 && end.is_short;
        }
        if (r == 0 && try->plan->warmup > 0)
                trial_add(trial, &end);
        return r;
}

int exec_trial_end(const ExecPlan *plan, const ExecTrial *trial) {
        LiveLine line = {};
        int r = 0;

        for (size_t i = 0; i < trial->n_begun; i++) {
                Try try = { .plan = plan, .command = &plan->commands[i], .line = &line };
                const int r_one = try_hook(&try, EXEC_CLEANUP);

                r = r ? r : r_one;
        }
        return r;
}

int exec_trial_run(const ExecPlan *plan, bool quiet, ExecTrial *ret_trial) {
        LiveLine line = live_line(quiet || exec_plan_puts_out(plan, EXEC_OUTPUT_INHERIT));
        ExecTrial trial = {};
        int r = 0;

        for (size_t i = 0; r == 0 && i < plan->n; i++) {
                Try try = { .plan = plan, .command = &plan->commands[i], .line = &line };

                snprintf(try.words, sizeof try.words, "trying command %zu of %zu: %s", i + 1, plan->n,
                                plan->commands[i].title);
                trial.n_begun = i + 1;
                r = try_command(&try, &trial);
        }
        *ret_trial = trial;
        return r;
}
