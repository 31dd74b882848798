/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The checks of what a runner tells: everything in a block is the submitter's word, so nothing out of range may pass. */

#include "ops/block.h"

#include "ops/ops.h"
#include "test.h"
#include "util/module-links.h"

/* Static: the blocks are too large for a stack. */
static SampleBlock samples;
static ListingBlock listing;
static CalibrationBlock calibration;
static MemoryBlock memory;

static BlockHead head_good(void) {
        return (BlockHead){
                .magic = SAMPLE_BLOCK_MAGIC,
                .version = SAMPLE_BLOCK_VERSION,
                .phase = RUNNER_PHASE_DONE,
                .end = RUNNER_END_COMPLETE,
        };
}

static void blocks_make_good(void) {
        samples = (SampleBlock){ .head = head_good(),
                .n_threads = 1,
                .threads = { { .ops_per_iteration = 1 } },
                .iterations = 10,
                .n_samples = 2 };
        samples.samples[0] = (Sample){ .ticks = 1000, .iterations = 10 };
        samples.samples[1] = (Sample){ .ticks = 1001, .iterations = 10, .paused_ticks = 1001 };
        samples.n_counters = 1;
        samples.counters[0] = (SampleCounter){ .name = "ratio", .value = 2.5 };
        samples.n_counted = 1;
        strcpy(samples.counted[0], "hits");

        listing = (ListingBlock){ .head = head_good(), .compiler = "gcc", .n_entries = 2 };
        listing.entries[0] = (ListingEntry){ .area = "strings", .name = "strlen", .n_axes = 4 };
        listing.entries[0].axes[0] = (ListingAxis){ .name = "n", .n_values = 1, .integers = { 8 } };
        listing.entries[0].axes[1] = (ListingAxis){ .name = "m", .first = 1, .last = 8, .factor = 2 };
        listing.entries[0].axes[2] =
                        (ListingAxis){ .name = "x", .kind = ARGUMENT_REAL, .n_values = 2, .reals = { 0.5, 1e300 } };
        listing.entries[0].axes[3] =
                        (ListingAxis){ .name = "s", .kind = ARGUMENT_TEXT, .n_values = 2, .texts = { "0", "1e300" } };
        listing.entries[1] = (ListingEntry){ .area = "strings", .name = "memchr" };

        memory = (MemoryBlock){ .head = head_good(), .iterations = 1000 };
        calibration = (CalibrationBlock){
                .head = head_good(),
                .clock = { .hz = 3e9, .error_ppm = 1, .quantum_ticks = 1, .batch_cost_ticks = 50 },
        };
}

TEST(good_blocks_pass) {
        blocks_make_good();
        assert_int_equal(sample_block_check(&samples), 0);
        assert_int_equal(listing_block_check(&listing), 0);
        assert_int_equal(calibration_block_check(&calibration), 0);
        assert_int_equal(memory_block_check(&memory), 0);
}

TEST(each_mode_has_a_block_of_its_size) {
        assert_int_equal(block_size(&(RunnerPlan){ .mode = RUNNER_MODE_LIST, .n_sides = 1 }), sizeof(ListingBlock));
        assert_int_equal(block_size(&(RunnerPlan){ .mode = RUNNER_MODE_CALIBRATE, .n_sides = 1 }),
                        sizeof(CalibrationBlock));
        assert_int_equal(block_size(&(RunnerPlan){ .mode = RUNNER_MODE_RUN, .n_sides = 1 }), sizeof(SampleBlock));
        assert_int_equal(block_size(&(RunnerPlan){ .mode = RUNNER_MODE_RUN, .n_sides = 2 }),
                        2 * sizeof(SampleBlock) + BLOCK_LOCKSTEP_BYTES);
        assert_int_equal(block_size(&(RunnerPlan){ .mode = RUNNER_MODE_MEMORY, .n_sides = 1 }), sizeof(MemoryBlock));
}

