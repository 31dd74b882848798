/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/git/git.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/base/child.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/printable.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/file-name.h"

/* ---- the program */

/* Variables of `git rev-parse --local-env-vars` that lead to another repository. */
static const char *const left_out[] = { "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "GIT_DIR",
        "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR", "GIT_NAMESPACE" };

/* Nothing is fetched either, as a repository without all of its objects would do by whatever program its configuration names. */
static const char *const added[] = { "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
        "GIT_ALLOW_PROTOCOL=none", "GIT_DEFAULT_REF_FORMAT=files" };

static bool is_set_by(const char *variable, const char *row) {
        const size_t n = strcspn(row, "=");

        return strncmp(variable, row, n) == 0 && variable[n] == '=';
}

static bool is_kept(const char *variable, bool for_git) {
        for (size_t i = 0; i < N_ELEMENTS(left_out); i++)
                if (is_set_by(variable, left_out[i]))
                        return false;
        for (size_t i = 0; for_git && i < N_ELEMENTS(added); i++)
                if (is_set_by(variable, added[i]))
                        return false;
        return true;
}

char **git_environment(bool for_git) {
        size_t n = 0, n_kept = 0;
        char **kept;

        while (environ[n])
                n++;
        kept = calloc(n + N_ELEMENTS(added) + 1, sizeof *kept);
        for (size_t i = 0; kept && i < n; i++)
                if (is_kept(environ[i], for_git))
                        kept[n_kept++] = environ[i];
        for (size_t i = 0; kept && for_git && i < N_ELEMENTS(added); i++)
                kept[n_kept++] = (char *)added[i];
        return kept;
}

/* Reads the whole file @fd, in memory. */
static int read_text(int fd, char **ret_text) {
        _cleanup_(freep) char *text = NULL;
        struct stat status;
        size_t n;
        int r;

        if (fstat(fd, &status) < 0)
                return error_origin(-errno);
        text = malloc((size_t)status.st_size + 1);
        if (!text)
                return error_origin(-ENOMEM);
        r = fd_read_start(fd, text, (size_t)status.st_size, &n);
        if (r)
                return error_trace(r);
        text[n] = '\0';
        *ret_text = take_pointer(text);
        return 0;
}

/* Keeps the first line that is neither a warning nor advice. */
static void git_keep_said(Git *git, int status, int error_fd) {
        _cleanup_(freep) char *text = NULL;

        free(take_pointer(git->said));
        if (read_text(error_fd, &text))
                return;
        for (char *rest, *line = strtok_r(text, "\n", &rest); line && !git->said; line = strtok_r(NULL, "\n", &rest))
                if (strncmp(line, "warning: ", 9) != 0 && strncmp(line, "hint: ", 6) != 0)
                        git->said = strdup(line);
        if (git->said)
                printable_text(git->said);
        else if (asprintf(&git->said, status > 128 ? "ended by signal %d" : "exit code %d",
                                 status > 128 ? status - 128 : status) < 0)
                git->said = NULL;
}

/* The command itself, with its end; a hook or a monitor of files of the user's would do more than answer. */
static int git_spawn(const char *directory, const char *const *words, int output_fd, int error_fd, int *ret_status) {
        static const char *const begin[] = { "git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
                "-c", "advice.detachedHead=false", "-c", "gc.auto=0", "--literal-pathspecs" };
        _cleanup_(freep) char **environment = git_environment(true);
        _cleanup_(freep) const char **all = NULL;
        size_t n = 0;

        while (words[n])
                n++;
        all = calloc(N_ELEMENTS(begin) + n + 1, sizeof *all);
        if (!environment || !all)
                return error_origin(-ENOMEM);
        memcpy(all, begin, sizeof begin);
        memcpy(all + N_ELEMENTS(begin), words, n * sizeof *words);
        return child_run(&(Child){ .directory = directory,
                                         .words = all,
                                         .environment = environment,
                                         .output_fd = output_fd,
                                         .error_fd = error_fd },
                        ret_status);
}

