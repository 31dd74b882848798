# SPDX-License-Identifier: GPL-3.0-or-later
"""Relations that hold between the built-in benchmarks wherever they measure what they say.

A row is named AREA/BENCHMARK or AREA/BENCHMARK/ARGUMENT=VALUE. Its figure is cycles where the result has them, else nanoseconds. A
relation's judge() takes {row: figure} and returns its figure in words, and whether it holds; None where a row is missing or was
skipped, as where the processor has no such instruction. What is known of the processor stands among the rows: published/CHAIN has the
cycles of lib/truth.py, cache/LEVEL the bytes of a cache.
"""

from dataclasses import dataclass

from . import table, truth


def figures(result):
    """{row: figure} of a run, without the rows that have none."""
    found = {}
    for benchmark in result["benchmarks"]:
        name = "/".join([benchmark["area"], benchmark["name"], *(f"{arg}={value}" for arg, value in benchmark["args"].items())])
        figure = benchmark["cycles"]["point"] or benchmark["time_ns"]["point"]
        if figure:
            found[name] = figure
    return found


def facts(result, cpuinfo="/proc/cpuinfo"):
    """{published/CHAIN or cache/LEVEL: figure} of the processor."""
    published = truth.of_cpuinfo(cpuinfo)
    found = {f"published/{chain}": cycles for chain, cycles in published.cycles.items()} if published else {}
    return found | {f"cache/{cache['level']}": cache["size_bytes"] for cache in result["environment"]["cpu"]["caches"]
                    if cache["kind"] != "instruction"}


@dataclass
class Ratio:
    """@row takes @factor times as long as @unit, give or take the share @within."""
    words: str
    row: str
    unit: str
    factor: float
    within: float = 0.1

    def judge(self, known):
        if self.row not in known or self.unit not in known:
            return table.NONE, None
        ratio = known[self.row] / known[self.unit]
        return f"{ratio:.3f}, expected {self.factor:g} ± {100 * self.within:g} %", abs(ratio / self.factor - 1) <= self.within


@dataclass
class AtMost:
    """@row takes at most @factor times as long as @other."""
    words: str
    row: str
    other: str
    factor: float = 1.0

    def judge(self, known):
        if self.row not in known or self.other not in known:
            return table.NONE, None
        ratio = known[self.row] / known[self.other]
        return f"{ratio:.3f}, at most {self.factor:g}", ratio <= self.factor


@dataclass
class Between:
    """@row takes from @low to @high: cycles, which only a property of all processors or a width in bytes can bound."""
    words: str
    row: str
    low: float
    high: float

    def judge(self, known):
        if self.row not in known:
            return table.NONE, None
        return f"{table.number(known[self.row])}, expected {self.low:g} … {self.high:g}", self.low <= known[self.row] <= self.high


@dataclass
class Rising:
    """The rows that begin with @family take longer from one to the next; each may fall below the one before by the share @slack."""
    words: str
    family: str
    slack: float = 0.1

    def judge(self, known):
        values = [figure for name, figure in known.items() if name.startswith(self.family)]
        if len(values) < 2:
            return table.NONE, None
        worst = min(after / before for before, after in zip(values, values[1:]))
        return (f"{table.number(values[0])} … {table.number(values[-1])}, least step {worst:.3f}, at least {1 - self.slack:g}",
                worst >= 1 - self.slack)


@dataclass
class Step:
    """Rows that begin with @family, of so many bytes: those beyond the cache of @level take at least @factor times as long as those
    within. A set of half of the cache lies within, one of twice its size beyond."""
    words: str
    family: str
    level: int
    factor: float = 1.5

    def judge(self, known):
        size = known.get(f"cache/{self.level}")
        sizes = {int(name.split("bytes=")[1]): figure for name, figure in known.items() if name.startswith(self.family)}
        within = [at for at in sizes if size and at <= size / 2]
        beyond = [at for at in sizes if size and at >= 2 * size]
        if not within or not beyond:
            return table.NONE, None
        ratio = sizes[min(beyond)] / sizes[max(within)]
        return f"{ratio:.3f} from {max(within):,} to {min(beyond):,} bytes, at least {self.factor:g}", ratio >= self.factor
