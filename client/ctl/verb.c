/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verb.h"

#include <string.h>

#include "ctl/show.h"
#include "util/cleanup.h"

#define ASKS (VERB_DAEMON | VERB_ANSWER)

static const char areas_note[] = "An area is one of the built-in benchmarks; with nothing named, all of them.\n";
static const char filters_note[] = "A filter is a glob over area/benchmark/arg=value; a leading ! excludes.\n";
static const char benchmark_note[] = "BENCHMARK is AREA/NAME, or NAME if one area has it; without a module it is a\n"
                                     "built-in one. @JOB stands for the module of an earlier job.\n";
static const char job_note[] = "JOB is the id of a job or an unambiguous beginning of it; 'benchctl history'\n"
                               "lists jobs.\n";

static const Verb verbs[] = {
        {
                        .name = "run",
                        .operands = "[AREA|MODULE.so|MODULE.c...] [-- FILTER...]",
                        .about = "measure the built-in benchmarks, or those of modules",
                        .takes = "areas and modules",
                        .notes = { areas_note, filters_note },
                        .traits = ASKS | VERB_PRIVATE | VERB_RESULT | VERB_MEASURE | VERB_MODULE | VERB_TARGETS |
                                  VERB_RUN,
                        .answers = SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_ACCEPTED) | SHOW_BIT(SHOW_FLEET),
                        .run = verb_run,
        },
        {
                        .name = "compare",
                        .operands = "OLD NEW [FILTER...]",
                        .about = "compare two modules or sources, or FILE#AREA/BENCHMARK of each",
                        .takes = "two modules",
                        .example = "Two files: old.so new.so; several sources a side: old.c,impl.c new.c,impl.c; an earlier job's "
                                   "module: @JOB new.so; two benchmarks of one module: m.so#area/a m.so#area/b",
                        .notes = { filters_note },
                        .traits = ASKS | VERB_PRIVATE | VERB_MEASURE | VERB_MODULE | VERB_COMPARE,
                        .answers = SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_ACCEPTED) | SHOW_BIT(SHOW_FLEET),
                        .run = verb_compare,
        },
        {
                        .name = "list",
                        .operands = "[AREA|MODULE.so|MODULE.c...] [-- FILTER...]",
                        .about = "list the built-in benchmarks, or those of modules",
                        .takes = "areas and modules",
                        .notes = { areas_note, filters_note },
                        .traits = ASKS | VERB_PRIVATE | VERB_MODULE | VERB_TARGETS,
                        .answers = SHOW_BIT(SHOW_LISTING),
                        .run = verb_list,
        },
        {
                        .name = "source",
                        .operands = "[MODULE.so|MODULE.c...|@JOB] BENCHMARK",
                        .about = "print the source of a benchmark",
                        .takes = "a module and one of its benchmarks",
                        .example = "For example: benchctl source mybench.so strlen; without a module it is a built-in benchmark.",
                        .notes = { benchmark_note },
                        .traits = ASKS | VERB_PRIVATE | VERB_CODE | VERB_SOURCE,
                        .answers = SHOW_BIT(SHOW_SOURCE),
                        .run = verb_source,
        },
        {
                        .name = "disasm",
                        .operands = "[MODULE.so|MODULE.c...|@JOB] BENCHMARK",
                        .about = "print the machine code of a benchmark, its timed loop marked",
                        .takes = "a module and one of its benchmarks",
                        .example = "For example: benchctl disasm mybench.so strlen; without a module it is a built-in benchmark.",
                        .notes = { benchmark_note },
                        .traits = ASKS | VERB_PRIVATE | VERB_CODE | VERB_DISASM,
                        .answers = SHOW_BIT(SHOW_CODE),
                        .run = verb_disasm,
        },
        {
                        .name = "new",
                        .operands = "NAME.c",
                        .about = "write a source file to begin with",
                        .takes = "the name of one file",
                        .example = "For example: benchctl new mybench.c",
                        .run = verb_new,
        },
        {
                        .name = "edit",
                        .operands = "MODULE.c... [BENCHMARK] | [AREA/]BENCHMARK [DIRECTORY]",
                        .about = "edit a benchmark, then build and run it",
                        .takes = "a benchmark",
                        .example = "For example: benchctl edit strings/strlen, or benchctl edit mybench.c",
                        .run = verb_edit,
        },
        {
                        .name = "debug",
                        .operands = "[MODULE.c...|MODULE.so] BENCHMARK [-- DEBUGGER-OPTION...]",
                        .about = "stop a benchmark in gdb where its loop begins",
                        .takes = "a module and a benchmark",
                        .example = "For example: benchctl debug mybench.c strlen; or a built-in one: benchctl debug strings/strlen",
                        .traits = VERB_DEBUG,
                        .run = verb_debug,
        },
        {
                        .name = "unpack",
                        .operands = "[DIRECTORY] [AREA...]",
                        .about = "write the sources of the built-in benchmarks",
                        .takes = "a directory and areas",
                        .run = verb_unpack,
        },
        {
                        .name = "history",
                        .operands = "[FILTER]",
                        .about = "list jobs, or the times of benchmarks in them",
                        .takes = "one filter",
                        .example = "A filter is a glob over area/benchmark/arg=value; --module=GLOB narrows it to modules.",
                        .notes = { "A filter is a glob over area/benchmark/arg=value: its times, one line a run.\n" },
                        .traits = ASKS | VERB_PRIVATE_RESULTS | VERB_HISTORY,
                        .answers = SHOW_BIT(SHOW_HISTORY) | SHOW_BIT(SHOW_TREND),
                        .run = verb_history,
        },
        {
                        .name = "show",
                        .operands = "[JOB | FILE.json] | A B",
                        .about = "print the result of an earlier job, or two side by side",
                        .takes = "one job",
                        .notes = { job_note, "FILE.json holds a result, or several, as --format=json wrote them.\n" },
                        .traits = ASKS | VERB_PRIVATE_RESULTS | VERB_RESULT | VERB_EARLIER_RESULT | VERB_SHOW,
                        .answers = SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_SIDE_BY_SIDE) | SHOW_BIT(SHOW_FLEET),
                        .run = verb_show,
        },
        {
                        .name = "status",
                        .operands = "",
                        .about = "show the daemon, its clock, CPUs and queue",
                        .traits = ASKS | VERB_PRIVATE,
                        .answers = SHOW_BIT(SHOW_STATUS),
                        .run = verb_status,
        },
        {
                        .name = "wait",
                        .operands = "[JOB]",
                        .about = "wait for a detached run, and print its result",
                        .takes = "one job",
                        .notes = { job_note },
                        .traits = ASKS | VERB_RESULT | VERB_EARLIER_RESULT,
                        .answers = SHOW_BIT(SHOW_RESULT),
                        .run = verb_wait,
        },
        {
                        .name = "cancel",
                        .operands = "JOB",
                        .about = "cancel a job",
                        .takes = "one job",
                        .notes = { job_note },
                        .traits = ASKS,
                        .answers = SHOW_BIT(SHOW_CHANGE),
                        .run = verb_cancel,
        },
        {
                        .name = "pin",
                        .operands = "JOB",
                        .about = "keep a job's module even when space runs short",
                        .takes = "one job",
                        .notes = { job_note },
                        .traits = ASKS,
                        .answers = SHOW_BIT(SHOW_CHANGE),
                        .run = verb_pin,
        },
        {
                        .name = "unpin",
                        .operands = "JOB",
                        .about = "keep a job's module no longer than others",
                        .takes = "one job",
                        .notes = { job_note },
                        .traits = ASKS,
                        .answers = SHOW_BIT(SHOW_CHANGE),
                        .run = verb_unpin,
        },
        {
                        .name = "set-governor",
                        .operands = "NAME|--restore",
                        .about = "set the governor of the CPUs until it is restored",
                        .takes = "one name or --restore",
                        .example = "For example: benchctl set-governor performance",
                        .notes = { "NAME is a kernel governor, such as performance or powersave, or a scheme, which\n"
                                   "also sets the energy preference, boost and the firmware's profile:\n"
                                   "high-performance, balanced, power-saver.\n" },
                        .values = "performance|powersave|high-performance|balanced|power-saver",
                        .traits = ASKS | VERB_GOVERNOR,
                        .answers = SHOW_BIT(SHOW_GOVERNOR),
                        .run = verb_set_governor,
        },
        {
                        .name = "bridge",
                        .operands = "",
                        .about = "carry a connection from another machine, for its --host",
                        .traits = VERB_PRIVATE | VERB_BRIDGE,
                        .run = verb_bridge,
        },
        {
                        .name = "help",
                        .operands = "[COMMAND]",
                        .about = "print this help, or that of a command",
                        .takes = "one command",
                        .option = "help",
        },
        {
                        .name = "version",
                        .operands = "",
                        .about = "print the version",
                        .option = "version",
        },
};

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

bool verb_takes(const Verb *verb, unsigned traits) {
        return traits == VERB_ANY || (verb ? verb->traits : VERB_ANSWER) & traits;
}
