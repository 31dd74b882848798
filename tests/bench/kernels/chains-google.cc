/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The same chains as a program of Google Benchmark. One of its iterations is CHAIN_STEPS steps. */

#include <benchmark/benchmark.h>

#include "chains.h"

#define CHAIN_BENCH(name_, instruction_)                                                                               \
 static void name_(benchmark::State &state) {                                                                          \
  uint64_t value = 1, operand = 3;                                                                                     \
                                                                                                                       \
  if (!chains_supported())                                                                                             \
   return state.SkipWithError("this processor has no SSE4.2");                                                         \
  for (auto _ : state)                                                                                                 \
   CHAIN(instruction_, CHAIN_STEPS, value, operand);                                                                   \
  benchmark::DoNotOptimize(value);                                                                                     \
 }                                                                                                                     \
 BENCHMARK(name_);

CHAIN_ROWS(CHAIN_BENCH)

BENCHMARK_MAIN();
