/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A file beside a program counts only where nobody else could have put it there: at each step from the tree's root on.
 */

#include "util/own-tree.h"

#include <grp.h>
#include <pwd.h>
#include <sys/xattr.h>

#include "directory.h"

#define STRANGER  4322 /* owns nothing on any machine, and is in no group */
#define FILE_PATH "one/two/file"

static char directory[] = "own-tree-XXXXXX";
static const char *const steps[] = { ".", "one", "one/two", FILE_PATH };

static void make_tree(void) {
        const int fd = (mkdir("one", 0755), mkdir("one/two", 0755),
                        open(FILE_PATH, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));

        assert_true(fd >= 0);
        close(fd);
        for (size_t i = 0; i < N_ELEMENTS(steps); i++)
                assert_int_equal(chmod(steps[i], 0755), 0);
}

static int set_up(void **state) {
        directory_make(directory);
        assert_int_equal(chdir(directory), 0);
        make_tree();
        return 0;
}

static int tear_down(void **state) {
        unlink(FILE_PATH);
        rmdir("one/two");
        rmdir("one");
        assert_int_equal(chdir(".."), 0);
        return directory_remove(directory);
}

TEST_EACH(set_up, tear_down)

static int try_open(uid_t owner, OwnTreeRefusal *ret_refusal) {
        _cleanup_(fd_closep) int fd = -1;
        char root[PATH_MAX];
        int r;

        assert_non_null(getcwd(root, sizeof root));
        r = own_tree_open_at(root, owner, FILE_PATH, ret_refusal, &fd);
        assert_int_equal(r == 0, fd >= 0);
        return r;
}

static void assert_refused(OwnTreeFault fault, const char *step) {
        char words[OWN_TREE_WORDS_MAX];
        OwnTreeRefusal refusal;

        assert_int_equal(try_open(geteuid(), &refusal), OWN_TREE_E_UNSAFE);
        assert_int_equal(refusal.fault, fault);
        own_tree_explain(&refusal, words);
        assert_non_null(strstr(words, *step == '.' ? directory : step));
}

TEST(a_tree_of_ones_own_counts) {
        OwnTreeRefusal refusal;

        assert_int_equal(try_open(geteuid(), &refusal), 0);
        assert_int_equal(unlink(FILE_PATH), 0);
        assert_int_equal(try_open(geteuid(), &refusal), OWN_TREE_E_MISSING);
        assert_int_equal(mkdir(FILE_PATH, 0755), 0);
        assert_int_equal(try_open(geteuid(), &refusal), OWN_TREE_E_MISSING);
        rmdir(FILE_PATH);
        rmdir("one/two");
        assert_int_equal(try_open(geteuid(), &refusal), OWN_TREE_E_MISSING);
}

TEST(what_others_can_write_at_any_step_does_not) {
        static const mode_t modes[] = { 0757, 01777, 0777, 0702 };

        for (size_t i = 0; i < N_ELEMENTS(steps); i++)
                for (size_t k = 0; k < N_ELEMENTS(modes); k++) {
                        assert_int_equal(chmod(steps[i], modes[k]), 0);
                        assert_refused(OWN_TREE_WRITABLE, steps[i]);
                        assert_int_equal(chmod(steps[i], 0755), 0);
                }
}

TEST(what_belongs_to_another_user_at_any_step_does_not) {
        OwnTreeRefusal refusal;

        if (geteuid() != 0)
                skip();
        for (size_t i = 0; i < N_ELEMENTS(steps); i++) {
                assert_int_equal(chown(steps[i], STRANGER, 0), 0);
                assert_refused(OWN_TREE_OWNER, steps[i]);
                assert_int_equal(try_open(STRANGER, &refusal), 0); /* the program itself is that user's */
                assert_int_equal(chown(steps[i], 0, 0), 0);
        }
}

