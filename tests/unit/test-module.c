/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modules and what they need: the libraries come with them, each after those that it needs itself, and what cannot be
 * sent is named. The files are the smallest ELF files that ask for anything, made here.
 */

#include "lib/module.h"

#include <elf.h>

#include "benchd/client.h"
#include "test.h"

#define STRINGS_MAX 1024u
#define NEEDED_MAX  4u

typedef struct Library {
        const char *path; /* below the test's directory */
        const char *soname;
        const char *needed[NEEDED_MAX];
        int64_t path_tag; /* DT_RPATH or DT_RUNPATH */
        const char *search;
} Library;

typedef struct Image {
        Elf64_Ehdr header;
        Elf64_Phdr segments[2];
        Elf64_Dyn dynamic[NEEDED_MAX + 5];
        char strings[STRINGS_MAX];
} Image;

static benchd_module *module;

static char directory[] = "/tmp/benchd-test-module-XXXXXX";

static const char *path_below(const char *path) {
        static char text[512];

        snprintf(text, sizeof text, "%s/%s", directory, path);
        return text;
}

static void image_add(Image *image, size_t *n, int64_t tag, const char *string) {
        static size_t n_strings;

        n_strings = *n == 0 ? 1 : n_strings;
        image->dynamic[(*n)++] = (Elf64_Dyn){ .d_tag = tag, .d_un.d_val = n_strings };
        strcpy(image->strings + n_strings, string);
        n_strings += strlen(string) + 1;
}

static Image image_new(const Library *library) {
        Image image = {
                .header.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                .header.e_type = ET_DYN,
                .header.e_machine = EM_X86_64,
                .header.e_phoff = offsetof(Image, segments),
                .header.e_phentsize = sizeof(Elf64_Phdr),
                .header.e_phnum = 2,
                .segments[0] = { .p_type = PT_LOAD, .p_filesz = sizeof image },
                .segments[1] = { .p_type = PT_DYNAMIC,
                                .p_offset = offsetof(Image, dynamic),
                                .p_filesz = sizeof image.dynamic },
        };
        size_t n = 0;

        image_add(&image, &n, DT_NEEDED, "libc.so.6");
        for (size_t i = 0; i < NEEDED_MAX && library->needed[i]; i++)
                image_add(&image, &n, DT_NEEDED, library->needed[i]);
        if (library->soname)
                image_add(&image, &n, DT_SONAME, library->soname);
        if (library->search)
                image_add(&image, &n, library->path_tag, library->search);
        image.dynamic[n++] = (Elf64_Dyn){ DT_STRTAB, { offsetof(Image, strings) } };
        image.dynamic[n++] = (Elf64_Dyn){ DT_STRSZ, { STRINGS_MAX } };
        return image;
}

static void write_library(const Library *library) {
        Image image = image_new(library);
        FILE *file = fopen(path_below(library->path), "we");

        assert_non_null(file);
        assert_int_equal(fwrite(&image, sizeof image, 1, file), 1);
        assert_int_equal(fclose(file), 0);
}

/* ---- a module and libraries in "m", others in "m/lib" and "other" */

