/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The document of a run on several machines: what is pooled and how, and all that is missing from it and said so. */

#include "ctl/model/fleet/pool.h"

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "stats/comparison.h"
#include "stats/interval.h"
#include "test.h"

#define N_PROCESSES 10

static void assert_near(double value, double expected, double tolerance) {
        if (!(fabs(value - expected) <= tolerance))
                fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

/* ---- results as a daemon makes them */

/* Logs of N_PROCESSES processes around 0, whose standard deviation is 1. */
static double process_log(size_t i) {
        return (i - (N_PROCESSES - 1) / 2.0) / sqrt((N_PROCESSES * N_PROCESSES + N_PROCESSES) / 12.0);
}

static json_t *interval_json(const double *values) {
        Interval interval;

        assert_int_equal(interval_of_logs(values, NULL, N_PROCESSES, 0.95, &interval), 0);
        return json_pack("{s:f, s:f, s:f}", "point", interval.point, "low", interval.low, "high", interval.high);
}

/* A benchmark of @ns, whose processes deviate by @deviation. */
static json_t *benchmark(const char *name, int index, double ns, double deviation) {
        double times[N_PROCESSES], cycles[N_PROCESSES];
        json_t *processes = json_array();

        for (size_t i = 0; i < N_PROCESSES; i++) {
                times[i] = ns * exp(deviation * process_log(i));
                cycles[i] = 3 * times[i];
                json_array_append_new(processes,
                                json_pack("{s:f, s:f}", "median_ns", times[i], "median_cycles", cycles[i]));
        }
        return json_pack("{s:s, s:s, s:n, s:{s:i}, s:i, s:i, s:n, s:o, s:o, s:o, s:{s:f, s:f}, s:n}", "area", "sorting",
                        "name", name, "title", "args", "n", 8, "threads", 1, "index", index, "side", "time_ns",
                        interval_json(times), "cycles", interval_json(cycles), "processes", processes, "variance",
                        "between_process", deviation, "within_process", 0.02, "failed");
}

static json_t *failing(const char *name, int index, const char *code) {
        return json_pack("{s:s, s:s, s:n, s:{s:i}, s:i, s:i, s:n, s:n, s:{s:s, s:s}}", "area", "sorting", "name", name,
                        "title", "args", "n", 8, "threads", 1, "index", index, "side", "time_ns", "failed", "code",
                        code, "message", "It said so.");
}

/* A comparison whose ratio is @ratio, by a machine whose processes deviate by @deviation. */
static json_t *comparison(const char *name, int index, double ratio, double deviation) {
        const ComparisonRule rule = { .confidence = 0.95, .margin = 0.005 };
        static const char *const words[] = { "unresolved", "same", "faster", "slower" };
        double logs[N_PROCESSES];
        Comparison found;

        for (size_t i = 0; i < N_PROCESSES; i++)
                logs[i] = log(ratio) + deviation * process_log(i);
        assert_int_equal(comparison_paired(logs, NULL, N_PROCESSES, &rule, &found), 0);
        return json_pack("{s:s, s:s, s:n, s:n, s:{s:i}, s:i, s:{s:f, s:f, s:f}, s:s, s:f, s:f, s:i, s:[]}", "area",
                        "sorting", "name", name, "old_area", "old_name", "args", "n", 8, "index", index, "ratio",
                        "point", found.ratio, "low", found.low, "high", found.high, "verdict", words[found.verdict],
                        "margin", 0.005, "p_value", found.p_value, "processes", N_PROCESSES, "findings");
}

/* Takes the reference to @benchmarks. */
static json_t *result(const char *class, json_t *benchmarks) {
        return json_pack("{s:s, s:{s:{s:s}, s:{s:s?}}, s:o, s:[]}", "verdict", "fit", "environment", "cpu", "brand",
                        "AMD EPYC", "machine", "class", class, "benchmarks", benchmarks, "comparisons");
}

/* Takes the reference to @result. */
static json_t *machine(const char *name, const char *state, json_t *result) {
        return json_pack("{s:s, s:n, s:n, s:n, s:s, s:n, s:o}", "name", name, "id", "machine_name", "machine_class",
                        "state", state, "error", "result", result ? result : json_null());
}

static json_t *machine_of(const char *name, const char *class, json_t *row) {
        return machine(name, "done", result(class, json_pack("[o]", row)));
}

/* One that measured a benchmark of @ns. */
static json_t *quick(const char *name, const char *class, double ns) {
        return machine_of(name, class, benchmark("quick", 1, ns, 0.01));
}

static json_t *document;
static const json_t *first; /* the first of its comparisons, or else of its benchmarks */

static int tear_down(void **state) {
        json_decref(take_pointer(document));
        return 0;
}

TEST_EACH(NULL, tear_down)

/* Makes the document of @machines, of which it takes the reference. */
static void pool_with(json_t *machines, size_t min_machines) {
        const FleetRun run = {
                .run_id = "00112233445566778899aabbccddeeff",
                .seed = 42,
                .asked = json_array_size(machines),
                .min_machines = min_machines,
                .started_at = "2024-01-02T03:04:05Z",
                .machines = machines,
        };

        tear_down(NULL);
        assert_int_equal(fleet_pool(&run, &document), 0);
        json_decref(machines);
        first = json_array_get(json_at(document, "comparisons"), 0);
        if (!first)
                first = json_array_get(json_at(document, "benchmarks"), 0);
}

static void pool(json_t *machines) {
        pool_with(machines, 0);
}

/* ---- looking at a document */

static const json_t *row_at(const char *list, size_t index) {
        const json_t *found = json_array_get(json_at(document, list), index);

        assert_non_null(found);
        return found;
}

static double number(const json_t *json, const char *path) {
        double number = NAN;

        if (!json_number_at(json, path, &number))
                fail_msg("%s is no number", path);
        return number;
}

static void assert_text(const json_t *json, const char *path, const char *expected) {
        const char *text = json_text_at(json, path);

        assert_non_null(text);
        assert_string_equal(text, expected);
}

/* The text of the only warning of @kind. */
static const char *warning(const char *kind) {
        const json_t *warnings = json_at(document, "warnings");
        const char *text = NULL;

        for (size_t i = 0; i < json_array_size(warnings); i++)
                if (strcmp(json_text_at(json_array_get(warnings, i), "kind"), kind) == 0) {
                        assert_null(text);
                        text = json_text_at(json_array_get(warnings, i), "text");
                }
        return text;
}

static void assert_warns(const char *kind, const char *part) {
        const char *text = warning(kind);

        if (!text || !strstr(text, part))
                fail_msg("%s: '%s' has no '%s'", kind, text ? text : "no warning", part);
}

static size_t count_warnings(void) {
        return json_array_size(json_at(document, "warnings"));
}

static void assert_no_number(const json_t *of) {
        static const char *const paths[] = { "over", "time_ns.point", "time_ns.low", "time_ns.high", "cycles.point" };

        for (size_t i = 0; i < N_ELEMENTS(paths); i++)
                assert_null(json_at(of, paths[i]));
}

/* ---- times */

TEST(three_machines_have_students_interval_of_their_points) {
        static const double times[] = { 50, 51, 53 };
        pool(json_pack("[o, o, o]", quick("a", "c1", times[0]), quick("b", "c1", times[1]),
                        quick("c", "c1", times[2])));
        Interval expected;
        double mean = 0, squares = 0;

        assert_int_equal(interval_of_logs(times, NULL, 3, 0.95, &expected), 0);
        assert_text(first, "over", "machines");
        assert_near(number(first, "time_ns.point"), expected.point, 1e-9);
        assert_near(number(first, "time_ns.low"), expected.low, 1e-9);
        assert_near(number(first, "time_ns.high"), expected.high, 1e-9);
        assert_near(number(first, "cycles.point"), 3 * expected.point, 1e-9);
        assert_near(number(first, "cycles.high"), 3 * expected.high, 1e-9);

        for (size_t i = 0; i < 3; i++)
                mean += log(times[i]) / 3;
        for (size_t i = 0; i < 3; i++)
                squares += pow(log(times[i]) - mean, 2);
        assert_near(number(first, "variance.between_machine"), sqrt(squares / 2 - 0.01 * 0.01 / N_PROCESSES), 1e-9);
        assert_near(number(first, "variance.between_process"), 0.01, 1e-12);
        assert_near(number(first, "variance.within_process"), 0.02, 1e-12);
        assert_near(number(first, "heterogeneity_p"),
                        pow(1 + 2 * (squares / 2 / (0.01 * 0.01 / N_PROCESSES)) / 27, -13.5), 1e-9);
        assert_true(number(first, "machines_needed") > 3); /* half is 7 % */
        assert_text(first, "machine_class", "c1");
        assert_near(number(first, "args.n"), 8, 0);
        assert_int_equal(json_array_size(json_at(first, "machines")), 3);
        assert_text(json_array_get(json_at(first, "machines"), 2), "name", "c");
        assert_near(number(json_array_get(json_at(first, "machines"), 2), "point"), 53, 1e-9);
        assert_near(number(json_array_get(json_at(first, "machines"), 2), "processes"), N_PROCESSES, 0);
        assert_false(json_flag_at(json_array_get(json_at(first, "machines"), 2), "odd"));
        assert_text(document, "verdict", "fit");
        assert_text(document, "fleet.run_id", "00112233445566778899aabbccddeeff");
        assert_near(number(document, "fleet.seed"), 42, 0);
        assert_near(number(document, "fleet.measured"), 3, 0);
        assert_near(number(document, "fleet.min_machines"), 3, 0);
        assert_int_equal(json_array_size(json_at(document, "fleet.classes")), 1);
        assert_warns("machines-differ", "sorting/quick/n=8");
        assert_int_equal(count_warnings(), 1);
}

TEST(every_field_is_there) {
        static const char *const fields[] = { "area", "name", "title", "args", "threads", "side", "machine_class",
                "over", "time_ns", "cycles", "machines", "variance", "heterogeneity_p", "machines_needed", "failed" };
        pool(json_pack("[o, o]", machine_of("a", "c1", failing("quick", 1, "crashed")), machine("b", "lost", NULL)));

        for (size_t i = 0; i < N_ELEMENTS(fields); i++)
                if (!json_object_get(first, fields[i]))
                        fail_msg("%s is missing", fields[i]);
        assert_int_equal(json_object_size(first), N_ELEMENTS(fields));
        assert_int_equal(json_array_size(json_at(document, "comparisons")), 0);
}

TEST(one_machine_keeps_its_own_interval) {
        pool(json_pack("[o]", quick("a", "c1", 50)));

        assert_text(first, "over", "these machines");
        assert_near(number(first, "time_ns.point"), 50, 1e-9);
        assert_near(log(number(first, "time_ns.high") / 50), 0.01 / sqrt(N_PROCESSES) * 2.262157, 1e-8);
        assert_null(json_at(first, "variance.between_machine"));
        assert_null(json_at(first, "heterogeneity_p"));
        assert_null(json_at(first, "machines_needed"));
        assert_warns("few-machines", "only 1 machine of class c1 (AMD EPYC)");
        assert_text(document, "verdict", "fit");
}

TEST(two_machines_stand_for_themselves) {
        pool(json_pack("[o, o]", quick("a", "c1", 50), quick("b", "c1", 60)));

        assert_text(first, "over", "these machines");
        assert_near(number(first, "time_ns.point"), sqrt(50 * 60), 1e-9);
        /* t of 18 degrees; the error of a mean of two */
        assert_near(log(number(first, "time_ns.high") / number(first, "time_ns.point")),
                        2.100922 * 0.01 / sqrt(2 * N_PROCESSES), 1e-8);
        assert_true(number(first, "variance.between_machine") > 0.1);
        assert_warns("few-machines", "only 2 machines of class c1");
}

static json_t *identified(const char *name, const char *id, double ns) {
        json_t *whole = quick(name, "c1", ns);

        json_object_set_new(
                        json_object_get(json_object_get(json_object_get(whole, "result"), "environment"), "machine"),
                        "id", json_string(id));
        return whole;
}

TEST(a_machine_that_is_named_twice_is_told) {
        pool(json_pack("[o, o, o]", identified("a", "1", 50), identified("b", "2", 50), identified("c", "3", 50)));
        assert_int_equal(count_warnings(), 0);
        pool(json_pack("[o, o, o]", identified("a", "1", 50), identified("b", "2", 50), identified("c", "1", 50)));
        assert_int_equal(count_warnings(), 1);
        assert_warns("same-machine", "a and c have one machine id");
}

TEST(a_module_that_one_machine_cannot_load_has_failed) {
        json_t *refusing = json_pack("{s:s, s:n, s:n, s:n, s:s, s:{s:s, s:s}, s:n}", "name", "d", "id", "machine_name",
                        "machine_class", "state", "refused", "error", "code", "bad-module", "message",
                        "No such symbol.", "result");
        pool(json_pack("[o, o, o, o]", identified("a", "1", 50), identified("b", "2", 50), identified("c", "3", 50),
                        refusing));

        assert_no_number(first);
        assert_text(first, "failed.code", "bad-module");
        assert_text(first, "failed.machine", "d");
        assert_text(document, "verdict", "failed");
        assert_warns("machine-refused", "d cannot load the module");
}

/* Each machine has what was complete; a benchmark that was not begun has no row. */
TEST(a_run_that_was_cancelled_has_the_numbers_of_each_machine) {
        pool(json_pack("[o, o]",
                        machine("a", "partial",
                                        result("c1", json_pack("[o, o]", benchmark("quick", 1, 50, 0.01),
                                                                     failing("late", 2, "cancelled")))),
                        machine("b", "partial", result("c1", json_pack("[o]", benchmark("quick", 1, 60, 0.01))))));

        assert_text(document, "verdict", "partial");
        assert_near(number(document, "fleet.measured"), 0, 0);
        assert_int_equal(json_array_size(json_at(document, "benchmarks")), 1);
        assert_no_number(first);
        assert_int_equal(json_array_size(json_at(first, "machines")), 2);
        assert_near(number(json_array_get(json_at(first, "machines"), 1), "point"), 60, 1e-9);
        assert_int_equal(count_warnings(), 1);
        assert_warns("machine-partial", "the run was cancelled");
}

TEST(a_lost_machine_is_left_out_and_named) {
        _cleanup_(json_decrefp) json_t *machines = json_pack("[o, o, o, o]", quick("a", "c1", 50),
                        machine("b", "lost", NULL), quick("c", "c1", 50), quick("d", "c1", 50));

        json_object_set_new(json_array_get(machines, 1), "error",
                        json_pack("{s:s, s:s}", "code", "LOST", "message", "ssh ended with status 255."));
        pool(json_incref(machines));
        assert_text(document, "verdict", "partial");
        assert_near(number(document, "fleet.asked"), 4, 0);
        assert_near(number(document, "fleet.measured"), 3, 0);
        assert_text(first, "over", "machines");
        assert_int_equal(json_array_size(json_at(first, "machines")), 3);
        assert_warns("machine-lost", "b was lost");
        assert_warns("machine-lost", "ssh ended with status 255.");
        assert_int_equal(count_warnings(), 1);
        assert_true(json_equal(json_at(document, "fleet.machines"), machines));
}

TEST(too_few_that_remain_have_no_number) {
        pool(json_pack("[o, o, o]", quick("a", "c1", 50), quick("b", "c1", 51), machine("c", "refused", NULL)));

        assert_no_number(first);
        assert_int_equal(json_array_size(json_at(first, "machines")), 2);
        assert_null(json_at(first, "failed"));
        assert_warns("machine-refused", "c refused the run");
        assert_warns("below-min-machines",
                        "only 2 machines of class c1 (AMD EPYC) have a complete result (--min-machines=3), and the class "
                        "of a machine that is left out is not known: there is no combined number");
        assert_text(document, "verdict", "partial");
}

/* Classes of two and of one, and a lost machine of @class; NULL: nobody knows. */
static void pool_with_one_lost(const char *class) {
        json_t *lost = machine("d", "lost", NULL);

        if (class)
                json_object_set_new(lost, "machine_class", json_string(class));
        pool(json_pack("[o, o, o, o]", quick("a", "c1", 50), quick("b", "c1", 51), quick("c", "c2", 52), lost));
}

TEST(a_lost_machine_takes_the_number_of_its_own_class_only) {
        pool_with_one_lost("c2");

        assert_text(first, "over", "these machines");
        assert_warns("few-machines", "only 2 machines of class c1");
        assert_no_number(row_at("benchmarks", 1));
        assert_warns("below-min-machines",
                        "only 1 machine of class c2 (AMD EPYC) has a complete result (--min-machines=3): there is no "
                        "combined number, only each machine's own. Run it again,");
        assert_text(document, "verdict", "partial");
}

TEST(a_lost_machine_of_a_class_of_its_own_takes_no_number) {
        pool_with_one_lost("c3");

        for (size_t i = 0; i < 2; i++)
                assert_text(row_at("benchmarks", i), "over", "these machines");
        assert_warns("machine-lost", "d was lost");
}

TEST(a_lost_machine_of_an_unknown_class_may_be_of_any) {
        pool_with_one_lost(NULL);

        for (size_t i = 0; i < 2; i++)
                assert_no_number(row_at("benchmarks", i));
}

TEST(a_class_that_lost_none_takes_more_machines) {
        json_t *lost = machine("d", "lost", NULL);

        json_object_set_new(lost, "machine_class", json_string("c1"));
        pool_with(json_pack("[o, o, o, o]", quick("a", "c1", 50), quick("b", "c1", 51), quick("c", "c2", 52), lost), 2);
        assert_text(first, "over", "these machines");
        assert_no_number(row_at("benchmarks", 1));
        assert_warns("below-min-machines",
                        "only 1 machine of class c2 (AMD EPYC) has a complete result (--min-machines=2): there is no "
                        "combined number, only each machine's own. Add machines of this class,");
}

TEST(min_machines_is_what_the_user_says) {
        json_t *machines = json_pack("[o, o, o, o]", quick("a", "c1", 50), quick("b", "c1", 51), quick("c", "c1", 52),
                        machine("d", "lost", NULL));
        static const struct {
                size_t n_machines, min_machines;
                const char *over;
        } rows[] = { { 3, 4, NULL }, { 3, 3, "machines" }, { 3, 1, "machines" }, { 2, 2, "these machines" },
                { 2, 3, NULL }, { 1, 1, "these machines" }, { 1, 2, NULL } };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                json_t *some = json_copy(machines);
                const json_t *over;

                for (size_t n = rows[i].n_machines; n < 3; n++)
                        json_array_remove(some, 0);
                pool_with(some, rows[i].min_machines);
                over = json_at(first, "over");
                assert_near(number(document, "fleet.min_machines"), rows[i].min_machines, 0);
                if (rows[i].over)
                        assert_string_equal(json_string_value(over), rows[i].over);
                else
                        assert_null(over);
        }
        json_decref(machines);
}

