# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

RELATIONS = [
    Ratio("a branch that is always taken costs about as much as one that never is", "branches/taken/percent=100",
          "branches/taken/percent=0", 1, 0.5),
    AtMost("a known pattern costs hardly more than no decision", "branches/alternating", "branches/taken/percent=0", 1.5),
    AtMost("one in ten costs less than one in two", "branches/taken/percent=10", "branches/taken/percent=50"),
    Ratio("one in ten costs as much as nine in ten", "branches/taken/percent=10", "branches/taken/percent=90", 1, 0.3),
    AtMost("without a branch the data does not matter", "branches/branchless", "branches/taken/percent=50", 0.5),
    AtMost("an unpredictable switch costs more than one in turn", "branches/switch_in_turn", "branches/switch_random", 0.5),
    AtMost("one target in four costs more than one way in two", "branches/taken/percent=50",
           "branches/call_random"),
]