static const Library libraries[] = {
        { .path = "m/plain.so" },
        { .path = "m/one.so", .needed = { "liba.so" } },
        { .path = "m/liba.so", .soname = "liba.so", .needed = { "libb.so", "libc1.so" } },
        { .path = "m/libb.so", .soname = "libb.so", .needed = { "libc1.so" } },
        { .path = "m/libc1.so", .soname = "libc1.so" },
        { .path = "m/circle.so", .needed = { "libx.so" } },
        { .path = "m/libx.so", .soname = "libx.so", .needed = { "liby.so" } },
        { .path = "m/liby.so", .soname = "liby.so", .needed = { "libx.so" } },
        { .path = "m/runpath.so", .needed = { "libdeep.so" }, .path_tag = DT_RUNPATH, .search = "$ORIGIN/lib" },
        { .path = "m/rpath.so", .needed = { "libdeep.so" }, .path_tag = DT_RPATH, .search = "${ORIGIN}/lib" },
        { .path = "m/lib/libdeep.so", .soname = "libdeep.so", .needed = { "libdeeper.so" } },
        { .path = "m/lib/libdeeper.so", .soname = "libdeeper.so" },
        { .path = "m/lost.so", .needed = { "libnowhere.so" } },
        { .path = "m/nameless.so", .needed = { "libanon.so" } },
        { .path = "m/libanon.so" },
        { .path = "m/twice.so", .needed = { "libother.so", "libsame.so.1" } },
        { .path = "m/libother.so", .soname = "libother.so", .needed = { "libsame.so" } },
        { .path = "m/libsame.so", .soname = "libsame.so.1" },
        { .path = "m/later.so", .needed = { "libuser.so", "libused.so" } },
        { .path = "m/libuser.so", .soname = "libuser.so", .needed = { "libc.so.6" } },
        { .path = "m/libused.so", .soname = "libc.so.6" },
        { .path = "m/two-names.so", .needed = { "libanon.so", "libalso.so" } },
        { .path = "other/with.so", .soname = "libnowhere.so" },
};

static int make_files(void **state) {
        char also[512];

        unsetenv("LD_LIBRARY_PATH");
        if (!mkdtemp(directory) || mkdir(path_below("m"), 0755) < 0 || mkdir(path_below("m/lib"), 0755) < 0 ||
                        mkdir(path_below("other"), 0755) < 0)
                return -1;
        for (size_t i = 0; i < N_ELEMENTS(libraries); i++)
                write_library(&libraries[i]);
        snprintf(also, sizeof also, "%s", path_below("m/libalso.so"));
        return link(path_below("m/libanon.so"), also);
}

static int remove_files(void **state) {
        for (size_t i = 0; i < N_ELEMENTS(libraries); i++)
                unlink(path_below(libraries[i].path));
        for (unsigned i = 0; i <= MODULE_LIBRARIES_MAX + 1; i++) {
                char name[64];

                snprintf(name, sizeof name, "m/libn%u.so", i);
                unlink(path_below(name));
        }
        unlink(path_below("m/libalso.so"));
        rmdir(path_below("m/lib"));
        rmdir(path_below("m"));
        rmdir(path_below("other"));
        return rmdir(directory);
}

static int tear_down(void **state) {
        benchd_module_free(take_pointer(module));
        return 0;
}

static int set_up(void **state) {
        tear_down(NULL);
        return benchd_module_new(&module);
}

TEST_EACH(set_up, tear_down)

static int open_module(const char *path) {
        return benchd_module_open(module, path_below(path));
}

/* Opens @path and checks the libraries that come with it, in order, up to NULL. */
static void assert_libraries(const char *path, const char *const *names) {
        size_t n = 0;

        set_up(NULL);
        assert_int_equal(open_module(path), 0);
        for (; names[n]; n++)
                assert_true(n < module->n_libraries && strcmp(module->libraries[n].name, names[n]) == 0);
        assert_int_equal(module->n_libraries, n);
}

TEST(a_module_brings_the_libraries_that_it_needs_in_their_order) {
        static const struct {
                const char *why, *path, *names[4];
        } rows[] = {
                { "it needs the system alone", "m/plain.so", {} },
                { "each after those that it needs, and once", "m/one.so", { "libc1.so", "libb.so", "liba.so" } },
                { "they need each other", "m/circle.so", { "libx.so", "liby.so" } },
                { "one without a soname", "m/nameless.so", { "libanon.so" } },
                { "one that is found by its soname", "m/twice.so", { "libsame.so", "libother.so" } },
                { "one that only another brings", "m/later.so",
                                { "libused.so", "libuser.so" } }, /* The search of libuser ends at the system's library of that name. */
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                print_message("%s\n", rows[i].why);
                assert_libraries(rows[i].path, rows[i].names);
        }
}

