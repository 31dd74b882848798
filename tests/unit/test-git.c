/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Facts of a repository are those that git itself prints, and nothing in it changes. */

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

TEST(a_revision_becomes_its_id_its_subject_and_its_time) {
        _cleanup_(git_commit_clear) GitCommit commit = {};
        char command[128];

        assert_int_equal(git_resolve(&git, "HEAD~1", &commit), 0);
        assert_prints("git rev-parse HEAD~1", commit.id);
        assert_string_equal(commit.subject, "first");
        snprintf(command, sizeof command, "test %lld = $(git log -1 --format=%%ct HEAD~1)", (long long)commit.time_s);
        script(command);
}

TEST(an_annotated_tag_becomes_its_commit) {
        _cleanup_(git_commit_clear) GitCommit commit = {};

        script("git tag -a -m text v1 HEAD~1");
        assert_int_equal(git_resolve(&git, "v1", &commit), 0);
        assert_prints("git rev-parse HEAD~1", commit.id);
}

TEST(words_that_name_no_commit_are_unknown) {
        static const char *const words[] = { "nothing", "", "-", "--help", "-q", "HEAD:one", "HEAD~9", "HEAD..HEAD~1" };
        GitCommit commit;

        for (size_t i = 0; i < N_ELEMENTS(words); i++)
                if (git_resolve(&git, words[i], &commit) != GIT_E_UNKNOWN)
                        fail_msg("'%s' was taken", words[i]);
}

TEST(a_subject_reaches_no_terminal_with_control_characters_nor_settings_of_the_user) {
        _cleanup_(git_commit_clear) GitCommit commit = {};

        script("git config color.ui always && git config log.showSignature true && git commit -q --allow-empty -m \"$(printf 'a\\033[31mb')\"");
        assert_int_equal(git_resolve(&git, "HEAD", &commit), 0);
        assert_string_equal(commit.subject, "a?[31mb");
}

TEST(a_commit_without_a_subject_has_an_empty_one) {
        _cleanup_(git_commit_clear) GitCommit commit = {};

        script("git commit -q --allow-empty --allow-empty-message -m ''");
        assert_int_equal(git_resolve(&git, "HEAD", &commit), 0);
        assert_string_equal(commit.subject, "");
}

TEST(changes_of_known_files_make_a_tree_dirty_and_unknown_files_do_not) {
        bool dirty;

        script("echo x >unknown");
        assert_int_equal(git_is_dirty(&git, &dirty), 0);
        assert_false(dirty);
        script("echo x >>one");
        assert_int_equal(git_is_dirty(&git, &dirty), 0);
        assert_true(dirty);
        script("git add one");
        assert_int_equal(git_is_dirty(&git, &dirty), 0);
        assert_true(dirty);
}

TEST(a_file_is_known_by_any_name_from_any_directory) {
        char path[PATH_MAX + 8];
        bool known;

        snprintf(path, sizeof path, "%s/one", repository_directory);
        assert_int_equal(git_knows(&git, path, &known), 0);
        assert_true(known);
        script("mkdir inner && touch 'on*'");
        assert_int_equal(chdir("inner"), 0);
        assert_int_equal(git_knows(&git, "../one", &known), 0);
        assert_true(known);
        assert_int_equal(git_knows(&git, "../on*", &known), 0);
        assert_false(known);
}

TEST(a_commit_is_its_own_ancestor_and_not_that_of_its_parent) {
        bool ancestor;

        assert_int_equal(git_is_ancestor(&git, "HEAD", "HEAD", &ancestor), 0);
        assert_true(ancestor);
        assert_int_equal(git_is_ancestor(&git, "HEAD~1", "HEAD", &ancestor), 0);
        assert_true(ancestor);
        assert_int_equal(git_is_ancestor(&git, "HEAD", "HEAD~1", &ancestor), 0);
        assert_false(ancestor);
        assert_int_equal(git_is_ancestor(&git, "nothing", "HEAD", &ancestor), GIT_E_FAILED);
}

TEST(a_range_is_the_line_of_first_parents_from_the_oldest) {
        _cleanup_(git_range_clear) GitRange range = {};
        _cleanup_(git_commit_clear) GitCommit base = {}, head = {};

        script("git switch -qc side HEAD~1");
        commit_file("side", "merged");
        script("git switch -q main && git merge -q --no-ff -m merge side");
        commit_file("one", "last");
        assert_int_equal(git_resolve(&git, "HEAD~3", &base), 0);
        assert_int_equal(git_resolve(&git, "HEAD", &head), 0);
        assert_int_equal(git_range(&git, base.id, head.id, &range), 0);
        assert_int_equal(range.n, 3);
        assert_string_equal(range.commits[0].subject, "second");
        assert_string_equal(range.commits[1].subject, "merge");
        assert_string_equal(range.commits[2].subject, "last");
        assert_string_equal(range.commits[2].id, head.id);
        assert_true(range.begins_at_base);
}

