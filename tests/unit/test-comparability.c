/* SPDX-License-Identifier: GPL-3.0-or-later */

/* If the times of two results do not compare, each field in which their keys differ is named, and nothing else. */

#include "front/report/comparability.h"

#include "arena.h"

/* All that a key is made of, as words. */
typedef struct Conditions {
        const char *method, *brand, *microcode, *kernel, *clock;
        Benchd__Environment__Scheduler scheduler;
        Benchd__Control__Outcome outcome;
        const char *control;
        const char *instruments[2];
        const char *preloaded; /* NULL: a library that only came along */
        uint32_t family;
        uint64_t cache_bytes;
        uint32_t processors;
        uint64_t memory_bytes;
        const char *control_is;
} Conditions;

static const Conditions usual = {
        "benchd",
        "A CPU",
        "0x1",
        "Linux 6.1",
        "tsc",
        BENCHD__ENVIRONMENT__SCHEDULER__FIFO,
        BENCHD__CONTROL__OUTCOME__APPLIED,
        "scheduler",
        .family = 25,
        .cache_bytes = 32 << 10,
        .processors = 16,
        .memory_bytes = UINT64_C(33554432000),
};

/* A result, and the messages that it consists of. */
typedef struct Made {
        Benchd__RunResult result;
        Benchd__Environment environment;
        Benchd__Cpu cpu;
        Benchd__Cache cache;
        Benchd__Cache *caches[1];
        Benchd__Tsc tsc;
        Benchd__Control control;
        Benchd__Control *controls[1];
        Benchd__Module module;
        Benchd__Library library;
        Benchd__Library *libraries[1];
} Made;

static const Benchd__RunResult *make(const Conditions *conditions, Made *made) {
        benchd__run_result__init(&made->result);
        benchd__environment__init(&made->environment);
        benchd__cpu__init(&made->cpu);
        benchd__cache__init(&made->cache);
        benchd__tsc__init(&made->tsc);
        benchd__control__init(&made->control);
        made->cpu.brand = (char *)conditions->brand;
        made->cpu.microcode = (char *)conditions->microcode;
        made->cpu.has_family = true;
        made->cpu.family = conditions->family;
        made->cache.level = 1;
        made->cache.size_bytes = conditions->cache_bytes;
        made->caches[0] = &made->cache;
        made->cpu.caches = made->caches;
        made->cpu.n_caches = 1;
        made->environment.has_processors = true;
        made->environment.processors = conditions->processors;
        made->environment.has_memory_bytes = true;
        made->environment.memory_bytes = conditions->memory_bytes;
        made->tsc.clock = (char *)conditions->clock;
        made->control.name = (char *)conditions->control;
        made->control.outcome = conditions->outcome;
        made->control.is = (char *)conditions->control_is;
        made->controls[0] = &made->control;
        made->environment.cpu = &made->cpu;
        made->environment.tsc = &made->tsc;
        made->environment.kernel = (char *)conditions->kernel;
        made->environment.scheduler = conditions->scheduler;
        made->environment.controls = made->controls;
        made->environment.n_controls = 1;
        made->result.run_id = (char *)"0123456789abcdef0123456789abcdef";
        made->result.method = (char *)conditions->method;
        made->result.environment = &made->environment;
        made->result.instrumented = (char **)conditions->instruments;
        while (made->result.n_instrumented < 2 && conditions->instruments[made->result.n_instrumented])
                made->result.n_instrumented++;
        benchd__module__init(&made->module);
        benchd__library__init(&made->library);
        made->library.name = (char *)(conditions->preloaded ? conditions->preloaded : "libother.so");
        made->library.has_preloaded = true;
        made->library.preloaded = conditions->preloaded != NULL;
        made->libraries[0] = &made->library;
        made->module.libraries = made->libraries;
        made->module.n_libraries = 1;
        made->result.module = &made->module;
        made->result.comparability_key = comparability_key(arena, &made->result);
        return &made->result;
}

static ArenaList differences(const Conditions *was, const Conditions *is) {
        ArenaList warnings = {};
        Made earlier, now;

        comparability_warn(arena, make(was, &earlier), make(is, &now), &warnings);
        return warnings;
}

TEST(equal_conditions_give_no_words) {
        assert_int_equal(differences(&usual, &usual).n, 0);
}

TEST(each_field_that_differs_is_named_alone_with_both_values) {
        Conditions rows[] = { usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual,
                usual };
        static const char *const words[] = { "the method was", "the CPU was", "its microcode was", "the kernel was",
                "the clock was", "the scheduler was", "the control scheduler was", "the instrumentation was",
                "the CPU's model was", "the size of the caches was", "the number of processors was", "the memory was",
                "the preloaded library was" };

        rows[0].method = "benchd cold";
        rows[1].brand = "B CPU";
        rows[2].microcode = NULL;
        rows[3].kernel = "Linux 6.2";
        rows[4].clock = "CLOCK_MONOTONIC_RAW";
        rows[5].scheduler = BENCHD__ENVIRONMENT__SCHEDULER__OTHER;
        rows[6].outcome = BENCHD__CONTROL__OUTCOME__DENIED;
        rows[7].instruments[0] = "tracer";
        rows[7].instruments[1] = "coverage";
        rows[8].family = 26;
        rows[9].cache_bytes = 48 << 10;
        rows[10].processors = 8;
        rows[11].memory_bytes *= 2;
        rows[12].preloaded = "libjemalloc.so.2";
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                ArenaList warnings = differences(&rows[i], &usual);

                assert_int_equal(warnings.n, 2);
                assert_ptr_equal(strstr(warnings.texts[0], words[i]), warnings.texts[0]);
                assert_non_null(strstr(warnings.texts[0], "in job 01234567 "));
                assert_non_null(strstr(warnings.texts[1], "times of job 01234567 are not comparable"));
        }
        assert_non_null(strstr(differences(&rows[3], &usual).texts[0], "was Linux 6.2 in"));
        assert_non_null(strstr(differences(&rows[3], &usual).texts[0], "is Linux 6.1 here"));
        assert_non_null(strstr(differences(&rows[2], &usual).texts[0], "was unknown in"));
        assert_non_null(strstr(differences(&rows[7], &usual).texts[0],
                        "was tracer, coverage in job 01234567 and is none"));
        assert_non_null(strstr(differences(&rows[12], &usual).texts[0],
                        "was libjemalloc.so.2 in job 01234567 and is none"));
        assert_string_equal(differences(&rows[8], &usual).texts[0],
                        "the CPU's model was family 26, model 0, stepping 0 in job 01234567 and is family 25, model 0, "
                        "stepping 0 here");
        assert_string_equal(differences(&rows[9], &usual).texts[0],
                        "the size of the caches was L1 48 KiB in job 01234567 and is L1 32 KiB here");
        assert_string_equal(differences(&rows[11], &usual).texts[0],
                        "the memory was 64 GiB in job 01234567 and is 32 GiB here");
}

