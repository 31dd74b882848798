/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where a library is found, on a small machine made of empty files. */

#include "lib/library-search.h"

#include "test.h"

static char root[] = "/tmp/benchd-test-search-XXXXXX";

static const char *const directories[] = {
        "etc",
        "etc/ld.so.conf.d",
        "usr",
        "usr/lib",
        "usr/lib/x86_64-linux-gnu",
        "opt",
        "opt/fast",
        "here",
        "here/lib",
        "env",
};

typedef struct File {
        const char *path;
        const char *text;
} File;

static const File files[] = {
        { "etc/ld.so.conf", "# all of them\ninclude ld.so.conf.d/*.conf\ninclude nothing/*.conf\n" },
        { "etc/ld.so.conf.d/fast.conf", "\n/opt/fast # quick\n" },
        { "etc/ld.so.conf.d/loop.conf", "include /etc/ld.so.conf\n" },
        { "usr/lib/x86_64-linux-gnu/libz.so.1", "" },
        { "opt/fast/libfast.so", "" },
        { "here/libbeside.so", "" },
        { "here/lib/libmine.so", "" },
        { "here/lib/libz.so.1", "" },
        { "here/lib/libc.so.6", "" },
        { "env/libenv.so", "" },
        { "env/libmine.so", "" },
};

static const char *path_below(const char *path) {
        static char text[512];

        snprintf(text, sizeof text, "%s/%s", root, path);
        return text;
}

static int make_machine(void **state) {
        if (!mkdtemp(root))
                return -1;
        for (size_t i = 0; i < N_ELEMENTS(directories); i++)
                if (mkdir(path_below(directories[i]), 0755) < 0)
                        return -1;
        for (size_t i = 0; i < N_ELEMENTS(files); i++) {
                FILE *file = fopen(path_below(files[i].path), "we");

                if (!file || fputs(files[i].text, file) < 0 || fclose(file) != 0)
                        return -1;
        }
        return 0;
}

static int remove_machine(void **state) {
        for (size_t i = N_ELEMENTS(files); i-- > 0;)
                unlink(path_below(files[i].path));
        for (size_t i = N_ELEMENTS(directories); i-- > 0;)
                rmdir(path_below(directories[i]));
        return rmdir(root);
}

typedef struct Search {
        const char *environment;
        const char *rpath;
        const char *runpath;
} Search;

/* Looks for @name from the machine's "here", and checks the outcome, and the path below the machine's root. */
static void assert_found(const char *name, const Search *with, int outcome, const char *path) {
        _cleanup_(library_search_freep) LibrarySearch *search = NULL;
        _cleanup_(freep) char *here = strdup(path_below("here"));
        _cleanup_(freep) char *found = NULL;
        LibraryAsker asker = { .origin = here, .rpath = with->rpath, .runpath = with->runpath, .beside = here };

        assert_int_equal(library_search_new(root, with->environment, &search), 0);
        assert_int_equal(library_search_find(search, name, &asker, &found), outcome);
        if (path)
                assert_string_equal(found, path_below(path));
        else
                assert_null(found);
}

TEST(the_systems_are_not_sent) {
        Search none = {};

        assert_found("libz.so.1", &none, LIBRARY_SEARCH_E_SYSTEM, NULL);
}

/* The loader of a run would find it, and a run does not see it. */
TEST(a_library_of_ld_so_conf_beyond_the_system_s_directories_is_sent) {
        Search none = {};

        assert_found("libfast.so", &none, 0, "opt/fast/libfast.so");
}

TEST(what_lies_beside_the_module_is_found_and_what_lies_nowhere_is_missing) {
        Search none = {};

        assert_found("libbeside.so", &none, 0, "here/libbeside.so");
        assert_found("libnowhere.so", &none, LIBRARY_SEARCH_E_MISSING, NULL);
        assert_found("lib", &none, LIBRARY_SEARCH_E_MISSING, NULL); /* a directory */
}

