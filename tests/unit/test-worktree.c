/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trees of commits: complete, kept once they are built, and without a trace in the repository. */

#include "ctl/ask/git/worktree.h"

#include <sys/file.h>

#include "ctl/ask/git/git.h"

#include "repository.h"

static Git git;

static int open_repository(void **state) {
        repository_make(state);
        commit_file("one", "first");
        commit_file("one", "second");
        return git_open(NULL, &git);
}

static int close_repository(void **state) {
        git_clear(&git);
        return repository_remove(state);
}

TEST_EACH(open_repository, close_repository)

static void open_revision(const char *revision, const char *command, Worktree *ret_tree) {
        _cleanup_(git_commit_clear) GitCommit commit = {};

        assert_int_equal(git_resolve(&git, revision, &commit), 0);
        assert_int_equal(worktree_open(&git, commit.id, command, ret_tree), 0);
}

static void assert_in_tree(const Worktree *tree, const char *text, const char *wanted) {
        char command[PATH_MAX + 256];

        snprintf(command, sizeof command, "cd '%s' && %s", tree->path, text);
        assert_prints(command, wanted);
}

TEST(a_tree_has_the_files_of_its_commit_and_git_in_it_the_same_id_and_tags) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

        script("git tag -a -m text v1 HEAD~1");
        open_revision("HEAD~1", NULL, &tree);
        assert_false(tree.is_built);
        assert_in_tree(&tree, "cat one", "first");
        assert_in_tree(&tree, "git describe --dirty", "v1");
        assert_in_tree(&tree, "git status --porcelain", "");
}

/* All bytes, names, and times of what is in the user's tree and its .git. */
#define EVERYTHING                                                                                                     \
 "find . -printf '%p %T@ %s %m %l\\n' | sort | sha256sum; find . -type f -exec sha256sum {} + | sort | sha256sum"

TEST(nothing_of_the_repository_is_touched) {
        script("echo changed >>one && touch unknown && git status >/dev/null");
        script("(" EVERYTHING ") >../before");
        {
                _cleanup_(worktree_clear) Worktree commit = WORKTREE_NONE, working = WORKTREE_NONE;

                open_revision("HEAD~1", "make", &commit);
                assert_int_equal(worktree_built(&commit), 0);
                assert_int_equal(worktree_open(&git, NULL, "make", &working), 0);
        }
        script("(" EVERYTHING ") >../after && cmp ../before ../after");
}

TEST(a_built_tree_is_found_again_with_what_was_built_and_one_that_failed_is_made_anew) {
        for (int round = 0; round < 3; round++) {
                _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

                open_revision("HEAD", "make", &tree);
                assert_int_equal(tree.is_built, round == 2);
                assert_in_tree(&tree, "cat made 2>&1; :", round == 2 ? "" : "cat: made: No such file or directory");
                assert_in_tree(&tree, "touch made", "");
                if (round == 1)
                        assert_int_equal(worktree_built(&tree), 0);
        }
}

TEST(commands_and_commits_have_trees_of_their_own_with_paths_of_one_length) {
        Worktree trees[4] = { WORKTREE_NONE, WORKTREE_NONE, WORKTREE_NONE, WORKTREE_NONE };

        open_revision("HEAD", "make CFLAGS=-O2", &trees[0]);
        open_revision("HEAD", "make CFLAGS=-O3", &trees[1]);
        open_revision("HEAD~1", "make CFLAGS=-O2", &trees[2]);
        assert_int_equal(worktree_open(&git, NULL, "make CFLAGS=-O2", &trees[3]), 0);
        for (size_t i = 0; i < N_ELEMENTS(trees); i++)
                for (size_t k = 0; k < i; k++) {
                        assert_string_not_equal(trees[i].path, trees[k].path);
                        assert_int_equal(strlen(trees[i].path), strlen(trees[k].path));
                }
        for (size_t i = 0; i < N_ELEMENTS(trees); i++)
                worktree_clear(&trees[i]);
}

