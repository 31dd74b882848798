# SPDX-License-Identifier: GPL-3.0-or-later
"""The chains, measured by benchd and by Google Benchmark in turn, so that both meet the same minutes of the machine."""

from . import harness, truth


class Readings:
    """Of one chain: a value a run in each list."""

    def __init__(self):
        self.cycles, self.ns, self.core_hz = [], [], []
        self.google_ns, self.google_adds = [], []

    def google_cycles(self):
        """Its time at the frequency that benchd's ruler found in the run before."""
        return [ns * hz / 1e9 if hz else None for ns, hz in zip(self.google_ns, self.core_hz)]


QUICK_GOOGLE_S = 0.01


def measure(runs, quick=False, words=""):
    """Runs both in turn. Returns {chain: Readings} and the last result of benchd."""
    readings = {name: Readings() for name in truth.CHAINS}
    for run in range(runs):
        harness.say(f"{words}chains, run {run + 1} of {runs}")
        result = harness.benchd("chains", *harness.quick_options(quick))
        google = harness.google(min_time_s=QUICK_GOOGLE_S if quick else None)
        for name, reading in readings.items():
            note(reading, result["by_name"][name], google and google[name], google and google["add"])
    harness.say("")
    return readings, result


def note(reading, benchmark, google_ns, google_add_ns):
    reading.cycles.append(benchmark["cycles"]["point"])
    reading.ns.append(benchmark["time_ns"]["point"])
    reading.core_hz.append(benchmark["core_hz"])
    if google_ns:
        reading.google_ns.append(google_ns)
        reading.google_adds.append(google_ns / google_add_ns)
