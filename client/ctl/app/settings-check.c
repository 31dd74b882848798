/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/app/settings-check.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/app/command-options.h"
#include "ctl/app/operands.h"
#include "ctl/app/settings.h"
#include "ctl/app/verbs.h"
#include "ctl/ask/fleet/hosts.h"
#include "ctl/ask/load.h"
#include "ctl/base/command.h"
#include "ctl/base/job-id.h"
#include "ctl/model/fail-on.h"
#include "ctl/model/headline.h"
#include "ctl/model/times.h"
#include "ctl/model/view.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/module-links.h"

int settings_refuse(Settings *settings, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(settings->problem, sizeof settings->problem, format, arguments);
        va_end(arguments);
        return SETTINGS_E_USAGE;
}

void settings_hint(Settings *settings, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(settings->hint, sizeof settings->hint, format, arguments);
        va_end(arguments);
}

int settings_set_of_run(Settings *settings, const char *name, const char *value) {
        int r = benchd_options_set(settings->options, name, value);

        if (r == BENCHD_E_BAD_OPTION)
                return settings_refuse(settings, "%s", benchd_options_problem(settings->options));
        return error_fold(r);
}

/* Each word of 'show' is a file, so no daemon is asked. */
static bool shows_files(const Settings *settings) {
        for (size_t i = 0; i < settings->arguments.n; i++)
                if (!strpbrk(settings->arguments.words[i], "./"))
                        return false;
        return settings->verb->traits & VERB_SHOW && settings->arguments.n > 0;
}

/* The option typed that the grammar of the verb's operands names. NULL: there is none. */
static const char *named_option(const Settings *settings, char ret_word[static 64]) {
        for (size_t i = 0; i < settings->n_given; i++) {
                snprintf(ret_word, 64, "--%s", settings->given[i].name);
                if (strstr(settings->verb->operands, ret_word))
                        return ret_word;
        }
        return NULL;
}

static int settings_refuse_operands(Settings *settings) {
        const Verb *verb = settings->verb;

        if (!*verb->operands)
                return settings_refuse(settings, "'%s' takes no arguments", verb->name);
        if (verb->example)
                settings_hint(settings, "%s", verb->example);
        return settings_refuse(settings, "'%s' takes %s: benchctl %s %s", verb->name, verb->takes, verb->name,
                        verb->operands);
}

static int settings_take_operands(Settings *settings) {
        char word[64];
        const OperandWords words = {
                .option = named_option(settings, word),
                .words = settings->arguments.words,
                .n = settings->arguments.n,
                .behind = settings->filters.words,
                .n_behind = settings->filters.n,
        };
        OperandWords front = words; /* the job or file is the last word before the filters */
        Operand last;

        front.n_behind = 0;
        if (!operands_fit(settings->verb->operands, &words, &last))
                return settings_refuse_operands(settings);
        (void)operands_fit(settings->verb->operands, &front, &last);
        if (operand_is(&last, "JOB") && load_job(settings->arguments.words[0], settings->job))
                return settings_refuse(settings, "'%s' is not a job id (%u to %u hexadecimal digits)",
                                settings->arguments.words[0], JOB_ID_MIN, JOB_ID_MAX);
        return 0;
}

/* True of several commands, whose result is a comparison. */
static bool settings_compares(const Settings *settings) {
        const ExecSettings *exec = &settings->exec;
        const size_t n = settings->arguments.n + (settings->filters.n > 0) + (exec->reference != NULL);

        return settings->verb->traits & VERB_EXEC && (n > 1 || exec->scans.n + exec->lists.n > 0);
}

