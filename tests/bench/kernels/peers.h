/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What harnesses are usually tried on, once for benchd and once for Google Benchmark: each kernel is a class whose
 * constructor sets up and whose call is what gets timed, and both harnesses expand the same rows.
 */

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#include "chains.h"

namespace peers {

/* The compiler has to have @value, and to think that all memory changed. */
template <typename T> inline void use(const T &value) {
        asm volatile("" : : "r"(value) : "memory");
}

inline void hide(const void *pointer) {
        asm volatile("" : : "r"(pointer) : "memory");
}

struct Empty {
        void operator()() {
                asm volatile("");
        }
};

struct Call {
        static __attribute__((noinline)) void callee() {
                asm volatile("");
        }
        void operator()() {
                callee();
        }
};

struct Add {
        uint64_t value = 1, operand = 3;
        void operator()() {
                CHAIN("add %1, %0", CHAIN_STEPS, value, operand);
        }
};

struct Multiply {
        uint64_t value = 1, operand = 3;
        void operator()() {
                CHAIN("imul %1, %0", CHAIN_STEPS, value, operand);
        }
};

/* Steps along a random ring of cache lines: each load needs the one before. Sattolo's shuffle makes it one ring. */
template <size_t bytes> struct Walk {
        struct alignas(64) Line {
                Line *next;
        };
        std::vector<Line> lines{ bytes / sizeof(Line) };
        Line *at = lines.data();

        Walk() {
                std::mt19937 random(1);

                for (Line &line : lines)
                        line.next = &line;
                for (size_t i = lines.size() - 1; i > 0; i--)
                        std::swap(lines[i].next, lines[random() % i].next);
        }

        void operator()() {
                for (int i = 0; i < 1000; i++)
                        at = at->next;
                use(at);
        }
};

template <size_t bytes> struct Memcpy {
        std::vector<char> from = std::vector<char>(bytes, 'x'), to = from;
        void operator()() {
                hide(from.data());
                memcpy(to.data(), from.data(), from.size());
                hide(to.data());
        }
};

struct Memset {
        std::vector<char> bytes = std::vector<char>(65536);
        void operator()() {
                memset(bytes.data(), 1, bytes.size());
                hide(bytes.data());
        }
};

struct Strlen {
        std::vector<char> text = std::vector<char>(1001, 'x');
        Strlen() {
                text[1000] = 0;
        }
        void operator()() {
                hide(text.data());
                use(strlen(text.data()));
        }
};

/* @n ints in another order each time, of 64 orders: one order alone the branch predictor learns. */
template <size_t n> struct Qsort {
        static constexpr size_t n_orders = 64;
        std::vector<int> orders = std::vector<int>(n * n_orders), numbers = std::vector<int>(n);
        size_t order = 0;

        Qsort() {
                std::mt19937 random(1);

                for (int &number : orders)
                        number = random();
        }

        static int compare(const void *a, const void *b) {
                int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);

                return (x > y) - (x < y);
        }

        void operator()() {
                memcpy(numbers.data(), &orders[n * order], n * sizeof(int));
                order = (order + 1) % n_orders;
                qsort(numbers.data(), n, sizeof(int), compare);
                hide(numbers.data());
        }
};

struct Malloc {
        void operator()() {
                void *block = malloc(64);

                hide(block);
                free(block);
        }
};

struct SharedPointer {
        std::shared_ptr<int> pointer = std::make_shared<int>(1);
        void operator()() {
                hide(&pointer);
                std::shared_ptr<int> copy = pointer;
                use(copy.get());
        }
};

struct MapFind {
        std::vector<int> keys;
        std::unordered_map<int, int> map;
        size_t next = 0;

        MapFind() {
                std::mt19937 random(1);

                while (map.size() < 1000)
                        map[random()] = 1;
                for (const auto &entry : map)
                        keys.push_back(entry.first);
                for (size_t i = keys.size() - 1; i > 0; i--)
                        std::swap(keys[i], keys[random() % (i + 1)]);
        }

        void operator()() {
                use(map.find(keys[next])->second);
                next = next + 1 < keys.size() ? next + 1 : 0;
        }
};

struct Getpid {
        void operator()() {
                use(syscall(SYS_getpid));
        }
};

} // namespace peers

/* ROW(name, class, what it is) */
#define PEER_ROWS(ROW)                                                                                                 \
 ROW(empty, Empty, "one empty iteration")                                                                              \
 ROW(call, Call, "of an empty function")                                                                               \
 ROW(add, Add, "1000 dependent additions")                                                                             \
 ROW(multiply, Multiply, "1000 dependent multiplications")                                                             \
 ROW(walk_16k, Walk<16384>, "1000 dependent loads, 16 KiB")                                                            \
 ROW(walk_64m, Walk<67108864>, "1000 dependent loads, 64 MiB")                                                         \
 ROW(memcpy, Memcpy<65536>, "64 KiB")                                                                                  \
 ROW(memset, Memset, "64 KiB")                                                                                         \
 ROW(strlen, Strlen, "1000 bytes")                                                                                     \
 ROW(qsort, Qsort<1000>, "copies and sorts 1000 ints, shuffled anew")                                                  \
 ROW(malloc, Malloc, "and free, 64 bytes")                                                                             \
 ROW(shared_ptr, SharedPointer, "a copy and its end")                                                                  \
 ROW(unordered_map, MapFind, "a key that is there, of 1000")                                                           \
 ROW(getpid, Getpid, "the system call")
