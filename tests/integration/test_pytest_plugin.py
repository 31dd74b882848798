# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin for pytest, in sessions of its own. The times are those of a simulated clock, so that a verdict is the code's alone."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

from support.paths import BUILD
from support.tree import PASS

TOUCHES = "python/*"


if not (BUILD / "python/benchd/benchd_pb2.py").exists():
    pytest.skip("the build has no Python package (-Dpython)", allow_module_level=True)

TAKES = "#include <benchd/bench.h>\n" + PASS + 'BENCH(takes, .area = "a") { bench_loop(b) simulated_pass(NS); }\n'
# Unprepared, since the outcome of a control, which is part of the key, is up to what else runs here.
FEW = "processes=3, samples=6, min_time_ns=20000, warmup_ns=2000000, unprepared=True"

MEASURES = f"""
def test_takes(benchd):
    benchd("takes.c", "takes", flags=["-DNS=" + open("ns").read()], {FEW})
"""


class Session:
    """A directory with a test, and pytest in it."""

    def __init__(self, directory, socket, compiled):
        self.directory = directory
        self.compiled = compiled  # where Python keeps the package compiled, from session to session
        self.socket = socket
        self.write("takes.c", TAKES)
        self.write("ns", "1000")
        self.write("pytest.ini", "[pytest]\n")  # so that this directory is the root

    def write(self, name, text):
        (self.directory / name).parent.mkdir(exist_ok=True, parents=True)
        (self.directory / name).write_text(text)

    def with_baseline(self, known={}):
        """The test MEASURES and its baseline of 1000 ns, which is measured once."""
        self.write("test_it.py", MEASURES)
        if not known:
            assert self("--benchd-update-baseline")[0] == 0
            known["text"] = (self.directory / "test_it.benchd.json").read_text()
        self.write("test_it.benchd.json", known["text"])

    def __call__(self, *options, **environment):
        """Its exit status, and its words."""
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", f"--benchd-daemon={self.socket}", *options],
            cwd=self.directory, capture_output=True, text=True,
            env=os.environ | {"PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.compiled),
                             "COLUMNS": "80"} | environment)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def session(simulated_daemon, tmp_path, compiled):
    return Session(tmp_path, simulated_daemon.socket, compiled)


def rows(words):
    """The table of the summary: its lines by the name of the row."""
    table = words.split(" benchd ==", 1)[1].split("\n", 2)[2].split("\n=")[0]
    return {line.split()[0]: line for line in table.splitlines()}


def test_a_time_is_compared_with_its_baseline(session):
    session.write("test_it.py", MEASURES)
    code, words = session()
    assert code == 0 and "1 skipped" in words and "test_it.benchd.json has no baseline of a/takes" in words.replace("\n", " ")

    session.with_baseline()
    code, words = session("--benchd-strict")
    assert code == 0 and "1 passed" in words and rows(words)["a/takes"].endswith(" same")

    session.write("ns", "1200")
    code, words = session()
    assert code == 1 and rows(words)["a/takes"].endswith(" slower")
    assert re.search(r"E +Failed: a/takes is slower than its baseline: 1\.2 times its time \(95 % interval [\d.]+ to [\d.]+, margin 5 %\): "
                     r"1 us then, 1\.2 us now", words)
    assert '>       ' in words or '>   ' in words  # the line of the test that measured
    assert "pytest_plugin.py" not in words.split("FAILURES")[1]

    session.write("ns", "800")
    code, words = session()
    assert code == 0 and rows(words)["a/takes"].endswith(" faster")


def test_the_margin_is_set_by_call_option_or_configuration(session):
    session.write("pytest.ini", "[pytest]\nbenchd_margin = 25\n")
    session.write("test_it.py", MEASURES + MEASURES.replace("test_takes", "test_own").replace('"takes",', '"takes", margin=0.1,'))
    session("--benchd-update-baseline")
    session.write("ns", "1200")
    code, words = session()
    assert code == 1 and "1 failed, 1 passed" in words and "margin 10 %" in words
    code, words = session("--benchd-margin=15%", "-k", "takes")
    assert code == 1 and "1 failed" in words and "margin 15 %" in words


def test_a_margin_that_is_none_is_refused(session):
    code, words = session("--benchd-margin=much")
    assert code == 4 and "--benchd-margin=much is not a percentage from 0 to 100." in words


