# SPDX-License-Identifier: GPL-3.0-or-later
from lib.relation import AtMost

RELATIONS = [
    AtMost("zlib: a higher level takes longer", "compression/zlib_deflate/level=1", "compression/zlib_deflate/level=6"),
    AtMost("zstd: a higher level takes longer",
           "compression/zstd_compress/level=1", "compression/zstd_compress/level=9"),
    AtMost("zlib: taking apart is faster", "compression/zlib_inflate", "compression/zlib_deflate/level=1"),
    AtMost("zstd: taking apart is faster", "compression/zstd_decompress", "compression/zstd_compress/level=1"),
    AtMost("LZ4: taking apart is faster", "compression/lz4_decompress", "compression/lz4_compress"),
    AtMost("LZ4 is faster than zlib", "compression/lz4_compress", "compression/zlib_deflate/level=1"),
]
