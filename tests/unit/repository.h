/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A repository of a test's own, made by git itself, in a new directory in which the test runs then; the user's cache is beside it. Nothing of
 * the machine's or the user's settings of git counts.
 */

#include "directory.h"
#include "util/remove-tree.h"

static char repository_around[] = "test-repository-XXXXXX";
static char repository_directory[PATH_MAX], repository_before[PATH_MAX];

/* Runs a script of sh, which has to succeed. */
static inline void script(const char *text) {
        if (system(text) != 0)
                fail_msg("failed: %s", text);
}

/* Runs a script, and compares what it prints without the last end of line. */
static inline void assert_prints(const char *text, const char *wanted) {
        char printed[4096];
        FILE *out = popen(text, "r");
        size_t n;

        assert_non_null(out);
        n = fread(printed, 1, sizeof printed - 1, out);
        assert_int_equal(pclose(out), 0);
        while (n > 0 && printed[n - 1] == '\n')
                n--;
        printed[n] = '\0';
        assert_string_equal(printed, wanted);
}

/* Commits a file that says @text. */
static inline void commit_file(const char *name, const char *text) {
        char line[512];

        snprintf(line, sizeof line, "echo '%s' >%s && git add %s && git commit -qm '%s'", text, name, name, text);
        script(line);
}

static inline int repository_make(void **state) {
        (void)state;
        assert_non_null(getcwd(repository_before, sizeof repository_before));
        directory_make(repository_around);
        assert_int_equal(chdir(repository_around), 0);
        assert_int_equal(mkdir("cache", 0700), 0);
        assert_non_null(realpath("cache", repository_directory));
        setenv("XDG_CACHE_HOME", repository_directory, 1);
        setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
        setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
        setenv("GIT_AUTHOR_NAME", "A", 1);
        setenv("GIT_AUTHOR_EMAIL", "a@example.org", 1);
        setenv("GIT_COMMITTER_NAME", "C", 1);
        setenv("GIT_COMMITTER_EMAIL", "c@example.org", 1);
        script("git init -q -b main work");
        assert_int_equal(chdir("work"), 0);
        assert_non_null(getcwd(repository_directory, sizeof repository_directory));
        return 0;
}

static inline int repository_remove(void **state) {
        (void)state;
        assert_int_equal(chdir(repository_before), 0);
        return remove_tree(AT_FDCWD, repository_around);
}