TEST(a_range_from_a_commit_of_another_line_does_not_begin_there) {
        _cleanup_(git_range_clear) GitRange range = {}, none = {};
        _cleanup_(git_commit_clear) GitCommit base = {}, head = {};

        script("git switch -qc side HEAD~1");
        commit_file("side", "aside");
        assert_int_equal(git_resolve(&git, "main", &base), 0);
        assert_int_equal(git_resolve(&git, "HEAD", &head), 0);
        assert_int_equal(git_range(&git, base.id, head.id, &range), 0);
        assert_int_equal(range.n, 1);
        assert_false(range.begins_at_base);
        assert_int_equal(git_range(&git, head.id, head.id, &none), 0);
        assert_int_equal(none.n, 0);
        assert_true(none.begins_at_base);
}

TEST(lines_that_parted_have_a_commit_in_common_or_none) {
        _cleanup_(git_commit_clear) GitCommit base = {};
        GitCommit none;

        script("git switch -qc side HEAD~1");
        commit_file("side", "aside");
        assert_int_equal(git_merge_base(&git, "main", "side", &base), 0);
        assert_string_equal(base.subject, "first");
        script("git switch -q --orphan other");
        commit_file("other", "apart");
        assert_int_equal(git_merge_base(&git, "main", "other", &none), GIT_E_UNKNOWN);
}

TEST(a_directory_outside_of_a_repository_and_a_bare_repository_are_refused_in_the_words_of_git) {
        _cleanup_(git_clear) Git outside = {}, bare = {};

        setenv("GIT_CEILING_DIRECTORIES", repository_directory, 1);
        assert_int_equal(chdir(".."), 0);
        setenv("GIT_CEILING_DIRECTORIES", getcwd(repository_directory, sizeof repository_directory), 1);
        script("mkdir outside && git init -q --bare bare");
        assert_int_equal(git_open("outside", &outside), GIT_E_OUTSIDE);
        assert_non_null(strstr(outside.said, "not a git repository"));
        assert_int_equal(git_open("bare", &bare), GIT_E_OUTSIDE);
        assert_non_null(strstr(bare.said, "work tree"));
        unsetenv("GIT_CEILING_DIRECTORIES");
}

TEST(variables_of_a_hook_lead_to_no_other_repository) {
        _cleanup_(git_clear) Git other = {};

        setenv("GIT_DIR", "/nowhere", 1);
        setenv("GIT_INDEX_FILE", "/nowhere", 1);
        assert_int_equal(git_open(NULL, &other), 0);
        assert_string_equal(other.top, repository_directory);
        unsetenv("GIT_DIR");
        unsetenv("GIT_INDEX_FILE");
}

TEST(a_directory_below_the_top_is_the_prefix) {
        _cleanup_(git_clear) Git below = {};

        script("mkdir -p 'a b/c'");
        assert_int_equal(git_open("a b/c", &below), 0);
        assert_string_equal(below.top, repository_directory);
        assert_string_equal(below.prefix, "a b/c/");
        assert_false(below.is_shallow);
}

TEST(without_git_on_the_path_its_absence_is_told) {
        _cleanup_(freep) char *path = strdup(getenv("PATH"));
        _cleanup_(git_clear) Git missing = {};

        setenv("PATH", "/nowhere", 1);
        assert_int_equal(git_open(NULL, &missing), GIT_E_MISSING);
        setenv("PATH", path, 1);
}

TEST(a_shallow_clone_is_one) {
        _cleanup_(git_clear) Git shallow = {};
        _cleanup_(git_commit_clear) GitCommit commit = {};

        script("git clone -q --depth 1 \"file://$PWD\" ../shallow");
        assert_int_equal(git_open("../shallow", &shallow), 0);
        assert_true(shallow.is_shallow);
        assert_int_equal(git_resolve(&shallow, "HEAD", &commit), 0);
        assert_int_equal(git_resolve(&shallow, "HEAD~1", &commit), GIT_E_UNKNOWN);
}

typedef struct Ends {
        const char *text, *base, *head;
        bool is_merge_base;
} Ends;

TEST(the_ends_of_a_range_are_as_git_writes_them_and_two_dots_alone_end_at_the_working_tree) {
        static const Ends rows[] = {
                { "main", "main", "HEAD", false },
                { "main..", "main", NULL, false },
                { "main..side", "main", "side", false },
                { "main...side", "main", "side", true },
                { "main...", "main", "HEAD", true },
                { "..side", "HEAD", "side", false },
                { "..", "HEAD", NULL, false },
                { "v1.2..v1.3", "v1.2", "v1.3", false },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(git_ends_clear) GitEnds ends = {};

                assert_int_equal(git_ends(rows[i].text, &ends), 0);
                assert_string_equal(ends.base, rows[i].base);
                if (rows[i].head)
                        assert_string_equal(ends.head, rows[i].head);
                else
                        assert_null(ends.head);
                assert_int_equal(ends.is_merge_base, rows[i].is_merge_base);
        }
}
