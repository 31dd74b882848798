/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An allocator of a file's own, told by its symbols; and files that are no ELF, or a broken one. */

#include "runner/load/own-malloc.h"

#include "test.h"
#include "tests/unit/test-paths.h"

#define N_BROKEN 3000u

static bool own_malloc_at(const char *path) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        bool own;

        assert_true(fd >= 0);
        own = own_malloc_in(fd);
        close(fd);
        return own;
}

/* A copy of the file at @path that can be written, and how long it is. */
static char *map_copy(const char *path, size_t *ret_n) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        struct stat status;
        char *bytes;

        assert_true(fd >= 0);
        assert_int_equal(fstat(fd, &status), 0);
        bytes = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        assert_true(bytes != MAP_FAILED);
        close(fd);
        *ret_n = status.st_size;
        return bytes;
}

static int file_of(const char *bytes, size_t n) {
        int fd = memfd_create("file", MFD_CLOEXEC);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, bytes, n), n);
        return fd;
}

TEST(who_defines_malloc_and_wants_none_has_its_own) {
        assert_true(own_malloc_at(BENCHD_COUNT_LIBRARY));
}

TEST(who_wants_malloc_has_none) {
        void *volatile wanted = malloc(1);

        free(wanted);
        assert_false(own_malloc_at("/proc/self/exe"));
}

TEST(what_is_no_whole_elf_file_has_none) {
        static const size_t lengths[] = { 0, 1, 63, 64, 4096 };
        size_t n;
        char *bytes = map_copy(BENCHD_COUNT_LIBRARY, &n);

        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                int fd = file_of(bytes, lengths[i]);

                assert_false(own_malloc_in(fd));
                close(fd);
        }
        munmap(bytes, n);
}

/* Half of them in the headers, which lie at both ends. */
TEST(a_broken_elf_file_is_read_to_no_harm) {
        size_t n;
        char *bytes = map_copy(BENCHD_COUNT_LIBRARY, &n);

        seed_random();
        for (unsigned round = 0; round < N_BROKEN; round++) {
                size_t at = round % 4 == 0   ? (size_t)random() % 64
                            : round % 4 == 1 ? n - 1 - (size_t)random() % 2048
                                             : (size_t)random() % n;
                char was = bytes[at];
                int fd;

                bytes[at] = (char)random();
                fd = file_of(bytes, n);
                (void)own_malloc_in(fd);
                close(fd);
                bytes[at] = was;
        }
        munmap(bytes, n);
}
