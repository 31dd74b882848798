# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of a result as a reader takes it: the headline with its interval, and what the result says of both."""

import math
import statistics
from dataclasses import dataclass

from . import spread

VERDICTS = ["fit", "not reliable", "cannot tell"]
NEAR = 0.005  # an error that no reader minds


def name_of(benchmark):
    threads = {"threads": benchmark["threads"]} if benchmark["threads"] > 1 else {}
    return "/".join([benchmark["area"], benchmark["name"],
                     *(f"{name}={value}" for name, value in {**benchmark["args"], **threads}.items())])


def by_row(result):
    """{name: benchmark} of those that have a number."""
    return {name_of(benchmark): benchmark for benchmark in result["benchmarks"] if not benchmark["failed"]}


def verdict_of(benchmark):
    """One of VERDICTS. A core without probes has no neighbour that anything could tell of."""
    disturbed = benchmark["disturbed"] or {}
    if disturbed.get("unfit"):
        return "not reliable"
    return "cannot tell" if disturbed.get("probes") == "none" else "fit"


@dataclass
class Reading:
    """A row by one run. A field is None where the result has no such figure; the measurand is so in results before it was told."""
    point: float
    low: float
    high: float
    while_shared: float
    verdict: str
    measurand: str
    quiet: float
    kinds: list

    def side(self, value):
        """Half of the interval, on the side of @value; None without an interval."""
        if self.low is None or self.high is None:
            return None
        return self.high - self.point if value > self.point else self.point - self.low

    def half(self):
        """Relative half of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2 / self.point

    def holds(self, value, of_value=0.0, widened=1.0):
        """True where the interval, @widened, has @value in it, which has an interval of @of_value itself: the intervals of a
        difference add as squares do."""
        side = self.side(value)
        return side is not None and abs(value - self.point) <= math.hypot(widened * side, of_value)


def reading(benchmark, quantity="time_ns"):
    """The Reading of a row in "time_ns" or "cycles"; None where it has no such headline."""
    time, disturbed = benchmark[quantity], benchmark["disturbed"] or {}
    if not time or time["point"] is None:
        return None
    return Reading(time["point"], time["low"], time["high"], (time["while_shared"] or {}).get("median"), verdict_of(benchmark),
                   benchmark.get("measurand"), disturbed.get("quiet"), [finding["kind"] for finding in benchmark["findings"]])


# ---- readings of one row by several runs

def hold_the_others(readings):
    """How many intervals hold the median of the other runs' points, and how many there are."""
    held = [one.holds(statistics.median(other.point for other in readings if other is not one))
            for one in readings if one.low is not None and len(readings) > 1]
    return sum(held), len(held)


def hold_each_other(readings):
    """Ordered pairs of runs: how many intervals, made wide enough for a difference of two such runs, hold the other's point, and how
    many pairs there are."""
    held = [one.holds(other.point, widened=math.sqrt(2)) for one in readings for other in readings
            if one is not other and one.low is not None]
    return sum(held), len(held)


def half_width(readings):
    return spread.median([one.half() for one in readings])
