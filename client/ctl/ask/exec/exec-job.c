/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-job.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/exec/exec-cold.h"
#include "ctl/ask/exec/exec-plan.h"
#include "ctl/ask/exec/exec-stage.h"
#include "ctl/ask/exec/trial.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/git/told-commit.h"
#include "ctl/ask/load.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/installed.h"
#include "ctl/base/json-path.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/time.h"

#define MODULE_NAME_BYTES 256u
#define COMMAND_BYTES     256u /* of a text in the result: a long one is cut */

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

static void exec_on_accepted(void *userdata, const char *run_id) {
        exec_stage_tell_job(userdata, run_id);
}

/*
 * The commands from @first to before @end, as the name under which a history finds runs of the same ones. A longer name than a module may
 * have ends in a number that other commands do not have.
 */
static void exec_name(const ExecPlan *plan, size_t first, size_t end, char name[static MODULE_NAME_BYTES]) {
        uint64_t hash = 14695981039346656037u; /* FNV-1a */
        size_t n = 0;

        for (size_t i = first; i < end; i++) {
                const char *title = plan->commands[i].title;

                for (const char *at = title; *at; at++)
                        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
                hash = (hash ^ ',') * 1099511628211u;
                if (n < MODULE_NAME_BYTES)
                        n += snprintf(name + n, MODULE_NAME_BYTES - n, "%s%s", i > first ? ", " : "", title);
        }
        if (n >= MODULE_NAME_BYTES)
                snprintf(name + MODULE_NAME_BYTES - sizeof "... 0123456789abcdef", sizeof "... 0123456789abcdef",
                                "... %016" PRIx64, hash);
}

static int exec_load(const Settings *settings, InstalledFile file, size_t first, size_t end, const ExecPlan *plan,
                benchd_module **ret_module) {
        char path[PATH_MAX], name[MODULE_NAME_BYTES];
        int r;

        r = installed_find(file, path);
        if (r) {
                complain("The module of whole commands is not installed: %s.", installed_name(file));
                return EXIT_USAGE;
        }
        exec_name(plan, first, end, name);
        r = load_module(settings, path, "exec", ret_module);
        return r ? r : benchd_module_set_name(*ret_module, name);
}

static int exec_add_command(const Settings *settings, const ExecPlan *plan, const ExecCommand *command) {
        const bool has_parameters = !(plan->has_reference && command == &plan->commands[0]);
        char text[COMMAND_BYTES];
        int r;

        exec_title_cut(command->title, text, sizeof text);
        r = benchd_options_add_command(settings->options, text);
        for (size_t i = 0; r == 0 && has_parameters && i < command->n_parameters; i++) {
                exec_title_cut(command->parameters[i].value, text, sizeof text);
                r = benchd_options_add_parameter(settings->options, command->parameters[i].name, text);
        }
        return r;
}

/* The bodies find the stage by these. */
static int exec_set_stage(const Settings *settings, const ExecStage *stage) {
        const ExecPlan *plan = stage->plan;
        char variable[PATH_MAX + 64], text[COMMAND_BYTES];
        int r;

        snprintf(variable, sizeof variable, EXEC_VARIABLE "=%s:%s", stage->token, stage->path);
        r = benchd_options_add_environment(settings->options, variable);
        for (size_t i = 0; r == 0 && i < plan->n; i++)
                r = exec_add_command(settings, plan, &plan->commands[i]);
        if (r == 0)
                r = benchd_options_set(settings->options, "see", stage->path);
        snprintf(text, sizeof text, "%" PRIu64, plan->seed);
        if (r == 0)
                r = benchd_options_set(settings->options, "seed", text);
        return r;
}

static int exec_set_number(const Settings *settings, const char *name, double number) {
        char text[64];

        snprintf(text, sizeof text, "%.10g", number);
        return benchd_options_set(settings->options, name, text);
}

static int exec_set_effort(const Settings *settings, const ExecEffort *effort) {
        int r;

        r = exec_set_number(settings, effort->ends_itself ? "max-processes" : "processes", effort->processes);
        if (r == 0)
                r = exec_set_number(settings, "samples", effort->samples);
        if (r == 0 && effort->precision > 0)
                r = exec_set_number(settings, "precision", effort->precision);
        if (r == 0 && effort->least > 0 && (effort->precision > 0 || effort->ends_itself))
                r = exec_set_number(settings, "min-processes", effort->least);
        return r ? r : exec_set_number(settings, "budget", effort->budget_s);
}

/* ---- CPUs */

#define BUSY_OF_ONE 1.2 /* CPUs: a command of one thread, beside which a shell or a child may run for a moment */

/* The CPUs that the daemon can lend. Returns 0 or an exit code. */
static int count_lendable(Connection *connection, size_t *ret_n) {
        _cleanup_(json_decrefp) json_t *status = NULL;
        int r;

        r = connection_ask(connection, "status", json_object(), &status);
        if (r == 0)
                *ret_n = json_array_size(json_at(status, "leases"));
        return r;
}

