/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/command.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/base/terminal.h"
#include "ctl/base/typeset.h"
#include "util/cleanup.h"
#include "util/error.h"

void command_clear(Command *command) {
        for (size_t i = 0; i < command->n; i++)
                free(command->words[i]);
        free(command->words);
        *command = (Command){};
}

int command_add(Command *command, const char *word) {
        _cleanup_(freep) char *copy = strdup(word);
        char **words;

        if (!copy)
                return error_origin(-ENOMEM);
        words = reallocarray(command->words, command->n + 2, sizeof *words);
        if (!words)
                return error_origin(-ENOMEM);
        command->words = words;
        words[command->n++] = take_pointer(copy);
        words[command->n] = NULL;
        return 0;
}

int command_add_file(Command *command, const char *path) {
        _cleanup_(freep) char *word = NULL;

        if (*path != '-' && *path != '+') /* of an option, and of a command to vi */
                return command_add(command, path);
        if (asprintf(&word, "./%s", path) < 0) {
                word = NULL;
                return error_origin(-ENOMEM);
        }
        return command_add(command, word);
}

int command_add_text(Command *command, const char *text) {
        wordexp_t expanded;
        int r;

        r = wordexp(text, &expanded, WRDE_NOCMD);
        if (r == WRDE_NOSPACE)
                return error_origin(-ENOMEM);
        if (r)
                return COMMAND_E_SYNTAX;
        for (size_t i = 0; r == 0 && i < expanded.we_wordc; i++)
                r = command_add(command, expanded.we_wordv[i]);
        wordfree(&expanded);
        return error_trace(r);
}

int command_add_variable(Command *command, const char *name, const char *otherwise) {
        const char *value = getenv(name);
        int r;

        value = value && value[strspn(value, " \t\n")] ? value : otherwise;
        r = value ? command_add_text(command, value) : 0;
        if (r == 0)
                return 0;
        if (r > 0)
                complain("%s is not a list of words, quoted as for a shell: %s", name, value);
        else
                complain("Out of memory.");
        return EXIT_USAGE;
}

static bool is_hidden;

void command_show_no_more(void) {
        is_hidden = true;
}

void command_show(const Command *command) {
        const size_t width = terminal_columns(STDERR_FILENO);
        char quoted[HINT_WORD_MAX];
        size_t column = 0;

        for (size_t i = 0; !is_hidden && i < command->n; i++) {
                const char *word = command->words[i];
                size_t n;

                word = strlen(word) < HINT_WORD_MAX / 4 ? hint_quote(word, quoted) : word;
                n = typeset_width(word);
                if (width > 0 && i > 0 && column + strlen(" ") + n + strlen(" \\") > width) {
                        fputs(" \\\n ", stderr);
                        column = strlen(" ");
                }
                fprintf(stderr, "%s%s", i ? " " : "", word);
                column += (i > 0) + n;
        }
        if (!is_hidden)
                fputc('\n', stderr);
}

/* Signals do what they usually do. */
static int command_spawn(const Command *command, int in, int out, pid_t *ret_pid) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t usual;
        int r;

        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        sigaddset(&usual, SIGINT);
        sigaddset(&usual, SIGQUIT);
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        r = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        if (r == 0)
                r = posix_spawnattr_setsigdefault(&attributes, &usual);
        if (r == 0)
                r = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        if (r == 0)
                r = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (r == 0)
                r = posix_spawnp(ret_pid, command->words[0], &actions, &attributes, command->words, environ);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        return -r;
}

/* An editor has its own use for Ctrl-C, which the terminal sends to both. */
static void command_leave_keys(bool interactive, struct sigaction saved[static 2]) {
        const struct sigaction ignore = { .sa_handler = SIG_IGN };

        (void)sigaction(SIGINT, interactive ? &ignore : NULL, &saved[0]);
        (void)sigaction(SIGQUIT, interactive ? &ignore : NULL, &saved[1]);
}

static void command_take_keys(const struct sigaction saved[static 2]) {
        (void)sigaction(SIGINT, &saved[0], NULL);
        (void)sigaction(SIGQUIT, &saved[1], NULL);
}

int command_run_between(const Command *command, int in, int out) {
        int status = 0, r;
        pid_t pid;

        r = command_spawn(command, in, out, &pid);
        while (r == 0 && waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        r = error_origin(-errno);
        if (r)
                return r;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int command_run(const Command *command, bool interactive) {
        struct sigaction saved[2];
        int r;

        command_leave_keys(interactive, saved);
        r = command_run_between(command, STDIN_FILENO, interactive ? STDOUT_FILENO : STDERR_FILENO);
        command_take_keys(saved);
        return r;
}

bool command_is_found(const char *name) {
        const char *path = getenv("PATH");
        char file[PATH_MAX];

        for (size_t n; path && *path; path += n + (path[n] == ':')) {
                n = strcspn(path, ":");
                if (snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name) < (int)sizeof file &&
                                access(file, X_OK) == 0)
                        return true;
        }
        return false;
}
