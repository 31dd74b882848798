/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Two bodies of which the second takes one per cent longer, by added additions alone. */

#include <benchd/bench.h>

#include "chains.h"

#define ADD_BENCH(name_, steps_)                                                                                       \
 BENCH(name_, .area = "one-percent") {                                                                                 \
  uint64_t value = 1, operand = 3;                                                                                     \
                                                                                                                       \
  bench_loop(b)                                                                                                        \
   CHAIN("add %1, %0", steps_, value, operand);                                                                        \
  bench_use(value);                                                                                                    \
 }

ADD_BENCH(add_100, 100)
ADD_BENCH(add_101, 101)
