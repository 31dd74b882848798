# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost, Between, Ratio

HIDDEN = ["adler32"]
RELATIONS = [
    Between("FNV-1a takes 1 + 3 cycles a byte", "hashing/fnv1a/bytes=4096", 3.8 * 4096, 4.4 * 4096),
    AtMost("CRC-32 takes more than a byte at a time", "hashing/crc32/bytes=4096", "hashing/fnv1a/bytes=4096"),
    AtMost("Adler-32 takes less than FNV-1a", "hashing/adler32/bytes=4096", "hashing/fnv1a/bytes=4096"),
    AtMost("XXH3 takes less than CRC-32", "hashing/xxh3/bytes=4096", "hashing/crc32/bytes=4096"),
    Between("MD5 is a chain of 64 rounds in each of 65 blocks, 3 cycles and more a round",
            "hashing/md5/bytes=4096", 3 * 64 * 65, 12 * 64 * 65),
    Ratio("SHA-256 takes eight times as long for eight times as much",
          "hashing/sha256/bytes=65536", "hashing/sha256/bytes=8192", 8),
]
