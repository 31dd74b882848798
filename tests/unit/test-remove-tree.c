/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Removing a directory that somebody else filled: all of it goes, however deep or closed, and nothing that it points to.
 */

#include "util/remove-tree.h"

#include "directory.h"
#include "pair.h"

static char directory[] = "remove-tree-XXXXXX";

static int set_up(void **state) {
        directory_make(directory);
        return 0;
}

static int tear_down(void **state) {
        return directory_remove(directory);
}

static void make_file(int fd, const char *name) {
        int file = openat(fd, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

        assert_true(file >= 0);
        close(file);
}

static int make_directory(int parent_fd, const char *name) {
        int fd;

        assert_int_equal(mkdirat(parent_fd, name, 0700), 0);
        fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(fd >= 0);
        return fd;
}

static int open_own(void) {
        int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        assert_true(fd >= 0);
        return fd;
}

static bool is_there(int fd, const char *name) {
        return faccessat(fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

TEST(files_and_directories_go_and_what_links_point_to_stays) {
        int own = open_own(), tree = make_directory(own, "tree"), inner = make_directory(tree, "inner");
        int kept = make_directory(own, "kept");

        make_file(tree, "file");
        make_file(inner, "file");
        make_file(kept, "file");
        assert_int_equal(symlinkat("../../kept", inner, "link"), 0);
        assert_int_equal(remove_tree(own, "tree"), 0);
        assert_false(is_there(own, "tree"));
        assert_true(is_there(kept, "file"));
        assert_int_equal(remove_tree(own, "kept"), 0);
        close(kept);
        close(inner);
        close(tree);
        close(own);
}

TEST(a_tree_deeper_than_there_are_descriptors_goes) {
        int own = open_own(), at = make_directory(own, "tree");
        size_t before;

        for (unsigned i = 0; i < 3000; i++) {
                int below = make_directory(at, "d");

                make_file(below, "f");
                close(at);
                at = below;
        }
        close(at);
        before = open_fds();
        assert_int_equal(remove_tree(own, "tree"), 0);
        assert_false(is_there(own, "tree"));
        assert_int_equal(open_fds(), before);
        close(own);
}

TEST(directories_that_are_closed_to_their_owner_go) {
        int own = open_own(), tree = make_directory(own, "tree"), inner = make_directory(tree, "inner");

        make_file(inner, "file");
        assert_int_equal(fchmod(inner, 0), 0);
        assert_int_equal(fchmod(tree, 0500), 0);
        assert_int_equal(remove_tree(own, "tree"), 0);
        assert_false(is_there(own, "tree"));
        close(inner);
        close(tree);
        close(own);
}

TEST(a_tree_that_is_missing_is_removed_and_a_file_is_not_a_tree) {
        int own = open_own();

        assert_int_equal(remove_tree(own, "nothing"), 0);
        make_file(own, "file");
        assert_int_equal(remove_tree(own, "file"), REMOVE_TREE_E_LEFT);
        assert_true(is_there(own, "file"));
        close(own);
}

TEST_FILE(set_up, tear_down)
