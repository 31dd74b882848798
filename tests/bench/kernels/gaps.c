/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modules that watch the clock themselves, so that what benchd says of its windows and of its own cost is not only its own
 * word: `holes` looks for time that passes while it runs and that it does not get; `share` notes when each batch begins
 * and ends, and what of the wall time of the sampling phase lies inside.
 */

#include <benchd/bench.h>
#include <sys/resource.h>

#include "chains.h"
#include "now.h"

#define HOLE_NS UINT64_C(2000000)
#define LOOKS   100
#define SAMPLES 50 /* of the default plan */

BENCH_AREA(gaps, .about = "what the clock says from inside");

typedef struct Holes {
        uint64_t last_ns;
        uint64_t longest_ns;
        uint64_t watched_ns;
        uint64_t n;
        uint64_t n_switched; /* in which the kernel ran somebody else; the others are an interrupt's or the hypervisor's */
        long switches;
} Holes;

static long switches_read(void) {
        struct rusage usage;

        getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_nivcsw + usage.ru_nvcsw;
}

static void holes_begin(Holes *holes) {
        holes->switches = switches_read();
        holes->last_ns = now_ns();
}

static void holes_look(Holes *holes) {
        uint64_t now = now_ns(), gap = now - holes->last_ns;

        holes->last_ns = now;
        holes->watched_ns += gap;
        if (gap > holes->longest_ns)
                holes->longest_ns = gap;
        if (gap <= HOLE_NS)
                return;
        holes->n++;
        holes->n_switched += switches_read() != holes->switches;
        holes_begin(holes);
}

BENCH(holes, .area = "gaps", .about = "gaps over 2 ms inside batches") {
        uint64_t before = UINT64_MAX;
        Holes holes = { .n = 0 };

        bench_loop(b) {
                if (bench_index(b) <= before) /* a batch begins: what passed since the last one was not ours to watch */
                        holes_begin(&holes);
                before = bench_index(b);
                for (int i = 0; i < LOOKS; i++)
                        holes_look(&holes);
        }
        bench_counter(b, "holes", holes.n);
        bench_counter(b, "switched", holes.n_switched);
        bench_counter(b, "longest_ms", holes.longest_ns / 1e6);
        bench_counter(b, "watched_s", holes.watched_ns / 1e9);
}

typedef struct Span {
        uint64_t begin_ns;
        uint64_t end_ns;
} Span;

BENCH(share, .area = "gaps", .samples = SAMPLES, .about = "time inside the batches of the sampling phase") {
        uint64_t before = UINT64_MAX, value = 1, operand = 3, inside_ns = 0;
        Span spans[SAMPLES] = { { 0 } }; /* a ring: the last are those that were sampled */
        size_t n = 0;

        bench_loop(b) {
                if (bench_index(b) <= before)
                        spans[n++ % SAMPLES].begin_ns = now_ns();
                before = bench_index(b);
                CHAIN("add %1, %0", CHAIN_STEPS, value, operand);
                spans[(n - 1) % SAMPLES].end_ns = now_ns();
        }
        bench_use(value);
        for (size_t i = 0; i < SAMPLES; i++)
                inside_ns += spans[i].end_ns - spans[i].begin_ns;
        bench_counter(b, "inside_ms", inside_ns / 1e6);
        bench_counter(b, "wall_ms", (spans[(n - 1) % SAMPLES].end_ns - spans[n % SAMPLES].begin_ns) / 1e6);
}