/* A value given as a separate word is probably the next argument: the option's value is missing. */
static int settings_take_fail_on(Settings *settings, const char *typed) {
        const char *const *word = settings->typed;
        int r;

        r = fail_on_add(&settings->fail_on, typed, settings->verb);
        if (r == 0 && settings->verb->traits & (VERB_RUN | VERB_EXEC) && !settings->baseline &&
                        !settings_compares(settings) && fail_on_compares(&settings->fail_on)) {
                settings_hint(settings,
                                settings->verb->traits & VERB_EXEC
                                                ? "Compare with an earlier run by --baseline=FILE, or name a second command."
                                                : "Compare with an earlier run by --baseline=FILE, or two modules by 'benchctl compare'.");
                return settings_refuse(settings, "--fail-on takes %s, not '%s' without --baseline",
                                fail_on_words(settings->verb), typed);
        }
        if (r == 0)
                return 0;
        if (r == FAIL_ON_E_LIMIT)
                return settings_refuse(settings,
                                "--fail-on takes a limit as time>5ms or 'time(GLOB)>5ms' (ps ns us ms s, at most %u), not '%s'",
                                FAIL_ON_LIMITS_MAX, typed);
        while (*word && *word != typed)
                word++;
        if (*word)
                return settings_refuse(settings, "--fail-on needs a value: --fail-on=%s",
                                settings->verb->traits & VERB_RUN ? "unfit" : "slower");
        return settings_refuse(settings, "--fail-on takes %s, not '%s'", fail_on_words(settings->verb), typed);
}

static int settings_take_bisect(Settings *settings) {
        if (!settings->bisect)
                return 0;
        if (settings->fail_on_typed.n > 0)
                return settings_refuse(settings,
                                "--bisect cannot be combined with --fail-on: it has exit codes of its own");
        if (fail_on_bisect(&settings->fail_on, *settings->bisect ? settings->bisect : "slower") == 0)
                return 0;
        return settings_refuse(settings,
                        "--bisect takes slower or faster, the change that makes a commit bad, not '%.64s'",
                        settings->bisect);
}

/* The kinds of output, as bits, that the verb can print with these options and arguments. */
static unsigned settings_kinds(const Settings *settings) {
        const unsigned verb = settings->verb->traits;

        if (verb & VERB_MEASURE && settings->several_hosts)
                return SHOW_BIT(SHOW_FLEET);
        if (verb & VERB_MEASURE)
                return SHOW_BIT(benchd_options_detach(settings->options) ? SHOW_ACCEPTED : SHOW_RESULT);
        if (verb & VERB_SHOW)
                return SHOW_BIT(settings->arguments.n == 2 ? SHOW_SIDE_BY_SIDE : SHOW_RESULT);
        if (verb & VERB_HISTORY && settings->arguments.n + settings->filters.n == 0)
                return SHOW_BIT(SHOW_HISTORY);
        return settings->verb->answers ? settings->verb->answers : SHOW_ANY;
}

/* "a list of benchmarks", or "history" where the answer may be of several kinds. */
static const char *settings_subject(const Settings *settings, unsigned kinds) {
        return kinds & (kinds - 1) ? settings->verb->name : show_kind_words((ShowKind)__builtin_ctz(kinds));
}

static const char *settings_default_format(const Settings *settings) {
        if (settings->brief)
                return "json";
        return settings->open ? "html" : "table";
}

