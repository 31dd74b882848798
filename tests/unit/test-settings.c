/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The command line: what is typed reaches its field, and what cannot be meant is refused with words, never dropped. */

#include "ctl/app/command-options.h"
#include "ctl/app/help.h"
#include "ctl/app/settings.h"

#include "benchd/client.h"
#include "ctl/app/verbs.h"
#include "ctl/show/show.h"
#include "lib/options.h"
#include "test.h"

#define WORDS(...) ((const char *const[]){ "benchctl" __VA_OPT__(, ) __VA_ARGS__, NULL })

static Settings settings;
static bool parsed;

static int tear_down(void **state) {
        if (parsed)
                settings_clear(&settings);
        parsed = false;
        return 0;
}

TEST_EACH(NULL, tear_down)

/* Returns as settings_parse() does, of which the last is kept. */
static int parse(const char *const *words) {
        tear_down(NULL);
        parsed = true;
        return settings_parse(&settings, words);
}

TEST(a_whole_command_line_is_taken_apart) {
        assert_int_equal(parse(WORDS("run", "--private", "a.so", "--with=l1.so", "--with", "l2.so", "-q", "--env=A=b=c",
                                         "--format", "json", "-oout", "b.so", "--", "x/*", "y", "!z")),
                        0);
        assert_ptr_equal(settings.verb, verb_find("run"));
        assert_int_equal(settings.arguments.n, 2);
        assert_string_equal(settings.arguments.words[1], "b.so");
        assert_int_equal(settings.filters.n, 3);
        assert_string_equal(settings.filters.words[1], "y");
        assert_int_equal(settings.with.n, 2);
        assert_string_equal(settings.with.words[1], "l2.so");
        assert_string_equal(settings.environment.words[0], "A=b=c");
        assert_string_equal(settings.format, "json");
        assert_string_equal(settings.output, "out");
        assert_true(settings.private_daemon);
        assert_true(settings.quiet);
}

TEST(an_option_among_filters_is_refused_but_for_a_debugger) {
        assert_int_equal(parse(WORDS("run", "a.so", "--", "x", "--quick")), SETTINGS_E_USAGE);
        assert_non_null(strstr(settings.problem, "'--quick'"));
        assert_int_equal(parse(WORDS("compare", "a.so", "b.so", "--", "-o", "x")), SETTINGS_E_USAGE);
        assert_int_equal(parse(WORDS("debug", "a.c", "x", "--", "-batch")), 0);
}

TEST(options_may_stand_before_the_verb) {
        assert_int_equal(parse(WORDS("--quick", "--socket=/s", "run", "-")), 0);
        assert_string_equal(settings.socket, "/s");
        assert_string_equal(settings.arguments.words[0], "-");
}

TEST(a_job_is_the_only_argument_of_the_verbs_about_one) {
        static const char *const names[] = { "wait", "show", "cancel", "pin", "unpin" };

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                assert_int_equal(parse(WORDS(names[i], "@12ABcd")), 0);
                assert_string_equal(settings.job, "12abcd");
        }
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                const bool means_latest = *verb_find(names[i])->operands == '[', shows = strcmp(names[i], "show") == 0;
                _cleanup_(settings_clear) Settings none, two, filter;

                assert_int_equal(settings_parse(&none, WORDS(names[i])), means_latest ? 0 : SETTINGS_E_USAGE);
                assert_string_equal(none.job, "");
                assert_true(means_latest || strstr(none.problem, "one job"));
                assert_int_equal(settings_parse(&two, WORDS(names[i], "1234", "5678")),
                                shows ? 0 : SETTINGS_E_USAGE); /* two results side by side */
                assert_int_equal(settings_parse(&filter, WORDS(names[i], "1234", "--", "x")),
                                shows ? 0 : SETTINGS_E_USAGE);
                assert_true(!shows || strcmp(filter.job, "1234") == 0);
        }
}

TEST(what_narrows_a_history_reaches_its_field) {
        assert_int_equal(parse(WORDS("history", "--since=2h", "--state", "done", "--limit=7", "--all-users", "sort*")),
                        0);
        assert_string_equal(settings.since, "2h");
        assert_string_equal(settings.state, "done");
        assert_string_equal(settings.limit, "7");
        assert_true(settings.all_users);
        assert_string_equal(settings.arguments.words[0], "sort*");
}

