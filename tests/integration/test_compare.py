# SPDX-License-Identifier: GPL-3.0-or-later
"""Two modules measured in turns in one process, by the real daemon and runner."""

import pytest

import benchd_pb2 as pb
from support.benchctl import Benchctl
from support.client import FEW, MEASURED, PATIENT, Failed, comparisons
from support.modules import CHAIN
from support.tree import PASS

TOUCHES = "comparison-report pairing lockstep report-comparison verb-compare common/stats/comparison.* common/stats/sequence.*"

UNTIL_IT_KNOWS = {name: value for name, value in FEW.items() if name != "processes"}


# Takes @n ns an iteration, by the simulated clock.
TAKES = PASS + """
BENCH(takes, .area = "a") {{ bench_loop(b) simulated_pass({n}); }}
BENCH(only_{n}, .area = "a") {{ bench_loop(b) simulated_pass({n}); }}
"""

# What g++ marks unique: one of a process, unless the runner keeps the modules apart.
STATE = """
#include <benchd/bench.h>
inline int shared = 0;
static int &counted() { static int own = 0; return own; }
template <typename T> int &instance() { static T value; return value; }
BENCH(state, .area = "a") {
        shared++;
        counted()++;
        instance<int>()++;
        bench_counter(b, "seen", shared + 10 * counted() + 100 * instance<int>());
        bench_loop(b) bench_clobber();
}
"""

SWEEP = """
BENCH(sweep, .area = "a", .args = BENCH_RANGE(n, {first}, {last}, 2)) {{ bench_loop(b) bench_clobber(); }}
"""


def test_what_takes_twice_as_long_is_slower_and_the_other_way_round_faster(simulated, modules):
    short, long = modules(TAKES.format(n=1000), name="short"), modules(TAKES.format(n=2000), name="long")
    slower, faster = simulated.compare(long, short, **FEW), simulated.compare(short, long, **FEW)
    row = comparisons(slower)["a/takes"]

    assert row.verdict == pb.ComparisonResult.SLOWER
    assert row.ratio.point == pytest.approx(2, rel=1e-6) and 1.99 < row.ratio.low < 2 < row.ratio.high < 2.01
    assert 1 < row.processes <= FEW["processes"] and row.margin == 0.005 and row.p_value < 0.05
    assert not row.HasField("processes_needed")
    assert comparisons(faster)["a/takes"].verdict == pb.ComparisonResult.FASTER
    assert list(slower.result.only_new) == ["a/only_2000"] and list(slower.result.only_old) == ["a/only_1000"]
    assert slower.result.module.name == long.name and slower.result.old_module.name == short.name


def test_what_takes_as_long_is_the_same_within_the_margin_and_not_without_one(simulated, modules):
    one, other = modules(TAKES.format(n=1000), name="one"), modules(TAKES.format(n=1004), name="other")

    assert comparisons(simulated.compare(one, one, **FEW))["a/takes"].verdict == pb.ComparisonResult.SAME
    assert comparisons(simulated.compare(other, one, **FEW, margin=0.02))["a/takes"].verdict == pb.ComparisonResult.SAME
    assert comparisons(simulated.compare(other, one, **FEW, margin=0))["a/takes"].verdict == pb.ComparisonResult.SLOWER


def test_a_comparison_ends_by_itself_at_a_look_of_its_schedule(simulated, modules):
    short, long = modules(TAKES.format(n=1000), name="short"), modules(TAKES.format(n=2000), name="long")
    run = simulated.compare(long, short, filters=["a/takes"], **UNTIL_IT_KNOWS)
    row, looks = comparisons(run)["a/takes"], run.result.plan.looks

    assert row.verdict == pb.ComparisonResult.SLOWER and row.end == pb.ComparisonResult.DECIDED
    assert [look.processes for look in looks] == [8, 12, 16, 20, 24, 32]
    assert all(0 < look.beyond < look.same < 0.05 for look in looks)
    assert run.result.plan.processes in [look.processes for look in looks]
    assert row.confidence == pytest.approx(1 - 2 * looks[[look.processes for look in looks].index(run.result.plan.processes)].beyond)
    assert run.progress[-1].processes <= 32
    assert any(progress.processes_most == 32 for progress in run.progress if progress.process == 0)


def test_a_number_fixes_it_and_a_most_ends_it_earlier(simulated, modules):
    module = modules(TAKES.format(n=1000), name="one")

    def ended(**options):
        run = simulated.compare(module, module, filters=["a/takes"], **{**UNTIL_IT_KNOWS, **options})
        return comparisons(run)["a/takes"], run.result

    row, result = ended(processes=5)
    assert not row.HasField("end") and row.confidence == 0.95
    assert result.plan.processes == 5 and not result.plan.looks
    assert not ended(processes_most=5)[1].plan.looks and ended(processes_most=5)[1].plan.processes == 5
    assert [look.processes for look in ended(processes_most=15)[1].plan.looks] == [8, 12]


