/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/git/build.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/git/git.h"
#include "ctl/ask/git/worktree.h"
#include "ctl/ask/live-line.h"
#include "ctl/ask/load.h"
#include "ctl/ask/module-parts.h"
#include "ctl/base/child.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/last-lines.h"
#include "ctl/base/printable.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define LAST_LINES 12u
#define LAST_BYTES 8192

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_MACHINE;
}

/* ---- paths */

/* Resolves "." and ".." in the absolute @path, in place, as the names stand. */
static void path_tidy(char *path) {
        char *to = path, *from = path;

        while (*from) {
                const size_t n = strcspn(from + 1, "/") + 1; /* a slash and a name */

                if (n == 3 && strncmp(from, "/..", n) == 0)
                        while (to > path && *--to != '/')
                                ;
                else if (n > 1 && !(n == 2 && from[1] == '.')) {
                        memmove(to, from, n);
                        to += n;
                }
                from += n;
        }
        *to = '\0';
}

/* The top of the working tree as the shell names it, where a symbolic link leads to it. NULL: the shell has no such name. */
static char *shell_top(const Git *git) {
        const char *directory = getenv("PWD");
        const size_t n_prefix = strlen(git->prefix), n = directory ? strlen(directory) : 0;
        _cleanup_(freep) char *top = n > n_prefix ? strndup(directory, n - n_prefix) : NULL;
        struct stat named, real;

        if (!top || *top != '/' || stat(top, &named) < 0 || stat(git->top, &real) < 0 || named.st_dev != real.st_dev ||
                        named.st_ino != real.st_ino)
                return NULL;
        return take_pointer(top);
}

/* The path of @word below the top of the working tree. E_OUTSIDE: it is elsewhere. */
static int path_below(const Git *git, const char *word, char **ret_below) {
        const size_t n_top = strlen(git->top);
        _cleanup_(freep) char *path = NULL, *named = shell_top(git);
        const size_t n_named = named ? strlen(named) : 0;
        int n;

        if (*word != '/')
                n = asprintf(&path, "%s/%s%s", git->top, git->prefix, word);
        else if (named && strncmp(word, named, n_named) == 0 && word[n_named] == '/')
                n = asprintf(&path, "%s%s", git->top, word + n_named);
        else
                n = asprintf(&path, "%s", word);
        if (n < 0) {
                path = NULL;
                return error_origin(-ENOMEM);
        }
        path_tidy(path);
        if (strncmp(path, git->top, n_top) != 0 || path[n_top] != '/')
                return GIT_E_OUTSIDE;
        *ret_below = strdup(path + n_top + 1);
        return *ret_below ? 0 : error_origin(-ENOMEM);
}

/* True if @text names @top or something in it. */
static bool names_top(const char *text, const char *top) {
        const size_t n = strlen(top);

        for (const char *at = text; (at = strstr(at, top)); at += n)
                if (strchr("/ \t\n'\";&|)", at[n])) /* or the end */
                        return true;
        return false;
}

/* Variables that compilers of sources follow. */
static const char *const variables[] = { "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDLIBS" };

static int check_text(const Git *git, const char *name, const char *text) {
        _cleanup_(freep) char *named = shell_top(git);

        if (!text || (!names_top(text, git->top) && (!named || !names_top(text, named))))
                return 0;
        complain("%s names %s, the working tree: each commit is built in a tree of its own.", name, git->top);
        complain_hint("Write paths in it from the directory where you call benchctl, such as ./include.");
        return EXIT_USAGE;
}

int build_check(const Git *git, const char *word, const char *command) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};
        int r;

        if (module_parts_add(&parts, word))
                return out_of_memory();
        for (size_t i = 0; i < parts.n; i++) {
                _cleanup_(freep) char *below = NULL;

                r = path_below(git, parts.paths[i], &below);
                if (r < 0)
                        return out_of_memory();
                if (r == 0)
                        continue;
                complain("%s is not in the repository %s, whose commits are built each in a tree of its own.",
                                parts.paths[i], git->top);
                complain_hint("Name the module where a build writes it, from the current directory.");
                return EXIT_USAGE;
        }
        r = check_text(git, "--build", command);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(variables); i++)
                r = check_text(git, variables[i], getenv(variables[i]));
        return r;
}

