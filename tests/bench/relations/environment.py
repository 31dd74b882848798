# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Ratio

HIDDEN = ["getauxval"]
RELATIONS = [
    Ratio("getenv walks over all variables",
          "environment/getenv_hit/variables=100", "environment/getenv_hit/variables=10", 10, 0.3),
    AtMost("a first letter that differs ends a comparison",
           "environment/getenv_miss/variables=100", "environment/getenv_hit/variables=100"),
    AtMost("a table is faster than a file",
           "environment/sysconf/name=page_size", "environment/sysconf/name=online_cpus", 0.1),
    AtMost("the kernel's list is no system call", "environment/getauxval", "environment/sysconf/name=online_cpus", 0.1),
]