TEST(classes_are_never_pooled) {
        pool(json_pack("[o, o, o, o, o]", quick("a", "zen5", 40), quick("b", "zen3", 50), quick("c", "zen5", 41),
                        quick("d", "zen3", 51), quick("e", "zen5", 42)));
        const json_t *classes = json_at(document, "fleet.classes");

        assert_int_equal(json_array_size(json_at(document, "benchmarks")), 2);
        assert_text(first, "machine_class", "zen5");
        assert_text(first, "over", "machines");
        assert_int_equal(json_array_size(json_at(first, "machines")), 3);
        assert_text(row_at("benchmarks", 1), "machine_class", "zen3");
        assert_text(row_at("benchmarks", 1), "over", "these machines");
        assert_int_equal(json_array_size(classes), 2);
        assert_text(json_array_get(classes, 0), "machine_class", "zen5");
        assert_text(json_array_get(classes, 0), "brand", "AMD EPYC");
        assert_int_equal(json_array_size(json_at(json_array_get(classes, 0), "machines")), 3);
        assert_warns("classes", "2 classes");
        assert_warns("few-machines", "class zen3");
}

TEST(a_machine_without_a_class_is_pooled_with_no_other) {
        pool(json_pack("[o, o]", quick("a", NULL, 40), quick("b", NULL, 40)));

        assert_int_equal(json_array_size(json_at(document, "benchmarks")), 2);
        assert_null(json_at(first, "machine_class"));
        assert_text(row_at("benchmarks", 1), "over", "these machines");
        assert_int_equal(count_warnings(), 2);
}

