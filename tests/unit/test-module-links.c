/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Several links of one module in one file. */

#include "util/module-links.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random.h"
#include "test.h"
#include "util/cleanup.h"
#include "util/fd.h"

#define BYTES_MAX 300u

static int file_of(const void *bytes, size_t n) {
        int fd;

        assert_int_equal(fd_memfd_new("test", &fd), 0);
        assert_int_equal(fd_write_all(fd, bytes, n), 0);
        return fd;
}

static void draw(gsl_rng *random, uint8_t *bytes, size_t n) {
        for (size_t i = 0; i < n; i++)
                bytes[i] = gsl_rng_uniform_int(random, 256);
}

TEST(each_link_comes_back_as_it_was_added) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (uint32_t n = 2; n <= MODULE_LINKS_MAX; n += 31) {
                uint8_t bytes[MODULE_LINKS_MAX][BYTES_MAX], read[BYTES_MAX];
                size_t sizes[MODULE_LINKS_MAX], n_read;
                _cleanup_(fd_closep) int file = -1;
                ModuleLinksDraft draft = {};

                for (uint32_t i = 0; i < n; i++) {
                        _cleanup_(fd_closep) int link = -1;

                        sizes[i] = 1 + gsl_rng_uniform_int(random, BYTES_MAX);
                        draw(random, bytes[i], sizes[i]);
                        link = file_of(bytes[i], sizes[i]);
                        if (i == 0)
                                file = fd_take(&link);
                        else
                                assert_int_equal(module_links_add(&draft, file, link), 0);
                }
                assert_int_equal(module_links_finish(&draft, file), 0);
                for (uint32_t i = 0; i < 2 * n; i++) {
                        _cleanup_(fd_closep) int copy = -1;
                        ModuleLink link;

                        assert_int_equal(module_links_find(file, i, &link), 0);
                        assert_int_equal(link.n_links, n);
                        assert_int_equal(link.n_bytes, sizes[i % n]);
                        assert_int_equal(module_links_extract(file, &link, &copy), 0);
                        assert_int_equal(fd_read_start(copy, read, sizeof read, &n_read), 0);
                        assert_int_equal(n_read, sizes[i % n]);
                        assert_memory_equal(read, bytes[i % n], n_read);
                }
                assert_int_equal(fd_read_start(file, read, sizes[0], &n_read), 0);
                assert_memory_equal(read, bytes[0], sizes[0]); /* the first is the file itself */
        }
}

TEST(an_ordinary_file_is_one_link) {
        for (size_t n = 1; n < 60; n++) {
                static const uint8_t zeros[60];
                _cleanup_(fd_closep) int file = file_of(zeros, n);
                ModuleLink link;

                assert_int_equal(module_links_find(file, 7, &link), 0);
                assert_int_equal(link.offset, 0);
                assert_int_equal(link.n_bytes, n);
                assert_int_equal(link.n_links, 1);
        }
}

TEST(a_changed_table_names_no_byte_outside_the_file) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        _cleanup_(fd_closep) int file = file_of("first", 5), second = file_of("second", 6);
        ModuleLinksDraft draft = {};
        struct stat status;
        size_t n_broken = 0;

        assert_int_equal(module_links_add(&draft, file, second), 0);
        assert_int_equal(module_links_finish(&draft, file), 0);
        assert_int_equal(fstat(file, &status), 0);
        for (int i = 0; i < 5000; i++) {
                const off_t at = gsl_rng_uniform_int(random, status.st_size);
                const uint8_t drawn = gsl_rng_uniform_int(random, 256);
                uint8_t was;
                ModuleLink link;
                int r;

                assert_int_equal(pread(file, &was, 1, at), 1);
                assert_int_equal(pwrite(file, &drawn, 1, at), 1);
                r = module_links_find(file, i, &link);
                n_broken += r == MODULE_LINKS_E_BROKEN;
                if (r == 0) {
                        assert_in_range(link.offset, 0, status.st_size);
                        assert_in_range(link.n_bytes, 1, status.st_size - link.offset);
                } else
                        assert_int_equal(r, MODULE_LINKS_E_BROKEN);
                assert_int_equal(pwrite(file, &was, 1, at), 1);
        }
        assert_true(n_broken > 0);
}
