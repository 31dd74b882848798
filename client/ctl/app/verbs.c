/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/app/verbs.h"

#include <string.h>

#include "ctl/show/show.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"

#define ASKS (VERB_DAEMON | VERB_ANSWER)

static const char areas_note[] = "An area is one of the built-in benchmarks; with nothing named, all of them.\n";
static const char filters_note[] =
                "A filter is a glob over area/benchmark/arg=value, or over arg=value alone;\na leading ! excludes.\n";
static const char benchmark_note[] = "BENCHMARK is AREA/NAME, or NAME if one area has it; without a module it is a\n"
                                     "built-in one. @JOB stands for the module of an earlier job.\n";
static const char job_note[] = "JOB is the id of a job or an unambiguous beginning of it; 'benchctl history'\n"
                               "lists jobs.\n";

/* clang-format off */
static const Verb verbs[] = {
        { "run", "[AREA|MODULE.so|MODULE.c...] [-- FILTER...]", "measure the built-in benchmarks, or those of modules",
          ASKS | VERB_PRIVATE | VERB_RESULT | VERB_MEASURE | VERB_MODULE | VERB_TARGETS | VERB_RUN, SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_ACCEPTED) | SHOW_BIT(SHOW_FLEET), verb_run,
          .takes = "areas and modules", .notes = { areas_note, filters_note } },
        { "compare", "OLD NEW [FILTER...] | --git|--build MODULE [FILTER...]", "compare two modules or sources, FILE#AREA/BENCHMARK of each, or commits",
          ASKS | VERB_PRIVATE | VERB_MEASURE | VERB_MODULE | VERB_COMPARE, SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_ACCEPTED) | SHOW_BIT(SHOW_FLEET), verb_compare,
          .takes = "two modules", .notes = { filters_note },
          .example = "Two files: old.so new.so; several sources a side: old.c,impl.c new.c,impl.c; an earlier job's module: @JOB new.so; two benchmarks of one module: m.so#area/a m.so#area/b; two commits: --git=main bench.c" },
        { "bisect", "GOOD BAD MODULE.so|MODULE.c [-- FILTER] | --exec GOOD BAD", "find the commit that changed a benchmark's time",
          ASKS | VERB_PRIVATE | VERB_MODULE | VERB_BISECT, SHOW_BIT(SHOW_BISECT), verb_bisect,
          .takes = "two commits and a module, or --exec=COMMAND",
          .notes = { "GOOD and BAD are commits of the repository around the current directory, the\nolder one first. MODULE is named as in this directory.\n" },
          .example = "For example: benchctl bisect v1.0 HEAD --build='make bench.so' bench.so -- sort/qsort" },
        { "exec", "[COMMAND...] [-- PROGRAM...]", "measure whole commands, and compare them with the first",
          VERB_ANSWER | VERB_PRIVATE | VERB_RESULT | VERB_MEASURE | VERB_EXEC, SHOW_BIT(SHOW_RESULT), verb_exec,
          .takes = "commands, each as one word for the shell",
          .example = "For example: benchctl exec 'gzip -1 -k -f x' 'gzip -9 -k -f x', or benchctl exec -- gzip -k -f x" },
        { "list", "[AREA|MODULE.so|MODULE.c...] [-- FILTER...]", "list the built-in benchmarks, or those of modules",
          ASKS | VERB_PRIVATE | VERB_MODULE | VERB_TARGETS, SHOW_BIT(SHOW_LISTING), verb_list,
          .takes = "areas and modules", .notes = { areas_note, filters_note } },
        { "source", "[MODULE.so|MODULE.c...|@JOB] BENCHMARK", "print the source of a benchmark",
          ASKS | VERB_PRIVATE | VERB_CODE | VERB_SOURCE, SHOW_BIT(SHOW_SOURCE), verb_source,
          .takes = "a module and one of its benchmarks", .notes = { benchmark_note },
          .example = "For example: benchctl source mybench.so strlen; without a module it is a built-in benchmark." },
        { "disasm", "[MODULE.so|MODULE.c...|@JOB] BENCHMARK", "print the machine code of a benchmark, its timed loop marked",
          ASKS | VERB_PRIVATE | VERB_CODE | VERB_DISASM, SHOW_BIT(SHOW_CODE), verb_disasm,
          .takes = "a module and one of its benchmarks", .notes = { benchmark_note },
          .example = "For example: benchctl disasm mybench.so strlen; without a module it is a built-in benchmark." },
        { "new", "NAME.c", "write a source file to begin with",
          0, 0, verb_new,
          .takes = "the name of one file",
          .example = "For example: benchctl new mybench.c" },
        { "edit", "MODULE.c... [BENCHMARK] | [AREA/]BENCHMARK [DIRECTORY]", "edit a benchmark, then build and run it",
          0, 0, verb_edit,
          .takes = "a benchmark",
          .example = "For example: benchctl edit strings/strlen, or benchctl edit mybench.c" },
        { "debug", "[MODULE.c...|MODULE.so] BENCHMARK [-- DEBUGGER-OPTION...]", "stop a benchmark in gdb where its loop begins",
          VERB_DEBUG, 0, verb_debug,
          .takes = "a module and a benchmark",
          .example = "For example: benchctl debug mybench.c strlen; or a built-in one: benchctl debug strings/strlen" },
        { "unpack", "[DIRECTORY] [AREA...]", "write the sources of the built-in benchmarks",
          0, 0, verb_unpack,
          .takes = "a directory and areas" },
        { "history", "[FILTER]", "list jobs, or the times of benchmarks in them",
          ASKS | VERB_PRIVATE_RESULTS | VERB_HISTORY, SHOW_BIT(SHOW_HISTORY) | SHOW_BIT(SHOW_TREND), verb_history,
          .takes = "one filter",
          .notes = { "A filter is a glob over area/benchmark/arg=value: its times, one line a run.\n" },
          .example = "A filter is a glob over area/benchmark/arg=value; --module=GLOB narrows it to modules." },
        { "show", "[JOB | FILE.json] [-- FILTER...] | A B [-- FILTER...]", "print the result of an earlier job, or two side by side",
          ASKS | VERB_PRIVATE_RESULTS | VERB_RESULT | VERB_EARLIER_RESULT | VERB_SHOW, SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_SIDE_BY_SIDE) | SHOW_BIT(SHOW_FLEET), verb_show,
          .takes = "one job",
          .notes = { job_note, "FILE.json holds a result, or several, as --format=json wrote them. A FILTER\n"
                                           "chooses rows, as after run.\n" } },
        { "status", "", "show the daemon, its clock, CPUs and queue",
          ASKS | VERB_PRIVATE, SHOW_BIT(SHOW_STATUS), verb_status },
        { "wait", "[JOB]", "wait for a detached run, and print its result",
          ASKS | VERB_RESULT | VERB_EARLIER_RESULT, SHOW_BIT(SHOW_RESULT), verb_wait,
          .takes = "one job", .notes = { job_note } },
        { "cancel", "JOB", "cancel a job",
          ASKS, SHOW_BIT(SHOW_CHANGE), verb_cancel,
          .takes = "one job", .notes = { job_note } },
        { "pin", "JOB", "keep a job's module even when space runs short",
          ASKS, SHOW_BIT(SHOW_CHANGE), verb_pin,
          .takes = "one job", .notes = { job_note } },
        { "unpin", "JOB", "keep a job's module no longer than others",
          ASKS, SHOW_BIT(SHOW_CHANGE), verb_unpin,
          .takes = "one job", .notes = { job_note } },
        { "set-governor", "NAME|--restore", "set the governor of the CPUs until it is restored",
          ASKS | VERB_GOVERNOR, SHOW_BIT(SHOW_GOVERNOR), verb_set_governor,
          .takes = "one name or --restore", .values = "performance|powersave|high-performance|balanced|power-saver",
          .notes = { "NAME is a kernel governor, such as performance or powersave, or a scheme, which\n" "also sets the energy preference, boost and the firmware's profile:\n" "high-performance, balanced, power-saver.\n" },
          .example = "For example: benchctl set-governor performance" },
        { "bridge", "", "carry a connection from another machine, for its --host",
          VERB_PRIVATE | VERB_BRIDGE, 0, verb_bridge },
        { "help", "[COMMAND]", "print this help, or that of a command", .option = "help", .takes = "one command" },
        { "version", "", "print the version", .option = "version" },
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

bool verb_takes(const Verb *verb, unsigned traits) {
        return traits == VERB_ANY || (verb ? verb->traits : VERB_ANSWER) & traits;
}
