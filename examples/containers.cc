/* SPDX-License-Identifier: MIT */

/*
 * Containers of the C++ library. The header is the same as in C; options are written the same way, also in C++17. An
 * exception that leaves a body ends the benchmark with its what(), and destructors run.
 */

#include <algorithm>
#include <benchd/bench.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

BENCH_AREA(containers, .about = "containers and algorithms of the C++ library");

namespace {

std::vector<int> shuffled(size_t n) {
        std::vector<int> numbers(n);

        std::iota(numbers.begin(), numbers.end(), 0);
        std::shuffle(numbers.begin(), numbers.end(), std::mt19937(n));
        return numbers;
}

} // namespace

BENCH(vector_push_back, .area = "containers", .args = BENCH_ARGS(n, 10, 1000), .about = "n times into an empty one") {
        const int n = bench_arg(b, 0);

        bench_ops(b, n);
        bench_loop(b) {
                std::vector<int> numbers;

                for (int i = 0; i < n; i++)
                        numbers.push_back(i);
                bench_use(numbers.data());
                bench_clobber();
        }
}

BENCH(vector_reserved, .area = "containers", .args = BENCH_ARGS(n, 10, 1000), .about = "the same, with reserve()") {
        const int n = bench_arg(b, 0);

        bench_ops(b, n);
        bench_loop(b) {
                std::vector<int> numbers;

                numbers.reserve(n);
                for (int i = 0; i < n; i++)
                        numbers.push_back(i);
                bench_use(numbers.data());
                bench_clobber();
        }
}

BENCH(unordered_map_find, .area = "containers", .args = BENCH_RANGE(n, 100, 100000, 10),
                .about = "a key that is there") {
        const std::vector<int> keys = shuffled(bench_arg(b, 0));
        std::unordered_map<int, int> map;
        size_t next = 0;

        for (int key : keys)
                map[key] = key;
        bench_loop(b) {
                bench_use(map.find(keys[next])->second);
                next = next + 1 < keys.size() ? next + 1 : 0;
        }
}

BENCH(shared_ptr_copy, .area = "containers", .about = "and its end: with one thread, no atomic instruction") {
        std::shared_ptr<int> pointer = std::make_shared<int>(1);

        bench_loop(b) {
                bench_opaque(pointer);
                std::shared_ptr<int> copy = pointer;
                bench_use(copy.get());
        }
}

BENCH(sort, .area = "containers", .args = BENCH_RANGE(n, 100, 102400, 4),
                .about = "copies n shuffled ints and sorts them") {
        const std::vector<int> unsorted = shuffled(bench_arg(b, 0));
        std::vector<int> numbers = unsorted;

        bench_items(b, numbers.size());
        bench_loop(b) {
                std::copy(unsorted.begin(), unsorted.end(), numbers.begin());
                std::sort(numbers.begin(), numbers.end());
                bench_clobber();
        }
        if (!std::is_sorted(numbers.begin(), numbers.end()))
                bench_fail(b, "not sorted");
}

BENCH(string_append, .area = "containers", .args = BENCH_ARGS(n, 10, 100), .about = "n characters, one by one") {
        const int n = bench_arg(b, 0);

        bench_ops(b, n);
        bench_loop(b) {
                std::string text;

                for (int i = 0; i < n; i++)
                        text += 'x';
                bench_use(text.data());
                bench_clobber();
        }
}
