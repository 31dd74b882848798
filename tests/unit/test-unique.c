/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Unique symbols: two copies of a C++ module share their state as g++ and the loader have it, and no longer when they are
 * rebound. A file that is cut anywhere, or of random bytes, is refused or done, but never read beyond.
 */

#include "runner/unique.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/cleanup.h"

typedef int CountFunction(void);

static void *module = NULL;
static size_t n_module;
static const UniqueSide no_libraries;

static int read_module(void **state) {
        FILE *file = fopen(UNIQUE_MODULE, "rb");
        struct stat status;

        assert_non_null(file);
        assert_int_equal(fstat(fileno(file), &status), 0);
        n_module = status.st_size;
        module = malloc(n_module);
        assert_int_equal(fread(module, 1, n_module, file), n_module);
        fclose(file);
        return 0;
}

static int forget_module(void **state) {
        free(module);
        return 0;
}

static CountFunction *load(const void *image, size_t n) {
        int fd = memfd_create("module", 0);
        CountFunction *count;
        char path[32];
        void *handle;

        assert_int_equal(write(fd, image, n), n);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        assert_non_null(handle);
        count = (CountFunction *)dlsym(handle, "count");
        assert_non_null(count);
        return count; /* the descriptor stays open: a path of its own for each */
}

static void copies_that_were_rebound_have_states_of_their_own(void **state) {
        _cleanup_(freep) void *copy = malloc(n_module);
        CountFunction *first, *second;
        size_t n;

        memcpy(copy, module, n_module);
        assert_int_equal(unique_rebind(copy, n_module, &no_libraries, &n), 0);
        assert_true(n >= 2);
        first = load(copy, n_module);
        second = load(copy, n_module);
        assert_int_equal(first(), 1);
        assert_int_equal(first(), 3);
        assert_int_equal(second(), 1);
}

static void copies_as_they_are_share_one_state(void **state) {
        CountFunction *first = load(module, n_module), *second = load(module, n_module);
        int before = first();

        assert_int_equal(second(), before + 2);
}

static void what_is_rebound_once_has_nothing_left_to_rebind(void **state) {
        _cleanup_(freep) void *copy = malloc(n_module);
        size_t n;

        memcpy(copy, module, n_module);
        assert_int_equal(unique_rebind(copy, n_module, &no_libraries, &n), 0);
        assert_int_equal(unique_rebind(copy, n_module, &no_libraries, &n), 0);
        assert_int_equal(n, 0);
}

/* The loader takes a library of that SONAME that is loaded for one that is needed by that name. */
static void a_copy_without_its_soname_answers_to_it_no_more(void **state) {
        _cleanup_(freep) void *copy = malloc(n_module);

        memcpy(copy, module, n_module);
        assert_int_equal(unique_unname(copy, n_module), 0);
        load(copy, n_module);
        assert_null(dlopen("unique-module.so", RTLD_NOW | RTLD_NOLOAD));
        load(module, n_module);
        assert_non_null(dlopen("unique-module.so", RTLD_NOW | RTLD_NOLOAD));
}

static void a_file_cut_anywhere_is_never_read_beyond(void **state) {
        size_t n;

        for (size_t length = 0; length < n_module; length += 7) {
                _cleanup_(freep) void *copy = malloc(length ? length : 1);

                memcpy(copy, module, length);
                (void)unique_rebind(copy, length, &no_libraries, &n);
                (void)unique_unname(copy, length);
        }
        assert_int_equal(unique_rebind(module, 0, &no_libraries, &n), UNIQUE_E_INVALID);
        assert_int_equal(unique_rebind(module, 64, &no_libraries, &n), UNIQUE_E_INVALID);
}

static void a_file_with_random_bytes_in_it_is_never_read_beyond(void **state) {
        unsigned seed = time(NULL);
        size_t n;

        print_message("seed %u\n", seed);
        for (unsigned i = 0; i < 2000; i++) {
                _cleanup_(freep) uint8_t *copy = malloc(n_module);

                memcpy(copy, module, n_module);
                for (unsigned k = 0; k < 20; k++)
                        copy[rand_r(&seed) % (i % 2 ? n_module : 1024)] = rand_r(&seed);
                (void)unique_rebind(copy, n_module, &no_libraries, &n);
                (void)unique_unname(copy, n_module);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_copy_without_its_soname_answers_to_it_no_more),
                cmocka_unit_test(copies_that_were_rebound_have_states_of_their_own),
                cmocka_unit_test(copies_as_they_are_share_one_state),
                cmocka_unit_test(what_is_rebound_once_has_nothing_left_to_rebind),
                cmocka_unit_test(a_file_cut_anywhere_is_never_read_beyond),
                cmocka_unit_test(a_file_with_random_bytes_in_it_is_never_read_beyond),
        };

        return cmocka_run_group_tests(tests, read_module, forget_module);
}