/* A number is so many CPUs; anything else is a list of them. */
static int exec_set_cpus_asked(const Settings *settings) {
        const char *text = settings->exec.cpus;
        cpu_set_t cpus;
        int r;

        if (text[strspn(text, "0123456789")] == '\0')
                return benchd_options_set(settings->options, "cpus-per-run", text);
        r = benchd_options_set(settings->options, "cpus", text);
        if (r == 0 && cpu_list_parse(text, &cpus) == 0 && CPU_COUNT(&cpus) > 1)
                r = exec_set_number(settings, "cpus-per-run", CPU_COUNT(&cpus));
        return r;
}

/* Returns 0 or an exit code. */
static int exec_set_cpus(const Settings *settings, Connection *connection, const ExecTrial *trial) {
        size_t n = 1;
        int r = 0;

        if (settings->exec.cpus) {
                if (exec_set_cpus_asked(settings) == 0)
                        return 0;
                complain("--cpus takes a number of CPUs or a list such as 2,4-7, not '%.64s'.", settings->exec.cpus);
                return EXIT_USAGE;
        }
        if (trial->busy > BUSY_OF_ONE)
                r = count_lendable(connection, &n);
        if (r || n < 2)
                return r;
        return exec_set_number(settings, "cpus-per-run", n) ? EXIT_USAGE : 0;
}

/* ---- the job */

/* A plan on the way to its result. */
typedef struct ExecJob {
        const Settings *settings;
        Connection *connection;
        Output *output;
        const ExecPlan *plan;
        json_t **ret_result;
} ExecJob;

static int exec_measure(const ExecJob *job, const ExecTrial *trial, ExecStage *stage) {
        _cleanup_(benchd_module_freep) benchd_module *new = NULL, *old = NULL;
        const Settings *settings = job->settings;
        Connection *connection = job->connection;
        const ExecPlan *plan = job->plan;
        const unsigned sides = plan->n > 1 ? 2 : 1;
        const ExecEffort effort = exec_effort(&plan->asked, trial->run_s, sides);
        Follow follow = {
                .connection = connection,
                .output = job->output,
                .name = "exec",
                .unit = plan->n > 1 ? "comparison" : "command",
                .process_ns = trial->run_s * effort.samples * sides * NS_PER_S,
                .fail_on = &settings->fail_on,
                .quiet = settings->quiet,
                .accepted = exec_on_accepted,
                .accepted_userdata = stage,
                .ret_result = job->ret_result,
        };
        int r;

        r = exec_load(settings, INSTALLED_EXEC, plan->n > 1, plan->n, plan, &new);
        if (r == 0 && plan->n > 1)
                r = exec_load(settings, INSTALLED_EXEC_REFERENCE, 0, 1, plan, &old);
        if (r == 0)
                r = told_commit_set(settings, "exec", false, new);
        if (r == 0)
                r = exec_set_cpus(settings, connection, trial);
        if (r)
                return r;
        r = exec_set_stage(settings, stage);
        if (r == 0)
                r = exec_set_effort(settings, &effort);
        if (r == 0)
                r = old ? benchd_client_compare(connection->client, new, old, settings->options, &follow.id)
                        : benchd_client_run(connection->client, new, settings->options, &follow.id);
        if (r) {
                complain("Cannot send the commands: %s.", benchd_error_string(r));
                return EXIT_USAGE;
        }
        return follow_job(&follow);
}

static int exec_on_stage(const ExecJob *job, const ExecTrial *trial) {
        ExecStage stage;
        int r;

        r = exec_stage_start(&stage, job->plan, trial->includes_shell, job->connection->socket);
        if (r == 0)
                r = exec_measure(job, trial, &stage);
        exec_stage_end(&stage);
        return r;
}

/* Prints why this user may not have the page cache dropped. Returns 0 or an exit code. */
static int exec_check_cold(const ExecPlan *plan, Connection *connection) {
        _cleanup_(json_decrefp) json_t *permitted = NULL;

        if (plan->cold != EXEC_COLD_ALL || exec_cold_is_own())
                return 0;
        return connection_ask(connection, "drop_caches", json_object(), &permitted);
}

/* A command may take hours, so it is tried once the daemon is there and every file can be written. */
int exec_job_run(const Settings *settings, Connection *connection, Output *output, const ExecPlan *plan,
                json_t **ret_result) {
        const ExecJob job = { settings, connection, output, plan, ret_result };
        ExecTrial trial;
        int r, r_end;

        r = exec_check_cold(plan, connection);
        if (r)
                return r;
        r = exec_trial_run(plan, settings->quiet, &trial);
        if (r == 0)
                r = exec_on_stage(&job, &trial);
        r_end = exec_trial_end(plan, &trial);
        return r ? r : r_end;
}
