/* SPDX-License-Identifier: MIT */

/*
 * hashing: checksums and hashes from Debian's libraries, by length: for tables (FNV-1a, XXH3), against errors (CRC-32,
 * Adler-32) and against attackers (MD5, once; SHA-256).
 *
 * The processor's own instructions make a library five times as fast and more: zlib and nettle look for them at run
 * time, if at all.
 */

#include <benchd/bench.h>
#include <nettle/md5.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <xxhash.h>
#include <zlib.h>

BENCH_AREA(hashing, .about = "checksums and hashes from Debian's libraries, by length");
BENCH_EMBED_SOURCE;

#define BYTES_MAX 65536u

static unsigned char text[BYTES_MAX];

/* The argument, after that many bytes were filled and the rate was set. */
static size_t text_prepare(struct bench *b) {
        size_t bytes = bench_arg(b, 0);

        for (size_t i = 0; i < bytes; i++)
                text[i] = (unsigned char)(i * 167 + i / 256);
        bench_bytes(b, bytes);
        return bytes;
}

static __attribute__((noinline)) uint64_t fnv1a(const unsigned char *bytes, size_t n) {
        uint64_t hash = 0xcbf29ce484222325u;

        for (size_t i = 0; i < n; i++)
                hash = (hash ^ bytes[i]) * 0x100000001b3u;
        return hash;
}

BENCH(fnv1a, .args = BENCH_ARGS(bytes, 16, 4096),
                .about = "limited by the chain of an exclusive-or and a multiplication a byte") {
        const unsigned char *bytes = text;
        size_t n = text_prepare(b);

        bench_loop(b) {
                bench_opaque(bytes);
                bench_use(fnv1a(bytes, n));
        }
}

BENCH(xxh3, .args = BENCH_ARGS(bytes, 16, 4096),
                .about = "limited by a tree of branches on the length for short keys, by vector multiplications beyond") {
        const unsigned char *bytes = text;
        size_t n = text_prepare(b);

        bench_loop(b) {
                bench_opaque(bytes);
                bench_use(XXH3_64bits(bytes, n));
        }
}

BENCH(crc32, .args = BENCH_ARGS(bytes, 4096), .about = "zlib: limited by loads from its tables, five words at a time") {
        const unsigned char *bytes = text;
        size_t n = text_prepare(b);

        bench_loop(b) {
                bench_opaque(bytes);
                bench_use(crc32(0, bytes, (uInt)n));
        }
}

BENCH(adler32, .hidden = 1, .args = BENCH_ARGS(bytes, 4096),
                .about = "zlib: limited by a chain of additions, one a byte") {
        const unsigned char *bytes = text;
        size_t n = text_prepare(b);

        bench_loop(b) {
                bench_opaque(bytes);
                bench_use(adler32(1, bytes, (uInt)n));
        }
}

BENCH(md5, .args = BENCH_ARGS(bytes, 4096), .about = "nettle: limited by a chain of 64 rounds for each 64 bytes") {
        unsigned char digest[MD5_DIGEST_SIZE];
        size_t n = text_prepare(b);
        struct md5_ctx md5;

        bench_loop(b) {
                md5_init(&md5);
                md5_update(&md5, n, text);
                md5_digest(&md5, sizeof digest, digest);
        }
}

BENCH(sha256, .args = BENCH_RANGE(bytes, 1024, 65536, 8),
                .about = "nettle: limited by a chain of 64 rounds for each 64 bytes, one block more for the length") {
        unsigned char digest[SHA256_DIGEST_SIZE];
        size_t n = text_prepare(b);
        struct sha256_ctx sha256;

        bench_loop(b) {
                sha256_init(&sha256);
                sha256_update(&sha256, n, text);
                sha256_digest(&sha256, sizeof digest, digest);
        }
}
