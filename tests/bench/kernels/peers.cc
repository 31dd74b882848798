/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The usual kernels as a module of benchd. */

#include "peers.h"

#include <benchd/bench.h>

BENCH_AREA(peers, .about = "what harnesses are usually tried on");

#define PEER_BENCH(name_, class_, about_)                                                                              \
 BENCH(name_, .area = "peers", .about = about_) {                                                                      \
  peers::class_ kernel;                                                                                                \
                                                                                                                       \
  bench_loop(b)                                                                                                        \
   kernel();                                                                                                           \
 }

PEER_ROWS(PEER_BENCH)
