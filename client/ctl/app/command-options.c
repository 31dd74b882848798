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
                .help = "send a library along, for those that need it and for dlopen()",
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
                        "allocator. It goes along as one of *--with* does. A name without a slash that is no file is searched where the dynamic "
                        "loader looks: in LD_LIBRARY_PATH, then in the system's directories. May be given several times; the first one's functions "
                        "come first. For *compare* both sides have it, but a side that is @JOB has what was preloaded in that job: *benchctl compare "
                        "@JOB --preload=LIB.so bench.so* is a module without a library against the same with it, in turns. _LD_PRELOAD_ of *--env* "
                        "comes after it. The body's environment does not show it, and programs that the body starts do not have it. The library's "
                        "name is in the table's first line and in the comparability key; the JSON has its SHA-256 too (_module.libraries_). With "
                        "*--memory* what an allocator is asked for is counted before it is asked.",
        },
        {
                .name = "env", .value = "NAME=VALUE", .kind = OPTION_LIST, .verbs = VERB_MODULE | VERB_DEBUG, .offset = FIELD(environment), .here = true,
                .help = "set an environment variable for the module",
                .section = "Measuring",
                .text = "Set an environment variable for the module. May be given several times.",
        },
        {
                .name = "input", .value = "FILE", .kind = OPTION_LIST, .verbs = VERB_MEASURE, .offset = FIELD(inputs), .here = true,
                .help = "let the body open a copy of FILE by its name",
                .section = "Measuring",
                .text = "Give the body a copy of FILE, at most 64 MiB, which it opens in its working directory by FILE's own name and cannot change. "
                        "May be given up to eight times; *compare* gives both sides the same. The JSON has the SHA-256 of each (_inputs_). They are "
                        "not kept with the module.",
        },
        {
                .name = "separate", .kind = OPTION_FLAG, .verbs = VERB_TARGETS, .offset = FIELD(separate), .here = true,
                .help = "make a module of its own of each source, in place of one of all",
                .section = "Measuring",
                .text = "Make a module of its own of each source file, in place of one of all.",
        },
        {
                .name = "cpus", .value = "LIST", .kind = OPTION_TEXT, .verbs = VERB_MEASURE | VERB_GOVERNOR, .offset = FIELD(cpus),
                .help = "only CPUs of this list, such as 2,4-7 (default: all)",
        },
        {
                .name = "format", .value = "FORMAT", .kind = OPTION_TEXT, .verbs = VERB_ANSWER, .offset = FIELD(format),
                .help = "table (default), json, html or another of a command's formats",
                .section = "Output",
                .text = "The form of the output, by default *table*. *benchctl-formats*(7) describes each; what an answer cannot be written as is "
                        "refused with those that it can.",
        },
        {
                .name = "scale", .value = "[BENCHMARK]", .kind = OPTION_TEXT, .verbs = VERB_RUN | VERB_EARLIER_RESULT, .offset = FIELD(scale),
                .help = "show times as multiples of BENCHMARK's (default: the run's reference)",
                .section = "Output",
                .text = "Show all times as multiples of BENCHMARK's, by any method, below a line that names it. BENCHMARK is a name, with or "
                        "without its area, and with its arguments where it has several values of them: *--scale=strings/strlen/bytes=16*. Without "
                        "it the reference is the one that the module marks (.reference = 1). An interval is that of the multiple: it holds the "
                        "errors of both times, and the reference itself is 1 without one. *run* measures the reference in the same job, even where "
                        "the filters leave it out, and refuses a name of no benchmark or of several. The row *EMPTY* is the empty loop (see "
                        "*benchctl-table*(7)). The JSON has times as measured, and the name of the reference (_reference_).",
        },
        {
                .name = "headline", .value = HEADLINE_WORDS, .values = HEADLINE_WORDS, .kind = OPTION_TEXT,
                .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(headline),
                .help = "show the mean as time where a rare slow part sets it apart",
                .section = "Output",
                .text = "_mean_ shows the average as the time of each benchmark that has a rare slow part (*benchctl-table*(7)), and the ratio of "
                        "the averages in a comparison. With a baseline, which is compared by the medians, it changes nothing. The JSON has both in "
                        "any case.",
        },
        {
                .name = "unit", .letter = 'u', .value = TIMES_UNIT_WORDS, .values = TIMES_UNIT_WORDS, .kind = OPTION_TEXT,
                .verbs = VERB_RESULT | VERB_COMPARE | VERB_HISTORY, .offset = FIELD(unit),
                .help = "show all times in one unit (default: each in its own)",
                .section = "Output",
                .text = "Show all times of a result, a comparison or a history in one unit, each with its four digits however small it is there, in "
                        "place of each in the one that suits it (*auto*, the default). Drawings and pages have it too, and *gbench* has it as "
                        "_time_unit_; scaled times have none, and what stands above and below a table, such as a finding, keeps its own. *json*, "
                        "*csv*, *go*, *bmf*, *mark* and *gnuplot* are in nanoseconds whatever it is. *BENCHCTL_UNIT* is the unit for all commands of "
                        "a shell.",
        },
        {
                .name = "brief", .kind = OPTION_FLAG, .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(brief),
                .help = "JSON of the few fields that scripts look at",
                .section = "Output",
                .text = "JSON of the few fields that scripts look at, in their places: *benchd-json*(5) names them. The schemas have them as "
                        "_#/$defs/brief_.",
        },
        {
                .name = "columns", .value = "LIST", .kind = OPTION_TEXT, .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(columns),
                .help = "show these columns, joined by commas: time,interval of a run",
                .section = "Output",
                .text = "Show these columns, whose names are joined by commas, however wide the table becomes. Columns of a run: {names of run}. "
                        "Columns of a comparison: {names of comparison}. Columns for several machines are in *benchd-fleet*(7).",
        },
        {
                .name = "sort", .value = "KEY", .values = "name|time|ratio", .kind = OPTION_TEXT,
                .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(sort_by),
                .help = "sort rows by name, time or ratio",
                .section = "Output",
                .text = "Sort the rows by *name*, by *time* (shortest first), or those of a comparison by *ratio*. Otherwise they stand in the "
                        "module's order.",
        },
        {
                .name = "output", .letter = 'o', .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_ANSWER, .offset = FIELD(output),
                .help = "write the result to FILE",
                .section = "Output",
                .text = "Write the result to FILE, which is replaced when all is written, and only if there is a result (FILES). A suffix of a "
                        "format chooses it: _.json_, _.csv_, _.svg_ and those that *benchctl-formats*(7) names. Without a suffix, and with _.txt_, "
                        "_.out_ or _.log_, it is the table. Any other suffix is refused, unless *--format* says what it is.",
        },
        {
                .name = "plot", .kind = OPTION_FLAG, .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(plot),
                .help = "draw each benchmark below the table: its samples, also over time",
                .section = "Output",
                .text = "Draw the benchmarks below the table (PICTURES in *benchctl-table*(7)): the distribution of the samples, and their times "
                        "one after the other with what disturbed them. *run* and *compare* keep the samples for it, as with *--keep-samples*; of an "
                        "earlier run *show* draws what it kept.",
        },
        {
                .name = "open", .kind = OPTION_FLAG, .verbs = VERB_RESULT | VERB_COMPARE | VERB_HISTORY, .offset = FIELD(open),
                .help = "show the result as a page in the browser (BROWSER, or xdg-open)",
                .section = "Output",
                .text = "Show the result as a page (*--format=html*) in the browser: *BROWSER*, or else *xdg-open*(1). Without *--output* the page "
                        "is a new file in _TMPDIR_, or _/tmp_, that only this user can read; it is left there.",
        },
        {
                .name = "raw", .value = "FILE.npz", .kind = OPTION_TEXT, .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(raw),
                .help = "write every sample to FILE.npz, which numpy reads",
                .section = "Output",
                .text = "Write every sample of the run to FILE.npz as well, in columns that numpy reads (*benchctl-formats*(7)). *run* and "
                        "*compare* keep the samples for it, as with *--keep-samples*; of an earlier run *show* writes those that it kept.",
        },
        {
                .name = "fail-on", .value = "slower,...", .values = "slower|unresolved|unfit", .kind = OPTION_LIST,
                .verbs = VERB_RESULT | VERB_COMPARE, .offset = FIELD(fail_on_typed),
                .help = "exit with an error if slower, unresolved, unfit, or time>5ms",
                .section = "Output",
                .text = "For scripts: exit with a code of its own where one of the named conditions holds (EXIT STATUS). A plain run takes _unfit_ "
                        "and limits of time, up to eight: of all rows, as _time>5ms_, or of those that a filter chooses, as _time(sort/*)>20us_. "
                        "Units are ps, ns, us, ms and s. Given more than once, it adds conditions. With *--baseline* it takes _slower_ and "
                        "_unresolved_ too.",
        },
        {
                .name = "baseline", .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_RESULT, .offset = FIELD(baseline),
                .help = "compare with the result that --save-baseline wrote to FILE",
                .section = "Output",
                .text = "With *run*, *wait* and *show*, compare with the result of the same module in FILE, which *--save-baseline* wrote. The table, "
                        "the formats and the verdicts are those of *compare*, where _old_ is the baseline. The ratio is the quotient of the two "
                        "times, with Welch's interval at 95 %. A time alone and one beside a busy neighbour are not comparable: such a row has "
                        "neither a ratio nor a verdict, *--fail-on* does not judge it, and both say so. The ratio is blind to what changed on the "
                        "machine between the two runs, so the usual margin is 10 %: two runs on a guest an hour apart differed by 4 to 8 % in most "
                        "of the rows that did not agree. *benchctl compare* measures both sides in turns, and is the way to see less. A baseline of "
                        "other conditions (_comparability_key_) is refused with 5 after the result is shown, and each difference is named: save one "
                        "on that machine, or compare. The document of several machines is none; *benchd-fleet*(7) says how to take the result of one "
                        "out of it.",
        },
        {
                .name = "save-baseline", .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_RESULT, .offset = FIELD(save_baseline),
                .help = "write the result to FILE, if the command ends well",
                .section = "Output",
                .text = "With *run*, *wait* and *show*, write the result, as *--format=json* has it, to FILE too, if the command ends with 0. "
                        "Otherwise FILE stays as it was; with *--fail-on=unfit* it never holds an unfit result. Rows that are not reliable, or whose "
                        "time is that beside a busy neighbour, are saved and named on stderr. Results of several modules are an array.",
        },
        {
                .name = "margin", .value = "P%", .kind = OPTION_TEXT, .verbs = VERB_RESULT | VERB_COMPARE | VERB_HISTORY, .offset = FIELD(margin),
                .help = "smallest difference that counts (default 0.5%, with --baseline 10%)",
                .section = "Output",
                .text = "Smallest difference that counts. *compare* and *--baseline* call a smaller one the same (default 0.5 %, and 10 % against a "
                        "baseline); *history* with a filter marks no smaller change and reports no smaller drift (default 0.5 %).",
        },
        {
                .name = "module", .value = "GLOB", .kind = OPTION_TEXT, .verbs = VERB_HISTORY, .offset = FIELD(module),
                .help = "only jobs whose module matches GLOB",
                .section = "Jobs",
                .text = "Only jobs whose module's path as it was typed, or the name of its file, matches GLOB.",
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
                .help = "the whole file",
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
                .text = "Start a private daemon for this command, with whatever rights the user has. It ends when benchctl does, so nothing can be "
                        "detached from it, and it knows no earlier jobs. Its results are kept for *show* and *history*, which read them with this "
                        "option and start no daemon: the latest 200, of at most 64 MiB together, the user's alone (FILES). Results that cannot be "
                        "kept carry no job id.",
        },
        {
                .name = "here", .kind = OPTION_FLAG, .verbs = VERB_RUN, .offset = FIELD(here), .here = true,
                .help = "run in this very process, for gdb, perf and valgrind",
                .section = "Daemon",
                .text = "Run one module without any daemon in the very process that was started, for debuggers, profilers and sanitizers: see "
                        "DEBUGGING.",
        },
        {
                .name = "socket", .value = "PATH", .kind = OPTION_TEXT, .verbs = VERB_DAEMON | VERB_PRIVATE, .offset = FIELD(socket),
                .help = "connect to the daemon at PATH",
                .section = "Daemon",
                .text = "Connect to the daemon at PATH, instead of that of *BENCHD_SOCKET* or _/run/benchd/benchd.sock_. With *--host* it is a path "
                        "on the other machine, on which *BENCHD_SOCKET* is that machine's too.",
        },
        {
                .name = "host", .value = "HOST", .kind = OPTION_TEXT, .verbs = VERB_DAEMON, .offset = FIELD(host),
                .help = "ask the daemon at [USER@]HOST, by ssh; run and compare: HOST,HOST..., @FILE or slurm too",
                .section = "Daemon",
                .text = "Ask the daemon of another machine, by *ssh*(1), where *benchctl* must be installed too. HOST is [_USER_@]_HOST_ or a name "
                        "from _~/.ssh/config_. Each command that asks a daemon takes it and has the same output. Modules, libraries and inputs are "
                        "read on this machine and sent along; output files are written here. The module must fit the other machine: its processor, "
                        "and its C library. With *--private* the daemon is a private one of the other machine; its results are kept here, as those "
                        "of a private daemon of this machine. A machine that does not answer for 15 s is given up; over a connection that another "
                        "ssh opened and shares (*ControlMaster*), only if _~/.ssh/config_ has *ServerAliveInterval 5* and *ServerAliveCountMax 3*, "
                        "since the options of the ssh that opened it hold. If the connection ends, so does the job, unless it was detached.\n\n"
                        "*run* and *compare* measure on several machines at once, each of which runs the whole plan: _HOST_,_HOST_...; @_FILE_ "
                        "with one a line, and comments from # to the end of a line; *slurm* within an allocation of Slurm, all of its nodes, each by "
                        "*srun*(1).",
        },
        {
                .name = "rsh", .value = "COMMAND", .kind = OPTION_TEXT, .verbs = VERB_DAEMON, .offset = FIELD(rsh),
                .help = "reach HOST by COMMAND in place of ssh",
                .section = "Daemon",
                .text = "Reach HOST by this command in place of *ssh*: words, quoted as for a shell, followed by HOST and the remote command. ssh "
                        "options go here too (*--rsh='ssh -p 2222'*); the keep-alive and the time-out that benchctl otherwise gives ssh are then "
                        "yours to add.",
        },
        {
                .name = "min-machines", .value = "N", .kind = OPTION_TEXT, .verbs = VERB_MEASURE, .offset = FIELD(min_machines),
                .help = "give no number over fewer machines once some are lost (default 3)",
                .section = "Daemon",
                .text = "With several machines: give no combined number for a class with fewer than N machines, of those that are named. By default "
                        "that is 3, or all of them if fewer, and counts only for a class of which a machine is left out, or may be: one that was "
                        "never reached could be of any class.",
        },
        {
                .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .verbs = VERB_ANY, .offset = FIELD(quiet), .here = true,
                .help = "print no progress line",
                .section = "Output",
                .text = "Print no progress line. Without a terminal there is none.",
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
                .text = "Print the help of the command; without a command, that of the program.",
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

/* The library's options, but for those that have a row above: made at the first call. */
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