TEST(a_benchmark_that_failed_anywhere_fails) {
        pool(json_pack("[o, o, o, o]", quick("a", "c1", 40), quick("b", "c1", 40),
                        machine_of("c", "c1", failing("quick", 1, "timeout")), quick("d", "c1", 40)));

        assert_no_number(first);
        assert_text(first, "failed.code", "timeout");
        assert_text(first, "failed.message", "It said so.");
        assert_text(first, "failed.machine", "c");
        assert_int_equal(json_array_size(json_at(first, "machines")), 3);
        assert_text(document, "verdict", "failed");
        assert_int_equal(count_warnings(), 0);
}

TEST(a_failure_beside_a_number_makes_the_run_partial) {
        json_t *both = json_pack("[o, o]", benchmark("quick", 1, 40, 0.01), failing("slow", 2, "timeout"));
        pool(json_pack("[o, o]", machine("a", "done", result("c1", json_incref(both))),
                        machine("b", "done", result("c1", json_deep_copy(both)))));

        json_decref(both);
        assert_text(document, "verdict", "partial");
}

TEST(a_failure_on_a_machine_that_is_left_out_counts_too) {
        json_t *cancelled =
                        result("c1", json_pack("[o, o, o]", failing("quick", 1, "crashed"),
                                                     failing("slow", 2, "cancelled"), failing("odd", 3, "skipped")));
        pool(json_pack("[o, o, o, o]", quick("a", "c1", 40), machine("b", "partial", cancelled), quick("c", "c1", 40),
                        quick("d", "c1", 40)));

        assert_int_equal(json_array_size(json_at(document, "benchmarks")), 1);
        assert_text(first, "failed.machine", "b");
        assert_no_number(first);
        assert_text(document, "verdict", "failed");
        assert_warns("machine-partial", "b was cancelled");
}