def test_by_this_machines_clock_a_verdict_is_what_its_interval_and_margin_make_of_it(client, modules):
    run = client.compare(modules(CHAIN.format(n=200), name="long"), modules(CHAIN.format(n=100), name="short"), **FEW)
    row = comparisons(run)["a/chain"]

    assert 0 < row.ratio.low <= row.ratio.point <= row.ratio.high
    beyond = {pb.ComparisonResult.SLOWER: row.ratio.low > 1 + row.margin,
              pb.ComparisonResult.FASTER: row.ratio.high < 1 / (1 + row.margin),
              pb.ComparisonResult.SAME: 1 / (1 + row.margin) < row.ratio.low and row.ratio.high < 1 + row.margin}
    assert [verdict for verdict, holds in beyond.items() if holds] == (
        [] if row.verdict == pb.ComparisonResult.UNRESOLVED else [row.verdict])


def test_both_sides_are_told_beside_the_comparison_with_equal_counts(client, modules):
    module = modules(CHAIN.format(n=100), name="short")
    run = client.compare(module, module, **FEW, **PATIENT)
    new, old = run.benchmarks["a/chain"], run.benchmarks["a/chain old"]

    assert run.result.verdict in MEASURED
    assert new.side == "new" and old.side == "old"
    assert new.samples == old.samples >= FEW["processes"] * FEW["samples"]
    assert new.iterations_total == old.iterations_total
    assert new.time_ns.point > 0 and old.time_ns.point > 0


def test_loops_at_other_offsets_in_their_lines_are_told(client, modules):
    def built(skipped):
        return modules('__asm__(".text\\n.balign 64\\n.skip %d, 0x90\\n");' % skipped + CHAIN.format(n=100), "-fno-toplevel-reorder",
                       "-fno-align-functions", name=f"skip{skipped}")

    apart, level = (client.compare(built(16), built(other), no_aslr=True, **FEW) for other in (32, 80))
    new, old = ({process.loop_offset for process in apart.benchmarks[name].processes} for name in ["a/chain", "a/chain old"])

    assert new != old and len(new) == len(old) == 1
    words = f"(old {old.pop()}, new {new.pop()} bytes)"
    assert any(words in warning for warning in comparisons(apart)["a/chain"].warnings)
    assert not any("offsets" in warning for warning in comparisons(level)["a/chain"].warnings)


def test_two_builds_of_a_cpp_module_share_no_state(client, modules, tmp_path):
    source = tmp_path / "state.cc"
    source.write_text(STATE)
    run = client.compare(modules(source, "-DNEW", name="new"), modules(source, "-DOLD", name="old"), **FEW)

    for side in run.benchmarks["a/state"], run.benchmarks["a/state old"]:
        assert {counter.name: counter.value for counter in side.counters} == {"seen": 111}


def test_each_side_is_set_up_first_in_half_of_the_processes(client, modules):
    module = modules("""
        #include <fcntl.h>
        #include <unistd.h>
        BENCH(order, .area = "a") {
                int fd = open("../set-up", O_CREAT | O_EXCL | O_WRONLY, 0600);

                bench_counter(b, "first", fd >= 0);
                close(fd);
                bench_loop(b) bench_clobber();
        }""", name="order")
    run = client.compare(module, module, **FEW)

    for side in run.benchmarks["a/order"], run.benchmarks["a/order old"]:
        assert {counter.name: counter.value for counter in side.counters} == {"first": 0.5}


def test_the_heap_begins_where_the_seed_says_unless_the_layout_is_fixed(client, modules):
    """Its place within a page: of pages the kernel makes random which."""
    module = modules("""
        #include <stdint.h>
        #include <stdlib.h>
        BENCH(heap, .area = "a") {
                void *block = malloc(65536);
                bench_counter(b, "at", (uintptr_t)block % 4096);
                bench_loop(b) bench_use(block);
        }""", name="heap")

    def places(**options):
        run = client.compare(module, module, **{**FEW, **options, "processes": 1})
        return tuple(run.benchmarks[name].counters[0].value for name in ["a/heap", "a/heap old"])

    assert places(seed=1) == places(seed=1)
    assert all(len(set(side)) > 1 for side in zip(*(places(seed=seed) for seed in range(1, 5))))
    assert len({places(seed=seed, no_aslr=True) for seed in range(1, 5)}) == 1


def test_two_benchmarks_of_one_module_are_compared_by_name(client, modules):
    module = modules("""
        BENCH(one, .area = "a") { bench_loop(b) bench_clobber(); }
        BENCH(other, .area = "a") { bench_loop(b) bench_clobber(); }""", name="pair")
    run = client.compare(module, module, names=("a/one", "a/other"), filters=["a/one"], **FEW)
    row, = run.result.comparisons

    assert (row.area, row.name, row.old_area, row.old_name) == ("a", "one", "a", "other")
    assert set(run.benchmarks) == {"a/one", "a/other old"}


def test_a_sweep_is_compared_where_both_have_the_argument(client, modules):
    run = client.compare(modules(SWEEP.format(first=1, last=8), name="left"),
                         modules(SWEEP.format(first=4, last=32), name="right"), **FEW)

    assert set(comparisons(run)) == {"a/sweep/n=4", "a/sweep/n=8"}
    assert {tuple(run.result.only_new), tuple(run.result.only_old)} == {
        ("a/sweep/n=1", "a/sweep/n=2"), ("a/sweep/n=16", "a/sweep/n=32")}


