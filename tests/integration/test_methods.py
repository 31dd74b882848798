# SPDX-License-Identifier: GPL-3.0-or-later
"""Older methods through the whole daemon: which rows there are, how many samples of which count, and what is said. No time
of this machine is judged: where one decides, it is the simulated clock's."""

import re

import pytest

from support.benchctl import Benchctl
from support.client import Failed
from support.tree import PASS

TOUCHES = "method method-* pace"

CHAIN = """
static void work(unsigned n)
{
        uint64_t x = 3;

        for (unsigned i = 0; i < n; i++)
                __asm__ volatile("imul %0, %0" : "+r"(x));
        bench_use(x);
}

BENCH(short, .area = "chain", .reference = 1) { bench_loop(b) work(10); }
BENCH(paused, .area = "chain") { bench_loop(b) { bench_pause(b); work(10); bench_resume(b); work(1000); } }
BENCH(long, .area = "chain") { bench_loop(b) work(1000000); }
"""
MS = 1000000

# As many ns of the simulated clock as CHAIN has steps.
SIMULATED = PASS + """
BENCH(short, .area = "chain", .reference = 1) { bench_loop(b) simulated_pass(10); }
BENCH(paused, .area = "chain") { bench_loop(b) { bench_pause(b); simulated_pass(10); bench_resume(b); simulated_pass(1000); } }
BENCH(long, .area = "chain") { bench_loop(b) simulated_pass(1000000); }
"""


@pytest.fixture(scope="module")
def chain(modules):
    return modules(CHAIN)


@pytest.fixture(scope="module")
def simulated_chain(modules):
    return modules(SIMULATED)


def one(run, name="chain/short"):
    result = run.benchmarks[name]
    assert not result.HasField("failed"), result.failed.message
    return result


@pytest.mark.parametrize("method", ["mark5", "mark6"])
def test_counts_double_from_two_and_each_is_told(simulated, simulated_chain, method):
    result = one(simulated.run(simulated_chain, filters=["short"], method=method, budget_ns=MS))
    assert [step.iterations for step in result.steps] == [2 << i for i in range(len(result.steps))]
    assert len(result.steps) == 12, "10 * 10 * (2 + 4 + ... + 4096) ns are 0.8 of a millisecond, with 8192 they are 1.6"
    assert all(step.samples == 10 for step in result.steps)
    assert any("the budget ended the doubling" in warning for warning in result.warnings)
    assert result.iterations_per_sample == result.steps[-1].iterations
    assert result.time_ns.raw.samples == result.steps[-1].samples
    assert result.time_ns.raw.mean == pytest.approx(result.steps[-1].mean_ns)
    assert not result.HasField("first_call_ns")


def test_mark7_tells_the_last_count_alone(simulated, simulated_chain):
    run = simulated.run(simulated_chain, filters=["short"], method="mark7", budget_ns=MS)
    result = one(run)
    assert not result.steps
    assert result.samples <= 10
    assert result.iterations_per_sample in [2 << i for i in range(30)]
    assert (run.result.method, result.method) == ("mark7", "mark7")
    assert run.result.plan.processes == 1
    assert any("lower bound" in warning for warning in run.result.warnings)


@pytest.mark.parametrize("method", ["mark8", "mark8setup"])
def test_mark8_takes_the_number_of_batches_and_their_least_time(simulated, simulated_chain, method):
    result = one(simulated.run(simulated_chain, filters=["paused"], method=method, samples=4, min_time_ns=MS), "chain/paused")
    assert result.samples == 4
    assert result.iterations_per_sample == 1024, "1000 ns each, for a millisecond"
    assert len(result.processes) == 1


def test_mark8setup_warns_of_what_never_pauses_and_of_what_is_too_short(simulated, modules):
    run = simulated.run(modules(PASS + """
BENCH(unpaused) { bench_loop(b) simulated_pass(200); }
BENCH(tiny)     { bench_loop(b) { bench_pause(b); simulated_pass(500); bench_resume(b); simulated_pass(40); } }
BENCH(longer)   { bench_loop(b) { bench_pause(b); simulated_pass(500); bench_resume(b); simulated_pass(200); } }
"""), method="mark8setup", samples=3, min_time_ns=MS)
    said = {name.split("/")[1]: " ".join(result.warnings) for name, result in run.benchmarks.items()}
    assert "never paused" in said["unpaused"]
    assert "under 100 ns" in said["tiny"]
    assert "never paused" not in said["longer"] and "under 100 ns" not in said["longer"]


