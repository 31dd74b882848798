/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The behaviour of a module: each thing has its sentence; and threads run side by side by when each began and ended.
 */

#include "arena.h"
#include "front/samples/behaviour.h"
#include "ops/block.h"

static SampleBlock block;

static WarningList report(SampleConduct of) {
        WarningList warnings = {};
        Behaviour behaviour = {};

        block = (SampleBlock){ .n_samples = 20 };
        behaviour_add(&behaviour, &block);
        block.conduct = of;
        behaviour_add(&behaviour, &block);
        behaviour_report(&behaviour, arena, &warnings);
        return warnings;
}

TEST(a_module_that_does_its_work_only_has_no_warning) {
        assert_int_equal(report((SampleConduct){}).texts.n, 0);
}

TEST(each_thing_has_its_own_sentence_whichever_process_did_it) {
        static const struct {
                SampleConduct of;
                const char *words;
        } rows[] = {
                { { .changed = CONDUCT_AFFINITY }, "affinity" },
                { { .changed = CONDUCT_POLICY }, "scheduling policy" },
                { { .changed = CONDUCT_NICE }, "nice" },
                { { .others_permille = 500, .threads = CONDUCT_THREADS_WERE | CONDUCT_THREADS_CPU }, "ran for 25 %" },
                { { .threads = CONDUCT_THREADS_POOL | CONDUCT_THREADS_CPU }, "in one thread" },
                { { .threads = CONDUCT_THREADS_WERE }, "started threads" },
                { { .writing_samples = 5 }, "in 5 of 40 samples" },
                { { .tracer = SAMPLE_TRACER_ATTACHED }, "tracer was attached" },
                { { .blocking_samples = 20, .n_blocked = 21 }, "in 20 of 40 samples (21 times)" },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                WarningList warnings;

                warnings = report(rows[i].of);
                assert_int_equal(warnings.texts.n, 1);
                assert_non_null(strstr(warnings.texts.texts[0], rows[i].words));
        }
}

/* Tells whether @n processes that wrote @of, and one that knows nothing, have a warning, which then has @words. */
static bool says(const SampleBlock *of, unsigned n, const char *words) {
        WarningList warnings = {};
        Behaviour behaviour = {};
        bool found;

        for (unsigned i = 0; i < n; i++)
                behaviour_add(&behaviour, of);
        block = (SampleBlock){ .n_samples = 20 };
        behaviour_add(&behaviour, &block);
        behaviour_report(&behaviour, arena, &warnings);
        found = warnings.texts.n > 0;
        if (found)
                assert_non_null(strstr(warnings.texts.texts[0], words));
        return found;
}

TEST(an_instrument_in_one_process_is_named) {
        static const struct {
                SampleInstruments of;
                const char *words;
        } rows[] = {
                { { INSTRUMENT_PRELOADED, 0, "libfast.so" },
                                "libfast.so was preloaded into its process (/etc/ld.so.preload)" },
                { { .present = INSTRUMENT_LD_AUDIT }, "LD_AUDIT is set" },
                { { .present = INSTRUMENT_LD_PROFILE }, "LD_PROFILE is set" },
                { { .present = INSTRUMENT_PROFILING }, "without -pg" },
                { { .present = INSTRUMENT_FUNCTION_HOOKS }, "without -finstrument-functions" },
                { { .present = INSTRUMENT_COVERAGE }, "without --coverage" },
                { { .present = INSTRUMENT_ADDRESS_SANITIZER }, "AddressSanitizer" },
                { { .present = INSTRUMENT_THREAD_SANITIZER }, "ThreadSanitizer" },
                { { .present = INSTRUMENT_MEMORY_SANITIZER }, "MemorySanitizer" },
                { { .present = INSTRUMENT_UNDEFINED_SANITIZER }, "UndefinedBehaviorSanitizer" },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                static SampleBlock of;

                of = (SampleBlock){ .n_samples = 20, .instruments = rows[i].of };
                assert_true(says(&of, 1, rows[i].words));
        }
}

TEST(a_tracer_is_an_instrument_too) {
        Behaviour behaviour = {};

        block = (SampleBlock){ .n_samples = 1, .instruments = { .present = INSTRUMENT_COVERAGE } };
        behaviour_add(&behaviour, &block);
        assert_int_equal(behaviour_instruments(&behaviour), INSTRUMENT_COVERAGE);
        block = (SampleBlock){ .n_samples = 1, .conduct = { .tracer = SAMPLE_TRACER_ATTACHED } };
        behaviour_add(&behaviour, &block);
        assert_int_equal(behaviour_instruments(&behaviour), INSTRUMENT_COVERAGE | INSTRUMENT_TRACER);
}