typedef struct Refusal {
        const char *const *words;
        const char *mentions;
} Refusal;

TEST(what_cannot_be_meant_is_refused_with_words) {
        const Refusal refusals[] = {
                { WORDS("frobnicate"), "'frobnicate'" },
                { WORDS("run", "--frob"), "--frob" },
                { WORDS("run", "--frob=1"), "--frob" },
                { WORDS("run", "-z"), "-z" },
                { WORDS("run", "--quick=yes"), "--quick takes no value" },
                { WORDS("run", "--quiet=yes"), "--quiet takes no value" },
                { WORDS("run", "--processes"), "--processes=K" },
                { WORDS("run", "--processes="), "--processes=K" },
                { WORDS("run", "--processes=0"), "from 1 to 1000" },
                { WORDS("run", "--output="), "--output=FILE" },
                { WORDS("run", "--format=xml"), "xml" },
                { WORDS("run", "--columns=time,nosuch", "a.so"),
                                "unknown column 'nosuch'; columns are time, interval, " },
                { WORDS("compare", "--columns=net", "a.so", "b.so"),
                                "unknown column 'net'; columns are old, new, ratio" },
                { WORDS("run", "--columns=quiet", "--host=a,b", "a.so"),
                                "unknown column 'quiet'; columns for several machines are time, interval" },
                { WORDS("compare", "--columns=quiet", "--host=a,b", "a.so", "b.so"),
                                "unknown column 'quiet'; columns for several machines are old, new, ratio" },
                { WORDS("run", "--sort=size", "a.so"), "unknown key 'size'" },
                { WORDS("run", "--headline=mode", "a.so"), "--headline takes median|mean, not 'mode'" },
                { WORDS("run", "--sort=ratio", "a.so"), "keys are name and time" },
                { WORDS("run", "--fail-on=faster", "--fail-on=unfit", "a.so"), "not 'faster'" },
                { WORDS("run", "--socket=/s", "--private"), "--private" },
                { WORDS("run", "--private", "--detach", "a.so"), "--detach" },
                { WORDS("list", "--output=a.html", "a.so"), "asks for html, which a list of benchmarks does not have" },
                { WORDS("run", "--open", "--format=json", "a.so"), "--open shows a page, not --format=json" },
                { WORDS("list", "--output=a.gp", "a.so"),
                                "asks for gnuplot, which a list of benchmarks does not have" },
                { WORDS("list", "--format=mark", "a.so"),
                                "a list of benchmarks has no format 'mark'; its formats are table, details" },
                { WORDS("run", "--detach", "--format=mark", "a.so"), "the id of a detached job has no format 'mark'" },
                { WORDS("run", "--columns=time", "-o", "a.csv", "a.so"), "--columns is for tables: csv has" },
                { WORDS("show", "--sort=time", "--format=json"), "--sort is for tables: json has" },
                { WORDS("run", "--brief", "--format=csv", "a.so"), "--brief is JSON, not csv" },
                { WORDS("run", "--brief", "--detach", "a.so"), "--brief is for a result, not for the id" },
                { WORDS("run", "-o", "d.x/a.JSON", "--format=details", "a.so"),
                                "asks for json, and --format for details" },
                { WORDS("compare", "--fail-on", "a.so", "b.so"), "--fail-on needs a value: --fail-on=slower" },
                { WORDS("run", "--fail-on", "a.so"), "--fail-on needs a value: --fail-on=unfit" },
                { WORDS("compare", "--fail-on=faster", "a.so", "b.so"),
                                "--fail-on takes slower, unresolved and unfit, not" },
                { WORDS("run", "--detach", "--raw=f.npz", "a.so"), "--raw cannot be combined with --detach" },
                { WORDS("run", "--detach", "--plot", "a.so"), "--plot cannot be combined with --detach" },
                { WORDS("run", "--plot", "--format=json", "a.so"),
                                "--plot draws below a table, not below --format=json" },
                { WORDS("list", "--raw=f.npz", "a.so"), "--raw is not an option of 'list'" },
                { WORDS("run", "--here", "--raw=f.npz", "a.so"), "--here cannot be combined with --raw" },
                { WORDS("run", "--here", "--private", "a.so"), "--here cannot be combined with --private" },
                { WORDS("run", "--seed=1", "--here", "a.so"), "--here cannot be combined with --seed" },
                { WORDS("list", "--here", "a.so"), "--here is not an option of 'list' (only of run)" },
                { WORDS("run", "--detach=yes", "a.so"), "--detach takes no value" },
                { WORDS("list", "--detach", "a.so"), "--detach is not an option of 'list'" },
                { WORDS("wait", "--private", "1234"), "--private is not an option of 'wait'" },
                { WORDS("wait", "xyzt"), "'xyzt'" },
                { WORDS("run", "--since=1h", "a.so"), "--since is not an option of 'run'" },
                { WORDS("list", "--quick", "a.so"), "--quick is not an option of 'list'" },
                { WORDS("--quick", "--with=l.so", "list", "a.so"), "--quick is not an option of 'list'" },
                { WORDS("--with=l.so", "--quick", "list", "a.so"), "--quick is not an option of 'list'" },
                { WORDS("status", "--with=a.so"), "--with is not an option of 'status'" },
                { WORDS("run", "--margin=3%", "a.so"), "--margin is for a comparison: give --baseline=FILE too" },
                { WORDS("--margin=3%", "run", "a.so"), "--margin is for a comparison: give --baseline=FILE too" },
                { WORDS("history", "--margin=3%"), "--margin is for the times of benchmarks: give a FILTER too" },
                { WORDS("list", "--quick", "a.so"), "(only of run, compare)" },
                { WORDS("run", "--limit=3", "--quick", "a.so"), "--limit is not an option of 'run' (only of history)" },
                { WORDS("--limit=3", "history", "--quick"),
                                "--quick is not an option of 'history' (only of run, compare)" },
        };

        for (size_t i = 0; i < N_ELEMENTS(refusals); i++) {
                assert_int_equal(parse(refusals[i].words), SETTINGS_E_USAGE);
                if (!strstr(settings.problem, refusals[i].mentions))
                        fail_msg("'%s' does not mention '%s'", settings.problem, refusals[i].mentions);
        }
}

