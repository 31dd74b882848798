/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * run: measures modules, one after the other; or, detached, submits them; or, with --here, runs one in its own process.
 */

#include "benchd/client.h"
#include "ctl/complain.h"
#include "ctl/connection.h"
#include "ctl/exit.h"
#include "ctl/follow.h"
#include "ctl/here.h"
#include "ctl/interrupt.h"
#include "ctl/load.h"
#include "ctl/settings.h"
#include "ctl/verb.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

static int run_module(const Settings *settings, Connection *connection, Output *output, const char *path) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        Follow follow = {
                .connection = connection,
                .output = output,
                .name = path,
                .settings = settings,
                .fail_on = settings->fail_on,
                .quiet = settings->quiet,
        };
        int r;

        r = load_module(settings, path, &module);
        if (r)
                return r;
        r = benchd_client_run(connection->client, module, settings->options, &follow.id);
        if (r) {
                complain("Cannot send %s: %s.", path, benchd_error_string(r));
                return EXIT_USAGE;
        }
        return follow_job(&follow);
}

/* The exit code is that of the first module that did not end well. */
static int run_modules(const Settings *settings, Connection *connection, Output *output) {
        int first = EXIT_DONE, r = EXIT_DONE;

        for (size_t i = 0; i < settings->arguments.n; i++) {
                if (interrupt_came() || r == EXIT_DAEMON)
                        break;
                r = run_module(settings, connection, output, settings->arguments.words[i]);
                first = first ? first : r;
        }
        return interrupt_came() ? EXIT_CANCELLED : first;
}

int verb_run(const Settings *settings) {
        int r;

        if (settings->here)
                return here_exec(settings);
        r = load_check(settings);
        if (r == 0)
                r = load_options(settings);
        return r ? r : connection_use(settings, run_modules);
}
