/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A root directory reads and writes files below itself, so that a captured machine can stand in for a real one. */

#include "util/root-dir.h"

#include "test.h"

static char directory[] = "/tmp/test-root-dir-XXXXXX";

static void file_write(const char *name, const char *text) {
        _cleanup_(fd_closep) int at = open(directory, O_PATH | O_CLOEXEC);
        _cleanup_(fd_closep) int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static int directory_make(void **state) {
        char path[sizeof directory + 8];

        if (!mkdtemp(directory))
                return -1;
        snprintf(path, sizeof path, "%s/sys", directory);
        return mkdir(path, 0700);
}

static int directory_remove(void **state) {
        static const char *const names[] = { "sys/governor", "sys/empty", "sys/secret", "sys/policy10", "sys/policy2",
                "sys/policy", "sys/policy3x", "sys" };
        char path[sizeof directory + 32];

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                snprintf(path, sizeof path, "%s/%s", directory, names[i]);
                remove(path);
        }
        return rmdir(directory);
}

static RootDir *root; /* of the directory, unless a test opens another */
static char text[256];

static int set_up(void **state) {
        return root_dir_new(directory, &root);
}

static int tear_down(void **state) {
        root = root_dir_free(root);
        return 0;
}

TEST_EACH(set_up, tear_down)

TEST(a_file_is_read_below_the_root) {
        file_write("sys/governor", "performance\nsecond line\n");
        assert_int_equal(root_dir_read(root, "sys/governor", text, sizeof text), 0);
        assert_string_equal(text, "performance\nsecond line\n");
        assert_int_equal(root_dir_read_line(root, "sys/governor", text, sizeof text), 0);
        assert_string_equal(text, "performance");
}

TEST(a_short_buffer_holds_the_start_and_its_end) {
        strcpy(text, "xxxxx");
        file_write("sys/governor", "performance\n");
        assert_int_equal(root_dir_read(root, "sys/governor", text, 5), 0);
        assert_string_equal(text, "perf");
        assert_int_equal(root_dir_read_line(root, "sys/governor", text, 1), 0);
        assert_string_equal(text, "");
}

TEST(an_empty_file_is_empty_text) {
        strcpy(text, "xxxxx");
        file_write("sys/empty", "");
        assert_int_equal(root_dir_read_line(root, "sys/empty", text, sizeof text), 0);
        assert_string_equal(text, "");
}

TEST(what_the_machine_does_not_have_is_missing) {
        strcpy(text, "untouched");
        file_write("sys/governor", "performance\n");
        assert_int_equal(root_dir_read(root, "sys/nothing", text, sizeof text), ROOT_DIR_E_MISSING);
        assert_int_equal(root_dir_read_line(root, "sys/governor/below", text, sizeof text), ROOT_DIR_E_MISSING);
        assert_string_equal(text, "untouched");
}

/* The superuser is denied nothing, so it stops being that for the read. */
TEST(what_may_not_be_read_is_denied) {
        char path[sizeof directory + 32];
        uid_t before = geteuid();
        int r;

        file_write("sys/secret", "x");
        snprintf(path, sizeof path, "%s/sys/secret", directory);
        assert_int_equal(chmod(path, 0), 0);

        if (before == 0)
                assert_int_equal(seteuid(65534), 0);
        r = root_dir_read(root, "sys/secret", text, sizeof text);
        if (before == 0)
                assert_int_equal(seteuid(before), 0);
        assert_int_equal(r, ROOT_DIR_E_DENIED);
}

TEST(a_root_must_be_a_directory) {
        RootDir *none = NULL;

        assert_int_equal(root_dir_new("/proc/self/exe", &none), -ENOTDIR);
        assert_int_equal(root_dir_new("/nowhere/at/all", &none), -ENOENT);
        assert_null(none);
        assert_null(root_dir_free(NULL));
}

/* The real machine: /proc's files have no size, and are read all the same. */
TEST(a_file_of_proc_is_read) {
        root_dir_free(root);
        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(root_dir_read_line(root, "proc/self/comm", text, sizeof text), 0);
        assert_string_equal(text, "test-common");
}

TEST(a_value_is_written_below_the_root_in_place_of_the_old_one) {
        file_write("sys/governor", "performance\n");
        assert_int_equal(root_dir_write(root, "sys/governor", "slow"), 0);
        assert_int_equal(root_dir_read(root, "sys/governor", text, sizeof text), 0);
        assert_string_equal(text, "slow");
}

TEST(a_write_makes_no_file) {
        assert_int_equal(root_dir_write(root, "sys/nothing", "x"), ROOT_DIR_E_MISSING);
        assert_int_equal(root_dir_read(root, "sys/nothing", text, sizeof text), ROOT_DIR_E_MISSING);
}

/* The kernel itself: a filter must be a number, and nothing is mapped at address 0. */
TEST(what_the_kernel_does_not_take_or_give_is_refused) {
        root_dir_free(root);
        assert_int_equal(root_dir_new("/", &root), 0);
        assert_int_equal(root_dir_write(root, "proc/self/coredump_filter", "no number"), ROOT_DIR_E_REFUSED);
        assert_int_equal(root_dir_write(root, "proc/self/coredump_filter", "0x21"), 0);
        assert_int_equal(root_dir_read_line(root, "proc/self/coredump_filter", text, sizeof text), 0);
        assert_string_equal(text, "00000021");
        assert_int_equal(root_dir_read(root, "proc/self/mem", text, sizeof text), ROOT_DIR_E_REFUSED);
}

TEST(numbered_entries_are_found_in_rising_order) {
        unsigned numbers[4];
        size_t n;

        file_write("sys/policy10", "");
        file_write("sys/policy2", "");
        file_write("sys/policy", "");
        file_write("sys/policy3x", "");
        assert_int_equal(root_dir_numbers(root, "sys", "policy", numbers, N_ELEMENTS(numbers), &n), 0);
        assert_int_equal(n, 2);
        assert_int_equal(numbers[0], 2);
        assert_int_equal(numbers[1], 10);
        assert_int_equal(root_dir_numbers(root, "sys", "policy", numbers, 1, &n), 0);
        assert_int_equal(n, 1);
        assert_int_equal(root_dir_numbers(root, "sys/nothing", "", numbers, 4, &n), 0);
        assert_int_equal(n, 0);
}

TEST_FILE(directory_make, directory_remove)