int build_directory(const Git *git, const Worktree *tree, char **ret_path) {
        if (asprintf(ret_path, "%s/%s", tree->path, git->prefix) < 0)
                return out_of_memory();
        if (access(*ret_path, X_OK) == 0)
                return 0;
        complain("This commit has no directory %s.", git->prefix);
        free(take_pointer(*ret_path));
        return EXIT_BENCHMARK;
}

/* ---- the command */

typedef struct Progress {
        LiveLine line;
        const char *name;
} Progress;

static void progress_show(void *userdata, unsigned seconds) {
        Progress *progress = userdata;
        char text[LIVE_LINE_MAX];

        snprintf(text, sizeof text, "building %s, %u s", progress->name, seconds);
        live_line_show(&progress->line, text);
}

/* The end of the file at @path, from a line's begin. */
static void log_show(const char *path) {
        _cleanup_(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
        char text[LAST_BYTES + 1], *begin = text;
        struct stat status;
        size_t n;
        off_t at;

        if (fd < 0 || fstat(fd, &status) < 0)
                return;
        at = status.st_size > LAST_BYTES ? status.st_size - LAST_BYTES : 0;
        if (fd_read_at(fd, at, text, LAST_BYTES, &n))
                return;
        for (size_t i = 0; i < n; i++)
                text[i] = text[i] ? text[i] : '?';
        text[n] = '\0';
        if (at > 0 && strchr(text, '\n'))
                begin = strchr(text, '\n') + 1;
        printable_lines(begin);
        last_lines_print(begin, LAST_LINES, "          | ", stderr);
}

static int build_failed(const Worktree *tree, const char *name, int status) {
        if (status > 128)
                complain("The build of %s ended by signal %d.", name, status - 128);
        else
                complain("The build of %s failed with exit code %d.", name, status);
        log_show(tree->log);
        complain_hint("All of its output: %s", tree->log);
        return worktree_disk_is_full(tree) ? EXIT_MACHINE : EXIT_BENCHMARK;
}

static int build_run(const Git *git, const Worktree *tree, const char *name, const char *command, bool quiet) {
        _cleanup_(freep) char **environment = git_environment(false);
        _cleanup_(fd_closep) int log_fd = -1;
        _cleanup_(freep) char *directory = NULL;
        Progress progress = { .line = live_line(quiet), .name = name };
        const char *const words[] = { "sh", "-c", command, NULL };
        int status, r;

        if (!environment)
                return out_of_memory();
        r = build_directory(git, tree, &directory);
        if (r)
                return r;
        log_fd = open(tree->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        if (log_fd < 0) {
                complain("Cannot write %s: %s.", tree->log, benchd_error_string(-errno));
                return EXIT_MACHINE;
        }
        r = child_run(&(Child){ .directory = directory,
                                      .words = words,
                                      .environment = environment,
                                      .output_fd = log_fd,
                                      .error_fd = log_fd,
                                      .on_second = progress_show,
                                      .userdata = &progress },
                        &status);
        live_line_clear(&progress.line);
        if (r == CHILD_E_STOPPED)
                return EXIT_CANCELLED;
        if (r) {
                complain("Cannot run sh: %s.", benchd_error_string(r));
                return EXIT_MACHINE;
        }
        return status == 0 ? 0 : build_failed(tree, name, status);
}

int build_open(Git *git, const GitCommit *commit, const char *command, bool quiet, Worktree *ret_tree) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;
        char name[GIT_ID_BYTES] = "the working tree";
        int r;

        if (commit)
                snprintf(name, sizeof name, "%.*s", GIT_ID_SHORT, commit->id);
        r = worktree_open(git, commit ? commit->id : NULL, command, &tree);
        if (r)
                return r;
        if (!tree.is_built && command) {
                if (!live_line(quiet).live && !quiet)
                        fprintf(stderr, "Building %s: %s\n", name, command);
                r = build_run(git, &tree, name, command, quiet);
        }
        if (r == 0 && !tree.is_built)
                r = worktree_built(&tree);
        if (r)
                return r;
        *ret_tree = tree;
        tree = WORKTREE_NONE;
        return 0;
}

/* ---- the module */

static int module_missing(const Worktree *tree, const char *word, const char *directory) {
        if (access(tree->log, F_OK) < 0) {
                complain("This commit has no %s.", word);
                complain_hint("If a build makes it: --build=COMMAND");
        } else {
                complain("The build made no %s.", word);
                complain_hint("It ran in %s; its output: %s", directory, tree->log);
        }
        return EXIT_BENCHMARK;
}

/* @word has to be a file of @tree. */
static int check_part(const Git *git, const Worktree *tree, const char *word, const char *directory) {
        _cleanup_(freep) char *below = NULL, *path = NULL, *real = NULL, *real_tree = NULL;
        struct stat status;

        if (path_below(git, word, &below) || asprintf(&path, "%s/%s", tree->path, below) < 0)
                return out_of_memory();
        if (stat(path, &status) < 0)
                return module_missing(tree, word, directory);
        real = realpath(path, NULL);
        real_tree = realpath(tree->path, NULL);
        if (!real || !real_tree)
                return out_of_memory();
        if (strncmp(real, real_tree, strlen(real_tree)) == 0 && real[strlen(real_tree)] == '/')
                return 0;
        complain("%s leads out of the tree of its commit, to %s.", word, real);
        complain_hint("A build has to write its module in the tree that it runs in.");
        return EXIT_BENCHMARK;
}

/* The word that names @parts from the corresponding directory: absolute paths lead to the working tree. */
static int translate(const Git *git, const Worktree *tree, const ModuleParts *parts, const char *directory,
                char **ret_word) {
        _cleanup_(freep) char *word = NULL;

        for (size_t i = 0; i < parts->n; i++) {
                _cleanup_(freep) char *below = NULL, *there = NULL, *before = take_pointer(word);
                int r;

                r = check_part(git, tree, parts->paths[i], directory);
                if (r)
                        return r;
                if (path_below(git, parts->paths[i], &below) || asprintf(&there, "%s/%s", tree->path, below) < 0) {
                        there = NULL;
                        return out_of_memory();
                }
                if (asprintf(&word, "%s%s%s", before ? before : "", before ? "," : "",
                                    parts->paths[i][0] == '/' ? there : parts->paths[i]) < 0) {
                        word = NULL;
                        return out_of_memory();
                }
        }
        *ret_word = take_pointer(word);
        return 0;
}

/* Makes @word absolute, which compiled modules need not be. */
static int load_below(const char *directory, const char *word, const CompileLinks *links, char **ret_path) {
        _cleanup_(freep) char *path = NULL;
        int r;

        r = load_file(word, links, &path);
        if (r)
                return r;
        if (*path == '/')
                *ret_path = take_pointer(path);
        else if (asprintf(ret_path, "%s/%s", directory, path) < 0)
                return out_of_memory();
        return 0;
}

/*
 * Compilers run in the tree, where a relative -I leads to the headers of the commit, and where the names of sources that stand in a module
 * are the same for all commits.
 */
int build_module(const Git *git, const Worktree *tree, const char *word, const CompileLinks *links, char **ret_path) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};
        _cleanup_(freep) char *directory = NULL, *there = NULL;
        _cleanup_(fd_closep) int here_fd = -1;
        int r;

        r = build_directory(git, tree, &directory);
        if (r)
                return r;
        if (module_parts_add(&parts, word))
                return out_of_memory();
        r = translate(git, tree, &parts, directory, &there);
        if (r)
                return r;
        here_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (here_fd < 0 || chdir(directory) < 0) {
                complain("Cannot enter %s: %s.", directory, benchd_error_string(-errno));
                return EXIT_MACHINE;
        }
        r = load_below(directory, there, links, ret_path);
        if (fchdir(here_fd) < 0) {
                complain("Cannot return to the current directory: %s.", benchd_error_string(-errno));
                return EXIT_MACHINE;
        }
        return r;
}
