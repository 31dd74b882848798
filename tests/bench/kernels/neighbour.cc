/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernels beside a neighbour as a module of benchd. */

#include "neighbour.h"

#include <benchd/bench.h>

BENCH_AREA(neighbour, .about = "slowed by a busy hardware thread on the same core");

#define NEIGHBOUR_BENCH(name_, class_, about_)                                                                         \
 BENCH(name_, .area = "neighbour", .about = about_) {                                                                  \
  class_ kernel;                                                                                                       \
                                                                                                                       \
  bench_loop(b)                                                                                                        \
   kernel();                                                                                                           \
 }

NEIGHBOUR_ROWS(NEIGHBOUR_BENCH)
