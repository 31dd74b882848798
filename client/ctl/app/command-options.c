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

#define EXEC_UNIT_WORDS TIMES_UNIT_WORDS "|second|millisecond|microsecond"

/* Options of a run that mean the same for whole commands. */
static const char *const exec_takes[] = { "seed" };

/* ... and those of a module that bisect takes: the search itself decides how much is measured. */
static const char *const bisect_takes[] = { "samples", "budget", "timeout", "threads", "cpus-per-run", "stack", "seed",
        "min-time", "iterations", "warmup", "no-prime", "cold", "no-aslr", "dir", "see", "prepare", "clock" };

/* clang-format off */
static const CommandOption own_rows[] = {
        /* Rows of exec stand before those of other verbs with the same names. */
        {
                .name = "warmup", .letter = 'w', .value = "N", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.warmup),
                .help = "run each command N times before it is timed (default 1: the trial)",
                .section = "Commands",
                .text = "Run each command N times, 0 to 1000, before a CPU is lent and anything is timed (default 1). This is the trial (RUNS). "
                        "With 0 there is none: then each run has a process to itself, there are *--min-runs* of them, and one CPU is lent, unless "
                        "options say otherwise.",
        },
        {
                .name = "runs", .letter = 'r', .value = "N", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.runs),
                .help = "time each command exactly N times",
                .section = "Commands",
                .text = "Time each command exactly N times, 1 to 20000, whatever the precision. In a comparison the reference runs as often as each "
                        "other command, beside it. With fewer than three processes (RUNS) there is no interval.",
        },
        {
                .name = "min-runs", .letter = 'm', .value = "N", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.min_runs),
                .help = "time each command at least N times (default 10)",
                .section = "Commands",
                .text = "Time each command at least N times (default 10), even if that takes longer than *--budget*. A comparison ends by itself by "
                        "default, after 8 processes or more; with more runs than these have it has a number or a *--precision*.",
        },
        {
                .name = "max-runs", .letter = 'M', .value = "N", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.max_runs),
                .help = "time each command at most N times",
                .section = "Commands",
                .text = "Time each command at most N times, even if the interval is then wider than *--precision*.",
        },
        {
                .name = "processes", .value = "K", .kind = OPTION_OF_RUN, .verbs = VERB_EXEC,
                .help = "run each command in K processes of the daemon (default: by --runs or the budget)",
                .section = "Commands",
                .text = "Run each command in K processes of the daemon, 1 to 1000, each with its own layout of memory (RUNS). By default *--runs* or "
                        "the budget gives their number.",
        },
        {
                .name = "samples", .value = "N", .kind = OPTION_OF_RUN, .verbs = VERB_EXEC,
                .help = "run each command N times in each process (default: as many as take 50 ms)",
                .section = "Commands",
                .text = "Run each command N times, 1 to 4096, in each of these processes (default: as many as take 50 ms, at most 20).",
        },
        {
                .name = "timeout", .value = "SECONDS", .kind = OPTION_OF_RUN, .verbs = VERB_EXEC,
                .help = "kill a command whose trial, or whose runs in a process, take longer than SECONDS",
                .section = "Commands",
                .text = "Kill a command whose trial takes longer than SECONDS (default: never), or whose runs in one process do (default: ten times "
                        "as long as planned). The daemon's configuration sets an upper limit for these (*timeout_max=*, 600 s by default).",
        },
        {
                .name = "setup", .letter = 's', .value = "COMMAND", .kind = OPTION_LIST, .verbs = VERB_EXEC, .offset = FIELD(exec.hooks[EXEC_SETUP]),
                .help = "execute COMMAND once before the first run of each command",
                .section = "Commands",
                .text = "Execute COMMAND before the first run of each command, such as *make*. This option, *--prepare*, *--conclude* and "
                        "*--cleanup* are given once for all commands, or once for each in their order. They are executed by the same shell "
                        "(*--shell*), with their parameters, on no lent CPU and outside of any timed interval. One that fails ends the run.",
        },
        {
                .name = "prepare", .letter = 'p', .value = "COMMAND", .kind = OPTION_LIST, .verbs = VERB_EXEC, .offset = FIELD(exec.hooks[EXEC_PREPARE]),
                .help = "execute COMMAND before each run",
                .section = "Commands",
                .text = "Execute COMMAND before each run.",
        },
        {
                .name = "conclude", .letter = 'C', .value = "COMMAND", .kind = OPTION_LIST, .verbs = VERB_EXEC, .offset = FIELD(exec.hooks[EXEC_CONCLUDE]),
                .help = "execute COMMAND after each run",
                .section = "Commands",
                .text = "Execute COMMAND after each run.",
        },
        {
                .name = "cleanup", .letter = 'c', .value = "COMMAND", .kind = OPTION_LIST, .verbs = VERB_EXEC, .offset = FIELD(exec.hooks[EXEC_CLEANUP]),
                .help = "execute COMMAND once after the last run of each command",
                .section = "Commands",
                .text = "Execute COMMAND after the last run of each command.",
        },
        {
                .name = "parameter-scan", .letter = 'P', .value = "VAR MIN MAX", .kind = OPTION_TUPLE, .verbs = VERB_EXEC, .offset = FIELD(exec.scans),
                .help = "one command for each value MIN...MAX, which stands for {VAR}",
                .section = "Commands",
                .text = "Measure each command once for each number from MIN to MAX, which replaces each _{VAR}_ in it, in its hooks and in its name. "
                        "*--parameter-scan=VAR,MIN,MAX* is the same. May be given several times, and beside *--parameter-list*: all combinations are "
                        "measured, the first option's values in turn first. At most 64 commands are measured in one run.",
        },
        {
                .name = "parameter-step-size", .letter = 'D', .value = "DELTA", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.step),
                .help = "step of --parameter-scan, also a fraction (default 1)",
                .section = "Commands",
                .text = "Step of *--parameter-scan* (default 1); it may have decimals, and is exact.",
        },
        {
                .name = "parameter-list", .letter = 'L', .value = "VAR VALUES", .kind = OPTION_TUPLE, .verbs = VERB_EXEC, .offset = FIELD(exec.lists),
                .help = "one command for each of VALUES, joined by commas, which stands for {VAR}",
                .section = "Commands",
                .text = "Measure each command once for each of VALUES, which are separated by commas (\\, is a comma within one): "
                        "*-L compiler gcc,clang*. *--parameter-list=VAR,VALUE,VALUE* is the same.",
        },
        {
                .name = "command-name", .letter = 'n', .value = "NAME", .kind = OPTION_LIST, .verbs = VERB_EXEC, .offset = FIELD(exec.names),
                .help = "show the next command under NAME",
                .section = "Commands",
                .text = "Show a command under NAME. The first is the first command's, and so on; commands without a name show their text.",
        },
        {
                .name = "reference", .value = "COMMAND", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.reference),
                .help = "compare with COMMAND instead of the first command",
                .section = "Commands",
                .text = "Compare each command with COMMAND instead of the first one.",
        },
        {
                .name = "reference-name", .value = "NAME", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.reference_name),
                .help = "show the command of --reference under NAME",
                .section = "Commands",
                .text = "Show the command of *--reference* under NAME.",
        },
        {
                .name = "shell", .letter = 'S', .value = "SHELL", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.shell),
                .help = "execute commands by 'SHELL -c' (default sh); none: without a shell",
                .section = "Commands",
                .text = "Execute commands and hooks by _SHELL -c_ (default *sh*), SHELL being a program with or without arguments, such as "
                        "*'bash --norc'*. The time that an empty script takes is measured in the same processes, and taken off each time. With "
                        "*none* a command is split into words, which may be quoted, and executed without a shell.",
        },
        {
                .name = "no-shell", .letter = 'N', .kind = OPTION_FLAG, .verbs = VERB_EXEC, .offset = FIELD(exec.no_shell),
                .help = "the same as --shell=none",
                .section = "Commands",
                .text = "The same as *--shell=none*.",
        },
        {
                .name = "ignore-failure", .letter = 'i', .value = "[CODES]", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.ignore),
                .help = "take no exit code, or none of CODES, for a failure",
                .section = "Commands",
                .text = "Take no exit code for a failure, or none of CODES, separated by commas (1 to 255; *all-non-zero* is the default). A command "
                        "that a signal kills has failed in any case.",
        },
        {
                .name = "input", .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.input),
                .help = "give each run FILE as its standard input (default null: /dev/null)",
                .section = "Commands",
                .text = "Give each run FILE as its standard input, from its beginning. The default, *null*, is _/dev/null_.",
        },
        {
                .name = "output", .value = "WHERE", .values = "null|pipe|inherit", .kind = OPTION_LIST, .verbs = VERB_EXEC, .offset = FIELD(exec.outputs),
                .help = "where the commands' output goes (default null); -o is the result's file",
                .section = "Commands",
                .text = "The place of the commands' standard output: *null* (_/dev/null_, the default), *pipe* (through a pipe, for commands that do "
                        "less work if it is _/dev/null_), *inherit* (with the errors, that of benchctl), or a file, which holds the output of the "
                        "latest run. It is given once for all commands, or once for each. The result goes to the file of *-o*; here a name with the suffix of a result's format, such as _x.json_, is "
                        "refused unless it is a path (_./x.json_).",
        },
        {
                .name = "show-output", .kind = OPTION_FLAG, .verbs = VERB_EXEC, .offset = FIELD(exec.show_output),
                .help = "the same as --output=inherit",
                .section = "Commands",
                .text = "The same as *--output=inherit*. The result's table goes to standard output too, unless *-o* names a file.",
        },
        {
                .name = "cold", .value = "[files|all]", .values = "files|all", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.cold),
                .help = "drop the commands' files (default) or all files from memory before each run",
                .section = "Commands",
                .text = "Before each run drop from the page cache the files that the command opened in its trial (*files*), which needs no right, or "
                        "all files (*all*), which takes root or *drop_caches=* of benchd.conf(5). The result says which.",
        },
        {
                .name = "cpus", .value = "N|LIST", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.cpus),
                .help = "lend the commands N CPUs, or those of a list such as 2,4-7 (default: by the trial)",
                .section = "Commands",
                .text = "Lend the commands N CPUs, or the CPUs of a list such as *2,4-7* (*2-2* is CPU 2 alone). By default they have one if none of "
                        "them kept more than 1.2 CPUs busy in the trial, else all that can be lent. The result names them.",
        },
        {
                .name = "precision", .value = "P%", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.precision),
                .help = "run until the interval is ± P % (default 1%)",
                .section = "Commands",
                .text = "Run each command as often as an interval of ± P % needs (default 1 %), within *--budget*, *--min-runs* and *--max-runs*.",
        },
        {
                .name = "budget", .value = "SECONDS", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.budget),
                .help = "time each command for about SECONDS at most (default 5)",
                .section = "Commands",
                .text = "Time each command for about SECONDS at most (default 5), but for *--min-runs*.",
        },
        {
                .name = "style", .value = "TYPE", .values = "auto|basic|full|nocolor|color|none",
                .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.style),
                .help = "none: no progress line; nocolor, basic: no colours; others change nothing",
                .section = "Commands",
                .text = "For scripts that were written for hyperfine: *basic* and *nocolor* are *--no-color*, *none* is *--quiet*, and others change "
                        "nothing.",
        },
        {
                .name = "unit", .letter = 'u', .value = "UNIT", .values = EXEC_UNIT_WORDS, .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(unit),
                .help = "show all times in one unit (default: each in its own)",
                .section = "Commands",
                .text = "Show all times in one unit: " "*auto*, *ns*, *us*, *ms*, *s*, or hyperfine's _second_, _millisecond_ and _microsecond_.",
        },
        {
                .name = "time-unit", .value = "UNIT", .values = EXEC_UNIT_WORDS, .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(unit),
                .help = "the same as --unit",
                .section = "Commands",
                .text = "The same as *--unit*.",
        },
        {
                .name = "sort", .value = "KEY", .values = "name|time|ratio|auto|command|mean-time", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(sort_by),
                .help = "sort rows by name, time or ratio (default: the order of the commands)",
                .section = "Commands",
                .text = "Sort the rows by *name*, *time* or *ratio*; the default, *auto* or *command*, is the order of the commands. *mean-time* is "
                        "*time*.",
        },
        {
                .name = "export", .letter = 'o', .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(output),
                .help = "write the result to FILE, in the format of its suffix",
                .section = "Commands",
                .text = "Write the result to FILE instead of standard output, in the format of its suffix or of *--format*; it is *--output* of "
                        "other commands of benchctl.",
        },
        {
                .name = "export-json", .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.exports[EXEC_EXPORT_JSON]),
                .help = "also write the result to FILE as hyperfine's JSON",
                .section = "Commands",
                .text = "Also write the result to FILE as JSON of hyperfine's fields (*--format=hyperfine*). benchctl's own JSON is *-o x.json*.",
        },
        {
                .name = "export-csv", .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.exports[EXEC_EXPORT_CSV]),
                .help = "also write the result to FILE as CSV",
                .section = "Commands",
                .text = "Also write the result to FILE as CSV, with benchctl's columns.",
        },
        {
                .name = "export-markdown", .value = "FILE", .kind = OPTION_TEXT, .verbs = VERB_EXEC, .offset = FIELD(exec.exports[EXEC_EXPORT_MARKDOWN]),
                .help = "also write the result to FILE as Markdown",
                .section = "Commands",
                .text = "Also write the result to FILE as Markdown.",
        },
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
                .name = "input", .value = "FILE", .kind = OPTION_LIST, .verbs = VERB_RUN | VERB_COMPARE | VERB_BISECT, .offset = FIELD(inputs), .here = true,
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
                .name = "exec", .value = "COMMAND", .kind = OPTION_TEXT, .verbs = VERB_BISECT, .offset = FIELD(searched),
                .help = "search by the time of a whole command, in the tree of each commit",
                .section = "Measuring",
                .text = "Search by the time of a whole command instead of a benchmark's, which *sh* runs in the tree of each commit, in the directory "
                        "that corresponds to the current one, as *benchctl exec* does.",
        },
        {
                .name = "restart", .kind = OPTION_FLAG, .verbs = VERB_BISECT, .offset = FIELD(restart),
                .help = "forget what an earlier call of the same search found",
                .section = "Measuring",
                .text = "Begin a search anew. Without it, the same command goes on where an earlier call was interrupted (FILES).",
        },
        {
                .name = "cpus", .value = "LIST", .kind = OPTION_TEXT, .verbs = VERB_RUN | VERB_COMPARE | VERB_BISECT | VERB_GOVERNOR, .offset = FIELD(cpus),
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
                .name = "bisect", .value = "[slower|faster]", .values = "slower|faster", .kind = OPTION_TEXT, .verbs = VERB_COMPARE, .offset = FIELD(bisect),
                .help = "exit as 'git bisect run' expects: 0 good, 1 bad (slower), 125 cannot tell, 128 stop",
                .section = "Output",
                .text = "Exit as *git bisect run* expects (EXIT STATUS), with OLD a module of a good commit. Bad is a row that is _slower_ than "
                        "OLD, or with *--bisect=faster* one that is faster: so a commit is found that made code faster.",
        },
        {
                .name = "git", .value = "BASE[..HEAD]", .kind = OPTION_TEXT, .verbs = VERB_COMPARE, .offset = FIELD(git),
                .help = "compare one module of two commits",
                .section = "Measuring",
                .text = "Compare the MODULE or source of two commits of the git repository in the current directory (COMMITS). Without HEAD it is "
                        "the commit that is checked out. _BASE.._ is BASE against the working tree as it is, with changes that are not committed; "
                        "_BASE...HEAD_ is HEAD against the commit where both parted.",
        },
        {
                .name = "build", .value = "COMMAND", .kind = OPTION_LIST, .verbs = VERB_COMPARE | VERB_BISECT, .offset = FIELD(builds),
                .help = "the command that builds the module of a commit",
                .section = "Measuring",
                .text = "The command that builds the module of *--git*, or of each commit of *bisect*, by *sh -c* (COMMITS). Given several times, it compares builds of one tree, "
                        "that of *--git=REVISION* or the working tree: each with the first, such as two compilers or two sets of flags.",
        },
        {
                .name = "commit", .value = "REVISION", .kind = OPTION_TEXT, .verbs = VERB_RUN | VERB_COMPARE | VERB_EXEC, .offset = FIELD(commit),
                .help = "the commit that the module was built from (default: $BENCHD_COMMIT)",
                .section = "Output",
                .text = "The commit that the module, for *compare* the new one, was built from: a revision of the git repository in the current "
                        "directory, such as HEAD, or any id of up to 64 characters without spaces; _-dirty_ at its end says that files differed from "
                        "it. By default it is that of _BENCHD_COMMIT_; else, for a module that benchctl compiles, the commit that is checked out "
                        "where its first source is, dirty if a file that git knows was changed or if git does not know the source. Results, the "
                        "history, pages and baselines show it.",
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
                .name = "rounds", .value = "N", .kind = OPTION_OF_RUN, .verbs = VERB_COMPARE,
                .help = "repeat the whole comparison N times, with builds linked anew",
                .section = "Measuring",
                .text = "Repeat the whole comparison N times, 3 to 50, each time in a turn of its own and with other links of the sources (*--links*). "
                        "Each round has *--processes* pairs for each benchmark (default 20); *--budget* is that of a round. The interval is over "
                        "rounds, one ratio each, so it covers what is the same within a round and another in the next one. Few rounds make it "
                        "wide: it is 4.3 standard errors to either side for three, 2.8 for five and 2.3 for ten.",
        },
        {
                .name = "spread", .value = "SECONDS", .kind = OPTION_OF_RUN, .verbs = VERB_COMPARE,
                .help = "spread the rounds, or else the pairs of processes, over SECONDS",
                .section = "Measuring",
                .text = "Begin the rounds, or without *--rounds* the pairs of processes of each benchmark, evenly within SECONDS, 1 to 604800 (a "
                        "week). In between the job rests: it holds no CPU and is in no queue, and others measure. The number of pairs is fixed "
                        "then. If the measuring takes longer, the parts follow each other without a rest, and a warning says so.",
        },
        {
                .name = "links", .value = "K", .kind = OPTION_TEXT, .verbs = VERB_COMPARE, .offset = FIELD(links),
                .help = "link sources K times, functions in another order (default 32)",
                .section = "Measuring",
                .text = "Link the sources of each side of a comparison K times, 1 to 64, with their functions and objects in an order drawn from "
                        "*--seed*; each pair of processes runs another link. By default there is one for each pair that there may be: 32, or as "
                        "*--processes* and *--max-processes* say, at most 64; in several rounds 8 for each, while that is at most 64. With fewer, "
                        "pairs that run the same link count as if they did not, and the interval is too narrow where the order matters most. 1 "
                        "compares the order that compiler and linker chose. The sources are compiled with -ffunction-sections; gcc and clang with "
                        "GNU ld, gold, lld and mold follow the drawn order. Some sources have one link all the same, which is said: those with a "
                        "single function, and code whose order the linker itself makes (-flto). Modules and archives stay as they are.",
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
                .name = "min-machines", .value = "N", .kind = OPTION_TEXT, .verbs = VERB_RUN | VERB_COMPARE, .offset = FIELD(min_machines),
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

/* The verbs that take the library's option @name; 0 if benchctl has a row for them. */
static unsigned verbs_of_run(const char *name) {
        unsigned verbs = VERB_RUN | VERB_COMPARE;

        for (size_t i = 0; i < N_ELEMENTS(own_rows); i++)
                if (strcmp(own_rows[i].name, name) == 0 && own_rows[i].verbs != VERB_EXEC)
                        return 0;
        for (size_t i = 0; i < N_ELEMENTS(exec_takes); i++)
                if (strcmp(exec_takes[i], name) == 0)
                        verbs |= VERB_EXEC;
        for (size_t i = 0; i < N_ELEMENTS(bisect_takes); i++)
                if (strcmp(bisect_takes[i], name) == 0)
                        verbs |= VERB_BISECT;
        return verbs;
}

static bool here_takes(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(here_options); i++)
                if (strcmp(here_options[i].name, name) == 0)
                        return true;
        return false;
}

