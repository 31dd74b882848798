/* SPDX-License-Identifier: MIT */

/*
 * zlib on text made here, so that everybody compresses the same bytes: words drawn from a short list, with a seed.
 *
 * The output buffers are made once, before the loop: the time is that of zlib, not of the allocation of its result. (zlib's own
 * state is made anew in each call, as compress2() does; a program that keeps a z_stream would be another benchmark.)
 */

#include <benchd/bench.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

BENCH_AREA(compression, .about = "zlib on generated text");

enum {
        TEXT_BYTES = 64 * 1024,
};

static unsigned char *text_new(size_t n) {
        static const char *const words[] = { "the ", "clock ", "of ", "a ", "machine ", "is ", "measured ", "honestly ",
                "and ", "slowly ", "by ", "another ", "clock, ", "which ", "drifts.\n", "too " };
        unsigned char *text = malloc(n);
        uint64_t state = 1;
        size_t i = 0;

        if (!text)
                abort();
        while (i < n) {
                const char *word;

                state = state * 6364136223846793005u + 1442695040888963407u;
                for (word = words[state >> 60]; *word && i < n; word++)
                        text[i++] = *word;
        }
        return text;
}

static unsigned char *packed_new(struct bench *b, const unsigned char *text, int level, uLongf *ret_n) {
        uLongf n = compressBound(TEXT_BYTES);
        unsigned char *packed = malloc(n);

        if (!packed || compress2(packed, &n, text, TEXT_BYTES, level) != Z_OK)
                bench_fail(b, "zlib cannot compress %d bytes", TEXT_BYTES);
        *ret_n = n;
        return packed;
}

BENCH(deflate, .area = "compression", .args = BENCH_ARGS(level, 1, 6, 9), .about = "64 KiB of text") {
        int level = bench_arg(b, 0);
        unsigned char *text = text_new(TEXT_BYTES);
        uLongf n_packed;
        unsigned char *packed = packed_new(b, text, level, &n_packed);

        bench_bytes(b, TEXT_BYTES);
        bench_counter(b, "ratio", (double)TEXT_BYTES / n_packed);
        bench_loop(b) {
                uLongf n = compressBound(TEXT_BYTES);

                bench_use(compress2(packed, &n, text, TEXT_BYTES, level));
                bench_clobber();
        }
        free(packed);
        free(text);
}

BENCH(inflate, .area = "compression", .args = BENCH_ARGS(level, 1, 6, 9), .about = "64 KiB of text") {
        unsigned char *text = text_new(TEXT_BYTES);
        uLongf n_packed, n = 0;
        unsigned char *packed = packed_new(b, text, bench_arg(b, 0), &n_packed);
        unsigned char *unpacked = text_new(TEXT_BYTES);

        bench_bytes(b, TEXT_BYTES);
        bench_loop(b) {
                n = TEXT_BYTES;
                bench_use(uncompress(unpacked, &n, packed, n_packed));
                bench_clobber();
        }
        if (n != TEXT_BYTES || memcmp(text, unpacked, TEXT_BYTES) != 0)
                bench_fail(b, "the output differs from the input");
        free(unpacked);
        free(packed);
        free(text);
}

BENCH(crc32, .area = "compression", .args = BENCH_RANGE(n, 64, 65536, 4)) {
        size_t n = bench_arg(b, 0);
        unsigned char *text = text_new(n);

        bench_bytes(b, n);
        bench_loop(b) {
                bench_opaque(text);
                bench_use(crc32(0, text, n));
        }
        free(text);
}
