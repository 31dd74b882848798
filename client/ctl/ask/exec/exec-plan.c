/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/exec/exec-asked.h"
#include "ctl/ask/exec/exec-program.h"
#include "ctl/ask/exec/exec-words.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/printable.h"
#include "ctl/model/settings.h"

#define NAME_ROOM (EXEC_NAME_BYTES - 4) /* leaves room for the number of an equal one */

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_MACHINE;
}

/* Gives @text, which was allocated, to the plan. NULL: memory ran out. */
static const char *plan_keep(ExecPlan *plan, char *text) {
        char **texts = text ? reallocarray(plan->texts, plan->n_texts + 1, sizeof *texts) : NULL;

        if (!texts) {
                free(text);
                return NULL;
        }
        texts[plan->n_texts++] = text;
        plan->texts = texts;
        return text;
}

/* ---- names */

/* Its letters, digits and _.-+ stay, runs of all else become one underscore. */
static void name_from(const char *title, char name[static EXEC_NAME_BYTES]) {
        size_t n = 0;

        for (; *title && n < NAME_ROOM - 1; title++) {
                if (isalnum((unsigned char)*title) || strchr("_.-+", *title))
                        name[n++] = *title;
                else if (n > 0 && name[n - 1] != '_')
                        name[n++] = '_';
        }
        while (n > 0 && name[n - 1] == '_')
                n--;
        name[n] = '\0';
        if (n == 0)
                strcpy(name, "command");
}

static bool is_taken(const ExecPlan *plan, size_t n, const char *name) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(plan->commands[i].name, name) == 0)
                        return true;
        return false;
}

static void plan_name(ExecPlan *plan) {
        for (size_t i = 0; i < plan->n; i++) {
                char *name = plan->commands[i].name;
                size_t n;

                name_from(plan->commands[i].title, name);
                n = strlen(name);
                for (unsigned again = 2; is_taken(plan, i, name); again++)
                        snprintf(name + n, EXEC_NAME_BYTES - n, ".%u", again);
        }
}

/* A text of one line. */
static const char *plan_title(ExecPlan *plan, const char *text) {
        char *title = strdup(text);

        if (title)
                printable_text(title);
        return plan_keep(plan, title);
}

void exec_title_cut(const char *title, char *text, size_t n) {
        static const char cut[] = "…";
        size_t length = strlen(title);

        if (length < n) {
                memcpy(text, title, length + 1);
                return;
        }
        length = n - sizeof cut;
        while (length > 0 && ((unsigned char)title[length] & 0xc0) == 0x80)
                length--;
        memcpy(text, title, length);
        memcpy(text + length, cut, sizeof cut);
}

/* ---- what is executed */

static int set_program(ExecCommand *command, bool is_shell) {
        const char *word = command->words[0];

        if (!exec_program_find(word, command->program)) {
                complain("There is no %s '%s'.", is_shell ? "shell" : "program", word);
                complain_hint(is_shell ? "Name one by --shell, or use none: -N."
                                       : "Write its path, or put its directory into PATH; for a command of the shell omit -N and --.");
                return EXIT_USAGE;
        }
        if (!exec_program_changes_user(command->program))
                return 0;
        complain("%s changes its user or group when it is executed (setuid), and is not measured.", command->program);
        complain_hint("Measure what it runs, as the user who may.");
        return EXIT_USAGE;
}

static int set_words(ExecCommand *command, const char *const *words, size_t n) {
        command->words = calloc(n + 1, sizeof *command->words);
        if (!command->words)
                return out_of_memory();
        memcpy(command->words, words, n * sizeof *words);
        return 0;
}

/* A script of the shell. */
static int set_script(const ExecPlan *plan, const char *text, ExecCommand *command) {
        const size_t n = plan->n_shell_words;
        int r;

        command->has_shell = true;
        r = set_words(command, plan->shell_words, n + 1);
        if (r)
                return r;
        command->words[n] = text;
        return set_program(command, true);
}