TEST(the_working_tree_is_taken_with_its_changes_and_new_files_but_not_with_what_is_ignored) {
        char directory[PATH_MAX];

        commit_file(".gitignore", "*.o");
        script("echo excluded >>.git/info/exclude; touch excluded a.o; echo changed >one; mkdir inner; echo new >inner/new; ln -s one link");
        {
                _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

                assert_int_equal(worktree_open(&git, NULL, NULL, &tree), 0);
                assert_in_tree(&tree, "cat one inner/new link; ls", "changed\nnew\nchanged\ninner\nlink\none");
                assert_in_tree(&tree, "git diff --stat HEAD --format= | tail -1",
                                " 1 file changed, 1 insertion(+), 1 deletion(-)");
                snprintf(directory, sizeof directory, "%s", tree.directory);
                assert_int_equal(worktree_built(&tree), 0);
        }
        assert_int_equal(access(directory, F_OK), -1);
}

TEST(files_links_and_directories_that_changed_their_kind_are_taken_as_they_are) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

        script("mkdir d && touch d/x gone link plain && ln -s one points && chmod +x plain && git add . && git commit -qm kinds");
        script("rm -r d gone link points && echo file >d && mkdir link && echo deep >link/x && echo now >points && chmod -x plain && git add points && "
               "echo staged >new && git add new && rm new && ln -s nowhere dangling && git init -q nested");
        assert_int_equal(worktree_open(&git, NULL, NULL, &tree), 0);
        assert_in_tree(&tree, "cat d link/x points; readlink dangling; ls; test -x plain || echo plain",
                        "file\ndeep\nnow\nnowhere\nd\ndangling\nlink\none\nplain\npoints\nplain");
}

TEST(settings_of_the_repository_that_decide_bytes_count) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

        script("git config core.autocrlf true && git config filter.upper.smudge 'tr a-z A-Z' && "
               "git config filter.upper.clean 'tr A-Z a-z' && echo 'one filter=upper' >.gitattributes && git add . && git commit -qm attributes");
        open_revision("HEAD", NULL, &tree);
        assert_in_tree(&tree, "od -An -c one | tr -d ' '", "SECOND\\r\\n");
}

TEST(no_hook_runs) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

        script("mkdir ../hooks && printf '#!/bin/sh\\ntouch \"%s/../hook-ran\"\\n' \"$PWD\" >../hooks/post-checkout && chmod +x ../hooks/*");
        script("printf '[core]\\nhooksPath = %s\\n' \"$(cd ../hooks && pwd)\" >../config");
        setenv("GIT_CONFIG_GLOBAL", "../config", 1);
        open_revision("HEAD", NULL, &tree);
        assert_int_equal(access("../hook-ran", F_OK), -1);
}

TEST(a_shallow_clone_gives_the_commits_that_it_has) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

        script("git clone -q --depth 1 \"file://$PWD\" ../shallow");
        git_clear(&git);
        assert_int_equal(git_open("../shallow", &git), 0);
        open_revision("HEAD", NULL, &tree);
        assert_in_tree(&tree, "cat one; git log --format=%s", "second\nsecond");
}

TEST(a_repository_with_ids_of_sha256_is_one_too) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

        script("git init -q --object-format=sha256 ../long");
        assert_int_equal(chdir("../long"), 0);
        commit_file("one", "long");
        git_clear(&git);
        assert_int_equal(git_open(NULL, &git), 0);
        open_revision("HEAD", NULL, &tree);
        assert_in_tree(&tree, "cat one", "long");
}

/* A submodule in a submodule, and an older version of both. */
static void make_submodules(void) {
        script("git init -q -b main ../inner && cd ../inner && echo inner >file && git add . && git commit -qm inner");
        script("git init -q -b main ../middle && cd ../middle && git -c protocol.file.allow=always submodule --quiet add \"$PWD/../inner\" deep && "
               "git commit -qm middle");
        script("git -c protocol.file.allow=always submodule --quiet add \"$PWD/../middle\" 'sub module' && "
               "git -c protocol.file.allow=always submodule --quiet update --init --recursive && git commit -qm submodule");
        script("cd 'sub module' && echo newer >newer && git add . && git commit -qm newer");
        script("git commit -qam 'newer submodule'");
}

TEST(submodules_come_from_where_the_user_has_them) {
        _cleanup_(worktree_clear) Worktree newer = WORKTREE_NONE, older = WORKTREE_NONE, without = WORKTREE_NONE;

        make_submodules();
        open_revision("HEAD", NULL, &newer);
        assert_in_tree(&newer, "cat 'sub module/newer' 'sub module/deep/file'", "newer\ninner");
        open_revision("HEAD~1", NULL, &older);
        assert_in_tree(&older, "ls 'sub module'; cat 'sub module/deep/file'", "deep\ninner");
        assert_in_tree(&older, "git status --porcelain", "");
        open_revision("HEAD~2", NULL, &without);
        assert_in_tree(&without, "ls", "one");
}

