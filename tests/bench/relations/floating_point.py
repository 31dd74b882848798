# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

HIDDEN = ["divide_float_throughput", "packed_add_128_throughput"]

UNITS = ["add", "multiply", "fma", "divide", "divide_float", "square_root"]

RELATIONS = [
    *(AtMost(f"{unit}: throughput is no longer than latency", f"floating_point/{unit}_throughput",
             f"floating_point/{unit}_latency", 1.02) for unit in UNITS),
    AtMost("addition is no longer than multiplication", "floating_point/add_latency", "floating_point/multiply_latency", 1.02),
    AtMost("division is longer than multiplication", "floating_point/multiply_latency", "floating_point/divide_latency"),
    AtMost("float divides no slower than double", "floating_point/divide_float_latency", "floating_point/divide_latency", 1.02),
    AtMost("denormal numbers multiply no faster than normal ones", "floating_point/multiply_latency",
           "floating_point/multiply_denormal_latency", 1.02),
    Ratio("two doubles are added as fast as one", "floating_point/packed_add_128_throughput", "floating_point/add_throughput", 1, 0.1),
    AtMost("four doubles take at most twice as long as two", "floating_point/packed_add_256_throughput",
           "floating_point/packed_add_128_throughput", 2.1),
    AtMost("eight doubles take at most twice as long as four", "floating_point/packed_add_512_throughput",
           "floating_point/packed_add_256_throughput", 2.1),
]