static int refuse_split(const char *text, int open) {
        if (open < 0)
                return out_of_memory();
        if (open == '\\')
                complain("A backslash ends the command '%.128s'.", text);
        else
                complain("The quote %c is not closed in the command '%.128s'.", open, text);
        return EXIT_USAGE;
}

/* Words that no shell reads. */
static int set_split(ExecPlan *plan, const char *text, ExecCommand *command) {
        _cleanup_(exec_words_clear) ExecWords words = {};
        int r;

        r = exec_words_split(text, &words);
        if (r)
                return refuse_split(text, r);
        r = set_words(command, (const char *const *)words.words, words.n);
        for (size_t i = 0; r == 0 && i < words.n; i++) {
                command->words[i] = plan_keep(plan, strdup(words.words[i]));
                if (!command->words[i])
                        r = out_of_memory();
        }
        return r ? r : set_program(command, false);
}

static bool is_blank(const char *text) {
        return text[strspn(text, " \t\n")] == '\0';
}

/* @what it is, in a message: "command", or the option of a hook. */
static int set_text(ExecPlan *plan, const char *what, const char *text, ExecCommand *command) {
        if (is_blank(text)) {
                complain("A%s %s is empty.", *what == '-' ? " script of" : "", what);
                return EXIT_USAGE;
        }
        return plan->shell_words ? set_script(plan, text, command) : set_split(plan, text, command);
}

/* ---- one command */

/* A command of the command line, before its parameters have values. */
typedef struct Pattern {
        const char *text;         /* of a script; NULL: words */
        const char *const *words; /* of a program */
        size_t n;
        const char *name; /* as typed; NULL: none */
        const char *hooks[_EXEC_HOOKS_N];
        ExecOutput output;
        const char *output_path; /* for EXEC_OUTPUT_FILE */
} Pattern;

static const char *substitute(ExecPlan *plan, const ExecCommand *command, const char *text) {
        return plan_keep(plan, exec_substitute(text, command->parameters, command->n_parameters));
}

static int set_parameters(ExecPlan *plan, size_t combination, ExecCommand *command) {
        command->n_parameters = plan->scales.n;
        if (plan->scales.n == 0)
                return 0;
        command->parameters = calloc(EXEC_PARAMETERS_MAX, sizeof *command->parameters);
        if (!command->parameters)
                return out_of_memory();
        exec_scales_combine(&plan->scales, combination, command->parameters);
        return 0;
}

static int set_name(ExecPlan *plan, const Pattern *pattern, ExecCommand *command) {
        const char *name = substitute(plan, command, pattern->name);

        if (!name)
                return out_of_memory();
        if (is_blank(name) || strlen(name) >= EXEC_TITLE_BYTES) {
                complain("A name has 1 to %u bytes: --command-name='%.32s%s'.", EXEC_TITLE_BYTES - 1, name,
                                strlen(name) > 32 ? "…" : "");
                return EXIT_USAGE;
        }
        for (size_t i = 0; command != &plan->commands[i]; i++)
                if (strcmp(plan->commands[i].title, name) == 0) {
                        complain("Two commands have the name '%s'.", name);
                        complain_hint("Name each by itself; {PARAMETER} in a name stands for its value.");
                        return EXIT_USAGE;
                }
        command->title = plan_title(plan, name);
        return command->title ? 0 : out_of_memory();
}

static int set_hook(ExecPlan *plan, const Pattern *pattern, ExecHook hook, ExecCommand *command) {
        static const char *const options[_EXEC_HOOKS_N] = { "--setup", "--prepare", "--conclude", "--cleanup" };
        const char *text;

        if (!pattern->hooks[hook])
                return 0;
        text = substitute(plan, command, pattern->hooks[hook]);
        command->hooks[hook] = calloc(1, sizeof *command->hooks[hook]);
        if (!text || !command->hooks[hook])
                return out_of_memory();
        command->hooks[hook]->title = text;
        return set_text(plan, options[hook], text, command->hooks[hook]);
}

