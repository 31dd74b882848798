// SPDX-License-Identifier: GPL-3.0-or-later

#include <benchd/bench.h>

#include <stdexcept>

namespace {

struct Noticed {
        bool *left;
        ~Noticed() {
                *left = true;
        }
};

bool left = false;

} // namespace

BENCH(by_exception, .area = "throws") {
        Noticed noticed{ &left };

        bench_loop(b) {
                if (bench_batch(b) > 1)
                        throw std::runtime_error("out of patience");
        }
}

BENCH(by_odd_exception, .area = "throws") {
        bench_loop(b) {
                throw 42;
        }
}

BENCH(caught_inside, .area = "throws") {
        bench_loop(b) {
                try {
                        throw 42;
                } catch (int answer) {
                        bench_use(answer);
                }
        }
}