/* The same with git's exit status. */
static int git_call(Git *git, const char *directory, const char *const *words, int output_fd, char **ret_text,
                int *ret_status) {
        _cleanup_(fd_closep) int memory_fd = -1, error_fd = -1;
        int r;

        r = fd_memfd_new("git-output", &memory_fd);
        if (r == 0)
                r = fd_memfd_new("git-errors", &error_fd);
        if (r)
                return error_trace(r);
        r = git_spawn(directory, words, output_fd >= 0 ? output_fd : memory_fd, error_fd, ret_status);
        if (r == -ENOENT)
                return access(directory ? directory : ".", F_OK) < 0 ? GIT_E_OUTSIDE : GIT_E_MISSING;
        if (r)
                return r == CHILD_E_STOPPED ? GIT_E_STOPPED : error_trace(r);
        if (*ret_status != 0)
                git_keep_said(git, *ret_status, error_fd);
        return ret_text ? error_trace(read_text(memory_fd, ret_text)) : 0;
}

int git_run(Git *git, const char *directory, const char *const *words, int output_fd, char **ret_text) {
        _cleanup_(freep) char *text = NULL;
        int status = 0, r;

        r = git_call(git, directory, words, output_fd, ret_text ? &text : NULL, &status);
        if (r)
                return r;
        if (status != 0)
                return GIT_E_FAILED;
        if (ret_text)
                *ret_text = take_pointer(text);
        return 0;
}

/* ---- the repository */

void git_clear(Git *git) {
        free(git->top);
        free(git->prefix);
        free(git->objects);
        free(git->shallow_file);
        free(git->modules);
        free(git->format);
        free(git->said);
        *git = (Git){};
}

/* Takes the next line from @text. */
static char *take_line(char **text) {
        char *line = *text, *end = strchr(line, '\n');

        *text = end ? end + 1 : line + strlen(line);
        if (end)
                *end = '\0';
        return strdup(line);
}

/* @top_word: what rev-parse prints as the directory at the top. */
static int open_at(const char *directory, const char *top_word, Git *git) {
        _cleanup_(freep) char *text = NULL, *shallow = NULL;
        char *rest;
        int r;

        r = git_run(git, directory,
                        GIT_WORDS("rev-parse", "--path-format=absolute", top_word, "--git-path", "objects",
                                        "--git-path", "shallow", "--git-path", "modules", "--show-object-format",
                                        "--is-shallow-repository", "--show-prefix"),
                        -1, &text);
        if (r)
                return r == GIT_E_FAILED ? GIT_E_OUTSIDE : r;
        rest = text;
        char **const places[] = { &git->top, &git->objects, &git->shallow_file, &git->modules, &git->format, &shallow,
                &git->prefix };
        for (size_t i = 0; i < N_ELEMENTS(places); i++) {
                *places[i] = take_line(&rest);
                if (!*places[i])
                        return error_origin(-ENOMEM);
        }
        git->is_shallow = strcmp(shallow, "true") == 0;
        return 0;
}

int git_open(const char *directory, Git *git) {
        return open_at(directory, "--show-toplevel", git);
}

int git_open_stored(const char *directory, Git *git) {
        return open_at(directory, "--absolute-git-dir", git);
}

/* ---- commits */

void git_commit_clear(GitCommit *commit) {
        free(commit->subject);
        *commit = (GitCommit){};
}

#define COMMIT_FORMAT "--format=%H %ct %s"

/* Takes a line of COMMIT_FORMAT apart. */
static int commit_parse(char **text, GitCommit *ret_commit) {
        _cleanup_(freep) char *line = take_line(text);
        GitCommit commit = {};
        long long time_s;
        int n = 0;

        if (!line)
                return error_origin(-ENOMEM);
        if (sscanf(line, "%64[0-9a-f] %lld%n", commit.id, &time_s, &n) != 2 || (line[n] && line[n] != ' '))
                return GIT_E_FAILED;
        commit.time_s = time_s;
        commit.subject = strdup(line + n + (line[n] == ' '));
        if (!commit.subject)
                return error_origin(-ENOMEM);
        printable_text(commit.subject);
        *ret_commit = commit;
        return 0;
}