def test_filters_choose_among_the_arguments_of_two_benchmarks(benchctl, modules):
    module = modules(SWEEP.format(first=1, last=8))
    found = benchctl.json("compare", "--quick", f"{module}#a/sweep", f"{module}#a/sweep", "*/n=2", "*/n=8")
    assert [row["args"] for row in found["comparisons"]] == [{"n": 2}, {"n": 8}]
    missing = benchctl("compare", f"{module}#a/none", f"{module}#a/sweep", expect=2).stderr
    assert "has no benchmark named 'a/none'" in missing


def test_a_name_without_its_area_will_do_where_one_area_has_it(client, modules):
    module = modules("".join(f'BENCH({name}, .area = "{area}") {{ bench_loop(b) bench_clobber(); }}\n'
                             for area, name in [("a", "one"), ("a", "other"), ("b", "lone")]), name="pair")
    row, = client.compare(module, module, names=("lone", "a/other"), **FEW).result.comparisons
    assert (row.area, row.name, row.old_area, row.old_name) == ("b", "lone", "a", "other")

    for names, words in ((("lnoe", "a/one"), "has no benchmark named 'lnoe'.*#b/lone"),
                         (("lone", "c/otehr"), "has no benchmark named 'c/otehr'"),
                         (("lone", "a/otehr"), "'a/otehr'.*#a/other")):
        with pytest.raises(Failed, match=words) as failed:
            client.compare(module, module, names=names, **FEW)
        assert failed.value.code == "NO_MATCH"


def test_the_side_that_fails_is_named(client, modules):
    good = modules('BENCH(x, .area = "a") { bench_loop(b) bench_clobber(); }', name="good")
    bad = modules('BENCH(x, .area = "a") { bench_fail(b, "no luck"); bench_loop(b) bench_clobber(); }', name="bad")
    new, old = client.compare(bad, good, **FEW), client.compare(good, bad, **FEW)

    assert "no luck (the new side)" in new.benchmarks["a/x"].failed.message
    assert "no luck (the old side)" in old.benchmarks["a/x"].failed.message
    assert comparisons(old)["a/x"].processes == 0 and not comparisons(old)["a/x"].HasField("verdict")


def test_too_few_processes_give_no_verdict_and_say_so(client, modules):
    module = modules(CHAIN.format(n=100), name="short")
    row = comparisons(client.compare(module, module, **{**FEW, "processes": 2}))["a/chain"]

    assert not row.HasField("verdict") and "an interval takes" in row.warnings[0]


def test_what_cannot_be_compared_is_refused_in_words(client, modules):
    one = modules('BENCH(x, .area = "a") { bench_loop(b) bench_clobber(); }', name="one")
    two = modules('BENCH(y, .area = "a") { bench_loop(b) bench_clobber(); }', name="two")
    refused = [
        ({"new": one, "old": two}, "NO_MATCH", "in common"),
        ({"new": one, "old": one, "threads": 2}, "BAD_REQUEST", "one thread"),
        ({"new": one, "old": one, "memory": True}, "BAD_REQUEST", "one thread"),
        ({"new": one, "old": one, "margin": 1.5}, "BAD_REQUEST", "margin"),
        ({"new": one, "old": one, "names": ("a/x", None)}, "BAD_REQUEST", "both sides"),
    ]
    for arguments, code, words in refused:
        with pytest.raises(Failed, match=words) as failed:
            client.compare(**{**FEW, **arguments})
        assert failed.value.code == code


def test_benchctl_prints_the_rows_and_fails_on_what_is_slower(build, simulated_daemon, modules):
    benchctl = Benchctl(build, f"--socket={simulated_daemon.socket}")
    short, long = modules(TAKES.format(n=1000), name="short"), modules(TAKES.format(n=2000), name="long")
    brief = ["--processes=4", "--samples=12", "--min-time=0.02", "--warmup=2"]
    printed = benchctl("compare", *brief, "--fail-on=slower", short, long, "a/takes", expect=1).stdout

    assert "slower" in printed and "only in" not in printed
    plan = printed.replace("\n# ", " ")  # which goes on in a second line where paths are long
    assert f"{long} against {short}: 4 processes" in plan and "margin 0.50 %" in plan
    details = benchctl("compare", *brief, "--format=details", short, long, "a/takes").stdout
    assert "takes (new)" in details and "takes (old)" in details
    benchctl("compare", *brief, "--fail-on=slower", long, short, "a/takes")
    both = benchctl.json("compare", *brief, f"{short}#a/takes", f"{long}#a/takes")
    assert both["comparisons"][0]["verdict"] == "slower" and both["old_module"]["name"] == str(short)
    benchctl("compare", short, expect=2)
    benchctl("compare", f"{short}#a/takes", long, expect=2)
    benchctl("compare", "--fail-on=faster", short, long, expect=2)