/* The format is that of --format, of the suffix of --output, or a table; a page where it is to be opened. */
static int settings_choose_format(Settings *settings) {
        const ShowFormat *of_file = settings->output ? show_find_suffix(settings->output) : NULL;
        const ShowFormat *format = settings->format ? show_find(settings->format) : NULL;
        const char *option = command_option_find_letter('o', settings->verb)->name;
        const unsigned kinds = settings_kinds(settings);
        char names[SHOW_NAMES_MAX];

        if (settings->format && !format)
                return settings_refuse(settings, "unknown format '%.64s'; formats are %s", settings->format,
                                show_names(kinds, names));
        if (format && !show_has(format, kinds))
                return settings_refuse(settings, "%s has no format '%s'; its formats are %s",
                                settings_subject(settings, kinds), format->name, show_names(kinds, names));
        if (of_file && !show_has(of_file, kinds))
                return settings_refuse(settings, "--%s=%.128s asks for %s, which %s does not have; its formats are %s",
                                option, settings->output, of_file->name, settings_subject(settings, kinds),
                                show_names(kinds, names));
        if (settings->output && !format && show_lacks_suffix(settings->output)) {
                settings_hint(settings, "For a table in that file: --format=table.");
                return settings_refuse(settings, "--%s=%.128s has the suffix of no format; its formats are %s", option,
                                settings->output, show_names(kinds, names));
        }
        if (of_file && format && of_file != format) {
                settings_hint(settings, "Omit --format, or give the file another suffix.");
                return settings_refuse(settings, "--%s=%s asks for %s, and --format for %s", option, settings->output,
                                of_file->name, settings->format);
        }
        if (!settings->format)
                settings->format = of_file ? of_file->name : settings_default_format(settings);
        if (show_find(settings->format)->flags & SHOW_DRAWN && !command_is_found(SHOW_GNUPLOT)) {
                settings_hint(settings,
                                "Install it (Debian: gnuplot-nox), or write x.gp for a gnuplot elsewhere, or a page: x.html.");
                return settings_refuse(settings, "--format=%s is drawn by gnuplot, which is not on the PATH",
                                settings->format);
        }
        if ((settings->columns || settings->sort_by) && show_find(settings->format)->flags & SHOW_AS_MEASURED)
                return settings_refuse(settings, "--%s is for tables: %s has all rows and columns",
                                settings->columns ? "columns" : "sort", settings->format);
        if (settings->brief && strcmp(settings->format, "json") != 0)
                return settings_refuse(settings, "--brief is JSON, not %s", settings->format);
        if (settings->brief && !(kinds & (SHOW_BIT(SHOW_RESULT) | SHOW_BIT(SHOW_FLEET))))
                return settings_refuse(settings, "--brief is for a result, not for %s",
                                settings_subject(settings, kinds));
        if (settings->plot && strcmp(settings->format, "table") != 0 && strcmp(settings->format, "details") != 0)
                return settings_refuse(settings, "--plot draws below a table, not below --format=%s", settings->format);
        if (settings->open && strcmp(settings->format, "html") != 0)
                return settings_refuse(settings, "--open shows a page, not --format=%s", settings->format);
        return 0;
}

/* The other options need a daemon. */
static int settings_check_here(Settings *settings) {
        for (size_t i = 0; i < settings->n_given; i++)
                if (!command_option_find(settings->given[i].name, settings->verb)->here)
                        return settings_refuse(settings,
                                        "--here cannot be combined with --%s: it runs without a daemon",
                                        settings->given[i].name);
        return 0;
}

/* Options that are benchctl's and a run's: the library judges their values for both. */
static int settings_share_with_run(Settings *settings) {
        int r = 0;

        if (settings->cpus)
                r = settings_set_of_run(settings, "cpus", settings->cpus);
        if (r == 0 && settings->margin)
                r = settings_set_of_run(settings, "margin", settings->margin);
        if (r == 0 && settings->scale)
                r = settings_set_of_run(settings, "scale", *settings->scale ? settings->scale : NULL);
        return r;
}

/*
 * A run keeps its samples where an option or the format shows them, and those of whole commands always: each is a run, and there are few. No
 * format shows the samples of several machines.
 */
static int settings_keep_samples(Settings *settings) {
        const bool wanted = settings->raw || settings->plot || settings->exec.exports[EXEC_EXPORT_JSON] ||
                            settings->verb->traits & VERB_EXEC || show_find(settings->format)->flags & SHOW_SAMPLES;

        if (!(settings->verb->traits & VERB_MEASURE) || !wanted || settings->several_hosts)
                return 0;
        return error_fold(benchd_options_set(settings->options, "keep-samples", NULL));
}

/* Options of one run on one machine. */
static const char *option_of_one(const Settings *settings) {
        if (benchd_options_detach(settings->options))
                return "detach";
        if (settings->baseline || settings->save_baseline)
                return settings->baseline ? "baseline" : "save-baseline";
        if (settings->raw)
                return "raw";
        if (settings->plot)
                return "plot";
        if (settings->bisect)
                return "bisect";
        return settings->explain ? "explain" : NULL;
}

static int settings_check_several(Settings *settings) {
        const char *option = option_of_one(settings);

        if (!(settings->verb->traits & VERB_MEASURE))
                return settings_refuse(settings, "%s=%s names several machines, and '%s' takes one",
                                settings->host_source, settings->host, settings->verb->name);
        if (option)
                return settings_refuse(settings, "--%s works with one machine only", option);
        if (settings->rsh && strcmp(settings->host, "slurm") == 0)
                return settings_refuse(settings,
                                "--rsh cannot be combined with --host=slurm, whose nodes are reached by srun");
        return 0;
}

