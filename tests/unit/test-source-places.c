/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A path that a module names leads to no file but those below the places, whatever links, dots and kinds of files it goes through.
 */

#include "ctl/ask/source-places.h"

#include "directory.h"
#include "pair.h"

static char directory[] = "source-places-XXXXXX";
static char root[4096];
static size_t n_fds;

/* The build may lie in a work tree, so there is a nearer one. */
static const char *const files[] = { "in/file.c", "in/sub/file.c", "in/.hidden/file.c", "in/.file.c", "out/file.c",
        "above.c", ".above.c" };
static const char *const directories[] = { "in", "in/sub", "in/.hidden", "in/.git", "out", "inside" };

static SourcePlaces *places;

static int set_up(void **state) {
        n_fds = open_fds();
        directory_make(directory);
        assert_int_equal(chdir(directory), 0);
        assert_non_null(getcwd(root, sizeof root));
        for (size_t i = 0; i < N_ELEMENTS(directories); i++)
                assert_int_equal(mkdir(directories[i], 0755), 0);
        for (size_t i = 0; i < N_ELEMENTS(files); i++) {
                const int fd = open(files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

                assert_int_equal(write(fd, files[i], strlen(files[i])), strlen(files[i]));
                close(fd);
        }
        return 0;
}

static int tear_down(void **state) {
        places = source_places_free(places);
        assert_int_equal(system("rm -r in out inside above.c .above.c"), 0);
        assert_int_equal(chdir(".."), 0);
        assert_int_equal(open_fds(), n_fds);
        return directory_remove(directory);
}

TEST_EACH(set_up, tear_down)

/* Opens @path, relative to the test's directory, and checks that it is the file @expected; NULL: any. */
static int try_open(const char *path, const char *expected) {
        char whole[8192], text[64] = "";
        int fd = -1, r;

        snprintf(whole, sizeof whole, "%s%s%s", *path == '/' ? "" : root, *path == '/' ? "" : "/", path);
        r = source_places_open(places, whole, &fd);
        assert_int_equal(r == 0, fd >= 0);
        if (r == 0 && expected) {
                assert_true(read(fd, text, sizeof text - 1) > 0);
                assert_string_equal(text, expected);
        }
        fd_close(fd);
        return r;
}

/* Looks beside @path from now on. */
static void beside(const char *path, const char *home) {
        places = source_places_free(places);
        assert_int_equal(source_places_new(&places), 0);
        assert_int_equal(source_places_add_beside(places, path, home), 0);
}

TEST(files_beside_and_below_are_opened) {
        beside("in/module.so", NULL);
        assert_int_equal(try_open("in/file.c", "in/file.c"), 0);
        assert_int_equal(try_open("in/sub/file.c", "in/sub/file.c"), 0);
        assert_int_equal(try_open("in/sub/../file.c", "in/file.c"), 0);
        assert_int_equal(try_open("out/../in//./file.c", "in/file.c"), 0);
        assert_int_equal(try_open("in/none.c", NULL), SOURCE_PLACES_E_MISSING);
}

TEST(nothing_else_is) {
        static const char *const paths[] = { "out/file.c", "in/../out/file.c", "in/sub/../../out/file.c", "in/link.c",
                "in/linked/file.c", "in/sub/chain.c", "in/.hidden/file.c", "in/.file.c", "in/unhidden.c", "in/proc",
                "/etc/passwd", "/proc/self/environ", "/proc/self/fd/0", "/dev/tty", "/dev/zero", "/", "out/above.c",
                ".above.c" };
        beside("in/module.so", NULL);
        assert_int_equal(symlink("../out/file.c", "in/link.c"), 0);
        assert_int_equal(symlink("../out", "in/linked"), 0);
        assert_int_equal(symlink("../link.c", "in/sub/chain.c"), 0);
        assert_int_equal(symlink(".hidden/file.c", "in/unhidden.c"), 0);
        assert_int_equal(symlink("/proc/self/environ", "in/proc"), 0);
        assert_int_equal(symlink("../in/.file.c", "out/above.c"), 0);
        for (size_t i = 0; i < N_ELEMENTS(paths); i++)
                assert_int_equal(try_open(paths[i], NULL), SOURCE_PLACES_E_OUTSIDE);
}

/* As build/module.so of module.c; a directory that everybody writes to, as /tmp, and another user's, as /home, is left alone. */
TEST(files_directly_above_are_opened_if_it_is_the_same_owners_alone) {
        beside("in/module.so", NULL);
        assert_int_equal(try_open("above.c", "above.c"), 0);
        assert_int_equal(try_open("in/../above.c", "above.c"), 0);
        assert_int_equal(chmod(".", 01777), 0);
        beside("in/module.so", NULL);
        assert_int_equal(try_open("above.c", NULL), SOURCE_PLACES_E_OUTSIDE);
        assert_int_equal(chmod(".", 0755), 0);
        if (geteuid() != 0)
                return;
        assert_int_equal(chown("in", 65534, 65534), 0);
        beside("in/module.so", NULL);
        assert_int_equal(try_open("above.c", NULL), SOURCE_PLACES_E_OUTSIDE);
        assert_int_equal(chown("in", 0, 0), 0);
}

/* Opening a pipe would tell who writes to it; a device may do anything. */
TEST(what_is_no_regular_file_is_not_even_opened) {
        beside("in/module.so", NULL);
        assert_int_equal(mkfifo("in/pipe.c", 0644), 0);
        assert_int_equal(try_open("in/pipe.c", NULL), SOURCE_PLACES_E_MISSING);
        assert_int_equal(open("in/pipe.c", O_WRONLY | O_NONBLOCK | O_CLOEXEC), -1);
        assert_int_equal(errno, ENXIO);
        assert_int_equal(try_open("in/sub", NULL), SOURCE_PLACES_E_MISSING);
}

TEST(a_link_within_a_place_and_one_to_it_are_followed) {
        assert_int_equal(symlink("sub/file.c", "in/link.c"), 0);
        assert_int_equal(symlink("../in", "inside/way"), 0);
        beside("inside/way/module.so", NULL);
        assert_int_equal(try_open("in/link.c", "in/sub/file.c"), 0);
        assert_int_equal(try_open("inside/way/sub/file.c", "in/sub/file.c"), 0);
}

/* The module's name may be a link; it lies where the user found it. */
TEST(a_module_that_is_a_link_leads_nowhere) {
        assert_int_equal(symlink("../out/module.so", "in/module.so"), 0);
        beside("in/module.so", NULL);
        assert_int_equal(try_open("out/file.c", NULL), SOURCE_PLACES_E_OUTSIDE);
}

TEST(a_directory_that_is_named_has_hidden_files_too) {
        assert_int_equal(source_places_new(&places), 0);
        assert_int_equal(source_places_add_named(places, "none"), SOURCE_PLACES_E_MISSING);
        assert_int_equal(source_places_add_named(places, "in/file.c"), SOURCE_PLACES_E_MISSING);
        assert_int_equal(try_open("in/file.c", NULL), SOURCE_PLACES_E_OUTSIDE);
        assert_int_equal(source_places_add_named(places, "in"), 0);
        assert_int_equal(try_open("in/.hidden/file.c", "in/.hidden/file.c"), 0);
        assert_int_equal(try_open("out/file.c", NULL), SOURCE_PLACES_E_OUTSIDE);
        assert_int_equal(source_places_add_named(places, "/"), 0);
        assert_int_equal(try_open("out/file.c", "out/file.c"), 0);
}

TEST(public_are_files_that_everybody_may_read) {
        assert_int_equal(source_places_new(&places), 0);
        assert_int_equal(source_places_add_public(places, "none"), 0);
        assert_int_equal(source_places_add_public(places, "in"), 0);
        assert_int_equal(try_open("in/file.c", "in/file.c"), 0);
        assert_int_equal(chmod("in/file.c", 0640), 0);
        assert_int_equal(try_open("in/file.c", NULL), SOURCE_PLACES_E_MISSING);
}

TEST(a_work_tree_counts_as_a_whole_if_it_is_ones_own) {
        beside("in/sub/module.so", NULL);
        assert_int_equal(try_open("in/file.c", "in/file.c"), 0);
        assert_int_equal(try_open("in/.hidden/file.c", NULL), SOURCE_PLACES_E_OUTSIDE);
        assert_int_equal(try_open("out/file.c", NULL), SOURCE_PLACES_E_OUTSIDE);
        beside("in/module.so", "in");
        assert_int_equal(try_open("in/file.c", "in/file.c"), 0);
        assert_int_equal(try_open("in/sub/file.c", NULL), SOURCE_PLACES_E_OUTSIDE);
        beside("/module.so", NULL);
        assert_int_equal(try_open("/etc/passwd", NULL), SOURCE_PLACES_E_OUTSIDE);
        beside("in/sub/module.so", "in");
        assert_int_equal(try_open("in/file.c", NULL), SOURCE_PLACES_E_OUTSIDE);
        assert_int_equal(chmod("in", 0777), 0);
        beside("in/sub/module.so", NULL);
        assert_int_equal(try_open("in/file.c", NULL), SOURCE_PLACES_E_OUTSIDE);
}
