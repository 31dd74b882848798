# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Between, Ratio

HIDDEN = ["add_five_latency", "shift_throughput"]

UNITS = ["add", "multiply", "divide_32", "divide_64", "shift", "popcount", "crc32"]

RELATIONS = [
    *(Ratio(f"{chain}: latency as published", f"integer/{chain}_latency", f"published/{name}", 1, 0.03)
      for chain, name in [("add", "add"), ("multiply", "multiply"), ("popcount", "popcnt"), ("crc32", "crc32"), ("rotate", "rotate")]),
    Between("an addition takes a cycle", "integer/add_latency", 0.97, 1.03),
    Ratio("five dependent additions take five times one", "integer/add_five_latency", "integer/add_latency", 5, 0.03),
    Ratio("a rotation takes as long as an addition", "integer/rotate_latency", "integer/add_latency", 1, 0.03),
    *(AtMost(f"{unit}: throughput is no longer than latency", f"integer/{unit}_throughput", f"integer/{unit}_latency", 1.02)
      for unit in UNITS),
    AtMost("multiplication is longer than addition", "integer/add_latency", "integer/multiply_latency"),
    AtMost("the upper half of a product comes no sooner than the lower", "integer/multiply_latency", "integer/multiply_high_latency", 1.02),
    AtMost("division is longer than multiplication", "integer/multiply_latency", "integer/divide_32_latency"),
    AtMost("64 bits divide no faster than 32", "integer/divide_32_latency", "integer/divide_64_latency", 1.02),
    AtMost("a modulus takes a division and an addition", "integer/divide_64_latency", "integer/modulo_64_latency"),
    AtMost("a constant modulus saves the division", "integer/modulo_constant_latency", "integer/modulo_64_latency"),
]