static int settings_check_min_machines(Settings *settings) {
        unsigned long n;
        char *end;

        if (!settings->min_machines)
                return 0;
        if (!settings->several_hosts)
                return settings_refuse(settings,
                                "--min-machines is for several machines: give --host=HOST,HOST,... too");
        errno = 0;
        n = strtoul(settings->min_machines, &end, 10);
        if (errno || *end || !isdigit((unsigned char)*settings->min_machines) || n < 1 || n > HOSTS_MAX)
                return settings_refuse(settings, "--min-machines takes a whole number from 1 to %u, not '%s'",
                                HOSTS_MAX, settings->min_machines);
        return 0;
}

static int settings_check_links(Settings *settings) {
        unsigned long n;
        char *end;

        if (!settings->links)
                return 0;
        errno = 0;
        n = strtoul(settings->links, &end, 10);
        if (errno || *end || !isdigit((unsigned char)*settings->links) || n < 1 || n > MODULE_LINKS_MAX)
                return settings_refuse(settings, "--links takes a whole number from 1 to %u, not '%s'",
                                MODULE_LINKS_MAX, settings->links);
        return 0;
}

/* The variable is for all commands of a shell, so a command to which it means nothing ignores it. */
static int settings_choose_host(Settings *settings) {
        const bool kept_here = settings->private_daemon && settings->verb->traits & VERB_PRIVATE_RESULTS;
        const char *host = getenv("BENCHCTL_HOST");
        int r;

        settings->host_source = settings->host ? "--host" : "BENCHCTL_HOST";
        if (settings->host && kept_here)
                return settings_refuse(settings,
                                "--host cannot be combined with --private here: private results are kept on this machine");
        if (settings->host && shows_files(settings))
                return settings_refuse(settings,
                                "--host cannot be combined with a file, which is read on this machine");
        if (!settings->host && host && *host && settings->verb->traits & VERB_DAEMON && !kept_here &&
                        !shows_files(settings))
                settings->host = host;
        settings->several_hosts = settings->host && hosts_are_several(settings->host);
        if (!settings->host && settings->rsh)
                return settings_refuse(settings, "--rsh needs --host=HOST");
        r = settings_check_min_machines(settings);
        if (r == 0 && settings->several_hosts)
                r = settings_check_several(settings);
        return r;
}

/* ---- words of hyperfine */

typedef struct WordOfHyperfine {
        const char *word;
        const char *own; /* NULL: the default */
} WordOfHyperfine;

/* Replaces @word by benchctl's own; any other word stays. */
static void settings_translate(const WordOfHyperfine *rows, size_t n, const char **word) {
        for (size_t i = 0; *word && i < n; i++)
                if (strcmp(*word, rows[i].word) == 0) {
                        *word = rows[i].own;
                        return;
                }
}

static int settings_take_style(Settings *settings) {
        const char *style = settings->exec.style;

        if (!style)
                return 0;
        settings->no_color |= strcmp(style, "basic") == 0 || strcmp(style, "nocolor") == 0;
        settings->quiet |= strcmp(style, "none") == 0;
        for (const char *words = "auto|basic|full|nocolor|color|none"; *words; words += strspn(words, "|")) {
                const size_t n = strcspn(words, "|");

                if (strlen(style) == n && strncmp(style, words, n) == 0)
                        return 0;
                words += n;
        }
        return settings_refuse(settings, "--style takes auto, basic, full, nocolor, color or none, not '%.64s'", style);
}

static int settings_take_hyperfine(Settings *settings) {
        static const WordOfHyperfine units[] = { { "second", "s" }, { "millisecond", "ms" }, { "microsecond", "us" } };
        static const WordOfHyperfine sorts[] = { { "auto", NULL }, { "command", NULL }, { "mean-time", "time" } };

        if (!(settings->verb->traits & VERB_EXEC))
                return 0;
        settings_translate(units, N_ELEMENTS(units), &settings->unit);
        settings_translate(sorts, N_ELEMENTS(sorts), &settings->sort_by);
        return settings_take_style(settings);
}

/* ---- the whole */

