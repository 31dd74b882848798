/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Inner loops that compilers leave nothing of but the counting, since nobody can see what they store; and others that have work left.
 */

#include <benchd/bench.h>

#include <cstdlib>
#include <string>
#include <vector>

struct Point {
        int x, y;
};

BENCH(lost_store) {
        int a[4096];
        bench_loop(b) {
                for (int i = 0; i < 4096; i++)
                        bench_use(a[i] = 0);
        }
}

BENCH(lost_member) {
        Point points[512];
        bench_loop(b) {
                for (int i = 0; i < 512; i++)
                        bench_use(points[i].x = 5);
        }
}

BENCH(lost_backwards) {
        int a[4096];
        bench_loop(b) {
                for (int i = 4096; i-- > 0;)
                        bench_use(a[i] = 7);
        }
}

BENCH(lost_nested) {
        int a[64][64];
        bench_loop(b) {
                for (int i = 0; i < 64; i++)
                        for (int k = 0; k < 64; k++)
                                bench_use(a[i][k] = 1);
        }
}

BENCH(lost_to_unknown_end) {
        long n = 1000;
        int a[1000];

        bench_opaque(n);
        bench_loop(b) {
                for (long i = 0; i < n; i++)
                        bench_use(a[i] = 3);
        }
}

BENCH(lost_sum) {
        bench_loop(b) {
                for (int n = 100; n-- > 0;)
                        asm volatile("");
        }
}

BENCH(kept_store) {
        int a[4096], *p = a;

        bench_use(p);
        bench_loop(b) {
                for (int i = 0; i < 4096; i++)
                        bench_use(a[i] = 0);
        }
}

BENCH(kept_sum) {
        std::vector<int> v(1000, 1);
        bench_loop(b) {
                int sum = 0;
                for (int i : v)
                        sum += i;
                bench_use(sum);
        }
}

BENCH(kept_squares) {
        bench_loop(b) {
                for (int i = 0; i < 1000; i++)
                        bench_use(i * i);
        }
}

BENCH(kept_additions) {
        unsigned x = 3;
        bench_loop(b) {
                for (int i = 0; i < 1000; i++) {
                        x += 3;
                        bench_opaque(x);
                }
        }
        bench_use(x);
}

BENCH(kept_calls) {
        bench_loop(b) {
                for (int i = 0; i < 10; i++)
                        bench_use(rand());
        }
}

BENCH(kept_pauses) {
        bench_loop(b) {
                for (int i = 0; i < 10; i++)
                        asm volatile("pause");
        }
}

BENCH(kept_count_of_letters) {
        std::string s(100, 'x');
        bench_loop(b) {
                int n = 0;
                for (char c : s)
                        n += c == 'x';
                bench_use(n);
        }
}

BENCH(kept_divisor) {
        unsigned x = 1071, y = 462;
        bench_loop(b) {
                bench_opaque(x);
                unsigned m = x, n = y;
                while (m != n)
                        if (m > n)
                                m -= n;
                        else
                                n -= m;
                bench_use(m);
        }
}

BENCH(kept_in_pause) {
        int a[1000];
        bench_loop(b) {
                bench_pause(b);
                for (int i = 0; i < 1000; i++)
                        bench_use(a[i] = 10);
                bench_resume(b);
                bench_use(rand());
        }
}

BENCH(kept_rounds, .about = "an empty loop of 100 rounds") {
        bench_loop(b) {
                for (int i = 0; i < 100; i++)
                        asm volatile("");
        }
}
