# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures as people read them, and tables of them."""

import math

NONE = "–"


def number(value, unit="", digits=4):
    """With so many significant digits; a dash for what is not there."""
    if value is None or not math.isfinite(value):
        return NONE
    places = max(0, digits - 1 - (math.floor(math.log10(abs(value))) if value else 0))
    return f"{value:,.{min(places, 6)}f}{' ' + unit if unit else ''}"


def percent(fraction, digits=3):
    return NONE if fraction is None or not math.isfinite(fraction) else f"{100 * fraction:.{digits}f} %"


def render(head, rows, left=(0,)):
    """Columns side by side, to the right but for those in @left."""
    lines = [head] + rows
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) if i in left else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths)))
        .rstrip() for line in lines)


def markdown(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + rows
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