/* The library's options without a row above for the verbs that measure modules: made at the first call. */
static const CommandOption *run_option_at(size_t index) {
        static CommandOption rows[OF_RUN_MAX];
        static size_t n;
        const benchd_option *option;

        for (size_t i = 0, begun = n; begun == 0 && n < OF_RUN_MAX && (option = benchd_option_at(i)); i++)
                if (verbs_of_run(option->name))
                        rows[n++] = (CommandOption){
                                .name = option->name,
                                .value = option->value,
                                .values = option->values,
                                .kind = OPTION_OF_RUN,
                                .verbs = verbs_of_run(option->name),
                                .here = here_takes(option->name),
                                .help = option->help,
                        };
        return index < n ? &rows[index] : NULL;
}

const CommandOption *command_option_at(size_t index) {
        return index < N_ELEMENTS(own_rows) ? &own_rows[index] : run_option_at(index - N_ELEMENTS(own_rows));
}

static bool is_named(const CommandOption *option, const char *name, char letter) {
        return name ? strcmp(option->name, name) == 0 : option->letter == letter;
}

static const CommandOption *option_find(const char *name, char letter, const Verb *verb) {
        const CommandOption *option, *first = NULL;

        for (size_t i = 0; (option = command_option_at(i)); i++) {
                if (!is_named(option, name, letter))
                        continue;
                if (verb && verb_takes(verb, option->verbs))
                        return option;
                first = first ? first : option;
        }
        return first;
}

const CommandOption *command_option_find(const char *name, const Verb *verb) {
        return option_find(name, 0, verb);
}

const CommandOption *command_option_find_letter(char letter, const Verb *verb) {
        return letter ? option_find(NULL, letter, verb) : NULL;
}

bool command_option_is_of(const CommandOption *option, const Verb *verb) {
        return verb_takes(verb, option->verbs) && (!verb || command_option_find(option->name, verb) == option);
}

bool command_option_may_lack_value(const CommandOption *option) {
        return option->value && *option->value == '[';
}

size_t command_option_words(const CommandOption *option) {
        size_t n = option->value != NULL;

        for (const char *text = option->value; option->kind == OPTION_TUPLE && *text; text++)
                n += *text == ' ';
        return n;
}
