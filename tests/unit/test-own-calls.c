/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of libc are found by name and version as dlvsym() finds them; what the executable defines itself does not count. */

#include "runner/load/own-calls.h"

#include <dlfcn.h>
#include <link.h>

#include "test.h"

static const struct link_map *map_of(const char *name) {
        struct link_map *map = NULL;
        void *handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD);

        assert_non_null(handle);
        assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
        return map;
}

static const struct {
        const char *name;
        const char *version;
} functions[] = {
        { "getpid", "GLIBC_2.2.5" },
        { "write", "GLIBC_2.2.5" },
        { "pthread_create", "GLIBC_2.34" },
        { "memcpy", "GLIBC_2.14" }, /* with an older version beside it, and indirect */
        { "memcpy", "GLIBC_2.2.5" },
        { "strlen", "GLIBC_2.2.5" },
        { "sched_getaffinity", "GLIBC_2.3.4" },
};

TEST(a_function_is_found_as_the_loader_finds_it) {
        const struct link_map *libc = map_of("libc.so.6");
        void *handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

        for (size_t i = 0; i < N_ELEMENTS(functions); i++)
                assert_ptr_equal(own_calls_find(libc, functions[i].name, functions[i].version),
                                dlvsym(handle, functions[i].name, functions[i].version));
}

TEST(what_is_not_there_is_not_found) {
        const struct link_map *libc = map_of("libc.so.6");

        assert_null(own_calls_find(libc, "no_such_function", "GLIBC_2.2.5"));
        assert_null(own_calls_find(libc, "write", "GLIBC_2.99"));
        assert_null(own_calls_find(libc, "write", ""));
        assert_null(own_calls_find(libc, "environ", "GLIBC_2.2.5")); /* an object */
        assert_null(own_calls_find(libc, "", "GLIBC_2.2.5"));
}

/* Exported by this executable, and so in front of libc's for all who ask by name. */
__attribute__((visibility("default"))) int getpagesize(void) {
        return 1;
}

TEST(own_calls_go_to_libc_whoever_else_defines_them) {
        assert_int_equal(getpagesize(), 1);
        (void)own_calls_bind();
        assert_true(own_calls_find(map_of("libc.so.6"), "getpagesize", "GLIBC_2.2.5") != (void *)getpagesize);
        assert_int_equal(strlen("as before"), 9);
        assert_int_equal(own_calls_bind(), 0);
}
