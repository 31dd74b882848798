/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Modules of commits: built by the user's command or from their sources, and found under the name that they have here. */

#include "ctl/ask/git/build.h"

#include "ctl/ask/git/git.h"
#include "ctl/ask/git/worktree.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"

#include "repository.h"

static Git git;

static int open_repository(void **state) {
        repository_make(state);
        script("mkdir bench && printf 'all:\\n\\tcp value module.so\\n' >bench/Makefile && git add .");
        commit_file("bench/value", "first");
        commit_file("bench/value", "second");
        assert_int_equal(chdir("bench"), 0);
        return git_open(NULL, &git);
}

static int close_repository(void **state) {
        git_clear(&git);
        return repository_remove(state);
}

TEST_EACH(open_repository, close_repository)

static int open_build(const char *revision, const char *command, Worktree *tree) {
        _cleanup_(git_commit_clear) GitCommit commit = {};

        assert_int_equal(git_resolve(&git, revision, &commit), 0);
        return build_open(&git, &commit, command, true, tree);
}

static void assert_says(const char *path, const char *wanted) {
        char command[PATH_MAX + 8];

        snprintf(command, sizeof command, "cat '%s'", path);
        assert_prints(command, wanted);
}

TEST(the_module_is_that_of_the_commit_by_each_of_its_names) {
        const char *const names[] = { "module.so", "./module.so", "../bench/module.so", ".././bench//module.so" };
        _cleanup_(worktree_clear) Worktree older = WORKTREE_NONE, newer = WORKTREE_NONE;
        char absolute[PATH_MAX + 32];

        assert_int_equal(open_build("HEAD~1", "make", &older), 0);
        assert_int_equal(open_build("HEAD", "make", &newer), 0);
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                _cleanup_(freep) char *first = NULL, *second = NULL;

                assert_int_equal(build_check(&git, names[i], "make"), 0);
                assert_int_equal(build_module(&git, &older, names[i], NULL, &first), 0);
                assert_says(first, "first");
                assert_int_equal(build_module(&git, &newer, names[i], NULL, &second), 0);
                assert_says(second, "second");
        }
        _cleanup_(freep) char *first = NULL;

        snprintf(absolute, sizeof absolute, "%s/bench/module.so", repository_directory);
        assert_int_equal(build_module(&git, &older, absolute, NULL, &first), 0);
        assert_says(first, "first");
        assert_int_equal(access("module.so", F_OK), -1);
}

TEST(a_command_runs_once_for_a_commit) {
        for (int i = 0; i < 2; i++) {
                _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;
                char command[PATH_MAX + 32];

                snprintf(command, sizeof command, "echo ran >>%s/../ran", repository_around);
                assert_int_equal(open_build("HEAD", "echo ran >>\"$XDG_CACHE_HOME/ran\"", &tree), 0);
        }
        assert_says("../../cache/ran", "ran");
}

TEST(a_command_that_fails_leaves_its_output_and_no_tree) {
        Worktree tree = WORKTREE_NONE;

        assert_int_equal(open_build("HEAD", "echo words; exit 7", &tree), EXIT_BENCHMARK);
        assert_prints("cat ../../cache/benchd/git/*/log", "words");
        assert_prints("find ../../cache/benchd/git -name tree", "");
        assert_int_equal(open_build("HEAD", "kill -9 $$", &tree), EXIT_BENCHMARK);
}

TEST(a_module_that_the_build_did_not_make_is_missed) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;
        char *path;

        script("touch module.so"); /* here, not there */
        assert_int_equal(open_build("HEAD", ":", &tree), 0);
        assert_int_equal(build_module(&git, &tree, "module.so", NULL, &path), EXIT_BENCHMARK);
}

TEST(a_module_that_is_a_link_out_of_the_tree_is_refused) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;
        char *path;

        assert_int_equal(open_build("HEAD",
                                         "touch \"$XDG_CACHE_HOME/x.so\" && ln -s \"$XDG_CACHE_HOME/x.so\" module.so",
                                         &tree),
                        0);
        assert_int_equal(build_module(&git, &tree, "module.so", NULL, &path), EXIT_BENCHMARK);
}

