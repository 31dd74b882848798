/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/git/told-commit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/git/git.h"
#include "ctl/ask/module-parts.h"
#include "ctl/base/command.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/file-name.h"
#include "util/time.h"

#define DIRTY "-dirty" /* as git describe --dirty ends */

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_MACHINE;
}

int told_commit_set_to(const GitCommit *commit, bool dirty, benchd_module *module) {
        const uint64_t time_ns = commit->time_s > 0 ? (uint64_t)commit->time_s * NS_PER_S : 0;

        return benchd_module_set_commit(module, commit->id, dirty, commit->subject, time_ns) ? out_of_memory() : 0;
}

/* ---- changes */

/*
 * Nobody asked for git here, and the repository may have come in an archive: its own configuration names programs that git would run to
 * compare a file (filter.NAME.clean). They are named empty instead, so that a file which only they make equal counts as changed. In
 * submodules, whose configuration is another one, only their commit is looked at.
 */

static int add_word(Command *words, const char *format, const char *name) {
        _cleanup_(freep) char *word = NULL;

        if (asprintf(&word, format, name) < 0) {
                word = NULL;
                return error_origin(-ENOMEM);
        }
        return command_add(words, word);
}

/* Adds the options that name the programs of the filter in @line, "local\tfilter.NAME.KEY value", empty, unless the user configured it. */
static int add_filter(Command *words, char *line) {
        char *name = strchr(line, '\t'), *end;
        int r;

        if (!name || strncmp(line, "global\t", 7) == 0 || strncmp(line, "system\t", 7) == 0)
                return 0;
        name += 1 + strlen("filter.");
        name[strcspn(name, " ")] = '\0';
        end = strrchr(name, '.');
        if (!end || strchr(name, '='))
                return GIT_E_FAILED; /* -c cannot name it */
        *end = '\0';
        r = command_add(words, "-c");
        if (r == 0)
                r = add_word(words, "filter.%s.clean=", name);
        if (r == 0)
                r = command_add(words, "-c");
        if (r == 0)
                r = add_word(words, "filter.%s.process=", name);
        if (r == 0)
                r = command_add(words, "-c");
        return r ? r : add_word(words, "filter.%s.required=false", name);
}

/* As git_is_dirty(), but starts no program. */
static int is_dirty(Git *git, bool *ret_dirty) {
        _cleanup_(command_clear) Command words = {};
        _cleanup_(freep) char *filters = NULL, *changed = NULL;
        char *rest;
        int r;

        r = git_run(git, git->top,
                        GIT_WORDS("config", "--show-scope", "--get-regexp", "^filter\\..*\\.(clean|process)$"), -1,
                        &filters);
        if (r && r != GIT_E_FAILED) /* there are none */
                return r;
        r = 0;
        for (char *line = filters ? strtok_r(filters, "\n", &rest) : NULL; r == 0 && line;
                        line = strtok_r(NULL, "\n", &rest))
                r = add_filter(&words, line);
        if (r == 0)
                r = command_add(&words, "status");
        if (r == 0)
                r = command_add(&words, "--porcelain");
        if (r == 0)
                r = command_add(&words, "--untracked-files=no");
        if (r == 0)
                r = command_add(&words, "--ignore-submodules=dirty");
        if (r == 0)
                r = git_run(git, git->top, (const char *const *)words.words, -1, &changed);
        if (r == 0)
                *ret_dirty = *changed != '\0';
        return r;
}

/* ---- told in words */

/* A revision of the repository here, or else an id of any kind. */
static int set_told(const char *text, benchd_module *module) {
        _cleanup_(git_clear) Git git = {};
        _cleanup_(git_commit_clear) GitCommit commit = {}, head = {};
        _cleanup_(freep) char *id = strdup(text);
        bool dirty = false;
        size_t n;

        if (!id)
                return out_of_memory();
        n = strlen(id);
        if (n > strlen(DIRTY) && strcmp(id + n - strlen(DIRTY), DIRTY) == 0) {
                id[n - strlen(DIRTY)] = '\0';
                dirty = true;
        }
        if (git_open(NULL, &git) == 0 && git_resolve(&git, id, &commit) == 0) {
                if (!dirty && git_resolve(&git, "HEAD", &head) == 0 && strcmp(head.id, commit.id) == 0)
                        (void)is_dirty(&git, &dirty);
                return told_commit_set_to(&commit, dirty, module);
        }
        if (benchd_module_set_commit(module, id, dirty, NULL, 0) == 0)
                return 0;
        complain("A commit is a revision of the repository here, or an id of 1 to 64 printable characters without spaces, not '%s'.",
                        text);
        complain_hint("--commit and BENCHD_COMMIT name it.");
        return EXIT_USAGE;
}

/* ---- told by git */

/* True if git knows all of @parts as files. */
static bool knows_all(Git *git, const ModuleParts *parts) {
        for (size_t i = 0; i < parts->n; i++) {
                bool known = false;

                if (access(parts->paths[i], F_OK) == 0 && (git_knows(git, parts->paths[i], &known) || !known))
                        return false;
        }
        return true;
}

/* Without git, outside of a repository and before its first commit nothing is told. */
static int set_by_git(const ModuleParts *parts, benchd_module *module) {
        const char *path = parts->paths[0];
        _cleanup_(freep) char *directory = strndup(path, (size_t)(file_name_of(path) - path));
        _cleanup_(git_clear) Git git = {};
        _cleanup_(git_commit_clear) GitCommit head = {};
        bool dirty = true;

        if (!directory)
                return out_of_memory();
        if (git_open(*directory ? directory : NULL, &git) || git_resolve(&git, "HEAD", &head) || is_dirty(&git, &dirty))
                return 0;
        return told_commit_set_to(&head, dirty || !knows_all(&git, parts), module);
}

int told_commit_set(const Settings *settings, const char *name, bool is_old, benchd_module *module) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};
        const char *told = settings->commit ? settings->commit : getenv("BENCHD_COMMIT");

        if (!is_old && told && *told)
                return set_told(told, module);
        if (!module_parts_are_built(name))
                return 0;
        return module_parts_add(&parts, name) ? out_of_memory() : set_by_git(&parts, module);
}