/* Of 8 MiB; in most processes. */
TEST(memory_that_was_never_written_is_named_where_it_is_much_of_all) {
        static const struct {
                uint64_t unwritten_kib;
                unsigned n; /* processes, beside one that has none */
                const char *words;
        } rows[] = {
                { 8192, 2, "8192 KiB of the memory that it read was never written" }, { 1024, 2, "1024 KiB" },
                { 512, 2, NULL },  /* a small part */
                { 8192, 1, NULL }, /* in half of the processes */
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                static SampleBlock of;

                of = (SampleBlock){ .n_samples = 20,
                        .mapped_bytes = 8192 << 10,
                        .unwritten_bytes = rows[i].unwritten_kib << 10 };
                assert_int_equal(says(&of, rows[i].n, rows[i].words), rows[i].words != NULL);
        }
}

TEST(little_memory_that_was_never_written_is_not_named) {
        static SampleBlock of;

        of = (SampleBlock){ .n_samples = 20, .mapped_bytes = 200 << 10, .unwritten_bytes = 124 << 10 };
        assert_false(says(&of, 2, NULL));
        of.mapped_bytes = of.unwritten_bytes = of.unwritten_huge_bytes = 2 << 20; /* one huge page, as it seems */
        assert_false(says(&of, 2, NULL));
        of.mapped_bytes = of.unwritten_bytes = of.unwritten_huge_bytes = 4 << 20;
        assert_true(says(&of, 2, "4096 KiB"));
        of = (SampleBlock){ .n_samples = 20, .mapped_bytes = 200 << 10, .unwritten_bytes = 128 << 10 };
        assert_true(says(&of, 2, "128 KiB"));
        of.mapped_bytes = of.unwritten_bytes = 64 << 20;
        assert_true(says(&of, 2, "64 MiB"));
}

TEST(unwritten_memory_is_known_if_any_process_knows_it) {
        Behaviour behaviour = {};
        uint64_t bytes;

        block = (SampleBlock){ .n_samples = 1 };
        behaviour_add(&behaviour, &block);
        assert_int_equal(behaviour_unwritten(&behaviour, &bytes), BEHAVIOUR_E_UNKNOWN);
        block.mapped_bytes = 8192;
        block.unwritten_bytes = 4096;
        behaviour_add(&behaviour, &block);
        assert_int_equal(behaviour_unwritten(&behaviour, &bytes), 0);
        assert_int_equal(bytes, 4096);
}

TEST(files_of_all_processes_are_listed_once_each) {
        Behaviour behaviour = {};
        char **words;
        size_t n;

        block = (SampleBlock){ .n_samples = 1, .files = FILE_KIND_SOCKET };
        behaviour_add(&behaviour, &block);
        block.files = FILE_KIND_MEMORY | FILE_KIND_SOCKET;
        behaviour_add(&behaviour, &block);
        assert_int_equal(behaviour_list_files(&behaviour, arena, &words, &n), 0);
        assert_int_equal(n, 2);
        assert_string_equal(words[0], "memory");
        assert_string_equal(words[1], "socket");
}

TEST(what_may_be_of_pauses_is_told_so) {
        WarningList warnings = {};
        Behaviour behaviour = {};

        block = (SampleBlock){ .n_samples = 1, .conduct = { .writing_samples = 1, .blocking_samples = 1 } };
        block.samples[0].paused_ticks = 1;
        behaviour_add(&behaviour, &block);
        behaviour_report(&behaviour, arena, &warnings);
        assert_int_equal(warnings.texts.n, 2);
        assert_non_null(strstr(warnings.texts.texts[0], "but for what it prints in its pauses"));
        assert_non_null(strstr(warnings.texts.texts[1], "but for that in its pauses"));
}

