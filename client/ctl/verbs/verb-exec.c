/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * exec: measures whole commands in the world of the user. Each is a benchmark of the module exec, whose body asks for it (exec/exec.c);
 * several are compared with the first, in turns.
 */

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/exec/exec-plan.h"
#include "ctl/ask/exec/exec-stage.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/load.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/installed.h"
#include "ctl/model/settings.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

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

/* The bodies find the stage by these. */
static int exec_set_options(const Settings *settings, const ExecStage *stage) {
        const ExecPlan *plan = stage->plan;
        char variable[PATH_MAX + 64], text[COMMAND_BYTES];
        int r;

        snprintf(variable, sizeof variable, EXEC_VARIABLE "=%s:%s", stage->token, stage->path);
        r = benchd_options_add_environment(settings->options, variable);
        for (size_t i = 0; r == 0 && i < plan->n; i++) {
                snprintf(text, sizeof text, "%s", plan->commands[i].title);
                r = benchd_options_add_command(settings->options, text);
        }
        if (r == 0)
                r = benchd_options_set(settings->options, "see", stage->path);
        return r;
}

static int exec_measure(const Settings *settings, Connection *connection, Output *output, ExecStage *stage) {
        _cleanup_(benchd_module_freep) benchd_module *new = NULL, *old = NULL;
        const ExecPlan *plan = stage->plan;
        Follow follow = {
                .connection = connection,
                .output = output,
                .name = "exec",
                .fail_on = &settings->fail_on,
                .quiet = settings->quiet,
                .accepted = exec_on_accepted,
                .accepted_userdata = stage,
        };
        int r;

        r = exec_load(settings, INSTALLED_EXEC, plan->n > 1, plan->n, plan, &new);
        if (r == 0 && plan->n > 1)
                r = exec_load(settings, INSTALLED_EXEC_REFERENCE, 0, 1, plan, &old);
        if (r)
                return r;
        r = exec_set_options(settings, stage);
        if (r == 0)
                r = old ? benchd_client_compare(connection->client, new, old, settings->options, &follow.id)
                        : benchd_client_run(connection->client, new, settings->options, &follow.id);
        if (r) {
                complain("Cannot send the commands: %s.", benchd_error_string(r));
                return EXIT_USAGE;
        }
        return follow_job(&follow);
}

static int exec_use(const Settings *settings, Connection *connection, Output *output) {
        ExecStage stage;
        int r;

        r = exec_stage_start(&stage, connection->subject, connection->socket);
        if (r)
                complain("Cannot make the socket for the commands: %s.", benchd_error_string(r));
        r = r ? EXIT_USAGE : exec_measure(settings, connection, output, &stage);
        exec_stage_end(&stage);
        return r;
}

int verb_exec(const Settings *settings) {
        _cleanup_(exec_plan_freep) ExecPlan *plan = NULL;
        int r;

        r = exec_plan_new(settings, &plan);
        return r ? r : connection_use_for(settings, exec_use, plan);
}
