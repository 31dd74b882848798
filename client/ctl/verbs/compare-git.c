/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verbs/compare-git.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/benchmark-word.h"
#include "ctl/ask/compile.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/fleet/fleet.h"
#include "ctl/ask/git/build.h"
#include "ctl/ask/git/git.h"
#include "ctl/ask/git/worktree.h"
#include "ctl/ask/load.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/compare-links.h"
#include "ctl/verbs/compare-sides.h"
#include "util/cleanup.h"

/* One build. */
typedef struct Side {
        GitCommit commit;     /* of the working tree that which is checked out */
        bool is_working_tree; /* which differs from @commit */
        const char *command;  /* NULL: none */
        Worktree tree;
        char *path; /* the module */
        char *name; /* in results, if its file's does not do; NULL: it does */
} Side;

typedef struct GitComparison {
        Git git;
        const char *word; /* the module as it was typed, perhaps with a benchmark */
        char file[PATH_MAX];
        Side *sides; /* the first is the old side of all others */
        size_t n;
} GitComparison;

static void comparison_clear(GitComparison *comparison) {
        for (size_t i = 0; i < comparison->n; i++) {
                Side *side = &comparison->sides[i];

                git_commit_clear(&side->commit);
                worktree_clear(&side->tree);
                free(side->path);
                free(side->name);
        }
        free(comparison->sides);
        git_clear(&comparison->git);
}

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_MACHINE;
}

/* ---- which commits */

static int side_find(Git *git, const char *revision, Side *side) {
        int r;

        r = git_resolve(git, revision, &side->commit);
        return r ? git_complain(git, r, revision) : 0;
}

/* The working tree as it is; without changes it is its commit, whose build may be kept. */
static int side_find_working_tree(Git *git, Side *side) {
        int r;

        r = git_has_changes(git, &side->is_working_tree);
        return r ? git_complain(git, r, NULL) : side_find(git, "HEAD", side);
}

/* Replaces the commit of @old by that where its line and that of @new parted. */
static int side_part(Git *git, const GitEnds *ends, Side *old, const Side *new) {
        GitCommit base;
        int r;

        r = git_merge_base(git, old->commit.id, new->commit.id, &base);
        if (r == GIT_E_UNKNOWN) {
                complain("%s and %s have no commit in common%s.", ends->base, ends->head ? ends->head : "HEAD",
                                git->is_shallow ? " in this shallow clone" : "");
                complain_hint(git->is_shallow ? "git fetch --unshallow (in a CI job: fetch-depth: 0)"
                                              : "To compare them all the same, write two dots.");
                return EXIT_USAGE;
        }
        if (r)
                return git_complain(git, r, NULL);
        git_commit_clear(&old->commit);
        old->commit = base;
        return 0;
}

/* Says what a reader of the range might expect in vain. */
static void comparison_note(Git *git, const GitEnds *ends, const Side *old, const Side *new) {
        _cleanup_(git_commit_clear) GitCommit head = {};
        bool is_ancestor = true, is_dirty = false;

        if (git_is_ancestor(git, old->commit.id, new->commit.id, &is_ancestor) == 0 && !is_ancestor)
                fprintf(stderr, "Note: %s has commits that %s has not; --git=%s...%s compares from where they parted.\n",
                                ends->base, ends->head ? ends->head : "the working tree", ends->base,
                                ends->head ? ends->head : "");
        if (ends->head && git_resolve(git, "HEAD", &head) == 0 && strcmp(head.id, new->commit.id) == 0 &&
                        git_is_dirty(git, &is_dirty) == 0 && is_dirty)
                fprintf(stderr, "Note: changes that are not committed are left out; --git=%s.. compares with the working tree.\n",
                                ends->base);
}

static int find_range(GitComparison *comparison, const char *text) {
        _cleanup_(git_ends_clear) GitEnds ends = {};
        Git *git = &comparison->git;
        Side *old = &comparison->sides[0], *new = &comparison->sides[1];
        int r;

        if (git_ends(text, &ends))
                return out_of_memory();
        r = side_find(git, ends.base, old);
        if (r == 0)
                r = ends.head ? side_find(git, ends.head, new) : side_find_working_tree(git, new);
        if (r == 0 && ends.is_merge_base)
                r = side_part(git, &ends, old, new);
        if (r)
                return r;
        if (!new->is_working_tree && strcmp(old->commit.id, new->commit.id) == 0) {
                complain("--git=%s names one commit, %.*s, on both sides%s.", text, GIT_ID_SHORT, old->commit.id,
                                ends.head ? "" : ": the working tree has no changes");
                complain_hint("BASE and BASE..HEAD compare commits, BASE.. a commit with the working tree.");
                return EXIT_USAGE;
        }
        comparison_note(git, &ends, old, new);
        return 0;
}

/* All builds are of one tree. */
static int find_tree(GitComparison *comparison, const char *text) {
        int r = 0;

        if (text && strstr(text, "..")) {
                complain("Several --build compare builds of one commit, not of the range %s.", text);
                complain_hint("Name the commit: --git=REVISION; without --git it is the working tree. Or give --build once.");
                return EXIT_USAGE;
        }
        for (size_t i = 0; r == 0 && i < comparison->n; i++)
                r = text ? side_find(&comparison->git, text, &comparison->sides[i])
                         : side_find_working_tree(&comparison->git, &comparison->sides[i]);
        return r;
}