/* libdeep asks for libdeeper without a path of its own: DT_RPATH is handed down to it, DT_RUNPATH is not. */
TEST(rpath_holds_for_the_needs_of_needs_and_runpath_does_not) {
        assert_libraries("m/rpath.so", (const char *const[]){ "libdeeper.so", "libdeep.so", NULL });
        set_up(NULL);
        assert_int_equal(open_module("m/runpath.so"), BENCHD_E_LIBRARY);
        assert_string_equal(benchd_module_missing(module), "libdeeper.so");
}

TEST(what_is_sent_is_sealed_and_holds_the_file) {
        Image image, expected = image_new(&libraries[1]);
        size_t n;

        assert_int_equal(open_module("m/one.so"), 0);
        assert_non_null(strstr(module->file.name, "/m/one.so"));
        assert_int_equal(fd_check_sealed(module->file.fd, 1 << 20, &n), 0);
        assert_int_equal(n, sizeof image);
        assert_int_equal(fd_read_start(module->file.fd, &image, sizeof image, &n), 0);
        assert_memory_equal(&image, &expected, sizeof image);
        for (size_t i = 0; i < module->n_libraries; i++)
                assert_int_equal(fd_check_sealed(module->libraries[i].fd, 1 << 20, &n), 0);
}

TEST(what_is_missing_is_named) {
        assert_int_equal(open_module("m/lost.so"), BENCHD_E_LIBRARY);
        assert_string_equal(benchd_module_missing(module), "libnowhere.so");
}

TEST(a_file_of_two_names_is_one_library_and_cannot_have_both) {
        assert_int_equal(open_module("m/two-names.so"), BENCHD_E_SONAME);
        assert_string_equal(benchd_module_missing(module), "libalso.so");
}

TEST(a_library_that_was_named_twice_comes_once_and_takes_the_name_that_it_is_needed_by) {
        assert_int_equal(benchd_module_add_library(module, path_below("m/libalso.so")), 0);
        assert_int_equal(benchd_module_add_library(module, path_below("m/libanon.so")), 0);
        assert_string_equal(module->libraries[0].name, "libalso.so");
        assert_int_equal(open_module("m/nameless.so"), 0);
        assert_int_equal(module->n_libraries, 1);
        assert_string_equal(module->libraries[0].name, "libanon.so");
}

TEST(a_library_that_was_named_is_not_searched_for) {
        assert_int_equal(benchd_module_add_library(module, path_below("other/with.so")), 0);
        assert_int_equal(open_module("m/lost.so"), 0);
        assert_int_equal(module->n_libraries, 1);
        assert_string_equal(module->libraries[0].name, "libnowhere.so");
}

/* liba needs libb and libc1, which were preloaded after it. */
TEST(libraries_that_are_preloaded_come_first_in_the_order_of_the_calls) {
        static const char *const preloaded[] = { "m/liba.so", "m/libanon.so", "m/libc1.so", "m/liba.so" };
        static const char *const names[] = { "liba.so", "libanon.so", "libc1.so", "libb.so" };

        for (size_t i = 0; i < N_ELEMENTS(preloaded); i++)
                assert_int_equal(benchd_module_preload(module, path_below(preloaded[i])), 0);
        assert_int_equal(open_module("m/one.so"), 0);
        assert_int_equal(module->n_libraries, N_ELEMENTS(names));
        assert_int_equal(benchd_module_preloaded(module), 3);
        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                assert_string_equal(module->libraries[i].name, names[i]);
}

TEST(a_bare_name_is_preloaded_from_where_the_loader_looks) {
        assert_int_equal(setenv("LD_LIBRARY_PATH", path_below("m/lib"), 1), 0);
        assert_int_equal(benchd_module_preload(module, "libdeeper.so"), 0);
        unsetenv("LD_LIBRARY_PATH");
        assert_string_equal(strrchr(benchd_module_library(module, 0), '/'), "/libdeeper.so");
        assert_int_equal(benchd_module_preload(module, "libdeep.so"), BENCHD_E_LIBRARY);
        assert_string_equal(benchd_module_missing(module), "libdeep.so");
        assert_int_equal(benchd_module_preload(module, "./libdeep.so"), -ENOENT);
        assert_int_equal(benchd_module_preloaded(module), 1);
}

