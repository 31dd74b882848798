/* SPDX-License-Identifier: MIT */

/*
 * A whole program, from its start to its end, as its user waits for it:
 *
 *      benchctl run --private --env=PROGRAM="/bin/ls -l /usr" examples/program.c
 *
 * The words are separated by spaces. The program sees what a benchmark sees: the system's directories, --see=PATH, and the files of
 * --input=FILE in its working directory. Its standard input is empty, and what it prints goes to /dev/null. `nothing` is the same for a
 * program that ends at once: what starting and ending one costs here.
 */

#include <benchd/bench.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 64

extern char **environ;

/* Splits a copy of @command, which lives as long as the process, into at most WORDS_MAX words. */
static void split(const char *command, char *words[WORDS_MAX + 1]) {
        char *rest = strdup(command), *word;
        size_t n = 0;

        while (rest && n < WORDS_MAX && (word = strsep(&rest, " ")))
                if (*word)
                        words[n++] = word;
        words[n] = NULL;
}

static void time_program(struct bench *b, const char *command) {
        char *words[WORDS_MAX + 1];
        posix_spawn_file_actions_t actions;
        int error, status = 0;
        pid_t pid;

        split(command, words);
        if (!words[0])
                bench_fail(b, "PROGRAM names no program");
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        bench_loop(b) {
                error = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
                if (error)
                        bench_fail(b, "%s cannot be started: %s", words[0], strerror(error));
                if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
                        bench_fail(b, "%s did not run to its end", words[0]);
        }
        if (WEXITSTATUS(status) != 0)
                bench_label(b, "exit status %d", WEXITSTATUS(status));
        posix_spawn_file_actions_destroy(&actions);
}

BENCH(program, .about = "a program and the wait for its end") {
        const char *command = getenv("PROGRAM");

        if (!command)
                bench_skip(b, "name the program: --env=PROGRAM=\"/bin/ls -l /usr\"");
        time_program(b, command);
}

BENCH(nothing, .about = "a program that ends at once, and the wait for its end") {
        time_program(b, "/bin/true");
}
