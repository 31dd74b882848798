/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Descriptors: what is called sealed can no longer be changed by anyone, and what is not a sealed memfd is told apart.
 */

#include "util/fd.h"

#include "test.h"

static bool is_open(int fd) {
        return fcntl(fd, F_GETFD) >= 0;
}

static bool is_cloexec(int fd) {
        return fcntl(fd, F_GETFD) & FD_CLOEXEC;
}

TEST(closing_gives_minus_one_and_takes_minus_one) {
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        int number = fd;

        fd = fd_close(fd);
        assert_int_equal(fd, -1);
        assert_false(is_open(number));
        assert_int_equal(fd_close(-1), -1);
}

TEST(what_is_taken_outlives_its_scope) {
        int taken, left;

        {
                _cleanup_(fd_closep) int inner = open("/dev/null", O_RDONLY | O_CLOEXEC);
                _cleanup_(fd_closep) int other = open("/dev/null", O_RDONLY | O_CLOEXEC);

                left = other;
                taken = fd_take(&inner);
                assert_int_equal(inner, -1);
        }
        assert_true(is_open(taken));
        assert_false(is_open(left));
        fd_close(taken);
}

TEST(a_sealed_memfd_holds_its_bytes_for_good) {
        _cleanup_(fd_closep) int fd = -1;
        char back[16];
        size_t n, size;

        assert_int_equal(fd_memfd_sealed("test", "hello", 5, &fd), 0);
        assert_true(is_cloexec(fd));
        assert_int_equal(write(fd, "x", 1), -1);
        assert_int_equal(errno, EPERM);
        assert_int_equal(ftruncate(fd, 0), -1);
        assert_int_equal(ftruncate(fd, 100), -1);
        assert_ptr_equal(mmap(NULL, 5, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);

        assert_int_equal(fd_check_sealed(fd, 5, &size), 0);
        assert_int_equal(size, 5);
        assert_int_equal(fd_read_start(fd, back, sizeof back, &n), 0);
        assert_int_equal(n, 5);
        assert_memory_equal(back, "hello", 5);
        assert_int_equal(fd_read_at(fd, 3, back, sizeof back, &n), 0);
        assert_int_equal(n, 2);
        assert_memory_equal(back, "lo", 2);
}

TEST(a_sized_memfd_can_be_written_but_not_resized) {
        _cleanup_(fd_closep) int fd = -1;
        size_t size;
        char *map;

        assert_int_equal(fd_memfd_sized("test", 4096, &fd), 0);
        assert_true(is_cloexec(fd));
        map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_ptr_not_equal(map, MAP_FAILED);
        assert_int_equal(map[4095], 0);
        map[4095] = 1;
        assert_int_equal(ftruncate(fd, 0), -1);
        assert_int_equal(ftruncate(fd, 8192), -1);
        assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
        assert_int_equal(fd_check_sealed(fd, 4096, &size), FD_E_UNSEALED);
        munmap(map, 4096);
}

/* Each seal but one: a descriptor that somebody can still change in one way. */
TEST(one_missing_seal_is_enough_to_refuse) {
        static const int seals[] = { F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE };

        for (size_t missing = 0; missing < N_ELEMENTS(seals); missing++) {
                _cleanup_(fd_closep) int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
                size_t size = 77;
                int most = 0;

                for (size_t i = 0; i < N_ELEMENTS(seals); i++)
                        most |= i == missing ? 0 : seals[i];
                assert_int_equal(write(fd, "x", 1), 1);
                assert_int_equal(fcntl(fd, F_ADD_SEALS, most), 0);
                assert_int_equal(fd_check_sealed(fd, 10, &size), FD_E_UNSEALED);
                assert_int_equal(size, 77);
        }
}

TEST(what_is_no_memfd_is_told_apart) {
        _cleanup_(fd_closep) int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        _cleanup_(fd_closep) int path_only = open("/proc/self/exe", O_PATH | O_CLOEXEC);
        int pipes[2], sockets[2];
        size_t size;

        assert_int_equal(fd_check_sealed(file, 1 << 30, &size), FD_E_NOT_MEMFD);
        assert_int_equal(pipe(pipes), 0);
        assert_int_equal(fd_check_sealed(pipes[0], 1 << 30, &size), FD_E_NOT_MEMFD);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
        assert_int_equal(fd_check_sealed(sockets[0], 1 << 30, &size), FD_E_NOT_MEMFD);
        assert_int_equal(fd_check_sealed(path_only, 1 << 30, &size), FD_E_NOT_MEMFD);
        for (size_t i = 0; i < 2; i++) {
                fd_close(pipes[i]);
                fd_close(sockets[i]);
        }
}

TEST(a_memfd_may_be_neither_empty_nor_too_large) {
        _cleanup_(fd_closep) int empty = -1, six = -1;
        size_t size;

        assert_int_equal(fd_memfd_sealed("test", "", 0, &empty), 0);
        assert_int_equal(fd_check_sealed(empty, 10, &size), FD_E_EMPTY);
        assert_int_equal(fd_memfd_sealed("test", "sixsix", 6, &six), 0);
        assert_int_equal(fd_check_sealed(six, 5, &size), FD_E_TOO_LARGE);
        assert_int_equal(fd_check_sealed(six, 6, &size), 0);
}

/* Memory behind the end, or in front of it where nothing was written. */
static int memfd_with(off_t size, off_t begin, off_t n_memory) {
        const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

        assert_true(fd >= 0);
        assert_int_equal(ftruncate(fd, size), 0);
        assert_int_equal(n_memory > 0 ? fallocate(fd, FALLOC_FL_KEEP_SIZE, begin, n_memory) : 0, 0);
        assert_int_equal(fd_seal(fd), 0);
        return fd;
}

TEST(memory_behind_the_end_counts_whatever_the_size) {
        static const struct {
                off_t size, begin, n_memory;
                int r;
        } rows[] = {
                { 6, 0, 8 << 20, FD_E_TOO_LARGE },
                { 6, 16 << 20, 8 << 20, FD_E_TOO_LARGE },
                { 6, (off_t)1 << 60, 8 << 20, FD_E_TOO_LARGE },
                { 0, 0, 8 << 20, FD_E_TOO_LARGE },
                { 1 << 20, 1 << 20, 4 << 20, FD_E_TOO_LARGE },
                { INT64_MAX, 0, 0, FD_E_TOO_LARGE },
                { 6, 0, 4096, 0 },
                { 16 << 20, 0, 16 << 20, 0 },
                { 16 << 20, 0, 0, 0 },
        };
        size_t size;

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const int fd = memfd_with(rows[i].size, rows[i].begin, rows[i].n_memory);

                assert_int_equal(fd_check_sealed(fd, 16 << 20, &size), rows[i].r);
                assert_int_not_equal(fallocate(fd, FALLOC_FL_KEEP_SIZE, rows[i].size, 8 << 20), 0);
                assert_int_equal(fd_check_sealed(fd, 16 << 20, &size), rows[i].r);
                fd_close(fd);
        }
}

