# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step of each chain takes, in core cycles, on the processors of which it is published.

Sources, by the short names in the rows:
  fog   Agner Fog, "Instruction tables", https://agner.org/optimize/instruction_tables.pdf
  uops  A. Abel and J. Reineke, https://uops.info/table.html (register operands, operand 1 to operand 1)
  intel "Intel 64 and IA-32 Architectures Optimization Reference Manual", appendix of latencies
  amd   "Software Optimization Guide" of the family, its spreadsheet of instruction latencies
"""

CHAINS = ["add", "multiply", "popcnt", "crc32", "rotate"]

AMD = dict(add=1, multiply=3, popcnt=1, crc32=3, rotate=1)
INTEL = dict(add=1, multiply=3, popcnt=3, crc32=3, rotate=1)

# vendor, family, models, name, cycles, sources. Family and model as cpuid(1) gives them, extended parts added.
ROWS = [
    ("AuthenticAMD", 23, [0x31, 0x47, 0x60, 0x68, 0x71, 0x84, 0x90, 0x98, 0xA0], "Zen 2", AMD, "fog, uops, amd"),
    ("AuthenticAMD", 25, [*range(0x00, 0x10), *range(0x20, 0x60)], "Zen 3", AMD, "fog, uops, amd"),
    ("AuthenticAMD", 25, [*range(0x10, 0x20), *range(0x60, 0x80), *range(0xA0, 0xB0)], "Zen 4", AMD, "fog, uops, amd"),
    ("AuthenticAMD", 26, [*range(0x00, 0x80)], "Zen 5", AMD, "fog, amd"),
    ("GenuineIntel", 6, [0x4E, 0x5E, 0x55], "Skylake", INTEL, "fog, uops, intel"),
    ("GenuineIntel", 6, [0x8E, 0x9E, 0xA5, 0xA6], "Kaby Lake to Comet Lake", INTEL, "uops, intel"),
    ("GenuineIntel", 6, [0x7D, 0x7E, 0x6A, 0x6C], "Ice Lake", INTEL, "fog, uops, intel"),
    ("GenuineIntel", 6, [0x8C, 0x8D, 0xA7], "Tiger Lake, Rocket Lake", INTEL, "fog, uops, intel"),
    ("GenuineIntel", 6, [0x8F, 0xCF], "Sapphire Rapids, Emerald Rapids", INTEL, "uops (the same core as Alder Lake-P), intel"),
]


class Truth:
    def __init__(self, name, cycles, sources):
        self.name = name
        self.cycles = cycles
        self.sources = sources


def find(vendor, family, model):
    """The Truth of a processor; None where none is known."""
    for row_vendor, row_family, models, name, cycles, sources in ROWS:
        if (vendor, family) == (row_vendor, row_family) and model in models:
            return Truth(name, cycles, sources)
    return None


def parse(cpuinfo):
    """Vendor, family and model in the text of /proc/cpuinfo."""
    fields = {}
    for line in cpuinfo.splitlines():
        name, colon, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    return fields.get("vendor_id", ""), int(fields.get("cpu family", 0)), int(fields.get("model", 0))


def of_cpuinfo(path):
    with open(path) as file:
        return find(*parse(file.read()))
