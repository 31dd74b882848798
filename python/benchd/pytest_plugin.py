# SPDX-License-Identifier: MIT
"""A plugin for pytest: tests that measure with benchd.

    def test_strlen(benchd):
        benchd("strlen.c", "strlen_1000")              # fails if slower than its baseline

    def test_the_new_one_is_not_slower(benchd):
        result = benchd.compare("old.c", "new.c")      # in turns, in the same processes
        assert result.verdict != "slower"

Paths are relative to the test's file. `pytest --benchd-update-baseline` writes the baselines: test_x.benchd.json beside test_x.py, or
below --benchd-baseline-dir. A baseline holds where the comparability key of the results is the same: one machine, one kernel, one
configuration. A test that cannot be compared, for want of a baseline or since the machine disturbed it too much, is skipped with the
reason; with --benchd-strict it fails.

A new time is slower if the whole 95 % interval of new / old lies beyond the margin. Days apart, more than the code changes: the margin
of a baseline is 5 % unless it is set (--benchd-margin, or margin=0.02 of a call). compare() sees much less.
"""

from __future__ import annotations

import contextlib
import json
import pathlib
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from .baseline import HELD, TUNING, BaselineFile, Estimate, conditions, differences, estimate, ratio, stored_row, verdict
from .client import Client, connect
from .errors import BenchdError, NoDaemonError
from .module import FilePath, Files
from .printable import printable, printable_lines
from .private import private
from .run import BenchmarkError, Comparison, Run, ratio_sentence, word

PROPERTY = "benchd"  # of a test's report, for each row that it measured
MARGIN_PERCENT = 5.0
NAME_WIDTH_MIN = 26
OTHERS_WIDTH = 52
DIFFERENCES_TOLD = 3  # of two machines


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("benchd", "measuring with benchd")
    group.addoption("--benchd-daemon", metavar="WHICH", help="system (default), private: a daemon for these tests alone, or the path of a socket")
    group.addoption("--benchd-update-baseline", action="store_true", help="write baselines, instead of comparing with them")
    group.addoption("--benchd-baseline-dir", metavar="DIRECTORY", help="where baselines are (default: beside each test's file)")
    group.addoption("--benchd-margin", metavar="P", help="a time is slower than its baseline beyond P percent (default: 5)")
    group.addoption("--benchd-strict", action="store_true", help="fail a test that cannot be compared, rather than skip it")
    parser.addini("benchd_daemon", "as --benchd-daemon", default="system")
    parser.addini("benchd_baseline_dir", "as --benchd-baseline-dir, from the directory of this file", type="paths", default=[])
    parser.addini("benchd_margin", "as --benchd-margin", default=str(MARGIN_PERCENT))
    parser.addini("benchd_strict", "as --benchd-strict", type="bool", default=False)


def _margin(config: pytest.Config) -> float:
    text = config.getoption("benchd_margin") or config.getini("benchd_margin")
    try:
        percent = float(str(text).rstrip("% "))
    except ValueError:
        percent = -1
    if not 0 <= percent <= 100:
        raise pytest.UsageError(f"--benchd-margin={text} is not a percentage from 0 to 100.")
    return percent / 100


def pytest_configure(config: pytest.Config) -> None:
    _margin(config)


@pytest.fixture(scope="session")
def benchd_client(pytestconfig: pytest.Config) -> Iterator[Client]:
    """The connection that all tests of a session share."""
    which = pytestconfig.getoption("benchd_daemon") or pytestconfig.getini("benchd_daemon")
    if which == "private" and hasattr(pytestconfig, "workerinput"):  # of pytest-xdist
        pytest.fail("Each process of pytest -n would start a daemon of its own, and these disturb each other. "
                    "Leave out -n, or measure by the system's daemon, where they take turns.", pytrace=False)
    with contextlib.ExitStack() as stack:
        try:
            client = stack.enter_context(private()) if which == "private" else stack.enter_context(connect(None if which == "system" else which))
        except NoDaemonError as error:
            pytest.fail(f"{error} For pytest: --benchd-daemon=private.", pytrace=False)
        yield client


@pytest.fixture
def benchd(benchd_client: Client, request: pytest.FixtureRequest) -> Benchd:
    """Measures modules, compares them with their baselines, or with each other."""
    return Benchd(benchd_client, request.node, request.config)


