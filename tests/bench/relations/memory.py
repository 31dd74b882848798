# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Between, Rising, Step

RELATIONS = [
    *(Step(f"cache {level} ends where the processor says", "memory/chase_huge_pages/", level) for level in (1, 2, 3)),
    Rising("latency does not fall as the working set grows", "memory/chase_huge_pages/", 0.15),
    Rising("latency does not fall with small pages either", "memory/chase/", 0.15),
    Rising("latency does not fall as the number of pages grows", "memory/chase_pages/", 0.15),
    AtMost("beyond the TLB small pages cost more than huge ones", "memory/chase_huge_pages/bytes=67108864", "memory/chase/bytes=67108864", 1.1),
    AtMost("a prefetchable order costs a fraction of a random one", "memory/chase_in_order/stride=64",
           "memory/chase_huge_pages/bytes=33554432", 0.5),
    AtMost("reads that do not wait cost a fraction of those that do", "memory/read_at_random/bytes=67108864",
           "memory/chase_huge_pages/bytes=67108864", 0.5),
    Rising("reading does not get faster with size", "memory/read/", 0.15),
    Rising("writing does not get faster with size", "memory/write/", 0.15),
    Rising("copying does not get faster with size", "memory/copy/", 0.15),
    Between("4 KiB are read at four loads of 16 bytes a cycle at most", "memory/read/bytes=16384", 64, 1e4),
    Between("4 KiB are written at two stores of 16 bytes a cycle at most", "memory/write/bytes=16384", 128, 1e4),
    Between("4 KiB are copied at two stores of 16 bytes a cycle at most", "memory/copy/bytes=16384", 128, 1e4),
    AtMost("streaming stores beat stores that read the line first", "memory/write_past_caches/bytes=134217728",
           "memory/write/bytes=134217728"),
    AtMost("two threads at one line cost each other time", "memory/own_lines", "memory/false_sharing", 0.7),
    AtMost("two threads at one variable cost each other time", "memory/own_lines", "memory/true_sharing", 0.7),
]