TEST(memory_that_is_off_by_some_megabytes_is_no_difference) {
        Conditions other = usual;

        other.memory_bytes += 5 << 20;
        assert_int_equal(differences(&other, &usual).n, 0);
}

TEST(a_limit_of_memory_is_held_or_not_and_its_amount_is_no_difference) {
        Conditions one = usual, other = usual;

        one.control = other.control = "memory limit";
        one.control_is = "17.66 GiB";
        other.control_is = "17.65 GiB";
        assert_int_equal(differences(&one, &other).n, 0);
        one.control = other.control = "stack";
        assert_int_equal(differences(&one, &other).n, 2);
}

TEST(a_control_that_only_one_side_tells_of_is_named_from_both_ends) {
        Conditions other = usual;
        ArenaList warnings;

        other.control = "governor";
        warnings = differences(&other, &usual);
        assert_int_equal(warnings.n, 3);
        assert_non_null(strstr(warnings.texts[0], "the control scheduler was untold"));
        assert_non_null(strstr(warnings.texts[1], "the control governor was applied"));
}

TEST(settings_that_another_daemon_held_are_one_difference) {
        Conditions one = usual, other = usual;
        ArenaList warnings;

        other.control = "tuning";
        other.control_is = "another benchd has set them";
        warnings = differences(&one, &other);
        assert_int_equal(warnings.n, 2);
        assert_non_null(strstr(warnings.texts[0], "are left as they are here: another benchd has set them"));
        assert_int_equal(differences(&other, &one).n, 2);
}

TEST(settings_that_another_daemon_made_as_wanted_are_no_difference) {
        Conditions one = usual, other = usual;
        Made made, beside;

        one.control = other.control = "tuning";
        one.outcome = other.outcome = BENCHD__CONTROL__OUTCOME__ALREADY;
        one.control_is = "set by another benchd, process 7";
        other.control_is = "set by another benchd, process 8";
        assert_string_equal(make(&one, &made)->comparability_key, make(&other, &beside)->comparability_key);
        made.environment.n_controls = 0;
        assert_string_equal(beside.result.comparability_key, comparability_key(arena, &made.result));
        other.kernel = "Linux 6.2";
        assert_int_equal(differences(&one, &other).n, 2); /* and so it is not named beside a true one */
        assert_int_equal(differences(&usual, &one).n, 2);
}

TEST(another_version_is_found_out_by_its_key) {
        ArenaList warnings = {};
        Made earlier, now;

        make(&usual, &earlier);
        earlier.result.comparability_key = (char *)"0000000000000000";
        comparability_warn(arena, &earlier.result, make(&usual, &now), &warnings);
        assert_int_equal(warnings.n, 2);
        assert_non_null(strstr(warnings.texts[0], "another version"));
}

/* How a comparison ends changes no condition of the machine, so another schedule is another key without words. */
TEST(looks_are_in_the_key_and_nowhere_else) {
        Benchd__Look look = BENCHD__LOOK__INIT;
        Benchd__Look *looks[] = { &look };
        Benchd__Plan plan = BENCHD__PLAN__INIT;
        ArenaList warnings = {};
        Made fixed, ending, wider;

        make(&usual, &fixed);
        plan.looks = looks;
        plan.n_looks = 1;
        look.processes = 8, look.beyond = 0.0125, look.same = 0.028;
        make(&usual, &ending);
        ending.result.plan = &plan;
        ending.result.comparability_key = comparability_key(arena, &ending.result);
        assert_string_not_equal(fixed.result.comparability_key, ending.result.comparability_key);
        comparability_warn(arena, &fixed.result, &ending.result, &warnings);
        assert_int_equal(warnings.n, 0);

        make(&usual, &wider);
        wider.result.plan = &plan;
        look.beyond = 0.025;
        wider.result.comparability_key = comparability_key(arena, &wider.result);
        assert_string_not_equal(wider.result.comparability_key, ending.result.comparability_key);
}

TEST(a_stored_result_that_tells_nothing_is_no_trouble) {
        Benchd__RunResult nothing = BENCHD__RUN_RESULT__INIT;
        ArenaList warnings = {};
        Made now;

        comparability_warn(arena, &nothing, make(&usual, &now), &warnings);
        assert_int_equal(warnings.n, 0);
        nothing.environment = &(Benchd__Environment)BENCHD__ENVIRONMENT__INIT;
        comparability_warn(arena, &nothing, &now.result, &warnings);
        assert_true(warnings.n > 1);
}