class Benchd:
    """The fixture of one test. `client` is a benchd.Client for everything else."""

    def __init__(self, client: Client, item: pytest.Item, config: pytest.Config) -> None:
        self.client = client
        self._item = item
        self._config = config
        self._directory = item.path.parent
        self._test = item.nodeid.partition("::")[2]
        self._seen: dict[str, int] = {}
        self._baseline = BaselineFile(_baseline_path(item.path, config))

    def __call__(self, module: FilePath, *names: str, margin: float | None = None, **options: Any) -> Run:
        """Measures benchmarks of a module, all or those of these names, and fails the test if one is slower than its baseline.

        Options are those of Client.run().
        """
        __tracebackhide__ = True
        run = self.measure(module, *names, _tell=False, **options)
        if self._config.getoption("benchd_update_baseline"):
            self._update(run)
        else:
            self._compare(run, _margin(self._config) if margin is None else margin)
        return run

    def measure(self, module: FilePath, *names: str, _tell: bool = True, **options: Any) -> Run:
        """The same without a baseline."""
        __tracebackhide__ = True
        try:
            run = self.client.run(self._path(module), *names, **self._paths(options, "libraries", "preload", "inputs"))
        except BenchdError as error:
            raise error.with_traceback(None) from None
        _skip_if_all_are(run)
        for name, row in run.benchmarks.items() if _tell else ():
            self._tell(name, row.time_ns.point)
        return run

    def compare(self, old: FilePath, new: FilePath, *names: str, **options: Any) -> Comparison:
        """Measures two modules in turns. Arguments as for Client.compare(); the test asserts what it wants of the verdict."""
        __tracebackhide__ = True
        try:
            result = self.client.compare(self._path(old), self._path(new), *names,
                                         **self._paths(options, "old_libraries", "new_libraries", "old_preload", "new_preload", "inputs"))
        except BenchdError as error:
            raise error.with_traceback(None) from None
        _skip_if_all_are(result.run)
        unfit = result.run.verdict == "unfit"
        for name, row in result.rows.items():
            self._tell(name, result.run[name].time_ns.point, row.ratio, "unfit" if unfit else word(row, "verdict"))
        if unfit:
            self._give_up(_unfit(result.run))
        return result

    # ---- files beside the test

    def _path(self, path: FilePath) -> FilePath:
        return path if str(path).startswith("@") else self._directory / path

    def _files(self, files: Files) -> Files:
        if isinstance(files, dict):
            return {name: self._path(path) for name, path in files.items()}
        return [self._path(path) for path in files]

    def _paths(self, options: dict[str, Any], *of_files: str) -> dict[str, Any]:
        return options | {name: self._files(options[name]) for name in of_files if name in options}

    # ---- baselines

    def _key_of_row(self, name: str) -> str:
        """A row that a test measures again, of another module or with other options, is another row."""
        self._seen[name] = self._seen.get(name, 0) + 1
        return name if self._seen[name] == 1 else f"{name} #{self._seen[name]}"

    def _give_up(self, reason: str) -> NoReturn:
        __tracebackhide__ = True
        if self._config.getoption("benchd_strict") or self._config.getini("benchd_strict"):
            pytest.fail(printable_lines(reason))
        pytest.skip(printable_lines(reason))

    def _times(self, run: Run) -> dict[str, Estimate]:
        __tracebackhide__ = True
        times = {name: estimate(row.time_ns) for name, row in run.benchmarks.items() if not row.HasField("failed")}
        known = {name: time for name, time in times.items() if time}
        if len(known) < len(times):
            raise BenchmarkError("A baseline needs an interval, which takes at least 3 processes (processes=3).", run)
        return known

    def _update(self, run: Run) -> None:
        __tracebackhide__ = True
        times = self._times(run)
        if run.verdict == "unfit":
            for name, time in times.items():
                self._tell(name, time.point, None, "unfit")
            pytest.fail(printable(f"{self._baseline.path} was not written: {_unfit(run)}"))
        rows = {self._key_of_row(name): stored_row(time, run[name], run.run_id) for name, time in times.items()}
        self._baseline.store(run.result.comparability_key, conditions(run.result, self.client.hello.daemon), self._test, rows)
        for name, time in times.items():
            self._tell(name, time.point, None, "written")

    def _compare(self, run: Run, margin: float) -> None:
        __tracebackhide__ = True
        slower, lost = [], []
        for name, time in self._times(run).items():
            old = self._baseline.find(run.result.comparability_key, self._test, self._key_of_row(name), run[name].measurand)
            of = ratio(time, old) if old else None
            found = verdict(of, margin) if of and run.verdict != "unfit" else "unfit" if of else "no baseline"
            self._tell(name, time.point, of, found)
            if of and found == "slower":
                assert old
                slower.append(f"{ratio_sentence(name, 'its baseline', found, of, margin)}: {_time(old.point)} then, {_time(time.point)} now")
            lost += [name] if not of else []
        if run.verdict == "unfit":
            self._give_up(_unfit(run))
        if lost:
            self._give_up(self._without_baseline(lost, run))
        if slower:
            pytest.fail("\n".join(slower))

    def _without_baseline(self, rows: list[str], run: Run) -> str:
        path, how = self._baseline.path, "pytest --benchd-update-baseline writes it."
        machines = self._baseline.machines()
        if not machines or run.result.comparability_key in machines:
            return f"{path} has no baseline of {', '.join(rows)}: {how}"
        now = conditions(run.result, self.client.hello.daemon)
        nearest = min((differences(was, now) for was in machines.values()), key=len)
        if now.get(TUNING) == HELD and len(nearest) == 1 and nearest[0].startswith(TUNING):
            how = "wait until the run of the other benchd has ended, and measure again."
        told = nearest[:DIFFERENCES_TOLD] + ([f"{len(nearest) - DIFFERENCES_TOLD} more"] if len(nearest) > DIFFERENCES_TOLD else [])
        return f"{path} has no baseline of this machine as it is ({'; '.join(told) or 'another version of benchd measured it'}): {how}"

    # ---- the summary

    def _tell(self, name: str, time_ns: float, of: Any = None, found: str = "") -> None:
        """Kept with the test's report, so that other processes' tests are told too, and files of JUnit have it."""
        told: dict[str, Any] = {"name": name, "time_ns": time_ns, "verdict": found}
        if of is not None:
            told["ratio"] = [of.point, of.low, of.high]
        self._item.user_properties.append((PROPERTY, json.dumps(told)))


