/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The contract of bench.h is frozen: nothing that a module compiled before relies on has moved, and tables of an earlier
 * revision look to the runner like its own.
 */

#define BENCH_NO_MODULE
#include "runner/load/abi.h"

#include <benchd/bench.h>

#include "test.h"

#define SIZE(type, bytes)                                                                                              \
 { #type, NULL, sizeof(struct type), bytes }
#define OFFSET(type, field, bytes)                                                                                     \
 { #type, #field, offsetof(struct type, field), bytes }

/* As they were at revision 0. Sizes may grow, of structs that are not part of another; offsets never change. */
static const struct {
        const char *type, *field;
        size_t is, was;
} layout[] = {
        SIZE(bench_axis, 232),
        OFFSET(bench_axis, name, 0),
        OFFSET(bench_axis, n_values, 8),
        OFFSET(bench_axis, kind, 12), /* 0 before revision 2 */
        OFFSET(bench_axis, values, 16),
        OFFSET(bench_axis, reals, 16),
        OFFSET(bench_axis, texts, 16),
        OFFSET(bench_axis, first, 208),
        OFFSET(bench_axis, last, 216),
        OFFSET(bench_axis, factor, 224),
        SIZE(bench_args, 928),
        SIZE(bench_thread_counts, 32),
        SIZE(bench_options, 1072),
        OFFSET(bench_options, title, 0),
        OFFSET(bench_options, about, 8),
        OFFSET(bench_options, area, 16),
        OFFSET(bench_options, args, 24),
        OFFSET(bench_options, threads, 952),
        OFFSET(bench_options, ops, 984),
        OFFSET(bench_options, hidden, 992),
        OFFSET(bench_options, reference, 996),
        OFFSET(bench_options, setup, 1000),
        OFFSET(bench_options, teardown, 1008),
        OFFSET(bench_options, reset, 1016),
        OFFSET(bench_options, iterations, 1024),
        OFFSET(bench_options, samples, 1032),
        OFFSET(bench_options, processes, 1036),
        OFFSET(bench_options, min_time_ns, 1040),
        OFFSET(bench_options, warmup_ms, 1048),
        OFFSET(bench_options, prime, 1052),
        OFFSET(bench_options, method, 1056),
        SIZE(bench_descriptor, 1104),
        OFFSET(bench_descriptor, size, 0),
        OFFSET(bench_descriptor, line, 4),
        OFFSET(bench_descriptor, name, 8),
        OFFSET(bench_descriptor, file, 16),
        OFFSET(bench_descriptor, run, 24),
        OFFSET(bench_descriptor, options, 32),
        SIZE(bench_area, 32),
        OFFSET(bench_area, size, 0),
        OFFSET(bench_area, name, 8),
        OFFSET(bench_area, options, 16),
        SIZE(bench_area_options, 16),
        OFFSET(bench_area_options, about, 0),
        OFFSET(bench_area_options, hidden, 8),
        SIZE(bench_module, 56),
        OFFSET(bench_module, abi, 0),
        OFFSET(bench_module, size, 4),
        OFFSET(bench_module, compiler, 8),
        OFFSET(bench_module, optimized, 16),
        OFFSET(bench_module, revision, 20),
        OFFSET(bench_module, descriptors, 24),
        OFFSET(bench_module, descriptors_end, 32),
        OFFSET(bench_module, areas, 40),
        OFFSET(bench_module, areas_end, 48),
        SIZE(bench_inputs_wish, 48),
        OFFSET(bench_inputs_wish, size, 0),
        OFFSET(bench_inputs_wish, fill, 8),
        OFFSET(bench_inputs_wish, drop, 16),
        OFFSET(bench_inputs_wish, ctx, 24),
        OFFSET(bench_inputs_wish, reserved, 32),
        SIZE(bench, 248),
        OFFSET(bench, begin, 0),
        OFFSET(bench, next, 8),
        OFFSET(bench, fail, 16),
        OFFSET(bench, skip, 24),
        OFFSET(bench, threw, 32),
        OFFSET(bench, refuse, 40),
        OFFSET(bench, counter, 48),
        OFFSET(bench, inputs, 56),
        OFFSET(bench, runner, 64),
        OFFSET(bench, args, 72),
        OFFSET(bench, n_args, 80),
        OFFSET(bench, loop_state, 84),
        OFFSET(bench, batch, 88),
        OFFSET(bench, ops, 96),
        OFFSET(bench, repeat, 104),
        OFFSET(bench, items, 112),
        OFFSET(bench, bytes, 120),
        OFFSET(bench, thread, 128),
        OFFSET(bench, threads, 132),
        OFFSET(bench, pause_began_ticks, 136),
        OFFSET(bench, paused_ticks, 144),
        OFFSET(bench, n_pauses, 152),
        OFFSET(bench, input, 160),
        OFFSET(bench, input_bytes, 168),
        OFFSET(bench, clock, 176),
        OFFSET(bench, watch, 184), /* reserved at revision 0, as what follows */
        OFFSET(bench, misuse, 192),
        OFFSET(bench, arguments, 200),
        OFFSET(bench, label, 208),
        OFFSET(bench, context, 216),
        OFFSET(bench, manual_ns, 224),
        OFFSET(bench, n_manual, 232),
        OFFSET(bench, reserved, 240),
        SIZE(bench_argument, 32),
        OFFSET(bench_argument, name, 0),
        OFFSET(bench_argument, kind, 8),
        OFFSET(bench_argument, real, 16),
        OFFSET(bench_argument, text, 16),
        OFFSET(bench_argument, reserved, 24),
        SIZE(bench_watch, 32),
        OFFSET(bench_watch, sequence, 0),
        OFFSET(bench_watch, sequence_armed, 8),
        OFFSET(bench_watch, canary, 16),
        OFFSET(bench_watch, interrupted, 20),
        OFFSET(bench_watch, switched, 24),
};

static bool may_grow(const char *type) {
        static const char *const types[] = { "bench_options", "bench_descriptor", "bench_area_options", "bench_area",
                "bench_module", "bench" };

        for (size_t i = 0; i < N_ELEMENTS(types); i++)
                if (strcmp(types[i], type) == 0)
                        return true;
        return false;
}

TEST(nothing_has_moved_since_the_freeze) {
        for (size_t i = 0; i < N_ELEMENTS(layout); i++) {
                if (layout[i].is == layout[i].was)
                        continue;
                if (!layout[i].field && may_grow(layout[i].type) && layout[i].is > layout[i].was)
                        continue;
                fail_msg("%s.%s: %zu, was %zu", layout[i].type, layout[i].field ? layout[i].field : "(size)",
                                layout[i].is, layout[i].was);
        }
        assert_int_equal(BENCH_ABI, 1);
        assert_int_equal(BENCH_AXES_MAX, 4);
        assert_int_equal(BENCH_VALUES_MAX, 24);
        assert_int_equal(BENCH_THREADS_MAX, 8);
        assert_int_equal(BENCH_YES, 1);
        assert_int_equal(BENCH_NO, 2);
        assert_int_equal(BENCH_LOOP_RETURNED, 4);
}

/* ---- tables */

static void body(struct bench *b) {
}

static struct bench_descriptor descriptor;
static struct bench_area area;
static struct bench_descriptor *descriptors[3] = { &descriptor, &descriptor };
static struct bench_area *areas[1] = { &area };
static struct bench_module module;

static int set_up(void **state) {
        descriptor = (struct bench_descriptor){ .size = sizeof descriptor, .name = "x", .file = "m.c", .run = body };
        area = (struct bench_area){ .size = sizeof area, .name = "a" };
        module = (struct bench_module){
                .abi = BENCH_ABI,
                .size = sizeof module,
                .descriptors = descriptors,
                .descriptors_end = descriptors + 2,
                .areas = areas,
                .areas_end = areas + 1,
        };
        return 0;
}

TEST(tables_of_this_header_are_taken_as_they_are, set_up) {
        BlockHead head = {};
        const struct bench_module *adopted = abi_adopt(&module, &head);

        assert_non_null(adopted);
        assert_ptr_equal(adopted->descriptors, descriptors);
        assert_ptr_equal(adopted->areas, areas);
        assert_ptr_equal(adopted->descriptors_end, descriptors + 2);
}

TEST(what_is_of_another_abi_or_of_a_later_revision_is_refused_in_words, set_up) {
        BlockHead old = {}, later = {}, small = {}, cut = {};

        module.abi = 0;
        assert_null(abi_adopt(&module, &old));
        assert_int_equal(old.end, RUNNER_END_ABI);
        assert_non_null(strstr(old.message, "ABI 0, this benchd has ABI 1"));

        module.abi = BENCH_ABI;
        module.revision = BENCH_REVISION + 1;
        assert_null(abi_adopt(&module, &later));
        assert_non_null(strstr(later.message, "update benchd"));

        module.revision = 0;
        module.size = 48;
        assert_null(abi_adopt(&module, &small));
        assert_non_null(strstr(small.message, "48 bytes"));

        module.size = sizeof module;
        descriptor.size = 1096;
        assert_null(abi_adopt(&module, &cut));
        assert_int_equal(cut.end, RUNNER_END_ABI);
        assert_non_null(strstr(cut.message, "a descriptor of 1096 bytes"));
}

TEST(what_a_later_struct_has_more_is_left_out, set_up) {
        struct {
                struct bench_descriptor descriptor;
                uint64_t more[5];
        } later = { .descriptor = descriptor, .more = { 1, 2, 3, 4, 5 } };
        BlockHead head = {};
        const struct bench_module *adopted;

        later.descriptor.size = sizeof later;
        later.descriptor.options.warmup_ms = 7;
        descriptors[1] = &later.descriptor;
        adopted = abi_adopt(&module, &head);
        descriptors[1] = &descriptor;

        assert_non_null(adopted);
        assert_ptr_not_equal(adopted->descriptors, descriptors);
        assert_int_equal(adopted->descriptors_end - adopted->descriptors, 2);
        assert_int_equal(adopted->descriptors[1]->options.warmup_ms, 7);
        assert_ptr_equal(adopted->descriptors[0]->run, body);
}

/* As a struct was, and as it is. */
typedef struct Earlier {
        uint32_t size;
        uint32_t first;
} Earlier;

typedef struct Later {
        Earlier earlier;
        uint64_t added[3];
} Later;

TEST(what_an_earlier_struct_does_not_have_is_zero) {
        Earlier rows[7];
        const void *from[7];
        Later **to;

        for (uint32_t i = 0; i < 7; i++) {
                rows[i] = (Earlier){ .size = sizeof *rows, .first = 100 + i };
                from[i] = &rows[i];
        }
        to = (Later **)abi_widen(from, 7, sizeof **to);
        assert_non_null(to);
        for (uint32_t i = 0; i < 7; i++) {
                assert_int_equal((uintptr_t)to[i] % _Alignof(max_align_t), 0);
                assert_int_equal(to[i]->earlier.first, 100 + i);
                for (size_t k = 0; k < 3; k++)
                        assert_int_equal(to[i]->added[k], 0);
        }
}
