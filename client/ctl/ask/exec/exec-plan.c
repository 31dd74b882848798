/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"

#define NAME_ROOM (EXEC_NAME_BYTES - 4) /* leaves room for the number of an equal one */

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

/* ---- the program */

static bool is_program(const char *path) {
        struct stat status;

        return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Finds @word as execvp() does. Returns false if there is no such program. */
static bool find_program(const char *word, char ret_path[static PATH_MAX]) {
        const char *directories = getenv("PATH");

        if (strchr(word, '/'))
                return snprintf(ret_path, PATH_MAX, "%s", word) < PATH_MAX && is_program(ret_path);
        if (!directories)
                directories = "/bin:/usr/bin";
        while (*directories) {
                const size_t n = strcspn(directories, ":");

                if (snprintf(ret_path, PATH_MAX, "%.*s/%s", (int)n, n ? directories : ".", word) < PATH_MAX &&
                                is_program(ret_path))
                        return true;
                directories += n + (directories[n] == ':');
        }
        return false;
}

/* One that runs with the rights of another user would not be the user's own, and could not be ended. */
static int check_program(const ExecCommand *command) {
        struct stat status;

        if (stat(command->program, &status) == 0 && !(status.st_mode & (S_ISUID | S_ISGID)))
                return 0;
        complain("%s changes its user or group when it is executed (setuid), and is not measured.", command->program);
        complain_hint("Measure what it runs, as the user who may.");
        return EXIT_USAGE;
}

static int set_program(ExecCommand *command) {
        const char *word = command->words[0];

        if (!find_program(word, command->program)) {
                complain("There is no program '%s'.", word);
                complain_hint("Write its path, or put its directory into PATH.");
                return EXIT_USAGE;
        }
        return check_program(command);
}

/* ---- the commands */

static int add(ExecPlan *plan, const char *title, const char *const *words, size_t n) {
        ExecCommand *command = &plan->commands[plan->n++];

        *command = (ExecCommand){ .title = title, .words = calloc(n + 1, sizeof *command->words) };
        if (!command->words) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        memcpy(command->words, words, n * sizeof *words);
        return set_program(command);
}

static int add_script(ExecPlan *plan, const char *text) {
        const char *const words[] = { "sh", "-c", text };
        const int r = add(plan, text, words, N_ELEMENTS(words));

        plan->commands[plan->n - 1].has_shell = true;
        return r;
}

static int plan_fill(const Settings *settings, ExecPlan *plan) {
        const SettingsWords *scripts = &settings->arguments, *program = &settings->filters;
        int r = 0;

        if (scripts->n + (program->n > 0) > EXEC_COMMANDS_MAX) {
                complain("%zu commands, of at most %u.", scripts->n, EXEC_COMMANDS_MAX);
                return EXIT_USAGE;
        }
        for (size_t i = 0; r == 0 && i < scripts->n; i++)
                r = add_script(plan, scripts->words[i]);
        if (r == 0 && program->n > 0)
                r = add(plan, program->words[0], program->words, program->n);
        plan_name(plan);
        return r;
}

int exec_plan_new(const Settings *settings, ExecPlan **ret_plan) {
        _cleanup_(exec_plan_freep) ExecPlan *plan = NULL;
        int r;

        plan = calloc(1, sizeof *plan);
        if (!plan) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
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
}

ExecPlan *exec_plan_free(ExecPlan *plan) {
        for (size_t i = 0; plan && i < plan->n; i++)
                command_clear(&plan->commands[i]);
        if (plan && plan->shell)
                command_clear(plan->shell);
        if (plan)
                free(plan->shell);
        free(plan);
        return NULL;
}