/* Sets @what, expects @check to refuse, and makes all blocks good again. */
#define REFUSED(check, block, what)                                                                                    \
 do {                                                                                                                  \
  blocks_make_good();                                                                                                  \
  what;                                                                                                                \
  print_message("%s\n", #what);                                                                                        \
  assert_int_equal(check(&block), SAMPLE_BLOCK_E_INVALID);                                                             \
 } while (0)

TEST(a_bad_head_is_refused_in_every_block) {
        REFUSED(sample_block_check, samples, samples.head.magic++);
        REFUSED(sample_block_check, samples, samples.head.version++);
        REFUSED(sample_block_check, samples, samples.head.phase = _RUNNER_PHASE_N);
        REFUSED(sample_block_check, samples, samples.head.end = RUNNER_END_INTERNAL + 1);
        REFUSED(sample_block_check, samples, samples.head.crash.access = _CRASH_ACCESS_N);
        REFUSED(sample_block_check, samples, memset(samples.head.crash.at.symbol, 'x', CRASH_SYMBOL_MAX));
        REFUSED(sample_block_check, samples, memset(samples.head.crash.at.file, 'x', CRASH_FILE_MAX));
        REFUSED(sample_block_check, samples, memset(samples.head.crash.caller.symbol, 'x', CRASH_SYMBOL_MAX));
        REFUSED(listing_block_check, listing, memset(listing.head.crash.caller.file, 'x', CRASH_FILE_MAX));
        REFUSED(sample_block_check, samples, memset(samples.head.message, 'x', sizeof samples.head.message));
        REFUSED(listing_block_check, listing, listing.head.magic++);
        REFUSED(calibration_block_check, calibration, calibration.head.magic++);
        REFUSED(memory_block_check, memory, memory.head.magic++);
}

TEST(a_count_of_nothing_is_refused_unless_the_block_says_why) {
        REFUSED(memory_block_check, memory, memory.iterations = 0);
        REFUSED(memory_block_check, memory, memory.state = _MEMORY_STATE_N);
        blocks_make_good();
        for (memory.state = MEMORY_STATE_COUNTED + 1; memory.state < _MEMORY_STATE_N; memory.state++) {
                memory.iterations = 0;
                assert_int_equal(memory_block_check(&memory), 0);
        }
}

TEST(counts_beyond_their_arrays_are_refused) {
        REFUSED(sample_block_check, samples, samples.n_samples = RUNNER_SAMPLES_MAX + 1);
        REFUSED(sample_block_check, samples, samples.n_samples = UINT32_MAX);
        REFUSED(sample_block_check, samples, samples.n_loop_samples = RUNNER_LOOP_SAMPLES_MAX + 1);
        REFUSED(sample_block_check, samples, samples.n_trace = RUNNER_TRACE_MAX + 1);
        REFUSED(sample_block_check, samples, samples.n_counters = SAMPLE_BLOCK_COUNTERS_MAX + 1);
        REFUSED(listing_block_check, listing, listing.n_entries = LISTING_ENTRIES_MAX + 1);
        REFUSED(listing_block_check, listing, listing.entries[0].n_axes = RUNNER_ARGS_MAX + 1);
        REFUSED(listing_block_check, listing, listing.entries[0].n_threads = LISTING_THREADS_MAX + 1);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[0].n_values = LISTING_VALUES_MAX + 1);
}

