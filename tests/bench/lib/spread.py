# SPDX-License-Identifier: GPL-3.0-or-later
"""The few statistics of these tables. None stands for what could not be measured, and makes None of what needs it."""

import math
import statistics


def known(values):
    return [value for value in values if value is not None]


def worst(values, truth):
    """The value furthest from the truth; None where either is unknown."""
    if truth is None:
        return None
    return max(known(values), key=lambda value: abs(value - truth), default=None)


def error(value, truth):
    return None if value is None or truth is None else value / truth - 1


def median(values):
    return statistics.median(known(values)) if known(values) else None


def deviation(values):
    """Standard deviation of the sample (n - 1) over the mean; None under two values, or where one is missing."""
    if len(values) < 2 or len(known(values)) < len(values):
        return None
    return statistics.stdev(values) / statistics.fmean(values)


def deviation_of_logs(values):
    """Standard deviation of the sample's logs: relative, and the same for a value and its inverse."""
    return statistics.stdev(map(math.log, known(values))) if len(known(values)) > 1 else None


def width(values):
    """(max - min) / min; None under two values."""
    return max(known(values)) / min(known(values)) - 1 if len(known(values)) > 1 else None
