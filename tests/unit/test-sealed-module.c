/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Modules: only what nobody can change any more is taken, and it is known by its SHA-256. */

#include "front/history/sealed-module.h"

#include "test.h"

static ReplyError why;

static int sealed(const void *data, size_t n) {
        int fd;

        assert_int_equal(fd_memfd_sealed("x", data, n, &fd), 0);
        return fd;
}

/* Examples of FIPS 180-2: "abc", and a million times "a"; the second takes more than one slice with the third. */
TEST(hashes_are_those_of_the_standard) {
        _cleanup_(sealed_module_freep) SealedModule *module = NULL;
        const size_t n_million = 1000000, n_large = 3u << 20;
        char *million = malloc(n_million), *large = calloc(1, n_large);
        int fds[3], n_slices = 1, r;

        assert_true(million && large);
        memset(million, 'a', n_million);
        fds[0] = sealed("abc", 3);
        fds[1] = sealed(million, n_million);
        fds[2] = sealed(large, n_large);
        assert_int_equal(sealed_module_new(fds, 3, NULL, &module, &why), 0);
        assert_int_equal(fds[0], -1);
        while ((r = sealed_module_hash(module)) == SEALED_MODULE_E_MORE)
                n_slices++;
        assert_int_equal(r, 0);
        assert_int_equal(n_slices, 5);
        assert_string_equal(sealed_module_sha256(module, 0),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_string_equal(sealed_module_sha256(module, 1),
                        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        free(million);
        free(large);
}

TEST(what_could_still_change_is_refused_and_stays_the_callers) {
        SealedModule *module;
        int fds[2], pipes[2];

        fds[0] = sealed("abc", 3);
        fds[1] = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        assert_int_equal(write(fds[1], "abc", 3), 3);
        assert_int_equal(sealed_module_new(fds, 2, NULL, &module, &why), SEALED_MODULE_E_BAD);
        assert_string_equal(why.message,
                        "The descriptor of library 1 is not sealed against writing, shrinking, growing and further seals.");
        assert_true(fcntl(fds[0], F_GETFD) >= 0 && fcntl(fds[1], F_GETFD) >= 0);
        fd_close(fds[0]);
        fd_close(fds[1]);

        assert_int_equal(pipe(pipes), 0);
        assert_int_equal(sealed_inputs_new(pipes, 1, NULL, &module, &why), SEALED_MODULE_E_BAD);
        assert_string_equal(why.message, "The descriptor of input 1 is not a memfd.");
        assert_int_equal(sealed_module_new(pipes, 1, NULL, &module, &why), SEALED_MODULE_E_BAD);
        assert_string_equal(why.message, "The module's descriptor is not a memfd.");
        fds[0] = open("/", O_PATH);
        assert_int_equal(sealed_module_new(fds, 1, NULL, &module, &why), SEALED_MODULE_E_BAD);
        fd_close(fds[0]);
        fd_close(pipes[0]);
        fd_close(pipes[1]);
}

TEST(descriptors_are_closed_with_the_module) {
        SealedModule *module;
        int fd = sealed("abc", 3), number = fd;
        size_t n;

        assert_int_equal(sealed_module_new(&fd, 1, NULL, &module, &why), 0);
        assert_int_equal(sealed_module_fds(module, &n)[0], number);
        assert_int_equal(n, 1);
        assert_true(fcntl(number, F_GETFD) >= 0);
        sealed_module_close(module);
        assert_int_equal(fcntl(number, F_GETFD), -1);
        sealed_module_free(module);
}
