/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/app/command-options.h"

#include <string.h>

#include "benchd/client.h"
#include "ctl/app/settings.h"
#include "ctl/app/verbs.h"
#include "ctl/model/headline.h"
#include "ctl/model/times.h"
#include "util/cleanup.h"
#include "words/here-options.h"

#define OF_RUN_MAX 64u

#define FIELD(name) offsetof(Settings, name)

/* clang-format off */
static const CommandOption own_rows[] = {
        {
                .name = "with", .value = "LIB.so", .kind = OPTION_LIST, .verbs = VERB_MODULE | VERB_CODE | VERB_DEBUG, .offset = FIELD(with), .here = true,
                .help = "send a library along, for modules that need it and for dlopen()",
                .section = "Measuring",
                .text = "Send a library along, for the module and its libraries that need it, and for *dlopen*(3) in the body; for *compare* with "
                        "both sides. May be given several times.",
        },
        {
                .name = "preload", .value = "LIB.so", .kind = OPTION_LIST, .verbs = VERB_MODULE | VERB_DEBUG, .offset = FIELD(preload), .here = true,
                .help = "preload a library into the measured process, such as an allocator",
                .section = "Measuring",
                .text = "Preload a library into the measured process, as _LD_PRELOAD_ does into a program: its functions stand in for those of libc "
                        "and of all libraries, but not for the module's own. So *benchctl run --preload=libjemalloc.so.2 bench.c* times another "
                        "allocator. It is sent along like a library of *--with*. A name without a slash that is not a file is searched for where "
                        "the dynamic loader looks: in LD_LIBRARY_PATH, then in the system's directories. May be given several times; the first "
                        "one's functions come first. *compare* preloads it on both sides, except that a side @JOB has the libraries that were "
                        "preloaded in that job: *benchctl compare @JOB --preload=LIB.so bench.so* compares a module without the library and the "
                        "same module with it. _LD_PRELOAD_ of *--env* comes after it. The body's environment does not show it, and programs that "
                        "the body starts do not inherit it. The library's name is in the table's first line and in the comparability key; the JSON "
                        "has its SHA-256 too (_module.libraries_). *--memory* counts allocations before a preloaded allocator is called.",
        },
        {
                .name = "env", .value = "NAME=VALUE", .kind = OPTION_LIST, .verbs = VERB_MODULE | VERB_DEBUG, .offset = FIELD(environment), .here = true,
                .help = "set an environment variable for the module",
                .section = "Measuring",
                .text = "Set an environment variable for the module. May be given several times.",
        },
        {
                .name = "input", .value = "FILE", .kind = OPTION_LIST, .verbs = VERB_MEASURE, .offset = FIELD(inputs), .here = true,
                .help = "give the benchmark a copy of FILE to open under the same name",
                .section = "Measuring",
                .text = "Give the body a read-only copy of FILE, at most 64 MiB, under the same name in its working directory. May be given up to "
                        "eight times; *compare* gives both sides the same files. The JSON has the SHA-256 of each (_inputs_). Inputs are not kept "
                        "with the module.",
        },
        {
                .name = "separate", .kind = OPTION_FLAG, .verbs = VERB_TARGETS, .offset = FIELD(separate), .here = true,
                .help = "build each source file as a separate module, rather than all as one",
                .section = "Measuring",
                .text = "Build each source file as a separate module, rather than all of them as one.",
        },
        {
                .name = "cpus", .value = "LIST", .kind = OPTION_TEXT, .verbs = VERB_MEASURE | VERB_GOVERNOR, .offset = FIELD(cpus),
                .help = "only CPUs of this list, such as 2,4-7 (default: all)",
        },
        {
                .name = "format", .value = "FORMAT", .kind = OPTION_TEXT, .verbs = VERB_ANSWER, .offset = FIELD(format),
                .help = "table (default), json, html or another format of the command",
                .section = "Output",
                .text = "Format of the output (default *table*). *benchctl-formats*(7) describes each. A format that the command cannot write is "
                        "refused, and the message lists those that it can.",
        },
        {
                .name = "scale", .value = "[BENCHMARK]", .kind = OPTION_TEXT, .verbs = VERB_RUN | VERB_EARLIER_RESULT, .offset = FIELD(scale),
                .help = "show times as multiples of BENCHMARK's (default: the run's reference)",
                .section = "Output",
                .text = "Show all times as multiples of BENCHMARK's time, by any method, below a line that names it. BENCHMARK is a name, with or "
                        "without its area, and with its arguments where it has several values of them: *--scale=strings/strlen/bytes=16*. Without a "
                        "BENCHMARK the reference is the one that the module marks (.reference = 1). An interval is that of the multiple, and "
                        "includes the errors of both times; the reference is 1, without an interval. *run* measures the reference in the same job "
                        "even where the filters leave it out, and refuses a name that matches no benchmark, or several. The row *EMPTY* is the "
                        "empty loop (see *benchctl-table*(7)). The JSON has times as measured, and the name of the reference (_reference_).",
        },
        {
                .name = "headline", .value = HEADLINE_WORDS, .values = HEADLINE_WORDS, .kind = OPTION_TEXT,
                .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(headline),
                .help = "show the mean as the time of benchmarks with a rare slow part",
                .section = "Output",
                .text = "_mean_ shows the average as the time of each benchmark that has a rare slow part (*benchctl-table*(7)), and the ratio of "
                        "the averages in a comparison. A comparison with a baseline always uses the medians. The JSON has both in any case.",
        },
        {
                .name = "unit", .letter = 'u', .value = TIMES_UNIT_WORDS, .values = TIMES_UNIT_WORDS, .kind = OPTION_TEXT,
                .verbs = VERB_RESULT | VERB_COMPARE | VERB_HISTORY, .offset = FIELD(unit),
                .help = "show all times in one unit (default: each in its own)",
                .section = "Output",
                .text = "Show all times of a result, a comparison or a history in one unit, each with four digits however small it is there, rather "
                        "than each in the unit that suits it (*auto*, the default). Drawings and pages use it too, and *gbench* writes it as "
                        "_time_unit_. Scaled times have no unit, and sentences above and below a table, such as warnings, keep their own. *json*, "
                        "*csv*, *go*, *bmf*, *mark* and *gnuplot* are always in nanoseconds. *BENCHCTL_UNIT* sets the unit for all commands of a "
                        "shell.",
        },
        {
                .name = "brief", .kind = OPTION_FLAG, .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(brief),
                .help = "JSON with only the fields that most scripts need",
                .section = "Output",
                .text = "Print JSON with only the fields that most scripts need, in the same places as in the whole document; *benchd-json*(5) "
                        "lists them. The schemas define them as _#/$defs/brief_.",
        },
        {
                .name = "columns", .value = "COLUMN,...", .kind = OPTION_TEXT, .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(columns),
                .help = "show these columns, joined by commas",
                .section = "Output",
                .text = "Show these columns, their names separated by commas, however wide the table becomes. Columns of a run: {names of run}. "
                        "Columns of a comparison: {names of comparison}; _time_ is both times. Columns for several machines are in "
                        "*benchd-fleet*(7). A line below the table names those that it does not have.",
        },
        {
                .name = "sort", .value = "KEY", .values = "name|time|ratio", .kind = OPTION_TEXT,
                .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(sort_by),
                .help = "sort rows by name, time or ratio",
                .section = "Output",
                .text = "Sort the rows by *name*, by *time* (shortest first) or, in a comparison, by *ratio*. The default is the module's order.",
        },
        {
                .name = "output", .letter = 'o', .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_ANSWER, .offset = FIELD(output),
                .help = "write the result to FILE",
                .section = "Output",
                .text = "Write the result to FILE. FILE is replaced only when the whole result is written, and stays as it was if there is none "
                        "(FILES). A suffix of a format, or its name, chooses it: _.json_, _.csv_, _.svg_ and those that *benchctl-formats*(7) lists. Without a "
                        "suffix, and with _.txt_, _.out_ or _.log_, it is the table. Any other suffix is refused, unless *--format* names the "
                        "format.",
        },
        {
                .name = "plot", .kind = OPTION_FLAG, .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(plot),
                .help = "below the table, plot each benchmark's samples by value and over time",
                .section = "Output",
                .text = "Draw the benchmarks below the table (PICTURES in *benchctl-table*(7)): the distribution of the samples, and their times in "
                        "the order in which they were taken, with what disturbed them. *run* and *compare* keep the samples for it, as with "
                        "*--keep-samples*; *show* can draw only samples that the earlier run kept.",
        },
        {
                .name = "open", .kind = OPTION_FLAG, .verbs = VERB_RESULT | VERB_COMPARE | VERB_HISTORY, .offset = FIELD(open),
                .help = "show the result as a page in the browser (BROWSER, or xdg-open)",
                .section = "Output",
                .text = "Show the result as a page (*--format=html*) in the browser: *BROWSER*, or else *xdg-open*(1). Without *--output* the page "
                        "is a new file in _TMPDIR_, or _/tmp_, that only this user can read; benchctl does not remove it.",
        },
        {
                .name = "raw", .value = "FILE.npz", .kind = OPTION_TEXT, .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(raw),
                .help = "also write every sample to FILE.npz, for numpy",
                .section = "Output",
                .text = "Also write every sample of the run to FILE.npz, in columns that numpy reads (*benchctl-formats*(7)). *run* and *compare* "
                        "keep the samples for it, as with *--keep-samples*; *show* can write only samples that the earlier run kept.",
        },
        {
                .name = "fail-on", .value = "slower,...", .values = "slower|unresolved|unfit", .kind = OPTION_LIST,
                .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(fail_on_typed),
                .help = "exit with an error if slower, unresolved, unfit, or time>5ms",
                .section = "Output",
                .text = "For scripts: exit with a distinct status if one of the named conditions holds (EXIT STATUS). A plain run takes _unfit_ and "
                        "at most eight limits of time: for all rows, as _time>5ms_, or for the rows that a filter matches, as _time(sort/*)>20us_. "
                        "Units are ps, ns, us, ms and s. May be given several times, which adds conditions. With *--baseline* it takes _slower_ and "
                        "_unresolved_ too.",
        },
        {
                .name = "baseline", .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_RESULT, .offset = FIELD(baseline),
                .help = "compare with the result that --save-baseline wrote to FILE",
                .section = "Output",
                .text = "With *run*, *wait* and *show*, compare with the result of the same module in FILE, which *--save-baseline* wrote. The "
                        "table, the formats and the verdicts are those of *compare*; _old_ is the baseline. The ratio is the quotient of the two "
                        "times, with Welch's interval at 95 %. A time that had the core alone and one beside a busy neighbour are not comparable: "
                        "such a row has neither a ratio nor a verdict, *--fail-on* does not judge it, and the output says so. The ratio includes "
                        "whatever changed on the machine between the two runs, so the default margin is 10 %: two runs on a guest an hour apart "
                        "differed by 4 to 8 % in most of the rows that did not agree. *benchctl compare* measures both sides in turns, and so "
                        "detects smaller differences. A baseline of other conditions (_comparability_key_) is refused with 5 after the result is "
                        "shown; the message names each difference and a remedy. A document of several machines is "
                        "not a baseline; *benchd-fleet*(7) shows how to extract the result of one machine.",
        },
        {
                .name = "save-baseline", .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_RESULT, .offset = FIELD(save_baseline),
                .help = "write the result to FILE, if the command succeeds",
                .section = "Output",
                .text = "With *run*, *wait* and *show*, also write the result to FILE, as *--format=json* does, if the command exits with 0. "
                        "Otherwise FILE stays as it was; with *--fail-on=unfit* it never holds an unfit result. Rows that are not reliable, or were "
                        "timed beside a busy neighbour, are saved, and named on stderr. Results of several modules are an array.",
        },
        {
                .name = "margin", .value = "P%", .kind = OPTION_TEXT, .verbs = VERB_RESULT | VERB_COMPARE | VERB_HISTORY, .offset = FIELD(margin),
                .help = "smallest difference that counts (default 0.5%, 10% against a baseline)",
                .section = "Output",
                .text = "Smallest difference that counts. *compare* and *--baseline* call a smaller one the same (default 0.5 %, and 10 % against a "
                        "baseline); *history* with a filter marks no smaller change and reports no smaller drift (default 0.5 %).",
        },
        {
                .name = "module", .value = "GLOB", .kind = OPTION_TEXT, .verbs = VERB_HISTORY, .offset = FIELD(module),
                .help = "only jobs whose module matches GLOB",
                .section = "Jobs",
                .text = "Only jobs whose module matches GLOB: its path as it was typed, or the name of its file.",
        },
        {
                .name = "since", .value = "TIME", .kind = OPTION_TEXT, .verbs = VERB_HISTORY, .offset = FIELD(since),
                .help = "only jobs submitted since TIME: 2h, 3d, yesterday, 2026-05-01",
                .section = "Jobs",
                .text = "Only jobs submitted since TIME: *90s*, *5min*, *2h*, *3d* or *1w* ago, *today*, *yesterday*, *2026-05-01* or *'2026-05-01 "
                        "14:30'* in local time.",
        },
        {
                .name = "state", .value = "STATE", .values = "queued|running|done|failed|cancelled|lost", .kind = OPTION_TEXT,
                .verbs = VERB_HISTORY, .offset = FIELD(state),
                .help = "only queued, running, done, failed, cancelled or lost jobs",
                .section = "Jobs",
                .text = "Only jobs that are *queued*, *running*, *done*, *failed* (no result), *cancelled* or *lost*.",
        },
        {
                .name = "limit", .value = "N", .kind = OPTION_TEXT, .verbs = VERB_HISTORY, .offset = FIELD(limit),
                .help = "at most the N latest jobs (default 100)",
                .section = "Jobs",
                .text = "At most the N latest jobs, 1 to 1000 (default 100).",
        },
        {
                .name = "static-limit", .kind = OPTION_FLAG, .verbs = VERB_DISASM, .offset = FIELD(static_limit),
                .help = "also show the fewest cycles by llvm-mca, and the cycles of a quick run",
        },
        {
                .name = "all-users", .kind = OPTION_FLAG, .verbs = VERB_HISTORY, .offset = FIELD(all_users),
                .help = "other users' jobs too, where that is allowed",
                .section = "Jobs",
                .text = "Other users' jobs too, with their uids: for root, and where the daemon's configuration allows it.",
        },
        {
                .name = "all", .kind = OPTION_FLAG, .verbs = VERB_SOURCE, .offset = FIELD(all),
                .help = "print the whole file",
        },
        {
                .name = "source-dir", .value = "DIRECTORY", .kind = OPTION_LIST, .verbs = VERB_CODE, .offset = FIELD(source_directories),
                .help = "open sources below DIRECTORY that debug information names",
                .section = "Measuring",
                .text = "With *source* and *disasm*, open sources below DIRECTORY that the module's debug information names, hidden ones too, and look "
                        "there for a file that is not where it was compiled. May be given several times.",
        },
        {
                .name = "explain", .kind = OPTION_FLAG, .verbs = VERB_COMPARE, .offset = FIELD(explain),
                .help = "show the machine code of both timed loops side by side",
        },
        {
                .name = "restore", .kind = OPTION_FLAG, .verbs = VERB_GOVERNOR, .offset = FIELD(restore),
                .help = "put back the governor from before set-governor",
        },
        {
                .name = "private", .kind = OPTION_FLAG, .verbs = VERB_PRIVATE | VERB_PRIVATE_RESULTS, .offset = FIELD(private_daemon),
                .help = "use a private daemon; with show and history, results of private daemons",
                .section = "Daemon",
                .text = "Start a private daemon for this command, with the rights of the user. It exits with benchctl, so nothing can be detached "
                        "from it, and it knows no earlier jobs. Its results are kept for *show* and *history*: with this option they read the "
                        "results of private daemons, and start none. The latest 200 are kept, at most 64 MiB in all, readable by the user alone "
                        "(FILES). Results that cannot be kept carry no job id.",
        },
        {
                .name = "here", .kind = OPTION_FLAG, .verbs = VERB_RUN, .offset = FIELD(here), .here = true,
                .help = "run in this process, without a daemon, for gdb, perf and valgrind",
                .section = "Daemon",
                .text = "Run one module in the process that was started, without a daemon, for debuggers, profilers and sanitizers: see DEBUGGING.",
        },
        {
                .name = "socket", .value = "PATH", .kind = OPTION_TEXT, .verbs = VERB_DAEMON | VERB_PRIVATE, .offset = FIELD(socket),
                .help = "connect to the daemon at PATH",
                .section = "Daemon",
                .text = "Connect to the daemon at PATH, instead of *BENCHD_SOCKET* or _/run/benchd/benchd.sock_. With *--host*, PATH is on the "
                        "other machine, and so is the variable.",
        },
        {
                .name = "host", .value = "HOST", .kind = OPTION_TEXT, .verbs = VERB_DAEMON, .offset = FIELD(host),
                .help = "use the daemon of [USER@]HOST, over ssh; for run and compare also HOST,HOST..., @FILE or slurm",
                .section = "Daemon",
                .text = "Use the daemon of another machine, over *ssh*(1); *benchctl* must be installed there too. HOST is [_USER_@]_HOST_ or a "
                        "name from _~/.ssh/config_. Every command that asks a daemon takes this option and prints the same. Modules, libraries and "
                        "inputs are read on this machine and sent along; output files are written here. The module must fit the other machine: its "
                        "processor, and its C library. With *--private* a private daemon is started on the other machine; its results are kept "
                        "here, like those of private daemons of this machine. A machine that does not answer for 15 s is given up; over a "
                        "connection that another ssh opened and shares (*ControlMaster*), only if _~/.ssh/config_ has *ServerAliveInterval 5* and "
                        "*ServerAliveCountMax 3*, since the options of the ssh that opened it hold. If the connection ends, so does the job, unless "
                        "it was detached.\n\n*run* and *compare* measure on several machines at once, each of which runs the whole plan: "
                        "_HOST_,_HOST_...; @_FILE_ with one host per line, and comments from # to the end of a line; *slurm*, within a Slurm "
                        "allocation, for all of its nodes, each reached by *srun*(1).",
        },
        {
                .name = "rsh", .value = "COMMAND", .kind = OPTION_TEXT, .verbs = VERB_DAEMON, .offset = FIELD(rsh),
                .help = "reach HOST with COMMAND instead of ssh",
                .section = "Daemon",
                .text = "Reach HOST with this command instead of *ssh*: words, quoted as for a shell, followed by HOST and the remote command. ssh "
                        "options go here too (*--rsh='ssh -p 2222'*); benchctl then adds neither its keep-alive nor its time-out.",
        },
        {
                .name = "min-machines", .value = "N", .kind = OPTION_TEXT, .verbs = VERB_MEASURE, .offset = FIELD(min_machines),
                .help = "fewest machines of a class for a combined number (default 3)",
                .section = "Daemon",
                .text = "With several machines, give no combined number for a class of which fewer than N of the named machines have a complete "
                        "result. The default is 3, or all of them if fewer, and applies only to a class that lacks a machine, or may: a machine "
                        "that was never reached could be of any class.",
        },
        {
                .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .verbs = VERB_ANY, .offset = FIELD(quiet), .here = true,
                .help = "print no progress line",
                .section = "Output",
                .text = "Print no progress line. It is printed only on a terminal.",
        },
        {
                .name = "no-color", .kind = OPTION_FLAG, .verbs = VERB_ANY, .offset = FIELD(no_color), .here = true,
                .help = "print no colours, as with NO_COLOR in the environment",
                .section = "Output",
                .text = "Print without colours.",
        },
        {
                .name = "help", .letter = 'h', .kind = OPTION_FLAG, .verbs = VERB_ANY, .offset = FIELD(help), .here = true,
                .help = "print this help",
                .section = "Output",
                .text = "Print the help of the command, or of benchctl if no command is named.",
        },
        {
                .name = "version", .letter = 'V', .kind = OPTION_FLAG, .verbs = VERB_ANY, .offset = FIELD(version), .here = true,
                .help = "print the version",
                .section = "Output",
                .text = "Print the version.",
        },
};
/* clang-format on */