static int taken_fd = -1;

static void take(void *userdata, int fd) {
        assert_ptr_equal(userdata, &taken_fd);
        taken_fd = fd;
}

TEST(a_closer_gets_what_was_received_and_nothing_else) {
        int pipes[2];

        assert_int_equal(pipe(pipes), 0);
        fd_set_closer(take, &taken_fd);
        assert_int_equal(fd_close_received(pipes[0]), -1);
        assert_int_equal(taken_fd, pipes[0]);
        assert_int_equal(fd_close_received(-1), -1);
        fd_close(pipes[1]);
        assert_int_equal(taken_fd, pipes[0]);
        assert_int_not_equal(fcntl(pipes[0], F_GETFD), -1);
        fd_set_closer(NULL, NULL);
        assert_int_equal(fd_close_received(pipes[0]), -1);
        assert_int_equal(fcntl(pipes[0], F_GETFD), -1);
}

TEST(reading_the_start_moves_nothing_and_stops_at_n) {
        _cleanup_(fd_closep) int fd = -1;
        char back[4] = "....";
        size_t n;

        assert_int_equal(fd_memfd_sealed("test", "abcdef", 6, &fd), 0);
        assert_int_equal(lseek(fd, 4, SEEK_SET), 4);
        assert_int_equal(fd_read_start(fd, back, 3, &n), 0);
        assert_int_equal(n, 3);
        assert_memory_equal(back, "abc.", 4);
        assert_int_equal(lseek(fd, 0, SEEK_CUR), 4);
}

#define SPARSE_BYTES (64u << 10)

TEST(a_file_with_holes_is_read_as_it_is_and_its_holes_are_not_touched) {
        static const off_t written[] = { 0, 5000, 3 * 4096 - 1, SPARSE_BYTES - 3 };
        static unsigned char plain[SPARSE_BYTES], sparse[SPARSE_BYTES + 4096];
        _cleanup_(fd_closep) int fd = -1;
        size_t n;

        assert_int_equal(fd_memfd_sized("test", SPARSE_BYTES, &fd), 0);
        assert_int_equal(fd_read_sparse(fd, sparse, sizeof sparse, &n), 0);
        assert_int_equal(n, SPARSE_BYTES);
        assert_memory_equal(sparse, plain, SPARSE_BYTES);
        for (size_t i = 0; i < N_ELEMENTS(written); i++)
                assert_int_equal(pwrite(fd, "abc", 3, written[i]), 3);
        assert_int_equal(fd_read_start(fd, plain, sizeof plain, &n), 0);
        assert_int_equal(fd_read_sparse(fd, sparse, sizeof sparse, &n), 0);
        assert_int_equal(n, SPARSE_BYTES);
        assert_memory_equal(sparse, plain, SPARSE_BYTES);

        memset(sparse, 'x', sizeof sparse);
        assert_int_equal(fd_read_sparse(fd, sparse, 5001, &n), 0);
        assert_int_equal(n, 5001);
        assert_int_equal(sparse[5000], 'a');
        assert_int_equal(sparse[5001], 'x');
        assert_int_equal(sparse[4095], 0);

        memset(sparse, 'x', sizeof sparse);
        assert_int_equal(fd_read_sparse(fd, sparse, sizeof sparse, &n), 0);
        assert_int_equal(sparse[5 * 4096], 'x');
}

