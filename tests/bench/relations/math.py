# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

HIDDEN = ["sinh", "tgamma"]

RELATIONS = [
    AtMost("a power takes longer than an exponential", "math/exp", "math/pow"),
    AtMost("a power takes longer than a logarithm", "math/log", "math/pow"),
    AtMost("a hyperbolic sine takes longer than an exponential", "math/exp", "math/sinh"),
    AtMost("a gamma function takes longer than an exponential and a logarithm", "math/pow", "math/tgamma"),
    AtMost("a sine of float takes no longer than one of double", "math/sinf", "math/sin", 1.05),
    AtMost("a square root takes no longer than a cube root", "math/sqrt", "math/cbrt"),
    AtMost("rounding down takes less than a sine", "math/floor", "math/sin"),
]
