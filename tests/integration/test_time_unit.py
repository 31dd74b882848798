# SPDX-License-Identifier: GPL-3.0-or-later
"""All times of a report in the one unit that its reader asks for: in each kind of table, and never in what programs read."""

import html
import json
import re
import subprocess

import pytest

from support.benchctl import BENCHMARK, BRIEF, DAEMON, DONE, Benchctl
from support.paths import DOCUMENTS, SOURCE

TOUCHES = "times unit scale"

SIZES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
SHOWN = {"ns": "ns", "us": "µs", "ms": "ms", "s": "s"}
TIME = re.compile(r"(?<![\w.])-?[\d,]+(?:\.\d+)?(?:e-\d+)? (ps|ns|µs|ms|s)\b")
MODULE = """
#include <benchd/bench.h>
BENCH(short_one, .area = "a") { int x = 1; bench_loop(b) { x = 3 * x + 1; bench_opaque(x); } }
BENCH(long_one, .area = "a") { int x = 1; bench_loop(b) { for (int i = 0; i < 100000; i++) { x = 3 * x + 1; bench_opaque(x); } } }
"""


@pytest.fixture
def benchctl(build, tmp_path):
    """It has done its work, though a benchmark or a machine in what it shows may have failed."""
    return Benchctl(build, expect=(DONE, BENCHMARK, DAEMON), XDG_STATE_HOME=tmp_path / "state", LC_ALL="C.UTF-8")


def rows(text):
    """The lines of tables, without what stands above and below them."""
    return [line for line in text.splitlines() if not re.match(r"#|- |\(|warning|Not|Partial|OK|No verdict|.*Its caps", line)]


def units_of(text):
    return {found[1] for found in TIME.finditer(text)}


@pytest.mark.parametrize("unit", SIZES)
@pytest.mark.parametrize("name", ["everything", "measureit", "mark6", "comparison", "fleet", "fleet-comparison"])
@pytest.mark.parametrize("format", ["table", "details", "markdown"])
def test_a_table_has_one_unit(benchctl, name, format, unit):
    path = DOCUMENTS / f"{name}.json"
    shown = benchctl("show", path, f"--format={format}", f"--unit={unit}").stdout

    assert units_of("\n".join(rows(shown))) <= {SHOWN[unit]}
    if format != "table":  # which has room for fewer columns where times are longer
        plain = benchctl("show", path, f"--format={format}").stdout
        assert len(TIME.findall("\n".join(rows(shown)))) == len(TIME.findall("\n".join(rows(plain))))


