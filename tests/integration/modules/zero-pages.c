/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads 16 MiB that it wrote, or did not, in small pages and in huge ones; and a single byte of them. */

#define _GNU_SOURCE
#include <benchd/bench.h>

#include <string.h>
#include <sys/mman.h>

#define BYTES (16u << 20)

static void read_at(struct bench *b, size_t step, int advice, int written) {
        char *bytes = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (bytes == MAP_FAILED)
                bench_fail(b, "mmap");
        (void)madvise(bytes, BYTES, advice);
        if (written)
                memset(bytes, 1, BYTES);
        bench_loop(b)
                for (size_t i = step / 2; i < BYTES; i += step)
                        bench_use(bytes[i]);
        munmap(bytes, BYTES);
}

BENCH(small) {
        read_at(b, 4096, MADV_NOHUGEPAGE, 0);
}

BENCH(small_written) {
        read_at(b, 4096, MADV_NOHUGEPAGE, 1);
}

BENCH(huge) {
        read_at(b, 4096, MADV_HUGEPAGE, 0);
}

BENCH(huge_written) {
        read_at(b, 4096, MADV_HUGEPAGE, 1);
}

BENCH(huge_byte) {
        read_at(b, BYTES, MADV_HUGEPAGE, 0);
}