static int set_command_words(ExecPlan *plan, const Pattern *pattern, ExecCommand *command) {
        _cleanup_(freep) char *title = NULL;
        int r;

        r = set_words(command, pattern->words, pattern->n);
        for (size_t i = 0; r == 0 && i < pattern->n; i++) {
                command->words[i] = substitute(plan, command, pattern->words[i]);
                if (!command->words[i])
                        return out_of_memory();
        }
        if (r)
                return r;
        title = exec_words_join(command->words, pattern->n);
        command->title = title ? plan_title(plan, title) : NULL;
        return command->title ? set_program(command, false) : out_of_memory();
}

static int set_command_text(ExecPlan *plan, const Pattern *pattern, ExecCommand *command) {
        const char *text = substitute(plan, command, pattern->text);

        command->title = text ? plan_title(plan, text) : NULL;
        return command->title ? set_text(plan, "command", text, command) : out_of_memory();
}

static int plan_add(ExecPlan *plan, const Pattern *pattern, size_t combination) {
        ExecCommand *command = &plan->commands[plan->n++];
        int r;

        r = set_parameters(plan, combination, command);
        if (r == 0)
                r = pattern->text ? set_command_text(plan, pattern, command)
                                  : set_command_words(plan, pattern, command);
        if (r == 0 && pattern->name)
                r = set_name(plan, pattern, command);
        for (ExecHook hook = 0; r == 0 && hook < _EXEC_HOOKS_N; hook++)
                r = set_hook(plan, pattern, hook, command);
        command->output = pattern->output;
        command->output_path = pattern->output_path;
        return r;
}

/* ---- the command line */

typedef struct Patterns {
        Pattern all[EXEC_COMMANDS_MAX];
        size_t n;
        bool has_reference;
} Patterns;

static int refuse_number(size_t n) {
        complain("%zu commands were given, of at most %u.", n, EXEC_COMMANDS_MAX);
        complain_hint("Measure them in several runs; fewer values of a parameter are fewer commands.");
        return EXIT_USAGE;
}

static int patterns_gather(const Settings *settings, Patterns *patterns) {
        const SettingsWords *scripts = &settings->arguments, *program = &settings->filters;
        const char *reference = settings->exec.reference;
        const size_t n = (reference != NULL) + scripts->n + (program->n > 0);

        if (n == (reference != NULL)) {
                complain("No command was given.");
                complain_hint("For example: benchctl exec 'gzip -1 -k -f x', or without a shell: benchctl exec -- gzip -1 -k -f x");
                return EXIT_USAGE;
        }
        if (n > EXEC_COMMANDS_MAX)
                return refuse_number(n);
        if (reference)
                patterns->all[patterns->n++] = (Pattern){ .text = reference, .name = settings->exec.reference_name };
        for (size_t i = 0; i < scripts->n; i++)
                patterns->all[patterns->n++].text = scripts->words[i];
        if (program->n > 0)
                patterns->all[patterns->n++] = (Pattern){ .words = program->words, .n = program->n };
        patterns->has_reference = reference;
        if (reference || !settings->exec.reference_name)
                return 0;
        complain("--reference-name names the command of --reference, which is not given.");
        return EXIT_USAGE;
}

/* Names are of the commands in their order, without that of --reference, which has its own. */
static int patterns_name(const SettingsWords *names, Patterns *patterns) {
        const size_t first = patterns->has_reference, n = patterns->n - first;

        if (names->n > n) {
                complain("--command-name is given %zu times, for %zu command%s.", names->n, n, n == 1 ? "" : "s");
                return EXIT_USAGE;
        }
        for (size_t i = 0; i < names->n; i++)
                patterns->all[first + i].name = names->words[i];
        return 0;
}

/* The texts of an option that is given once for all commands, or once for each. */
static int check_texts(const char *option, const SettingsWords *texts, const Patterns *patterns) {
        if (texts->n <= 1 || texts->n == patterns->n)
                return 0;
        complain("--%s is given %zu times, for %zu command%s: give it once for all, or once for each.", option,
                        texts->n, patterns->n, patterns->n == 1 ? "" : "s");
        return EXIT_USAGE;
}