/* Options that exclude each other, or need another. */
static int settings_check_pairs(Settings *settings) {
        const bool detach = benchd_options_detach(settings->options);
        const struct {
                bool met;
                const char *problem;
        } rows[] = {
                { settings->private_daemon && settings->socket,
                                "--private cannot be combined with --socket: it starts a private daemon" },
                { settings->private_daemon && detach,
                                "--private cannot be combined with --detach: its daemon exits with benchctl" },
                { settings->open && detach, "--open cannot be combined with --detach: there is no result to show yet" },
                { settings->raw && detach,
                                "--raw cannot be combined with --detach: use --keep-samples now, and 'show --raw' later" },
                { settings->plot && detach,
                                "--plot cannot be combined with --detach: use --keep-samples now, and 'show --plot' later" },
                { settings->explain && detach,
                                "--explain cannot be combined with --detach: it stands below the result" },
                { settings->bisect && (settings->git || settings->builds.n > 0),
                                "--bisect is for 'git bisect run', which checks out the commits: it cannot be combined with --git or --build" },
                { settings->commit && (settings->git || settings->builds.n > 0),
                                "--commit cannot be combined with --git or --build, which know the commits" },
                { settings->bisect && detach, "--bisect cannot be combined with --detach: it exits by the result" },
                { settings->baseline && detach,
                                "--baseline cannot be combined with --detach: give it to 'benchctl wait'" },
                { settings->save_baseline && detach,
                                "--save-baseline cannot be combined with --detach: give it to 'benchctl wait'" },
                { settings->margin && settings->verb->traits & VERB_RESULT && !settings->baseline &&
                                                !settings_compares(settings),
                                "--margin is for a comparison: give --baseline=FILE too" },
                { settings->baseline && settings_compares(settings),
                                "--baseline is for one command: several are compared with the first" },
                { settings->margin && settings->verb->traits & VERB_HISTORY &&
                                                settings->arguments.n + settings->filters.n == 0,
                                "--margin is for the times of benchmarks: give a FILTER too" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (rows[i].met)
                        return settings_refuse(settings, "%s", rows[i].problem);
        return 0;
}

/* A file that is shown may be of several machines. */
static int settings_check_view(Settings *settings) {
        const ViewMachines machines = settings->verb->traits & VERB_SHOW ? VIEW_MACHINES_EITHER
                                      : settings->several_hosts          ? VIEW_MACHINES_SEVERAL
                                                                         : VIEW_MACHINES_ONE;

        if (settings->headline && !headline_is_known(settings->headline))
                return settings_refuse(settings, "--headline takes %s, not '%.64s'", HEADLINE_WORDS,
                                settings->headline);
        return view_check(settings->columns, settings->sort_by, settings->verb, machines, &settings->sort,
                               settings->problem) == 0
                               ? 0
                               : SETTINGS_E_USAGE;
}

/* The variable is for all commands of a shell. */
static int settings_choose_unit(Settings *settings) {
        const char *variable = getenv("BENCHCTL_UNIT"), *source = settings->unit ? "--unit" : "BENCHCTL_UNIT";

        if (!settings->unit && variable && *variable)
                settings->unit = variable;
        if (!settings->unit || times_unit_is_known(settings->unit))
                return 0;
        return settings_refuse(settings, "%s takes %s, not '%.64s'", source, TIMES_UNIT_WORDS, settings->unit);
}

int settings_check(Settings *settings) {
        int r;

        if (settings->here)
                return settings_check_here(settings);
        r = settings_take_hyperfine(settings);
        if (r == 0)
                r = settings_share_with_run(settings);
        if (r == 0)
                r = settings_choose_host(settings);
        if (r == 0)
                r = settings_check_pairs(settings);
        if (r == 0)
                r = settings_choose_format(settings);
        if (r == 0)
                r = settings_keep_samples(settings);
        for (size_t i = 0; r == 0 && i < settings->fail_on_typed.n; i++)
                r = settings_take_fail_on(settings, settings->fail_on_typed.words[i]);
        if (r == 0)
                r = settings_take_bisect(settings);
        if (r == 0)
                r = settings_check_links(settings);
        if (r == 0)
                r = settings_check_view(settings);
        if (r == 0 && settings->verb->traits & (VERB_RESULT | VERB_COMPARE | VERB_HISTORY))
                r = settings_choose_unit(settings);
        if (r == 0)
                r = settings_take_operands(settings);
        return error_trace(r);
}
