/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/git/told-commit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/git/git.h"
#include "ctl/ask/module-parts.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
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
                        (void)git_is_dirty(&git, &dirty);
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
        if (git_open(*directory ? directory : NULL, &git) || git_resolve(&git, "HEAD", &head) ||
                        git_is_dirty(&git, &dirty))
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
