/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The second start: the order of what is preloaded, and an environment that is the user's own once the loader has had its part. */

#include "runner/load/start.h"

#include "test.h"

static char *const own_environment[] = { (char *)"PATH=/bin", (char *)"LANG=C.UTF-8", NULL };

static size_t count(char *const *variables) {
        size_t n = 0;

        while (variables[n])
                n++;
        return n;
}

/* The loader takes the last of a name. */
static const char *last_value(char *const *variables, const char *name) {
        const char *found = NULL;

        for (size_t i = 0; variables[i]; i++)
                if (strncmp(variables[i], name, strlen(name)) == 0 && variables[i][strlen(name)] == '=')
                        found = variables[i] + strlen(name) + 1;
        return found;
}

/* This program, whose needs are cmocka and libc. */
static int own_file(void) {
        int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

        assert_true(fd >= 0);
        return fd;
}

TEST(the_module_comes_first_then_the_user_s_then_its_needs) {
        const StartLibrary libraries[] = { { .needed = "libcmocka.so.0", .path = "/run/libcmocka.so.0" } };
        const char *assignments[] = { "LD_PRELOAD=/usr/lib/mine.so" };
        const Start start = {
                .counting = "/proc/self/fd/42",
                .module_fd = own_file(),
                .module = "/run/bench.so",
                .directory = "/run",
                .libraries = libraries,
                .n_libraries = 1,
                .assignments = assignments,
                .n_assignments = 1,
        };
        char **variables = start_environment(&start, own_environment);
        const char *preload = last_value(variables, "LD_PRELOAD");

        assert_non_null(preload);
        assert_int_equal(strncmp(preload, "/proc/self/fd/42:/run/bench.so:/usr/lib/mine.so:",
                                         strlen("/proc/self/fd/42:/run/bench.so:/usr/lib/mine.so:")),
                        0);
        assert_non_null(strstr(preload, ":/run/libcmocka.so.0"));
        assert_non_null(strstr(preload, ":libc.so.6"));
        assert_string_equal(last_value(variables, "LD_LIBRARY_PATH"), "/run");
        close(start.module_fd);
}

TEST(what_is_preloaded_stands_behind_the_module_in_its_order_but_a_sanitizer_first) {
        const StartLibrary libraries[] = {
                { .needed = "libb.so", .path = "/run/libb.so", .preload = true },
                { .needed = "liba.so", .path = "/run/liba.so", .preload = true },
                { .needed = "libasan.so.8", .path = "/run/libasan.so.8", .preload = true },
                { .needed = "libplugin.so", .path = "/run/libplugin.so" },
        };
        const char *assignments[] = { "LD_PRELOAD=mine.so /usr/lib/gcc/libtsan.so" };
        const Start start = {
                .counting = "count.so",
                .module_fd = -1,
                .module = "/run/bench.so",
                .directory = "/run",
                .libraries = libraries,
                .n_libraries = N_ELEMENTS(libraries),
                .assignments = assignments,
                .n_assignments = 1,
        };
        char **variables = start_environment(&start, own_environment);

        assert_string_equal(last_value(variables, "LD_PRELOAD"),
                        "count.so:/run/libasan.so.8:/usr/lib/gcc/libtsan.so:/run/bench.so:/run/libb.so:/run/liba.so:mine.so");
}

TEST(a_path_with_what_parts_the_lists_is_none_that_can_stand_in_them) {
        assert_true(start_can_list("libasan.so.8"));
        assert_false(start_can_list("a b.so"));
        assert_false(start_can_list("a:b.so"));
        assert_false(start_can_list("$ORIGIN.so"));
        assert_false(start_can_list(""));
}

TEST(what_is_left_is_the_user_s_environment) {
        const char *assignments[] = { "LANG=de_DE.UTF-8", "LD_PRELOAD=mine.so", "LD_LIBRARY_PATH=/opt/lib", "NEW=1" };
        const Start start = {
                .module_fd = -1,
                .module = "/run/bench.so",
                .directory = "/run",
                .assignments = assignments,
                .n_assignments = N_ELEMENTS(assignments),
        };
        char **variables = start_environment(&start, own_environment);

        assert_string_equal(last_value(variables, "LD_PRELOAD"), "/run/bench.so:mine.so");
        assert_string_equal(last_value(variables, "LD_LIBRARY_PATH"), "/run:/opt/lib");
        assert_non_null(last_value(variables, "LD_BIND_NOW"));
        start_cut_environment(variables);
        assert_int_equal(count(variables), 5);
        assert_string_equal(variables[0], "PATH=/bin");
        assert_string_equal(variables[1], "LANG=de_DE.UTF-8");
        assert_string_equal(last_value(variables, "LD_PRELOAD"), "mine.so");
        assert_string_equal(last_value(variables, "LD_LIBRARY_PATH"), "/opt/lib");
        assert_string_equal(last_value(variables, "NEW"), "1");
        assert_null(last_value(variables, "LD_BIND_NOW"));
}

/* Two sides of a comparison have files of other names, and stacks at the same place. */
TEST(names_of_any_length_take_whole_pages_of_the_stack) {
        for (size_t length = 1; length < 300; length += 7) {
                char name[512];
                const Start start = { .module_fd = -1, .module = name, .directory = "/run" };
                size_t n_bytes = 0, n_before = 2;
                char **variables;

                memset(name, 'x', length);
                name[length] = '\0';
                variables = start_environment(&start, own_environment);
                for (size_t i = n_before; variables[i]; i++)
                        n_bytes += strlen(variables[i]);
                assert_int_equal((n_bytes + length) % 4096, 0);
        }
}
