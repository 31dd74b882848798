# SPDX-License-Identifier: GPL-3.0-or-later
"""The rank test of Mann and Whitney, as the usual scripts have it: by the normal distribution, corrected for ties and continuity."""

import collections
import math


def ranks(values):
    """{value: its rank from 1, the middle one where there are several}, and how many there are of each."""
    found, before = {}, 0
    counts = collections.Counter(values)
    for value in sorted(counts):
        found[value] = before + (counts[value] + 1) / 2
        before += counts[value]
    return found, counts


def p_value(a, b):
    """Two-sided. 1 where all values are equal."""
    rank, counts = ranks([*a, *b])
    n = len(a) + len(b)
    u = sum(rank[value] for value in a) - len(a) * (len(a) + 1) / 2
    ties = sum(count ** 3 - count for count in counts.values())
    variance = len(a) * len(b) / 12 * (n + 1 - ties / (n * (n - 1)))
    if variance == 0:
        return 1.0
    z = (abs(u - len(a) * len(b) / 2) - 0.5) / math.sqrt(variance)
    return min(1.0, math.erfc(z / math.sqrt(2)))