static const char *text_of(const SettingsWords *texts, size_t i) {
        return texts->n == 0 ? NULL : texts->words[texts->n > 1 ? i : 0];
}

static int patterns_hook(const ExecSettings *exec, Patterns *patterns) {
        static const char *const options[_EXEC_HOOKS_N] = { "setup", "prepare", "conclude", "cleanup" };
        int r = 0;

        for (ExecHook hook = 0; r == 0 && hook < _EXEC_HOOKS_N; hook++) {
                r = check_texts(options[hook], &exec->hooks[hook], patterns);
                for (size_t i = 0; r == 0 && i < patterns->n; i++)
                        patterns->all[i].hooks[hook] = text_of(&exec->hooks[hook], i);
        }
        return r;
}

static int patterns_output(const ExecSettings *exec, Patterns *patterns) {
        int r;

        r = check_texts("output", &exec->outputs, patterns);
        for (size_t i = 0; r == 0 && i < patterns->n; i++) {
                Pattern *pattern = &patterns->all[i];

                r = exec_asked_read_output(text_of(&exec->outputs, i), exec->show_output, &pattern->output,
                                &pattern->output_path);
        }
        return r;
}

static bool pattern_uses(const Pattern *pattern, const char *name) {
        bool uses = pattern->text && exec_uses(pattern->text, name);

        for (size_t i = 0; i < pattern->n; i++)
                uses |= exec_uses(pattern->words[i], name);
        for (ExecHook hook = 0; hook < _EXEC_HOOKS_N; hook++)
                uses |= pattern->hooks[hook] && exec_uses(pattern->hooks[hook], name);
        return uses;
}

static int check_use(const ExecScales *scales, const Patterns *patterns) {
        for (size_t i = 0; i < scales->n; i++) {
                bool uses = false;

                for (size_t k = 0; k < patterns->n; k++)
                        uses |= pattern_uses(&patterns->all[k], scales->all[i].name);
                if (!uses) {
                        complain("No command uses the parameter '%s': it would be measured %zu times as it is.",
                                        scales->all[i].name, scales->all[i].n);
                        complain_hint("Write {%s} where its value belongs.", scales->all[i].name);
                        return EXIT_USAGE;
                }
        }
        return 0;
}

static int plan_read_scales(const ExecSettings *exec, ExecPlan *plan) {
        char problem[EXEC_PROBLEM_BYTES];
        bool ok = true;

        if (exec->step && exec->scans.n == 0) {
                complain("--parameter-step-size is the step of --parameter-scan, which is not given.");
                return EXIT_USAGE;
        }
        for (size_t i = 0; ok && i < exec->scans.n; i++)
                ok = exec_scales_add_scan(&plan->scales, exec->scans.words[i], exec->step, problem);
        for (size_t i = 0; ok && i < exec->lists.n; i++)
                ok = exec_scales_add_list(&plan->scales, exec->lists.words[i], problem);
        if (!ok)
                complain("%c%s.", toupper((unsigned char)*problem), problem + 1);
        return ok ? 0 : EXIT_USAGE;
}

/* "none" is no shell, and "default" the one of scripts without --shell. */
static int plan_read_shell(const ExecSettings *exec, ExecPlan *plan) {
        const char *shell = exec->shell && strcmp(exec->shell, "default") != 0 ? exec->shell : "sh";
        _cleanup_(exec_words_clear) ExecWords words = {};
        int r;

        if (exec->no_shell && exec->shell && strcmp(exec->shell, "none") != 0) {
                complain("-N is --shell=none, and cannot be combined with --shell=%s.", exec->shell);
                return EXIT_USAGE;
        }
        if (exec->no_shell || strcmp(shell, "none") == 0)
                return 0;
        r = exec_words_split(shell, &words);
        if (r || words.n == 0) {
                complain("--shell takes a program with or without arguments, or 'none', not '%.64s'.", shell);
                return EXIT_USAGE;
        }
        plan->shell_words = calloc(words.n + 2, sizeof *plan->shell_words);
        if (!plan->shell_words)
                return out_of_memory();
        for (size_t i = 0; i <= words.n; i++) {
                plan->shell_words[i] = plan_keep(plan, strdup(i < words.n ? words.words[i] : "-c"));
                if (!plan->shell_words[i])
                        return out_of_memory();
        }
        plan->n_shell_words = words.n + 1;
        return 0;
}

