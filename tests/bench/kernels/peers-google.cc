/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The usual kernels as a program of Google Benchmark. */

#include "peers.h"

#include <benchmark/benchmark.h>

#define PEER_BENCH(name_, class_, about_)                                                                              \
 static void bench_##name_(benchmark::State &state) {                                                                  \
  peers::class_ kernel;                                                                                                \
                                                                                                                       \
  for (auto _ : state)                                                                                                 \
   kernel();                                                                                                           \
 }                                                                                                                     \
 BENCHMARK(bench_##name_)->Name(#name_);

PEER_ROWS(PEER_BENCH)

BENCHMARK_MAIN();
