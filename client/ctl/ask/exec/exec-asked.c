/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-asked.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/ask/exec/exec-plan.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"

#define WARMUP_MAX    1000u
#define SECONDS_MAX   86400.0
#define PRECISION_MIN 0.01
#define PRECISION_MAX 100.0

/* ---- numbers */

/* Leaves @ret_number as it is without @text. */
static int read_count(const char *option, const char *text, unsigned least, unsigned most, unsigned *ret_number) {
        unsigned long number;
        char *end;

        if (!text)
                return 0;
        errno = 0;
        number = strtoul(text, &end, 10);
        if (!errno && !*end && isdigit((unsigned char)*text) && number >= least && number <= most) {
                *ret_number = number;
                return 0;
        }
        complain("--%s takes a whole number from %u to %u, not '%.64s'.", option, least, most, text);
        return EXIT_USAGE;
}

static int read_number(const char *option, const char *text, const char *unit, double least, double most,
                double *ret_number) {
        char *end;
        double number;

        if (!text)
                return 0;
        number = strtod(text, &end);
        end += *unit && strcmp(end, unit) == 0;
        if (end != text && !*end && number >= least && number <= most) {
                *ret_number = number;
                return 0;
        }
        complain("--%s takes a number from %g to %g%s, not '%.64s'.", option, least, most, unit, text);
        return EXIT_USAGE;
}

/* The value of the last option @name; NULL: not given. */
static const char *given(const Settings *settings, const char *name) {
        const char *value = NULL;

        for (size_t i = 0; i < settings->n_given; i++)
                if (strcmp(settings->given[i].name, name) == 0)
                        value = settings->given[i].value;
        return value;
}

/* Drawn here if it is not given: the environments of the runs are drawn from it too. A result has it as a number of 53 bits at most. */
static int read_seed(const char *text, uint64_t *ret_seed) {
        uint64_t drawn;

        if (text) {
                *ret_seed = strtoull(text, NULL, 10); /* its option was checked */
                return 0;
        }
        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) {
                complain("No random number can be had: %s.", strerrordesc_np(errno));
                return EXIT_MACHINE;
        }
        *ret_seed = drawn >> 11;
        return 0;
}

