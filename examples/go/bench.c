/* SPDX-License-Identifier: MIT */

/*
 * Benchmarks in Go: README.md tells how they are built, and how far their times go. The bodies are functions of Go, which take a batch at
 * a time: a call from Go into C costs as much as many iterations.
 */

#include <benchd/bench.h>

#include "_cgo_export.h"

uint64_t batch_begin(struct bench *b) {
        return b->begin(b);
}

uint64_t batch_next(struct bench *b) {
        return b->next(b);
}

BENCH(sum, .area = "go", .about = "sum of 1000 numbers") {
        goSum(b);
}

BENCH(sort_ints, .area = "go", .about = "sort.Ints of 256 numbers, and the copy of them") {
        goSortInts(b);
}

BENCH(allocate, .area = "go", .about = "4 KiB that are garbage at once, and their collection") {
        bench_counter(b, "collections", goAllocate(b));
}

BENCH(call, .area = "go", .about = "a call from C into Go and back") {
        goNothing(); /* starts the last threads of the runtime */

        bench_loop(b)
                goNothing();
}