TEST(threads_that_sleep_or_have_cpus_of_their_own_are_not_told) {
        static const SampleConduct rows[] = {
                { .threads = CONDUCT_THREADS_WERE | CONDUCT_THREADS_ARE | CONDUCT_THREADS_CPU },
                { .threads = CONDUCT_THREADS_WERE | CONDUCT_THREADS_ARE | CONDUCT_THREADS_CPU, .others_permille = 9 },
                { .threads = CONDUCT_THREADS_WERE | CONDUCT_THREADS_ARE, .others_permille = 1900 },
                { .threads = CONDUCT_THREADS_WERE, .others_permille = 900 }, /* gone when the loop was over */
                { .threads = CONDUCT_THREADS_POOL },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                assert_int_equal(report(rows[i]).texts.n, 0);
        }
}

TEST(waiting_for_its_own_threads_is_its_work) {
        const SampleConduct of = { .threads = CONDUCT_THREADS_WERE,
                .others_permille = 900,
                .blocking_samples = 20,
                .n_blocked = 20 };

        assert_int_equal(report(of).texts.n, 0);
}

TEST(a_benchmark_of_several_threads_has_them_by_its_own_wish) {
        WarningList warnings = {};
        Behaviour behaviour = {};

        block = (SampleBlock){ .n_samples = 2,
                .conduct = { .others_permille = 900, .threads = CONDUCT_THREADS_WERE | CONDUCT_THREADS_CPU } };
        block.samples[1].thread = 1;
        behaviour_add(&behaviour, &block);
        behaviour_report(&behaviour, arena, &warnings);
        assert_int_equal(warnings.texts.n, 0);
}

TEST(one_traced_process_is_enough_and_one_that_cannot_tell_leaves_it_open) {
        static const struct {
                SampleTracer processes[2];
                int outcome;
                bool traced;
        } rows[] = {
                { { SAMPLE_TRACER_NONE, SAMPLE_TRACER_NONE }, 0, false },
                { { SAMPLE_TRACER_NONE, SAMPLE_TRACER_ATTACHED }, 0, true },
                { { SAMPLE_TRACER_UNKNOWN, SAMPLE_TRACER_ATTACHED }, 0, true },
                { { SAMPLE_TRACER_UNKNOWN, SAMPLE_TRACER_NONE }, BEHAVIOUR_E_UNKNOWN, false },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Behaviour behaviour = {};
                bool traced = false;

                for (size_t j = 0; j < 2; j++) {
                        block = (SampleBlock){ .n_samples = 1, .conduct = { .tracer = rows[i].processes[j] } };
                        behaviour_add(&behaviour, &block);
                }
                assert_int_equal(behaviour_traced(&behaviour, &traced), rows[i].outcome);
                assert_int_equal(traced, rows[i].traced);
        }
}

static Sample sample(uint64_t start, uint64_t stop) {
        return (Sample){ .start_ticks = start, .ticks = stop - start };
}

static double share_of(const Sample *samples, size_t n, uint32_t n_threads) {
        BehaviourBatches batches = {};

        behaviour_add_batches(&batches, samples, n, n_threads);
        return behaviour_share_together(&batches);
}

TEST(threads_that_begin_and_end_together_are_in_company) {
        const Sample samples[] = { sample(1000, 2000), sample(1001, 2010), sample(999, 1990) };

        assert_true(share_of(samples, 3, 3) == 1);
}

TEST(threads_that_take_turns_are_not) {
        const Sample samples[] = { sample(1000, 2000), sample(2000, 3000), sample(9000, 9900), sample(7000, 8000) };

        assert_true(share_of(samples, 4, 2) == 0);
}

/* Half of the time from the first start to the last stop is enough, and not a tick less. */
TEST(half_of_a_batch_is_enough) {
        const Sample enough[] = { sample(1000, 2000), sample(1000, 3000) };
        const Sample less[] = { sample(1000, 2000), sample(1000, 3001) };

        assert_true(share_of(enough, 2, 2) == 1);
        assert_true(share_of(less, 2, 2) == 0);
}

TEST(each_batch_counts_once_and_what_is_no_whole_one_does_not) {
        const Sample samples[] = { sample(1, 9), sample(1, 9), sample(10, 20), sample(30, 40), sample(50, 60) };

        assert_true(share_of(samples, N_ELEMENTS(samples), 2) == 0.5);
}

TEST(one_thread_has_all_the_company_that_it_wants) {
        const Sample samples[] = { sample(1, 2), sample(100, 200) };

        assert_true(share_of(samples, 2, 1) == 1);
        assert_true(share_of(samples, 0, 2) == 1);
}
