/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Instruments: told by symbols, by the objects in the process, and by variables of the environment; each has a word of its own.
 */

#include "runner/load/instrument.h"

#include "ops/block.h"
#include "test.h"

/* A symbol by which this test looks built for coverage. */
void __gcov_of_this_test(void);
__attribute__((used)) void __gcov_of_this_test(void) {
}

TEST(a_symbol_is_of_one_instrument_by_its_whole_name_or_its_beginning) {
        static const struct {
                const char *name;
                uint32_t instrument;
        } rows[] = {
                { "mcount", INSTRUMENT_PROFILING },
                { "mcount@GLIBC_2.2.5", INSTRUMENT_PROFILING },
                { "mcounted", 0 },
                { "account", 0 },
                { "__fentry__", INSTRUMENT_PROFILING },
                { "__cyg_profile_func_enter", INSTRUMENT_FUNCTION_HOOKS },
                { "__gcov_init", INSTRUMENT_COVERAGE },
                { "__llvm_profile_runtime", INSTRUMENT_COVERAGE },
                { "__asan_report_load4", INSTRUMENT_ADDRESS_SANITIZER },
                { "__asan_", 0 },
                { "__tsan_read4", INSTRUMENT_THREAD_SANITIZER },
                { "__msan_init", INSTRUMENT_MEMORY_SANITIZER },
                { "__ubsan_handle_add_overflow", INSTRUMENT_UNDEFINED_SANITIZER },
                { "my__ubsan_handle", 0 },
                { "main", 0 },
                { "", 0 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_int_equal(instrument_of_symbol(rows[i].name), rows[i].instrument);
}

TEST(a_file_is_searched_for_symbols_of_its_own) {
        SampleInstruments told = {};
        int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), none = open("/dev/null", O_RDONLY | O_CLOEXEC);

        assert_true(fd >= 0 && none >= 0);
        instrument_find_in_file(none, &told);
        assert_int_equal(told.present, 0);
        instrument_find_in_file(fd, &told);
        assert_int_equal(told.present, INSTRUMENT_COVERAGE);
        close(fd);
        close(none);
}

TEST(the_runner_has_libc_the_loader_and_nothing_else) {
        static const struct {
                const char *path;
                bool own;
        } rows[] = {
                { "", true },
                { "linux-vdso.so.1", true },
                { "/lib/x86_64-linux-gnu/libc.so.6", true },
                { "/lib64/ld-linux-x86-64.so.2", true },
                { "/usr/lib/libcmocka.so.0", false },
                { "/opt/ld/libfaketime.so.1", false },
                { "libc_malloc_debug.so.0", false },
        };
        SampleInstruments told = {};

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                assert_int_equal(instrument_is_own_object(rows[i].path), rows[i].own);
        instrument_find_preloaded(&told); /* which this test is not */
        assert_int_equal(told.present, INSTRUMENT_PRELOADED);
        assert_ptr_equal(strstr(told.preloaded, "lib"), told.preloaded);
}

TEST(variables_that_the_loader_obeys_are_found_unless_they_are_empty) {
        SampleInstruments told = {};

        setenv("LD_AUDIT", "", 1);
        instrument_find_variables(&told);
        assert_int_equal(told.present, 0);
        setenv("LD_PROFILE", "libc.so.6", 1);
        instrument_find_variables(&told);
        assert_int_equal(told.present, INSTRUMENT_LD_PROFILE);
}

TEST(each_instrument_has_a_word_of_its_own) {
        const char *words[INSTRUMENTS_MAX];

        assert_int_equal(sample_instrument_words(0, words), 0);
        assert_int_equal(sample_instrument_words(INSTRUMENT_TRACER | INSTRUMENT_VALGRIND, words), 2);
        assert_string_equal(words[0], "tracer");
        assert_string_equal(words[1], "valgrind");
        assert_int_equal(sample_instrument_words(_INSTRUMENTS, words), INSTRUMENTS_MAX);
        for (size_t i = 0; i < INSTRUMENTS_MAX; i++)
                for (size_t j = 0; j < i; j++)
                        assert_string_not_equal(words[i], words[j]);
}