TEST(a_skipped_row_is_over_those_that_have_it) {
        pool(json_pack("[o, o, o, o]", machine_of("a", "c1", failing("quick", 1, "skipped")), quick("b", "c1", 40),
                        quick("c", "c1", 40), quick("d", "c1", 40)));

        assert_text(first, "over", "machines");
        assert_int_equal(json_array_size(json_at(first, "machines")), 3);
        assert_null(json_at(first, "failed"));
        assert_warns("missing-row", "a skipped sorting/quick/n=8 (It said so): the number is over the other machines");
        assert_text(document, "verdict", "fit");
}

TEST(a_row_that_all_skipped_says_so) {
        json_t *machines = json_pack("[o, o]", machine_of("a", "c1", failing("quick", 1, "skipped")),
                        machine_of("b", "c1", failing("quick", 1, "skipped")));

        for (size_t i = 0; i < 2; i++)
                json_object_set_new(json_object_get(json_array_get(machines, i), "result"), "verdict",
                                json_string("skipped"));
        pool(machines);
        assert_text(first, "failed.code", "skipped");
        assert_no_number(first);
        assert_null(warning("missing-row"));
        assert_text(document, "verdict", "skipped");
}

TEST(rows_are_of_one_benchmark_and_in_the_modules_order) {
        json_t *of_first = json_pack("[o, o, o]", benchmark("slow", 2, 80, 0.01), benchmark("quick", 1, 40, 0.01),
                        benchmark("twice", 3, 10, 0.01));
        json_t *of_second = json_pack("[o, o, o, o]", benchmark("twice", 3, 10, 0.01), benchmark("twice", 3, 20, 0.01),
                        benchmark("quick", 1, 40, 0.01), benchmark("slow", 2, 80, 0.01));
        json_t *machines, *threads = benchmark("quick", 1, 20, 0.01);
        static const struct {
                const char *name;
                double ns;
                size_t n;
        } rows[] = { { "quick", 40, 2 }, { "quick", 20, 1 }, { "slow", 80, 2 }, { "twice", 10, 2 },
                { "twice", 20, 1 } };

        json_object_set_new(threads, "threads", json_integer(2));
        json_array_append_new(of_first, threads);
        machines = json_pack("[o, o]", machine("a", "done", result("c1", of_first)),
                        machine("b", "done", result("c1", of_second)));
        pool(machines);
        assert_int_equal(json_array_size(json_at(document, "benchmarks")), N_ELEMENTS(rows));
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                assert_text(row_at("benchmarks", i), "name", rows[i].name);
                assert_near(number(row_at("benchmarks", i), "time_ns.point"), rows[i].ns, 1e-9);
                assert_int_equal(json_array_size(json_at(row_at("benchmarks", i), "machines")), rows[i].n);
        }
}