/* A chain of @n libraries: libn0 needs libn1 ... */
static void write_chain(unsigned n) {
        char path[NEEDED_MAX][64], name[64], next[64];

        for (unsigned i = 0; i < n; i++) {
                Library library = { .path = path[0], .soname = name, .needed = { i + 1 < n ? next : NULL } };

                snprintf(name, sizeof name, "libn%u.so", i);
                snprintf(next, sizeof next, "libn%u.so", i + 1);
                snprintf(path[0], sizeof path[0], "m/libn%u.so", i);
                write_library(&library);
        }
}

TEST(sixteen_libraries_come_and_seventeen_do_not) {
        write_chain(MODULE_LIBRARIES_MAX + 1);
        assert_int_equal(open_module("m/libn0.so"), 0);
        assert_int_equal(module->n_libraries, MODULE_LIBRARIES_MAX);
        assert_string_equal(module->libraries[0].name, "libn16.so");

        write_chain(MODULE_LIBRARIES_MAX + 2);
        set_up(NULL);
        assert_int_equal(open_module("m/libn0.so"), BENCHD_E_TOO_MANY);
}

TEST(what_is_no_elf_file_is_sent_as_it_is) {
        assert_int_equal(benchd_module_open(module, "/etc/passwd"), 0);
        assert_int_equal(module->n_libraries, 0);
        assert_true(module->file.size > 0);
        assert_string_equal(module->file.name, "/etc/passwd");
}

TEST(of_a_long_path_the_end_is_kept_and_no_character_is_cut) {
        char path[512] = "/etc/";

        while (strlen(path) < 300)
                strcat(path, "./");
        strcat(path, "passwd");
        assert_int_equal(benchd_module_open(module, path), 0);
        assert_int_equal(strlen(module->file.name), 255);
        assert_string_equal(module->file.name, path + strlen(path) - 255);

        for (size_t i = 0; i < 2; i++) { /* with a character of two bytes across the cut */
                _cleanup_(module_file_clear) ModuleFile file = { .fd = -1 };

                memset(path, 'x', sizeof path);
                path[i] = '\xc3', path[i + 1] = '\xa9', path[255 + 1] = '\0';
                assert_int_equal(module_file_name_after(&file, path), 0);
                assert_int_equal(strlen(file.name), i == 0 ? 254 : 255);
        }
}

TEST(a_commit_is_one_word_and_a_long_subject_is_cut_between_characters) {
        char subject[400];

        assert_int_equal(benchd_module_set_commit(module, "", false, NULL, 0), BENCHD_E_BAD_OPTION);
        assert_int_equal(benchd_module_set_commit(module, "a b", false, NULL, 0), BENCHD_E_BAD_OPTION);
        memset(subject, '1', sizeof subject);
        subject[65] = '\0';
        assert_int_equal(benchd_module_set_commit(module, subject, false, NULL, 0), BENCHD_E_BAD_OPTION);
        assert_null(module->commit.id);
        memset(subject, 'x', sizeof subject);
        strcpy(subject + 254, "\xc3\xa4 and more");
        assert_int_equal(benchd_module_set_commit(module, "r1", true, subject, 7), 0);
        assert_string_equal(module->commit.id, "r1");
        assert_int_equal(strlen(module->commit.subject), 254);
        assert_true(module->commit.dirty);
        assert_int_equal(module->commit.committed_at_unix_ns, 7);
        assert_int_equal(benchd_module_set_commit(module, "r2", false, NULL, 0), 0);
        assert_null(module->commit.subject);
        assert_false(module->commit.has_committed_at_unix_ns);
}

TEST(what_is_no_file_or_empty_is_refused) {
        assert_true(benchd_module_open(module, "/no/such/module.so") < 0);
        assert_true(benchd_module_open(module, "/tmp") < 0);
        assert_true(benchd_module_open(module, "/dev/zero") < 0);
        assert_int_equal(benchd_module_open(module, "/dev/null") == 0, 0);
}

TEST_FILE(make_files, remove_files)