/* The first row of a name that a verb takes is the verb's, so a later one that only verbs with an earlier one take is dead. */
TEST(every_option_has_a_verb_and_each_verb_has_one_row_of_a_name_and_a_letter) {
        const CommandOption *option;
        const Verb *verb;

        for (size_t i = 0; (option = command_option_at(i)); i++) {
                size_t n = 0;

                for (size_t k = 0; (verb = verb_at(k)); k++) {
                        if (!command_option_is_of(option, verb))
                                continue;
                        n++;
                        assert_ptr_equal(command_option_find(option->name, verb), option);
                        if (option->letter)
                                assert_ptr_equal(command_option_find_letter(option->letter, verb), option);
                }
                assert_true(n > 0);
        }
}

TEST(a_name_means_what_the_verb_takes_it_for_wherever_the_verb_stands) {
        const char *const *const lines[] = {
                WORDS("exec", "--warmup=3", "true"),
                WORDS("--warmup", "3", "exec", "true"),
                WORDS("-w3", "exec", "true"),
                WORDS("exec", "true", "-w", "3"),
        };
        _cleanup_(settings_clear) Settings run;

        for (size_t i = 0; i < N_ELEMENTS(lines); i++) {
                assert_int_equal(parse(lines[i]), 0);
                assert_string_equal(settings.exec.warmup, "3");
                assert_false(settings.options->request.has_warmup_ns);
        }
        assert_int_equal(settings_parse(&run, WORDS("--warmup=3", "run", "a.so")), 0);
        assert_null(run.exec.warmup);
        assert_int_equal(run.options->request.warmup_ns, 3000000);
}

TEST(the_letter_o_is_the_file_of_the_result_for_every_verb) {
        _cleanup_(settings_clear) Settings run;

        assert_int_equal(parse(WORDS("exec", "-o", "x.json", "--output=./y.json", "true")), 0);
        assert_string_equal(settings.output, "x.json");
        assert_string_equal(settings.format, "json");
        assert_string_equal(settings.exec.outputs.words[0], "./y.json");
        assert_int_equal(settings_parse(&run, WORDS("-o", "x.json", "run", "a.so")), 0);
        assert_string_equal(run.output, "x.json");
}