TEST(nonblocking_is_set_and_cleared_alone) {
        int pipes[2];
        int before;

        assert_int_equal(pipe(pipes), 0);
        before = fcntl(pipes[0], F_GETFL);
        assert_int_equal(fd_set_nonblock(pipes[0], true), 0);
        assert_int_equal(fcntl(pipes[0], F_GETFL), before | O_NONBLOCK);
        assert_int_equal(fd_set_nonblock(pipes[0], false), 0);
        assert_int_equal(fcntl(pipes[0], F_GETFL), before);
        fd_close(pipes[0]);
        fd_close(pipes[1]);
        assert_int_equal(fd_set_nonblock(-1, true), -EBADF);
}

static void file_write(const char *path, const void *data, size_t n) {
        FILE *file = fopen(path, "we");

        assert_non_null(file);
        assert_int_equal(fwrite(data, 1, n, file), n);
        assert_int_equal(fclose(file), 0);
}

TEST(a_file_becomes_a_sealed_memfd) {
        char path[] = "/tmp/test-fd-XXXXXX";
        _cleanup_(fd_closep) int file = mkostemp(path, O_CLOEXEC), fd = -1;
        char back[8];
        size_t n, size;

        assert_true(file >= 0);
        assert_int_equal(fd_memfd_from_path(path, 8, &fd), FD_E_EMPTY);
        file_write(path, "12345678", 8);
        assert_int_equal(fd_memfd_from_path(path, 7, &fd), FD_E_TOO_LARGE);
        assert_int_equal(fd, -1);
        assert_int_equal(fd_memfd_from_path(path, 8, &fd), 0);
        assert_int_equal(fd_check_sealed(fd, 8, &size), 0);
        assert_int_equal(fd_read_start(fd, back, sizeof back, &n), 0);
        assert_memory_equal(back, "12345678", 8);

        unlink(path);
        fd = fd_close(fd);
        assert_int_equal(fd_memfd_from_path(path, 8, &fd), -ENOENT);
}

static void pipe_open(const void *data, size_t n, int ret_fds[static 2]) {
        assert_int_equal(pipe2(ret_fds, O_CLOEXEC | O_NONBLOCK), 0);
        assert_int_equal(write(ret_fds[1], data, n), n);
}

TEST(a_pipe_becomes_a_sealed_memfd_at_its_end) {
        const size_t sizes[] = { 0, 1, 7, 8, 9 };

        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                const int expected = sizes[i] == 0 ? FD_E_EMPTY : sizes[i] > 8 ? FD_E_TOO_LARGE : 0;
                int fds[2], fd = -1;
                char back[9];
                size_t n, size;

                pipe_open("123456789", sizes[i], fds);
                fds[1] = fd_close(fds[1]);
                assert_int_equal(fd_memfd_from_pipe(fds[0], -1, 8, &fd), expected);
                if (expected == 0) {
                        assert_int_equal(fd_check_sealed(fd, 8, &size), 0);
                        assert_int_equal(size, sizes[i]);
                        assert_int_equal(fd_read_start(fd, back, sizeof back, &n), 0);
                        assert_memory_equal(back, "123456789", sizes[i]);
                } else {
                        assert_int_equal(fd, -1);
                }
                fd_close(fd);
                fd_close(fds[0]);
        }
}

TEST(a_pipe_whose_end_does_not_come_can_be_left) {
        int fds[2], stop[2], fd = -1;

        pipe_open("1234", 4, fds);
        pipe_open("", 1, stop);
        assert_int_equal(fd_memfd_from_pipe(fds[0], stop[0], 8, &fd), FD_E_STOPPED);
        assert_int_equal(fd, -1);
        for (size_t i = 0; i < 2; i++) {
                fd_close(fds[i]);
                fd_close(stop[i]);
        }
}

TEST(directories_and_fifos_are_no_files) {
        char directory[] = "/tmp/test-fd-XXXXXX";
        char path[sizeof directory + 8];
        int fd = -1;

        assert_non_null(mkdtemp(directory));
        snprintf(path, sizeof path, "%s/fifo", directory);
        assert_int_equal(mkfifo(path, 0600), 0);
        assert_int_equal(fd_memfd_from_path(directory, 100, &fd), -EISDIR);
        assert_int_equal(fd_memfd_from_path(path, 100, &fd), -EINVAL);
        assert_int_equal(fd, -1);
        unlink(path);
        rmdir(directory);
}
