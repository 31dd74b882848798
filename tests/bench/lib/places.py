# SPDX-License-Identifier: GPL-3.0-or-later
"""The time of code that hangs on its place within a cache line: the mean over the places, each of which counts once."""

import math
import statistics

from .share import Z95

PLACES = 4  # to which benchd moves a module in turn


def of_processes(processes, key):
    """{place: [log of a process's median]}, without processes that have none."""
    found = {}
    for process in processes:
        if process[key]:
            found.setdefault(process["image_offset"], []).append(math.log(process[key]))
    return found


def mean(logs):
    """The mean over the places and half of its interval, by the spread within them; None and None where a place is missing, or has
    one process only."""
    if len(logs) < PLACES or any(len(values) < 2 for values in logs.values()):
        return None, None
    point = math.exp(statistics.fmean(statistics.fmean(values) for values in logs.values()))
    return point, point * Z95 * math.sqrt(sum(statistics.variance(values) / len(values) for values in logs.values())) / len(logs)