int git_resolve(Git *git, const char *revision, GitCommit *ret_commit) {
        _cleanup_(freep) char *text = NULL, *peeled = NULL;
        char *rest;
        int r;

        if (asprintf(&peeled, "%s^{commit}", revision) < 0) {
                peeled = NULL;
                return error_origin(-ENOMEM);
        }
        r = git_run(git, git->top, GIT_WORDS("rev-parse", "--verify", "--quiet", "--end-of-options", peeled), -1,
                        &text);
        if (r)
                return r == GIT_E_FAILED ? GIT_E_UNKNOWN : r;
        text[strcspn(text, "\n")] = '\0';
        free(take_pointer(peeled));
        peeled = take_pointer(text);
        r = git_run(git, git->top,
                        GIT_WORDS("log", "-1", "--no-show-signature", "--no-notes", "--encoding=UTF-8", "--no-color",
                                        COMMIT_FORMAT, peeled),
                        -1, &text);
        if (r)
                return r;
        rest = text;
        return commit_parse(&rest, ret_commit);
}

static int git_ask_status(Git *git, const char *untracked, bool *ret_any) {
        _cleanup_(freep) char *text = NULL;
        int r;

        r = git_run(git, git->top, GIT_WORDS("status", "--porcelain", untracked), -1, &text);
        if (r == 0)
                *ret_any = *text != '\0';
        return r;
}

int git_is_dirty(Git *git, bool *ret_dirty) {
        return git_ask_status(git, "--untracked-files=no", ret_dirty);
}

int git_has_changes(Git *git, bool *ret_changes) {
        return git_ask_status(git, "--untracked-files=normal", ret_changes);
}

int git_knows(Git *git, const char *path, bool *ret_known) {
        const char *name = file_name_of(path);
        _cleanup_(freep) char *directory = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
        int status, r;

        if (!directory)
                return error_origin(-ENOMEM);
        r = git_call(git, directory, GIT_WORDS("ls-files", "--error-unmatch", "--", name), -1, NULL, &status);
        if (r == 0)
                *ret_known = status == 0;
        return r;
}

/* Exit statuses of git merge-base: 1 is no, others are failures. */
int git_is_ancestor(Git *git, const char *old, const char *new, bool *ret_ancestor) {
        int status, r;

        r = git_call(git, git->top, GIT_WORDS("merge-base", "--is-ancestor", old, new), -1, NULL, &status);
        if (r)
                return r;
        if (status > 1)
                return GIT_E_FAILED;
        *ret_ancestor = status == 0;
        return 0;
}

int git_merge_base(Git *git, const char *one, const char *other, GitCommit *ret_commit) {
        _cleanup_(freep) char *text = NULL;
        int status, r;

        r = git_call(git, git->top, GIT_WORDS("merge-base", one, other), -1, &text, &status);
        if (r)
                return r;
        if (status != 0)
                return status == 1 ? GIT_E_UNKNOWN : GIT_E_FAILED;
        text[strcspn(text, "\n")] = '\0';
        return git_resolve(git, text, ret_commit);
}

void git_range_clear(GitRange *range) {
        for (size_t i = 0; i < range->n; i++)
                git_commit_clear(&range->commits[i]);
        free(range->commits);
        *range = (GitRange){};
}