TEST(a_time_without_a_logarithm_is_not_pooled) {
        json_t *below = benchmark("quick", 1, 40, 0.01);

        json_object_set_new(below, "time_ns", json_pack("{s:f, s:f, s:f}", "point", -0.1, "low", -0.2, "high", 0.1));
        pool(json_pack("[o, o, o]", quick("a", "c1", 40), machine_of("b", "c1", below), quick("c", "c1", 40)));
        assert_no_number(first);
        assert_near(number(json_array_get(json_at(first, "machines"), 1), "point"), -0.1, 0);
        assert_warns("no-logarithm", "sorting/quick/n=8");
}

TEST(cycles_are_of_all_machines_or_of_none) {
        json_t *without = benchmark("quick", 1, 40, 0.01);

        json_object_set_new(without, "cycles", json_pack("{s:s, s:n}", "source", "unavailable", "point"));
        pool(json_pack("[o, o, o, o]", quick("a", "c1", 40), machine_of("b", "c1", without), quick("c", "c1", 40),
                        quick("d", "c1", 40)));
        assert_near(number(first, "time_ns.point"), 40, 1e-9);
        assert_null(json_at(first, "cycles.point"));
}

TEST(one_process_a_machine_is_enough_over_machines) {
        json_t *machines = json_array();

        for (size_t i = 0; i < 3; i++) {
                json_t *one = benchmark("quick", 1, 40 + i, 0.01);

                json_object_set_new(one, "time_ns", json_pack("{s:f}", "point", 40.0 + i));
                json_object_set_new(one, "processes", json_pack("[{s:f}]", "median_ns", 40.0 + i));
                json_array_append_new(machines, machine_of((const char *[]){ "a", "b", "c" }[i], "c1", one));
        }
        pool(machines);
        assert_text(first, "over", "machines");
        assert_true(number(first, "time_ns.low") < 41 && number(first, "time_ns.high") > 41);
        assert_null(json_at(first, "variance.between_machine"));
        assert_null(json_at(first, "heterogeneity_p"));
}

