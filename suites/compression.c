/* SPDX-License-Identifier: MIT */

/*
 * compression: 16 KiB of generated text by Debian's libraries, at several levels.
 *
 * The same text comes in each iteration, as in the libraries' own benchmarks, so a processor learns some of its
 * branches. The text is words drawn from a short list with a fixed seed, so that all runs compress the same bytes.
 * State and buffers are made before the loop and used again: the time is that of compressing. The ratio stands beside
 * each result.
 */

#include <benchd/bench.h>
#include <lz4.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

BENCH_AREA(compression, .about = "16 KiB of generated text by Debian's libraries");
BENCH_EMBED_SOURCE;

#define TEXT_BYTES   16384u
#define PACKED_BYTES 32768u

static char text[TEXT_BYTES], packed[PACKED_BYTES], unpacked[TEXT_BYTES];

/* Short words are frequent, as in a language. */
static void text_make(struct bench *b) {
        static const char *const words[] = { "the ", "of ", "a ", "and ", "to ", "in ", "clock ", "machine ",
                "measure ", "slowly ", "another ", "processor ", "interval ", "whichever ", "drifts.\n",
                "calibration " };
        uint64_t state = 1;

        for (size_t n = 0; n < TEXT_BYTES;) {
                size_t length;
                uint32_t draw;

                state = state * 6364136223846793005u + 1442695040888963407u;
                draw = (uint32_t)(state >> 33);
                length = strlen(words[draw % 16 & draw / 16 % 16]);
                if (length > TEXT_BYTES - n)
                        length = TEXT_BYTES - n;
                memcpy(text + n, words[draw % 16 & draw / 16 % 16], length);
                n += length;
        }
        bench_bytes(b, TEXT_BYTES);
}

/* Reports how much @n_packed bytes save, after checking that there are any. */
static void ratio_tell(struct bench *b, size_t n_packed) {
        if (n_packed == 0 || n_packed > PACKED_BYTES)
                bench_fail(b, "the text could not be compressed");
        bench_label(b, "to %.1f %%", 100.0 * (double)n_packed / TEXT_BYTES);
}

static void text_check(struct bench *b) {
        if (memcmp(text, unpacked, TEXT_BYTES) != 0)
                bench_fail(b, "the text is not what was compressed");
}

/* ---- zlib */

static size_t deflate_all(z_stream *stream) {
        deflateReset(stream);
        stream->next_in = (Bytef *)text;
        stream->avail_in = TEXT_BYTES;
        stream->next_out = (Bytef *)packed;
        stream->avail_out = PACKED_BYTES;
        return deflate(stream, Z_FINISH) == Z_STREAM_END ? stream->total_out : 0;
}

BENCH(zlib_deflate, .args = BENCH_ARGS(level, 1, 6),
                .about = "limited by the search for repetitions, longer at each level") {
        z_stream stream = { 0 };

        text_make(b);
        if (deflateInit(&stream, (int)bench_arg(b, 0)) != Z_OK)
                bench_fail(b, "deflateInit: no memory");
        ratio_tell(b, deflate_all(&stream));
        bench_loop(b)
                bench_use(deflate_all(&stream));
        deflateEnd(&stream);
}

static int inflate_all(z_stream *stream, size_t n_packed) {
        inflateReset(stream);
        stream->next_in = (Bytef *)packed;
        stream->avail_in = (uInt)n_packed;
        stream->next_out = (Bytef *)unpacked;
        stream->avail_out = TEXT_BYTES;
        return inflate(stream, Z_FINISH);
}

BENCH(zlib_inflate, .about = "limited by the chain from one Huffman code to the next") {
        z_stream packing = { 0 }, stream = { 0 };
        size_t n_packed;

        text_make(b);
        if (deflateInit(&packing, 6) != Z_OK || inflateInit(&stream) != Z_OK)
                bench_fail(b, "zlib has no memory");
        n_packed = deflate_all(&packing);
        ratio_tell(b, n_packed);
        bench_loop(b)
                bench_use(inflate_all(&stream, n_packed));
        text_check(b);
        deflateEnd(&packing);
        inflateEnd(&stream);
}

/* ---- zstd */

BENCH(zstd_compress, .args = BENCH_ARGS(level, 1, 9),
                .about = "limited by the search for repetitions, longer at each level") {
        ZSTD_CCtx *context = ZSTD_createCCtx();
        int level = (int)bench_arg(b, 0);

        text_make(b);
        if (!context)
                bench_fail(b, "zstd has no memory");
        ratio_tell(b, ZSTD_compressCCtx(context, packed, PACKED_BYTES, text, TEXT_BYTES, level));
        bench_loop(b)
                bench_use(ZSTD_compressCCtx(context, packed, PACKED_BYTES, text, TEXT_BYTES, level));
        ZSTD_freeCCtx(context);
}

BENCH(zstd_decompress, .about = "limited by tables of the entropy code, made for each text, and short copies") {
        ZSTD_DCtx *context = ZSTD_createDCtx();
        size_t n_packed;

        text_make(b);
        if (!context)
                bench_fail(b, "zstd has no memory");
        n_packed = ZSTD_compress(packed, PACKED_BYTES, text, TEXT_BYTES, 3);
        ratio_tell(b, n_packed);
        bench_loop(b)
                bench_use(ZSTD_decompressDCtx(context, unpacked, TEXT_BYTES, packed, n_packed));
        text_check(b);
        ZSTD_freeDCtx(context);
}

/* ---- LZ4 */

BENCH(lz4_compress, .about = "limited by one look-up in a table for each word, and mispredicted branches") {
        int n_packed;

        text_make(b);
        n_packed = LZ4_compress_default(text, packed, TEXT_BYTES, PACKED_BYTES);
        ratio_tell(b, (size_t)n_packed);
        bench_loop(b)
                bench_use(LZ4_compress_default(text, packed, TEXT_BYTES, PACKED_BYTES));
}

BENCH(lz4_decompress, .about = "limited by short copies, and mispredicted branches on their lengths") {
        int n_packed;

        text_make(b);
        n_packed = LZ4_compress_default(text, packed, TEXT_BYTES, PACKED_BYTES);
        ratio_tell(b, (size_t)n_packed);
        bench_loop(b)
                bench_use(LZ4_decompress_safe(packed, unpacked, n_packed, TEXT_BYTES));
        text_check(b);
}
