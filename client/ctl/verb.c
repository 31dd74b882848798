/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verb.h"

#include <string.h>

#include "util/cleanup.h"

#define LATER(name, usage, about)                                                                                      \
 { name, usage, about, VERB_LATER, NULL }

/* clang-format off */
static const Verb verbs[] = {
        { "run", "[OPTIONS] MODULE.so... [-- FILTER...]", "measure", VERB_RUN, verb_run },
        { "compare", "[OPTIONS] OLD NEW [FILTER...]", "two modules, or two benchmarks (FILE#AREA/BENCHMARK), in turns", VERB_COMPARE, verb_compare },
        { "list", "[OPTIONS] MODULE.so... [-- FILTER...]", "what a module holds", VERB_LIST, verb_list },
        { "status", "[OPTIONS]", "the daemon, its clock, CPUs and queue", VERB_STATUS, verb_status },
        { "wait", "[OPTIONS] JOB", "wait for a job, such as a detached run, and print what it gave", VERB_WAIT, verb_wait },
        { "show", "[OPTIONS] JOB", "what an earlier job gave", VERB_SHOW, verb_show },
        { "cancel", "[OPTIONS] JOB", "end a job", VERB_CANCEL, verb_cancel },
        { "history", "[OPTIONS] [FILTER]", "the jobs there are and were", VERB_HISTORY, verb_history },
        { "pin", "[OPTIONS] JOB", "keep a job's module, however little room there is", VERB_PIN, verb_pin },
        { "unpin", "[OPTIONS] JOB", "keep it no longer than others", VERB_PIN, verb_unpin },
        LATER("doctor", "", "what disturbs timing on this machine, and what to do about it"),
        LATER("noise", "[--cpus=LIST] [--seconds=N]", "the machine's own floor"),
        LATER("set-governor", "NAME|--restore [--cpus=LIST]", "the CPUs' frequency governor"),
        LATER("source", "BENCHMARK", "a built-in benchmark's source"),
        LATER("disasm", "MODULE.so BENCHMARK", "the measured loop's machine code"),
        LATER("unpack", "DIR", "the built-in benchmarks' sources"),
        LATER("edit", "BENCHMARK", "change a built-in benchmark"),
        LATER("new", "NAME.c", "begin a module"),
        LATER("debug", "MODULE.so BENCHMARK", "run a benchmark under gdb"),
        LATER("exec", "[OPTIONS] -- COMMAND", "measure a whole command"),
};
/* clang-format on */

const Verb *verb_at(size_t index) {
        return index < N_ELEMENTS(verbs) ? &verbs[index] : NULL;
}

const Verb *verb_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(verbs); i++)
                if (strcmp(verbs[i].name, name) == 0)
                        return &verbs[i];
        return NULL;
}