TEST(the_odd_machine_is_named_and_stays_in) {
        static const double times[] = { 40, 40.1, 39.9, 40.05, 48 };
        json_t *machines = json_array();

        for (size_t i = 0; i < 5; i++) {
                const char name[] = { (char)('a' + i), '\0' };

                json_array_append_new(machines, quick(name, "c1", times[i]));
        }
        pool(machines);
        for (size_t i = 0; i < 5; i++)
                assert_int_equal(json_flag_at(json_array_get(json_at(first, "machines"), i), "odd"), i == 4);
        assert_true(number(first, "time_ns.point") > 41);
        assert_warns("odd-machine", "e lies apart from all others in sorting/quick/n=8");
        assert_null(warning("machines-differ"));
}

TEST(a_step_of_the_clock_bounds_the_interval) {
        json_t *machines = json_array();

        for (size_t i = 0; i < 3; i++) {
                json_t *coarse = benchmark("quick", 1, 40, 0), *machine;

                for (size_t j = 0; j < N_PROCESSES; j++) /* 10 us a batch */
                        json_object_set_new(json_array_get(json_object_get(coarse, "processes"), j), "iterations",
                                        json_integer(250));
                machine = machine_of((const char *[]){ "a", "b", "c" }[i], "c1", coarse);
                json_object_set_new(json_object_get(json_object_get(machine, "result"), "environment"), "tsc",
                                json_pack("{s:f, s:f}", "quantum_ticks", 30.0, "hz", 3e9)); /* 10 ns */
                json_array_append_new(machines, machine);
        }
        pool(machines);
        assert_near(log(number(first, "time_ns.high") / 40), 0.001, 1e-9);
}

TEST(an_unfit_machine_makes_the_run_unfit) {
        json_t *machines = json_pack("[o, o]", quick("a", "c1", 40), quick("b", "c1", 40));

        json_object_set_new(json_object_get(json_array_get(machines, 1), "result"), "verdict", json_string("unfit"));
        pool(machines);
        assert_text(document, "verdict", "unfit");
        assert_warns("machine-unfit", "the result of b is not reliable");
}