def test_the_budget_bounds_mark8setup_by_the_time_that_passes_and_says_so(simulated, modules):
    """A microsecond of pause before each nanosecond: until a batch lasts 2 ms without its pauses, all of them take 12.6 s."""
    module = modules(PASS + """
BENCH(tiny) { bench_loop(b) { bench_pause(b); simulated_pass(1000); bench_resume(b); simulated_pass(1); } }
""")
    bounded = simulated.run(module, method="mark8setup", samples=3, min_time_ns=2 * MS, budget_ns=80 * MS)
    result, = bounded.benchmarks.values()
    assert result.iterations_per_sample == 8192, "3 * 1001 ns * (2 + 4 + ... + 8192) are 49 ms, with 16384 they would be 98"
    assert result.samples == 3
    assert any("the budget ended the doubling" in warning for warning in result.warnings)
    enough = simulated.run(module, method="mark8setup", samples=3, min_time_ns=1000, budget_ns=1000 * MS)
    result, = enough.benchmarks.values()
    assert result.iterations_per_sample == 1024
    assert not any("the budget ended" in warning for warning in result.warnings)


def test_mark4_has_ten_batches_of_the_count(client, chain):
    result = one(client.run(chain, filters=["short"], method="mark4", iterations=777))
    assert (result.samples, result.iterations_per_sample) == (10, 777)


def test_measureit_subtracts_an_empty_benchmark_and_shows_it(simulated, simulated_chain):
    run = simulated.run(simulated_chain, filters=["short"], method="measureit")
    assert len(run.benchmarks) == 2
    nothing, result = run.benchmarks["/NOTHING"], one(run)
    assert (nothing.index, result.index) == (1, 2)
    for benchmark in (nothing, result):
        assert (benchmark.samples, benchmark.iterations_per_sample) == (10, 1000)
        assert not benchmark.time_ns.HasField("net")
    assert nothing.time_ns.raw.median == pytest.approx(0, abs=1e-9) and result.time_ns.raw.median == pytest.approx(10)
    assert result.HasField("first_call_ns")
    assert result.reference and not nothing.reference


def test_measureit_takes_three_samples_of_one_iteration_where_a_body_is_long(simulated, simulated_chain):
    run = simulated.run(simulated_chain, filters=["long"], method="measureit")
    result = one(run, "chain/long")
    assert (result.samples, result.iterations_per_sample) == (3, 1)
    assert any("long body" in warning for warning in result.warnings)
    assert not any("budget" in warning for warning in result.warnings)
    assert not run.result.plan.HasField("shortened_by")


def test_stopwatch_warms_up_by_the_clock_unless_nothing_is_prepared(client, chain):
    prepared = one(client.run(chain, filters=["short"], method="stopwatch", warmup_ns=30 * MS))
    assert (prepared.samples, prepared.iterations_per_sample) == (20, 1)
    assert prepared.warmup_ms >= 30
    run = client.run(chain, filters=["short"], method="stopwatch", unprepared=True)
    assert one(run).samples == 20
    assert one(run).warmup_ms == 0
    assert any("unprepared" in warning for warning in run.result.warnings)


@pytest.mark.parametrize("method, n, options", [
    ("stopwatch", 20, {"warmup_ns": MS}), ("mark2", 1, {"iterations": 3}), ("mark3", 10, {"iterations": 3})])
def test_each_run_is_told_with_its_ticks_and_how_far_they_are_apart(simulated, simulated_chain, method, n, options):
    result = one(simulated.run(simulated_chain, filters=["short"], method=method, **options))
    iterations = options.get("iterations", 1)
    assert [(run.ticks, run.elapsed_ns, run.time_ns) for run in result.runs] == [
        (10 * iterations, pytest.approx(10 * iterations), pytest.approx(10))] * n
    assert result.HasField("runs_spread") == (n > 1) and result.runs_spread == pytest.approx(0)
    assert result.samples == n and result.iterations_per_sample == iterations