TEST(samples_that_cannot_be_are_refused) {
        REFUSED(sample_block_check, samples, samples.samples[1].ticks = 0);
        REFUSED(sample_block_check, samples, samples.samples[1].iterations = 0);
        REFUSED(sample_block_check, samples, samples.samples[1].paused_ticks = 1002);
        REFUSED(sample_block_check, samples, samples.n_counted = SAMPLE_BLOCK_COUNTERS_MAX + 1);
        REFUSED(sample_block_check, samples, samples.samples[1].counters = _COUNTERS + 1);
        REFUSED(sample_block_check, samples, samples.memory_lock = OPS_OUTCOME_OMITTED + 1);
        REFUSED(sample_block_check, samples, samples.image_state = _IMAGE_STATE_N);
        REFUSED(sample_block_check, samples, samples.n_links = MODULE_LINKS_MAX + 1);
        REFUSED(sample_block_check, samples, samples.image_offset_bytes = RUNNER_IMAGE_OFFSET_MAX);
        REFUSED(sample_block_check, samples, samples.image_offset_bytes = 8);
        REFUSED(sample_block_check, samples, samples.n_loop_samples = 1);
        REFUSED(sample_block_check, samples, samples.n_trace = 1; samples.trace[0].phase = _RUNNER_PHASE_N);
        REFUSED(sample_block_check, samples, samples.samples[1].thread = 1);
        REFUSED(sample_block_check, samples, samples.n_loop_samples = 1; samples.loop_samples[0].thread = 1);
        REFUSED(sample_block_check, samples, samples.n_threads = 2);
        REFUSED(sample_block_check, samples, samples.n_threads = RUNNER_THREADS_MAX + 1);
        REFUSED(sample_block_check, samples, samples.threads[0].ops_per_iteration = NAN);
        REFUSED(sample_block_check, samples, samples.threads[0].ops_per_iteration = 0);
        REFUSED(sample_block_check, samples, samples.threads[0].ops_per_iteration = -1);
        REFUSED(sample_block_check, samples, samples.threads[0].ops_per_iteration = 1e300);
        REFUSED(sample_block_check, samples, samples.threads[0].items_per_iteration = INFINITY);
        REFUSED(sample_block_check, samples, samples.threads[0].bytes_per_iteration = NAN);
        REFUSED(sample_block_check, samples, samples.counters[0].value = NAN);
        REFUSED(sample_block_check, samples, samples.counts[1][0] = INFINITY);
}

TEST(complete_without_a_sample_is_refused) {
        REFUSED(sample_block_check, samples, samples.n_samples = 0);

        blocks_make_good();
        samples.n_samples = 0;
        samples.threads[0].ops_per_iteration = 0;
        samples.head.end = RUNNER_END_NONE;
        samples.head.phase = RUNNER_PHASE_LOADING;
        assert_int_equal(sample_block_check(&samples), 0);
}

TEST(names_that_would_spoil_a_path_are_refused) {
        REFUSED(listing_block_check, listing, listing.entries[0].name[0] = 0);
        REFUSED(listing_block_check, listing, listing.entries[0].name[1] = '/');
        REFUSED(listing_block_check, listing, listing.entries[0].name[1] = '\n');
        REFUSED(listing_block_check, listing, listing.entries[0].name[1] = '*');
        REFUSED(listing_block_check, listing, listing.entries[0].area[0] = ' ');
        REFUSED(listing_block_check, listing, listing.entries[1].area[0] = '\xc3');
        REFUSED(listing_block_check, listing, listing.entries[0].axes[1].name[0] = '=');
        REFUSED(sample_block_check, samples, samples.samples[1].manual_ns = NAN);
        REFUSED(sample_block_check, samples, samples.samples[1].manual_ns = -1);
        REFUSED(sample_block_check, samples, samples.cpu_cost_ns = NAN);
        REFUSED(sample_block_check, samples, samples.cpu_step_ns = -1);
        REFUSED(sample_block_check, samples, samples.cpu_step_ns = 2 * SAMPLE_MANUAL_MAX_NS);
        REFUSED(sample_block_check, samples, samples.samples[1].manual_ns = 1e300);
        REFUSED(sample_block_check, samples, samples.samples[1].manual_ns = 5e-324);
        REFUSED(sample_block_check, samples, samples.conduct.tracer = _SAMPLE_TRACER_N);
        REFUSED(sample_block_check, samples, samples.instruments.present = _INSTRUMENTS + 1);
        REFUSED(sample_block_check, samples, strcpy(samples.instruments.preloaded, "a/b"));
        REFUSED(sample_block_check, samples,
                        memset(samples.instruments.preloaded, 'a', sizeof samples.instruments.preloaded));
        REFUSED(sample_block_check, samples, (samples.mapped_bytes = 4096, samples.unwritten_bytes = 8192));
        REFUSED(sample_block_check, samples, samples.unwritten_huge_bytes = 1);
        REFUSED(sample_block_check, samples, samples.files = _FILE_KINDS + 1);
        REFUSED(sample_block_check, samples, memset(samples.label, 'a', sizeof samples.label));
        REFUSED(listing_block_check, listing, memset(listing.entries[0].name, 'x', RUNNER_NAME_MAX));
        REFUSED(sample_block_check, samples, samples.counters[0].name[0] = 0);
        REFUSED(sample_block_check, samples, samples.counted[0][0] = 0);
}

