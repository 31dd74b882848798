/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Loops to be found in their machine code, each with what its name says.
 */

#include <benchd/bench.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

BENCH_EMBED_SOURCE;

BENCH(empty) {
        bench_loop(b) {
        }
}

BENCH(lost) {
        int n __attribute__((unused)) = 1;
        bench_loop(b) {
                n *= 3;
        }
}

BENCH(product, .title = "a product") {
        long n = 1;
        bench_loop(b) {
                n *= 3;
                bench_use(n);
        }
}

/* Nobody can see the array: its stores are dropped, and the loop around them only counts. */
BENCH(unseen) {
        int unseen[1000];
        bench_loop(b) {
                for (int i = 0; i < 1000; i++)
                        bench_use(unseen[i] = 10);
        }
}

BENCH(inner) {
        int a[100] = { 0 };
        bench_loop(b) {
                bench_opaque(a);
                for (int i = 0; i < 100; i++)
                        a[i] *= i;
                bench_use(a[7]);
        }
}

BENCH(chatty) {
        bench_loop(b) {
                printf("%d", 1);
        }
}

BENCH(chatty_in_pause) {
        bench_loop(b) {
                bench_pause(b);
                printf("%d", 1);
                bench_resume(b);
                bench_use(getppid());
        }
}

BENCH(chatty_before) {
        puts("hello");
        bench_loop(b) {
                bench_use(getppid());
        }
        puts("bye");
}

BENCH(printing, .about = "printf of a number") {
        bench_loop(b) {
                printf("%d", 1);
        }
}

__attribute__((noinline)) static void helper(int fd) {
        char c;
        bench_use(read(fd, &c, 1));
}

BENCH(gulps) {
        int fd = open("/dev/zero", O_RDONLY);
        bench_loop(b) {
                helper(fd);
        }
        close(fd);
}

BENCH(lookup) {
        bench_loop(b) {
                bench_use(access("/", 0));
        }
}

BENCH(dozes) {
        bench_loop(b) {
                usleep(1);
        }
}

BENCH(chooses) {
        int k = 0;
        bench_loop(b) {
                bench_opaque(k);
                switch (k) {
                case 0:
                        k = getppid();
                        break;
                case 1:
                        k += 3;
                        break;
                case 2:
                        k *= 7;
                        break;
                case 3:
                        k ^= 77;
                        break;
                case 4:
                        k <<= 3;
                        break;
                case 5:
                        k = getpid();
                        break;
                case 6:
                        k = -k;
                        break;
                }
                k = k % 7;
                bench_use(k);
        }
}

/* More values than there are registers: the compiler keeps the pointer to the next batch on the stack. */
BENCH(crowded) {
        uint64_t v[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, n = 8000000000000000007;

        bench_opaque(n);
        bench_loop(b) {
                BENCH_REPEAT10(for (int i = 0; i < 12; i++) v[i] = n / v[i]);
        }
        for (int i = 0; i < 12; i++)
                bench_use(v[i]);
}
