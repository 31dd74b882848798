/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The commit that a module's result tells: in the order of the option, the environment and git, and nothing where none knows it. */

#include "ctl/ask/git/told-commit.h"

#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "lib/module.h"

#include "repository.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

static benchd_module *module;

static int open_repository(void **state) {
        unsetenv("BENCHD_COMMIT");
        repository_make(state);
        script("echo 'int x;' >x.c && git add x.c");
        commit_file("y.c", "first");
        commit_file("y.c", "second");
        return benchd_module_new(&module);
}

static int close_repository(void **state) {
        unsetenv("BENCHD_COMMIT");
        module = benchd_module_free(module);
        return repository_remove(state);
}

TEST_EACH(open_repository, close_repository)

static void tell(const char *option, const char *variable, const char *name, bool is_old) {
        const Settings settings = { .commit = option };

        module = benchd_module_free(module);
        assert_int_equal(benchd_module_new(&module), 0);
        if (variable)
                setenv("BENCHD_COMMIT", variable, 1);
        else
                unsetenv("BENCHD_COMMIT");
        assert_int_equal(told_commit_set(&settings, name, is_old, module), 0);
}

static void assert_told(const char *revision, const char *subject, bool dirty) {
        char command[128];

        snprintf(command, sizeof command, "git rev-parse '%s^{commit}'", revision);
        assert_non_null(module->commit.id);
        assert_prints(command, module->commit.id);
        assert_string_equal(module->commit.subject, subject);
        assert_int_equal(module->commit.dirty, dirty);
        assert_true(module->commit.committed_at_unix_ns > UINT64_C(1000000000) * 1700000000);
}

TEST(a_source_is_of_the_commit_that_is_checked_out) {
        tell(NULL, NULL, "x.c", false);
        assert_told("HEAD", "second", false);
        assert_int_equal(chdir(".."), 0);
        tell(NULL, NULL, "work/x.c", true);
        assert_int_equal(chdir("work"), 0);
        assert_told("HEAD", "second", false);
}

TEST(a_change_of_a_known_file_or_a_source_that_git_does_not_know_is_dirty) {
        script("echo changed >>y.c");
        tell(NULL, NULL, "x.c", false);
        assert_told("HEAD", "second", true);
        script("git checkout -q y.c && cp x.c new.c");
        tell(NULL, NULL, "x.c", false);
        assert_told("HEAD", "second", false);
        tell(NULL, NULL, "x.c,new.c", false);
        assert_told("HEAD", "second", true);
}

TEST(a_finished_module_is_of_no_commit_unless_one_is_told) {
        script("touch x.so");
        tell(NULL, NULL, "x.so", false);
        assert_null(module->commit.id);
        tell("HEAD~1", NULL, "x.so", false);
        assert_told("HEAD~1", "first", false);
}

TEST(the_option_is_before_the_environment_and_that_before_git) {
        tell(NULL, "HEAD~1", "x.c", false);
        assert_told("HEAD~1", "first", false);
        tell("HEAD", "HEAD~1", "x.c", false);
        assert_told("HEAD", "second", false);
        tell(NULL, "", "x.c", false);
        assert_told("HEAD", "second", false);
}

TEST(the_old_side_of_a_comparison_is_told_by_git_alone) {
        tell("HEAD~1", "HEAD~1", "x.c", true);
        assert_told("HEAD", "second", false);
}

TEST(what_git_describe_prints_is_understood_with_its_dirty_end) {
        script("git tag -a -m text v1 HEAD~1");
        tell("v1-dirty", NULL, "x.so", false);
        assert_told("v1", "first", true);
        script("echo changed >>y.c");
        tell("HEAD", NULL, "x.so", false);
        assert_told("HEAD", "second", true);
}

/* As it may come in an archive: what its configuration names is not run, and what cannot be told without counts as changed. */
TEST(a_repository_starts_no_program_of_its_own) {
        static const char *const names[] = { "evil", "e=vil" };

        script("printf '#!/bin/sh\\ntouch \"%s/../ran\"\\ncat\\n' \"$PWD\" >../evil.sh && chmod +x ../evil.sh");
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                char text[512];

                snprintf(text, sizeof text,
                                "git config 'filter.%s.clean' ../evil.sh && git config 'filter.%s.process' ../evil.sh && git config 'filter.%s.required' true && "
                                "git config core.fsmonitor ../evil.sh && git config core.sshCommand ../evil.sh && echo '* filter=%s' >.git/info/attributes && touch x.c y.c",
                                names[i], names[i], names[i], names[i]);
                script(text);
                tell(NULL, NULL, "x.c", false);
                assert_int_equal(access("../ran", F_OK), -1);
                if (i == 0)
                        assert_told("HEAD", "second", false);
        }
        script("git config remote.origin.url ssh://host/x && git config extensions.partialClone origin && git config remote.origin.promisor true && "
               "rm -f .git/objects/$(git rev-parse HEAD^{tree} | sed 's|^..|&/|')");
        tell(NULL, NULL, "x.c", false);
        assert_int_equal(access("../ran", F_OK), -1);
}

TEST(an_id_that_git_does_not_know_is_taken_as_it_is_and_other_words_are_refused) {
        Settings settings = { .commit = "two words" };

        tell("svn-r1234", NULL, "x.so", false);
        assert_string_equal(module->commit.id, "svn-r1234");
        assert_null(module->commit.subject);
        assert_int_equal(told_commit_set(&settings, "x.so", false, module), EXIT_USAGE);
}

TEST(outside_of_a_repository_and_before_its_first_commit_nothing_is_told) {
        script("git init -q ../empty && cp x.c ../empty && cp x.c ..");
        tell(NULL, NULL, "../empty/x.c", false);
        assert_null(module->commit.id);
        setenv("GIT_CEILING_DIRECTORIES", repository_directory, 1);
        *strrchr(repository_directory, '/') = '\0';
        *strrchr(repository_directory, '/') = '\0';
        setenv("GIT_CEILING_DIRECTORIES", repository_directory, 1);
        tell(NULL, NULL, "../x.c", false);
        unsetenv("GIT_CEILING_DIRECTORIES");
        assert_null(module->commit.id);
}
