/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Kernels that a busy hardware thread on the same core slows by as much as anything from nothing to half: each is a class as those of
 * peers.h, from which most of them are, and both harnesses expand the same rows.
 *
 * The loops of multiplications and of branches take three cycles and one a turn, so that their ratio is known. The end of a loop is one
 * mispredicted branch, some 20 cycles of 30,000 turns, so that branches : multiplications is 1/3 to within 0.1 %.
 */

#include "peers.h"

namespace neighbour {

using peers::hide;
using peers::use;

constexpr uint64_t turns = 30000;

/* Aligned, since a loop over two cache lines may take two cycles a turn. */
struct Branch {
        void operator()() {
                uint64_t left = turns;

                asm volatile(".balign 64\n1:\tdec %0\n\tjnz 1b" : "+r"(left) : : "cc");
        }
};

struct Multiply {
        uint64_t value = 1, operand = 3;
        void operator()() {
                uint64_t left = turns;

                asm volatile(".balign 64\n1:\timul %2, %0\n\tdec %1\n\tjnz 1b"
                                : "+r"(value), "+r"(left)
                                : "r"(operand)
                                : "cc");
        }
};

/* Eight chains of cheap integer instructions that know nothing of each other: the core issues as many a cycle as it can. */
struct Mix {
        uint64_t seeds[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
        void operator()() {
                uint64_t lanes[8];

                memcpy(lanes, seeds, sizeof lanes);
                for (uint64_t i = 0; i < 1000; i++) {
#pragma GCC unroll 8
                        for (uint64_t &lane : lanes) {
                                lane = (lane ^ lane << 7) + i;
                                asm("" : "+r"(lane)); /* one lane, one register: no vectors */
                        }
                }
                memcpy(seeds, lanes, sizeof lanes);
                hide(seeds);
        }
};

/* 1 KiB in four lanes of multiplications and rotations, as the usual fast hash functions read it. */
struct Hash {
        std::vector<uint64_t> words = std::vector<uint64_t>(128, 0x0123456789abcdef);
        void operator()() {
                uint64_t lanes[4] = { 1, 2, 3, 4 };

                hide(words.data());
                for (size_t i = 0; i < words.size(); i += 4) {
#pragma GCC unroll 4
                        for (size_t k = 0; k < 4; k++) {
                                lanes[k] += words[i + k] * 0xc2b2ae3d27d4eb4f;
                                lanes[k] = (lanes[k] << 31 | lanes[k] >> 33) * 0x9e3779b185ebca87;
                        }
                }
                use(lanes[0] ^ lanes[1] ^ lanes[2] ^ lanes[3]);
        }
};

struct Getppid {
        void operator()() {
                use(getppid());
        }
};

} // namespace neighbour

/* ROW(name, class, what it is) */
#define NEIGHBOUR_ROWS(ROW)                                                                                            \
 ROW(add, peers::Add, "1000 dependent additions")                                                                      \
 ROW(multiply, neighbour::Multiply, "30000 dependent multiplications")                                                 \
 ROW(branch, neighbour::Branch, "30000 taken branches")                                                                \
 ROW(mix, neighbour::Mix, "8 chains of cheap integer instructions, 1000 turns")                                        \
 ROW(hash, neighbour::Hash, "1 KiB in 4 lanes")                                                                        \
 ROW(strlen, peers::Strlen, "1000 bytes")                                                                              \
 ROW(memcpy, peers::Memcpy<4096>, "4 KiB")                                                                             \
 ROW(walk_l2, peers::Walk<262144>, "1000 dependent loads, 256 KiB")                                                    \
 ROW(sort_100, peers::Qsort<100>, "copies and sorts 100 ints, shuffled anew")                                          \
 ROW(qsort, peers::Qsort<1000>, "copies and sorts 1000 ints, shuffled anew")                                           \
 ROW(malloc, peers::Malloc, "and free, 64 bytes")                                                                      \
 ROW(getppid, neighbour::Getppid, "the system call")
