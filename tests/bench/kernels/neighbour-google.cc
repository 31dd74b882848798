/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernels beside a neighbour as a program of Google Benchmark. */

#include "neighbour.h"

#include <benchmark/benchmark.h>

#define NEIGHBOUR_BENCH(name_, class_, about_)                                                                         \
 static void bench_##name_(benchmark::State &state) {                                                                  \
  class_ kernel;                                                                                                       \
                                                                                                                       \
  for (auto _ : state)                                                                                                 \
   kernel();                                                                                                           \
 }                                                                                                                     \
 BENCHMARK(bench_##name_)->Name(#name_);

NEIGHBOUR_ROWS(NEIGHBOUR_BENCH)

BENCHMARK_MAIN();
