# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

RELATIONS = [
    Ratio("a branch that is always taken costs about as much as one that never is", "branches/taken/percent=100",
          "branches/taken/percent=0", 1, 0.5),
    AtMost("a known pattern costs hardly more than no decision", "branches/alternating", "branches/taken/percent=0", 1.5),
    AtMost("one in four costs less than one in two", "branches/taken/percent=25", "branches/taken/percent=50"),
    AtMost("three in four cost less than one in two", "branches/taken/percent=75", "branches/taken/percent=50"),
    Ratio("one in four costs as much as three in four", "branches/taken/percent=25", "branches/taken/percent=75", 1, 0.25),
    AtMost("one in ten costs less than one in four", "branches/taken/percent=10", "branches/taken/percent=25"),
    AtMost("without a branch the data does not matter", "branches/branchless", "branches/taken/percent=50", 0.5),
    AtMost("an unpredictable switch costs more than one in turn", "branches/switch_in_turn", "branches/switch_random", 0.5),
    AtMost("a target in four, always mispredicted by three, costs more than a decision in two", "branches/taken/percent=50",
           "branches/call_random"),
]
