/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * list: the benchmarks of modules.
 */

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/load.h"
#include "ctl/ask/target.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

static int list_target(const Settings *settings, Connection *connection, Output *output, const Target *target) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        uint64_t id;
        int r;

        r = target_set_filters(settings, connection->subject, target);
        if (r == 0)
                r = target_load(settings, target, &module);
        if (r)
                return r;
        r = benchd_client_list(connection->client, module, settings->options, &id);
        if (r) {
                complain("Cannot send %s: %s.", target->name, benchd_error_string(r));
                return EXIT_USAGE;
        }
        return connection_print(connection, id, SHOW_LISTING, output);
}

static int list_targets(const Settings *settings, Connection *connection, Output *output) {
        const Targets *targets = connection->subject;
        int r = 0;

        output_expect(output, targets->n);
        for (size_t i = 0; r == 0 && i < targets->n; i++)
                r = list_target(settings, connection, output, &targets->targets[i]);
        return r;
}

int verb_list(const Settings *settings) {
        _cleanup_(targets_clear) Targets targets = {};
        int r;

        r = targets_find(settings, &targets);
        if (r == 0)
                r = load_environment(settings);
        return r ? r : connection_use_for(settings, list_targets, &targets);
}
