/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Messages as JSON: every field is there, names and shapes are the contract's, and no number is one that JSON has not.
 */

#include "lib/json.h"

#include <float.h>
#include <jansson.h>

#include "benchd.pb-c.h"
#include "test.h"

static json_t *to_json(const ProtobufCMessage *message) {
        json_t *json;

        assert_int_equal(json_from_message(message, &json), 0);
        return json;
}

static json_t *at(json_t *json, const char *key) {
        json_t *value = json_object_get(json, key);

        if (!value)
                fail_msg("no '%s'", key);
        return value;
}

TEST(what_is_absent_is_null_and_what_is_repeated_is_empty) {
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        _cleanup_(json_decrefp) json_t *json = to_json(&result.base);

        assert_true(json_is_null(at(json, "name")));
        assert_true(json_is_null(at(json, "samples")));
        assert_true(json_is_null(at(json, "below_noise_floor")));
        assert_true(json_is_null(at(json, "failed")));
        assert_true(json_is_null(at(at(at(json, "time_ns"), "net"), "point")));
        assert_true(json_is_null(at(at(at(json, "cycles"), "raw"), "median")));
        assert_true(json_is_null(at(at(json, "cycles"), "source")));
        assert_int_equal(json_array_size(at(json, "processes")), 0);
        assert_true(json_is_array(at(json, "warnings")));
        assert_true(json_is_object(at(json, "args")));
        assert_true(json_is_object(at(json, "counters")));
        assert_null(json_object_get(at(json, "time_ns"), "source"));
}

/* Walks @descriptor: every field, at every depth, has its key. */
static void assert_all_fields(const ProtobufCMessageDescriptor *descriptor, json_t *json) {
        for (unsigned i = 0; i < descriptor->n_fields; i++) {
                const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
                const char *name = field->name;

                if (strcmp(name, "started_at_unix_ns") == 0)
                        name = "started_at";
                if (descriptor == &benchd__plan__descriptor && strcmp(name, "budget_ns") == 0)
                        name = "budget_s";
                if (descriptor == &benchd__plan__descriptor && strcmp(name, "expected_ns") == 0)
                        name = "expected_s";
                if (strcmp(name, "source") == 0 && descriptor == &benchd__quantity__descriptor)
                        continue;
                if (field->type == PROTOBUF_C_TYPE_MESSAGE && json_is_object(at(json, name)) &&
                                field->label != PROTOBUF_C_LABEL_REPEATED)
                        assert_all_fields(field->descriptor, at(json, name));
                at(json, name);
        }
}

TEST(every_field_of_the_schema_is_there) {
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        Benchd__Status status = BENCHD__STATUS__INIT;
        Benchd__Listing listing = BENCHD__LISTING__INIT;
        const ProtobufCMessage *messages[] = { &benchmark.base, &result.base, &status.base, &listing.base };

        for (size_t i = 0; i < N_ELEMENTS(messages); i++) {
                _cleanup_(json_decrefp) json_t *json = to_json(messages[i]);

                assert_all_fields(messages[i]->descriptor, json);
        }
}

TEST(numbers_are_finite_and_keep_their_value) {
        static const double values[] = { 0.1, -2.5, 1e300, 1.0 / 3, 0 };
        Benchd__Interval interval = BENCHD__INTERVAL__INIT;

        interval.has_point = interval.has_low = interval.has_high = true;
        interval.low = NAN;
        interval.high = INFINITY;
        for (size_t i = 0; i < N_ELEMENTS(values); i++) {
                _cleanup_(json_decrefp) json_t *json = NULL, *back = NULL;
                _cleanup_(freep) char *text = NULL;

                interval.point = values[i];
                json = to_json(&interval.base);
                assert_int_equal(json_to_text(json, &text), 0);
                back = json_loads(text, 0, NULL);
                assert_non_null(back);
                assert_true(fabs(json_real_value(at(back, "point")) - values[i]) <= 1e-15 * fabs(values[i]));
                assert_true(json_is_null(at(back, "low")));
                assert_true(json_is_null(at(back, "high")));
                assert_true(json_equal(back, json)); /* a third too: a run and its file have the same arguments */
        }
        interval.point = DBL_MAX; /* whose 15 digits are more than a double holds */
        json_decref(to_json(&interval.base));
}

TEST(a_tenth_reads_as_a_tenth) {
        Benchd__Interval interval = BENCHD__INTERVAL__INIT;
        _cleanup_(json_decrefp) json_t *json = NULL;
        _cleanup_(freep) char *text = NULL;

        interval.has_point = true;
        interval.point = 0.1;
        json = to_json(&interval.base);
        assert_int_equal(json_to_text(json, &text), 0);
        assert_non_null(strstr(text, "\"point\": 0.1,"));
}

TEST(whole_numbers_are_whole_numbers) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;

        result.has_seed = true;
        for (uint64_t seed = 1; seed; seed <<= 1) {
                _cleanup_(json_decrefp) json_t *json = NULL;

                result.seed = seed;
                json = to_json(&result.base);
                assert_true(json_is_integer(at(json, "seed")) || seed > INT64_MAX);
                assert_true(json_number_value(at(json, "seed")) == (double)seed);
        }
}

