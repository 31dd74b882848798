# SPDX-License-Identifier: GPL-3.0-or-later
"""Results with samples, made up from a seed: the shapes that a page has to draw.

A result is that of tests/golden/plain.json with other benchmarks, so it has every field of the schema.
"""

import copy
import json
import math
import random
import statistics

from support.paths import DOCUMENTS

INTERRUPTED, PREEMPTED, MIGRATED, FAULTED, FREQUENCY, UNATTRIBUTED, SHARED, BESIDE, STOLEN = (1 << i for i in range(9))


def golden(name):
    return json.loads((DOCUMENTS / f"{name}.json").read_text())


def sample_of(random_, base_ns, mode, shared):
    """A time and its marks, as a noisy machine gives them."""
    ns = base_ns * mode * math.exp(random_.gauss(0, 0.006))
    chance = random_.random()
    if shared:
        return ns * random_.uniform(1.25, 1.45), SHARED
    if chance < 0.004:
        return ns * random_.uniform(3, 40), PREEMPTED
    if chance < 0.007:
        return ns * random_.uniform(1.5, 4), UNATTRIBUTED
    if chance < 0.008:
        return ns * random_.uniform(1.2, 9), STOLEN
    if chance < 0.009:
        return ns * random_.uniform(1.1, 1.3), MIGRATED
    if chance < 0.03:
        return ns * random_.uniform(1.0, 1.05), INTERRUPTED
    if chance < 0.035:
        return ns * random_.uniform(1.0, 1.08), FREQUENCY
    return ns, 0


def process_of(random_, template, base_ns, n_samples, mode, shares):
    """A process whose core is shared from a sample on, if @shares, for a while."""
    first = random_.randrange(n_samples) if shares else n_samples
    last = first + n_samples // 4
    at, samples = 0, {"at_ns": [], "time_ns": [], "marks": [], "thread": []}
    for i in range(n_samples):
        ns, marks = sample_of(random_, base_ns, mode, first <= i < last)
        if i in (first - 1, last) and shares:
            marks |= BESIDE
        samples["at_ns"].append(at)
        samples["time_ns"].append(ns)
        samples["marks"].append(marks)
        at += 100_000 + random_.randrange(2000)
    quiet = [ns for ns, marks in zip(samples["time_ns"], samples["marks"]) if marks in (0, INTERRUPTED)]
    return dict(copy.deepcopy(template), median_ns=statistics.median(quiet), samples=samples)


def summary_of(times, template):
    times = sorted(times)
    summary = dict.fromkeys(template)
    quantile = lambda share: times[min(len(times) - 1, int(share * len(times)))]  # noqa: E731
    summary.update(samples=len(times), min=times[0], max=times[-1], median=quantile(0.5), p25=quantile(0.25), p75=quantile(0.75),
                   mean=statistics.fmean(times), stddev=statistics.stdev(times))
    return summary


def histogram_of(times):
    times = sorted(times)
    low, high = times[len(times) // 100], times[-1 - len(times) // 100]
    counts = [0] * 24
    for ns in times:
        if low <= ns <= high:
            counts[min(23, int((ns - low) / (high - low) * 24))] += 1
    return {"low": low, "high": high, "counts": counts, "below": sum(ns < low for ns in times), "above": sum(ns > high for ns in times)}


def benchmark_of(random_, name, base_ns, processes=10, samples=200, area="drawn", args=None, modes=1, shares=0.2, title=None):
    benchmark = copy.deepcopy(golden("plain")["benchmarks"][0])
    template = benchmark["processes"][0]
    fast = [i % modes for i in range(processes)]
    benchmark.update(name=name, area=area, args=args or {}, title=title or name, warnings=[], findings=[], about=f"{name}, made up",
                     within_loop_cost=False, samples=processes * samples)
    benchmark["processes"] = [
        process_of(random_, template, base_ns * math.exp(random_.gauss(0, 0.003)), samples, 1 + 0.055 * fast[i], random_.random() < shares)
        for i in range(processes)]
    medians = [process["median_ns"] for process in benchmark["processes"]]
    point = math.exp(statistics.fmean(map(math.log, medians)))
    half = 2.26 * statistics.stdev(map(math.log, medians)) / math.sqrt(processes)
    pairs = [pair for process in benchmark["processes"] for pair in zip(process["samples"]["time_ns"], process["samples"]["marks"])]
    quiet = [ns for ns, marks in pairs if marks in (0, INTERRUPTED, FREQUENCY)]
    benchmark["time_ns"].update(point=point, low=point * math.exp(-half), high=point * math.exp(half), net=dict(point=None, low=None, high=None),
                                raw=summary_of([ns for ns, _ in pairs], benchmark["time_ns"]["raw"]), histogram=histogram_of(quiet))
    benchmark["disturbed"].update(quiet=len(quiet) / len(pairs), unfit=False)
    benchmark["throughput"]["bytes_per_second"] = None
    if modes > 1:
        benchmark["modes"] = [
            {"center_ns": statistics.median(medians[k::modes]), "weight": len(medians[k::modes]) / processes, "kind": "between"}
            for k in range(modes)]
        benchmark["warnings"] = ["the processes' medians fall into two groups: each process keeps to one"]
        benchmark["findings"] = [{"kind": "modes-between", "note": "clusters",
                                  "advice": "processes fall into clusters of times that no one number describes"}]
    return benchmark


def result_of(seed=1, benchmarks=6, processes=10, samples=200):
    """A result of so many benchmarks, of which every fifth has two modes, and a sweep if there is room for one."""
    random_ = random.Random(seed)
    result = golden("plain")
    sizes = [100, 1_000, 10_000, 100_000, 1_000_000] if benchmarks >= 6 else []
    result["benchmarks"] = [
        benchmark_of(random_, f"case_{i:03}", 10 ** random_.uniform(-0.5, 6), processes, samples, area=f"area{i // 25}",
                     modes=2 if i % 5 == 1 else 1) for i in range(benchmarks - len(sizes))]
    result["benchmarks"] += [
        benchmark_of(random_, "sort", 3.1 * n * math.log2(n) + 12, processes, samples, area="sorting", args={"n": n}) for n in sizes]
    if sizes:
        result["complexity"] = [{"area": "sorting", "name": "sort", "arg": "n", "order": "n lg n", "coefficient": 3.1, "residual": 0.011,
                                 "threads": 1, "sizes": len(sizes), "constant": 12.0}]
    for index, benchmark in enumerate(result["benchmarks"]):
        benchmark["index"] = index + 1
    result["plan"].update(processes=processes, samples=samples)
    result["verdict"] = "fit"
    return result
