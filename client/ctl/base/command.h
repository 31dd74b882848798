/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Other programs that benchctl runs for its user, found on the PATH: compilers, editors, make, debuggers. Words come from options,
 * environment variables and benchctl itself; no shell reads them.
 */

#include <stdbool.h>
#include <stddef.h>

/* A growing list of words; each is a copy. */
typedef struct Command {
        char **words; /* ended by NULL */
        size_t n;
} Command;

enum {
        _COMMAND_E_SUCCESS,

        COMMAND_E_SYNTAX, /* a quote that is not closed, or a character that only a shell understands */
};

void command_clear(Command *command);

/* Adds a word. Returns 0 or a negative errno. */
int command_add(Command *command, const char *word);

/* Adds the file at @path as a word that no program mistakes for an option or a command. As command_add(). */
int command_add_file(Command *command, const char *path);

/* Adds the words of @text, separated and quoted as in a shell. Returns 0, E_SYNTAX, or a negative errno. */
int command_add_text(Command *command, const char *text);

/*
 * Adds the words of the environment variable @name, or if it is unset or empty, of @otherwise (NULL: none). Returns 0, or an exit code
 * after printing the error.
 */
int command_add_variable(Command *command, const char *name, const char *otherwise);

/* Prints the command on stderr, quoted for a shell; where it does not fit the terminal, in lines that a shell reads as one. */
void command_show(const Command *command);

/* Commands are not shown from here on: a search compiles many. */
void command_show_no_more(void);

/*
 * Runs the command and waits for it. Its stdout is benchctl's stderr unless it is @interactive, since results alone belong on stdout; an
 * @interactive command alone receives the terminal's Ctrl-C. Returns its exit status, 128 + the number of a signal that killed it, or a
 * negative errno if it could not be started.
 */
int command_run(const Command *command, bool interactive);

/* Runs the command with @in and @out as its stdin and stdout, and waits for it. As command_run(). */
int command_run_between(const Command *command, int in, int out);

/* True if a program @name is found on the PATH. */
bool command_is_found(const char *name);