TEST(enums_are_words_in_lower_case) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        Benchd__Environment environment = BENCHD__ENVIRONMENT__INIT;
        _cleanup_(json_decrefp) json_t *json = NULL;

        result.has_verdict = true;
        result.verdict = BENCHD__RUN_RESULT__VERDICT__PARTIAL;
        result.environment = &environment;
        environment.has_scheduler = environment.has_isolation = true;
        environment.scheduler = BENCHD__ENVIRONMENT__SCHEDULER__FIFO;
        environment.isolation = (Benchd__Environment__Isolation)99; /* of a newer daemon */
        json = to_json(&result.base);
        assert_string_equal(json_string_value(at(json, "verdict")), "partial");
        assert_string_equal(json_string_value(at(at(json, "environment"), "scheduler")), "fifo");
        assert_true(json_is_null(at(at(json, "environment"), "isolation")));
}

TEST(instants_and_durations_change_their_units) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        Benchd__Plan plan = BENCHD__PLAN__INIT;
        _cleanup_(json_decrefp) json_t *json = NULL;

        result.has_started_at_unix_ns = true;
        result.started_at_unix_ns = 1000000000123456789; /* date -u -d @1000000000 */
        result.plan = &plan;
        plan.has_budget_ns = true;
        plan.budget_ns = 2500000000;
        json = to_json(&result.base);
        assert_string_equal(json_string_value(at(json, "started_at")), "2001-09-09T01:46:40.123Z");
        assert_true(json_real_value(at(at(json, "plan"), "budget_s")) == 2.5);
        assert_true(json_is_null(at(at(json, "plan"), "expected_s")));
        assert_null(json_object_get(at(json, "plan"), "budget_ns"));
}

TEST(a_jobs_state_and_instants_are_as_people_write_them) {
        Benchd__HistoryEntry entry = BENCHD__HISTORY_ENTRY__INIT;
        Benchd__Error error = BENCHD__ERROR__INIT;
        _cleanup_(json_decrefp) json_t *json = NULL, *failed = NULL;

        entry.has_state = entry.has_submitted_at_unix_ns = true;
        entry.state = BENCHD__JOB_STATE__JOB_CANCELLED;
        entry.submitted_at_unix_ns = 1000000000123456789; /* date -u -d @1000000000 */
        json = to_json(&entry.base);
        assert_string_equal(json_string_value(at(json, "state")), "cancelled");
        assert_string_equal(json_string_value(at(json, "submitted_at")), "2001-09-09T01:46:40.123Z");
        assert_true(json_is_null(at(json, "ended_at")));
        assert_true(json_is_null(at(json, "verdict")));
        assert_true(json_is_null(at(json, "error")));

        error.has_code = true;
        error.code = BENCHD__ERROR__CODE__BAD_MODULE;
        entry.error = &error;
        failed = to_json(&entry.base);
        assert_string_equal(json_string_value(at(at(failed, "error"), "code")), "bad-module");
}

TEST(arguments_and_counters_are_objects) {
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        Benchd__ArgumentValue n = BENCHD__ARGUMENT_VALUE__INIT, level = BENCHD__ARGUMENT_VALUE__INIT;
        Benchd__ArgumentValue load = BENCHD__ARGUMENT_VALUE__INIT, word = BENCHD__ARGUMENT_VALUE__INIT;
        Benchd__Counter counter = BENCHD__COUNTER__INIT;
        _cleanup_(json_decrefp) json_t *json = NULL;

        n.name = (char *)"n";
        n.has_value = true;
        n.value = INT64_MIN;
        level.name = (char *)"level";
        load.name = (char *)"load";
        load.has_real = true;
        load.real = 0.5;
        word.name = (char *)"word";
        word.text = (char *)"1e300";
        result.n_args = 4;
        result.args = (Benchd__ArgumentValue *[]){ &n, &level, &load, &word };
        counter.name = (char *)"ratio";
        counter.has_value = true;
        counter.value = NAN;
        result.n_counters = 1;
        result.counters = (Benchd__Counter *[]){ &counter };
        json = to_json(&result.base);
        assert_true(json_integer_value(at(at(json, "args"), "n")) == INT64_MIN);
        assert_true(json_is_null(at(at(json, "args"), "level")));
        assert_true(json_real_value(at(at(json, "args"), "load")) == 0.5);
        assert_string_equal(json_string_value(at(at(json, "args"), "word")), "1e300");
        assert_true(json_is_null(at(at(json, "counters"), "ratio")));
}

TEST(text_that_is_no_utf8_stays_readable) {
        Benchd__Failure failure = BENCHD__FAILURE__INIT;
        _cleanup_(json_decrefp) json_t *json = NULL;

        failure.message = (char *)"a \xff\xfe b";
        json = to_json(&failure.base);
        assert_string_equal(json_string_value(at(json, "message")), "a ?? b");
}

TEST(benchmarks_of_a_result_stand_in_their_modules_order) {
        static const int given[] = { 3, 1, 4, 2 };
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        _cleanup_(json_decrefp) json_t *benchmarks = json_array(), *json = NULL;

        for (size_t i = 0; i < N_ELEMENTS(given); i++)
                json_array_append_new(benchmarks, json_pack("{si}", "index", given[i]));
        assert_int_equal(json_from_result(&result.base, benchmarks, &json), 0);
        for (size_t i = 0; i < N_ELEMENTS(given); i++)
                assert_int_equal(json_integer_value(at(json_array_get(at(json, "benchmarks"), i), "index")), i + 1);
        assert_true(json_is_array(at(json, "comparisons")));
        assert_true(json_is_array(at(json, "complexity")));
}