/* ---- the whole */

/* The start of the shell is taken off the times of scripts, so it is measured too. */
static int plan_add_shell(ExecPlan *plan) {
        bool needed = false;

        for (size_t i = 0; i < plan->n; i++)
                needed |= plan->commands[i].has_shell;
        if (!needed)
                return 0;
        plan->shell = calloc(1, sizeof *plan->shell);
        if (!plan->shell)
                return out_of_memory();
        plan->shell->title = "";
        return set_script(plan, "", plan->shell);
}

static int plan_add_all(ExecPlan *plan, const Patterns *patterns) {
        const size_t n_combinations = exec_scales_combinations(&plan->scales), first = patterns->has_reference;
        const size_t n = first + n_combinations * (patterns->n - first);
        int r = 0;

        if (n > EXEC_COMMANDS_MAX)
                return refuse_number(n);
        plan->has_reference = patterns->has_reference;
        if (first)
                r = plan_add(plan, &patterns->all[0], 0);
        for (size_t i = 0; i < n_combinations; i++)
                for (size_t k = first; r == 0 && k < patterns->n; k++)
                        r = plan_add(plan, &patterns->all[k], i);
        return r ? r : plan_add_shell(plan);
}

static int plan_fill(const Settings *settings, ExecPlan *plan) {
        Patterns patterns = {};
        int r;

        r = exec_asked_read(settings, plan);
        if (r == 0)
                r = plan_read_shell(&settings->exec, plan);
        if (r == 0)
                r = plan_read_scales(&settings->exec, plan);
        if (r == 0)
                r = patterns_gather(settings, &patterns);
        if (r == 0)
                r = patterns_name(&settings->exec.names, &patterns);
        if (r == 0)
                r = patterns_hook(&settings->exec, &patterns);
        if (r == 0)
                r = patterns_output(&settings->exec, &patterns);
        if (r == 0)
                r = check_use(&plan->scales, &patterns);
        if (r == 0)
                r = plan_add_all(plan, &patterns);
        if (r == 0)
                plan_name(plan);
        return r;
}

int exec_plan_new(const Settings *settings, ExecPlan **ret_plan) {
        _cleanup_(exec_plan_freep) ExecPlan *plan = NULL;
        int r;

        plan = calloc(1, sizeof *plan);
        if (!plan)
                return out_of_memory();
        r = plan_fill(settings, plan);
        if (r)
                return r;
        *ret_plan = take_pointer(plan);
        return 0;
}

static void command_clear(ExecCommand *command) {
        for (size_t i = 0; i < _EXEC_HOOKS_N; i++) {
                if (command->hooks[i])
                        command_clear(command->hooks[i]);
                free(command->hooks[i]);
        }
        free(command->words);
        free(command->parameters);
}

bool exec_plan_puts_out(const ExecPlan *plan, ExecOutput output) {
        for (size_t i = 0; i < plan->n; i++)
                if (plan->commands[i].output == output)
                        return true;
        return false;
}

ExecPlan *exec_plan_free(ExecPlan *plan) {
        if (!plan)
                return NULL;
        for (size_t i = 0; i < plan->n; i++)
                command_clear(&plan->commands[i]);
        if (plan->shell)
                command_clear(plan->shell);
        free(plan->shell);
        free(plan->shell_words);
        exec_scales_clear(&plan->scales);
        for (size_t i = 0; i < plan->n_texts; i++)
                free(plan->texts[i]);
        free(plan->texts);
        free(plan);
        return NULL;
}
