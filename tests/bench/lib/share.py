# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares of a count, with what chance alone does to them."""

import math

Z95 = 1.959964  # the normal distribution's quantile of 97.5 %


def interval(k, n):
    """Of 95 %, for the share that k of n is a sample of (Wilson, Journal of the American Statistical Association 22, 1927)."""
    middle = (k + Z95 ** 2 / 2) / (n + Z95 ** 2)
    half = Z95 / (n + Z95 ** 2) * math.sqrt(k * (n - k) / n + Z95 ** 2 / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


def most(n, share):
    """The most of n that come, 19 times in 20, where each comes with this probability: more is no accident."""
    below = 0.0
    for k in range(n + 1):
        below += math.comb(n, k) * share ** k * (1 - share) ** (n - k)
        if below >= 0.95:
            return k
    return n


def words(k, n):
    """A share with its interval."""
    if n == 0:
        return "–"
    low, high = interval(k, n)
    return f"{100 * k / n:.1f} % ({k} of {n}; {100 * low:.1f} … {100 * high:.1f} %)"