TEST(the_order_is_rpath_environment_runpath_system) {
        _cleanup_(freep) char *lib = strdup(path_below("here/lib")), *env = strdup(path_below("env"));

        assert_found("libmine.so", &(Search){ .rpath = lib, .environment = env }, 0, "here/lib/libmine.so");
        assert_found("libmine.so", &(Search){ .runpath = lib, .environment = env }, 0, "env/libmine.so");
        assert_found("libenv.so", &(Search){ .runpath = lib, .environment = env }, 0, "env/libenv.so");
        assert_found("libz.so.1", &(Search){ .runpath = lib }, 0, "here/lib/libz.so.1");
}

TEST(lists_of_paths_are_tried_one_by_one) {
        _cleanup_(freep) char *paths = NULL;

        assert_true(asprintf(&paths, "/no/such:%s/env:%s/here/lib", root, root) > 0);
        assert_found("libmine.so", &(Search){ .runpath = paths }, 0, "env/libmine.so");
        assert_found("libz.so.1", &(Search){ .runpath = paths }, 0, "here/lib/libz.so.1");
}

TEST(a_path_into_the_systems_directories_is_the_systems) {
        _cleanup_(library_search_freep) LibrarySearch *search = NULL;
        LibraryAsker asker = { .origin = "/", .runpath = "/usr/lib/x86_64-linux-gnu" };
        char *found = NULL;

        assert_int_equal(library_search_new("", NULL, &search), 0);
        assert_int_equal(library_search_find(search, "libjansson.so.4", &asker, &found), LIBRARY_SEARCH_E_SYSTEM);
        assert_null(found);
}

TEST(the_c_library_is_never_sent) {
        _cleanup_(freep) char *lib = strdup(path_below("here/lib"));

        assert_found("libc.so.6", &(Search){ .rpath = lib, .environment = lib }, LIBRARY_SEARCH_E_SYSTEM, NULL);
}

TEST(a_name_with_a_slash_is_a_path) {
        _cleanup_(freep) char *path = strdup(path_below("here/lib/libmine.so"));
        Search none = {};

        assert_found(path, &none, 0, "here/lib/libmine.so");
        assert_found("./no/such.so", &none, LIBRARY_SEARCH_E_MISSING, NULL);
}

TEST(origin_is_the_askers_directory) {
        static const char *const cases[][2] = {
                { "$ORIGIN/lib", "/a/b/lib" },
                { "${ORIGIN}:/x:$ORIGIN/../y", "/a/b:/x:/a/b/../y" },
                { "/opt/$LIB", "/opt/$LIB" },
                { "", "" },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                _cleanup_(freep) char *expanded = NULL;

                assert_int_equal(library_paths_expand(cases[i][0], "/a/b", &expanded), 0);
                assert_string_equal(expanded, cases[i][1]);
        }
}

TEST(a_path_has_a_directory) {
        static const char *const cases[][2] = { { "/a/b.so", "/a" }, { "/b.so", "/" }, { "b.so", "." },
                { "a/b/", "a/b" } };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                _cleanup_(freep) char *directory = NULL;

                assert_int_equal(library_directory(cases[i][0], &directory), 0);
                assert_string_equal(directory, cases[i][1]);
        }
}

TEST(what_is_preloaded_is_found_in_the_system_s_directories_too) {
        _cleanup_(library_search_freep) LibrarySearch *search = NULL;
        char *path;

        assert_int_equal(library_search_new(root, path_below("env"), &search), 0);
        assert_int_equal(library_search_any(search, "libz.so.1", &path), 0);
        assert_string_equal(path, path_below("usr/lib/x86_64-linux-gnu/libz.so.1"));
        free(path);
        assert_int_equal(library_search_any(search, "libfast.so", &path), 0);
        assert_string_equal(path, path_below("opt/fast/libfast.so"));
        free(path);
        assert_int_equal(library_search_any(search, "libenv.so", &path), 0);
        assert_string_equal(path, path_below("env/libenv.so"));
        free(path);
        assert_int_equal(library_search_any(search, "libbeside.so", &path), LIBRARY_SEARCH_E_MISSING);
}

TEST_FILE(make_machine, remove_machine)