TEST(a_value_of_several_words_may_be_one) {
        const char *const *const lines[] = {
                WORDS("exec", "-P", "n", "-1", "3", "-L", "c", "gcc,clang", "{c} {n}"),
                WORDS("exec", "--parameter-scan", "n", "-1", "3", "--parameter-list", "c", "gcc,clang", "{c} {n}"),
                WORDS("--parameter-scan=n,-1,3", "-Lc,gcc,clang", "exec", "{c} {n}"),
        };
        const char *const *const short_lines[] = { WORDS("exec", "true", "-P", "n", "1"),
                WORDS("exec", "true", "-L", "c") };

        for (size_t i = 0; i < N_ELEMENTS(lines); i++) {
                assert_int_equal(parse(lines[i]), 0);
                assert_int_equal(settings.exec.scans.n, 1);
                assert_string_equal(settings.exec.scans.words[0], "n,-1,3");
                assert_string_equal(settings.exec.lists.words[0], "c,gcc,clang");
                assert_int_equal(settings.arguments.n, 1);
        }
        for (size_t i = 0; i < N_ELEMENTS(short_lines); i++) {
                assert_int_equal(parse(short_lines[i]), SETTINGS_E_USAGE);
                assert_non_null(strstr(settings.problem, "needs a value: --parameter-"));
        }
}

TEST(a_value_that_only_another_verb_takes_is_refused) {
        assert_int_equal(parse(WORDS("exec", "--cold=all", "true")), 0);
        assert_string_equal(settings.exec.cold, "all");
        assert_int_equal(parse(WORDS("run", "--cold=all", "a.so")), SETTINGS_E_USAGE);
        assert_string_equal(settings.problem, "--cold takes no value");
}

/* The library judges the values, also of verbs that send it no run. */
TEST(a_margin_that_is_no_percentage_is_refused_by_every_verb_that_takes_one) {
        const char *const *const lines[] = {
                WORDS("compare", "--margin=wide", "a.so", "b.so"),
                WORDS("show", "--margin=wide", "--baseline=f.json", "1234"),
                WORDS("history", "--margin=wide", "sums/*"),
        };

        for (size_t i = 0; i < N_ELEMENTS(lines); i++) {
                assert_int_equal(parse(lines[i]), SETTINGS_E_USAGE);
                assert_non_null(strstr(settings.problem, "'wide'"));
        }
}

TEST(what_does_not_exist_is_refused_by_name_never_dropped) {
        static const char *const options[] = { "--picture" };
        static const char *const formats[] = { "yaml", "xlsx" };
        static const char *const verbs[] = { "doctor", "noise" };
        char word[64];

        for (size_t i = 0; i < N_ELEMENTS(options); i++) {
                snprintf(word, sizeof word, "unknown option '%.*s'", (int)strcspn(options[i], "="), options[i]);
                assert_int_equal(parse(WORDS("run", options[i], "a.so")), SETTINGS_E_USAGE);
                assert_string_equal(settings.problem, word);
        }
        for (size_t i = 0; i < N_ELEMENTS(formats); i++) {
                snprintf(word, sizeof word, "--format=%s", formats[i]);
                assert_int_equal(parse(WORDS("run", word, "a.so")), SETTINGS_E_USAGE);
                assert_non_null(strstr(settings.problem, "unknown format"));
                assert_non_null(strstr(settings.problem, formats[i]));
        }
        for (size_t i = 0; i < N_ELEMENTS(verbs); i++) {
                snprintf(word, sizeof word, "unknown command '%s'", verbs[i]);
                assert_int_equal(parse(WORDS(verbs[i])), SETTINGS_E_USAGE);
                assert_string_equal(settings.problem, word);
        }
}

TEST(nothing_to_do_is_not_a_mistake_of_a_word) {
        _cleanup_(settings_clear) Settings none, only_option;

        assert_int_equal(settings_parse(&none, WORDS()), SETTINGS_E_NO_VERB);
        assert_int_equal(settings_parse(&only_option, WORDS("--quick")), SETTINGS_E_NO_VERB);
}

TEST(an_unambiguous_beginning_will_do) {
        _cleanup_(settings_clear) Settings history;

        assert_int_equal(parse(WORDS("ru", "--proc=3", "--cpus-per=2", "--priv", "a.so")), 0);
        assert_ptr_equal(settings.verb, verb_find("run"));
        assert_int_equal(settings.options->request.processes, 3);
        assert_int_equal(settings.options->request.cpus_per_run, 2);
        assert_true(settings.private_daemon);
        assert_int_equal(settings_parse(&history, WORDS("hi")), 0);
        assert_ptr_equal(history.verb, verb_find("history"));
}