TEST(without_any_machine_there_is_a_document) {
        pool(json_pack("[o, o]", machine("a", "lost", NULL), machine("b", "refused", NULL)));

        assert_text(document, "verdict", "failed");
        assert_int_equal(json_array_size(json_at(document, "benchmarks")), 0);
        assert_int_equal(json_array_size(json_at(document, "fleet.classes")), 0);
        assert_near(number(document, "fleet.measured"), 0, 0);
}

/* ---- comparisons */

static json_t *comparing(const char *name, const char *class, json_t *benchmarks, json_t *comparisons) {
        json_t *own = result(class, benchmarks);

        json_object_set_new(own, "comparisons", comparisons);
        return machine(name, "done", own);
}

/* Machines a, b, ... with the @n ratios of the benchmark "quick". */
static json_t *ratios(const double *values, size_t n, double deviation) {
        json_t *machines = json_array();

        for (size_t i = 0; i < n; i++) {
                const char name[] = { (char)('a' + i), '\0' };

                json_array_append_new(machines,
                                comparing(name, "c1", json_array(),
                                                json_pack("[o]", comparison("quick", 1, values[i], deviation))));
        }
        return machines;
}

TEST(the_verdict_is_that_of_the_interval_over_machines) {
        static const struct {
                double values[5];
                const char *verdict;
        } rows[] = {
                { { 1.02, 1.021, 1.019, 1.02, 1.022 }, "slower" },
                { { 0.98, 0.981, 0.979, 0.98, 0.982 }, "faster" },
                { { 1, 1.001, 0.999, 1.0005, 0.9995 }, "same" },
                { { 1, 1.02, 0.98, 1.01, 0.99 }, "unresolved" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                pool(ratios(rows[i].values, 5, 0.001));
                const ComparisonRule rule = { .confidence = 0.95, .margin = 0.005 };
                double logs[5];
                Comparison expected;

                for (size_t j = 0; j < 5; j++)
                        logs[j] = log(rows[i].values[j]);
                assert_int_equal(comparison_paired(logs, NULL, 5, &rule, &expected), 0);
                assert_text(first, "over", "machines");
                assert_text(first, "verdict", rows[i].verdict);
                assert_near(number(first, "ratio.point"), expected.ratio, 1e-12);
                assert_near(number(first, "ratio.low"), expected.low, 1e-12);
                assert_near(number(first, "ratio.high"), expected.high, 1e-12);
                assert_near(number(first, "p_value"), expected.p_value, 1e-12);
                assert_near(number(first, "margin"), 0.005, 0);
                assert_near(number(first, "variance.between_process"), 0.001, 1e-9);
                comparison_foresee(&expected, &rule);
                if (expected.verdict == COMPARISON_UNRESOLVED)
                        assert_near(number(first, "machines_needed"), expected.processes_needed, 0);
                else
                        assert_null(json_at(first, "machines_needed"));
        }
}

TEST(many_rows_are_adjusted_for_their_number) {
        enum {
                N_ROWS = 40
        };
        static const double barely[] = { 1.0108, 1.009, 1.0126 };
        json_t *machines = json_array();

        pool(ratios(barely, 3, 0.0001));
        assert_text(first, "verdict", "slower");

        for (size_t i = 0; i < 3; i++) {
                json_t *rows = json_pack("[o]", comparison("barely", 1, barely[i], 0.0001));

                for (int j = 2; j <= N_ROWS; j++)
                        json_array_append_new(rows, comparison("same", j, 1 + 1e-4 * i, 0.0001));
                json_array_append_new(machines,
                                comparing((const char *[]){ "a", "b", "c" }[i], "c1", json_array(), rows));
        }
        pool(machines);
        assert_text(first, "verdict", "unresolved");
        assert_null(json_at(first, "machines_needed"));
        assert_warns("chance-among-rows", "sorting/barely/n=8");
}

TEST(one_machine_has_the_verdict_that_it_gave) {
        static const double slow = 1.02;
        json_t *machines = ratios(&slow, 1, 0.001);

        json_object_set_new(json_array_get(json_object_get(json_object_get(json_array_get(machines, 0), "result"),
                                                           "comparisons"),
                                            0),
                        "verdict", json_string("unresolved")); /* Holm's, among its rows */
        pool(machines);
        assert_text(first, "over", "these machines");
        assert_text(first, "verdict", "unresolved");
        assert_near(log(number(first, "ratio.high") / number(first, "ratio.low")) / 2,
                        0.001 / sqrt(N_PROCESSES) * 2.262157, 1e-8);
}

TEST(two_machines_compare_by_the_spread_within_them) {
        static const double values[] = { 1.02, 1.04 };
        pool(ratios(values, 2, 0.001));

        assert_text(first, "over", "these machines");
        assert_text(first, "verdict", "slower");
        assert_near(log(number(first, "ratio.high") / number(first, "ratio.point")), 2.100922 * 0.001 / sqrt(20), 1e-8);
        assert_null(json_at(first, "machines_needed"));
}

/* An interval at an early look is wider than its spread says: one at 97.5 % is 2.685 errors wide, and one at 95 % 2.262. */
TEST(a_ratio_that_ended_by_itself_counts_with_the_confidence_that_it_tells) {
        static const double values[] = { 1.02, 1.04 };
        json_t *machines = ratios(values, 2, 0.001);

        for (size_t i = 0; i < 2; i++)
                json_object_set_new(
                                json_array_get(json_object_get(json_object_get(json_array_get(machines, i), "result"),
                                                               "comparisons"),
                                                0),
                                "confidence", json_real(0.975));
        pool(machines);
        assert_near(log(number(first, "ratio.high") / number(first, "ratio.point")),
                        2.100922 * 0.001 / sqrt(20) * 2.262157 / 2.685011, 1e-8);
}

/* Five rounds have four degrees, whatever the number of processes. */
TEST(a_ratio_of_rounds_has_the_degrees_of_rounds) {
        static const double values[] = { 1.02, 1.04 };
        json_t *machines = ratios(values, 2, 0.001);

        for (size_t i = 0; i < 2; i++)
                json_object_set_new(
                                json_array_get(json_object_get(json_object_get(json_array_get(machines, i), "result"),
                                                               "comparisons"),
                                                0),
                                "rounds", json_integer(5));
        pool(machines);
        assert_near(log(number(first, "ratio.high") / number(first, "ratio.point")),
                        2.306004 * 0.001 / sqrt(20) * 2.262157 / 2.776445, 1e-8);
}

TEST(a_ratio_whose_core_was_shared_has_no_verdict) {
        static const double values[] = { 1.02, 1.021, 1.019 };
        json_t *machines = ratios(values, 3, 0.001);

        json_object_set_new(json_array_get(json_object_get(json_object_get(json_array_get(machines, 1), "result"),
                                                           "comparisons"),
                                            0),
                        "findings", json_pack("[{s:s}]", "kind", "unfit-shared-core"));
        pool(machines);
        assert_text(first, "verdict", "unresolved");
}

TEST(a_comparison_fails_where_a_side_does) {
        static const double values[] = { 1.02, 1.021, 1.019 };
        json_t *machines = ratios(values, 3, 0.001), *result = json_object_get(json_array_get(machines, 2), "result");
        json_t *side = failing("quick", 1, "crashed");

        json_object_set_new(side, "side", json_string("old"));
        json_array_append_new(json_object_get(result, "benchmarks"), side);
        json_object_set_new(json_array_get(json_object_get(result, "comparisons"), 0), "ratio", json_null());
        pool(machines);
        assert_null(json_at(first, "verdict"));
        assert_null(json_at(first, "ratio.point"));
        assert_text(first, "failed.code", "crashed");
        assert_text(first, "failed.machine", "c");
        assert_text(row_at("benchmarks", 0), "failed.machine", "c");
        assert_text(row_at("benchmarks", 0), "side", "old");
        assert_text(document, "verdict", "failed");
}

/* The interval of a comparison has a degree less for each place of the code. */
TEST(the_places_of_the_code_take_degrees) {
        json_t *machines = json_array();

        for (size_t i = 0; i < 2; i++) {
                json_t *sides = json_array();

                for (size_t side = 0; side < 2; side++) {
                        json_t *benchmark_side = benchmark("quick", 1, 40, 0.01);

                        json_object_set_new(benchmark_side, "side", json_string(side ? "old" : "new"));
                        for (size_t j = 0; j < N_PROCESSES; j++)
                                json_object_set_new(json_array_get(json_object_get(benchmark_side, "processes"), j),
                                                "image_offset", json_integer(16 * (j % 4)));
                        json_array_append_new(sides, benchmark_side);
                }
                json_array_append_new(machines, comparing(i ? "b" : "a", "c1", sides,
                                                                json_pack("[o]", comparison("quick", 1, 1.02, 0.001))));
        }
        pool(machines);
        /* the half of a machine, by t of 6 degrees; that of both by t of 12 */
        assert_near(log(number(first, "ratio.high") / 1.02),
                        2.262157 * 0.001 / sqrt(N_PROCESSES) / 2.446912 / sqrt(2) * 2.178813, 1e-8);
        assert_int_equal(json_array_size(json_at(document, "benchmarks")), 2);
        assert_text(row_at("benchmarks", 0), "side", "new");
}

/* ---- */

TEST(a_result_is_whole_unless_it_was_cancelled) {
        _cleanup_(json_decrefp) json_t *fit = result("c1", json_array());
        _cleanup_(json_decrefp) json_t *failed = result("c1", json_pack("[o]", failing("quick", 1, "crashed")));

        assert_true(fleet_result_is_whole(fit));
        json_object_set_new(failed, "verdict", json_string("partial"));
        assert_true(fleet_result_is_whole(failed));
        json_object_set_new(failed, "cancelled", json_true());
        assert_false(fleet_result_is_whole(failed));
        assert_false(fleet_result_is_whole(NULL));
}
