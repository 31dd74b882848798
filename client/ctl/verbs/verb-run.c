/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * run: measures modules, one after the other; or, detached, submits them; or, with --here, runs one in its own process.
 */

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/fleet/fleet.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/git/told-commit.h"
#include "ctl/ask/here.h"
#include "ctl/ask/load.h"
#include "ctl/ask/target.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

static int run_load(const Settings *settings, const Targets *targets, const Target *target,
                benchd_module **ret_module) {
        int r;

        r = target_set_filters(settings, targets, target);
        if (r == 0)
                r = target_load(settings, target, ret_module);
        return r ? r : told_commit_set(settings, target->name, false, *ret_module);
}

static int run_target(const Settings *settings, Connection *connection, Output *output, const Targets *targets,
                const Target *target) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        Follow follow = {
                .connection = connection,
                .output = output,
                .name = target->name,
                .settings = load_is_piped(target->path) ? NULL : settings, /* no command measures it again */
                .fail_on = &settings->fail_on,
                .quiet = settings->quiet,
        };
        int r;

        r = run_load(settings, targets, target, &module);
        if (r)
                return r;
        r = benchd_client_run(connection->client, module, settings->options, &follow.id);
        if (r) {
                complain("Cannot send %s: %s.", target->name, benchd_error_string(r));
                return EXIT_USAGE;
        }
        return follow_job(&follow);
}

/* The exit code is that of the first module that did not end well. */
static int run_targets(const Settings *settings, Connection *connection, Output *output) {
        const Targets *targets = connection->subject;
        int first = EXIT_DONE, r = EXIT_DONE;

        output_expect(output, targets->n);
        for (size_t i = 0; i < targets->n; i++) {
                if (interrupt_came() || r == EXIT_DAEMON)
                        break;
                r = run_target(settings, connection, output, targets, &targets->targets[i]);
                first = first ? first : r;
        }
        return interrupt_came() ? EXIT_CANCELLED : first;
}

/* ---- on several machines */

static int run_ask(const Settings *settings, benchd_client *client, const void *subject, uint64_t *ret_id) {
        return benchd_client_run(client, subject, settings->options, ret_id);
}

static int run_targets_on(const Settings *settings, Fleet *fleet, Output *output, const void *subject) {
        const Targets *targets = subject;
        int first = EXIT_DONE, r;

        output_expect(output, targets->n);
        for (size_t i = 0; i < targets->n && !interrupt_came(); i++) {
                _cleanup_(benchd_module_freep) benchd_module *module = NULL;

                r = run_load(settings, targets, &targets->targets[i], &module);
                if (r == 0)
                        r = fleet_measure(fleet, output, targets->targets[i].name, run_ask, module);
                first = first ? first : r;
        }
        return interrupt_came() ? EXIT_CANCELLED : first;
}

int verb_run(const Settings *settings) {
        _cleanup_(targets_clear) Targets targets = {};
        int r;

        r = targets_find(settings, &targets);
        if (r == 0 && settings->raw && targets.n > 1) {
                complain("--raw takes one module: its file has the samples of one run.");
                return EXIT_USAGE;
        }
        if (r == 0)
                r = load_environment(settings);
        if (r)
                return r;
        if (settings->here)
                return here_exec(settings, &targets);
        if (settings->several_hosts)
                return fleet_use(settings, run_targets_on, &targets);
        return connection_use_for(settings, run_targets, &targets);
}