typedef struct Meant {
        const char *const *words;
        const char *hint;
} Meant;

TEST(what_was_probably_meant_is_said) {
        const Meant rows[] = {
                { WORDS("rnu", "a.so"), "Did you mean: benchctl run?" },
                { WORDS("hitsory"), "Did you mean: benchctl history?" },
                { WORDS("a.so"), "Did you mean: benchctl run a.so?" },
                { WORDS("frobnicate"), "" },
                { WORDS("run", "--precison=1%", "a.so"), "Did you mean --precision?" },
                { WORDS("run", "--privaet", "a.so"), "Did you mean --private?" },
                { WORDS("run", "--frobnicate", "a.so"), "" },
                { WORDS("history", "--sicne=1h"), "Did you mean --since?" },
                { WORDS("run", "--sicne=1h", "a.so"), "" },
                { WORDS("status", "--pr"), "Did you mean --private?" },
                { WORDS("-v"), "Did you mean -V, --version?" },
                { WORDS("run", "-z"), "" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                assert_int_equal(parse(rows[i].words), SETTINGS_E_USAGE);
                assert_string_equal(settings.hint, rows[i].hint);
        }
}

TEST(a_mistake_is_named_in_full) {
        const Refusal refusals[] = {
                { WORDS("run", "--=1", "a.so"), "unknown option '--'" },
                { WORDS("run", "-qz", "a.so"), "unknown option '-z'" },
                { WORDS("run", "--pre=1", "a.so"), "option '--pre' is ambiguous: --prepare, --precision, --preload" },
                { WORDS("s"), "command 's' is ambiguous: source, show, status, set-governor" },
                { WORDS(""), "unknown command ''" },
                { WORDS("run", "a.so", "-o"), "--output needs a value: --output=FILE" },
                { WORDS("run", "--output", "", "a.so"), "--output needs a value: --output=FILE" },
                { WORDS("run", "--output", "--quick", "a.so"), "--output needs a value: --output=FILE" },
                { WORDS("run", "-o", "--quick", "a.so"), "--output needs a value: --output=FILE" },
        };

        for (size_t i = 0; i < N_ELEMENTS(refusals); i++) {
                assert_int_equal(parse(refusals[i].words), SETTINGS_E_USAGE);
                assert_string_equal(settings.problem, refusals[i].mentions);
        }
}

TEST(a_file_takes_the_format_of_its_suffix_and_of_no_suffix_any) {
        static const char *const of_path[][2] = { { "a.json", "json" }, { "b/a.JSON", "json" }, { "a.csv", "csv" },
                { "a.md", "markdown" }, { "a.gp", "gnuplot" }, { "a.txt", "table" }, { "a.json/b", "table" },
                { "a", "table" }, { "tmp.rPv1Xkq0Zs", "table" }, { "r-0.1.0", "table" } };
        _cleanup_(settings_clear) Settings given;

        for (size_t i = 0; i < N_ELEMENTS(of_path); i++) {
                assert_int_equal(parse(WORDS("run", "-o", of_path[i][0], "a.so")), 0);
                assert_string_equal(settings.format, of_path[i][1]);
        }
        assert_int_equal(settings_parse(&given, WORDS("run", "-o", "a.txt", "--format=json", "a.so")), 0);
        assert_string_equal(given.format, "json");
        assert_int_equal(parse(WORDS("run", "-o", "a.jpeg", "a.so")), SETTINGS_E_USAGE);
        assert_non_null(strstr(settings.problem, "a.jpeg has the suffix of no format"));
        assert_int_equal(parse(WORDS("run", "-o", "a.jpeg", "--format=table", "a.so")), 0);
}

TEST(a_value_that_may_be_left_out_never_takes_the_next_word) {
        static const char *const verbs[] = { "run", "show" };

        for (size_t i = 0; i < N_ELEMENTS(verbs); i++) {
                _cleanup_(settings_clear) Settings without, with;

                assert_int_equal(settings_parse(&without, WORDS(verbs[i], "--scale", "1234")), 0);
                assert_int_equal(without.arguments.n, 1);
                assert_string_equal(without.scale, "");
                assert_int_equal(settings_parse(&with, WORDS(verbs[i], "--scale=x", "1234")), 0);
                assert_string_equal(with.scale, "x");
        }
}

TEST(cpus_go_where_the_verb_looks) {
        _cleanup_(settings_clear) Settings governor, run;

        assert_int_equal(settings_parse(&governor, WORDS("set-governor", "--cpus=0-1", "powersave")), 0);
        assert_string_equal(governor.cpus, "0-1");
        assert_int_equal(settings_parse(&run, WORDS("run", "--cpus", "2,4", "a.so")), 0);
        assert_int_equal(run.options->request.n_cpus, 2);
}

/* A comparison takes every option of a run, its margin among them. */
TEST(help_of_a_comparison_names_the_margin) {
        _cleanup_(freep) char *text = NULL;
        size_t n;
        FILE *out = open_memstream(&text, &n);

        help_print(verb_find("compare"), out);
        fclose(out);
        assert_non_null(strstr(text, "--margin=P%"));
        assert_non_null(strstr(text, "--processes=K"));
}

TEST(help_needs_nothing_else_and_names_every_option) {
        _cleanup_(freep) char *text = NULL;
        const benchd_option *option;
        size_t n;
        FILE *out;

        assert_int_equal(parse(WORDS("run", "--help")), 0);
        assert_true(settings.help);

        out = open_memstream(&text, &n);
        help_print(verb_find("run"), out);
        help_print(verb_find("compare"), out);
        fclose(out);
        for (size_t i = 0; (option = benchd_option_at(i)); i++) {
                char name[64];

                snprintf(name, sizeof name, "--%s", option->name);
                assert_non_null(strstr(text, name));
        }
        assert_non_null(strstr(text, "--private"));
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
                assert_true(strcspn(line, "\n") <= 100);
}

/* getopt's table has a limit, and a row beyond it would be an unknown option. */
TEST(every_option_of_every_verb_is_known) {
        const Verb *verb;
        const CommandOption *option;

        for (size_t i = 0; (verb = verb_at(i)); i++)
                for (size_t k = 0; (option = command_option_at(k)); k++) {
                        char word[64];

                        if (!command_option_is_of(option, verb))
                                continue;
                        snprintf(word, sizeof word, "--%s%s", option->name, option->value ? "=1" : "");
                        (void)parse(WORDS(verb->name, word));
                        assert_null(strstr(settings.problem, "unknown option"));
                        assert_null(strstr(settings.problem, "is not an option of"));
                }
}

TEST(a_verb_that_prints_no_result_takes_no_file_for_one) {
        static const char *const names[] = { "new", "edit", "debug", "unpack" };

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                assert_int_equal(parse(WORDS(names[i], "x.c", "-o", "y.c")), SETTINGS_E_USAGE);
                assert_non_null(strstr(settings.problem, "-o is not an option of"));
        }
}

