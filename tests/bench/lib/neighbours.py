# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a core that is shared with a neighbour: what a run of a kernel gave, and what several of them say together."""

from . import spread

SEVEN = ["multiply", "branch", "strlen", "memcpy", "qsort", "getppid", "malloc"]
TEN = [*SEVEN, "walk_l2", "mix", "add"]
KERNELS = [*TEN, "hash", "sort_100"]

SIDES = {"with": [], "without": ["--no-probes"]}  # options of benchd-launch

QUIET_SHARE = 0.5  # of samples: a run that says what the quiet level is


def reading(benchmark):
    """The figures that are kept of one run of one kernel. A share is None where no probe told."""
    time, disturbed = benchmark["time_ns"], benchmark["disturbed"] or {}
    return {"ns": time["point"], "low": time["low"], "high": time["high"], "p5": time["raw"]["p5"],
            "shared": disturbed.get("shared_share"), "quiet": disturbed.get("quiet"), "fit": not disturbed.get("unfit")}


def run_share(kernels):
    """The share of a run's samples that were shared: the mean of its kernels; None where no probe told."""
    shares = spread.known(kernel["shared"] for kernel in kernels.values())
    return sum(shares) / len(shares) if shares else None


def outside(kernels):
    """Ordered pairs of a kernel's runs: how many points lie outside the other's interval, and how many pairs there are."""
    pairs = [(one["ns"], other) for runs in kernels for one in runs for other in runs
             if one is not other and one["ns"] is not None and other["low"] is not None]
    return sum(not other["low"] <= ns <= other["high"] for ns, other in pairs), len(pairs)


def quiet_level(runs):
    """The smallest headline of a run of which most samples were quiet; None where there is no such run."""
    return min((run["ns"] for run in runs if (run["quiet"] or 0) > QUIET_SHARE), default=None)


def said_fit(runs, levels, above):
    """Counts of results of kernels that have a level: those that said fit, those among them that lie further above it, and all."""
    results = [(run[name], level) for run in runs for name, level in levels.items() if level and run[name]["ns"] is not None]
    fit = [one["ns"] > (1 + above) * level for one, level in results if one["fit"]]
    return len(fit), sum(fit), len(results)


def lowest(runs):
    """The lowest 5th percentile of the runs' samples: nothing tells how quiet a run without probes was, and here it was quietest."""
    return min(spread.known(run["p5"] for run in runs), default=None)