@pytest.mark.parametrize("method, options", [
    ("measureit", {"iterations": 1, "samples": 3}), ("macro", {}), ("softwx", {"iterations": 1, "samples": 5, "min_time_ns": 1}),
    ("stopwatch", {"samples": 3, "warmup_ns": 0}), ("mark3", {"iterations": 1})])
def test_any_method_can_leave_its_first_call_unprimed(client, modules, method, options):
    module = modules("""
BENCH(counted) { unsigned n = 0; bench_loop(b) bench_use(++n); bench_counter(b, "calls", n); }
""")
    run = client.run(module, method=method, no_prime=True, **options)
    result = next(result for result in run.benchmarks.values() if result.name == "counted")
    assert {counter.name: counter.value for counter in result.counters} == {"calls": result.samples}
    assert not result.HasField("first_call_ns")
    primes = method in ("measureit", "macro", "softwx")
    assert run.result.method == (f"{method} unprimed" if primes else method)


def test_other_methods_tell_no_runs(simulated, simulated_chain):
    result = one(simulated.run(simulated_chain, filters=["short"], method="mark4", iterations=3))
    assert not result.runs and not result.HasField("runs_spread")


def test_softwx_counts_in_powers_of_ten_and_calls_five_times_or_more(client, chain):
    run = client.run(chain, method="softwx", min_time_ns=2 * MS)
    assert run.benchmarks["/NOTHING"].index == 1
    for result in run.benchmarks.values():
        assert re.fullmatch("10*", str(int(result.iterations_per_sample)))
        assert result.samples >= 5
        assert result.operations_total == result.samples * result.iterations_per_sample
    assert one(client.run(chain, filters=["short"], method="softwx", iterations=50, samples=7, min_time_ns=1)).samples == 7


def test_macro_primes_and_runs_ten_times(client, chain):
    result = one(client.run(chain, filters=["paused"], method="macro"), "chain/paused")
    assert (result.samples, result.iterations_per_sample) == (10, 1)
    assert result.HasField("first_call_ns")
    assert one(client.run(chain, filters=["short"], method="macro", samples=50)).samples == 50


def test_a_module_names_its_method_and_a_request_another(client, modules):
    module = modules("""
BENCH(plain, .samples = 3, .processes = 1) { bench_loop(b) bench_clobber(); }
BENCH(old, .method = "mark8", .samples = 4, .min_time_ns = 1000) { bench_loop(b) bench_clobber(); }
""")
    assert {info.name: info.method for info in client.list(module).benchmarks} == {"plain": "", "old": "mark8"}
    run = client.run(module)
    assert run.result.method == "benchd, mark8"
    old, plain = sorted(run.benchmarks.values(), key=lambda result: result.name)
    assert (plain.method, old.method, old.samples) == ("benchd", "mark8", 4)
    other = client.run(module, filters=["old"], method="macro")
    assert other.result.method == "macro"
    assert other.result.comparability_key != run.result.comparability_key


def test_state_that_is_reset_stays_one_iteration_a_batch(client, modules):
    run = client.run(modules("""
static unsigned n;
static void reset(struct bench *b) { (void)b; n = 0; }
BENCH(resets, .area = "main", .reset = reset) { bench_loop(b) { if (n++ > 0) bench_fail(b, "not reset"); } }
"""), method="mark7")
    assert one(run, "main/resets").iterations_per_sample == 1


@pytest.mark.parametrize("options, mentions", [
    ({"method": "mark9"}, "There is no method 'mark9'."),
    ({"method": "mark5", "samples": 3}, "The method mark5 does not take --samples."),
    ({"method": "measureit", "quick": True}, "The method measureit does not take --quick."),
    ({"method": "stopwatch", "processes": 3}, "The method stopwatch does not take --processes."),
    ({"method": "macro", "samples": 51}, "The method macro takes from 10 to 50 samples."),
])
def test_what_a_method_does_not_take_is_refused_in_words(client, chain, options, mentions):
    with pytest.raises(Failed) as failed:
        client.run(chain, **options)
    assert failed.value.code == "BAD_REQUEST"
    assert failed.value.message == mentions
    if options["method"] == "mark9":
        assert "mark8setup" in failed.value.hint