TEST(another_machine_is_named_by_an_option_or_the_environment) {
        const struct {
                const char *const *words;
                const char *of_environment, *host; /* NULL: none */
        } rows[] = {
                { WORDS("run", "--host=a", "m.so"), NULL, "a" },
                { WORDS("run", "m.so"), "b", "b" },
                { WORDS("run", "m.so"), "", NULL },
                { WORDS("run", "--host=a", "m.so"), "b", "a" },
                { WORDS("status"), "b", "b" },
                { WORDS("history"), "b", "b" },
                { WORDS("set-governor", "--restore"), "b", "b" },
                { WORDS("run", "--private", "m.so"), "b", "b" },
                { WORDS("run", "--socket=/s", "m.so"), "b", "b" },
                { WORDS("run", "--host=a,b", "m.so"), NULL, "a,b" },
                { WORDS("compare", "m.so", "n.so"), "@file", "@file" },
                { WORDS("run", "--host=slurm", "--min-machines=2", "m.so"), NULL, "slurm" },
                { WORDS("run", "--host=a,b", "--rsh=ssh -p 22", "m.so"), NULL, "a,b" },
                { WORDS("run", "--here", "m.so"), "b", NULL },  /* runs in its own process, */
                { WORDS("new", "x.c"), "b", NULL },             /* asks no daemon, */
                { WORDS("bridge"), "b", NULL },                 /* is the other end, */
                { WORDS("history", "--private"), "b,c", NULL }, /* reads what is kept here */
                { WORDS("show", "--private", "1234"), "b", NULL },
                { WORDS("show", "result.json"), "b,c", NULL }, /* or in a file */
                { WORDS("show", "./old.json", "new.json"), "b", NULL },
                { WORDS("show", "old.json", "1234"), "b", "b" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                if (rows[i].of_environment)
                        setenv("BENCHCTL_HOST", rows[i].of_environment, 1);
                else
                        unsetenv("BENCHCTL_HOST");
                if (parse(rows[i].words) != 0)
                        fail_msg("row %zu: %s", i, settings.problem);
                if (rows[i].host)
                        assert_string_equal(settings.host, rows[i].host);
                else
                        assert_null(settings.host);
        }
        unsetenv("BENCHCTL_HOST");
}

TEST(several_machines_are_not_for_every_verb_and_option) {
        const Refusal refusals[] = {
                { WORDS("status", "--host=a,b"), "--host=a,b names several machines, and 'status' takes one" },
                { WORDS("list", "--host=@f", "m.so"), "'list' takes one" },
                { WORDS("show", "--host=slurm", "1234"), "'show' takes one" },
                { WORDS("set-governor", "--host=a,b", "powersave"), "'set-governor' takes one" },
                { WORDS("run", "--host=a,b", "--detach", "m.so"), "--detach works with one machine only" },
                { WORDS("run", "--host=a,b", "--baseline=f", "m.so"), "--baseline works with one machine only" },
                { WORDS("run", "--host=a,b", "--save-baseline=f", "m.so"),
                                "--save-baseline works with one machine only" },
                { WORDS("run", "--host=a,b", "--raw=f.npz", "m.so"), "--raw works with one machine only" },
                { WORDS("run", "--host=a,b", "--plot", "m.so"), "--plot works with one machine only" },
                { WORDS("run", "--host=slurm", "--rsh=rsh", "m.so"), "--rsh cannot be combined with --host=slurm" },
                { WORDS("run", "--min-machines=2", "m.so"), "--min-machines is for several machines" },
                { WORDS("run", "--host=a", "--min-machines=2", "m.so"), "--min-machines is for several machines" },
                { WORDS("run", "--host=a,b", "--min-machines=0", "m.so"), "from 1 to 1024, not '0'" },
                { WORDS("run", "--host=a,b", "--min-machines=1025", "m.so"), "from 1 to 1024, not '1025'" },
                { WORDS("run", "--host=a,b", "--min-machines=2x", "m.so"), "not '2x'" },
                { WORDS("run", "--host=a,b", "--min-machines=-2", "m.so"), "not '-2'" },
                { WORDS("run", "--host=a,b", "--min-machines= 2", "m.so"), "not ' 2'" },
                { WORDS("run", "--host=a,b", "--min-machines=99999999999999999999", "m.so"), "from 1 to 1024" },
                { WORDS("status", "--min-machines=2"), "--min-machines is not an option of 'status'" },
                { WORDS("run", "--rsh=ssh", "m.so"), "--rsh needs --host=HOST" },
                { WORDS("run", "--host=", "m.so"), "--host=HOST" },
                { WORDS("run", "--host=a", "--private", "--socket=/s", "m.so"),
                                "--private cannot be combined with --socket" },
                { WORDS("run", "--host=a", "--here", "m.so"), "--here cannot be combined with --host" },
                { WORDS("history", "--host=a", "--private"), "private results are kept on this machine" },
                { WORDS("show", "--host=a", "result.json"), "--host cannot be combined with a file" },
                { WORDS("bridge", "--host=a"), "--host is not an option of 'bridge'" },
                { WORDS("new", "--host=a", "x.c"), "--host is not an option of 'new'" },
        };

        unsetenv("BENCHCTL_HOST");
        for (size_t i = 0; i < N_ELEMENTS(refusals); i++) {
                if (parse(refusals[i].words) != SETTINGS_E_USAGE)
                        fail_msg("row %zu is taken", i);
                if (!strstr(settings.problem, refusals[i].mentions))
                        fail_msg("'%s' does not mention '%s'", settings.problem, refusals[i].mentions);
        }
}
