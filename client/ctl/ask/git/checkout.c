/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/git/checkout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/ask/git/changed-file.h"
#include "ctl/ask/git/git.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define DEPTH_MAX 8u /* of submodules in each other */

/* ---- files of the small repository */

/* Creates the file @name of @path/.git. Returns a descriptor or a negative errno. */
static int file_create(const char *path, const char *name) {
        char file[PATH_MAX];
        int fd;

        if (snprintf(file, sizeof file, "%s/.git/%s", path, name) >= (int)sizeof file)
                return error_origin(-ENAMETOOLONG);
        fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        return fd < 0 ? error_origin(-errno) : fd;
}

/* Copies the user's file @from, if there is one. */
static int file_copy(const char *from, const char *path, const char *name) {
        _cleanup_(fd_closep) int in_fd = open(from, O_RDONLY | O_CLOEXEC), out_fd = -1;
        struct stat status;

        if (in_fd < 0)
                return 0;
        if (fstat(in_fd, &status) < 0)
                return error_origin(-errno);
        out_fd = file_create(path, name);
        return out_fd < 0 ? out_fd : error_trace(fd_copy(in_fd, out_fd, 0, (size_t)status.st_size));
}

static int write_line(const char *path, const char *name, const char *line) {
        _cleanup_(fd_closep) int fd = file_create(path, name);
        int r;

        if (fd < 0)
                return fd;
        r = fd_write_all(fd, line, strlen(line));
        return error_trace(r ? r : fd_write_all(fd, "\n", 1));
}

/* ---- the small repository */

/* Settings of the repository that decide the bytes of its files, and where relative names of other repositories lead. */
#define SETTINGS "^(core\\.(autocrlf|eol|symlinks|filemode|ignorecase)|filter\\..*|lfs\\..*|remote\\.origin\\.url)$"

static int copy_settings(Git *git, const char *path) {
        _cleanup_(freep) char *settings = NULL;
        char *rest;
        int r;

        r = git_run(git, git->top, GIT_WORDS("config", "--local", "--get-regexp", SETTINGS), -1, &settings);
        if (r)
                return r == GIT_E_FAILED ? 0 : r; /* it has none of them */
        for (char *line = strtok_r(settings, "\n", &rest); r == 0 && line; line = strtok_r(NULL, "\n", &rest)) {
                char *value = strchr(line, ' ');

                if (value)
                        *value++ = '\0';
                r = git_run(git, path, GIT_WORDS("config", "--add", line, value ? value : "true"), -1, NULL);
                r = r == GIT_E_FAILED ? 0 : r; /* the rest of a value of several lines */
        }
        return r;
}

static int copy_tags(Git *git, const char *path) {
        _cleanup_(fd_closep) int fd = file_create(path, "packed-refs");

        if (fd < 0)
                return fd;
        return git_run(git, git->top, GIT_WORDS("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"), fd,
                        NULL);
}

/* A small repository without a commit yet. */
static int repository_make(Git *git, const char *path) {
        _cleanup_(freep) char *format = NULL;
        int r;

        if (asprintf(&format, "--object-format=%s", git->format) < 0) {
                format = NULL;
                return error_origin(-ENOMEM);
        }
        r = git_run(git, NULL, GIT_WORDS("init", "--quiet", "--template=", format, "--", path), -1, NULL);
        if (r == 0)
                r = write_line(path, "objects/info/alternates", git->objects);
        if (r == 0 && git->is_shallow)
                r = file_copy(git->shallow_file, path, "shallow");
        if (r == 0)
                r = copy_settings(git, path);
        return r ? r : copy_tags(git, path);
}

/* ---- submodules */

static int fill(Git *git, const char *id, const char *path, unsigned depth);
static int fill_with_working_tree(Git *git, const char *path, unsigned depth);

/*
 * The user's repository of the submodule @name at @place, as a Git whose objects and format count, and true if it is checked out. E_OUTSIDE:
 * the user has none.
 */
static int submodule_open(const Git *git, const char *name, const char *place, Git *ret_git, bool *ret_checked_out) {
        char checked_out[PATH_MAX], stored[PATH_MAX], file[PATH_MAX + 8];

        if (snprintf(checked_out, sizeof checked_out, "%s/%s", git->top, place) >= (int)sizeof checked_out ||
                        snprintf(stored, sizeof stored, "%s/%s", git->modules, name) >= (int)sizeof stored)
                return error_origin(-ENAMETOOLONG);
        snprintf(file, sizeof file, "%s/.git", checked_out); /* without it, git would find the repository around it */
        *ret_checked_out = access(file, F_OK) == 0;
        if (*ret_checked_out)
                return git_open(checked_out, ret_git);
        snprintf(file, sizeof file, "%s/HEAD", stored);
        return access(file, F_OK) == 0 ? git_open_stored(stored, ret_git) : GIT_E_OUTSIDE;
}

/* The commit that @id of the outer repository has at @place; empty where none is, as after a submodule was removed. */
static int submodule_commit(Git *git, const char *path, const char *place, char ret_id[static GIT_ID_BYTES]) {
        _cleanup_(freep) char *text = NULL;
        int r;

        r = git_run(git, path, GIT_WORDS("ls-files", "--stage", "--", place), -1, &text);
        if (r)
                return r;
        if (sscanf(text, "160000 %64[0-9a-f] ", ret_id) != 1)
                ret_id[0] = '\0';
        return 0;
}