TEST(a_submodule_of_the_working_tree_is_taken_with_its_changes) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

        make_submodules();
        script("echo changed >'sub module/newer' && echo deeper >'sub module/deep/file' && (" EVERYTHING
               ") >../before");
        assert_int_equal(worktree_open(&git, NULL, NULL, &tree), 0);
        assert_in_tree(&tree, "cat 'sub module/newer' 'sub module/deep/file'", "changed\ndeeper");
        script("(" EVERYTHING ") >../after && cmp ../before ../after");
}

TEST(a_submodule_that_the_user_has_not_checked_out_is_taken_from_its_store_or_left_empty) {
        _cleanup_(worktree_clear) Worktree stored = WORKTREE_NONE, empty = WORKTREE_NONE;

        make_submodules();
        script("git submodule --quiet deinit -f --all");
        open_revision("HEAD", NULL, &stored);
        assert_in_tree(&stored, "cat 'sub module/newer'", "newer");
        script("rm -rf .git/modules");
        open_revision("HEAD~1", NULL, &empty);
        assert_in_tree(&empty, "ls -A 'sub module'", "");
}

TEST(a_version_of_a_submodule_that_is_not_here_is_named) {
        _cleanup_(git_commit_clear) GitCommit commit = {};
        Worktree tree;

        make_submodules();
        script("git update-index --cacheinfo 160000,1234567890123456789012345678901234567890,'sub module' && git commit -qm lost");
        assert_int_equal(git_resolve(&git, "HEAD", &commit), 0);
        assert_int_equal(worktree_open(&git, commit.id, NULL, &tree), 2);
}

static int n_entries(const char *path) {
        char command[PATH_MAX + 32];
        FILE *out;
        int n;

        snprintf(command, sizeof command, "ls '%s' | wc -l", path);
        out = popen(command, "r");
        assert_non_null(out);
        assert_int_equal(fscanf(out, "%d", &n), 1);
        pclose(out);
        return n;
}

TEST(no_more_than_24_trees_are_kept_and_those_unused_for_long_go_first) {
        char command[64], directory[PATH_MAX] = "";

        for (int i = 0; i < 27; i++) {
                _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

                snprintf(command, sizeof command, "make %d", i);
                open_revision("HEAD", command, &tree);
                assert_int_equal(worktree_built(&tree), 0);
                if (i == 0)
                        snprintf(directory, sizeof directory, "%s", tree.directory);
        }
        assert_true(n_entries("../cache/benchd/git") <= 24);
        assert_int_equal(access(directory, F_OK), -1);
        script("touch -d '31 days ago' ../cache/benchd/git/*");
        {
                _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;

                open_revision("HEAD", "make last", &tree);
                assert_int_equal(n_entries("../cache/benchd/git"), 1);
        }
}

TEST(a_tree_that_somebody_uses_is_not_removed_and_a_built_one_is_shared) {
        _cleanup_(worktree_clear) Worktree first = WORKTREE_NONE, second = WORKTREE_NONE, other = WORKTREE_NONE;

        open_revision("HEAD", "make", &first);
        assert_int_equal(worktree_built(&first), 0);
        open_revision("HEAD", "make", &second);
        assert_true(second.is_built);
        script("touch -d '31 days ago' ../cache/benchd/git/*");
        open_revision("HEAD", "make other", &other);
        assert_int_equal(access(first.path, F_OK), 0);
}

TEST(two_benchctl_that_want_one_tree_build_it_one_after_the_other) {
        _cleanup_(worktree_clear) Worktree first = WORKTREE_NONE;
        char text[64] = "";
        int ends[2], status;
        pid_t pid;

        open_revision("HEAD", "make", &first);
        assert_int_equal(pipe(ends), 0);
        pid = fork();
        if (pid == 0) {
                Worktree second = WORKTREE_NONE;

                dup2(ends[1], STDERR_FILENO);
                open_revision("HEAD", "make", &second);
                _exit(second.is_built ? 0 : 1);
        }
        assert_true(read(ends[0], text, sizeof text - 1) > 0);
        assert_memory_equal(text, "Waiting for another benchctl", 28);
        assert_int_equal(worktree_built(&first), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        close(ends[0]);
        close(ends[1]);
}
