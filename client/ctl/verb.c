/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verb.h"

#include <string.h>

#include "util/cleanup.h"

#define LATER(name, usage, about)                                                                                      \
 { name, usage, about, VERB_LATER, NULL }

/* clang-format off */
static const Verb verbs[] = {
        { "run", "[OPTIONS] MODULE.so... [-- FILTER...]", "measure", VERB_RUN, verb_run },
        { "list", "[OPTIONS] MODULE.so... [-- FILTER...]", "what a module holds", VERB_LIST, verb_list },
        { "status", "[OPTIONS]", "the daemon, its clock, CPUs and queue", VERB_STATUS, verb_status },
        LATER("compare", "OLD NEW [FILTER...]", "two modules, or a module and an earlier run, paired"),
        LATER("doctor", "", "what disturbs timing on this machine, and what to do about it"),
        LATER("noise", "[--cpus=LIST] [--seconds=N]", "the machine's own floor"),
        LATER("set-governor", "NAME|--restore [--cpus=LIST]", "the CPUs' frequency governor"),
        LATER("history", "[FILTER]", "earlier runs"),
        LATER("show", "JOB", "an earlier run again"),
        LATER("cancel", "JOB", "end a detached run"),
        LATER("wait", "JOB", "wait for a detached run"),
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