TEST(a_group_of_others_may_not_write) {
        if (geteuid() != 0)
                skip();
        for (size_t i = 0; i < N_ELEMENTS(steps); i++) {
                assert_int_equal(chown(steps[i], 0, STRANGER), 0);
                assert_int_equal(chmod(steps[i], 0775), 0);
                assert_refused(OWN_TREE_WRITABLE, steps[i]);
                assert_int_equal(chown(steps[i], 0, 0), 0);
                assert_int_equal(chmod(steps[i], 0755), 0);
        }
}

/* On some systems others have root's group as their own. */
static bool has_group_alone(gid_t gid) {
        const struct group *group = getgrgid(gid);
        const struct passwd *user;
        size_t n = 0;

        setpwent();
        while ((user = getpwent()))
                n += user->pw_gid == gid;
        endpwent();
        return group && !*group->gr_mem && n == 1;
}

TEST(a_group_of_the_owner_alone_may) {
        OwnTreeRefusal refusal;

        if (geteuid() != 0 || !has_group_alone(0))
                skip();
        for (size_t i = 0; i < N_ELEMENTS(steps); i++)
                assert_int_equal(chmod(steps[i], 0775), 0);
        assert_int_equal(try_open(0, &refusal), 0);
}

/* user::rwx user:STRANGER:rwx group::r-x mask::rwx other::r-x, whose mask shows as the group's bits. */
TEST(a_named_user_of_an_access_list_is_another_one) {
        static const uint8_t list[] = { 2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 2, 0, 7, 0, STRANGER & 255,
                STRANGER >> 8, 0, 0, 4, 0, 5, 0, 255, 255, 255, 255, 16, 0, 7, 0, 255, 255, 255, 255, 32, 0, 5, 0, 255,
                255, 255, 255 };

        for (size_t i = 0; i < N_ELEMENTS(steps); i++) {
                if (setxattr(steps[i], "system.posix_acl_access", list, sizeof list, 0) < 0)
                        skip();
                assert_refused(OWN_TREE_WRITABLE, steps[i]);
                assert_int_equal(removexattr(steps[i], "system.posix_acl_access"), 0);
                assert_int_equal(chmod(steps[i], 0755), 0);
        }
}

TEST(a_link_or_a_pipe_at_any_step_does_not_count) {
        assert_int_equal(rename(FILE_PATH, "one/two/other"), 0);
        assert_int_equal(symlink("other", FILE_PATH), 0);
        assert_refused(OWN_TREE_LINK, FILE_PATH);
        assert_int_equal(unlink(FILE_PATH), 0);
        assert_int_equal(mkfifo(FILE_PATH, 0755), 0);
        assert_refused(OWN_TREE_LINK, FILE_PATH);
        assert_int_equal(unlink(FILE_PATH), 0);
        assert_int_equal(rename("one/two/other", FILE_PATH), 0);
        assert_int_equal(rename("one/two", "one/real"), 0);
        assert_int_equal(symlink("real", "one/two"), 0);
        assert_refused(OWN_TREE_LINK, "one/two");
        assert_int_equal(unlink("one/two"), 0);
        assert_int_equal(rename("one/real", "one/two"), 0);
}

TEST(a_program_that_lies_elsewhere_has_no_tree) {
        OwnTreeRefusal refusal;
        char path[PATH_MAX];
        int fd;

        assert_int_equal(own_tree_open("client/ctl", "tests/unit/test-common", &refusal, &fd, path),
                        OWN_TREE_E_MISSING);
        assert_int_equal(own_tree_open("", "none", &refusal, &fd, path), OWN_TREE_E_MISSING);
        assert_int_equal(own_tree_open("", "test-common", &refusal, &fd, path), 0);
        fd_close(fd);
        assert_int_equal(own_tree_open("tests/unit", "tests/unit/test-common", &refusal, &fd, path), 0);
        fd_close(fd);
        assert_int_equal(access(path, X_OK), 0);
}