def test_a_baseline_of_another_machine_is_no_baseline(session):
    session.with_baseline()
    path = session.directory / "test_it.benchd.json"
    data = json.loads(path.read_text())
    (machine,) = data["machines"].values()
    same = dict(machine["conditions"])
    machine["conditions"]["kernel"] = "Linux 1.0"
    path.write_text(json.dumps(data | {"machines": {"0123456789abcdef": machine}}))
    session.write("ns", "2000")

    code, words = session()
    assert code == 0 and "1 skipped" in words and "of this machine as it is (kernel was Linux 1.0 and is " in words.replace("\n", " ")
    path.write_text(json.dumps(data | {"machines": {"0123456789abcdef": machine | {"conditions": same}}}))
    assert "(another version of benchd measured it)" in session()[1].replace("\n", " ")
    machine["conditions"] |= {f"control {i}": "another" for i in range(9)}
    path.write_text(json.dumps(data | {"machines": {"0123456789abcdef": machine}}))
    code, words = session("--benchd-strict")
    assert code == 1 and "; 7 more)" in words.replace("\nE       ", " ")

    assert session("--benchd-update-baseline")[0] == 0
    assert len(json.loads(path.read_text())["machines"]) == 2


def test_a_disturbed_run_is_neither_compared_nor_written(session):
    session.with_baseline()
    session.write("test_it.py", MEASURES + f"""
def test_compares(benchd):
    benchd.compare("takes.c", "takes.c", flags=["-DNS=1000"], {FEW})
    assert False, "it goes on"
""")
    before = (session.directory / "test_it.benchd.json").read_text()
    session.write("ns", "2000")
    session.write("conftest.py", """
import benchd, pytest
@pytest.fixture
def benchd_client(benchd_client, monkeypatch):
    def disturbed(of, run_of):
        def call(*arguments, **options):
            made = of(*arguments, **options)
            run_of(made).result.verdict = benchd.pb.RunResult.UNFIT
            run_of(made).benchmark.findings.add(kind="unfit-other-work", advice="other work: end it")
            return made
        return call
    monkeypatch.setattr(benchd_client, "run", disturbed(benchd_client.run, lambda made: made))
    monkeypatch.setattr(benchd_client, "compare", disturbed(benchd_client.compare, lambda made: made.run))
    return benchd_client
""")
    for options, code in (([], 0), (["--benchd-strict"], 1), (["--benchd-update-baseline"], 1)):
        found, words = session(*options)
        assert found == code and "too much to be compared. a/takes: other work: end it" in words.replace("\n", " ")
        assert words.count(" unfit\n") == 2 and "it goes on" not in words.split(" benchd ==")[1]
    assert (session.directory / "test_it.benchd.json").read_text() == before


def test_baselines_of_other_tests_stay_and_a_row_that_is_measured_twice_is_two(session):
    session.write("test_it.py", f"""
import pytest
@pytest.mark.parametrize("ns", [100, 200])
def test_each(benchd, ns):
    benchd("takes.c", flags=[f"-DNS={{ns}}"], {FEW})
def test_both(benchd):
    benchd("takes.c", flags=["-DNS=300"], {FEW})
    benchd("takes.c", flags=["-DNS=400"], {FEW})
""")
    session("--benchd-update-baseline", "-k", "each")
    session("--benchd-update-baseline", "-k", "both")
    (machine,) = json.loads((session.directory / "test_it.benchd.json").read_text())["machines"].values()

    def times(test):
        return {name: round(row["time_ns"]["point"]) for name, row in machine["tests"][test].items()}

    assert times("test_each[100]") == {"a/takes": 100} and times("test_each[200]") == {"a/takes": 200}
    assert times("test_both") == {"a/takes": 300, "a/takes #2": 400}
    assert session("--benchd-strict", "-k", "both or 200")[0] == 0


def test_a_directory_of_baselines_mirrors_that_of_the_tests(session):
    session.write("deep/test_it.py", MEASURES.replace("takes.c", "../takes.c"))
    session("--benchd-update-baseline", "--benchd-baseline-dir=kept")
    assert [path.relative_to(session.directory).as_posix() for path in session.directory.rglob("*.json")] == ["kept/deep/test_it.benchd.json"]
    session.write("pytest.ini", "[pytest]\nbenchd_baseline_dir = kept\nbenchd_strict = true\n")
    assert session()[0] == 0