def test_a_page_has_one_unit(benchctl, tmp_path):
    for name in "everything", "samples", "comparison", "fleet":
        benchctl("show", DOCUMENTS / f"{name}.json", "--unit=us", "-o", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text()
        cells = re.findall(r"<td[^>]*>([^<]*)</td>|<text[^>]*>([^<]*)</text>|<desc[^>]*>([^<]*)</desc>", page)
        assert units_of(html.unescape("\n".join("\n".join(cell) for cell in cells))) <= {"µs"}, name


def test_a_page_of_multiples_draws_the_times_that_were_measured(benchctl, tmp_path):
    drawn = []
    for options in [], ["--scale=strings/memchr/n=16"]:
        benchctl("show", DOCUMENTS / "everything.json", *options, "-o", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text()
        drawn.append(re.findall(r"<figure.*?</figure>", page, re.S))
        assert ("Scaled where memchr/n=16 = 1.0" in page) == bool(options)
    assert drawn[0] == drawn[1] and len(drawn[0]) > 2


def test_the_smallest_time_keeps_its_digits(benchctl):
    shown = benchctl("show", DOCUMENTS / "everything.json", "--unit=us", "--columns=time").stdout

    for row in json.loads((DOCUMENTS / "everything.json").read_text())["benchmarks"]:
        if row["failed"] is None:
            (line,) = [line for line in shown.splitlines() if line.strip().startswith((row["title"] or row["name"]) + " ") and all(
                f"{name}={value}" in line.split() for name, value in row["args"].items())]
            told = float(line.split()[-2].replace(",", ""))
            assert abs(told * 1000 - row["time_ns"]["point"]) <= 0.0005 * abs(row["time_ns"]["point"])


@pytest.mark.parametrize("format", ["json", "csv", "go", "bmf", "mark", "gnuplot"])
def test_what_programs_read_stays_in_nanoseconds(benchctl, format):
    words = "show", DOCUMENTS / "everything.json", f"--format={format}"

    assert benchctl(*words, "--unit=us").stdout == benchctl(*words).stdout
    assert benchctl(*words, BENCHCTL_UNIT="s").stdout == benchctl(*words).stdout


@pytest.mark.parametrize("unit, size", SIZES.items())
def test_google_benchmark_has_a_word_for_it(benchctl, unit, size):
    words = "show", DOCUMENTS / "everything.json", "--format=gbench"
    plain, shown = (json.loads(benchctl(*words, *more).stdout)["benchmarks"] for more in ([], ["--unit", unit]))

    assert {entry["time_unit"] for entry in shown} == {unit}
    for was, entry in zip(plain, shown):
        for key in "real_time", "cpu_time", "time_low", "time_high":
            assert (key in entry) == (key in was)
            assert entry.get(key, 0) * size == pytest.approx(was.get(key, 0))
        assert {key: entry[key] for key in entry if "time" not in key} == {key: was[key] for key in was if "time" not in key}


def test_a_shell_has_a_unit_for_all_of_its_commands(benchctl):
    words = "show", DOCUMENTS / "everything.json"

    assert benchctl(*words, BENCHCTL_UNIT="us").stdout == benchctl(*words, "-u", "us").stdout == benchctl(*words, "--unit=µs").stdout
    assert benchctl(*words, "--unit=auto", BENCHCTL_UNIT="us").stdout == benchctl(*words, BENCHCTL_UNIT="").stdout == benchctl(*words).stdout
    assert "BENCHCTL_UNIT takes auto|ns|us|ms|s, not 'xs'" in benchctl(*words, BENCHCTL_UNIT="xs", expect=2).stderr
    assert benchctl("help", BENCHCTL_UNIT="xs").stdout


@pytest.mark.parametrize("words", [["run", "x.so"], ["compare", "x.so", "y.so"], ["history", "x"], ["show"], ["wait", "1234"]])
@pytest.mark.parametrize("unit", ["min", "sec", "US", "", "ps", "us,ms"])
def test_an_unknown_unit_is_refused_with_those_that_there_are(benchctl, words, unit):
    told = benchctl(*words, f"--unit={unit}", expect=2).stderr

    assert (f"--unit takes auto|ns|us|ms|s, not '{unit}'" if unit else "--unit needs a value: --unit=auto|ns|us|ms|s") in told


def test_a_run_a_comparison_and_a_history_have_it(benchctl, tmp_path, build):
    source = tmp_path / "x.c"
    source.write_text(MODULE)
    module = tmp_path / "x.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{SOURCE}/include", source, "-o", module], check=True)

    run = benchctl("run", "--private", *BRIEF, "--unit=ms", "--plot", module).stdout
    assert units_of("\n".join(rows(run))) == {"ms"}
    assert units_of("\n".join(rows(benchctl("compare", "--private", *BRIEF, "--columns=old,new", "-u", "s", module, module).stdout))) == {"s"}
    for format in "table", "markdown":
        assert units_of("\n".join(rows(benchctl("history", "--private", "a/*", "--unit=us", f"--format={format}").stdout))) == {"µs"}
    for name in "one", "two":
        benchctl("run", "--private", *BRIEF, "-o", tmp_path / f"{name}.json", module)
    both = benchctl("show", tmp_path / "one.json", tmp_path / "two.json", "--unit=us").stdout
    assert units_of("\n".join(rows(both))) == {"µs"}
