/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The chains as a module of benchd. */

#include <benchd/bench.h>

#include "chains.h"

BENCH_AREA(chains, .about = "dependent instructions, per step");

#define CHAIN_BENCH(name_, instruction_)                                                                               \
 BENCH(name_, .area = "chains", .about = instruction_, .ops = CHAIN_STEPS) {                                           \
  uint64_t value = 1, operand = 3;                                                                                     \
                                                                                                                       \
  if (!chains_supported())                                                                                             \
   bench_skip(b, "this processor has no SSE4.2");                                                                      \
  bench_loop(b)                                                                                                        \
   CHAIN(instruction_, CHAIN_STEPS, value, operand);                                                                   \
  bench_use(value);                                                                                                    \
 }

CHAIN_ROWS(CHAIN_BENCH)
