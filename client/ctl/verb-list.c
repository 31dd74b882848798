/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * list: the benchmarks of modules.
 */

#include "benchd/client.h"
#include "ctl/complain.h"
#include "ctl/connection.h"
#include "ctl/exit.h"
#include "ctl/load.h"
#include "ctl/settings.h"
#include "ctl/verb.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

static int list_module(const Settings *settings, Connection *connection, Output *output, const char *path) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        uint64_t id;
        int r;

        r = load_module(settings, path, &module);
        if (r)
                return r;
        r = benchd_client_list(connection->client, module, settings->options, &id);
        if (r) {
                complain("Cannot send %s: %s.", path, benchd_error_string(r));
                return EXIT_USAGE;
        }
        return connection_print(connection, id, SHOW_LISTING, output);
}

static int list_modules(const Settings *settings, Connection *connection, Output *output) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < settings->arguments.n; i++)
                r = list_module(settings, connection, output, settings->arguments.words[i]);
        return r;
}

int verb_list(const Settings *settings) {
        int r;

        r = load_check(settings);
        if (r == 0)
                r = load_options(settings);
        return r ? r : connection_use(settings, list_modules);
}
