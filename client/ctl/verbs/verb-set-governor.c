/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * set-governor: sets the governor of the CPUs' frequency by its name, or restores it.
 */

#include <jansson.h>
#include <string.h>

#include "ctl/ask/connection.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

/* True if the machine did not take the change. */
static bool is_missed(const json_t *change) {
        static const char *const outcomes[] = { "denied", "overridden", "unsupported", "waiting" };
        const char *outcome = json_text_at(change, "outcome");

        for (size_t i = 0; outcome && i < N_ELEMENTS(outcomes); i++)
                if (strcmp(outcome, outcomes[i]) == 0)
                        return true;
        return false;
}

/* Reads --cpus as numbers; none without it. Returns 0 or an exit code. */
static int read_cpus(const Settings *settings, json_t *numbers) {
        cpu_set_t set;

        if (!settings->cpus)
                return 0;
        if (cpu_list_parse(settings->cpus, &set) != 0 || CPU_COUNT(&set) == 0) {
                complain("'%s' is not a list of CPUs, such as 0-3,7.", settings->cpus);
                return EXIT_USAGE;
        }
        for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &set))
                        json_array_append_new(numbers, json_integer((json_int_t)cpu));
        return 0;
}

static int set_governor(const Settings *settings, Connection *connection, Output *output) {
        const char *name = settings->restore ? NULL : settings->arguments.words[0];
        _cleanup_(json_decrefp) json_t *json = NULL, *cpus = json_array();
        const json_t *changes;
        int r;

        r = read_cpus(settings, cpus);
        if (r == 0)
                r = connection_ask(connection, "set_governor",
                                name ? json_pack("{ss sO}", "name", name, "cpus", cpus)
                                     : json_pack("{sb sO}", "restore", true, "cpus", cpus),
                                &json);
        if (r == 0)
                r = output_print(output, SHOW_GOVERNOR, json);
        if (r)
                return r;
        changes = json_at(json, "changes");
        for (size_t i = 0; i < json_array_size(changes); i++) {
                if (!is_missed(json_array_get(changes, i)))
                        continue;
                complain("Some changes were not applied.");
                return EXIT_MACHINE;
        }
        return 0;
}

int verb_set_governor(const Settings *settings) {
        return connection_use(settings, set_governor);
}
