# SPDX-License-Identifier: MIT
"""What a run came to: the daemon's messages under the names of their rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import benchd_pb2 as pb
from .errors import BenchdError
from .printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

VERDICTS = ("slower", "unresolved", "same", "faster")  # of a comparison, the worst first


def word(message: Any, name: str) -> str:
    """The field @name of @message, an enumeration, as the lower-case word that benchctl's JSON has for it; "" where it is absent."""
    if not message.HasField(name):
        return ""
    value: str = message.DESCRIPTOR.fields_by_name[name].enum_type.values_by_number[getattr(message, name)].name
    return value.lower().replace("_", "-")


def _argument(value: pb.ArgumentValue) -> str:
    if value.HasField("text"):
        return value.text
    return f"{value.real:.15g}" if value.HasField("real") else str(value.value)


def row_name(row: pb.BenchmarkResult | pb.ComparisonResult) -> str:
    """The name of a row as a filter has it: area/benchmark/argument=value; of several threads with " threads=N" after it."""
    name = "/".join([row.area, row.name, *(f"{argument.name}={_argument(argument)}" for argument in row.args)])
    return f"{name} threads={row.threads}" if isinstance(row, pb.BenchmarkResult) and row.threads > 1 else name


def _by_name(rows: Iterable[Any]) -> dict[str, Any]:
    return {row_name(row): row for row in sorted(rows, key=lambda row: int(row.index))}


class BenchmarkError(BenchdError):
    """A benchmark gave no number; `run` has those that did."""

    def __init__(self, sentence: str, run: Run) -> None:
        super().__init__(sentence)
        self.run = run


@dataclass(frozen=True)
class Run:
    """A run: its result, and its benchmarks by name in the order of the module; of a comparison also those of the old side."""

    result: pb.RunResult
    benchmarks: dict[str, pb.BenchmarkResult]
    old_benchmarks: dict[str, pb.BenchmarkResult] = field(default_factory=dict)

    @classmethod
    def of(cls, result: pb.RunResult, rows: Iterable[pb.BenchmarkResult]) -> Run:
        rows = list(rows)
        return cls(result, _by_name(row for row in rows if row.side != "old"), _by_name(row for row in rows if row.side == "old"))

    def __getitem__(self, name: str) -> pb.BenchmarkResult:
        return self.benchmarks[name]

    def __repr__(self) -> str:
        return printable(f"<Run {self.run_id[:8]}: {self.verdict}, {', '.join(self.benchmarks)}>")

    @property
    def run_id(self) -> str:
        return self.result.run_id

    @property
    def verdict(self) -> str:
        """"fit", "unfit", "partial", "failed", "skipped" or "cannot-tell"."""
        return word(self.result, "verdict")

    @property
    def benchmark(self) -> pb.BenchmarkResult:
        """The benchmark of a run that has one."""
        if len(self.benchmarks) != 1:
            raise ValueError(f"The run has {len(self.benchmarks)} benchmarks: name one, as in run[{row_example(self.benchmarks)!r}].")
        return next(iter(self.benchmarks.values()))

    def check(self) -> Run:
        """Raises a BenchmarkError if a benchmark failed; one that skips itself has not failed."""
        failed = [printable(f"{name}: {row.failed.message}") for name, row in self.benchmarks.items()
                  if row.HasField("failed") and row.failed.code != "skipped"]
        if failed:
            raise BenchmarkError("\n".join(failed), self)
        return self


def row_example(rows: dict[str, Any]) -> str:
    return next(iter(rows), "area/name")


@dataclass(frozen=True)
class Comparison:
    """Two modules that were measured in turns: a row for each benchmark that was compared, and not skipped or failed.

    A row's ratio is the time of the new side over that of the old one.
    """

    run: Run
    rows: dict[str, pb.ComparisonResult]

    @classmethod
    def of(cls, run: Run) -> Comparison:
        return cls(run, _by_name(row for row in run.result.comparisons if row.HasField("verdict")))

    def __getitem__(self, name: str) -> pb.ComparisonResult:
        return self.rows[name]

    def __repr__(self) -> str:
        return f"<Comparison: {'; '.join(self.sentences()) or 'no row'}>"

    @property
    def verdict(self) -> str:
        """"faster", "slower", "same" or "unresolved": that of the only row; of several rows the worst, "slower" before all others."""
        verdicts = {word(row, "verdict") for row in self.rows.values()}
        for verdict in VERDICTS:
            if verdict in verdicts:
                return verdict
        raise BenchmarkError("No benchmark was compared.", self.run)

    def sentences(self) -> list[str]:
        return [ratio_sentence(name, "the old side", word(row, "verdict"), row.ratio, row.margin) for name, row in self.rows.items()]


VERBS = {"slower": "is slower than", "faster": "is faster than", "same": "takes the same time as", "unresolved": "may differ from"}


def ratio_sentence(name: str, other: str, verdict: str, ratio: Any, margin: float) -> str:
    """One line for people; @ratio has point, low and high."""
    return printable(f"{name} {VERBS[verdict]} {other}: {ratio.point:.4g} times its time "
                     f"(95 % interval {ratio.low:.4g} to {ratio.high:.4g}, margin {100 * margin:.3g} %)")
