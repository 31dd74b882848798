/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A report that is not the runner's own: a child writes odd words over the block in which the runner reports (RUNNER_FD_BLOCK of
 * daemon/ops/runner-plan.h), until it is killed. SEED and PAUSE_US, between two words, are in the environment.
 */

#include <benchd/bench.h>

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_FD 4
#define HEAD     200 /* words at its start, which are hit as often as all others */

static void forge(uint64_t *words, size_t n_words) {
        static const uint64_t odd[] = { 0, 1, 4097, UINT64_MAX, 0x7ff8000000000000, 0x7ff0000000000000,
                0xfff0000000000000, 1ull << 63 };

        for (;;) {
                words[random() % (random() % 2 ? HEAD : n_words)] = odd[random() % 8];
                usleep(atoi(getenv("PAUSE_US")));
        }
}

BENCH(forges, .processes = 1) {
        struct stat status;
        uint64_t *words;

        srandom(atoi(getenv("SEED")));
        fstat(BLOCK_FD, &status);
        words = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, BLOCK_FD, 0);
        if (fork() == 0)
                forge(words, status.st_size / sizeof *words);
        bench_loop(b) {
                bench_clobber();
        }
}
