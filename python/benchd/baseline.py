# SPDX-License-Identifier: MIT
"""Baselines: times of earlier runs, in one JSON file for a test file, and how a new time compares with an old one.

A file has a part for each set of conditions under which its times hold, by the comparability key of the daemon's results, so that
several machines share it.
"""

from __future__ import annotations

import json
import math
import pathlib
from dataclasses import asdict, dataclass
from typing import Any

from . import benchd_pb2 as pb
from .errors import BenchdError
from .files import locked, replace_file
from .run import word

FORMAT = 1


@dataclass(frozen=True)
class Estimate:
    """A time in ns, or a ratio, with its 95 % interval."""

    point: float
    low: float
    high: float


def estimate(quantity: pb.Quantity) -> Estimate | None:
    """None without an interval, which takes three processes."""
    if not quantity.HasField("low"):
        return None
    return Estimate(quantity.point, quantity.low, quantity.high)


def ratio(new: Estimate, old: Estimate) -> Estimate:
    """new / old. The logs of the two intervals' halves are added as independent errors are (Zou and Donner 2008)."""
    def half(a: Estimate, b: Estimate) -> float:
        return math.hypot(math.log(a.high / a.point), math.log(b.point / b.low))

    point = math.log(new.point / old.point)
    return Estimate(math.exp(point), math.exp(point - half(old, new)), math.exp(point + half(new, old)))


def verdict(of: Estimate, margin: float) -> str:
    """The whole interval decides: beyond the margin, within it, or neither."""
    if of.low > 1 + margin:
        return "slower"
    if of.high < 1 / (1 + margin):
        return "faster"
    return "same" if of.low >= 1 / (1 + margin) and of.high <= 1 + margin else "unresolved"


def _cache(of: pb.Cache) -> str:
    return f"L{of.level}{'' if of.kind == 'unified' else ' ' + of.kind} {of.size_bytes >> 10} KiB"


def _sold(memory_bytes: int) -> int:
    """As the daemon rounds memory for the key: up to an eighth of its power of two."""
    step = max(1, 1 << memory_bytes.bit_length() >> 4)
    return -(-memory_bytes // step) * step


TUNING = "control tuning"  # there where all settings of the machine were left as they were, for the reason that it names
HELD = "denied another benchd has set them"


def _controls(of: pb.Environment) -> dict[str, str]:
    """What was set and what was so already make no difference, nor does it whose settings they are."""
    words = {}
    for control in of.controls:
        outcome, value = word(control, "outcome"), "" if control.name == "memory limit" else getattr(control, "is")
        if (control.name, outcome) != ("tuning", "already"):
            words[f"control {control.name}"] = f"{'applied' if outcome == 'already' else outcome} {value}".strip()
    return words


def conditions(result: pb.RunResult, daemon: str) -> dict[str, str]:
    """What the comparability key is made of, in words, to tell two keys apart."""
    of = result.environment
    return {
        "daemon": daemon, "cpu": of.cpu.brand, "model": f"family {of.cpu.family}, model {of.cpu.model}, stepping {of.cpu.stepping}",
        "microcode": of.cpu.microcode, "caches": ", ".join(map(_cache, of.cpu.caches)), "processors": str(of.processors),
        "memory": f"{_sold(of.memory_bytes) / 2**30:g} GiB", "kernel": of.kernel, "hypervisor": of.hypervisor,
        "clock": of.tsc.clock, "scheduler": word(of, "scheduler"), "method": result.method, "instruments": ", ".join(result.instrumented),
        **_controls(of),
    }


def differences(was: dict[str, str], now: dict[str, str]) -> list[str]:
    """Without its settings a run has hardly a control in common with one that has them: that is one difference."""
    untuned = (TUNING in was) != (TUNING in now)
    return [f"{name} was {was.get(name) or 'unknown'} and is {now.get(name) or 'unknown'}"
            for name in {**was, **now} if was.get(name) != now.get(name)
            and not (untuned and name.startswith("control ") and name != TUNING)]


class BaselineFile:
    """The file at a path, which need not exist yet."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def _read(self) -> dict[str, Any]:
        try:
            text = self.path.read_text()
        except FileNotFoundError:
            return {"benchd_baseline": FORMAT, "machines": {}}
        try:
            data: dict[str, Any] = json.loads(text)
            if data["benchd_baseline"] == FORMAT and isinstance(data["machines"], dict):
                return data
        except (ValueError, KeyError, TypeError):
            pass
        raise BenchdError(f"{self.path} is not a baseline of this version of benchd: remove it and write another.")

    def machines(self) -> dict[str, dict[str, str]]:
        """The conditions of each key."""
        return {key: machine["conditions"] for key, machine in self._read()["machines"].items()}

    def find(self, key: str, test: str, row: str, measurand: str) -> Estimate | None:
        """None too where the time is of another measurand, such as that of a core that could not tell whether it was shared."""
        found = self._read()["machines"].get(key, {}).get("tests", {}).get(test, {}).get(row)
        return Estimate(**found["time_ns"]) if found and found.get("measurand", measurand) == measurand else None

    def store(self, key: str, now: dict[str, str], test: str, rows: dict[str, dict[str, Any]]) -> None:
        """Puts @rows in the place of the rows of the same names; all else stays. Processes that store at one time take turns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path):
            data = self._read()
            machine = data["machines"].setdefault(key, {"tests": {}})
            machine["conditions"] = now
            machine["tests"].setdefault(test, {}).update(rows)
            replace_file(self.path, json.dumps(data, indent=2, sort_keys=True) + "\n")


def stored_row(time: Estimate, row: pb.BenchmarkResult, run_id: str) -> dict[str, Any]:
    return {"time_ns": asdict(time), "measurand": row.measurand, "processes": len(row.processes), "run_id": run_id}