static int comparison_find(const Settings *settings, GitComparison *comparison) {
        const bool by_builds = settings->builds.n > 1;

        if (!by_builds && !settings->git) {
                complain("--build compares with nothing: name a commit by --git=BASE, or a second --build.");
                return EXIT_USAGE;
        }
        comparison->n = by_builds ? settings->builds.n : 2;
        comparison->sides = calloc(comparison->n, sizeof *comparison->sides);
        if (!comparison->sides) {
                comparison->n = 0;
                return out_of_memory();
        }
        for (size_t i = 0; i < comparison->n; i++) {
                comparison->sides[i].tree = WORKTREE_NONE;
                if (settings->builds.n > 0)
                        comparison->sides[i].command = settings->builds.words[by_builds ? i : 0];
        }
        return by_builds ? find_tree(comparison, settings->git) : find_range(comparison, settings->git);
}

/* ---- the arguments */

static int comparison_check(const Settings *settings, GitComparison *comparison) {
        int r = 0;

        comparison->word = settings->arguments.words[0];
        (void)benchmark_word_split(comparison->word, comparison->file);
        if (*comparison->word == '@' || *comparison->word == '#') {
                complain("'%s' names no file that a commit could have.", comparison->word);
                complain_hint("Write the module's or the source's path: benchctl compare --git=main bench.c");
                return EXIT_USAGE;
        }
        for (size_t i = 0; r == 0 && i < (settings->builds.n > 0 ? settings->builds.n : 1); i++)
                r = build_check(&comparison->git, comparison->file,
                                settings->builds.n > 0 ? settings->builds.words[i] : NULL);
        if (r == 0)
                r = load_options(settings);
        for (size_t i = 1; r == 0 && i < settings->arguments.n; i++) /* filters, like the words after "--" */
                r = load_filter(settings, settings->arguments.words[i]);
        return r;
}

/* ---- the builds */

static int side_build(const Settings *settings, GitComparison *comparison, Side *side) {
        CompileLinks links;
        int r;

        r = build_open(&comparison->git, side->is_working_tree ? NULL : &side->commit, side->command, settings->quiet,
                        &side->tree);
        if (r == 0)
                r = compare_links_choose(settings, comparison->file, (unsigned)(side - comparison->sides), &links);
        if (r == 0)
                r = build_module(&comparison->git, &side->tree, comparison->file, links.n > 1 ? &links : NULL,
                                &side->path);
        if (r)
                return r;
        if (settings->builds.n > 1 && asprintf(&side->name, "%s (%s)", comparison->file, side->command) < 0) {
                side->name = NULL;
                return out_of_memory();
        }
        return 0;
}

static CompareSide side_of(const GitComparison *comparison, const Side *side) {
        return (CompareSide){
                .word = comparison->word,
                .path = side->path,
                .name = side->name,
                .commit = &side->commit,
                .dirty = side->is_working_tree,
        };
}

static CompareSides pair_at(const GitComparison *comparison, size_t i) {
        return (CompareSides){
                .old = side_of(comparison, &comparison->sides[0]),
                .new = side_of(comparison, &comparison->sides[i]),
        };
}

/* ---- measuring: the exit code is that of the first comparison that did not end well */

static int measure(const Settings *settings, Connection *connection, Output *output) {
        const GitComparison *comparison = connection->subject;
        int first = EXIT_DONE, r = EXIT_DONE;

        output_expect(output, comparison->n - 1);
        for (size_t i = 1; i < comparison->n && r != EXIT_DAEMON && !interrupt_came(); i++) {
                const CompareSides sides = pair_at(comparison, i);

                r = compare_sides(settings, connection, output, &sides);
                first = first ? first : r;
        }
        return interrupt_came() ? EXIT_CANCELLED : first;
}

static int measure_on(const Settings *settings, Fleet *fleet, Output *output, const void *subject) {
        const GitComparison *comparison = subject;
        int first = EXIT_DONE;

        output_expect(output, comparison->n - 1);
        for (size_t i = 1; i < comparison->n && !interrupt_came(); i++) {
                const CompareSides sides = pair_at(comparison, i);
                const int r = compare_sides_on(settings, fleet, output, &sides);

                first = first ? first : r;
        }
        return interrupt_came() ? EXIT_CANCELLED : first;
}

int compare_git(const Settings *settings) {
        _cleanup_(comparison_clear) GitComparison comparison = {};
        int r;

        r = git_open(NULL, &comparison.git);
        if (r)
                return git_complain(&comparison.git, r, NULL);
        r = comparison_check(settings, &comparison);
        if (r == 0)
                r = comparison_find(settings, &comparison);
        for (size_t i = 0; r == 0 && i < comparison.n; i++)
                r = side_build(settings, &comparison, &comparison.sides[i]);
        if (r)
                return r;
        if (settings->several_hosts)
                return fleet_use(settings, measure_on, &comparison);
        return connection_use_for(settings, measure, &comparison);
}
