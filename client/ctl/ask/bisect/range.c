/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/bisect/range.h"

#include <stdio.h>
#include <string.h>

#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "stats/bisection.h"
#include "util/cleanup.h"

static int resolve(BisectRange *range, const char *revision, GitCommit *ret_commit) {
        int r;

        r = git_resolve(&range->git, revision, ret_commit);
        return r ? git_complain(&range->git, r, revision) : 0;
}

/* Says why the good end does not come before the bad one. */
static int refuse_order(BisectRange *range, const char *good, const char *bad, const GitCommit *bad_commit) {
        bool reversed = false;
        int r;

        if (strcmp(range->good.id, bad_commit->id) == 0) {
                complain("%s and %s are the same commit, so nothing changed between them.", good, bad);
                return EXIT_USAGE;
        }
        r = git_is_ancestor(&range->git, bad_commit->id, range->good.id, &reversed);
        if (r)
                return git_complain(&range->git, r, bad);
        if (reversed) {
                complain("%s is older than %s: the good commit comes first.", bad, good);
                complain_hint("'benchctl bisect %s %s ...' finds what made it slower or faster in between.", bad, good);
                return EXIT_USAGE;
        }
        complain("%s is not an ancestor of %s: no line of commits leads from one to the other.", good, bad);
        if (range->git.is_shallow)
                complain_hint("The clone is shallow, and may lack it: git fetch --unshallow (in a CI job: fetch-depth: 0)");
        else
                complain_hint("'git merge-base %s %s' names their last common commit.", good, bad);
        return EXIT_USAGE;
}

static int check_size(const BisectRange *range) {
        if (range->range.n <= BISECTION_COMMITS_MAX)
                return 0;
        complain("The range has %zu commits; a search takes at most %u.", range->range.n, BISECTION_COMMITS_MAX);
        complain_hint("Name a good commit that is closer.");
        return EXIT_USAGE;
}

static void tell_sides(const BisectRange *range, const char *good) {
        if (range->range.begins_at_base)
                return;
        complain("%s was merged into the line of first parents that is searched.", good);
        complain_hint("%.*s, its first commit here, stands for all that came with it.", GIT_ID_SHORT,
                        range->range.commits[0].id);
}

int bisect_range_open(const char *good, const char *bad, BisectRange *range) {
        _cleanup_(git_commit_clear) GitCommit bad_commit = {};
        bool is_older = false;
        int r;

        r = git_open(NULL, &range->git);
        if (r)
                return git_complain(&range->git, r, NULL);
        r = resolve(range, good, &range->good);
        if (r == 0)
                r = resolve(range, bad, &bad_commit);
        if (r)
                return r;
        r = git_is_ancestor(&range->git, range->good.id, bad_commit.id, &is_older);
        if (r)
                return git_complain(&range->git, r, good);
        if (!is_older || strcmp(range->good.id, bad_commit.id) == 0)
                return refuse_order(range, good, bad, &bad_commit);
        r = git_range(&range->git, range->good.id, bad_commit.id, &range->range);
        if (r)
                return git_complain(&range->git, r, bad);
        r = check_size(range);
        if (r == 0)
                tell_sides(range, good);
        return r;
}

void bisect_range_clear(BisectRange *range) {
        git_range_clear(&range->range);
        git_commit_clear(&range->good);
        git_clear(&range->git);
}

const GitCommit *bisect_range_at(const BisectRange *range, size_t index) {
        return index == 0 ? &range->good : &range->range.commits[index - 1];
}

bool bisect_range_merged(BisectRange *range, size_t index, GitCommit *ret_base, GitCommit *ret_tip) {
        const char *id = bisect_range_at(range, index)->id;
        char first[GIT_ID_BYTES + 2], second[GIT_ID_BYTES + 2];

        snprintf(first, sizeof first, "%s^1", id);
        snprintf(second, sizeof second, "%s^2", id);
        if (git_resolve(&range->git, second, ret_tip))
                return false;
        return git_merge_base(&range->git, first, second, ret_base) == 0;
}