/* How submodules are filled: @is_working: as they are checked out, where they are. */
typedef struct Filling {
        const char *path;
        unsigned depth;
        bool is_working;
} Filling;

static int submodule_fill(Git *git, const Filling *filling, const char *name, const char *place) {
        _cleanup_(git_clear) Git inner = {};
        char id[GIT_ID_BYTES], below[PATH_MAX];
        bool is_checked_out;
        int r;

        if (snprintf(below, sizeof below, "%s/%s", filling->path, place) >= (int)sizeof below)
                return error_origin(-ENAMETOOLONG);
        r = submodule_open(git, name, place, &inner, &is_checked_out);
        if (r == GIT_E_OUTSIDE)
                return 0; /* empty, as the user has it */
        if (r == 0 && filling->is_working && is_checked_out)
                return fill_with_working_tree(&inner, below, filling->depth + 1);
        if (r == 0)
                r = submodule_commit(git, filling->path, place, id);
        if (r || id[0] == '\0')
                return r;
        r = git_run(&inner, inner.objects, GIT_WORDS("cat-file", "-e", id), -1, NULL);
        if (r == GIT_E_FAILED) {
                free(git->said);
                git->said = strdup(place);
                return CHECKOUT_E_SUBMODULE;
        }
        return r ? r : fill(&inner, id, below, filling->depth + 1);
}

/* Those that .gitmodules of the filled directory names. */
static int submodules_fill(Git *git, const Filling *filling) {
        _cleanup_(freep) char *text = NULL;
        char file[PATH_MAX], *rest;
        int r;

        if (snprintf(file, sizeof file, "%s/.gitmodules", filling->path) >= (int)sizeof file)
                return error_origin(-ENAMETOOLONG);
        if (access(file, F_OK) < 0 || filling->depth >= DEPTH_MAX)
                return 0;
        r = git_run(git, filling->path,
                        GIT_WORDS("config", "-f", ".gitmodules", "--get-regexp", "^submodule\\..*\\.path$"), -1, &text);
        if (r)
                return r == GIT_E_FAILED ? 0 : r;
        for (char *line = strtok_r(text, "\n", &rest); r == 0 && line; line = strtok_r(NULL, "\n", &rest)) {
                char *place = strstr(line, ".path ");

                if (!place || strncmp(line, "submodule.", 10) != 0)
                        continue;
                *place = '\0';
                place += strlen(".path ");
                r = submodule_fill(git, filling, line + 10, place);
        }
        return r;
}

/* ---- the files */

static int check_out(Git *git, const char *id, const char *path) {
        int r;

        r = repository_make(git, path);
        return r ? r : git_run(git, path, GIT_WORDS("checkout", "--quiet", "--detach", "--force", id), -1, NULL);
}

static int fill(Git *git, const char *id, const char *path, unsigned depth) {
        int r;

        r = check_out(git, id, path);
        return r ? r : submodules_fill(git, &(Filling){ .path = path, .depth = depth });
}

/* Copies what git lists with @words, from the user's tree to the one at @path, or removes there what is no longer here. */
static int copy_listed(Git *git, const char *const *words, const char *path) {
        _cleanup_(fd_closep) int list_fd = -1;
        _cleanup_(freep) char *names = NULL;
        struct stat status;
        size_t n;
        int r;

        r = fd_memfd_new("names", &list_fd);
        if (r)
                return error_trace(r);
        r = git_run(git, git->top, words, list_fd, NULL);
        if (r)
                return r;
        if (fstat(list_fd, &status) < 0)
                return error_origin(-errno);
        names = malloc((size_t)status.st_size + 1);
        if (!names)
                return error_origin(-ENOMEM);
        r = fd_read_start(list_fd, names, (size_t)status.st_size, &n);
        for (char *name = names; r == 0 && name < names + n; name += strlen(name) + 1)
                r = changed_file_copy(git->top, path, name);
        return r;
}

/*
 * The changed files are copied as they are. The commit is HEAD, so that the build sees the changes as changes; and no object is written,
 * which would freshen the time of an equal one in the user's repository.
 */
static int fill_with_working_tree(Git *git, const char *path, unsigned depth) {
        _cleanup_(git_commit_clear) GitCommit head = {};
        int r;

        r = git_resolve(git, "HEAD", &head);
        if (r == 0)
                r = check_out(git, head.id, path);
        if (r == 0)
                r = copy_listed(git,
                                GIT_WORDS("diff", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules",
                                                "-z", "HEAD"),
                                path);
        if (r == 0)
                r = copy_listed(git, GIT_WORDS("ls-files", "--others", "--exclude-standard", "-z"), path);
        return r ? r : submodules_fill(git, &(Filling){ .path = path, .depth = depth, .is_working = true });
}

int checkout_make(Git *git, const char *id, const char *path) {
        return id ? fill(git, id, path, 0) : fill_with_working_tree(git, path, 0);
}
