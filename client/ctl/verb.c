/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verb.h"

#include <string.h>

#include "util/cleanup.h"

/* clang-format off */
static const Verb verbs[] = {
        { "run", "[OPTIONS] [AREA|MODULE.so|MODULE.c...] [-- FILTER...]", "measure the built-in benchmarks, or those of modules", VERB_RUN, verb_run },
        { "compare", "[OPTIONS] OLD NEW [FILTER...]", "compare two modules or sources, or FILE#AREA/BENCHMARK of each", VERB_COMPARE, verb_compare },
        { "list", "[OPTIONS] [AREA|MODULE.so|MODULE.c...] [-- FILTER...]", "list the built-in benchmarks, or those of modules", VERB_LIST, verb_list },
        { "source", "[OPTIONS] [MODULE.so|MODULE.c...|@JOB] BENCHMARK", "print the source of a benchmark", VERB_SOURCE, verb_source },
        { "disasm", "[OPTIONS] [MODULE.so|MODULE.c...|@JOB] BENCHMARK", "print the machine code of a benchmark, its timed loop marked", VERB_DISASM, verb_disasm },
        { "new", "NAME.c", "write a source file to begin with", VERB_NEW, verb_new },
        { "edit", "MODULE.c... [BENCHMARK] | [AREA/]BENCHMARK [DIRECTORY]", "edit a benchmark, then build and run it", VERB_EDIT, verb_edit },
        { "debug", "[OPTIONS] MODULE.so|MODULE.c... BENCHMARK [-- DEBUGGER-OPTION...]", "stop a benchmark in gdb where its loop begins", VERB_DEBUG, verb_debug },
        { "unpack", "[DIRECTORY] [AREA...]", "write the sources of the built-in benchmarks", VERB_UNPACK, verb_unpack },
        { "history", "[OPTIONS] [FILTER]", "list jobs, or the times of benchmarks in them", VERB_HISTORY, verb_history },
        { "show", "[OPTIONS] [JOB | FILE.json] | A B", "print the result of an earlier job, or two side by side", VERB_SHOW, verb_show },
        { "status", "[OPTIONS]", "show the daemon, its clock, CPUs and queue", VERB_STATUS, verb_status },
        { "wait", "[OPTIONS] [JOB]", "wait for a detached run, and print its result", VERB_WAIT, verb_wait },
        { "cancel", "[OPTIONS] JOB", "cancel a job", VERB_CANCEL, verb_cancel },
        { "pin", "[OPTIONS] JOB", "keep a job's module even when space runs short", VERB_PIN, verb_pin },
        { "unpin", "[OPTIONS] JOB", "keep a job's module no longer than others", VERB_PIN, verb_unpin },
        { "set-governor", "[OPTIONS] NAME|--restore", "set the governor of the CPUs until it is restored", VERB_GOVERNOR, verb_set_governor,
          "performance|powersave|high-performance|balanced|power-saver" },
        { "bridge", "[OPTIONS]", "carry a connection from another machine, for its --host", VERB_BRIDGE, verb_bridge },
        { "help", "[COMMAND]", "print this help, or that of a command", VERB_HELP, verb_help },
        { "version", "", "print the version", VERB_VERSION, verb_version },
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

const Verb *verb_find_typed(const char *word) {
        const Verb *exact = verb_find(word), *found = NULL;

        if (exact || !*word)
                return exact;
        for (size_t i = 0; i < N_ELEMENTS(verbs); i++) {
                if (strncmp(verbs[i].name, word, strlen(word)) != 0)
                        continue;
                if (found)
                        return NULL;
                found = &verbs[i];
        }
        return found;
}