/* True if the first parent of the oldest commit of @range, or with none of all, the head, is @base. */
static int range_judge(Git *git, const char *base, const char *head, GitRange *range) {
        _cleanup_(git_commit_clear) GitCommit parent = {};
        char revision[GIT_ID_BYTES + 2];
        int r;

        snprintf(revision, sizeof revision, range->n > 0 ? "%s^" : "%s", range->n > 0 ? range->commits[0].id : head);
        r = git_resolve(git, revision, &parent);
        range->begins_at_base = r == 0 && strcmp(parent.id, base) == 0;
        return r == GIT_E_UNKNOWN ? 0 : r;
}

int git_range(Git *git, const char *base, const char *head, GitRange *ret_range) {
        _cleanup_(git_range_clear) GitRange range = {};
        _cleanup_(freep) char *text = NULL, *words = NULL;
        size_t n_lines = 0;
        int r;

        if (asprintf(&words, "%s..%s", base, head) < 0) {
                words = NULL;
                return error_origin(-ENOMEM);
        }
        r = git_run(git, git->top,
                        GIT_WORDS("log", "--first-parent", "--reverse", "--no-show-signature", "--no-notes",
                                        "--encoding=UTF-8", "--no-color", COMMIT_FORMAT, words),
                        -1, &text);
        if (r)
                return r;
        for (const char *line = text; *line; line = strchr(line, '\n') + 1)
                n_lines++;
        range.commits = calloc(n_lines + 1, sizeof *range.commits);
        if (!range.commits)
                return error_origin(-ENOMEM);
        for (char *rest = text; r == 0 && range.n < n_lines; range.n += r == 0)
                r = commit_parse(&rest, &range.commits[range.n]);
        if (r == 0)
                r = range_judge(git, base, head, &range);
        if (r)
                return r;
        *ret_range = range;
        range = (GitRange){};
        return 0;
}

/* ---- BASE..HEAD */

void git_ends_clear(GitEnds *ends) {
        free(ends->base);
        free(ends->head);
        *ends = (GitEnds){};
}

int git_ends(const char *text, GitEnds *ret_ends) {
        const char *dots = strstr(text, "..");
        const size_t n_base = dots ? (size_t)(dots - text) : strlen(text), n_dots = dots ? strspn(dots, ".") : 0;
        const char *head = dots ? dots + n_dots : "HEAD";
        GitEnds ends = { .is_merge_base = n_dots == 3 };

        ends.base = n_base > 0 ? strndup(text, n_base) : strdup("HEAD");
        head = *head || n_dots == 2 ? head : "HEAD";
        ends.head = *head ? strdup(head) : NULL;
        if (!ends.base || (*head && !ends.head)) {
                git_ends_clear(&ends);
                return error_origin(-ENOMEM);
        }
        *ret_ends = ends;
        return 0;
}

/* ---- words */

static int complain_unknown(const Git *git, const char *revision) {
        complain("%s is no commit of %s.", revision, git->top);
        if (git->is_shallow)
                complain_hint("The clone is shallow and lacks older commits: git fetch --unshallow (in a CI job: fetch-depth: 0)");
        else
                complain_hint("'git log --oneline --all' lists its commits; 'git fetch' brings those of others.");
        return EXIT_USAGE;
}

int git_complain(const Git *git, int r, const char *revision) {
        const char *said = git->said ? git->said : "no reason given";

        switch (r) {
        case GIT_E_STOPPED:
                return EXIT_CANCELLED;
        case GIT_E_MISSING:
                complain("The program git was not found on the PATH.");
                complain_hint("Install it (Debian: apt install git).");
                return EXIT_MACHINE;
        case GIT_E_OUTSIDE:
                complain("This directory is not in a git repository that can be used (%s).", said);
                complain_hint("Call benchctl in the working tree of the repository whose commits it is to compare.");
                return EXIT_USAGE;
        case GIT_E_UNKNOWN:
                return complain_unknown(git, revision);
        case GIT_E_FAILED:
                complain("git failed: %s", said);
                return EXIT_MACHINE;
        default:
                complain("git cannot be asked: %s.", benchd_error_string(r));
                return EXIT_MACHINE;
        }
}