def test_two_modules_are_compared_in_turns(session):
    session.write("test_it.py", f"""
from benchd import compile_module
import pathlib
here = pathlib.Path(__file__).parent
for ns in (1000, 1100):
    compile_module(here / "takes.c", here / f"takes-{{ns}}.so", f"-DNS={{ns}}")
def test_slower(benchd):
    result = benchd.compare("takes-1000.so", "takes-1100.so", {FEW})
    assert result.verdict != "slower"
def test_faster(benchd):
    result = benchd.compare("takes-1100.so", "takes-1000.so", {FEW})
    assert result.verdict != "slower"
""")
    code, words = session()
    assert code == 1 and "1 failed, 1 passed" in words
    assert "assert 'slower' != 'slower'" in words and "a/takes is slower than the old side: 1.1 times its time" in words


def test_what_fails_or_is_skipped_is_told_as_that(session):
    session.write("other.c", """#include <benchd/bench.h>
BENCH(fails, .area = "a") { bench_fail(b, "so it is"); bench_loop(b) bench_clobber(); }
BENCH(skips, .area = "a") { bench_skip(b, "no such thing here"); bench_loop(b) bench_clobber(); }
""")
    session.write("test_it.py", "def test_fails(benchd):\n    benchd('other.c', 'fails')\n"
                                "def test_skips(benchd):\n    benchd('other.c', 'skips')\n"
                                "def test_compares(benchd):\n    benchd.compare('other.c', 'other.c', 'skips')\n")
    code, words = session()
    assert code == 1 and "1 failed, 2 skipped" in words
    assert "BenchmarkError: a/fails: " in words and "so it is" in words and "no such thing here" in words


def test_without_a_daemon_the_option_is_named(session):
    session.write("test_it.py", MEASURES)
    code, words = session("--benchd-daemon=/nowhere")
    assert code == 1 and "Cannot reach the daemon at /nowhere" in words and "--benchd-daemon=private" in words


def test_processes_of_one_session_do_not_start_a_daemon_each(session):
    session.write("test_it.py", MEASURES)
    session.write("conftest.py", "def pytest_configure(config):\n    config.workerinput = {}  # as pytest-xdist has it\n")
    code, words = session("--benchd-daemon=private")
    assert code == 1 and "Leave out -n" in words


def test_the_summary_fits_the_terminal_and_junit_has_the_rows(session):
    name = "a_name_that_is_as_long_as_names_of_benchmarks_get"
    session.write("takes.c", TAKES.replace("takes,", f"{name},"))
    session.write("test_it.py", MEASURES.replace('"takes"', f'"{name}"'))
    session("--benchd-update-baseline")
    _, words = session("--junit-xml=results.xml")
    assert all(len(line) <= 80 for line in words.splitlines() if "/a_name" in line or "new/old" in line), words
    (line,) = rows(words).values()
    assert re.fullmatch(r"a/a_name_that.*\.\..*get +1 us +1\.0000 +[\d.]+ to [\d.]+  same", line)
    told = json.loads(xml.etree.ElementTree.parse(session.directory / "results.xml").find(".//property[@name='benchd']").get("value"))
    assert told["name"] == f"a/{name}" and told["verdict"] == "same" and len(told["ratio"]) == 3


def test_a_session_without_measurements_says_nothing_and_starts_nothing(session):
    session.write("test_it.py", "def test_nothing(): pass\n")
    code, words = session("--benchd-daemon=/nowhere")
    assert code == 0 and " benchd =" not in words


def test_the_example_of_the_plugin_runs_as_it_stands_there(session):
    sys.path.insert(0, str(BUILD / "python"))
    from benchd import pytest_plugin

    text = re.search(r"^    def test_strlen.*?\n\n(?=Paths)", pytest_plugin.__doc__, re.M | re.S)[0]
    session.write("test_it.py", "\n".join(line[4:] for line in text.splitlines()) + "\n")
    for name, ns in (("strlen.c", 10), ("old.c", 10), ("new.c", 11)):
        session.write(name, f"#include <benchd/bench.h>\n{PASS}BENCH(strlen_1000) {{ bench_loop(b) simulated_pass({ns}); }}\n")
    code, words = session("--benchd-update-baseline", "-k", "strlen")
    assert code == 0, words
    code, words = session("-k", "not_slower")
    assert code == 1 and rows(words)["new/strlen_1000"].endswith(" slower"), words
