/* SPDX-License-Identifier: GPL-3.0-or-later */

/* exec: measures whole commands in the world of the user. */

#include "ctl/ask/connection.h"
#include "ctl/ask/exec/exec-job.h"
#include "ctl/ask/exec/exec-plan.h"
#include "ctl/verbs/verbs.h"

static int exec_use(const Settings *settings, Connection *connection, Output *output) {
        return exec_job_run(settings, connection, output, connection->subject, NULL);
}

int verb_exec(const Settings *settings) {
        _cleanup_(exec_plan_freep) ExecPlan *plan = NULL;
        int r;

        r = exec_plan_new(settings, &plan);
        return r ? r : connection_use_for(settings, exec_use, plan);
}
