/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * One file of a module: called as its file is, or as it is told to be, with its bytes sealed; and what is no such file.
 */

#include "lib/module-file.h"

#include "benchd/client.h"
#include "test.h"

#define NAME_MAX_BYTES 255u

static const char bytes[] = "what the file holds";
static char path[] = "benchd-test-XXXXXX";

static int make_file(void **state) {
        int fd = mkstemp(path);

        if (fd < 0 || write(fd, bytes, sizeof bytes) != sizeof bytes)
                return -1;
        fd_close(fd);
        return 0;
}

static int remove_file(void **state) {
        return unlink(path);
}

TEST(it_is_called_as_its_file_and_sealed_with_its_bytes) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        _cleanup_(module_mapping_clear) ModuleMapping mapping = {};
        char beside[64];
        size_t size;

        snprintf(beside, sizeof beside, "./%s", path);
        assert_int_equal(module_file_read(beside, &file), 0);
        assert_string_equal(file.name, path);
        assert_int_equal(file.size, sizeof bytes);
        assert_int_equal(fd_check_sealed(file.fd, 1 << 20, &size), 0);
        assert_int_equal(module_file_map(&file, &mapping), 0);
        assert_int_equal(mapping.n_data, sizeof bytes);
        assert_memory_equal(mapping.data, bytes, sizeof bytes);
}

TEST(it_is_renamed_within_the_length_of_a_name) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        char name[2 * NAME_MAX_BYTES];

        assert_int_equal(module_file_read(path, &file), 0);
        assert_int_equal(module_file_rename(&file, "libme.so.3"), 0);
        assert_string_equal(file.name, "libme.so.3");
        memset(name, 'n', sizeof name - 1);
        name[sizeof name - 1] = 0;
        assert_int_equal(module_file_rename(&file, name), 0);
        assert_int_equal(strlen(file.name), NAME_MAX_BYTES);
}

TEST(what_is_no_file_with_bytes_is_refused) {
        char empty[] = "benchd-test-XXXXXX";
        ModuleFile file;
        int fd = mkstemp(empty);

        assert_true(fd >= 0);
        assert_int_equal(module_file_read(empty, &file), BENCHD_E_EMPTY);
        fd_close(fd);
        assert_int_equal(unlink(empty), 0);
        assert_true(module_file_read("/no/such/module.so", &file) < 0);
        assert_true(module_file_read("/tmp", &file) < 0);
        assert_true(module_file_read("/dev/zero", &file) < 0);
}

TEST(a_pipe_is_read_to_its_end_and_an_input_is_none) {
        _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };
        char piped[32];
        int fds[2];

        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        snprintf(piped, sizeof piped, "/proc/self/fd/%d", fds[0]);
        assert_int_equal(write(fds[1], bytes, sizeof bytes), sizeof bytes);
        assert_true(module_file_read_input(piped, &file) < 0);
        fd_close(fds[1]);
        assert_int_equal(module_file_read(piped, &file), 0);
        assert_int_equal(file.size, sizeof bytes);
        module_file_clear(&file);
        assert_int_equal(module_file_read(piped, &file), BENCHD_E_EMPTY);
        fd_close(fds[0]);
}

TEST_FILE(make_file, remove_file)
