/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The place of an instruction: this program's own functions, static ones too, by its own file; and files that are no ELF.
 */

#include "runner/watch/crash-place.h"

#include <elf.h>

#include "test.h"

static __attribute__((noinline)) int a_static_function(volatile int *n) {
        return *n + 1;
}

static CrashFiles own_files(int fd) {
        return (CrashFiles){ .files = { { .loaded_fd = fd, .symbols_fd = fd, .is_module = true } }, .n = 1 };
}

TEST(a_static_function_is_named_with_the_offset) {
        _cleanup_(fd_closep) int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        const CrashFiles files = own_files(fd);
        volatile int one = 1;
        BlockCrashPlace place;

        assert_int_equal(a_static_function(&one), 2);
        for (uint64_t offset = 0; offset < 3; offset++) {
                crash_place_find(&files, (uintptr_t)a_static_function + offset, &place);
                assert_true(place.found);
                assert_string_equal(place.symbol, "a_static_function");
                assert_string_equal(place.file, "");
                assert_int_equal(place.offset, offset);
        }
}

TEST(a_file_that_was_not_sent_is_named) {
        const CrashFiles none = {};
        BlockCrashPlace place;

        crash_place_find(&none, (uintptr_t)a_static_function, &place);
        assert_true(place.found);
        assert_string_equal(place.symbol, "a_static_function");
        assert_string_equal(place.file, "test-runner");
        crash_place_find(&none, (uintptr_t)getppid, &place);
        assert_true(place.found);
        assert_string_equal(place.file, "libc.so.6");
}

TEST(nothing_is_found_where_nothing_is_mapped) {
        const CrashFiles none = {};
        BlockCrashPlace place;

        crash_place_find(&none, 0, &place);
        assert_false(place.found);
        crash_place_find(&none, UINT64_MAX, &place);
        assert_false(place.found);
        crash_place_find(&none, (uintptr_t)&place, &place); /* a stack is no file */
        assert_false(place.found);
}

TEST(code_of_the_module_is_told_from_other_code) {
        _cleanup_(fd_closep) int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        const CrashFiles files = own_files(fd), none = {};
        CrashCodes codes;

        crash_place_modules(&files, &codes);
        assert_true(crash_place_is_module(&codes, (uintptr_t)a_static_function));
        assert_false(crash_place_is_module(&codes, (uintptr_t)getppid));
        assert_false(crash_place_is_module(&codes, 0));
        crash_place_modules(&none, &codes);
        assert_int_equal(codes.n, 0);
}

/* The same file stands for a copy that is moved: its instruction two bytes on is the first of the original. */
TEST(a_moved_copy_has_the_symbols_of_its_original) {
        _cleanup_(fd_closep) int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        CrashFiles files = own_files(fd);
        BlockCrashPlace place;

        files.files[0].offset_bytes = 2;
        crash_place_find(&files, (uintptr_t)a_static_function + 2, &place);
        assert_string_equal(place.symbol, "a_static_function");
        assert_int_equal(place.offset, 0);
}

TEST(a_file_that_is_cut_or_no_elf_has_no_place) {
        char symbol[CRASH_SYMBOL_MAX], whole[1 << 16];
        _cleanup_(fd_closep) int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        uint64_t offset;
        size_t n;

        assert_int_equal(fd_read_start(own, whole, sizeof whole, &n), 0);
        for (size_t cut = 0; cut < n; cut += cut < 1024 ? 1 : 4096) {
                _cleanup_(fd_closep) int fd = memfd_create("cut", MFD_CLOEXEC);

                assert_int_equal(write(fd, whole, cut), cut);
                if (crash_place_symbol(fd, 0, symbol, &offset))
                        assert_string_equal(symbol, "");
                if (cut < sizeof(Elf64_Ehdr))
                        assert_false(crash_place_symbol(fd, 0, symbol, &offset));
        }
}