# ---- as benchctl shows them


def benchctl(build, *words, where="--private"):
    return Benchctl(build, where)("run", *words, timeout=600)


def test_marks_columns_are_name_arguments_mean_deviation_and_count(build, modules):
    module = modules("BENCH(sized, .args = BENCH_ARGS(n, 100, 200)) { bench_loop(b) bench_use(bench_arg(b, 0)); }")
    lines = benchctl(build, "--method=mark6", "--format=mark", "--budget=0.001", module).stdout.splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    assert {(name, int(n)) for name, n, *_ in rows} == {("sized", 100), ("sized", 200)}
    counts = [int(count) for name, n, mean, deviation, count in rows if n == "100"]
    assert counts == [2 << i for i in range(len(counts))]


ONE_LONGER = PASS + """
BENCH(one_longer) { unsigned n = 0; bench_loop(b) simulated_pass(++n == 3 ? 3000 : 2000 + n % 2); }
"""


def test_stopwatch_has_a_line_for_each_run_with_the_extremes_marked(build, simulated_daemon, modules):
    table = benchctl(build, "--method=stopwatch", "--warmup=0", "--samples=4", modules(ONE_LONGER),
                     where=f"--socket={simulated_daemon.socket}").stdout
    lines = [" ".join(line.split()) for line in table.splitlines()]
    start = lines.index("1 2,001 ticks 2.001 µs")
    assert lines[start:start + 5] == [
        "1 2,001 ticks 2.001 µs", "2 2,000 ticks 2.000 µs lowest", "3 3,000 ticks 3.000 µs highest", "4 2,000 ticks 2.000 µs",
        "highest and lowest differ by 1,000 ticks, 50 %"]


@pytest.mark.parametrize("method, line", [
    ("mark2", "  10.0 ns\n"), ("mark3", 10 * "  10.0 ns\n"), ("mark4", "  10.0 ns +/-  0.000\n"),
    ("mark7", "short                                10.0       0.00          3\n")])
def test_a_mark_is_printed_as_sestoft_prints_it(build, simulated_daemon, simulated_chain, method, line):
    options = ["--budget=0.001"] if method == "mark7" else ["--iterations=3"]
    text = benchctl(build, f"--method={method}", "--format=mark", *options, simulated_chain, "--", "short",
                    where=f"--socket={simulated_daemon.socket}").stdout
    found = "".join(row + "\n" for row in text.splitlines() if not row.startswith("#"))
    assert re.sub(r" +\d+$", "", found, flags=re.M) == re.sub(r" +\d+$", "", line, flags=re.M)
    assert ("# short" in text.splitlines()) == (method != "mark7")


def test_sweeps_are_data_sets_for_gnuplot(build, modules):
    module = modules("".join(
        f"BENCH({name}, .args = BENCH_ARGS(n, 1, 2)) {{ bench_loop(b) bench_use(bench_arg(b, 0)); }}\n" for name in ("first", "second")))
    text = benchctl(build, "--method=mark8", "--format=mark", "--samples=1", "--min-time=0.001", module).stdout
    sets = [[line.split()[:2] for line in part.splitlines() if line and not line.startswith("#")] for part in text.split("\n\n\n")]
    assert sets == [[["first", "1"], ["first", "2"]], [["second", "1"], ["second", "2"]]]


def test_measureits_table_is_scaled_to_the_reference(build, simulated_daemon, simulated_chain):
    table = benchctl(build, "--method=measureit", simulated_chain, where=f"--socket={simulated_daemon.socket}").stdout
    assert re.search(r"^Scaled where short = 1\.0 \(.* = 1\.0 units\)$", table, re.M)
    assert re.search(r"^  NOTHING ", table, re.M)
    assert re.search(r"^  short +1\.000 ", table, re.M) and re.search(r"^  paused +100\.0+ ", table, re.M)


def test_softwx_has_operations_iterations_and_elapsed(build, chain):
    table = benchctl(build, "--method=softwx", "--min-time=1", chain).stdout
    assert re.search(r"time/op +operations +iterations +elapsed", table)