TEST(texts_without_an_end_are_refused) {
        REFUSED(listing_block_check, listing, memset(listing.compiler, 'x', sizeof listing.compiler));
        REFUSED(listing_block_check, listing, memset(listing.entries[1].title, 'x', LISTING_TEXT_MAX));
        REFUSED(listing_block_check, listing, memset(listing.entries[1].about, 'x', LISTING_TEXT_MAX));
}

/* A range that never reaches its end would be expanded for ever. */
TEST(ranges_that_do_not_rise_are_refused) {
        REFUSED(listing_block_check, listing, listing.entries[0].axes[1].factor = 1);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[1].factor = -2);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[1].first = 0);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[1].last = 0);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[1].factor = 0);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[1].kind = ARGUMENT_REAL);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[0].kind = _ARGUMENT_KIND_N);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[2].reals[1] = NAN);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[3].texts[1][0] = 0);
        REFUSED(listing_block_check, listing, listing.entries[0].axes[3].texts[1][2] = '/');
        REFUSED(listing_block_check, listing, listing.entries[0].axes[3].texts[0][0] = '\xe9');
        REFUSED(listing_block_check, listing, memset(listing.entries[0].axes[3].texts[1], 'a', ARGUMENT_TEXT_MAX));
}

TEST(a_linear_range_has_a_bounded_number_of_values) {
        static const struct {
                int64_t first, last, step;
                bool good;
        } rows[] = {
                { 0, 255, 1, true },
                { 0, 256, 1, false },
                { -5, 505, 2, true },
                { -5, 506, 2, false },
                { 3, 3, 1, true },
                { 3, 2, 1, false },
                { 0, 1, -1, false },
                { INT64_MIN, INT64_MAX, INT64_MAX, true },
                { INT64_MIN, INT64_MAX, 1, false },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                blocks_make_good();
                listing.entries[0].axes[1] = (ListingAxis){ .name = "m",
                        .first = rows[i].first,
                        .last = rows[i].last,
                        .step = rows[i].step };
                assert_int_equal(listing_block_check(&listing) == 0, rows[i].good);
        }
}

TEST(clocks_that_cannot_be_are_refused) {
        REFUSED(calibration_block_check, calibration, calibration.clock.hz = 0);
        REFUSED(calibration_block_check, calibration, calibration.clock.missing = _CLOCK_MISSING + 1);
        REFUSED(calibration_block_check, calibration, calibration.clock.hz = 1e12);
        REFUSED(calibration_block_check, calibration, calibration.clock.hz = NAN);
        REFUSED(calibration_block_check, calibration, calibration.clock.error_ppm = NAN);
        REFUSED(calibration_block_check, calibration, calibration.clock.quantum_ticks = 0);
        REFUSED(calibration_block_check, calibration, calibration.clock.batch_cost_ticks = -1);
        REFUSED(calibration_block_check, calibration, calibration.clock.pair_cost_ticks = NAN);
        REFUSED(calibration_block_check, calibration, calibration.clock.pair_cost_ticks = -1);
        REFUSED(calibration_block_check, calibration, calibration.checks.n = CLOCK_CHECKS_MAX + 1);
        REFUSED(calibration_block_check, calibration, (calibration.checks.n = 1, calibration.checks.rows[0].hz = NAN));
        REFUSED(calibration_block_check, calibration, calibration.suspects_found = 1); /* and was not tested */
}

TEST(a_calibration_that_failed_says_nothing_of_the_clock) {
        blocks_make_good();
        calibration.clock = (ClockFacts){};
        calibration.head.end = RUNNER_END_INTERNAL;
        assert_int_equal(calibration_block_check(&calibration), 0);
}