static const CommandOption *own_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(own_rows); i++)
                if (strcmp(own_rows[i].name, name) == 0)
                        return &own_rows[i];
        return NULL;
}

static bool here_takes(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(here_options); i++)
                if (strcmp(here_options[i].name, name) == 0)
                        return true;
        return false;
}

/* The library's options without a row above: made at the first call. */
static const CommandOption *run_option_at(size_t index) {
        static CommandOption rows[OF_RUN_MAX];
        static size_t n;
        const benchd_option *option;

        for (size_t i = 0, begun = n; begun == 0 && n < OF_RUN_MAX && (option = benchd_option_at(i)); i++)
                if (!own_find(option->name))
                        rows[n++] = (CommandOption){
                                .name = option->name,
                                .value = option->value,
                                .values = option->values,
                                .kind = OPTION_OF_RUN,
                                .verbs = VERB_MEASURE,
                                .here = here_takes(option->name),
                                .help = option->help,
                        };
        return index < n ? &rows[index] : NULL;
}

const CommandOption *command_option_at(size_t index) {
        return index < N_ELEMENTS(own_rows) ? &own_rows[index] : run_option_at(index - N_ELEMENTS(own_rows));
}

const CommandOption *command_option_find(const char *name) {
        const CommandOption *option;

        for (size_t i = 0; (option = command_option_at(i)); i++)
                if (strcmp(option->name, name) == 0)
                        return option;
        return NULL;
}

const CommandOption *command_option_find_letter(char letter) {
        const CommandOption *option;

        for (size_t i = 0; letter && (option = command_option_at(i)); i++)
                if (option->letter == letter)
                        return option;
        return NULL;
}

bool command_option_may_lack_value(const CommandOption *option) {
        return option->value && *option->value == '[';
}