def _baseline_path(test_file: pathlib.Path, config: pytest.Config) -> pathlib.Path:
    name = f"{test_file.stem}.benchd.json"
    given, of_ini = config.getoption("benchd_baseline_dir"), config.getini("benchd_baseline_dir")
    directory = config.invocation_params.dir / given if given else of_ini[0] if of_ini else None
    if directory is None:
        return test_file.with_name(name)
    inside = config.rootpath in test_file.parents
    return pathlib.Path(directory, test_file.parent.relative_to(config.rootpath), name) if inside else pathlib.Path(directory, name)


def _skip_if_all_are(run: Run) -> None:
    if run.verdict == "skipped":
        pytest.skip(printable("; ".join(f"{name}: {row.failed.message}" for name, row in run.benchmarks.items())))


def _unfit(run: Run) -> str:
    reasons = [f"{name}: {finding.advice}" for name, row in run.benchmarks.items() for finding in row.findings if finding.kind.startswith("unfit")]
    return "The machine disturbed the run too much to be compared. " + "; ".join(reasons)


def _time(ns: float) -> str:
    rounded = float(f"{ns:.4g}")
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)):
        if rounded >= size:
            return f"{rounded / size:.4g} {unit}"
    return f"{ns * 1000:.4g} ps"


def _shortened(name: str, width: int) -> str:
    if len(name) <= width:
        return name
    head = (width - 2) // 2
    return name[:head] + ".." + name[len(name) - (width - 2 - head):]


def _line(told: dict[str, Any], width: int) -> str:
    point, interval = "", ""
    if "ratio" in told:
        point, interval = f"{told['ratio'][0]:.4f}", f"{told['ratio'][1]:.4f} to {told['ratio'][2]:.4f}"
    return f"{_shortened(printable(told['name']), width):<{width}} {_time(told['time_ns']):>9}  {point:>7}  {interval:>16}  {told['verdict']}".rstrip()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [report for kind in terminalreporter.stats.values() for report in kind if getattr(report, "when", "") == "call"]
    rows = [json.loads(value) for report in reports for name, value in report.user_properties if name == PROPERTY]
    if not rows:
        return
    width = max(NAME_WIDTH_MIN, min(terminalreporter._tw.fullwidth - OTHERS_WIDTH, max(len(row["name"]) for row in rows)))
    terminalreporter.section("benchd")
    terminalreporter.write_line(f"{'':<{width}} {'time':>9}  {'new/old':>7}  {'95 % interval':>16}  verdict")
    for row in rows:
        colour = {"slower": {"red": True}, "faster": {"green": True}}.get(row["verdict"], {})
        terminalreporter.write_line(_line(row, width), **colour)