TEST(names_outside_of_the_repository_and_commands_that_name_the_working_tree_are_refused_before_a_build) {
        char command[PATH_MAX + 64];

        assert_int_equal(build_check(&git, "/tmp/module.so", NULL), EXIT_USAGE);
        assert_int_equal(build_check(&git, "../../module.so", NULL), EXIT_USAGE);
        assert_int_equal(build_check(&git, "../../work", NULL), EXIT_USAGE);
        snprintf(command, sizeof command, "make -C %s/bench", repository_directory);
        assert_int_equal(build_check(&git, "module.so", command), EXIT_USAGE);
        snprintf(command, sizeof command, "make -C '%s'", repository_directory);
        assert_int_equal(build_check(&git, "module.so", command), EXIT_USAGE);
        snprintf(command, sizeof command, "make TOOLS=%s-tools", repository_directory);
        assert_int_equal(build_check(&git, "module.so", command), 0);
        snprintf(command, sizeof command, "-I%s/include", repository_directory);
        setenv("CFLAGS", command, 1);
        assert_int_equal(build_check(&git, "module.so", NULL), EXIT_USAGE);
        unsetenv("CFLAGS");
}

TEST(a_source_is_compiled_with_the_headers_of_its_commit_and_a_path_that_no_commit_changes) {
        _cleanup_(worktree_clear) Worktree older = WORKTREE_NONE, newer = WORKTREE_NONE;
        _cleanup_(freep) char *first = NULL, *second = NULL;

        script("mkdir include && echo '#define VALUE \"older text\"' >include/value.h && "
               "printf '#include <value.h>\\nconst char *value(void);\\nconst char *value(void) { return VALUE __FILE__; }\\n' >b.c && git add . && git commit -qm older");
        script("echo '#define VALUE \"newer text\"' >include/value.h && git commit -qam newer");
        script("echo '#define VALUE \"of the working tree\"' >include/value.h");
        setenv("CFLAGS", "-Iinclude", 1);
        assert_int_equal(open_build("HEAD~1", NULL, &older), 0);
        assert_int_equal(open_build("HEAD", NULL, &newer), 0);
        assert_int_equal(build_module(&git, &older, "b.c", NULL, &first), 0);
        assert_int_equal(build_module(&git, &newer, "b.c", NULL, &second), 0);
        unsetenv("CFLAGS");
        assert_string_not_equal(first, second);
        setenv("FIRST", first, 1);
        setenv("SECOND", second, 1);
        assert_prints("grep -ao '[a-z]* text[a-z.]*' $FIRST | head -1; grep -ao '[a-z]* text[a-z.]*' $SECOND | head -1",
                        "older textb.c\nnewer textb.c");
}

TEST(a_file_or_a_directory_that_a_commit_lacks_is_missed) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;
        char *path;

        script("cp value later.c && git add later.c && git commit -qm later");
        assert_int_equal(open_build("HEAD~1", NULL, &tree), 0);
        assert_int_equal(build_module(&git, &tree, "later.c", NULL, &path), EXIT_BENCHMARK);
        script("mkdir later && touch later/x && git add later && git commit -qm directory");
        git_clear(&git);
        assert_int_equal(git_open("later", &git), 0);
        worktree_clear(&tree);
        assert_int_equal(open_build("HEAD~1", "true", &tree), EXIT_BENCHMARK);
}

TEST(a_build_sees_no_repository_but_its_own) {
        _cleanup_(worktree_clear) Worktree tree = WORKTREE_NONE;
        _cleanup_(freep) char *path = NULL;

        setenv("GIT_DIR", "/nowhere", 1);
        assert_int_equal(open_build("HEAD~1", "git log -1 --format=%s >module.so", &tree), 0);
        unsetenv("GIT_DIR");
        assert_int_equal(build_module(&git, &tree, "module.so", NULL, &path), 0);
        assert_says(path, "first");
}

/* All processes of the build have the pipe. */
TEST(a_build_ends_with_benchctl_though_it_ignores_the_signal_and_leaves_no_tree) {
        int status, ends[2];
        char byte;
        pid_t pid;

        assert_int_equal(pipe(ends), 0);
        assert_int_equal(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
        pid = fork();
        if (pid == 0) {
                Worktree tree = WORKTREE_NONE;

                assert_int_equal(interrupt_install(), 0);
                _exit(open_build("HEAD", "trap '' TERM; kill -TERM $PPID; tail -f /dev/null & wait", &tree));
        }
        close(ends[1]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(WEXITSTATUS(status), EXIT_CANCELLED);
        assert_int_equal(read(ends[0], &byte, 1), 0);
        close(ends[0]);
        assert_prints("find ../../cache/benchd/git -mindepth 1", "");
}