static int check_runs(const ExecSettings *exec, const ExecEffortAsked *asked) {
        const struct {
                bool met;
                const char *problem;
        } rows[] = {
                { exec->runs && exec->min_runs, "--runs is an exact number, and cannot be combined with --min-runs" },
                { exec->runs && exec->max_runs, "--runs is an exact number, and cannot be combined with --max-runs" },
                { exec->runs && exec->precision, "--runs is an exact number, and cannot be combined with --precision" },
                { asked->max_runs > 0 && asked->min_runs > asked->max_runs, "--min-runs is over --max-runs" },
                { asked->runs > 0 && asked->processes > 0,
                                "--runs and --processes both give the number of runs: omit one" },
                { asked->runs > 0 && asked->samples > 0 && asked->runs % asked->samples > 0,
                                "--runs must be a multiple of --samples, the runs in each process" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (rows[i].met) {
                        complain("%s.", rows[i].problem);
                        return EXIT_USAGE;
                }
        return 0;
}

static int read_effort(const Settings *settings, ExecPlan *plan) {
        const ExecSettings *exec = &settings->exec;
        ExecEffortAsked *asked = &plan->asked;
        int r;

        plan->warmup = 1;
        r = read_count("warmup", exec->warmup, 0, WARMUP_MAX, &plan->warmup);
        if (r == 0)
                r = read_count("runs", exec->runs, 1, EXEC_RUNS_MAX, &asked->runs);
        if (r == 0)
                r = read_count("min-runs", exec->min_runs, 1, EXEC_RUNS_MAX, &asked->min_runs);
        if (r == 0)
                r = read_count("max-runs", exec->max_runs, 1, EXEC_RUNS_MAX, &asked->max_runs);
        if (r == 0)
                r = read_count("processes", given(settings, "processes"), 1, 1000, &asked->processes);
        if (r == 0)
                r = read_count("samples", given(settings, "samples"), 1, 4096, &asked->samples);
        if (r == 0)
                r = read_number("precision", exec->precision, "%", PRECISION_MIN, PRECISION_MAX, &asked->precision);
        if (r == 0)
                r = read_number("budget", exec->budget, "", 0.001, SECONDS_MAX, &asked->budget_s);
        if (r == 0)
                r = read_number("timeout", given(settings, "timeout"), "", 0.001, SECONDS_MAX, &plan->timeout_s);
        return r ? r : check_runs(exec, asked);
}

/* ---- words */

static int refuse_codes(const char *text) {
        complain("--ignore-failure takes exit codes from 1 to 255, separated by commas, or all-non-zero, not '%.64s'.",
                        text);
        return EXIT_USAGE;
}

static int read_ignored(const char *text, ExecPlan *plan) {
        if (!text)
                return 0;
        if (!*text || strcmp(text, "all-non-zero") == 0) {
                memset(plan->ignores, true, sizeof plan->ignores);
                return 0;
        }
        for (const char *word = text;; word++) {
                char *end;
                const long code = strtol(word, &end, 10);

                if (!isdigit((unsigned char)*word) || (*end && *end != ',') || code < 1 || code > 255)
                        return refuse_codes(text);
                plan->ignores[code] = true;
                if (!*end)
                        return 0;
                word = end;
        }
}

static int read_input(const char *path, ExecPlan *plan) {
        struct stat status;
        int fd;

        if (!path || strcmp(path, "null") == 0)
                return 0;
        /* a FIFO without a writer would be waited for */
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0 || fstat(fd, &status) < 0 || S_ISDIR(status.st_mode)) {
                complain("Cannot read the input %s: %s.", path, fd < 0 ? strerrordesc_np(errno) : "it is a directory");
                if (fd >= 0)
                        close(fd);
                return EXIT_USAGE;
        }
        close(fd);
        if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) {
                complain("The input %s is not a file, which each run could read from its beginning.", path);
                return EXIT_USAGE;
        }
        plan->input_path = path;
        return 0;
}

int exec_asked_read_output(const char *text, bool shows, ExecOutput *ret_output, const char **ret_path) {
        static const char *const words[] = {
                [EXEC_OUTPUT_NULL] = "null",
                [EXEC_OUTPUT_PIPE] = "pipe",
                [EXEC_OUTPUT_INHERIT] = "inherit",
        };

        if (shows && text && strcmp(text, "inherit") != 0) {
                complain("--show-output is --output=inherit, and cannot be combined with --output=%s.", text);
                return EXIT_USAGE;
        }
        *ret_output = shows ? EXEC_OUTPUT_INHERIT : EXEC_OUTPUT_NULL;
        for (size_t i = 0; text && i < N_ELEMENTS(words); i++)
                if (strcmp(text, words[i]) == 0) {
                        *ret_output = i;
                        return 0;
                }
        if (!text)
                return 0;
        if (!strchr(text, '/') && show_find_suffix(text)) {
                complain("--output=%s is the file of the commands' own output, whose name says that it holds a result.",
                                text);
                complain_hint("The result goes to -o %s; the commands' output to --output=./%s.", text, text);
                return EXIT_USAGE;
        }
        *ret_output = EXEC_OUTPUT_FILE;
        *ret_path = text;
        return 0;
}

static int read_cold(const char *text, ExecPlan *plan) {
        if (!text)
                return 0;
        plan->cold = strcmp(text, "all") == 0 ? EXEC_COLD_ALL : EXEC_COLD_FILES;
        if (!*text || strcmp(text, "files") == 0 || plan->cold == EXEC_COLD_ALL)
                return 0;
        complain("--cold takes files or all, not '%.64s'.", text);
        return EXIT_USAGE;
}

int exec_asked_read(const Settings *settings, ExecPlan *plan) {
        int r;

        r = read_effort(settings, plan);
        if (r == 0)
                r = read_seed(given(settings, "seed"), &plan->seed);
        if (r == 0)
                r = read_ignored(settings->exec.ignore, plan);
        if (r == 0)
                r = read_input(settings->exec.input, plan);
        return r ? r : read_cold(settings->exec.cold, plan);
}
